import NBridgePlugin
import Synchronization

/// What comes in at a port, as `take` finds it, until the device is gone. No thread waits for it.
struct Arrivals<Element: Codable & Sendable>: AsyncSequence, Sendable {
  let port: Port
  let take: @Sendable (Port) throws -> Element?

  func makeAsyncIterator() -> Iterator {
    Iterator(arrivals: self, moments: Readiness(of: port.descriptor).makeAsyncIterator())
  }

  struct Iterator: AsyncIteratorProtocol {
    let arrivals: Arrivals
    var moments: Readiness.Iterator

    mutating func next() async throws -> Element? {
      while true {
        if let found = try arrivals.take(arrivals.port) { return found }
        if arrivals.port.isAtEnd { return nil }
        _ = try await moments.next()
      }
    }
  }
}

/// Lets one task in after the other, in the order in which they came.
final class Turns: Sendable {
  private struct State {
    var isTaken = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }
  private let state = Mutex(State())

  func take() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        if state.isTaken { state.waiting.append(continuation) }
        defer { state.isTaken = true }
        return !state.isTaken
      }
      if isFree { continuation.resume() }
    }
  }

  func give() {
    let next = state.withLock { state in
      state.isTaken = !state.waiting.isEmpty
      return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
    }
    next?.resume()
  }
}
