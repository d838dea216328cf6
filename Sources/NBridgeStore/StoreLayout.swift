// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// What a store of several processes is made of.
package struct StoreLayout: Sendable {
  /// What is in it, for errors: `the preferences`.
  package let content: String
  package let fileName: String
  /// Another version's store is nothing that can be read here: it is set aside.
  package let version: Int64
  /// Earlier versions, whose rows are carried over into a new store.
  package let earlier: Set<Int64>
  /// Statements that make it.
  package let statements: [String]
  /// In the order in which rows are copied from a damaged store.
  package let tables: [String]
  /// The table whose rows are counted when people are told how much could be saved.
  package let counted: String
  /// Said to each connection.
  package let pragmas: [String]
  /// Whether a commit may write the log back into the database, which waits for the disk; see
  /// ``SQLiteDatabase``.
  package let checkpoints: Bool
  /// In bytes: large ones suit large values, small ones small changes.
  package let pageSize: Int
  /// Statements for a store into which rows were copied: takes away what can't be reached, because what led
  /// to it is lost.
  let cleaning: [String]
  /// Makes a row of a table as an earlier version had it one of this version; a row of this version stays as
  /// it is.
  package let adapt:
    @Sendable (_ table: String, _ row: [SQLiteDatabase.Parameter]) -> [SQLiteDatabase.Parameter]

  /// Describes a store.
  package init(
    content: String, fileName: String, version: Int64, earlier: Set<Int64> = [], statements: [String],
    tables: [String], counted: String, pragmas: [String] = [], checkpoints: Bool = true, pageSize: Int = 4096,
    cleaning: [String] = [],
    adapt: @escaping @Sendable (String, [SQLiteDatabase.Parameter]) -> [SQLiteDatabase.Parameter] = { $1 }
  ) {
    self.content = content
    self.fileName = fileName
    self.version = version
    self.earlier = earlier
    self.statements = statements
    self.tables = tables
    self.counted = counted
    self.pragmas = pragmas
    self.checkpoints = checkpoints
    self.pageSize = pageSize
    self.cleaning = cleaning
    self.adapt = adapt
  }

  /// Opens a database in a folder where nothing can be written. What others left in its log is read from
  /// copies: SQLite writes beside a database that has one.
  func openUnchanging(_ path: String) throws -> SQLiteDatabase {
    if FileIdentity(path + "-wal").isUnlinked {
      return try SQLiteDatabase(unchanging: path, content: content)
    }
    var name = Array("/tmp/nbridge-XXXXXX".utf8CString)
    guard mkdtemp(&name) != nil else {
      throw BridgeError(.ioError, "can't make a folder in /tmp: \(SystemError.lastReason)")
    }
    let folder = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let copy = folder + "/" + fileName
    defer {
      for ending in ["", "-wal", "-shm"] { unlink(copy + ending) }
      rmdir(folder)
    }
    for ending in ["", "-wal"] {
      try SmallFile.replace(copy + ending, with: try SmallFile.read(path + ending) ?? [])
    }
    // Opened all, with the files that SQLite needs: it may read on when they have no names any more.
    let database = try SQLiteDatabase(path: copy, content: content)
    try database.run("SELECT count(*) FROM sqlite_schema")
    return database
  }

  /// Opens or makes the database in a folder. Throws ``SQLiteDamaged`` for what is none, or another
  /// version's, and ``StoreOutdated`` for an earlier version's.
  package func open(_ path: String) throws -> SQLiteDatabase {
    let database = try SQLiteDatabase(
      path: path, content: content, checkpoints: checkpoints, pageSize: pageSize)
    for pragma in pragmas { try database.run(pragma) }
    var found: Int64 = 0
    try database.run("PRAGMA user_version") { found = $0.integer(0) }
    guard found != version else { return database }
    if earlier.contains(found) { throw StoreOutdated() }
    guard found == 0 else { throw SQLiteDamaged() }
    try database.transaction {
      for statement in statements { try database.run(statement) }
      try database.run("PRAGMA user_version = \(version)")
    }
    return database
  }
}
