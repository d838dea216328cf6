// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeStore

/// The store while a call uses it: boards are looked up, and go when what they live as long as is over.
final class StoreAccess {
  /// The work that is left to do when all is committed.
  struct Outcome {
    /// Whether watchers are to be woken.
    var hasChanged = false
    /// Files that nothing names any more.
    var unused: [String] = []
    /// Files that were written meanwhile, and are discarded if the call fails.
    var made: [String] = []
    /// When the oldest content was made that went, in milliseconds since 1970; nil when none went.
    var oldestGone: Int64?
    /// Owners that have ended.
    var presences: [String] = []
  }

  let database: SQLiteDatabase
  let store: PasteboardStore
  let places: PasteboardStore.Places
  var outcome = Outcome()
  private let purpose: SharedStore.Purpose
  private var isChanging = false
  let now = Milliseconds.now

  init(
    _ database: SQLiteDatabase, _ purpose: SharedStore.Purpose, _ store: PasteboardStore,
    _ places: PasteboardStore.Places
  ) {
    self.database = database
    self.purpose = purpose
    self.store = store
    self.places = places
  }

  /// A reader finds that something has to be changed: it comes again as a writer.
  struct NeedsWriting: Error {}

  /// Everything or nothing of it; what was to be done afterwards is forgotten with it.
  func change<R>(_ body: () throws -> R) throws -> R {
    if isChanging { return try body() }
    guard purpose == .writing else { throw NeedsWriting() }
    isChanging = true
    defer { isChanging = false }
    do {
      return try database.transaction {
        let result = try body()
        // Before another process can know that the content has gone, whatever ends this process then.
        if let oldest = outcome.oldestGone { places.removeAsides(since: oldest) }
        return result
      }
    } catch {
      places.blobs.discard(outcome.made)
      outcome = Outcome()
      throw error
    }
  }

  // MARK: - Boards

  /// A board that is there and may be seen, its content if that is not over. Throws `permission_denied` for
  /// one that its owner does not share.
  func board(_ name: PasteboardName) throws -> Board? {
    guard let board = try row(name.text) else { return nil }
    guard board.isAlive(places, own: store.presence.id), !board.isExpired(now) else {
      try change { try sweep() }
      return try row(name.text).map(seen)
    }
    return try seen(board)
  }

  private func seen(_ board: Board) throws -> Board {
    guard board.shared || board.owner?.id == store.source.id else {
      throw BridgeError(
        .permissionDenied, "the pasteboard '\(board.name)' is not shared by '\(board.owner?.id ?? "")'")
    }
    return board
  }

  func row(_ name: String) throws -> Board? {
    var found: Board?
    try database.run(Self.finding, [.text(name)]) {
      found = Board($0)
    }
    return found
  }

  func rows(_ condition: String = "1", _ parameters: [SQLiteDatabase.Parameter] = []) throws -> [Board] {
    var found: [Board] = []
    try database.run("SELECT \(Board.columns) FROM boards WHERE \(condition) ORDER BY name", parameters) {
      found.append(Board($0))
    }
    return found
  }

  func put(_ board: Board) throws { try database.run(Self.putting, board.parameters) }

  private static let putting =
    """
    INSERT OR REPLACE INTO boards (\(Board.columns)) VALUES \
    (?\(String(repeating: ", ?", count: Board.columnCount - 1)))
    """
  private static let finding = "SELECT \(Board.columns) FROM boards WHERE name = ?"

  /// The boards that are there and may be seen.
  func boards() throws -> [Board] {
    if try needsSweep() { try change { try sweep() } }
    return try rows().filter { $0.shared || $0.owner?.id == store.source.id }
  }

  // MARK: - What goes by itself

  /// Takes away contents that expired and boards whose owner has ended.
  func sweep() throws {
    for board in try endingBoards() {
      if !board.isAlive(places, own: store.presence.id) {
        try remove(board, by: nil)
        if let presence = board.presence { outcome.presences.append(presence) }
      } else if board.isExpired(now) {
        try empty(board, .expired, by: nil)
      }
    }
  }

  /// Boards that may go by themselves.
  private func endingBoards() throws -> [Board] { try rows(Self.ending, [.integer(now)]) }

  private static let ending = "expires <= ? OR presence IS NOT NULL OR marker IS NOT NULL"

  func removeBoards(ofOwner presence: String) throws {
    try change {
      for board in try rows("presence = ?", [.text(presence)]) { try remove(board, by: store.source) }
    }
  }

  /// Whether there are such contents or boards that no process has noticed.
  func needsSweep() throws -> Bool {
    try endingBoards().contains { $0.isExpired(now) || !$0.isAlive(places, own: store.presence.id) }
  }

  /// When the next content is over.
  func nextExpiry() throws -> Int64? {
    var next: Int64?
    try database.run("SELECT min(expires) FROM boards") { next = $0.isNull(0) ? nil : $0.integer(0) }
    return next
  }

  /// Takes away files that no row names; see ``BlobFolder/sweep(keeping:since:)``.
  func sweepFiles() throws -> Bool {
    var named: Set<String> = []
    try database.run("SELECT file FROM representations WHERE file IS NOT NULL") { named.insert($0.text(0)) }
    return try places.blobs.sweep(keeping: named, since: places.latestAside)
  }
}
