// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeStore

/// Contents and boards that come to an end, and the watchers that hear of it.
extension StoreAccess {
  /// Takes what is on a board away.
  func clear(_ name: PasteboardName) throws -> Int64 {
    try change {
      try sweep()
      guard let board = try board(name) else { return 0 }
      return try empty(board, .cleared, by: store.source)
    }
  }

  @discardableResult
  func empty(_ board: Board, _ kind: PasteboardChange.Kind, by source: Source?) throws -> Int64 {
    guard board.content != 0 else { return board.change }
    try drop(board)
    var board = board
    board.change += 1
    (board.content, board.items, board.types, board.bytes, board.rows) = (0, 0, [], 0, StoredRows())
    (board.expires, board.readOnce, board.concealed) = (nil, false, false)
    (board.at, board.source) = (now, source ?? board.source)
    try put(board)
    try log(board, kind, by: source)
    return board.change
  }

  /// Takes a board away, its history too.
  func remove(_ name: PasteboardName) throws -> Bool {
    guard !name.isGeneral else {
      throw BridgeError(.invalidParameter, "the general pasteboard can't be removed; clear() empties it")
    }
    return try change {
      try sweep()
      guard let board = try board(name) else { return false }
      guard board.owner?.id == store.source.id else {
        throw BridgeError(
          .permissionDenied,
          "the pasteboard '\(board.name)' is '\(board.owner?.id ?? "")'s; only its owner can remove it")
      }
      try remove(board, by: store.source)
      return true
    }
  }

  func remove(_ board: Board, by source: Source?) throws {
    var board = board
    try dropHistory(of: board.name)
    if board.content != 0 { try drop(board) }
    try database.run("DELETE FROM boards WHERE name = ?", [.text(board.name)])
    board.change += 1
    board.types = []
    try log(board, .removed, by: source)
  }

  /// Takes the representations away of what is on a board.
  func drop(_ board: Board) throws {
    // A part of a content that was added to may be older.
    try drop(board.rows, madeAt: board.items > 1 ? 0 : board.at ?? 0)
  }

  /// Takes a content's representations away.
  func drop(_ rows: StoredRows, madeAt time: Int64) throws {
    outcome.oldestGone = min(outcome.oldestGone ?? time, time)
    try database.run(
      "DELETE FROM representations WHERE number BETWEEN ? AND ? RETURNING file",
      [.integer(rows.first), .integer(rows.last)]
    ) { [self] row in row.optionalText(0).map { outcome.unused.append($0) } }
  }

  // MARK: - Notice

  private static let batch: Int64 = 256

  /// Tells watchers of a change. They read what came after the last they saw, so old ones can go.
  func log(_ board: Board, _ kind: PasteboardChange.Kind, by source: Source?) throws {
    outcome.hasChanged = true
    try database.run(
      """
      INSERT INTO changes (board, change, kind, types, source, source_name, process, at, owner)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .text(board.name), .integer(board.change), .text(kind.rawValue), .text(TypeList.join(board.types)),
        .optional(source?.id), .optional(source?.name), .optional(source.map { _ in store.process }),
        .integer(now), .optional(board.shared ? nil : board.owner?.id),
      ])
    // Many at once: each deletion at the list's other end would write one page more.
    guard database.lastRow % Self.batch == 0 else { return }
    try database.run(
      "DELETE FROM changes WHERE number <= ?",
      [.integer(database.lastRow - Int64(PasteboardLimits.standard.changes))])
  }
}
