// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// Contents get a name here for the moment before they take their place: a folder of the container, on the
/// same disk.
///
/// Each process has a folder of its own in there, under a random name, and holds a lock on it (`flock`): so
/// no process meets a name that another left behind, whatever process number it had, and a folder that no
/// process locks was left by a killed one.
final class Staging: Sendable {
  private let container: String
  private let own = Mutex<Held?>(nil)
  private let last = Atomic<Int>(0)

  init(_ container: String) { self.container = container }

  private static let folderName = ".staging"

  /// A folder on the mount of `target`: this process's own, or `target` itself when that is another mount.
  ///
  /// - Parameters:
  ///   - verb: what the script asked for; errors name that.
  ///   - path: with what.
  func folder(for target: OpenFile, _ verb: String, _ path: FilePath) throws -> OpenFile {
    let staging = try folder(verb, path)
    return target.mount == staging.mount ? staging : target
  }

  /// This process's own folder; what it leaves in there is removed when it is no more.
  func folder(_ verb: String, _ asked: FilePath) throws -> OpenFile {
    try own.withLock { known in
      // Another program may have cleared the container meanwhile.
      if let known, !known.folder.isUnlinked { return known.folder }
      let name = try FilePath(Self.folderName)
      let path = container + "/" + Self.folderName
      if mkdir(path, 0o700) != 0, errno != EEXIST { throw FileFailure.last(verb, asked) }
      let shared = try Self.open(path, below: AT_FDCWD, name)
      Self.sweep(shared)
      guard let held = try Self.claim(in: shared) else { throw FileFailure.last(verb, asked) }
      known = held
      return held.folder
    }
  }

  /// A new name that no file has. `list` leaves such names out: on another mount they stand beside the target
  /// for a moment.
  func newName() -> [UInt8] {
    Array("\(prefix)\(last.add(1, ordering: .relaxed).newValue)".utf8)
  }

  static let prefix = ".nbridge-"
  private let prefix = "\(Staging.prefix)\(RandomName.make())-"

  static func isTemporary(_ name: some Collection<UInt8>) -> Bool {
    name.first == UInt8(ascii: ".") && name.starts(with: prefix.utf8)
  }

  private static func open(_ name: String, below folder: Int32, _ path: FilePath) throws -> OpenFile {
    try OpenFile(path, to: "open", isRoot: true) { () throws(SystemError) in
      try Descriptor.open(
        Array(name.utf8), in: folder, O_RDONLY | Int32(NB_O_DIRECTORY) | Int32(NB_O_NOFOLLOW))
    }
  }

  /// Nil, with `errno`, when no folder can be made.
  private static func claim(in shared: OpenFile) throws -> Held? {
    while true {
      let name = RandomName.make()
      guard mkdirat(shared.number, name, 0o700) == 0 else { return nil }
      // A process that sweeps may come before the lock: then the folder is that one's, or gone already.
      do {
        let folder = try open(name, below: shared.number, shared.path)
        if folder.lock(), !folder.isUnlinked { return Held(shared: shared, name: name, folder: folder) }
      } catch let error as BridgeError where error.code == .notFound {
        continue
      } catch {
        _ = unlinkat(shared.number, name, AT_REMOVEDIR)
        throw error
      }
    }
  }

  /// Removes the folders that no process holds any more.
  private static func sweep(_ shared: OpenFile) {
    for name in (try? DirectoryNames.read(shared)) ?? [] {
      let left = FilePlace(folder: shared, name: name.bytes, path: shared.path)
      left.ifNobodyHolds { try? FileTree.remove(shared, name.bytes, shared.path, recursive: true) }
    }
  }

  /// This process's folder.
  private struct Held {
    let shared: OpenFile
    let name: String
    let folder: OpenFile
  }

  /// Removes this process's folder, as far as nothing is in it: at the program's end, which does not wait for
  /// all that still has a document. What is staged later makes one anew.
  func close() {
    own.withLock { held in
      guard let known = held, unlinkat(known.shared.number, known.name, AT_REMOVEDIR) == 0 else { return }
      held = nil
    }
  }

  deinit { close() }
}
