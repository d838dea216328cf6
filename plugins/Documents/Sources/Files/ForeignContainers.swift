// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc
internal import NBridgePlugin

/// Other apps' containers, wherever they lie: nothing that one app exports takes the place of one, or of a
/// folder with one in it.
struct ForeignContainers {
  /// The app's own; nil when it has none yet.
  private let own: stat?

  init(besides container: Container) {
    var status = stat()
    own = stat(container.path, &status) == 0 ? status : nil
  }

  /// Throws `permission_denied` when one stands in a place, or somewhere below.
  func check(_ place: FilePlace) throws {
    guard let status = try place.facts(), FileKind(mode: status.st_mode) == .folder else { return }
    var walk = try TreeWalk(place.open(asFolder: true, to: "replace"), to: "replace")
    try check(walk.folder, place.path)
    while let step = try walk.next() {
      guard case .found(let name) = step else { continue }
      if let kind = try name.kind ?? walk.place(name).facts().map({ FileKind(mode: $0.st_mode) }),
        kind != .folder
      {
        continue
      }
      do { try walk.enter(name.bytes) } catch let error as BridgeError
        where error.code == .notFound || error.code == .notDirectory
      {
        continue
      }
      try check(walk.folder, place.path)
    }
  }

  private func check(_ folder: OpenFile, _ path: FilePath) throws {
    guard Container.stands(at: folder.number) else { return }
    let found = try folder.facts()
    if found.st_ino == own?.st_ino, found.st_dev == own?.st_dev { return }
    throw BridgeError(
      .permissionDenied,
      "can't replace '\(path.shown)': another app keeps its files in there, and they are closed to scripts",
      details: try? Value(encoding: ["path": path.text]))
  }
}
