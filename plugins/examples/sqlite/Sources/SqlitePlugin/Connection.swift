import CSQLite
import NBridgePlugin
import Synchronization

/// A connection to a database. Many threads may call it, one after the other is let in.
final class Connection: Sendable {
  let path: String
  private let database: Pointer
  /// Held while SQLite works; whether it is closed.
  private let isClosed = Mutex(false)
  /// Statements whose readers left.
  private let abandoned = Mutex<[Pointer]>([])
  private let rows = Atomic<Int>(0)

  /// Whether it is for one transaction, and of no use behind it.
  private let isTransaction: Bool

  /// Opens a file, and makes it when there is none; no link is followed.
  ///
  /// - Parameter isTransaction: whether it begins a transaction that may write.
  init(_ path: String, isTransaction: Bool = false) throws {
    (self.path, self.isTransaction) = (path, isTransaction)
    var raw: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX
    let status = sqlite3_open_v2(path, &raw, flags, nil)
    guard status == SQLITE_OK, let raw else {
      defer { sqlite3_close_v2(raw) }
      throw BridgeError.sqlite(status, raw)
    }
    database = Pointer(raw: raw)
    // Another connection's lock is waited for so long, in milliseconds: a thread waits with it.
    sqlite3_busy_timeout(raw, 250)
    sqlite3_set_authorizer(raw, keepInside, nil)
    do {
      let sql = "PRAGMA journal_mode = wal; PRAGMA foreign_keys = on"
      try Self.check(sqlite3_exec(raw, isTransaction ? sql + "; BEGIN IMMEDIATE" : sql, nil, nil, nil), raw)
    } catch {
      sqlite3_close_v2(raw)
      throw error
    }
  }

  /// Undoes a transaction that is open.
  func close() {
    isClosed.withLock { isClosed in
      finalizeAbandoned()
      sqlite3_close_v2(database.raw)
      isClosed = true
    }
  }

  var rowsRead: Int { rows.load(ordering: .relaxed) }

  func exec(_ sql: String, _ interrupt: Interrupt) throws {
    try perform(interrupt) { try Self.check(sqlite3_exec($0, sql, nil, nil, nil), $0) }
  }

  func run(_ sql: String, _ parameters: [SQLValue], _ interrupt: Interrupt) throws -> Changes {
    try perform(interrupt) { database in
      let before = sqlite3_total_changes(database)
      let statement = try Self.prepare(sql, parameters, database)
      defer { sqlite3_finalize(statement) }
      while try Self.step(statement, database) {}
      return Changes(
        changes: Int(sqlite3_total_changes(database) - before),
        lastInsertRowid: WholeNumber(value: sqlite3_last_insert_rowid(database)))
    }
  }

  // MARK: - For cursors

  /// Up to so many rows of a statement, which is prepared when there is none yet. Fewer at the end.
  func read(_ most: Int, _ statement: inout Pointer?, _ query: Statement, _ interrupt: Interrupt) throws
    -> [Row]
  {
    try perform(interrupt) { database in
      let open = try statement?.raw ?? Self.prepare(query.sql, query.parameters, database)
      statement = Pointer(raw: open)
      let names = (0..<sqlite3_column_count(open)).map { String(cString: sqlite3_column_name(open, $0)) }
      var found: [Row] = []
      while found.count < most, try Self.step(open, database) {
        found.append(Row(names: names, values: names.indices.map { SQLValue(open, Int32($0)) }))
      }
      rows.add(found.count, ordering: .relaxed)
      return found
    }
  }

  /// Takes a statement that nobody reads any more. Never waits: it is called on the engine's thread.
  func abandon(_ statement: Pointer) {
    abandoned.withLock { $0.append(statement) }
    _ = isClosed.withLockIfAvailable { isClosed in if !isClosed { finalizeAbandoned() } }
  }

  // MARK: - SQLite

  private func finalizeAbandoned() {
    let statements = abandoned.withLock { list in
      defer { list = [] }
      return list
    }
    for statement in statements { sqlite3_finalize(statement.raw) }
  }

