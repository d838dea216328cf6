// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// The three open files that all programs of a user share: the audit log and the lockout state in one folder,
/// and the key in another. One thread at a time; other processes wait by `flock`.
final class AuthFiles: Sendable {
  static let lockoutName = "lockout"
  static let logName = "audit.log"
  static let names = [lockoutName, logName]
  static let keyName = "auth.key"

  /// One of the three files.
  private struct File {
    let file: Descriptor
    let path: String
    var number: Int32 { file.number }
    /// The file's node: shows that a name leads to another file.
    private let node: UInt64

    init(_ file: Descriptor, _ path: String) {
      (self.file, self.path) = (file, path)
      var status = stat()
      node = fstat(file.number, &status) == 0 ? UInt64(status.st_ino) : 0
    }

    /// Whether the name still leads to the file. An open file's node is not given to another.
    var isCurrent: Bool {
      var named = stat()
      return lstat(path, &named) == 0 && UInt64(named.st_ino) == node
    }
  }

  private let lockout: File
  private let log: File
  private let key: File
  /// Files that were not there, though their folder was.
  let missing: [String]

  /// - Throws: `io_error` when they can't be opened or made.
  init(_ shared: SharedFolders) throws {
    let folder = shared.data + "/auth"
    _ = try SharedFolders.make("", in: shared.data)
    if access(folder, F_OK) != 0 { try Self.makeFolder(folder) }
    _ = try SharedFolders.make("auth", in: shared.data)
    var missing: [String] = []
    lockout = try Self.open(folder, Self.lockoutName, O_RDWR, &missing)
    log = try Self.open(folder, Self.logName, O_RDWR | O_APPEND, &missing)
    self.missing = missing
    let state = try SharedFolders.make("", in: shared.state)
    key = try Self.open(state, Self.keyName, O_RDWR, &missing)
  }

  deinit { for file in [log, lockout, key] { fdatasync(file.number) } }

  /// Folder and files come into being in one step, so a folder without the files was emptied by another
  /// program.
  private static func makeFolder(_ path: String) throws {
    let new = "\(path).\(RandomName.make())"
    try Folders.make(new)
    for name in names {
      do { try Descriptor.open("\(new)/\(name)", O_WRONLY | O_CREAT | O_EXCL).sync() } catch {
        remove(new)
        throw BridgeError(SystemError("make", "\(new)/\(name)", code: error.code))
      }
    }
    guard rename(new, path) != 0 else { return }
    let error = failure("make", path)
    remove(new)
    // Another process was first.
    if access(path, F_OK) != 0 { throw error }
  }

  private static func remove(_ folder: String) {
    for name in names { unlink("\(folder)/\(name)") }
    rmdir(folder)
  }

  private static func open(_ folder: String, _ name: String, _ flags: Int32, _ missing: inout [String]) throws
    -> File
  {
    let path = "\(folder)/\(name)"
    if access(path, F_OK) != 0 { missing.append(name) }
    let file: Descriptor
    do { file = try Descriptor.open(path, flags | O_CREAT | O_NOFOLLOW | O_NONBLOCK) } catch {
      throw BridgeError(error)
    }
    var status = stat()
    guard fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == getuid()
    else {
      throw BridgeError(.ioError, "'\(path)' is not a file of this user's")
    }
    if status.st_mode & 0o077 != 0 { fchmod(file.number, 0o600) }
    return File(file, path)
  }

  private static func failure(_ verb: String, _ path: String) -> BridgeError {
    BridgeError.system(verb, path)
  }

  // MARK: - Looking

  /// Whether the names still lead to these files.
  var areCurrent: Bool { lockout.isCurrent && log.isCurrent && key.isCurrent }

  /// The lockout file's bytes; empty for a new one.
  func readLockout() throws -> [UInt8] { try Self.start(of: lockout, LockoutState.fileSize) }
  /// The key file's bytes; empty for a new one.
  func readKey() throws -> [UInt8] { try Self.start(of: key, AuditKey.fileSize) }

