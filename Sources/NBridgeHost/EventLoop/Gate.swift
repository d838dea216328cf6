// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc

/// Something that threads wait for until it is opened, once and for all.
package final class Gate: @unchecked Sendable {
  // Sendable because sem_t is made to be shared; the pointer never changes.
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  package init() { sem_init(semaphore, 0, 0) }
  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  package func open() { sem_post(semaphore) }

  func wait() {
    while sem_wait(semaphore) != 0 {}
    sem_post(semaphore)  // for the next thread that waits
  }

  /// Answers false when it took too long.
  package func wait(milliseconds: Int) -> Bool {
    var end = timespec()
    clock_gettime(CLOCK_REALTIME, &end)  // the clock of sem_timedwait
    let nanoseconds = Int(end.tv_nsec) + milliseconds * 1_000_000
    end.tv_sec += nanoseconds / 1_000_000_000
    end.tv_nsec = nanoseconds % 1_000_000_000
    while sem_timedwait(semaphore, &end) != 0 {
      if errno != EINTR { return false }
    }
    sem_post(semaphore)
    return true
  }
}
