// SPDX-License-Identifier: MIT

internal import Glibc
internal import Synchronization

/// How far bytes that one thread writes, from the first on, are there for another thread that reads them.
package final class FillLevel: Sendable {
  private let level = Atomic<Int>(0)
  private let isOver = Atomic<Bool>(false)
  private let writer = pthread_self()
  /// How long the reader sleeps when it is faster than the writer, in microseconds.
  private static let pause: UInt32 = 20

  package init() {}

  /// So many bytes are there. On the writer's thread.
  package func rise(to count: Int) { level.store(count, ordering: .releasing) }

  /// No more come: the writer may have been stopped before it was done. On any thread.
  package func end() { isOver.store(true, ordering: .releasing) }

  /// Waits until more than `count` bytes are there, and answers how many.
  ///
  /// - Throws: where they never come; on the writer's own thread, too: the system gave no other.
  func wait(past count: Int) throws(CryptoFault) -> Int {
    while true {
      // Before the level, which may have risen last.
      let isOver = isOver.load(ordering: .acquiring)
      let found = level.load(ordering: .acquiring)
      if found > count { return found }
      if isOver { throw .operation("the message has not come whole") }
      if pthread_equal(writer, pthread_self()) != 0 {
        throw .operation("the system gives no thread to hash on")
      }
      usleep(Self.pause)
    }
  }
}
