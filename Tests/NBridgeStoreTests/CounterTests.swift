// SPDX-License-Identifier: MIT

import Foundation
import NBridgePlugin
import Synchronization
import Testing

@testable import NBridgeStore

/// The number that grows with each change of a store.
@Suite struct ChangeCounterTests {
  let folder: StoreFolder
  init() throws { folder = try StoreFolder() }

  private var place: String { folder.file("counter") }

  private func set(_ number: UInt64) {
    try? FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    folder.write(withUnsafeBytes(of: number) { Array($0) }, to: "counter/changed")
  }

  private var stored: UInt64? {
    let bytes = folder.bytes("counter/changed")
    return bytes.count == 8 ? bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) } : nil
  }

  @Test func readingMakesNothing() {
    var counter = ChangeCounter(place)
    #expect(counter.value() == nil)
    #expect(!folder.exists("counter"))
  }

  @Test func itIsOddWhileAChangeIsMade() throws {
    var writer = ChangeCounter(place)
    var reader = ChangeCounter(place)
    set(10)
    #expect(reader.value() == 10)
    let begun = try writer.begin { 0 }
    #expect(begun == 10)
    #expect(reader.value() == 11)
    #expect(try writer.end(begun) == 12)
    #expect(reader.value() == 12)
    #expect(stored == 12)
  }

  /// A writer was killed in the middle of a change: the number is odd, and goes on to the next even one.
  @Test func anUnfinishedChangeIsPassedOver() throws {
    set(11)
    var counter = ChangeCounter(place)
    let begun = try counter.begin { 0 }
    #expect(begun == 11)
    #expect(counter.value() == 13)
    #expect(try counter.end(begun) == 14)
  }

  @Test(arguments: [0, 5, 1000, UInt64.max, 1 << 61, (1 << 61) + 1] as [UInt64])
  func aNewOneBeginsAboveWhatWasKnown(_ least: UInt64) throws {
    var counter = ChangeCounter(place)
    var asked = 0
    let begun = try counter.begin {
      asked += 1
      return least
    }
    #expect(asked == 1)
    #expect(begun % 2 == 0)
    #expect(begun > (least < 1 << 61 ? least : 0))
    #expect(try counter.end(begun) == begun + 2)
    _ = try counter.begin {
      asked += 1
      return 0
    }
    #expect(asked == 1)
    #expect(folder.mode("counter") == 0o700)
    #expect(folder.mode("counter/changed") == 0o600)
  }

  @Test(arguments: [UInt64.max, (1 << 62) + 1, 1 << 63] as [UInt64])
  func aNumberThatNobodyCountedToIsDamage(_ number: UInt64) throws {
    set(number)
    var counter = ChangeCounter(place)
    #expect(counter.value() == nil)
    let begun = try counter.begin { 100 }
    #expect(begun > 100 && begun < 1 << 40)
    #expect(try counter.end(begun) == begun + 2)
    #expect(counter.value() == begun + 2)
  }

  @Test func aFileThatIsTooShortIsNone() throws {
    set(4)
    folder.write([1, 2, 3], to: "counter/changed")
    var counter = ChangeCounter(place)
    #expect(counter.value() == nil)
    let ended = try counter.end(counter.begin { 0 })
    #expect(ended % 2 == 0)
    #expect(counter.value() == ended)
  }

  /// The file was replaced: a process that has the old one notices within some milliseconds, by the clock.
  @Test func aFileThatWasReplacedIsNoticed() throws {
    set(20)
    var counter = ChangeCounter(place)
    #expect(counter.value() == 20)
    unlink(place + "/changed")
    set(40)
    let end = ContinuousClock.now + .seconds(10)
    while counter.value() != 40, ContinuousClock.now < end { sched_yield() }
    #expect(counter.value() == 40)
    unlink(place + "/changed")
    while counter.value() != nil, ContinuousClock.now < end { sched_yield() }
    #expect(counter.value() == nil)
  }

  @Test func linksAreNotFollowed() throws {
    set(4)
    let target = folder.file("target")
    folder.write([UInt8](repeating: 0, count: 8), to: "target")
    unlink(place + "/changed")
    symlink(target, place + "/changed")
    var counter = ChangeCounter(place)
    #expect(counter.value() == nil)
    let error = #expect(throws: BridgeError.self) { try counter.begin { 0 } }
    #expect(error?.message.hasPrefix("can't write '\(place)/changed'") == true)
    #expect(folder.bytes("target") == [UInt8](repeating: 0, count: 8))
  }

  @Test func closingLosesNothing() throws {
    var counter = ChangeCounter(place)
    let begun = try counter.begin { 0 }
    _ = try counter.end(begun)
    counter.close()
    counter.close()
    #expect(counter.value() == begun + 2)
  }

  private static func read(_ place: String, until isOver: borrowing Atomic<Bool>) {
    var counter = ChangeCounter(place)
    var last: UInt64 = 0
    while !isOver.load(ordering: .acquiring) {
      guard let value = counter.value() else { continue }
      #expect(value >= last)
      last = value
    }
  }

  private static func change(_ place: String, times: Int) throws {
    let lock = try StoreLock((place as NSString).deletingLastPathComponent)
    var counter = ChangeCounter(place)
    for _ in 0..<times {
      guard lock.take(waits: true) else { throw BridgeError(.conflict, "locked") }
      let begun = try counter.begin { 0 }
      #expect(begun % 2 == 0)
      _ = try counter.end(begun)
      lock.letGo()
    }
  }

  /// Changes under a lock, read by others all the time: never backwards, and at the end all of them.
  @Test func manyChangesAreCounted() async throws {
    set(0)
    let place = place
    final class End: Sendable { let isOver = Atomic<Bool>(false) }
    let end = End()
    try await withThrowingTaskGroup(of: Void.self) { readers in
      for _ in 0..<2 { readers.addTask { try await Blocking.run { Self.read(place, until: end.isOver) } } }
      try await withThrowingTaskGroup(of: Void.self) { writers in
        for _ in 0..<2 { writers.addTask { try await Blocking.run { try Self.change(place, times: 200) } } }
        try await writers.waitForAll()
      }
      end.isOver.store(true, ordering: .releasing)
      try await readers.waitForAll()
    }
    let first = try #require(stored)
    #expect(first >= 800 && first % 2 == 0)
  }
}

