// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeStore

/// Reading what is on a board.
extension StoreAccess {
  /// A representation whose bytes may still be in a file.
  struct Found: Sendable {
    let item: Int
    let type: String
    let size: Int
    let file: String?
    let bytes: Bytes?
  }

  /// The content of a board; nil when there is no board, nothing on it, or nothing of that type.
  func read(_ options: ReadOptions, _ name: PasteboardName, _ type: ContentType?, mayLoad: Bool) throws -> (
    change: Int64, found: [Found]
  )? {
    guard let board = try board(name) else { return nil }
    let onlyFirst = options.first == true
    if let earlier = options.changeCount.map(Int64.init), earlier != board.content {
      guard let rows = try rowsInHistory(board.name, earlier) else { return nil }
      return (earlier, try representations(rows, type, onlyFirst: onlyFirst))
    }
    guard board.content != 0 else { return nil }
    guard board.readOnce else {
      return (board.content, try representations(board.rows, type, onlyFirst: onlyFirst))
    }
    return try readOnce(options, name, type, mayLoad: mayLoad)
  }

  /// The first reader gets the content, and it is gone for all others: in one transaction.
  private func readOnce(_ options: ReadOptions, _ name: PasteboardName, _ type: ContentType?, mayLoad: Bool)
    throws -> (
      change: Int64, found: [Found]
    )?
  {
    try change {
      guard let board = try board(name), board.content != 0 else { return nil }
      let found = try representations(board.rows, type, onlyFirst: options.first == true)
      // Another app may have put something else there meanwhile.
      guard board.readOnce, !found.isEmpty else { return (board.content, found) }
      guard mayLoad || found.allSatisfy({ $0.file == nil }) else { throw TooMuchForNow() }
      // Its files are read before they are removed.
      let whole = try found.map { try loaded($0) }
      try empty(board, .read, by: store.source)
      return (board.content, whole)
    }
  }

  /// Large files would have to be read on the engine's thread.
  struct TooMuchForNow: Error {}

  private func representations(_ rows: StoredRows, _ type: ContentType?, onlyFirst: Bool) throws -> [Found] {
    var found: [Found] = []
    let condition = (type == nil ? "" : " AND type = ?") + (onlyFirst ? " AND item = 0" : "")
    try database.run(
      """
      SELECT item, type, size, file, bytes FROM representations WHERE number BETWEEN ? AND ?\(condition) \
      ORDER BY number
      """,
      [.integer(rows.first), .integer(rows.last)] + (type.map { [.text($0.name)] } ?? [])
    ) { row in
      found.append(
        Found(
          item: Int(row.integer(0)), type: row.text(1), size: Int(row.integer(2)), file: row.optionalText(3),
          bytes: row.bytes(4)))
    }
    return found
  }

  private func loaded(_ found: Found) throws -> Found {
    guard let file = found.file else { return found }
    return Found(
      item: found.item, type: found.type, size: found.size, file: nil,
      bytes: try places.blobs.read(file, size: found.size))
  }

  /// The kinds of text among what a board holds.
  func patterns(_ name: PasteboardName) throws -> [PatternKind] {
    guard let board = try board(name), board.content != 0 else { return [] }
    var kinds: Set<PatternKind> = []
    for found in try representations(board.rows, nil, onlyFirst: false)
    where found.type == ContentType.text.name || found.type == ContentType.uriList.name {
      guard let bytes = try loaded(found).bytes else { continue }
      kinds.formUnion(bytes.withUnsafeBytes { PatternDetector.detect($0) })
    }
    return PatternKind.allCases.filter(kinds.contains)
  }
}
