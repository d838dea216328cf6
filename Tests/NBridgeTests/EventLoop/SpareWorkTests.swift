// SPDX-License-Identifier: MIT

import Glibc
import NBridgeTesting
import Synchronization
import Testing

@testable import NBridgeHost
@testable import NBridgeSystem

/// Who does a short piece of work: the loop's thread, or one of the pool.
@Suite struct SpareWorkTests {
  /// Where jobs ran.
  private final class Places: Sendable {
    private let here = pthread_self()
    private let found = Mutex<[Bool]>([])

    /// A job that notes whether it ran on the thread that made this.
    func job(after work: @escaping @Sendable () -> Void = {}) -> WorkerPool.Job {
      { [self] _ in
        work()
        found.withLock { $0.append(pthread_equal(here, pthread_self()) != 0) }
      }
    }

    /// Whether each ran here, once `count` have run.
    func all(_ count: Int) -> [Bool] {
      while found.withLock({ $0.count }) < count { sched_yield() }
      return found.withLock { $0 }
    }
  }

  private let pool = WorkerPool.forComputing()
  private let places = Places()
  private let spare = SpareWork()

  @Test func oneIsDoneHere() {
    spare.keep(places.job(), for: pool)
    spare.run()
    #expect(places.all(1) == [true])
    pool.close()
  }

  @Test func twoOfOneTurnAreForThePool() {
    spare.keep(places.job(), for: pool)
    spare.keep(places.job(), for: pool)
    spare.run()
    #expect(places.all(2) == [false, false])
    pool.close()
  }

  @Test func whatIsGivenAwayIsDoneOnceAndElsewhere() {
    spare.keep(places.job(), for: pool)
    spare.giveAway()
    spare.run()
    #expect(places.all(1) == [false])
    pool.close()
  }

  /// The disk was slow: it is not to stop the loop again and again.
  @Test func oneThatTookLongSendsTheNextToThePool() {
    let end = MonotonicTime.microseconds + 2_500
    spare.keep(places.job { while MonotonicTime.microseconds < end {} }, for: pool)
    spare.run()
    for _ in 0..<64 {
      spare.keep(places.job(), for: pool)
      spare.run()
    }
    #expect(places.all(65) == [true] + Array(repeating: false, count: 64))
    spare.keep(places.job(), for: pool)
    spare.run()
    #expect(places.all(66).last == true)
    pool.close()
  }
}
