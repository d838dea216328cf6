// SPDX-License-Identifier: MIT

internal import Glibc
internal import Synchronization

/// The two ways to wait for what comes from the script: a task is suspended, a thread sleeps.
extension Inlet {
  /// Suspends the task until `begin` is called back; a cancelled task goes on at once.
  private func suspended(
    isolation: isolated (any Actor)? = #isolation, _ begin: (UInt64, @escaping Waiting) -> Void
  ) async throws -> Value? {
    let number = reserve()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation(isolation: isolation) { continuation in
        begin(number) { continuation.resume(with: $0) }
        // One that was cancelled before has called the handler below too early.
        if Task.isCancelled { forget(number) }
      }
    } onCancel: {
      forget(number)
    }
  }

  /// Keeps the thread until `begin` is called back: when the value has come, or the call is over.
  private func blocked(_ begin: (UInt64, @escaping Waiting) -> Void) throws -> Value? {
    guard !link.isOnEngine else {
      throw BridgeError(
        .unknownError, "the engine's thread can't wait for the script; declare a Detached, or await it")
    }
    let gate = ThreadGate()
    begin(reserve()) { gate.open($0) }
    return try gate.wait().get()
  }

  /// The next value; nil at the end.
  func next(isolation: isolated (any Actor)? = #isolation) async throws -> Value? {
    try await suspended(isolation: isolation) { read($0, $1) }
  }

  /// The same on a thread that may wait.
  func nextBlocking() throws -> Value? { try blocked { read($0, $1) } }

  /// What the script's function answers.
  func answer(to value: Value, isolation: isolated (any Actor)? = #isolation) async throws -> Value {
    try await suspended(isolation: isolation) { call($0, value, $1) } ?? .undefined
  }

  /// The same on a thread that may wait.
  func answerBlocking(to value: Value) throws -> Value { try blocked { call($0, value, $1) } ?? .undefined }
}

/// A thread waits here for one value.
private final class ThreadGate: Sendable {
  private let result = Mutex<Result<Value?, any Error>?>(nil)
  // A semaphore is made for many threads, and the pointer never changes.
  private nonisolated(unsafe) let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init() { sem_init(semaphore, 0, 0) }
  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func open(_ value: Result<Value?, any Error>) {
    result.withLock { $0 = value }
    sem_post(semaphore)
  }

  func wait() -> Result<Value?, any Error> {
    while sem_wait(semaphore) != 0 {}
    return result.withLock { $0 } ?? .failure(BridgeError.callIsOver)
  }
}