  /// Lets one caller in, whose work ends when it is interrupted.
  private func perform<R: Sendable>(
    _ interrupt: Interrupt, _ body: (OpaquePointer) throws -> R
  ) throws -> R {
    try isClosed.withLock { isClosed in
      guard !isClosed else { throw BridgeError(.closed, "the database is closed") }
      finalizeAbandoned()
      guard !isTransaction || sqlite3_get_autocommit(database.raw) == 0 else {
        throw BridgeError(.closed, "the transaction is over")
      }
      // Every thousand steps of SQLite's machine: some ten microseconds.
      let context = Unmanaged.passUnretained(interrupt).toOpaque()
      sqlite3_progress_handler(database.raw, 1000, isInterrupted, context)
      defer { sqlite3_progress_handler(database.raw, 0, nil, nil) }
      return try body(database.raw)
    }
  }

  private static func prepare(_ sql: String, _ parameters: [SQLValue], _ database: OpaquePointer) throws
    -> OpaquePointer
  {
    var made: OpaquePointer?
    let isAlone = try sql.withCString { text in
      var rest: UnsafePointer<CChar>?
      try check(sqlite3_prepare_v2(database, text, -1, &made, &rest), database)
      return rest.map { String(cString: $0).allSatisfy { $0.isWhitespace || $0 == ";" } } ?? true
    }
    do {
      guard let made, isAlone else {
        throw BridgeError("sql_error", "this takes one statement; exec takes several, without parameters")
      }
      guard sqlite3_bind_parameter_count(made) == parameters.count else {
        throw BridgeError(
          .invalidParameter,
          "the statement has \(sqlite3_bind_parameter_count(made)) parameters, not \(parameters.count)")
      }
      for (index, value) in parameters.enumerated() {
        try check(value.bind(made, Int32(index + 1)), database)
      }
      return made
    } catch {
      sqlite3_finalize(made)
      throw error
    }
  }

  private static func step(_ statement: OpaquePointer, _ database: OpaquePointer) throws -> Bool {
    let status = sqlite3_step(statement)
    if status == SQLITE_ROW { return true }
    if status != SQLITE_DONE { throw BridgeError.sqlite(status, database) }
    return false
  }

  private static func check(_ status: Int32, _ database: OpaquePointer) throws {
    if status != SQLITE_OK { throw BridgeError.sqlite(status, database) }
  }
}

/// A pointer of SQLite's.
struct Pointer: @unchecked Sendable {
  // Used by one thread at a time: under the connection's lock.
  let raw: OpaquePointer
}

/// Tells work on another thread that nobody waits for it any more.
final class Interrupt: Sendable {
  private let flag = Atomic(false)

  init(_ call: Call) { call.onCancel { [self] in flag.store(true, ordering: .relaxed) } }

  var isSet: Bool { flag.load(ordering: .relaxed) }
}

private func isInterrupted(_ context: UnsafeMutableRawPointer?) -> Int32 {
  guard let context else { return 0 }
  return Unmanaged<Interrupt>.fromOpaque(context).takeUnretainedValue().isSet ? 1 : 0
}

/// Refuses what would open another file than the one that was asked for.
private func keepInside(
  _: UnsafeMutableRawPointer?, _ action: Int32, _ first: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?,
  _: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?
) -> Int32 {
  switch action {
  // VACUUM attaches a file without a name; other files, and names that are computed, are none of the app's.
  case SQLITE_ATTACH: first.map { $0.pointee == 0 } == true ? SQLITE_OK : SQLITE_DENY
  case SQLITE_PRAGMA:
    first.map { String(cString: $0).lowercased().hasSuffix("_store_directory") } == true
      ? SQLITE_DENY : SQLITE_OK
  default: SQLITE_OK
  }
}

extension BridgeError {
  /// What SQLite says, in its words, with its own code in the details.
  static func sqlite(_ status: Int32, _ database: OpaquePointer?) -> BridgeError {
    let extended = database.map { sqlite3_extended_errcode($0) } ?? status
    let code: Code =
      switch status & 0xFF {
      case SQLITE_BUSY, SQLITE_LOCKED: .conflict
      case SQLITE_CONSTRAINT: "constraint"
      case SQLITE_INTERRUPT: .cancelled
      case SQLITE_TOOBIG: .tooLarge
      case SQLITE_CANTOPEN, SQLITE_IOERR, SQLITE_FULL, SQLITE_CORRUPT, SQLITE_NOTADB: .ioError
      default: "sql_error"
      }
    let message = database.flatMap { sqlite3_errmsg($0) } ?? sqlite3_errstr(status)
    return BridgeError(
      code, message.map { String(cString: $0) } ?? "error \(status)",
      details: try? Value(encoding: ["sqlite": Int(extended)]))
  }
}
