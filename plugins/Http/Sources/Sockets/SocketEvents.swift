// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import Synchronization

/// What came of a WebSocket and the script has not taken yet. Any thread may use it.
final class SocketEvents: Sendable {
  fileprivate struct State {
    var waiting: [SocketEvent] = []
    var first = 0
    /// Of the messages among them, in bytes.
    var size = 0
    var isOver = false
    /// Whether somebody waits for room.
    var isHeld = false
    var reader: CheckedContinuation<SocketEvent?, Never>?

    var count: Int { waiting.count - first }
    var isFull: Bool { size > SocketEvents.mostBytes || count > SocketEvents.mostEvents }
  }

  private let state = Mutex(State())
  /// Called, on any thread, when there is room again.
  private let drained: @Sendable () -> Void

  /// Above these no more is read.
  fileprivate static let mostBytes = 1 << 20
  fileprivate static let mostEvents = 256

  init(drained: @escaping @Sendable () -> Void) { self.drained = drained }

  /// Whether the script is so far behind that no more is to be read, until `drained` is called.
  func holds() -> Bool {
    state.withLock { state in
      state.isHeld = state.isFull && !state.isOver
      return state.isHeld
    }
  }

  func add(_ event: SocketEvent) {
    let reader = state.withLock { state -> CheckedContinuation<SocketEvent?, Never>? in
      if state.isOver { return nil }
      if event.end != nil { state.isOver = true }
      if let reader = state.reader {
        state.reader = nil
        return reader
      }
      if event.sent != nil, state.count > 0, state.waiting.last?.sent != nil {
        state.waiting[state.waiting.count - 1] = event
      } else {
        state.waiting.append(event)
        state.size += event.size
      }
      return nil
    }
    reader?.resume(returning: event)
  }

  /// The next one, when it is there; nil behind the last.
  func next() async -> SocketEvent? {
    let event = await withTaskCancellationHandler {
      await withCheckedContinuation { wait($0) }
    } onCancel: {
      stop()
    }
    let hasRoom = state.withLock { state in
      guard state.isHeld, !state.isFull else { return false }
      state.isHeld = false
      return true
    }
    if hasRoom { drained() }
    return event
  }

  private func wait(_ reader: CheckedContinuation<SocketEvent?, Never>) {
    let found = state.withLock { state -> SocketEvent?? in
      if state.count > 0 { return state.take() }
      if state.isOver { return .some(nil) }
      state.reader = reader
      return nil
    }
    if let found { reader.resume(returning: found) }
  }

  /// Nobody wants more.
  private func stop() {
    let reader = state.withLock { state in
      defer { state.reader = nil }
      state.isOver = true
      return state.reader
    }
    reader?.resume(returning: nil)
  }
}

extension SocketEvents.State {
  fileprivate mutating func take() -> SocketEvent {
    let event = waiting[first]
    waiting[first] = SocketEvent()
    first += 1
    size -= event.size
    // No more of them wait.
    if first == waiting.count || first > SocketEvents.mostEvents {
      waiting.removeFirst(first)
      first = 0
    }
    return event
  }
}

extension SocketEvent {
  fileprivate var size: Int { (text?.utf8.count ?? 0) + (bytes?.count ?? 0) }
}
