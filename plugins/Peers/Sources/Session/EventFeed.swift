// SPDX-License-Identifier: MIT

internal import Synchronization

/// Tells events to all subscribers. Each gets the events that come after it began, and has at most so many
/// that it has not taken: then the oldest go.
final class EventFeed<Element: Sendable>: Sendable {
  private struct State {
    var readers: [Int: AsyncStream<Element>.Continuation] = [:]
    var next = 0
    var isOver = false
  }

  private let state = Mutex(State())
  private let limit: Int

  init(keeping limit: Int) { self.limit = limit }

  /// Events from now on, behind those that are given.
  func events(after first: [Element] = []) -> AsyncStream<Element> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Element.self, bufferingPolicy: .bufferingNewest(limit))
    for element in first { continuation.yield(element) }
    let number = state.withLock { state -> Int? in
      guard !state.isOver else { return nil }
      state.next += 1
      state.readers[state.next] = continuation
      return state.next
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.readers[number] = nil } }
    return stream
  }

  func send(_ element: Element) {
    for reader in state.withLock({ Array($0.readers.values) }) { reader.yield(element) }
  }

  func finish() {
    let readers = state.withLock { state in
      defer { state.readers = [:] }
      state.isOver = true
      return Array(state.readers.values)
    }
    for reader in readers { reader.finish() }
  }
}
