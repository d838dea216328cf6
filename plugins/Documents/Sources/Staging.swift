// SPDX-License-Identifier: MIT

internal import CLinux
internal import Glibc
internal import NBridgePlugin
internal import Synchronization

/// Where contents get a name for the moment before they take their place: a folder of the container, on the same disk.
final class Staging: Sendable {
  private let container: String
  private let opened = Mutex<OpenFile?>(nil)
  private let last = Atomic<Int>(0)

  init(_ container: String) { self.container = container }

  private static let folderName = ".staging"

  /// A folder on the mount of `target`: this one, or `target` itself when that is another mount.
  func folder(for target: OpenFile) throws -> OpenFile {
    let staging = try open()
    return target.mount == staging.mount ? staging : target
  }

  /// A name that nobody has. `list` leaves such names out: on another mount they stand beside the target for a moment.
  func newName() -> [UInt8] {
    Array("\(Self.ownPrefix)\(last.add(1, ordering: .relaxed).newValue)".utf8)
  }

  static let prefix = ".nbridge-"
  private static let ownPrefix = "\(prefix)\(getpid())-"

  static func isTemporary(_ name: [UInt8]) -> Bool {
    name.first == UInt8(ascii: ".") && name.starts(with: prefix.utf8)
  }

  private func open() throws -> OpenFile {
    try opened.withLock { known in
      if let known { return known }
      let name = try FilePath(Self.folderName)
      let path = container + "/" + Self.folderName
      if mkdir(path, 0o700) != 0, errno != EEXIST { throw FileFailure.last("make", name) }
      let number = nb_openat(
        AT_FDCWD, path, O_RDONLY | O_CLOEXEC | Int32(NB_O_DIRECTORY) | Int32(NB_O_NOFOLLOW), 0)
      guard number >= 0 else { throw FileFailure.last("open", name) }
      let folder = OpenFile(number, name, isRoot: true)
      Self.sweep(folder)
      known = folder
      return folder
    }
  }

  /// Removes what processes left behind that are no more.
  private static func sweep(_ folder: OpenFile) {
    for name in (try? DirectoryNames.read(folder)) ?? [] where name.bytes.starts(with: prefix.utf8) {
      let digits = name.bytes.dropFirst(prefix.utf8.count).prefix { $0 != UInt8(ascii: "-") }
      guard let process = pid_t(String(decoding: digits, as: UTF8.self)), process != getpid() else {
        continue
      }
      if kill(process, 0) != 0, errno == ESRCH {
        try? FileTree.remove(folder, name.bytes, folder.path, recursive: true)
      }
    }
  }
}
