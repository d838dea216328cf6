// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgePlugin
internal import NBridgeStore
internal import NBridgeSystem
internal import Synchronization

/// Wakes this process's watches when any process changes a pasteboard, and takes away what is over: contents
/// at their time, boards when their owner's presence is closed, and out of the files what has gone. One
/// thread, which sleeps in between.
final class ChangeFeed: Sendable {
  private let store: PasteboardStore
  private let watcher: FolderWatcher
  private let readers = Mutex<[Int: AsyncStream<Void>.Continuation]>([:])
  private let nextID = Atomic<Int>(0)
  /// When what has gone is taken out of the files, in milliseconds of the monotonic clock.
  private let due = Mutex<(time: Int64?, pause: Int64)>((now + Erasure.delay, Erasure.pause))

  init(_ store: PasteboardStore) throws {
    self.store = store
    let places = try store.places()
    // Watches two folders: a writer touches its file in the first, and a file in the second is closed by its
    // owner's end, as only the owner opens it to write.
    watcher = try FolderWatcher([(places.notices, IN_MODIFY), (places.presences, IN_CLOSE_WRITE)]) {
      // Another program took the folders away: they are made anew, so that the next writer is heard.
      _ = try? store.places()
    }
    watcher.start("nb-pasteboards") { [weak self] events in self?.look(events) }
  }

  /// Wakes a watch from now on; it has a look at once.
  func wakeups() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let id = nextID.add(1, ordering: .relaxed).newValue
    readers.withLock { $0[id] = continuation }
    continuation.onTermination = { [weak self] _ in _ = self?.readers.withLock { $0.removeValue(forKey: id) }
    }
    watcher.wake()
    return stream
  }

  func stop() {
    watcher.stop()
    for reader in readers.withLock({ Array($0.values) }) { reader.finish() }
  }

  private static var now: Int64 { Int64(g_get_monotonic_time() / 1000) }

  /// Answers in how many milliseconds something is to be done.
  private func look(_ events: [FolderWatcher.Event]) -> Int? {
    let closed = events.filter { $0.mask & UInt32(IN_CLOSE_WRITE) != 0 }
    if !closed.isEmpty, let places = try? store.places() {
      for event in closed { OwnerLock.waitForEnd(event.name, in: places.presences) }
    }
    let next = try? store.wait { access -> Int64? in
      if try access.needsSweep() { try access.change { try access.sweep() } }
      return try access.nextExpiry()
    }
    let all = readers.withLock { Array($0.values) }
    for reader in all { reader.yield() }
    let untilExpiry = (next ?? nil).map { Int(clamping: max(0, $0 - Milliseconds.now) + 1) }
    guard let untilErasing = eraseWhenDue() else { return untilExpiry }
    let wait = min(untilErasing, untilExpiry ?? .max)
    guard all.isEmpty else { return wait }
    // No watch is to be woken: of many changes in a row each would cost its writer something.
    watcher.rest(wait)
    return 0
  }

  /// Answers in how many milliseconds it is to be done; nil for not at all.
  private func eraseWhenDue() -> Int? {
    due.withLock { due in
      if due.time == nil, store.hasLog {
        due.time = Self.now + (store.takeOwnChange() ? Erasure.delay : Erasure.delayForOthers)
      }
      guard let time = due.time else { return nil }
      if Self.now < time { return Int(time - Self.now) }
      if store.erase() {
        due = (nil, Erasure.pause)
        return nil
      }
      defer { due.pause = min(2 * due.pause, Erasure.longestPause) }
      due.time = Self.now + due.pause
      return Int(due.pause)
    }
  }
}

/// The changes of one pasteboard or of all, in order. Each watch reads the store's list from where it stands,
/// so one that is slow holds nothing up and keeps nothing in memory; what has left the list by then is told
/// as a number.
struct PasteboardChanges: AsyncSequence, Sendable {
  let store: PasteboardStore
  let feed: ChangeFeed
  /// Nil for all.
  let name: String?
  let start: ChangeStart

  func makeAsyncIterator() -> Iterator {
    Iterator(store: store, name: name, start: start, wakeups: feed.wakeups().makeAsyncIterator())
  }

  struct Iterator: AsyncIteratorProtocol {
    let store: PasteboardStore
    let name: String?
    let start: ChangeStart
    private var place: ChangePlace?
    private var wakeups: AsyncStream<Void>.AsyncIterator
    private var waiting: ArraySlice<PasteboardChange> = []

