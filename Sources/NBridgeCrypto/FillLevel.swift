// SPDX-License-Identifier: MIT

internal import Glibc
internal import Synchronization

/// How far bytes that one thread writes, from the first on, are there for another thread that reads them.
package final class FillLevel: Sendable {
  private let level = Atomic<Int>(0)
  private let writer = pthread_self()
  /// How long the reader sleeps when it is faster than the writer, in microseconds.
  private static let pause: UInt32 = 20

  package init() {}

  /// So many bytes are there. On the writer's thread.
  package func rise(to count: Int) { level.store(count, ordering: .releasing) }

  /// Waits until more than `count` bytes are there, and answers how many.
  ///
  /// - Throws: on the writer's own thread, where they would never come: the system gave no other.
  func wait(past count: Int) throws(CryptoFault) -> Int {
    while true {
      let found = level.load(ordering: .acquiring)
      if found > count { return found }
      if pthread_equal(writer, pthread_self()) != 0 {
        throw .operation("the system gives no thread to hash on")
      }
      usleep(Self.pause)
    }
  }
}
