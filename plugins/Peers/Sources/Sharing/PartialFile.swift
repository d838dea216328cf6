// SPDX-License-Identifier: MIT

internal import CLinux
internal import Glibc
internal import NBridgePlugin
internal import Synchronization

/// A file that is received: it gets its name when it is whole, so that a receiver that is killed leaves none
/// that is not.
///
/// It is nameless until then (`O_TMPFILE`), and the kernel takes it away with its last descriptor. On a disk
/// that has no nameless files it has a name that says what it is, and a lock (`flock`) that goes with its
/// process: what nobody locks is removed by the next start (``sweep(_:)``).
final class PartialFile: Sendable {
  private let folder: String
  private let descriptor: Int32
  /// Nil for a nameless one.
  private let name: String?
  private let isOver = Atomic<Bool>(false)

  private static let suffix = ".partial"

  /// - Parameter isNameless: whether it may be, where the disk can.
  init(in folder: String, isNameless: Bool = true) throws {
    try Folders.make(folder)
    self.folder = folder
    let nameless =
      isNameless ? nb_openat(AT_FDCWD, folder, O_RDWR | O_CLOEXEC | Int32(NB_O_TMPFILE), 0o600) : -1
    // Without /proc it could never be named.
    if nameless >= 0, access("/proc/self/fd/\(nameless)", F_OK) == 0 {
      (descriptor, name) = (nameless, nil)
    } else {
      if nameless >= 0 { close(nameless) }
      (descriptor, name) = try Self.makeNamed(in: folder)
    }
  }

  private static func makeNamed(in folder: String) throws -> (Int32, String) {
    while true {
      let name = RandomName.make() + suffix
      let path = "\(folder)/\(name)"
      let file = nb_openat(AT_FDCWD, path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard file >= 0 else { throw failure("make", path) }
      // One that sweeps may come before the lock: then it is theirs, or gone already.
      var status = stat()
      if flock(file, LOCK_EX | LOCK_NB) == 0, fstat(file, &status) == 0, status.st_nlink > 0 {
        return (file, name)
      }
      close(file)
    }
  }

  deinit {
    giveUp()
    close(descriptor)
  }

  /// Takes it away unless it is whole.
  func giveUp() {
    guard !isOver.exchange(true, ordering: .relaxed), let name else { return }
    unlink("\(folder)/\(name)")
  }

  func write(_ bytes: [UInt8], at offset: Int) throws {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes {
        pwrite(descriptor, $0.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset + done))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Self.failure("write in", folder) }
      done += count
    }
  }

  /// It is whole: gives it a name, and answers where it is.
  func complete() throws -> String {
    let path = "\(folder)/\(RandomName.make())"
    let status =
      if let name { rename("\(folder)/\(name)", path) } else {
        linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, path, AT_SYMLINK_FOLLOW)
      }
    guard status == 0 else { throw Self.failure("make", path) }
    isOver.store(true, ordering: .relaxed)
    return path
  }

  private static func failure(_ verb: String, _ path: String) -> BridgeError {
    let code: BridgeError.Code = errno == ENOSPC || errno == EDQUOT ? "quota_exceeded" : .ioError
    return BridgeError(code, "can't \(verb) '\(path)': \(String(cString: strerror(errno)))")
  }

  /// Removes what killed processes left in a folder.
  static func sweep(_ folder: String) {
    for name in FolderNames.of(folder)
    where name.hasSuffix(suffix) && name.utf8.count == 32 + suffix.utf8.count {
      let path = "\(folder)/\(name)"
      let file = nb_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0)
      guard file >= 0 else { continue }
      if flock(file, LOCK_EX | LOCK_NB) == 0 { unlink(path) }
      close(file)
    }
  }
}
