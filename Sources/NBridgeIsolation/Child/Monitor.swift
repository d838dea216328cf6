// SPDX-License-Identifier: MIT

internal import Glibc

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
