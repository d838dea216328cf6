// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgeScript
internal import NBridgeSystem

/// The folders whose sources tests may write into: the current one, and that of the file of tests.
struct SourceFolders {
  private static let maxBytes = 64 << 20

  private let paths: DisplayPath
  private let folders: [String]

  init(tests file: String) {
    let current = ScriptFile.currentFolder
    paths = DisplayPath(folder: current)
    folders = [current, DisplayPath.folder(of: paths.absolute(file))]
  }

  /// Replaces a source, if it still is what was loaded.
  ///
  /// - Parameters:
  ///   - url: what reports call it.
  ///   - loaded: its text.
  ///   - change: gets the file's bytes, and where the text begins in them.
  func rewrite(
    _ url: String, loaded: String, _ change: ([UInt8], Int) -> [UInt8]
  ) throws(SnapshotError) {
    let place = "the inline snapshots of '\(url)' can't be written"
    let path = paths.absolute(url)
    guard let folder = folders.first(where: { path.hasPrefix($0 == "/" ? "/" : $0 + "/") }) else {
      throw SnapshotError("\(place): it lies outside of the folders of this run and of its file of tests")
    }
    let rest = PathText.encode(String(path.dropFirst(folder == "/" ? 1 : folder.count + 1)))
    do throws(SystemError) {
      let root = try Descriptor.open(folder, O_RDONLY | O_DIRECTORY)
      let file = try FileReplacement(rest, beneath: root.number)
      if (file.path?.text ?? path).pathNames.contains("node_modules") { throw Self.foreign }
      guard let old = try file.read(atMost: Self.maxBytes) else { throw Self.changed }
      guard let start = LoadedText.offset(of: loaded, in: old) else { throw Self.changed }
      guard try file.replace(with: change(old, start), ifStill: old) else { throw Self.changed }
    } catch { throw SnapshotError("\(place): \(reason(error))") }
  }

  /// In the place of what the system says.
  private static let foreign = SystemError("write into a package", code: EPERM)
  private static let changed = SystemError("write into what was changed", code: ESTALE)

  private func reason(_ error: SystemError) -> String {
    switch error {
    case Self.foreign: return "it belongs to a package in node_modules"
    case Self.changed: return "it was changed while its tests ran; run them again"
    default: break
    }
    return switch error.code {
    case ELOOP: "it is a link; run the tests by the path of the file itself"
    case EXDEV: "a link leads to it from outside of the folder of this run"
    default: error.reason
    }
  }
}
