// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import Synchronization

/// The icons in the desktop's tray that pages asked for: a program has one, and a second while it takes the
/// place of the first. Each belongs to a page's session, and goes with it. Usable from any thread.
final class TrayList: Sendable {
  private struct Tray {
    let window: Int
    let session: UInt32
    var readers: [Int: AsyncStream<TrayEvent>.Continuation] = [:]
    /// What came before anybody asked for events.
    var unread: [TrayEvent] = []
  }

  private struct State {
    /// Of trays and readers: none is used twice.
    var last = 0
    var trays: [Int: Tray] = [:]

    mutating func next() -> Int {
      last += 1
      return last
    }
  }

  private let state = Mutex(State())
  /// So many events wait for a reader; then the oldest are dropped.
  private static let unreadLimit = 256

  /// One that a page of a window asks for. Answers its number.
  func add(window: Int, session: UInt32) -> Int {
    state.withLock { state in
      let number = state.next()
      state.trays[number] = Tray(window: window, session: session)
      return number
    }
  }

  /// It is there, and takes the place of those before it. False when it was taken away meanwhile.
  func arrived(_ number: Int) -> Bool {
    let isHere = state.withLock { $0.trays[number] != nil }
    if isHere { remove { other, _, _ in other < number } }
    return isHere
  }

  /// The window whose page has it.
  ///
  /// - Throws: `closed` when it has gone.
  func window(of number: Int) throws -> Int {
    guard let window = state.withLock({ $0.trays[number]?.window }) else { throw Self.closed }
    return window
  }

  // MARK: - They go

  /// One goes.
  func remove(_ number: Int) { remove { other, _, _ in other == number } }

  /// Those of a session go. Answers their numbers, and their windows.
  func remove(session: UInt32) -> [(tray: Int, window: Int)] { remove { _, _, other in other == session } }

  /// Those of a window go.
  func remove(window: Int) { remove { _, other, _ in other == window } }

  /// - Parameter isGone: asked with number, window and session.
  @discardableResult private func remove(
    where isGone: (Int, Int, UInt32) -> Bool
  ) -> [(tray: Int, window: Int)] {
    let gone = state.withLock { state in
      let gone = state.trays.filter { isGone($0.key, $0.value.window, $0.value.session) }
      for number in gone.keys { state.trays[number] = nil }
      return gone
    }
    for reader in gone.values.flatMap(\.readers.values) {
      reader.yield(TrayEvent(.closed))
      reader.finish()
    }
    return gone.map { ($0.key, $0.value.window) }
  }

  // MARK: - What happens to them

  /// Takes an event of one. What is none, and of one that has gone, is passed over.
  func take(_ message: [String: String]) {
    guard let event = TrayEvent(message), let number = message["tray"].flatMap({ Int($0) }) else { return }
    let readers = state.withLock { state in
      let readers = state.trays[number]?.readers ?? [:]
      if readers.isEmpty, let unread = state.trays[number]?.unread {
        state.trays[number]?.unread = unread.suffix(Self.unreadLimit - 1) + [event]
      }
      return readers
    }
    for reader in readers.values { reader.yield(event) }
  }

  /// What happens to one from now on, and what nobody has been told yet.
  ///
  /// - Throws: `closed` when it has gone.
  func events(of number: Int) throws -> AsyncStream<TrayEvent> {
    let (stream, reader) = AsyncStream.makeStream(
      of: TrayEvent.self, bufferingPolicy: .bufferingNewest(Self.unreadLimit))
    let id = try state.withLock { state in
      guard let unread = state.trays[number]?.unread else { throw Self.closed }
      let id = state.next()
      state.trays[number]?.readers[id] = reader
      for event in unread { reader.yield(event) }
      state.trays[number]?.unread = []
      return id
    }
    reader.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.trays[number]?.readers.removeValue(forKey: id) }
    }
    return stream
  }

  static let closed = BridgeError(
    .closed, "the tray has been closed: by its script, with its page, or since another one was made")
}

extension WindowSeat {
  /// Puts an icon into the desktop's tray for a session's page, in the place of the program's other one.
  /// Answers its number.
  ///
  /// - Throws: `unavailable` where the desktop has no tray.
  func openTray(_ fields: [String: String], for session: UInt32) async throws -> Int {
    let window = window(of: session)
    let tray = trays.add(window: window, session: session)
    do {
      _ = try await ask("tray", fields.merging(["tray": "\(tray)"]) { $1 }, in: window)
      // The page may have gone before the list had it, or while it was awaited.
      guard isJoined(session), trays.arrived(tray) else { throw TrayList.closed }
      return tray
    } catch {
      trays.remove(tray)
      takeAway(tray, of: window)
      throw error
    }
  }

  /// Changes one.
  ///
  /// - Throws: `closed` when it has gone.
  func setTray(_ tray: Int, _ fields: [String: String]) async throws {
    _ = try await ask("setTray", fields.merging(["tray": "\(tray)"]) { $1 }, in: trays.window(of: tray))
  }

  /// Takes one away; does nothing when it has gone.
  func closeTray(_ tray: Int) {
    guard let window = try? trays.window(of: tray) else { return }
    trays.remove(tray)
    takeAway(tray, of: window)
  }

  /// Tells the windows' program, which answers, but nobody waits.
  func takeAway(_ tray: Int, of window: Int) {
    say(["do": "closeTray", "tray": "\(tray)", "window": "\(window)"])
  }
}
