// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin

/// The two open files that all programs of a user share. One thread at a time; other processes wait by `flock`.
final class AuthFiles: Sendable {
  static let lockoutName = "lockout"
  static let logName = "audit.log"
  static let names = [lockoutName, logName]

  private let folder: String
  private let lockout: Int32
  private let log: Int32
  private let lockoutPath: String
  private let logPath: String
  /// The nodes of both, by which it is seen that a name leads to another file.
  private let nodes: (lockout: UInt64, log: UInt64)
  /// Files that were not there, though their folder was.
  let missing: [String]

  /// - Throws: `io_error` when they can't be opened or made.
  init(_ data: String) throws {
    folder = data + "/auth"
    (lockoutPath, logPath) = ("\(folder)/\(Self.lockoutName)", "\(folder)/\(Self.logName)")
    _ = try SharedFolders.make("", in: data)
    if access(folder, F_OK) != 0 { try Self.makeFolder(folder) }
    _ = try SharedFolders.make("auth", in: data)
    var missing: [String] = []
    lockout = try Self.open(folder, Self.lockoutName, O_RDWR, &missing)
    do { log = try Self.open(folder, Self.logName, O_RDWR | O_APPEND, &missing) } catch {
      close(lockout)
      throw error
    }
    self.missing = missing
    nodes = (Self.node(lockout), Self.node(log))
  }

  private static func node(_ file: Int32) -> UInt64 {
    var status = stat()
    return fstat(file, &status) == 0 ? UInt64(status.st_ino) : 0
  }

  deinit {
    fdatasync(log)
    fdatasync(lockout)
    close(log)
    close(lockout)
  }

  /// Folder and files come into being in one step, so a folder without them was emptied by somebody.
  private static func makeFolder(_ path: String) throws {
    let new = "\(path).\(RandomName.make())"
    try Folders.make(new)
    let first = try LockoutState(salt: RandomName.make()).bytes()
    for (name, content) in [(lockoutName, first), (logName, [])] {
      let file = Glibc.open("\(new)/\(name)", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      defer { close(file) }
      guard file >= 0, Glibc.write(file, content, content.count) == content.count, fsync(file) == 0 else {
        let error = failure("make", "\(new)/\(name)")
        remove(new)
        throw error
      }
    }
    guard rename(new, path) != 0 else { return }
    let error = failure("make", path)
    remove(new)
    // Somebody else was first.
    if access(path, F_OK) != 0 { throw error }
  }

  private static func remove(_ folder: String) {
    for name in names { unlink("\(folder)/\(name)") }
    rmdir(folder)
  }

  private static func open(_ folder: String, _ name: String, _ flags: Int32, _ missing: inout [String]) throws
    -> Int32
  {
    let path = "\(folder)/\(name)"
    if access(path, F_OK) != 0 { missing.append(name) }
    let file = Glibc.open(path, flags | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard file >= 0 else { throw failure("open", path) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == getuid() else {
      close(file)
      throw BridgeError(.ioError, "'\(path)' is not a file of this user's")
    }
    if status.st_mode & 0o077 != 0 { fchmod(file, 0o600) }
    return file
  }

  private static func failure(_ verb: String, _ path: String) -> BridgeError {
    BridgeError(.ioError, "can't \(verb) '\(path)': \(String(cString: strerror(errno)))")
  }

  // MARK: - Looking

  /// Whether the names still lead to these files.
  var areCurrent: Bool {
    // An open file's node is not given to another.
    leads(lockoutPath, to: nodes.lockout) && leads(logPath, to: nodes.log)
  }

  private func leads(_ path: String, to node: UInt64) -> Bool {
    var named = stat()
    return lstat(path, &named) == 0 && UInt64(named.st_ino) == node
  }

  /// The lockout file's bytes; empty for a new one.
  func readLockout() throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: LockoutState.fileSize + 1) { buffer, count in
      let done = pread(lockout, buffer.baseAddress, buffer.count, 0)
      guard done >= 0 else { throw Self.failure("read", lockoutPath) }
      count = done
    }
  }

  var logSize: Int {
    var status = stat()
    return fstat(log, &status) == 0 ? Int(status.st_size) : 0
  }

  func readLog(from start: Int, to end: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: max(0, end - start))
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeMutableBytes {
        pread(log, $0.baseAddress.map { $0 + done }, $0.count - done, off_t(start + done))
      }
      guard count >= 0 else { throw Self.failure("read", logPath) }
      if count == 0 { break }
      done += count
    }
    return Array(bytes.prefix(done))
  }

  // MARK: - Writing

  /// How long another process may hold the files.
  private static let patience = 2000

  /// Calls `body` while no other process is at the files.
  ///
  /// - Throws: `io_error` when somebody does not let go of them.
  func locked<R>(_ body: () throws -> R) throws -> R {
    var tries = 0
    while flock(lockout, LOCK_EX | LOCK_NB) != 0 {
      // Others are done in microseconds; who isn't is no program of ours.
      guard errno == EWOULDBLOCK || errno == EINTR, tries < Self.patience else {
        throw BridgeError(
          .ioError, "'\(lockoutPath)' is locked by another process, which does not let go of it")
      }
      tries += 1
      if tries < 20 { sched_yield() } else { usleep(1000) }
    }
    defer { flock(lockout, LOCK_UN) }
    return try body()
  }

  /// - Throws: `io_error`.
  func cutLog(to size: Int) throws {
    guard ftruncate(log, off_t(size)) == 0 else { throw Self.failure("shorten", logPath) }
  }

  /// Takes away what somebody put behind the lockout state.
  func cut() { ftruncate(lockout, off_t(LockoutState.fileSize)) }

  func write(state: [UInt8]) throws {
    guard pwrite(lockout, state, state.count, 0) == state.count else {
      throw Self.failure("write", lockoutPath)
    }
  }

  /// Puts a line behind the log and writes the lockout state, or neither. The log is on the disk first.
  ///
  /// - Throws: `io_error`.
  func write(_ line: [UInt8], _ state: [UInt8], isDurable: Bool) throws {
    let size = logSize
    do {
      guard Glibc.write(log, line, line.count) == line.count else { throw Self.failure("write", logPath) }
      if isDurable { try Self.sync(log, logPath) }
      try write(state: state)
    } catch {
      try cutLog(to: size)
      throw error
    }
    if isDurable { try Self.sync(lockout, lockoutPath) }
  }

  private static func sync(_ file: Int32, _ path: String) throws {
    guard fdatasync(file) == 0 else { throw failure("write", path) }
  }
}