  /// One byte more than there should be, if there is one.
  private static func start(of file: File, _ size: Int) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: size + 1) { buffer, count in
      let done = pread(file.number, buffer.baseAddress, buffer.count, 0)
      guard done >= 0 else { throw failure("read", file.path) }
      count = done
    }
  }

  /// Whether the lockout file still has these bytes: asked before every answer.
  func isLockout(_ bytes: [UInt8]) throws -> Bool {
    try withUnsafeTemporaryAllocation(byteCount: LockoutState.fileSize + 1, alignment: 8) { buffer in
      let done = pread(lockout.number, buffer.baseAddress, buffer.count, 0)
      guard done >= 0 else { throw Self.failure("read", lockout.path) }
      return bytes.withUnsafeBytes { known in
        guard done == known.count, let memory = known.baseAddress, let read = buffer.baseAddress else {
          return false
        }
        return memcmp(memory, read, done) == 0
      }
    }
  }

  var logSize: Int {
    var status = stat()
    return fstat(log.number, &status) == 0 ? Int(status.st_size) : 0
  }

  /// All three, as they are now.
  func look() throws -> AuditTail.Files {
    AuditTail.Files(lockout: try readLockout(), key: try readKey(), size: logSize, log: readLog)
  }

  func readLog(from start: Int, to end: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: max(0, end - start))
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeMutableBytes {
        pread(log.number, $0.baseAddress.map { $0 + done }, $0.count - done, off_t(start + done))
      }
      guard count >= 0 else { throw Self.failure("read", log.path) }
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
  /// - Throws: `io_error` when another process does not let go of them.
  func locked<R>(_ body: () throws -> R) throws -> R {
    let lock = FileLock(lockout.file)
    var tries = 0
    while case let isTaken = try? lock.attempt(), isTaken != true {
      // Our programs are done in microseconds; a process that isn't is none of them.
      guard isTaken == false, tries < Self.patience else {
        throw BridgeError(
          .ioError, "'\(lockout.path)' is locked by another process, which does not let go of it")
      }
      tries += 1
      if tries < 20 { sched_yield() } else { usleep(1000) }
    }
    defer { lock.release() }
    return try body()
  }

  /// - Throws: `io_error`.
  func cutLog(to size: Int) throws {
    guard ftruncate(log.number, off_t(size)) == 0 else { throw Self.failure("shorten", log.path) }
  }

  /// Takes away bytes that another program put behind the lockout state and the key.
  func cut() {
    ftruncate(lockout.number, off_t(LockoutState.fileSize))
    ftruncate(key.number, off_t(AuditKey.fileSize))
  }

  /// The bytes that are written for one record.
  struct Record {
    /// The bytes that are put behind the log; none, when only counts changed.
    var lines: [UInt8] = []
    var lockout: [UInt8]
    var key: [UInt8]
    /// Whether the record must outlive a power cut.
    var isDurable = false
  }

  /// Writes a record, in the order that ``AuditTail`` knows. One that can't be written is none, unless only
  /// the key was not: then it counts with the next look.
  ///
  /// - Throws: `io_error`.
  func write(_ record: Record) throws {
    let size = logSize
    do {
      try Self.append(record.lines, log)
      if record.isDurable { try Self.sync(log) }
      try Self.replace(lockout, record.lockout)
    } catch {
      if !record.lines.isEmpty { try cutLog(to: size) }
      throw error
    }
    if record.isDurable { try Self.sync(lockout) }
    try writeKey(record.key, isDurable: record.isDurable)
  }

  /// In place: so nothing of the key before it stays in another block.
  func writeKey(_ bytes: [UInt8], isDurable: Bool) throws {
    try Self.replace(key, bytes)
    if isDurable { try Self.sync(key) }
  }

  private static func append(_ bytes: [UInt8], _ file: File) throws {
    guard bytes.isEmpty || Glibc.write(file.number, bytes, bytes.count) == bytes.count else {
      throw failure("write", file.path)
    }
  }

  private static func replace(_ file: File, _ bytes: [UInt8]) throws {
    guard pwrite(file.number, bytes, bytes.count, 0) == bytes.count else { throw failure("write", file.path) }
  }

  private static func sync(_ file: File) throws {
    guard fdatasync(file.number) == 0 else { throw failure("write", file.path) }
  }
}
