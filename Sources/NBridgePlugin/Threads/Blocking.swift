// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgeSystem
internal import Synchronization

/// Runs what blocks off the engine's thread, for watches and async actions. (A `Detached` action is there
/// already.)
///
/// ```swift
/// let page = try await Blocking.run { try file.readPage() }
/// ```
public enum Blocking {
  /// Runs `body` on a thread of a pool of its own and answers its result. At most 16 run at once, more wait.
  /// Cancellation does not reach `body`: what can last long looks for it by itself.
  public static func run<R: Sendable>(
    isolation: isolated (any Actor)? = #isolation, _ body: @escaping @Sendable () throws -> R
  ) async throws -> R {
    try await withCheckedThrowingContinuation(isolation: isolation) { continuation in
      BlockingPool.shared.submit { continuation.resume(with: Result { try body() }) }
    }
  }
}

/// Threads that come when there is work and go when there has been none for a while.
private final class BlockingPool: Sendable {
  static let shared = BlockingPool()

  private struct State {
    var waiting = FIFO<@Sendable () -> Void>()
    var threads = 0
    var idle = 0
  }
  private let state = Mutex<State>(State())
  private nonisolated(unsafe) let work: UnsafeMutablePointer<sem_t>  // a semaphore is made for many threads

  private static let maxThreads = 16
  /// How long an idle thread stays, in seconds.
  private static let patience = 2

  private init() {
    work = .allocate(capacity: 1)  // never freed: the pool lives as long as the process
    sem_init(work, 0, 0)
  }

  func submit(_ body: @escaping @Sendable () -> Void) {
    let needsThread = state.withLock { state in
      state.waiting.append(body)
      guard state.idle < state.waiting.count, state.threads < Self.maxThreads else { return false }
      state.threads += 1
      return true
    }
    sem_post(work)
    guard needsThread, !PlainThread.start("nb-blocking", { [self] in serve() }) else { return }
    let isAlone = state.withLock { state in
      state.threads -= 1
      return state.threads == 0
    }
    // The system gives no thread: better late than never.
    if isAlone { runOne() }
  }

  private func serve() {
    while waitForWork() { runOne() }
  }

  private func runOne() {
    let body = state.withLock { $0.waiting.popFirst() }
    body?()
  }

  /// False when there was none for a while and the thread may end.
  private func waitForWork() -> Bool {
    state.withLock { $0.idle += 1 }
    var end = timespec()
    clock_gettime(CLOCK_REALTIME, &end)
    end.tv_sec += Self.patience
    while true {
      if sem_timedwait(work, &end) == 0 {
        state.withLock { $0.idle -= 1 }
        return true
      }
      if errno == EINTR { continue }
      let ends = state.withLock { state in
        guard state.waiting.isEmpty else { return false }
        state.idle -= 1
        state.threads -= 1
        return true
      }
      if ends { return false }
    }
  }
}
