// SPDX-License-Identifier: MIT

internal import Synchronization

/// One evaluation under way, that other threads may cancel: the first of them gives the reason. Any thread.
final class Evaluation: Sendable {
  private struct State {
    var reason: AuthCode?
    var isConcluded = false
    var cancel: (@Sendable () -> Void)?
  }
  private let state = Mutex(State())

  /// Why it was cancelled; nil when it was not.
  var reason: AuthCode? { state.withLock(\.reason) }

  /// The policy that is evaluated.
  let policy: AuthPolicy

  init(_ policy: AuthPolicy) { self.policy = policy }

  /// True for the first that asks: what came of it is written down once.
  func conclude() -> Bool {
    state.withLock { state in
      defer { state.isConcluded = true }
      return !state.isConcluded
    }
  }

  func cancel(_ reason: AuthCode) {
    let cancel = state.withLock { state in
      guard state.reason == nil else { return (@Sendable () -> Void)?.none }
      state.reason = reason
      return state.cancel
    }
    cancel?()
  }

  /// Waits for `body` in a task of its own, which ``cancel(_:)`` cancels: what it answered then counts for
  /// nothing, or has to be given back.
  ///
  /// - Parameter whenTaskIsCancelled: why, when the task is that waits.
  func wait<R: Sendable>(
    whenTaskIsCancelled reason: @escaping @Sendable () -> AuthCode,
    isolation: isolated (any Actor)? = #isolation, _ body: @escaping @Sendable () async throws -> R
  ) async -> Result<R, any Error> {
    let task = Task { try await body() }
    let isCancelled = state.withLock { state in
      state.cancel = { task.cancel() }
      return state.reason != nil
    }
    if isCancelled { task.cancel() }
    let result = await withTaskCancellationHandler {
      await task.result
    } onCancel: {
      cancel(reason())
    }
    state.withLock { $0.cancel = nil }
    return result
  }
}
