// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin
internal import NBridgeStore

/// The items of `localStorage`: one database of the app, mode 0600, that its processes share. It is opened
/// when an item is first asked for, and made when one is first set. Confined to the engine's thread.
final class LocalItems {
  private let container: Container
  private var store: SharedStore
  private let file: String
  /// What all items take, as long as nobody else writes: to add them up takes a time that grows with them.
  private var total: Total?
  /// All keys, as long as none comes or goes: who asks for one by its number asks for the next one then.
  private var list: (keys: [String], state: State)?

  private struct Total {
    var size: Int64
    let state: State
  }

  /// Which connection something was read by, and what SQLite counted of others' changes then.
  private struct State: Equatable {
    let opening: Int
    let changes: Int64

    init(_ database: SQLiteDatabase) throws {
      var changes: Int64 = 0
      try database.run("PRAGMA data_version") { changes = $0.integer(0) }
      (opening, self.changes) = (database.opening, changes)
    }
  }

  /// Sizes come before texts and have an index: the sum of all reads no item.
  private static let layout = StoreLayout(
    content: "the items of localStorage", fileName: "items.db", version: 1,
    statements: [
      """
      CREATE TABLE items (number INTEGER PRIMARY KEY, size INTEGER NOT NULL, key BLOB NOT NULL UNIQUE, \
      value BLOB NOT NULL)
      """,
      "CREATE INDEX sizes ON items (size)",
    ],
    tables: ["items"], counted: "items")

  /// - Parameter note: hears, in a sentence for people, that the database was damaged.
  init(_ container: Container, note: @escaping @Sendable (String) -> Void) {
    self.container = container
    let folder = container.localStorage
    file = folder + "/" + Self.layout.fileName
    store = SharedStore(Self.layout, in: folder, prepare: { try Self.makeFolder(in: container) }, note: note)
  }

  private static func makeFolder(in container: Container) throws {
    let folder = container.localStorage
    if access(folder, W_OK) == 0 { return }
    try container.create()
    if mkdir(folder, 0o700) != 0, errno != EEXIST { throw BridgeError.system("make", folder) }
  }

  /// Reading makes nothing.
  private var isThere: Bool { access(file, F_OK) == 0 }

  func count() throws -> Int64 {
    guard isThere else { return 0 }
    return try store.use(.reading) { database in
      var count: Int64 = 0
      try database.run("SELECT count(*) FROM items") { count = $0.integer(0) }
      return count
    }
  }

  /// In the order in which they were first set.
  func keys() throws -> [String] {
    guard isThere else { return [] }
    return try store.use(.reading) { database in
      // Before the keys: who writes meanwhile has them read again.
      let state = try State(database)
      if let list, list.state == state { return list.keys }
      var keys: [String] = []
      try database.run("SELECT key FROM items ORDER BY number") { keys.append(Self.text($0)) }
      list = (keys, state)
      return keys
    }
  }

  /// Nil where there are fewer.
  func key(at index: Int) throws -> String? {
    let keys = try keys()
    return keys.indices.contains(index) ? keys[index] : nil
  }

  func read(_ key: String) throws -> String? {
    guard isThere else { return nil }
    return try store.use(.reading) { database in
      var value: String?
      try database.run("SELECT value FROM items WHERE key = ?", [Self.bytes(key)]) { value = Self.text($0) }
      return value
    }
  }

  /// Answers whether there was room.
  ///
  /// - Parameters:
  ///   - size: of the key and the value, as the limit counts.
  ///   - limit: of all items together.
  func write(_ key: String, _ value: String, size: Int, limit: Int) throws -> Bool {
    let key = Self.bytes(key)
    return try store.use(.writing) { database in
      total = try database.transaction { () throws -> Total? in
        let known = try currentTotal(database)
        var old: Int64?
        try database.run("SELECT size FROM items WHERE key = ?", [key]) { old = $0.integer(0) }
        if old == nil { list = nil }
        let (size, room) = (Int64(size), Int64(limit) - known.size + (old ?? 0))
        guard size <= room else { return nil }
        try database.run(
          """
          INSERT INTO items (size, key, value) VALUES (?, ?, ?) \
          ON CONFLICT (key) DO UPDATE SET size = excluded.size, value = excluded.value
          """, [.integer(size), key, Self.bytes(value)])
        var total = known
        total.size += size - (old ?? 0)
        return total
      }
      return total != nil
    }
  }

  /// Within a transaction: nobody else writes.
  private func currentTotal(_ database: SQLiteDatabase) throws -> Total {
    let state = try State(database)
    if let total, total.state == state { return total }
    var size: Int64 = 0
    try database.run("SELECT coalesce(sum(size), 0) FROM items") { size = $0.integer(0) }
    return Total(size: size, state: state)
  }

  func remove(_ key: String) throws {
    guard isThere else { return }
    (total, list) = (nil, nil)
    try store.use(.writing) { try $0.run("DELETE FROM items WHERE key = ?", [Self.bytes(key)]) }
  }

  func clear() throws {
    guard isThere else { return }
    (total, list) = (nil, nil)
    try store.use(.writing) { try $0.run("DELETE FROM items") }
  }

  private static func bytes(_ text: String) -> SQLiteDatabase.Parameter { .blob(Array(text.utf8)) }
  private static func text(_ row: SQLiteDatabase.Row) -> String {
    String(decoding: row.blob(0) ?? [], as: UTF8.self)
  }
}
