// SPDX-License-Identifier: MIT

internal import Synchronization

/// The end of something, awaited once: before it comes or after.
final class Completion<Failure: Sendable>: Sendable {
  private struct State {
    var isOver = false
    var failure: Failure?
    var waiter: UnsafeContinuation<Failure?, Never>?
  }

  private let state = Mutex(State())

  /// The first one counts.
  func finish(_ failure: Failure?) {
    let waiter = state.withLock { state in
      guard !state.isOver else { return nil as UnsafeContinuation<Failure?, Never>? }
      (state.isOver, state.failure) = (true, failure)
      return state.waiter
    }
    waiter?.resume(returning: failure)
  }

  /// Why it failed; nil when it did not.
  func wait(isolation: isolated (any Actor)?) async -> Failure? {
    await withUnsafeContinuation(isolation: isolation) { continuation in
      let (isOver, failure) = state.withLock { state in
        state.waiter = continuation
        return (state.isOver, state.failure)
      }
      if isOver { continuation.resume(returning: failure) }
    }
  }
}
