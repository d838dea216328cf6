// SPDX-License-Identifier: MIT

import Glibc
import NBridgeSystem
import Testing

@Suite struct LockTests {
  let place = Place()

  @Test(arguments: [
    (FileLock.Kind.exclusive, FileLock.Kind.exclusive, false), (.exclusive, .shared, false),
    (.shared, .exclusive, false), (.shared, .shared, true),
  ])
  func whoMayHaveItBesideAnother(_ first: FileLock.Kind, _ second: FileLock.Kind, _ both: Bool) throws {
    let (one, other) = (try FileLock(at: place["lock"]), try FileLock(at: place["lock"]))
    #expect(one.tryTake(first))
    #expect(try other.attempt(second) == both)
  }

  @Test func releasingLetsOthersHaveIt() throws {
    let (one, other) = (try FileLock(at: place["lock"]), try FileLock(at: place["lock"]))
    #expect(one.tryTake())
    #expect(!other.tryTake())
    one.release()
    #expect(other.tryTake())
  }

  @Test func itGoesWithItsFile() throws {
    let other = try FileLock(at: place["lock"])
    do {
      let one = try FileLock(at: place["lock"])
      #expect(one.tryTake())
      #expect(!other.tryTake())
    }
    #expect(other.tryTake())
  }

  @Test func aLinkIsNoLock() throws {
    symlink("/tmp/elsewhere", place["lock"])
    let error = #expect(throws: SystemError.self) { try FileLock(at: place["lock"]) }
    #expect(error?.code == ELOOP)
  }

  @Test func whatIsNotOpenCannotBeLocked() {
    #expect(throws: SystemError("lock", code: EBADF)) { try FileLock(Descriptor(taking: -1)).attempt() }
    #expect(!FileLock.take(-1, within: 60_000))
  }

  @Test func waitingHasABound() throws {
    let (one, other) = (try FileLock(at: place["lock"]), try FileLock(at: place["lock"]))
    #expect(one.tryTake())
    let start = MonotonicTime.milliseconds
    #expect(!other.take(within: 30))
    #expect(MonotonicTime.milliseconds - start >= 30)
  }

  @Test func whoNeedsItNoMoreStopsWaiting() throws {
    let (one, other) = (try FileLock(at: place["lock"]), try FileLock(at: place["lock"]))
    #expect(one.tryTake())
    var asked = 0
    let has = other.take(within: 60_000) {
      asked += 1
      return asked == 3
    }
    #expect(!has && asked == 3)
  }

  @Test func whoWaitsGetsItWhenItIsReleased() throws {
    let (one, other) = (try FileLock(at: place["lock"]), try FileLock(at: place["lock"]))
    #expect(one.tryTake())
    let hasIt = other.take(within: 60_000) {
      one.release()
      return false
    }
    #expect(hasIt)
  }
}
