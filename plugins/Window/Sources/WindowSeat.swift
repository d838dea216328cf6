// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import Synchronization

/// The way from the plugin to the window that shows the program's page, and back; empty until there is one.
/// Messages both ways are names with texts. Usable from any thread.
package final class WindowSeat: Sendable {
  private struct State {
    var send: (@Sendable ([String: String]) -> Void)?
    var isOver = false
    var last = 0
    var waiting: [Int: CheckedContinuation<[String: String], any Error>] = [:]
    var readers: [Int: AsyncStream<WindowEvent>.Continuation] = [:]
    /// What came before anybody asked for events, as what the program was started with.
    var unread: [WindowEvent] = []
  }

  private let state = Mutex(State())
  /// So many events wait for a reader; then the oldest are dropped.
  private static let unreadLimit = 256

  package init() {}

  /// The window is there.
  ///
  /// - Parameter send: gives it a message; called on any thread.
  package func connect(_ send: @escaping @Sendable ([String: String]) -> Void) {
    state.withLock { $0.send = send }
  }

  /// The window has gone: what waits for it hears `closed`, and so does who asks from now on.
  package func disconnect() {
    let (waiting, readers) = state.withLock { state in
      defer {
        state.isOver = true
        (state.send, state.waiting, state.readers) = (nil, [:], [:])
      }
      return (state.waiting, state.readers)
    }
    for continuation in waiting.values { continuation.resume(throwing: Self.closed) }
    for reader in readers.values { reader.finish() }
  }

  /// Takes what the window says: an answer, which has the `answer` of a question, or an event.
  package func take(_ message: [String: String]) {
    if let number = message["answer"].flatMap({ Int($0) }) {
      let continuation = state.withLock { $0.waiting.removeValue(forKey: number) }
      if let reason = message["error"] {
        continuation?.resume(throwing: BridgeError(.invalidParameter, reason))
      } else {
        continuation?.resume(returning: message)
      }
    } else if let event = WindowEvent(message) {
      tell(event)
    }
  }

  /// Gives an event to each reader, or keeps it for the first.
  package func tell(_ event: WindowEvent) {
    let readers = state.withLock { state in
      if state.readers.isEmpty, !state.isOver {
        state.unread = state.unread.suffix(Self.unreadLimit - 1) + [event]
      }
      return state.readers
    }
    for reader in readers.values { reader.yield(event) }
  }

  /// The app was started again: its window comes to the front.
  package func started(_ arguments: [String]) {
    state.withLock(\.send)?(["do": "focus", "number": "0"])
    tell(WindowEvent(.arguments, arguments: arguments))
  }

  /// Asks the window for something; cancelled with the task that waits.
  func ask(_ what: String, _ fields: [String: String] = [:]) async throws -> [String: String] {
    let number = state.withLock { state in
      state.last += 1
      return state.last
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        begin(number, fields.merging(["do": what, "number": "\(number)"]) { $1 }, continuation)
      }
    } onCancel: {
      let (continuation, send) = state.withLock { ($0.waiting.removeValue(forKey: number), $0.send) }
      continuation?.resume(throwing: CancellationError())
      // A dialog that nobody waits for goes away.
      if continuation != nil { send?(["do": "cancel", "number": "\(number)"]) }
    }
  }

  private func begin(
    _ number: Int, _ message: [String: String],
    _ continuation: CheckedContinuation<[String: String], any Error>
  ) {
    let send = state.withLock { state in
      if state.send != nil { state.waiting[number] = continuation }
      return state.send
    }
    guard let send else {
      return continuation.resume(throwing: state.withLock(\.isOver) ? Self.closed : Self.absent)
    }
    // The task was cancelled before it waited.
    if Task.isCancelled, let waiting = state.withLock({ $0.waiting.removeValue(forKey: number) }) {
      return waiting.resume(throwing: CancellationError())
    }
    send(message)
  }

  func events() throws -> AsyncStream<WindowEvent> {
    let (stream, reader) = AsyncStream.makeStream(
      of: WindowEvent.self, bufferingPolicy: .bufferingNewest(Self.unreadLimit))
    let id = try state.withLock { state in
      guard state.send != nil else { throw state.isOver ? Self.closed : Self.absent }
      state.last += 1
      state.readers[state.last] = reader
      for event in state.unread { reader.yield(event) }
      state.unread = []
      return state.last
    }
    reader.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.readers.removeValue(forKey: id) }
    }
    return stream
  }

  private static let closed = BridgeError(.closed, "the window has been closed")
  private static let absent = BridgeError(
    .unavailable, "this program has no window; nbridge window PAGE shows its page in one")
}
