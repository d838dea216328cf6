// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// A file that is being received: it gets its name when it is whole, so that a receiver that is killed leaves
/// no part of one.
///
/// It is nameless until then (`O_TMPFILE`), and the kernel takes it away with its last descriptor. On a disk
/// that has no nameless files it has a name that says what it is, and a lock that goes with its process: the
/// next start removes the files that no process holds locked (``sweep(_:)``).
final class PartialFile: Sendable {
  private let folder: String
  private let file: Descriptor
  /// Nil for a nameless one.
  private let name: String?
  private let isOver = Atomic<Bool>(false)

  private static let suffix = ".partial"

  /// - Parameter isNameless: whether it may be, where the disk can.
  init(in folder: String, isNameless: Bool = true) throws {
    try Folders.make(folder)
    self.folder = folder
    // Without /proc it could never be named.
    if isNameless, let nameless = try? Descriptor.open(folder, O_RDWR | Int32(NB_O_TMPFILE)),
      access("/proc/self/fd/\(nameless.number)", F_OK) == 0
    {
      (file, name) = (nameless, nil)
    } else {
      (file, name) = try Self.makeNamed(in: folder)
    }
  }

  private static func makeNamed(in folder: String) throws -> (Descriptor, String) {
    while true {
      let name = RandomName.make() + suffix
      let path = "\(folder)/\(name)"
      let file: Descriptor
      do { file = try Descriptor.open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW) } catch {
        throw failure("make", path, error.code)
      }
      // A process that sweeps may come before the lock: then it holds the file, or has removed it already.
      if FileLock(file).tryTake(), !FileIdentity(descriptor: file.number).isUnlinked { return (file, name) }
    }
  }

  deinit { giveUp() }

  /// Takes it away unless it is whole.
  func giveUp() {
    guard !isOver.exchange(true, ordering: .relaxed), let name else { return }
    unlink("\(folder)/\(name)")
  }

  func write(_ bytes: [UInt8], at offset: Int) throws {
    do { try file.write(bytes, at: offset) } catch { throw Self.failure("write in", folder, error.code) }
  }

  /// The file is whole: gives it a name, and answers its path.
  func complete() throws -> String {
    let path = "\(folder)/\(RandomName.make())"
    let status =
      if let name { rename("\(folder)/\(name)", path) } else {
        linkat(AT_FDCWD, "/proc/self/fd/\(file.number)", AT_FDCWD, path, AT_SYMLINK_FOLLOW)
      }
    guard status == 0 else { throw Self.failure("make", path, errno) }
    isOver.store(true, ordering: .relaxed)
    return path
  }

  private static func failure(_ verb: String, _ path: String, _ reason: Int32) -> BridgeError {
    let code: BridgeError.Code = reason == ENOSPC || reason == EDQUOT ? "quota_exceeded" : .ioError
    return BridgeError(SystemError(verb, path, code: reason), code)
  }

  /// Removes what killed processes left in a folder.
  static func sweep(_ folder: String) {
    for name in FolderNames.of(folder)
    where name.hasSuffix(suffix) && name.utf8.count == 32 + suffix.utf8.count {
      let path = "\(folder)/\(name)"
      guard let file = try? Descriptor.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) else { continue }
      if FileLock(file).tryTake() { unlink(path) }
      file.close()
    }
  }
}
