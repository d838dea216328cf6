// SPDX-License-Identifier: MIT

internal import NBridgeStore

/// The database's tables.
///
/// Pages are small, because a change writes each of them whole, and a content takes some of its own: see
/// ``Filler``.
enum PasteboardLayout {
  static let layout = StoreLayout(
    content: "the pasteboards", fileName: "pasteboards.db", version: 2, earlier: [1], statements: statements,
    tables: ["boards", "history", "representations", "changes"], counted: "boards",
    // Deleted data is overwritten; nothing of it goes into files of SQLite's own.
    pragmas: ["PRAGMA secure_delete=ON", "PRAGMA temp_store=MEMORY"], checkpoints: false,
    pageSize: Filler.pageSize, cleaning: [unreachable], adapt: adapted)

  private static let unreachable = """
    DELETE FROM representations WHERE
      NOT EXISTS (SELECT 1 FROM boards WHERE representations.number BETWEEN first AND first + count - 1)
      AND NOT EXISTS (SELECT 1 FROM history WHERE representations.number BETWEEN first AND first + count - 1)
    """

  /// Version 1 had no filler.
  private static func adapted(_ table: String, _ row: [SQLiteDatabase.Parameter])
    -> [SQLiteDatabase.Parameter]
  {
    guard table == "representations", row.count == 6, case .integer(let item) = row[1],
      case .text(let type) = row[2], case .integer(let size) = row[3]
    else { return row }
    let isInFile = if case .text = row[4] { true } else { false }
    let filler = isInFile ? 0 : Filler.size(item: item, type: type, bytes: Int(size))
    return row[..<5] + [.blob(Array(repeating: 0, count: filler)), row[5]]
  }

  /// `owner` of a change is the only app that may hear of it. `content` is the change that made what is on a
  /// board now, 0 for an empty one. Its representations are `count` rows from `first` on: a table with plain
  /// row numbers, because rows of one without them that have over a quarter page spill into pages of their
  /// own. `marker` is a file in the owner's container, and `mark` what it says. Times are milliseconds since
  /// 1970.
  private static let statements = [
    """
    CREATE TABLE IF NOT EXISTS boards (
      name TEXT PRIMARY KEY, kind TEXT NOT NULL, persistent INTEGER NOT NULL, shared INTEGER NOT NULL,
      owner TEXT, owner_name TEXT, presence TEXT, marker TEXT, mark TEXT,
      change INTEGER NOT NULL, content INTEGER NOT NULL, items INTEGER NOT NULL, types TEXT NOT NULL, \
    bytes INTEGER NOT NULL,
      at INTEGER, source TEXT, source_name TEXT, expires INTEGER, once INTEGER NOT NULL, \
    concealed INTEGER NOT NULL,
      first INTEGER NOT NULL, count INTEGER NOT NULL
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE IF NOT EXISTS representations (
      number INTEGER PRIMARY KEY, item INTEGER NOT NULL, type TEXT NOT NULL, size INTEGER NOT NULL, file TEXT,
      filler BLOB, bytes BLOB
    )
    """,
    """
    CREATE TABLE IF NOT EXISTS history (
      board TEXT NOT NULL, content INTEGER NOT NULL, at INTEGER NOT NULL, source TEXT NOT NULL, \
    source_name TEXT NOT NULL,
      types TEXT NOT NULL, items INTEGER NOT NULL, bytes INTEGER NOT NULL, first INTEGER NOT NULL, \
    count INTEGER NOT NULL,
      PRIMARY KEY (board, content)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE IF NOT EXISTS changes (
      number INTEGER PRIMARY KEY, board TEXT NOT NULL, change INTEGER NOT NULL, kind TEXT NOT NULL, \
    types TEXT NOT NULL,
      source TEXT, source_name TEXT, process TEXT, at INTEGER NOT NULL, owner TEXT
    )
    """,
  ]
}
