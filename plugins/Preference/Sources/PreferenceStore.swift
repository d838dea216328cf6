// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin
internal import NBridgeStore
internal import Synchronization

/// The app's preferences: one SQLite database, `Library/Preferences/preferences.db`, mode 0600.
///
/// Each change takes the next number, so that a watcher asks for what came after the last it saw, whoever wrote it.
/// A removed key leaves its row without a value, for the same reason.
final class PreferenceStore: Sendable {
  private struct State: ~Copyable {
    var database: SQLiteDatabase?
    var watcher: ChangeWatcher?
  }

  private let state = Mutex<State>(State())
  static let largestValue = 16 << 20

  func get(_ key: PreferenceKey, in app: AppEnvironment) throws -> Value? {
    // Reading makes nothing: an app that never stored a setting has no database.
    guard app.container.exists else { return nil }
    return try withDatabase(app) { database in
      var archive: [UInt8]?
      try database.run("SELECT value FROM preferences WHERE key = ?", [.text(key.text)]) {
        archive = $0.blob(0)
      }
      return try archive.map { try Value(archive: $0) }
    }
  }

  func set(_ key: PreferenceKey, to value: Value, in app: AppEnvironment) throws {
    if value.kind == .undefined {
      _ = try remove(key, in: app)
      return
    }
    let archive = value.archived()
    guard archive.count <= Self.largestValue else {
      throw BridgeError(
        .tooLarge, "option.value has \(archive.count) bytes; a preference may have \(Self.largestValue)")
    }
    try withDatabase(app) { database in
      try database.run(
        """
        INSERT INTO preferences (key, value, change) VALUES (?1, ?2, (SELECT coalesce(max(change), 0) + 1 FROM preferences))
        ON CONFLICT (key) DO UPDATE SET value = excluded.value, change = excluded.change
        """, [.text(key.text), .blob(archive)])
    }
  }

  func remove(_ key: PreferenceKey, in app: AppEnvironment) throws -> Bool {
    guard app.container.exists else { return false }
    return try withDatabase(app) { database in
      try database.run(
        """
        UPDATE preferences SET value = NULL, change = (SELECT max(change) + 1 FROM preferences)
        WHERE key = ? AND value IS NOT NULL
        """, [.text(key.text)])
      return database.changes > 0
    }
  }

  func keys(in app: AppEnvironment) throws -> [String] {
    guard app.container.exists else { return [] }
    return try withDatabase(app) { database in
      var keys: [String] = []
      try database.run("SELECT key FROM preferences WHERE value IS NOT NULL ORDER BY key") {
        keys.append($0.text(0))
      }
      return keys
    }
  }

  func clear(in app: AppEnvironment) throws -> Int {
    guard app.container.exists else { return 0 }
    return try withDatabase(app) { database in
      try database.run(
        """
        UPDATE preferences SET value = NULL, change = change + (SELECT max(change) FROM preferences)
        WHERE value IS NOT NULL
        """)
      return database.changes
    }
  }

  /// The changes from now on, of one key or of all.
  func watch(key: String?, in app: AppEnvironment) throws -> AsyncStream<PreferenceChange> {
    let last = try withDatabase(app) { database in try Self.lastChange(database) }
    let (stream, continuation) = AsyncStream.makeStream(of: PreferenceChange.self)
    let watcher = try state.withLock { state -> ChangeWatcher in
      if let watcher = state.watcher { return watcher }
      let watcher = try ChangeWatcher(folder: app.container.preferences, after: last) { [weak self] last in
        (try? self?.changes(after: last, in: app)) ?? (last, [])
      }
      state.watcher = watcher
      return watcher
    }
    watcher.add(key: key, continuation)
    return stream
  }

  func close() {
    let watcher = state.withLock { state in
      state.database = nil
      defer { state.watcher = nil }
      return state.watcher
    }
    watcher?.stop()
  }

  private static func lastChange(_ database: SQLiteDatabase) throws -> Int64 {
    var last: Int64 = 0
    try database.run("SELECT coalesce(max(change), 0) FROM preferences") { last = $0.integer(0) }
    return last
  }

  private func changes(after last: Int64, in app: AppEnvironment) throws -> (Int64, [PreferenceChange]) {
    try withDatabase(app) { database in
      var changes: [PreferenceChange] = []
      var newest = last
      try database.run(
        "SELECT key, value, change FROM preferences WHERE change > ? ORDER BY change", [.integer(last)]
      ) { row in
        newest = max(newest, row.integer(2))
        let value = try row.blob(1).map { try Value(archive: $0) }
        changes.append(PreferenceChange(key: row.text(0), value: value, removed: value == nil))
      }
      return (newest, changes)
    }
  }

  // MARK: - The database

  private func withDatabase<R>(_ app: AppEnvironment, _ body: (SQLiteDatabase) throws -> R) throws -> R {
    try state.withLock { state in
      do {
        return try body(try Self.database(&state.database, app))
      } catch is SQLiteDamaged {
        state.database = nil
        try Self.setAside(app)
        return try body(try Self.database(&state.database, app))
      }
    }
  }

  private static func database(_ held: inout SQLiteDatabase?, _ app: AppEnvironment) throws -> SQLiteDatabase
  {
    if let held { return held }
    try app.container.create()
    let database = try SQLiteDatabase(path: path(app), content: "the preferences")
    try database.run(
      "CREATE TABLE IF NOT EXISTS preferences (key TEXT PRIMARY KEY, value BLOB, change INTEGER NOT NULL) WITHOUT ROWID"
    )
    try database.run("CREATE INDEX IF NOT EXISTS preferences_change ON preferences (change)")
    held = database
    return database
  }

  private static func path(_ app: AppEnvironment) -> String { app.container.preferences + "/preferences.db" }

  /// Keeps a damaged database beside the new one: what is in it may still be worth something to somebody.
  private static func setAside(_ app: AppEnvironment) throws {
    let path = path(app)
    let kept = "\(path).damaged-\(time(nil))"
    guard rename(path, kept) == 0 else {
      throw BridgeError(.ioError, "the preferences '\(path)' are damaged and can't be set aside")
    }
    unlink(path + "-wal")
    unlink(path + "-shm")
    app.note(
      "nbridge: the preferences '\(path)' were damaged; they are kept as '\(kept)', new ones are begun")
  }
}
