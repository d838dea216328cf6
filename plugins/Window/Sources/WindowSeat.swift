// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import Synchronization

/// The way from the plugin to the windows that show the program's pages, and back; there is none until one is
/// there. Messages both ways are names with texts. Usable from any thread.
package final class WindowSeat: Sendable {
  /// A window, as those who watch it have it.
  private struct Watched {
    var readers: [Int: AsyncStream<WindowEvent>.Continuation] = [:]
    /// What came before anybody asked for events, as what the program was started with.
    var unread: [WindowEvent] = []
  }

  private struct Waiting {
    let window: Int
    let continuation: CheckedContinuation<[String: String], any Error>
  }

  private struct State {
    var send: (@Sendable ([String: String]) -> Void)?
    var isOver = false
    var last = 0
    var waiting: [Int: Waiting] = [:]
    /// By their numbers. The first has events before it is there.
    var windows = [WindowSeat.first: Watched()]
    /// The windows that show the pages of sessions.
    var sessions: [UInt32: Int] = [:]

    /// What is asked of no window is asked of the one that is there longest.
    var oldest: Int { windows.keys.min() ?? WindowSeat.first }
  }

  private let state = Mutex(State())
  /// The icons in the desktop's tray.
  let trays = TrayList()
  /// Who waits for files that are dropped.
  let dropReaders = DropReaders()
  /// The number of the window that a program begins with.
  package static let first = 1
  /// So many events wait for a reader; then the oldest are dropped.
  private static let unreadLimit = 256

  package init() {}

  // MARK: - Windows come and go

  /// The first window is there.
  ///
  /// - Parameter send: gives messages to the windows; called on any thread.
  package func connect(_ send: @escaping @Sendable ([String: String]) -> Void) {
    state.withLock { $0.send = send }
  }

  /// Another one is there.
  package func opened(_ window: Int) { state.withLock { $0.windows[window] = Watched() } }

  /// A window shows the page of a session, whose calls are about that one from now on.
  package func joined(_ window: Int, session: UInt32) { state.withLock { $0.sessions[session] = window } }

  /// Whether a window shows the page of a session.
  func isJoined(_ session: UInt32) -> Bool { state.withLock { $0.sessions[session] != nil } }

  /// That session has ended, and its page's icon in the tray goes with it.
  package func left(session: UInt32) {
    state.withLock { $0.sessions[session] = nil }
    for (tray, window) in trays.remove(session: session) { takeAway(tray, of: window) }
  }

  /// All have gone: what waits for them hears `closed`, and so does who asks from now on.
  package func disconnect() {
    let windows = state.withLock { state in
      (state.isOver, state.send) = (true, nil)
      return Array(state.windows.keys)
    }
    for window in windows { end(window) }
  }

  /// One has gone: what waits for it hears `closed`.
  private func end(_ window: Int) {
    let (waiting, watched) = state.withLock { state in
      let waiting = state.waiting.filter { $0.value.window == window }
      for number in waiting.keys { state.waiting[number] = nil }
      return (waiting.values.map(\.continuation), state.windows.removeValue(forKey: window))
    }
    for continuation in waiting { continuation.resume(throwing: Self.closed) }
    for reader in watched?.readers.values.map(\.self) ?? [] { reader.finish() }
    // Its program has taken them away already.
    trays.remove(window: window)
    dropReaders.end(window)
  }

  /// The one that a session's calls are about.
  func window(of session: UInt32) -> Int { state.withLock { $0.sessions[session] ?? $0.oldest } }

  // MARK: - What windows say

  /// Takes what they say: an answer, which has the `answer` of a question, or an event.
  package func take(_ message: [String: String]) {
    if let number = message["answer"].flatMap({ Int($0) }) {
      let waiting = state.withLock { $0.waiting.removeValue(forKey: number) }
      if let reason = message["error"] {
        let code = message["code"].map { BridgeError.Code($0) } ?? .invalidParameter
        waiting?.continuation.resume(throwing: BridgeError(code, reason))
      } else {
        waiting?.continuation.resume(returning: message)
      }
    } else if message["tray"] != nil {
      trays.take(message)
    } else if message["drag"] != nil {
      dropReaders.take(message, of: message["window"].flatMap { Int($0) } ?? Self.first)
    } else if let event = WindowEvent(message) {
      let window = message["window"].flatMap { Int($0) } ?? Self.first
      tell(event, of: window)
      if event.type == .closed { end(window) }
    }
  }

  /// Gives an event to each reader, or keeps it for the first.
  package func tell(_ event: WindowEvent, of window: Int = first) {
    let readers = state.withLock { state in
      let readers = state.windows[window]?.readers ?? [:]
      if readers.isEmpty, let unread = state.windows[window]?.unread {
        state.windows[window]?.unread = unread.suffix(Self.unreadLimit - 1) + [event]
      }
      return readers
    }
    for reader in readers.values { reader.yield(event) }
  }

  /// The app was started again: its oldest window comes to the front.
  package func started(_ arguments: [String]) {
    let window = state.withLock { $0.oldest }
    say(["do": "focus", "window": "\(window)"])
    tell(WindowEvent(.arguments, arguments: arguments), of: window)
  }

  // MARK: - What they are asked

  /// Says something whose answer nobody waits for: no question has that number.
  func say(_ message: [String: String]) {
    let send = state.withLock { $0.send }
    send?(message.merging(["number": "0"]) { $1 })
  }

  /// Asks a window for something; cancelled with the task that waits.
  func ask(
    _ what: String, _ fields: [String: String] = [:], in window: Int = first
  ) async throws -> [String: String] {
    let number = state.withLock { state in
      state.last += 1
      return state.last
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let own = ["do": what, "number": "\(number)", "window": "\(window)"]
        begin(number, fields.merging(own) { $1 }, Waiting(window: window, continuation: continuation))
      }
    } onCancel: {
      let (waiting, send) = state.withLock { ($0.waiting.removeValue(forKey: number), $0.send) }
      waiting?.continuation.resume(throwing: CancellationError())
      // A dialog that nobody waits for goes away.
      if waiting != nil { send?(["do": "cancel", "number": "\(number)"]) }
    }
  }

  private func begin(_ number: Int, _ message: [String: String], _ waiting: Waiting) {
    let (send, problem) = state.withLock { state in
      let problem = Self.problem(of: state, waiting.window)
      if problem == nil { state.waiting[number] = waiting }
      return (state.send, problem)
    }
    if let problem { return waiting.continuation.resume(throwing: problem) }
    // The task was cancelled before it waited.
    if Task.isCancelled, let waiting = state.withLock({ $0.waiting.removeValue(forKey: number) }) {
      return waiting.continuation.resume(throwing: CancellationError())
    }
    send?(message)
  }

  /// What happens to a window from now on, and what nobody has been told yet.
  func events(of window: Int = first) throws -> AsyncStream<WindowEvent> {
    let (stream, reader) = AsyncStream.makeStream(
      of: WindowEvent.self, bufferingPolicy: .bufferingNewest(Self.unreadLimit))
    let id = try state.withLock { state in
      if let problem = Self.problem(of: state, window) { throw problem }
      state.last += 1
      state.windows[window]?.readers[state.last] = reader
      for event in state.windows[window]?.unread ?? [] { reader.yield(event) }
      state.windows[window]?.unread = []
      return state.last
    }
    reader.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.windows[window]?.readers.removeValue(forKey: id) }
    }
    return stream
  }

  /// - Throws: why nothing can be asked of a window.
  func check(_ window: Int) throws {
    if let problem = state.withLock({ Self.problem(of: $0, window) }) { throw problem }
  }

  /// Why nothing can be asked of a window; nil where it is there.
  private static func problem(of state: State, _ window: Int) -> BridgeError? {
    if state.send == nil { return state.isOver ? closed : absent }
    return state.windows[window] == nil ? closed : nil
  }

  private static let closed = BridgeError(.closed, "the window has been closed")
  private static let absent = BridgeError(
    .unavailable, "this program has no window; nbridge window PAGE shows its page in one")
}
