// SPDX-License-Identifier: MIT

internal import CSQLite
internal import Glibc
internal import NBridgePlugin

/// One connection to an SQLite database. Used by one thread at a time.
final class SQLiteDatabase: @unchecked Sendable {
  // Sendable because the store uses it under its lock only.
  private let connection: OpaquePointer
  private var statements: [String: OpaquePointer] = [:]
  /// How long a statement waits for another process that writes.
  private static let busyMilliseconds: Int32 = 5000
  private static let tryMilliseconds: Int32 = 2

  /// Opens or makes the database, with write-ahead logging: a kill leaves the last whole transaction.
  init(path: String) throws {
    // SQLite would make the file readable for all that the umask lets in.
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else {
      throw BridgeError(.ioError, "can't open '\(path)': \(String(cString: strerror(errno)))")
    }
    Glibc.close(file)
    var opened: OpaquePointer?
    let status = sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
    guard status == SQLITE_OK, let opened else {
      throw BridgeError(.ioError, "can't open '\(path)': \(String(cString: sqlite3_errstr(status)))")
    }
    connection = opened
    // SQLite's own waiting grows to 100 ms a try: among many writers whoever waited longest tries least.
    sqlite3_busy_handler(
      connection,
      { _, tries in
        usleep(UInt32(1000 * SQLiteDatabase.tryMilliseconds))
        return tries < SQLiteDatabase.busyMilliseconds / SQLiteDatabase.tryMilliseconds ? 1 : 0
      }, nil)
    do {
      try run("PRAGMA journal_mode=WAL")
      try run("PRAGMA synchronous=NORMAL")
    } catch {
      sqlite3_close_v2(connection)
      throw error
    }
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close_v2(connection)
  }

  /// A value for a statement's parameter.
  enum Parameter {
    case text(String)
    case blob([UInt8])
    case integer(Int64)
  }

  /// Runs a statement to its end, with `row` called for each row.
  func run(_ sql: String, _ parameters: [Parameter] = [], row: (Row) throws -> Void = { _ in }) throws {
    let statement = try prepare(sql)
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    for (index, parameter) in parameters.enumerated() { bind(parameter, to: statement, at: Int32(index + 1)) }
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: try row(Row(statement: statement))
      case SQLITE_DONE: return
      case let status: throw failure(status)
      }
    }
  }

  /// Runs `body` in a transaction that writes; an error undoes all of it.
  func transaction<R>(_ body: () throws -> R) throws -> R {
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

  /// How many rows the last statement changed.
  var changes: Int { Int(sqlite3_changes(connection)) }

  private func prepare(_ sql: String) throws -> OpaquePointer {
    if let known = statements[sql] { return known }
    var statement: OpaquePointer?
    let status = sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard status == SQLITE_OK, let statement else { throw failure(status) }
    statements[sql] = statement
    return statement
  }

  private func bind(_ parameter: Parameter, to statement: OpaquePointer, at index: Int32) {
    // SQLITE_TRANSIENT: SQLite copies what it is given.
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    switch parameter {
    case .text(let text): sqlite3_bind_text(statement, index, text, Int32(text.utf8.count), transient)
    case .blob(let bytes): sqlite3_bind_blob(statement, index, bytes, Int32(bytes.count), transient)
    case .integer(let number): sqlite3_bind_int64(statement, index, number)
    }
  }

  private func failure(_ status: Int32) -> any Error {
    if status & 0xFF == SQLITE_CORRUPT || status == SQLITE_NOTADB { return SQLiteDamaged() }
    let text = String(cString: sqlite3_errmsg(connection))
    if status & 0xFF == SQLITE_BUSY {
      return BridgeError(
        .conflict, "another process kept the preferences locked for \(Self.busyMilliseconds / 1000) s")
    }
    return BridgeError(.ioError, "the preferences could not be read or written: \(text)")
  }

  /// One row of a result.
  struct Row {
    fileprivate let statement: OpaquePointer

    func text(_ column: Int32) -> String {
      sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
    }
    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }
    /// nil for NULL.
    func blob(_ column: Int32) -> [UInt8]? {
      if sqlite3_column_type(statement, column) == SQLITE_NULL { return nil }
      let count = Int(sqlite3_column_bytes(statement, column))
      guard let base = sqlite3_column_blob(statement, column) else { return [] }
      return Array(UnsafeRawBufferPointer(start: base, count: count))
    }
  }
}

/// The file is no database, or a broken one.
struct SQLiteDamaged: Error {}