    init(
      store: PasteboardStore, name: String?, start: ChangeStart, wakeups: AsyncStream<Void>.AsyncIterator
    ) {
      (self.store, self.name, self.start, self.wakeups) = (store, name, start, wakeups)
    }

    mutating func next() async throws -> PasteboardChange? { try await next(isolation: nil) }

    mutating func next(isolation actor: isolated (any Actor)?) async throws -> PasteboardChange? {
      while true {
        if let change = waiting.popFirst() { return change }
        if place == nil { place = try await start.place(store, isolation: actor) }
        guard let place else { return nil }
        let name = name
        let read = try await store.perform(isSmall: true, isolation: actor) {
          try $0.changes(of: name, after: place)
        }
        (waiting, self.place) = (read.changes[...], read.place)
        // A whole page of others' changes may have more behind it.
        if waiting.isEmpty, !read.hasMore, await wakeups.next(isolation: actor) == nil { return nil }
      }
    }
  }
}

/// Where a watch begins: looked up when the watch is made, or in its turn among the calls of the script if
/// another process writes at that moment.
final class ChangeStart: Sendable {
  private let found = Mutex<Result<ChangePlace, any Error>?>(nil)

  init(_ store: PasteboardStore, of name: String?) throws {
    let place = try store.performSoon(
      { try $0.newestChange(of: name) },
      later: { [self] place in
        found.withLock { $0 = place }
      })
    if let place { found.withLock { $0 = .success(place) } }
  }

  func place(_ store: PasteboardStore, isolation: isolated (any Actor)?) async throws -> ChangePlace? {
    if let known = found.withLock({ $0 }) { return try known.get() }
    // Behind it in the queue.
    try await store.perform(isSmall: false, isolation: isolation) { _ in }
    return try found.withLock { $0 }?.get()
  }
}

/// How far a watch has read the changes.
struct ChangePlace: Sendable {
  /// The last change in the store's list.
  var number: Int64
  /// The last change of each board.
  var counts: [String: Int64]
}

extension StoreAccess {
  /// At most so many changes are read at once.
  private static let pageSize = 256

  /// Where a watch begins.
  func newestChange(of name: String?) throws -> ChangePlace {
    var place = ChangePlace(number: 0, counts: [:])
    place.number = try newestNumber()
    for board in try rows() where name == nil || board.name == name {
      place.counts[board.name] = board.change
    }
    return place
  }

  func changes(of name: String?, after place: ChangePlace) throws -> (
    changes: [PasteboardChange], place: ChangePlace, hasMore: Bool
  ) {
    var place = place
    // A new store begins its numbers anew.
    if try newestNumber() < place.number { place = ChangePlace(number: 0, counts: [:]) }
    var changes: [PasteboardChange] = []
    var rows = 0
    try database.run(
      """
      SELECT number, board, change, kind, types, source, source_name, process, at, owner FROM changes
      WHERE number > ? ORDER BY number LIMIT \(Self.pageSize)
      """, [.integer(place.number)]
    ) { row in
      rows += 1
      place.number = row.integer(0)
      if let owner = row.optionalText(9), owner != store.source.id { return }
      let change = Self.change(row, own: store.process)
      guard name == nil || change.name == name else { return }
      changes.append(Self.counted(change, &place))
    }
    return (changes, place, rows == Self.pageSize)
  }

  /// With how many went before it untold.
  private static func counted(_ change: PasteboardChange, _ place: inout ChangePlace) -> PasteboardChange {
    var change = change
    let last = place.counts[change.name] ?? 0
    change.coalesced = max(0, change.changeCount &- Int(last) &- 1)
    place.counts[change.name] = change.change == .removed ? nil : Int64(change.changeCount)
    return change
  }

  private func newestNumber() throws -> Int64 {
    var number: Int64 = 0
    try database.run("SELECT coalesce(max(number), 0) FROM changes") { number = $0.integer(0) }
    return number
  }

  private static func change(_ row: SQLiteDatabase.Row, own process: String) -> PasteboardChange {
    PasteboardChange(
      name: row.text(1), changeCount: Int(row.integer(2)), change: .init(rawValue: row.text(3)) ?? .set,
      types: TypeList.split(row.text(4)),
      source: row.optionalText(5).map { Source(id: $0, name: row.text(6)) },
      isOwn: row.optionalText(7) == process, at: Milliseconds.date(row.integer(8)), coalesced: 0)
  }
}
