// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import CNBridgeSQLite
internal import Glibc
package import NBridgePlugin
internal import NBridgeSystem

/// One connection to an SQLite database that several processes may have open. Used by one thread at a time.
package final class SQLiteDatabase: @unchecked Sendable {
  // Sendable because its owner uses it under a lock only.
  private let sqlite: LibSQLite
  private let connection: OpaquePointer
  /// What is in it, for errors: `the preferences`.
  private let content: String
  private var statements: [String: OpaquePointer] = [:]
  /// Which opening of a ``SharedStore`` it is, from 1 on: the files beside it may be others each time. 0 for
  /// none.
  package internal(set) var opening = 0
  /// What SQLite's callback reads, as long as the connection is open.
  private let waits = UnsafeMutablePointer<Bool>.allocate(capacity: 1)
  /// How long a statement waits for another process that writes.
  private static let busyMilliseconds: Int32 = 5000
  private static let tryMilliseconds: Int32 = 2

  /// Opens or makes the database, with write-ahead logging: a kill leaves the last whole transaction.
  ///
  /// - Parameters:
  ///   - content: what is in it, for errors: `the preferences`.
  ///   - checkpoints: whether a commit may write the log back into the database, which waits for the disk;
  ///     else the owner has to call ``emptyLog()`` now and then.
  ///   - pageSize: of a database that is made now, in bytes: large ones suit large values, small ones small
  ///     changes.
  package init(path: String, content: String, checkpoints: Bool = true, pageSize: Int = 4096) throws {
    self.content = content
    sqlite = try LibSQLite.opened()
    waits.initialize(to: true)
    try Self.prepareFile(path)
    var opened: OpaquePointer?
    let status = sqlite.open(
      path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW, nil)
    guard status == SQLITE_OK, let opened else {
      _ = sqlite.close(opened)
      throw BridgeError(.ioError, "can't open '\(path)': \(sqlite.reason(status))")
    }
    connection = opened
    // SQLite's own waiting grows to 100 ms a try: among many writers the one that waited longest tries least.
    _ = sqlite.setBusyHandler(
      connection,
      { waits, tries in
        guard let waits, waits.assumingMemoryBound(to: Bool.self).pointee else { return 0 }
        usleep(UInt32(1000 * SQLiteDatabase.tryMilliseconds))
        return tries < SQLiteDatabase.busyMilliseconds / SQLiteDatabase.tryMilliseconds ? 1 : 0
      }, waits)
    if !checkpoints { _ = sqlite.setAutoCheckpoint(connection, 0) }
    // From here on everything is there, so an error ends in `deinit`, which closes.
    try run("PRAGMA page_size=\(pageSize)")
    try run("PRAGMA journal_mode=WAL")
    try run("PRAGMA synchronous=NORMAL")
  }

  /// Opens a database for reading that no process can write to: what is in a log beside it is not seen.
  package init(unchanging path: String, content: String) throws {
    self.content = content
    sqlite = try LibSQLite.opened()
    waits.initialize(to: true)
    let escaped = path.utf8.map { byte -> String in
      // A byte past ASCII is part of a character, and by itself another one.
      byte > 0x7E || "?#%".utf8.contains(byte) ? "%" + String(byte, radix: 16) : String(UnicodeScalar(byte))
    }.joined()
    var opened: OpaquePointer?
    let status = sqlite.open(
      "file:\(escaped)?immutable=1", &opened, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX,
      nil)
    guard status == SQLITE_OK, let opened else {
      _ = sqlite.close(opened)
      throw BridgeError(.ioError, "can't open '\(path)': \(sqlite.reason(status))")
    }
    connection = opened
  }

  /// SQLite would make the file readable for all that the umask lets in. One that is there is not opened
  /// here: to close it would take away every lock that this process has on it (fcntl(2), "record locks").
  private static func prepareFile(_ path: String) throws {
    do { _ = try Descriptor.open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW) } catch {
      guard error.code == EEXIST else { throw BridgeError(error) }
      var status = stat()
      if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0 {
        chmod(path, 0o600)
      }
    }
  }

  /// Whether a statement waits for another process that writes, 5 s at the most; else it fails with
  /// `conflict` at once.
  package var waitsForOthers: Bool {
    get { waits.pointee }
    set { waits.pointee = newValue }
  }

  /// Writes the log back and cuts it off, so that nothing of what was deleted is left in it; answers whether
  /// it is empty.
  ///
  /// It can't be while a process reads from it or writes to it. It does not wait for them: a caller that
  /// waited here would keep writers out.
  package func emptyLog() -> Bool {
    // What waits for the disk, as far as no process reads from it, while others may write.
    _ = sqlite.checkpoint(connection, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    waits.pointee = false
    return sqlite.checkpoint(connection, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil) == SQLITE_OK
  }

  deinit {
    defer { waits.deallocate() }
    for statement in statements.values { _ = sqlite.finalize(statement) }
    _ = sqlite.close(connection)
  }

  /// A value for a statement's parameter.
  package enum Parameter {
    case text(String)
    case blob([UInt8])
    case bytes(Bytes)
    case integer(Int64)
    case null

    /// A text, or NULL.
    package static func optional(_ text: String?) -> Parameter { text.map { .text($0) } ?? .null }
  }

  /// Runs a statement to its end, with `row` called for each row.
  package func run(_ sql: String, _ parameters: [Parameter] = [], row: (Row) throws -> Void = { _ in }) throws
  {
    let statement = try prepare(sql)
    defer {
      _ = sqlite.reset(statement)
      _ = sqlite.clearBindings(statement)
    }
    for (index, parameter) in parameters.enumerated() { bind(parameter, to: statement, at: Int32(index + 1)) }
    while true {
      switch sqlite.step(statement) {
      case SQLITE_ROW: try row(Row(sqlite: sqlite, statement: statement))
      case SQLITE_DONE: return
      case let status: throw failure(status)
      }
    }
  }

  /// Runs `body` in a transaction that writes; an error undoes all of it.
  package func transaction<R>(_ body: () throws -> R) throws -> R {
    try run("BEGIN IMMEDIATE")
    do {
      let result = try body()
      try run("COMMIT")
      return result
    } catch {
      try? run("ROLLBACK")  // the error that matters is the one that led here
      throw error
    }
  }

  /// Runs `body`, which only reads, with all of it as it was at one moment.
  package func snapshot<R>(_ body: () throws -> R) throws -> R {
    try run("BEGIN")
    defer { try? run("COMMIT") }  // nothing was written that could be refused
    return try body()
  }

  /// The number of the row that was inserted last, in a table that has such.
  package var lastRow: Int64 { sqlite.lastRow(connection) }

  /// How many rows the last statement changed.
  package var changes: Int { Int(sqlite.changes(connection)) }

  private func prepare(_ sql: String) throws -> OpaquePointer {
    if let known = statements[sql] { return known }
    var statement: OpaquePointer?
    let status = sqlite.prepare(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    // The statements are ours: what they name is missing from a file that is not as we made it.
    if status == SQLITE_ERROR { throw SQLiteDamaged() }
    guard status == SQLITE_OK, let statement else { throw failure(status) }
    statements[sql] = statement
    return statement
  }

  private func bind(_ parameter: Parameter, to statement: OpaquePointer, at index: Int32) {
    // SQLITE_TRANSIENT: SQLite copies what it is given.
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    switch parameter {
    case .text(let text): _ = sqlite.bindText(statement, index, text, Int32(text.utf8.count), transient)
    case .blob(let bytes): _ = sqlite.bindBlob(statement, index, bytes, Int32(bytes.count), transient)
    case .integer(let number): _ = sqlite.bindInteger(statement, index, number)
    case .null: _ = sqlite.bindNull(statement, index)
    case .bytes(let bytes):
      bytes.withUnsafeBytes {
        _ = sqlite.bindLargeBlob(statement, index, $0.baseAddress, UInt64($0.count), transient)
      }
    }
  }

  private func failure(_ status: Int32) -> any Error {
    if status & 0xFF == SQLITE_CORRUPT || status == SQLITE_NOTADB { return SQLiteDamaged() }
    let text = sqlite.lastReason(connection)
    if status & 0xFF == SQLITE_BUSY {
      return BridgeError(
        .conflict, "another process kept \(content) locked for \(Self.busyMilliseconds / 1000) s")
    }
    return BridgeError(.ioError, "\(content) could not be read or written: \(text)")
  }

  /// One row of a result.
  package struct Row {
    fileprivate let sqlite: LibSQLite
    fileprivate let statement: OpaquePointer

    package func text(_ column: Int32) -> String {
      // With what stands behind a NUL.
      guard let text = sqlite.text(statement, column) else { return "" }
      let count = Int(sqlite.byteCount(statement, column))
      return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
    }
    package func integer(_ column: Int32) -> Int64 { sqlite.integer(statement, column) }
    /// All columns, as parameters for another statement.
    package var values: [Parameter] {
      (0..<sqlite.columnCount(statement)).map { column in
        switch sqlite.type(statement, column) {
        case SQLITE_NULL: .null
        case SQLITE_INTEGER: .integer(integer(column))
        case SQLITE_BLOB: .blob(blob(column) ?? [])
        default: .text(text(column))
        }
      }
    }
    /// Whether it is NULL.
    package func isNull(_ column: Int32) -> Bool { sqlite.type(statement, column) == SQLITE_NULL }
    /// nil for NULL.
    package func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }
    /// nil for NULL; a copy.
    package func bytes(_ column: Int32) -> Bytes? {
      if isNull(column) { return nil }
      let count = Int(sqlite.byteCount(statement, column))
      let base = sqlite.blob(statement, column)
      return Bytes(capacity: count) { target in
        if let base { target.copyMemory(from: UnsafeRawBufferPointer(start: base, count: count)) }
        return count
      }
    }
    /// Calls `body` with the bytes where they are; they are gone with the row.
    package func withBytes<R>(_ column: Int32, _ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
      let count = Int(sqlite.byteCount(statement, column))
      let base = sqlite.blob(statement, column)?.assumingMemoryBound(to: UInt8.self)
      return body(UnsafeBufferPointer(start: base, count: base == nil ? 0 : count))
    }
    /// nil for NULL.
    package func blob(_ column: Int32) -> [UInt8]? {
      if sqlite.type(statement, column) == SQLITE_NULL { return nil }
      let count = Int(sqlite.byteCount(statement, column))
      guard let base = sqlite.blob(statement, column) else { return [] }
      return Array(UnsafeRawBufferPointer(start: base, count: count))
    }
  }
}

/// The file is no database, or a broken one.
package struct SQLiteDamaged: Error, CustomStringConvertible {
  package init() {}
  package var description: String { "a database is damaged, or is none" }
}

/// The file is a store as an earlier version made it.
struct StoreOutdated: Error {}
