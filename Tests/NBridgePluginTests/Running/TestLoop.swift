// SPDX-License-Identifier: MIT

import Foundation

@testable import NBridgePlugin
@testable import NBridgeSystem

/// A loop on the thread of the test: jobs wait until ``turn()``.
final class TestLoop: LoopExecutor, @unchecked Sendable {
  // Sendable because `lock` guards what several threads touch.
  private let lock = NSLock()
  private var waiting: [UnownedJob] = []
  private var local: [UnownedJob] = []
  private var isRunning = false
  private let thread = pthread_self()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if pthread_equal(pthread_self(), thread) != 0, isRunning { return local.append(job) }
    lock.withLock { waiting.append(job) }
  }

  func runInline(until work: (any InlineWork)?, _ body: () -> Task<Void, Never>) -> Task<Void, Never> {
    running {
      let task = body()
      while work?.isDone != true, let job = local.popLast() { run(job) }
      return task
    }
  }

  func runHere(_ job: UnownedJob, until work: PooledTask) {
    running {
      run(job)
      while !work.isDone, let job = local.popLast() { run(job) }
    }
  }

  private func running<R>(_ body: () -> R) -> R {
    let outer = isRunning
    isRunning = true
    defer {
      isRunning = outer
      if !outer {
        lock.withLock { waiting += local }
        local = []
      }
    }
    return body()
  }

  private func run(_ job: UnownedJob) {
    job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
  }

  /// Runs what waits; answers whether anything did.
  @discardableResult
  func turn() -> Bool {
    let jobs = lock.withLock {
      defer { waiting = [] }
      return waiting
    }
    running { for job in jobs { run(job) } }
    return !jobs.isEmpty
  }

  /// Turns until `isDone`, ten seconds at the most.
  func turn(until isDone: () -> Bool) {
    let end = ContinuousClock.now + .seconds(10)
    while !isDone(), ContinuousClock.now < end { if !turn() { sched_yield() } }
  }

  func checkIsolated() { precondition(pthread_equal(pthread_self(), thread) != 0) }
  func isIsolatingCurrentContext() -> Bool? { pthread_equal(pthread_self(), thread) != 0 }
}

/// Runs `body` on a thread of its own, which a loop can belong to.
func onOwnThread<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
  try await withCheckedThrowingContinuation { continuation in
    if !PlainThread.start("test", stackSize: 8 << 20, { continuation.resume(with: Result { try body() }) }) {
      continuation.resume(throwing: BridgeError(.unavailable, "no thread"))
    }
  }
}