/// Only one has the lock.
@Suite struct StoreLockTests {
  let folder: StoreFolder
  init() throws { folder = try StoreFolder() }

  @Test func oneKeepsTheOtherOut() throws {
    let one = try StoreLock(folder.path)
    let other = try StoreLock(folder.path)
    #expect(one.take(waits: false) == true)
    #expect(other.take(waits: false) == false)
    #expect(other.take(waits: false, isShared: true) == false)
    one.letGo()
    #expect(other.take(waits: false) == true)
    #expect(one.take(waits: false) == false)
  }

  @Test func sharersShare() throws {
    let one = try StoreLock(folder.path)
    let other = try StoreLock(folder.path)
    let third = try StoreLock(folder.path)
    #expect(one.take(waits: false, isShared: true) == true)
    #expect(other.take(waits: false, isShared: true) == true)
    #expect(third.take(waits: false) == false)
    one.letGo()
    #expect(third.take(waits: false) == false)
    other.letGo()
    #expect(third.take(waits: false) == true)
  }

  @Test func theEndOfTheLockGivesItBack() throws {
    let other = try StoreLock(folder.path)
    do {
      let one = try StoreLock(folder.path)
      #expect(one.take(waits: false) == true)
      #expect(other.take(waits: false) == false)
    }
    #expect(other.take(waits: false) == true)
  }

  @Test func whoWaitsGetsIt() async throws {
    let path = folder.path
    let order = Mutex<[Int]>([])
    let one = try StoreLock(path)
    #expect(one.take(waits: false) == true)
    async let waited = Blocking.run {
      let other = try StoreLock(path)
      let has = other.take(waits: true)
      order.withLock { $0.append(2) }
      return has
    }
    order.withLock { $0.append(1) }
    one.letGo()
    #expect(try await waited)
    #expect(order.withLock { $0 } == [1, 2])
  }

  @Test func aLockThatWasTakenAwayIsKnown() throws {
    let one = try StoreLock(folder.path)
    #expect(one.isUnlinked == false)
    unlink(folder.file("lock"))
    #expect(one.isUnlinked == true)
    #expect(throws: BridgeError.self) { _ = try StoreLock(folder.file("none")) }
    symlink(folder.file("elsewhere"), folder.file("lock"))
    let error = #expect(throws: BridgeError.self) { _ = try StoreLock(folder.path) }
    #expect(error?.message.hasPrefix("can't open '\(folder.path)/lock'") == true)
    #expect(!folder.exists("elsewhere"))
  }
}

/// Stores that were set aside, by their names.
@Suite struct AsideTests {
  let folder: StoreFolder
  init() throws { folder = try StoreFolder() }

  @Test func theyAreFoundByTheirSecond() {
    for name in [
      "a.db.damaged-100-abc", "a.db.damaged-100-abc-wal", "b.db.damaged-50-x", "c.db.damaged-odd", "c.db",
      "damaged-7", "d.damaged-9-y-shm",
    ] {
      folder.write([1], to: name)
    }
    let found = StoreRecovery.asides(in: folder.path).map(\.second).sorted()
    #expect(found == [50, 100, .max])
    #expect(SharedStore.latestAside(in: folder.path) == .max)
    SharedStore.removeAsides(in: folder.path, since: 100)
    #expect(folder.names == ["b.db.damaged-50-x", "c.db", "d.damaged-9-y-shm", "damaged-7"])
    #expect(SharedStore.latestAside(in: folder.path) == 50)
    #expect(SharedStore.latestAside(in: folder.file("none")) == nil)
  }
}
