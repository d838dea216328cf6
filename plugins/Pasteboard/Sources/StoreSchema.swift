// SPDX-License-Identifier: MIT

internal import NBridgeStore

/// The tables of the store.
enum StoreSchema {
  static let version: Int64 = 1

  /// In the order in which rows are copied from a damaged store.
  static let tables = ["boards", "history", "representations", "changes"]

  static func create(in database: SQLiteDatabase) throws {
    var found: Int64 = 0
    try database.run("PRAGMA user_version") { found = $0.integer(0) }
    guard found != version else { return }
    // Another version's store is nothing that can be read here: it is set aside.
    guard found == 0 else { throw SQLiteDamaged() }
    try database.transaction {
      for statement in statements { try database.run(statement) }
      try database.run("PRAGMA user_version = \(version)")
    }
  }

  /// `owner` of a change is who alone may hear of it. `content` is the change that made what is on a board now, 0 for an empty one. Its representations are `count` rows from
  /// `first` on: a table with plain row numbers, because rows of one without them that have over a quarter page spill into
  /// pages of their own. `marker` is a file in the owner's container, and `mark` what it says. Times are milliseconds since 1970.
  private static let statements = [
    """
    CREATE TABLE IF NOT EXISTS boards (
      name TEXT PRIMARY KEY, kind TEXT NOT NULL, persistent INTEGER NOT NULL, shared INTEGER NOT NULL,
      owner TEXT, owner_name TEXT, presence TEXT, marker TEXT, mark TEXT,
      change INTEGER NOT NULL, content INTEGER NOT NULL, items INTEGER NOT NULL, types TEXT NOT NULL, bytes INTEGER NOT NULL,
      at INTEGER, source TEXT, source_name TEXT, expires INTEGER, once INTEGER NOT NULL, concealed INTEGER NOT NULL,
      first INTEGER NOT NULL, count INTEGER NOT NULL
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE IF NOT EXISTS representations (
      number INTEGER PRIMARY KEY, item INTEGER NOT NULL, type TEXT NOT NULL, size INTEGER NOT NULL, file TEXT, bytes BLOB
    )
    """,
    """
    CREATE TABLE IF NOT EXISTS history (
      board TEXT NOT NULL, content INTEGER NOT NULL, at INTEGER NOT NULL, source TEXT NOT NULL, source_name TEXT NOT NULL,
      types TEXT NOT NULL, items INTEGER NOT NULL, bytes INTEGER NOT NULL, first INTEGER NOT NULL, count INTEGER NOT NULL,
      PRIMARY KEY (board, content)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE IF NOT EXISTS changes (
      number INTEGER PRIMARY KEY, board TEXT NOT NULL, change INTEGER NOT NULL, kind TEXT NOT NULL, types TEXT NOT NULL,
      source TEXT, source_name TEXT, process TEXT, at INTEGER NOT NULL, owner TEXT
    )
    """,
  ]
}
