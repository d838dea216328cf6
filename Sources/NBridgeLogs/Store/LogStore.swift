// SPDX-License-Identifier: MIT

internal import Glibc
internal import LoggerPlugin
package import NBridgePlugin
internal import NBridgeStore

/// What is known of a page of records without reading it.
struct PageSummary: Sendable {
  let id: Int
  /// When the first and the last came, in milliseconds since 1970.
  var begin: Int
  var end: Int
  /// How many records of each level.
  var ranks = [Int](repeating: 0, count: 7)
  var bytes = 0

  var lines: Int { ranks.reduce(0, +) }
}

/// A program that sent records, or all programs that did not greet.
struct LogSource: Sendable {
  let id: Int
  let name: String
  let app: String
  let pid: Int
  /// The number of the record that is wanted next.
  var next: Int
}

/// The viewer's records, in an SQLite database: pages of lines in the order in which they came, each written
/// once it is full or some milliseconds have passed, and an index of the words in full pages (FTS5). One that
/// is found damaged is set aside, and what can be read of it goes on in a new one. Used by one thread at a
/// time.
package final class LogStore {
  private var shared: SharedStore
  /// The opening for which the columns were looked at.
  private var prepared = 0

  /// In which folder of the user's shared data.
  static let folder = "logs"
  private static let layout = StoreLayout(
    content: "the log's pages", fileName: "records.db", version: 1,
    statements: [
      // `page`: the last one with records of it.
      """
      CREATE TABLE IF NOT EXISTS sources (id INTEGER PRIMARY KEY, name TEXT UNIQUE, app TEXT, pid INTEGER, \
      next INTEGER,
        page INTEGER)
      """,
      """
      CREATE TABLE IF NOT EXISTS pages (id INTEGER PRIMARY KEY, first INTEGER, last INTEGER, ranks TEXT, \
      size INTEGER,
        indexed INTEGER, text BLOB)
      """,
      "CREATE INDEX IF NOT EXISTS unindexed ON pages (id) WHERE indexed = 0",
      "CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(text, content='', detail=none)",
    ], tables: ["sources", "pages"], counted: "pages", pragmas: ["PRAGMA cache_size=-4096"],
    pageSize: 32768,
    // The index of words is not copied: it is made again.
    cleaning: ["UPDATE pages SET indexed = 0"],
    adapt: { table, row in table == "sources" && row.count == 5 ? row + [.null] : row })

  /// - Parameters:
  ///   - folder: where the store is.
  ///   - note: hears, in a line for people, that the store was damaged and what was saved.
  init(in folder: String, note: @escaping @Sendable (String) -> Void = { _ in }) {
    shared = SharedStore(Self.layout, in: folder, note: note)
  }

  /// Does something with the database; what it does may be done again, in a mended one.
  private func use<R>(_ purpose: SharedStore.Purpose, _ body: (SQLiteDatabase) throws -> R) throws -> R {
    var prepared = prepared
    defer { self.prepared = prepared }
    return try shared.use(purpose) { database in
      if database.opening != prepared {
        try Self.addPageOfSources(database)
        prepared = database.opening
      }
      return try body(database)
    }
  }

  /// Stores of earlier versions do not know how far their sources reach.
  private static func addPageOfSources(_ database: SQLiteDatabase) throws {
    func isThere() throws -> Bool {
      var isThere = false
      try database.run("SELECT 1 FROM pragma_table_info('sources') WHERE name = 'page'") { _ in
        isThere = true
      }
      return isThere
    }
    guard try !isThere() else { return }
    try database.transaction {
      // Another process may have been faster.
      guard try !isThere() else { return }
      try database.run("ALTER TABLE sources ADD COLUMN page INTEGER")
      try database.run("UPDATE sources SET page = (SELECT max(id) FROM pages)")
    }
  }

  /// The user's store.
  package static func ofUser() throws -> LogStore {
    LogStore(in: try SharedFolders.make(folder, in: try sharedFolders().data)) { line in
      let bytes = Array((line + "\n").utf8)
      _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
  }

  package static func sharedFolders() throws -> SharedFolders {
    guard let folders = SharedFolders.ofUser() else {
      throw BridgeError(.ioError, SharedFolders.missing("records"))
    }
    return folders
  }

  /// Does something in one transaction.
  private func write(_ body: (SQLiteDatabase) throws -> Void) throws {
    try use(.writing) { database in try database.transaction { try body(database) } }
  }

  // MARK: - Sources

  /// The source of a name, made if need be; `page` is the one that its first records come into.
  func source(_ name: String, app: String, pid: Int, page: Int) throws -> LogSource {
    if let known = try sources(where: "name = ?", [.text(name)]).first { return known }
    return try use(.writing) { database in
      try database.run(
        "INSERT INTO sources (name, app, pid, next, page) VALUES (?, ?, ?, 1, ?)",
        [.text(name), .text(app), .integer(Int64(pid)), .integer(Int64(page))])
      return LogSource(id: Int(database.lastRow), name: name, app: app, pid: pid, next: 1)
    }
  }

  func sources(where condition: String = "1", _ parameters: [SQLiteDatabase.Parameter] = []) throws
    -> [LogSource]
  {
    try use(.reading) { database in
      var sources: [LogSource] = []
      try database.run("SELECT id, name, app, pid, next FROM sources WHERE " + condition, parameters) { row in
        sources.append(
          LogSource(
            id: Int(row.integer(0)), name: row.text(1), app: row.text(2), pid: Int(row.integer(3)),
            next: Int(row.integer(4))))
      }
      return sources
    }
  }

  /// Forgets the sources of which no record is kept any more, but for those that are in use.
  func trimSources(butFor used: (String) -> Bool) throws {
    // The last number stays taken: a viewer that is open knows by it which source that was.
    let isOld = "page < (SELECT min(id) FROM pages) AND id < (SELECT max(id) FROM sources)"
    let old = try sources(where: isOld).filter { !used($0.name) }
    guard !old.isEmpty else { return }
    try write { database in
      for source in old {
        try database.run("DELETE FROM sources WHERE id = ?", [.integer(Int64(source.id))])
      }
    }
  }

  // MARK: - Pages

  /// Keeps pages, how far the sources are, and that others of these numbers have records, too, all at once.
  func commit(
    _ pages: [(summary: PageSummary, text: [UInt8])], _ sources: some Sequence<LogSource>,
    _ others: some Sequence<Int>
  ) throws {
    let last = SQLiteDatabase.Parameter.integer(Int64(pages.last?.summary.id ?? 0))
    try write { database in
      for (page, text) in pages {
        try database.run(
          """
          INSERT INTO pages VALUES (?, ?, ?, ?, ?, 0, ?)
          ON CONFLICT (id) DO UPDATE SET last = excluded.last, ranks = excluded.ranks, size = excluded.size,
            text = excluded.text
          """,
          [
            .integer(Int64(page.id)), .integer(Int64(page.begin)), .integer(Int64(page.end)),
            .text(page.ranks.map(String.init).joined(separator: ",")), .integer(Int64(page.bytes)),
            .blob(text),
          ])
      }
      for source in sources {
        // A mended store may have lost it.
        try database.run(
          """
          INSERT INTO sources (id, name, app, pid, next, page) VALUES (?, ?, ?, ?, ?, ?)
          ON CONFLICT (id) DO UPDATE SET next = excluded.next, page = excluded.page
          """,
          [
            .integer(Int64(source.id)), .text(source.name), .text(source.app), .integer(Int64(source.pid)),
            .integer(Int64(source.next)), last,
          ])
      }
      for id in others {
        try database.run("UPDATE sources SET page = ? WHERE id = ?", [last, .integer(Int64(id))])
      }
    }
  }

  func summaries(since: Int = 0) throws -> [PageSummary] {
    try use(.reading) { database in
      var pages: [PageSummary] = []
      try database.run(
        "SELECT id, first, last, ranks, size FROM pages WHERE last >= ? ORDER BY id",
        [.integer(Int64(since))]
      ) { row in
        var page = PageSummary(id: Int(row.integer(0)), begin: Int(row.integer(1)), end: Int(row.integer(2)))
        let ranks = row.text(3).split(separator: ",").map { Int($0) ?? 0 }
        if ranks.count == 7 { page.ranks = ranks }
        page.bytes = Int(row.integer(4))
        pages.append(page)
      }
      return pages
    }
  }

  func text(of page: Int) throws -> [UInt8] { try withText(of: page) { Array($0) } ?? [] }

  /// Calls `body` with a page's text where SQLite has it; nil when there is no such page.
  func withText<R>(of page: Int, _ body: (UnsafeBufferPointer<UInt8>) -> R) throws -> R? {
    try use(.reading) { database in
      var result: R?
      try database.run("SELECT text FROM pages WHERE id = ?", [.integer(Int64(page))]) { row in
        result = row.withBytes(0, body)
      }
      return result
    }
  }

  var lastPage: Int {
    get throws {
      try use(.reading) { database in
        var last = 0
        try database.run("SELECT max(id) FROM pages") { last = Int($0.integer(0)) }
        return last
      }
    }
  }

  // MARK: - Words

  /// Puts the words of some full pages into the index; false when all are in it.
  func indexSome(before page: Int, maximum: Int = 4) throws -> Bool {
    let pages = try use(.reading) { database in
      var pages: [(Int, String)] = []
      try database.run(
        "SELECT id, text FROM pages WHERE indexed = 0 AND id < ? ORDER BY id LIMIT \(maximum)",
        [.integer(Int64(page))]
      ) { row in pages.append((Int(row.integer(0)), String(decoding: row.blob(1) ?? [], as: UTF8.self))) }
      return pages
    }
    guard !pages.isEmpty else { return false }
    try write { database in
      for (id, text) in pages {
        try database.run("INSERT INTO words (rowid, text) VALUES (?, ?)", [.integer(Int64(id)), .text(text)])
        try database.run("UPDATE pages SET indexed = 1 WHERE id = ?", [.integer(Int64(id))])
      }
    }
    return true
  }

  /// The pages in which all these words stand, beside those that are not in the index yet.
  func pages(with words: [String]) throws -> Set<Int> {
    let query = words.map { "\"" + $0.replacing("\"", with: "\"\"") + "\"" }.joined(separator: " AND ")
    return try use(.reading) { database in
      var pages: Set<Int> = []
      try database.run("SELECT rowid FROM words WHERE words MATCH ?", [.text(query)]) {
        pages.insert(Int($0.integer(0)))
      }
      try database.run("SELECT id FROM pages WHERE indexed = 0") { pages.insert(Int($0.integer(0))) }
      return pages
    }
  }

  // MARK: - Bounds

  /// Takes the oldest pages away until the rest is small and young enough.
  func trim(bytes: Int, before oldest: Int) throws {
    try use(.writing) { try Self.trim($0, bytes: bytes, before: oldest) }
  }

  private static func trim(_ database: SQLiteDatabase, bytes: Int, before oldest: Int) throws {
    var total = 0
    try database.run("SELECT sum(size) FROM pages") { total = Int($0.integer(0)) }
    while true {
      var first: (id: Int, last: Int, size: Int, isIndexed: Bool)?
      try database.run("SELECT id, last, size, indexed FROM pages ORDER BY id LIMIT 1") { row in
        first = (Int(row.integer(0)), Int(row.integer(1)), Int(row.integer(2)), row.integer(3) != 0)
      }
      guard let first, total > bytes || first.last < oldest else { return }
      try database.transaction { try drop(first.id, isIndexed: first.isIndexed, from: database) }
      total -= first.size
    }
  }

  private static func drop(_ page: Int, isIndexed: Bool, from database: SQLiteDatabase) throws {
    let id = SQLiteDatabase.Parameter.integer(Int64(page))
    if isIndexed {
      var text = ""
      try database.run("SELECT text FROM pages WHERE id = ?", [id]) { row in
        text = String(decoding: row.blob(0) ?? [], as: UTF8.self)
      }
      try database.run("INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)", [id, .text(text)])
    }
    try database.run("DELETE FROM pages WHERE id = ?", [id])
  }
}
