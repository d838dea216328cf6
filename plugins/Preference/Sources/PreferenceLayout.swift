// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeStore

/// The database's tables, and the statements that read and write them.
///
/// A row is a setting and the number of its last change. Values come last: a call that lists the keys reads
/// nothing of them. Pages are small, because a change writes one of them whole.
enum PreferenceLayout {
  static let layout = StoreLayout(
    content: "the preferences", fileName: "preferences.db", version: 2,
    statements: [
      "CREATE TABLE settings (key TEXT PRIMARY KEY, change INTEGER NOT NULL, value BLOB) WITHOUT ROWID",
      // The last keys that went, for watchers: one that was set and removed in between is seen nowhere else.
      "CREATE TABLE removals (number INTEGER PRIMARY KEY, change INTEGER NOT NULL, key TEXT NOT NULL)",
      // As version 1 had it, which said no version; a removed key left a row without a value.
      """
      CREATE TABLE IF NOT EXISTS preferences (key TEXT PRIMARY KEY, value BLOB, change INTEGER NOT NULL) \
      WITHOUT ROWID
      """,
      "INSERT INTO settings SELECT key, change, value FROM preferences WHERE value IS NOT NULL",
      "DROP TABLE preferences",
    ],
    tables: ["settings", "removals"], counted: "settings", pageSize: 1024)

  static func value(of key: String, in database: SQLiteDatabase) throws -> Value? {
    var archive: [UInt8]?
    try database.run("SELECT value FROM settings WHERE key = ?", [.text(key)]) { archive = $0.blob(0) }
    return try archive.map { try Value(archive: $0) }
  }

  /// The number of the last change of all that is known.
  static func lastChange(in database: SQLiteDatabase) throws -> UInt64 {
    var change: Int64 = 0
    try database.run(
      """
      SELECT max((SELECT coalesce(max(change), 0) FROM settings), (SELECT coalesce(max(change), 0) \
      FROM removals))
      """
    ) {
      change = $0.integer(0)
    }
    return UInt64(clamping: change)
  }

  static func put(_ archive: [UInt8], of key: String, _ change: Int64, in database: SQLiteDatabase) throws {
    try database.run(
      "INSERT OR REPLACE INTO settings (key, change, value) VALUES (?, ?, ?)",
      [.text(key), .integer(change), .blob(archive)])
  }

  static func remove(_ key: String, _ change: Int64, in database: SQLiteDatabase) throws -> Bool {
    try database.run("DELETE FROM settings WHERE key = ?", [.text(key)])
    guard database.changes > 0 else { return false }
    try database.run("INSERT INTO removals (change, key) VALUES (?, ?)", [.integer(change), .text(key)])
    try forgetRemovals(database)
    return true
  }

  static func clear(_ change: Int64, _ database: SQLiteDatabase) throws -> Int {
    try database.run(
      "INSERT INTO removals (change, key) SELECT ?, key FROM settings", [.integer(change)])
    try forgetRemovals(database)
    try database.run("DELETE FROM settings")
    return database.changes
  }

  private static let maxRemovals = 256

  private static func forgetRemovals(_ database: SQLiteDatabase) throws {
    try database.run(
      "DELETE FROM removals WHERE number <= ?", [.integer(database.lastRow - Int64(maxRemovals))])
  }

  static func keys(in database: SQLiteDatabase) throws -> [String] {
    var keys: [String] = []
    try database.run("SELECT key FROM settings ORDER BY key") { keys.append($0.text(0)) }
    return keys
  }

  /// The numbers of the changes that are there now.
  static func knowledge(in database: SQLiteDatabase) throws -> PreferenceKnowledge {
    var knowledge = PreferenceKnowledge()
    try database.run("SELECT key, change FROM settings") {
      knowledge.changes[ExactKey($0.text(0))] = $0.integer(1)
    }
    try database.run("SELECT coalesce(max(number), 0) FROM removals") { knowledge.removal = $0.integer(0) }
    return knowledge
  }

  /// The keys that went after a removal, each with the number of the change that took it, as far as that is
  /// still known.
  static func removals(after number: Int64, in database: SQLiteDatabase) throws -> [ExactKey: Int64] {
    var changes: [ExactKey: Int64] = [:]
    try database.run("SELECT key, change FROM removals WHERE number > ? ORDER BY number", [.integer(number)])
    {
      changes[ExactKey($0.text(0))] = $0.integer(1)
    }
    return changes
  }
}

/// How far a watcher has seen.
struct PreferenceKnowledge: Sendable {
  /// The number of each key's last change.
  var changes: [ExactKey: Int64] = [:]
  /// The number of the last removal.
  var removal: Int64 = 0
}
