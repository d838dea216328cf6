// SPDX-License-Identifier: MIT

internal import Synchronization

/// Where a program is in its life, for any number of readers. Usable from any thread.
package final class LifecycleReaders: Sendable {
  private struct State {
    var phase = LifecycleState.active
    var readers: [Int: AsyncStream<LifecycleState>.Continuation] = [:]
    var observers: [Int: @Sendable (LifecycleState) -> Void] = [:]
    var last = 0
  }
  private let state = Mutex<State>(State())

  package init() {}

  /// The present state.
  package var phase: LifecycleState { state.withLock(\.phase) }

  /// A stream of its own for a reader, the present state first.
  package func stream() -> AsyncStream<LifecycleState> {
    let (stream, continuation) = AsyncStream.makeStream(of: LifecycleState.self)
    let id = state.withLock { state in
      state.last += 1
      state.readers[state.last] = continuation
      continuation.yield(state.phase)
      return state.last
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.readers.removeValue(forKey: id) }
    }
    return stream
  }

  /// Calls `body` with the present state and with each that follows, on the thread that changes it.
  /// Answers by what ``forget(_:)`` knows it.
  package func observe(_ body: @escaping @Sendable (LifecycleState) -> Void) -> Int {
    let (id, phase) = state.withLock { state in
      state.last += 1
      state.observers[state.last] = body
      return (state.last, state.phase)
    }
    body(phase)
    return id
  }

  /// Calls an observer no more.
  package func forget(_ observer: Int) { state.withLock { _ = $0.observers.removeValue(forKey: observer) } }

  /// Changes the state and tells every reader. Answers false when it stood there already.
  @discardableResult
  package func enter(_ next: LifecycleState) -> Bool {
    let told = state.withLock { state -> State? in
      guard state.phase != next else { return nil }
      state.phase = next
      return state
    }
    guard let told else { return false }
    for reader in told.readers.values { reader.yield(next) }
    for observer in told.observers.values { observer(next) }
    return true
  }

  /// Ends every stream.
  package func finish() {
    let told = state.withLock { state in
      defer { state.observers = [:] }
      return state
    }
    told.readers.values.forEach { $0.finish() }
  }
}
