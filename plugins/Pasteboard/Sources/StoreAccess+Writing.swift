// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeStore

/// A representation as the store takes it: one that is large, or is apart, is in a file already.
struct StoredRepresentation: Sendable {
  let type: ContentType
  let bytes: Bytes
  /// The file that holds the bytes, when they are not for the database.
  let file: String?
}

/// Changes of what is on a board.
extension StoreAccess {
  /// Writes items; nil when there is no such board and none was to be made.
  func write(_ options: WriteOptions, _ name: PasteboardName, _ items: [[StoredRepresentation]]) throws
    -> Written?
  {
    try change {
      try sweep()
      let size = items.reduce(0) { $0 + $1.reduce(0) { $0 + Int64($1.bytes.count) } }
      guard var board = try board(name) ?? made(name, options.create, unique: false) else {
        return nil
      }
      try own(&board, persistent: options.persistent, shared: options.shared)
      let adds = options.adds == true && board.content != 0
      let first = adds ? board.items : 0
      guard Int(first) + items.count <= PasteboardLimits.standard.items else {
        throw BridgeError(
          .tooLarge,
          """
          a pasteboard takes \(PasteboardLimits.standard.items) items; \
          '\(board.name)' would have \(Int(first) + items.count)
          """
        )
      }
      if try makeRoom(for: size, replacing: adds ? nil : board) { board.content = 0 }
      let change = board.change + 1
      if adds { try moveToEnd(&board) } else { try retire(board) }
      let rows = try insert(items, from: first)
      board.rows = adds ? StoredRows(first: board.rows.first, count: board.rows.count + rows.count) : rows
      let types = items.flatMap { $0.map(\.type.name) }
      board.types = adds ? board.types : []
      for type in types where !board.types.contains(type) { board.types.append(type) }
      board.items = first + Int64(items.count)
      board.bytes = (adds ? board.bytes : 0) + size
      (board.change, board.content) = (change, change)
      (board.at, board.source) = (now, store.source)
      mark(&board, options, adds)
      if board.isApart { try putApart(board.rows) }
      try put(board)
      try log(board, adds ? .added : .set, by: store.source)
      return Written(name: board.name, changeCount: Int(change))
    }
  }

  /// What a content is to leave behind, and how long it is there, holds for all of it: a writer that adds
  /// something may ask for more of that, and takes nothing of it from what other apps put there.
  private func mark(_ board: inout Board, _ options: WriteOptions, _ adds: Bool) {
    board.concealed = options.concealed == true || adds && board.concealed
    board.readOnce = options.readOnce == true || adds && board.readOnce
    let ends = [options.expiresAt.map(Milliseconds.of), adds ? board.expires : nil]
    board.expires = ends.compactMap(\.self).min()
  }

  /// A board that is there from now on; nil when there was none and none was to be made.
  func open(_ options: OpenOptions, _ name: PasteboardName) throws -> String? {
    try change {
      try sweep()
      guard var board = try board(name) ?? made(name, options.create, unique: options.unique) else {
        return nil
      }
      try own(&board, persistent: options.persistent, shared: options.shared)
      try put(board)
      return board.name
    }
  }

  private func made(_ name: PasteboardName, _ create: Bool?, unique: Bool?) throws -> Board? {
    if name.isGeneral { return Board(name: name.text, kind: .general) }
    guard create ?? true else { return nil }
    var board = Board(name: name.text, kind: unique == true ? .unique : .named)
    board.owner = store.source
    return board
  }

  /// A board that does not persist lives as long as the process of its owner that wrote to it last; the
  /// general one always does.
  private func own(_ board: inout Board, persistent: Bool?, shared: Bool?) throws {
    guard board.kind != .general else {
      guard persistent != false, shared != false else {
        throw BridgeError(.invalidParameter, "the general pasteboard is always persistent and shared")
      }
      return board.persistent = true
    }
    guard board.owner?.id == store.source.id else { return }
    guard board.kind != .unique || persistent != true else {
      throw BridgeError(
        .invalidParameter, "a unique pasteboard can't be persistent: nobody would know its name")
    }
    board.persistent = persistent ?? board.persistent
    board.shared = shared ?? board.shared
    if board.persistent {
      let mark = try store.mark()
      (board.presence, board.marker, board.mark) = (nil, mark.file, mark.text)
    } else {
      (board.presence, board.marker, board.mark) = (try store.presence.hold(in: places.presences), nil, nil)
    }
  }

  private func insert(_ items: [[StoredRepresentation]], from first: Int64) throws -> StoredRows {
    var rows = StoredRows()
    for (index, item) in items.enumerated() {
      for representation in item {
        let item = first + Int64(index), type = representation.type.name
        let isInline = representation.file == nil
        let filler = isInline ? Filler.size(item: item, type: type, bytes: representation.bytes.count) : 0
        try database.run(
          """
          INSERT INTO representations (item, type, size, file, filler, bytes) VALUES (?, ?, ?, ?, \
          zeroblob(?), ?)
          """,
          [
            .integer(item), .text(type), .integer(Int64(representation.bytes.count)),
            .optional(representation.file), .integer(Int64(filler)),
            isInline ? .bytes(representation.bytes) : .null,
          ])
        if rows.count == 0 { rows.first = database.lastRow }
        rows.count += 1
      }
    }
    return rows
  }

  /// Moves a content into files that are apart, as far as it is not there: something was added to what
  /// already was, or made that so.
  private func putApart(_ rows: StoredRows) throws {
    var inside: [(number: Int64, file: String?, bytes: Bytes?)] = []
    try database.run(
      "SELECT number, file, bytes FROM representations WHERE number BETWEEN ? AND ?",
      [.integer(rows.first), .integer(rows.last)]
    ) { row in
      if row.optionalText(1).map(BlobFolder.isApart) ?? false { return }
      inside.append((row.integer(0), row.optionalText(1), row.bytes(2)))
    }
    for (number, file, bytes) in inside {
      // A second name, as long as it is not sure that the first one goes.
      let apart =
        try file.map { try places.blobs.link($0) } ?? places.blobs.write(bytes ?? Bytes([]), isApart: true)
      outcome.made.append(apart)
      if let file { outcome.unused.append(file) }
      try database.run(
        "UPDATE representations SET file = ?, filler = NULL, bytes = NULL WHERE number = ?",
        [.text(apart), .integer(number)])
    }
  }

  /// Makes what is on a board the last rows of all, so that more can follow.
  private func moveToEnd(_ board: inout Board) throws {
    var last: Int64 = 0
    try database.run("SELECT max(number) FROM representations") { last = $0.integer(0) }
    let way = last - board.rows.last
    guard way > 0 else { return }
    let distance = last + 1 - board.rows.first
    try database.run(
      "UPDATE representations SET number = number + ? WHERE number BETWEEN ? AND ?",
      [.integer(distance), .integer(board.rows.first), .integer(board.rows.last)])
    board.rows.first += distance
  }
}
