// SPDX-License-Identifier: MIT

internal import CNBridgeSQLite
internal import NBridgePlugin
internal import NBridgeSystem

/// The functions of SQLite 3 that are used here. The library is opened with the first database: a program
/// that keeps nothing does not pay for it at its start. Their contracts:
/// https://www.sqlite.org/c3ref/funclist.html.
final class LibSQLite: @unchecked Sendable {  // pointers to functions, which many threads may use
  typealias Connection = OpaquePointer
  typealias Statement = OpaquePointer
  typealias BusyHandler = @convention(c) (UnsafeMutableRawPointer?, Int32) -> Int32

  let open:
    @convention(c) (UnsafePointer<CChar>?, UnsafeMutablePointer<Connection?>?, Int32, UnsafePointer<CChar>?)
      -> Int32
  let close: @convention(c) (Connection?) -> Int32
  private let describe: @convention(c) (Int32) -> UnsafePointer<CChar>?
  let setBusyHandler: @convention(c) (Connection?, BusyHandler?, UnsafeMutableRawPointer?) -> Int32
  let setAutoCheckpoint: @convention(c) (Connection?, Int32) -> Int32
  let checkpoint:
    @convention(c) (
      Connection?, UnsafePointer<CChar>?, Int32, UnsafeMutablePointer<Int32>?, UnsafeMutablePointer<Int32>?
    ) -> Int32
  let finalize: @convention(c) (Statement?) -> Int32
  let reset: @convention(c) (Statement?) -> Int32
  let clearBindings: @convention(c) (Statement?) -> Int32
  let step: @convention(c) (Statement?) -> Int32
  let lastRow: @convention(c) (Connection?) -> Int64
  let changes: @convention(c) (Connection?) -> Int32
  let prepare:
    @convention(c) (
      Connection?, UnsafePointer<CChar>?, Int32, UInt32, UnsafeMutablePointer<Statement?>?,
      UnsafeMutablePointer<UnsafePointer<CChar>?>?
    ) -> Int32
  let bindText:
    @convention(c) (Statement?, Int32, UnsafePointer<CChar>?, Int32, sqlite3_destructor_type?) -> Int32
  let bindBlob:
    @convention(c) (Statement?, Int32, UnsafeRawPointer?, Int32, sqlite3_destructor_type?) -> Int32
  let bindInteger: @convention(c) (Statement?, Int32, Int64) -> Int32
  let bindNull: @convention(c) (Statement?, Int32) -> Int32
  let bindLargeBlob:
    @convention(c) (Statement?, Int32, UnsafeRawPointer?, UInt64, sqlite3_destructor_type?) -> Int32
  private let lastError: @convention(c) (Connection?) -> UnsafePointer<CChar>?
  let text: @convention(c) (Statement?, Int32) -> UnsafePointer<UInt8>?
  let byteCount: @convention(c) (Statement?, Int32) -> Int32
  let integer: @convention(c) (Statement?, Int32) -> Int64
  let columnCount: @convention(c) (Statement?) -> Int32
  let type: @convention(c) (Statement?, Int32) -> Int32
  let blob: @convention(c) (Statement?, Int32) -> UnsafeRawPointer?

  /// The library, opened with its first use. Throws ``BridgeError`` with `unavailable` where it is not
  /// installed.
  static func opened() throws -> LibSQLite { try shared.orUnavailable() }

  private static let shared = OpenedOnce { () throws(MissingLibrary) in try LibSQLite() }

  private init() throws(MissingLibrary) {
    let library = try DynamicLibrary("libsqlite3.so.0", of: "SQLite 3", package: "libsqlite3-0")
    open = try library.function("sqlite3_open_v2")
    close = try library.function("sqlite3_close_v2")
    describe = try library.function("sqlite3_errstr")
    setBusyHandler = try library.function("sqlite3_busy_handler")
    setAutoCheckpoint = try library.function("sqlite3_wal_autocheckpoint")
    checkpoint = try library.function("sqlite3_wal_checkpoint_v2")
    finalize = try library.function("sqlite3_finalize")
    reset = try library.function("sqlite3_reset")
    clearBindings = try library.function("sqlite3_clear_bindings")
    step = try library.function("sqlite3_step")
    lastRow = try library.function("sqlite3_last_insert_rowid")
    changes = try library.function("sqlite3_changes")
    prepare = try library.function("sqlite3_prepare_v3")
    bindText = try library.function("sqlite3_bind_text")
    bindBlob = try library.function("sqlite3_bind_blob")
    bindInteger = try library.function("sqlite3_bind_int64")
    bindNull = try library.function("sqlite3_bind_null")
    bindLargeBlob = try library.function("sqlite3_bind_blob64")
    lastError = try library.function("sqlite3_errmsg")
    text = try library.function("sqlite3_column_text")
    byteCount = try library.function("sqlite3_column_bytes")
    integer = try library.function("sqlite3_column_int64")
    columnCount = try library.function("sqlite3_column_count")
    type = try library.function("sqlite3_column_type")
    blob = try library.function("sqlite3_column_blob")
  }

  /// What a status means.
  func reason(_ status: Int32) -> String {
    describe(status).map { String(cString: $0) } ?? "status \(status)"
  }

  /// The message of the connection's last error.
  func lastReason(_ connection: Connection?) -> String {
    lastError(connection).map { String(cString: $0) } ?? "no memory is left"
  }
}
