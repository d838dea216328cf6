// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgeSystem

/// A lock that threads can wait in until another has changed something (pthread_cond_wait(3)).
final class Monitor: @unchecked Sendable {
  // Sendable because both are made for many threads.
  private let lock: UnsafeMutablePointer<pthread_mutex_t> = .allocate(capacity: 1)
  private let change: UnsafeMutablePointer<pthread_cond_t> = .allocate(capacity: 1)

  init() {
    pthread_mutex_init(lock, nil)
    pthread_cond_init(change, nil)
  }

  deinit {
    pthread_cond_destroy(change)
    pthread_mutex_destroy(lock)
    change.deallocate()
    lock.deallocate()
  }

  func locked<R>(_ body: () -> R) -> R {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return body()
  }

  /// Inside of ``locked(_:)``: lets others in until one has called ``tell()``.
  func wait() { pthread_cond_wait(change, lock) }

  /// Inside of ``locked(_:)``.
  func tell() { pthread_cond_broadcast(change) }
}

/// Answers to questions, by their numbers. Any thread.
final class Answers: @unchecked Sendable {
  // Sendable because all is touched inside of the monitor only.
  private let monitor = Monitor()
  private var last: UInt64 = 0
  private var given: [UInt64: UInt32] = [:]
  private var isClosed = false

  func ask() -> UInt64 {
    monitor.locked {
      last += 1
      return last
    }
  }

  func give(_ number: UInt64, _ answer: UInt32) {
    monitor.locked {
      given[number] = answer
      monitor.tell()
    }
  }

  func take(_ number: UInt64) -> UInt32? { monitor.locked { given.removeValue(forKey: number) } }

  /// 0 when there will be none any more.
  func wait(for number: UInt64) -> UInt32 {
    monitor.locked {
      while !isClosed {
        if let answer = given.removeValue(forKey: number) { return answer }
        monitor.wait()
      }
      return 0
    }
  }

  func close() {
    monitor.locked {
      isClosed = true
      monitor.tell()
    }
  }
}

/// The threads on which detached actions run, where blocking is allowed: one for each job that has none, as
/// many as there may be.
final class ChildWorkers: @unchecked Sendable {
  // Sendable because all is touched inside of the monitor only.
  private let monitor = Monitor()
  private var jobs: [@Sendable () -> Void] = []
  private var (threads, idle) = (0, 0)
  private var isClosed = false
  private static let most = 64

  /// Whether no job is being done or waits.
  var areIdle: Bool { monitor.locked { jobs.isEmpty && idle == threads } }

  /// Lets the threads go that have nothing to do, and the others when they have done it.
  func close() {
    monitor.locked {
      isClosed = true
      monitor.tell()
    }
  }

  func run(_ job: @escaping @Sendable () -> Void) {
    let isNeeded = monitor.locked {
      jobs.append(job)
      monitor.tell()
      guard idle < jobs.count, threads < Self.most else { return false }
      threads += 1
      return true
    }
    guard isNeeded else { return }
    let isStarted = PlainThread.start("nb-worker", stackSize: 1 << 20) { [self] in work() }
    if isStarted { return }
    monitor.locked { threads -= 1 }
    // The system gives no thread: this one does it, unless another will.
    if monitor.locked({ threads == 0 }) { next(waiting: false)?() }
  }

  private func work() {
    while let job = next(waiting: true) { job() }
    monitor.locked { threads -= 1 }
  }

  private func next(waiting: Bool) -> (@Sendable () -> Void)? {
    monitor.locked {
      while jobs.isEmpty {
        guard waiting, !isClosed else { return nil }
        idle += 1
        monitor.wait()
        idle -= 1
      }
      return jobs.removeFirst()
    }
  }
}
