// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeStore

/// Earlier contents of the general pasteboard. What is concealed, read once or expires never gets there.
extension StoreAccess {
  /// Takes the content away to make place for another: into the history, where there is one.
  func retire(_ board: Board) throws {
    guard board.content != 0 else { return }
    let isKept = board.kind == .general && !board.concealed && !board.readOnce && board.expires == nil
    guard isKept else { return try drop(board) }
    try database.run(
      """
      INSERT INTO history (board, content, at, source, source_name, types, items, bytes, first, count) \
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .text(board.name), .integer(board.content), .integer(board.at ?? now), .text(board.source?.id ?? ""),
        .text(board.source?.name ?? ""), .text(TypeList.join(board.types)), .integer(board.items),
        .integer(board.bytes), .integer(board.rows.first), .integer(board.rows.count),
      ])
    // Older ones than are shown go many at once, which writes fewer pages; the last of them with
    // ``trimHistory()``.
    if board.change % Int64(Self.shown) == 0 { try trimHistory() }
  }

  /// Drops what is not shown any more.
  func trimHistory() throws {
    for content in try contents(of: PasteboardName.general, from: Self.shown) {
      try forget(PasteboardName.general, content)
    }
  }

  /// Whether the history holds contents that are not shown any more.
  func needsTrim() throws -> Bool {
    try !contents(of: PasteboardName.general, from: Self.shown, limit: 1).isEmpty
  }

  private static let shown = PasteboardLimits.standard.history

  /// The latest first.
  private func contents(of board: String, from first: Int = 0, limit: Int = -1) throws -> [Int64] {
    var found: [Int64] = []
    try database.run(
      "SELECT content FROM history WHERE board = ? ORDER BY content DESC LIMIT ? OFFSET ?",
      [.text(board), .integer(Int64(limit)), .integer(Int64(first))]
    ) { found.append($0.integer(0)) }
    return found
  }

  func history(_ name: PasteboardName) throws -> [HistoryEntry] {
    guard try board(name) != nil else { return [] }
    var entries: [HistoryEntry] = []
    try database.run(
      """
      SELECT content, at, source, source_name, types, items, bytes FROM history WHERE board = ? ORDER BY \
      content DESC LIMIT ?
      """,
      [.text(name.text), .integer(Int64(Self.shown))]
    ) { row in
      entries.append(
        HistoryEntry(
          changeCount: Int(row.integer(0)), changedAt: Milliseconds.date(row.integer(1)),
          source: Source(id: row.text(2), name: row.text(3)), types: TypeList.split(row.text(4)),
          items: Int(row.integer(5)), bytes: Int(row.integer(6))))
    }
    return entries
  }

  /// The rows of an earlier content; nil when it is not kept any more.
  func rowsInHistory(_ board: String, _ content: Int64) throws -> StoredRows? {
    guard try contents(of: board, limit: Self.shown).contains(content) else { return nil }
    var found: StoredRows?
    try database.run(
      "SELECT first, count FROM history WHERE board = ? AND content = ?", [.text(board), .integer(content)]
    ) { found = StoredRows(first: Board.count($0.integer(0)), count: Board.count($0.integer(1))) }
    return found
  }

  /// Answers how many entries there were.
  @discardableResult
  func dropHistory(of board: String) throws -> Int {
    let all = try contents(of: board)
    for content in all { try forget(board, content) }
    return min(all.count, Self.shown)
  }

  private func forget(_ board: String, _ content: Int64) throws {
    var gone: [(rows: StoredRows, at: Int64)] = []
    try database.run(
      "DELETE FROM history WHERE board = ? AND content = ? RETURNING first, count, at, items",
      [.text(board), .integer(content)]
    ) { row in
      gone.append(
        (
          StoredRows(first: Board.count(row.integer(0)), count: Board.count(row.integer(1))),
          row.integer(3) > 1 ? 0 : row.integer(2)
        ))
    }
    for content in gone { try drop(content.rows, madeAt: content.at) }
  }

  /// Makes room for `size` bytes more: the oldest of the history go for it, never a board's present content.
  /// Answers whether the content that is to be replaced had to go at once, because the history has no room
  /// for it.
  func makeRoom(for size: Int64, replacing board: Board?) throws -> Bool {
    let limit = Int64(PasteboardLimits.standard.totalBytes)
    let replaced = board.map { $0.kind == .general ? 0 : $0.bytes } ?? 0
    while try total() - replaced + size > limit {
      var oldest: (String, Int64)?
      try database.run("SELECT board, content FROM history ORDER BY at LIMIT 1") {
        oldest = ($0.text(0), $0.integer(1))
      }
      if let (board, content) = oldest {
        try forget(board, content)
      } else if let board, board.kind == .general, board.bytes > 0, try total() - board.bytes + size <= limit
      {
        try drop(board)
        return true
      } else {
        throw BridgeError(
          .tooLarge,
          """
          all pasteboards together take \(limit) bytes; there are \(try total()) and \(size) would come to \
          them (pasteboard.list() tells where)
          """
        )
      }
    }
    return false
  }

  private func total() throws -> Int64 {
    var bytes: Int64 = 0
    try database.run("SELECT (SELECT total(bytes) FROM boards) + (SELECT total(bytes) FROM history)") {
      bytes = min($0.integer(0), 1 << 53)
    }
    return bytes
  }
}
