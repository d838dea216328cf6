// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// Work that may take long, one piece after the other in the order in which it came, on a thread that is
/// there as long as there is some.
final class SerialQueue: Sendable {
  private struct State {
    var jobs: [@Sendable () -> Void] = []
    var isRunning = false
  }
  private let state = Mutex<State>(State())

  /// Whether nothing waits or runs, so that a caller that comes now need not queue.
  var isIdle: Bool { state.withLock { !$0.isRunning } }

  /// Runs `body` in its turn and answers its result.
  func run<R: Sendable>(
    isolation: isolated (any Actor)? = #isolation, _ body: @escaping @Sendable () throws -> R
  ) async throws -> R {
    try await withCheckedThrowingContinuation(isolation: isolation) { continuation in
      submit { continuation.resume(with: Result { try body() }) }
    }
  }

  /// Runs `body` in its turn.
  func submit(_ body: @escaping @Sendable () -> Void) {
    let needsThread = state.withLock { state in
      state.jobs.append(body)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard needsThread else { return }
    // The system may give no thread: better late than never.
    if !PlainThread.start("nb-pasteboard", { [self] in drain() }) { drain() }
  }

  private func drain() {
    while let job = next() { job() }
  }

  private func next() -> (@Sendable () -> Void)? {
    state.withLock { state in
      guard !state.jobs.isEmpty else {
        state.isRunning = false
        return nil
      }
      return state.jobs.removeFirst()
    }
  }
}
