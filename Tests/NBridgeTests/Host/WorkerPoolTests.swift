// SPDX-License-Identifier: MIT

import NBridgePlugin
import Synchronization
import Testing

@testable import NBridgeHost
@testable import NBridgeSystem

/// The threads on which detached actions run.
@Suite struct WorkerPoolTests {
  final class Counts: Sendable {
    let done = Atomic<Int>(0)
    let order = Mutex<[Int]>([])
  }

  @Test(arguments: [1, 2, 100, 5000])
  func everyJobRunsOnce(_ count: Int) {
    let (pool, counts, end) = (WorkerPool.forComputing(), Counts(), Gate())
    defer { pool.close() }
    for number in 0..<count {
      pool.submit { _ in
        counts.order.withLock { $0.append(number) }
        if counts.done.add(1, ordering: .acquiringAndReleasing).newValue == count { end.open() }
      }
    }
    #expect(end.wait(milliseconds: 20_000))
    #expect(counts.order.withLock { $0.sorted() } == Array(0..<count))
  }

  @Test func jobsOfSeveralThreadsAllRun() async throws {
    let (pool, counts, end) = (WorkerPool.forWaiting(), Counts(), Gate())
    defer { pool.close() }
    let threads = (0..<4).map { _ in
      Task {
        try await onThread {
          for _ in 0..<500 {
            pool.submit { _ in
              if counts.done.add(1, ordering: .acquiringAndReleasing).newValue == 2000 { end.open() }
            }
          }
        }
      }
    }
    for thread in threads { try await thread.value }
    #expect(end.wait(milliseconds: 20_000) && counts.done.load(ordering: .acquiring) == 2000)
  }

  /// Jobs that wait for one that comes later do not keep it from running.
  @Test(arguments: [4, 9, 30])
  func aPoolWhoseThreadsAreAllStuckGrows(_ stuck: Int) {
    let (pool, counts, key, end) = (WorkerPool.forWaiting(), Counts(), Gate(), Gate())
    defer { pool.close() }
    for _ in 0..<stuck {
      pool.submit { _ in
        let opened = key.wait(milliseconds: 20_000)
        if opened, counts.done.add(1, ordering: .acquiringAndReleasing).newValue == stuck { end.open() }
      }
    }
    pool.submit { _ in key.open() }
    #expect(end.wait(milliseconds: 20_000))
  }

  /// Quick jobs are left to one worker: the first one that waits for a later one must not hold it up.
  @Test(arguments: [1, 3, 20])
  func aPoolThatDidQuickJobsStillGrows(_ stuck: Int) {
    let (pool, counts, quick, key, end) = (WorkerPool.forWaiting(), Counts(), Gate(), Gate(), Gate())
    defer { pool.close() }
    for number in 0..<500 { pool.submit { _ in if number == 499 { quick.open() } } }
    #expect(quick.wait(milliseconds: 20_000))
    for _ in 0..<stuck {
      pool.submit { _ in
        let opened = key.wait(milliseconds: 20_000)
        if opened, counts.done.add(1, ordering: .acquiringAndReleasing).newValue == stuck { end.open() }
      }
    }
    pool.submit { _ in key.open() }
    #expect(end.wait(milliseconds: 20_000))
  }

  @Test func whatLastJobsDidSaysWhetherMoreWorkersAreOfUse() {
    var share = WaitingShare()
    #expect(share.isMuch)
    for _ in 0..<20 { share.note(false) }
    #expect(!share.isMuch)
    share.note(true)
    #expect(share.isMuch)
    for _ in 0..<3 { share.note(false) }
    #expect(!share.isMuch)
    share.isStuck()
    for _ in 0..<10 { share.note(false) }
    #expect(share.isMuch)
  }

  @Test func jobsUnderWayAndWaitingOnesEndBehindTheClose() {
    let (pool, begun, key, end) = (WorkerPool.forComputing(), Gate(), Gate(), Gate())
    pool.submit { _ in
      begun.open()
      _ = key.wait(milliseconds: 20_000)
    }
    begun.wait()
    pool.submit { _ in end.open() }
    pool.close()
    key.open()
    #expect(end.wait(milliseconds: 20_000))
  }

  /// Behind a program's end nothing is begun for it: its threads would not end before.
  @Test func whatNobodyWaitsForAnyMoreIsNotBegun() async throws {
    let (counts, key, end) = (Counts(), Gate(), Gate())
    try await TestWorld.run { world in
      for _ in 0..<WorkerPool.maximumThreads {
        world.host.work({ key.wait(milliseconds: 20_000) }, then: { _ in })
      }
      world.host.work({ counts.done.add(1, ordering: .relaxed).newValue }, then: { _ in })
      world.host.dropErrands()
      key.open()
      world.host.pool.submit { _ in end.open() }
      #expect(end.wait(milliseconds: 20_000))
    }
    #expect(counts.done.load(ordering: .acquiring) == 0)
  }

  @Test func aWorkersScratchIsEmptyForEachJob() throws {
    let scratch = WorkerScratch()
    let call = Call(app: testApp())
    for text in ["\"one\"", "2"] {
      let reply = try scratch.run(
        { _, _, sink in
          Array(text.utf8).withUnsafeBufferPointer { sink.put(raw: $0) }
          return .text
        }, [], [], call
      ).get()
      guard case .text(let found) = reply.payload else { continue }
      #expect(String(decoding: found, as: UTF8.self) == text)
    }
    let cancelled = CallState()
    cancelled.cancel()
    let failed = scratch.run({ _, _, _ in .undefined }, [], [], Call(app: testApp(), state: cancelled))
    #expect(throws: BridgeError.self) { try failed.get() }
  }
}

/// A call settles once, and its slot is used again when nothing of it is on the way.
@Suite struct CallRecordTests {
  @Test func aCallIsAnsweredOnce() {
    var life = CallLife()
    #expect(life.isRunning && life.handlerFinished() && !life.isRunning)
    #expect(!life.handlerFinished() && !life.abandon())
  }

  @Test func whoAbandonsFirstSettlesIt() {
    var life = CallLife()
    #expect(life.abandon() && !life.isRunning && !life.abandon())
    // The handler's answer reaches no caller.
    #expect(!life.handlerFinished() && !life.abandon())
  }

  @Test func slotsAreUsedAgainOnceRepliesAreOut() async throws {
    let slots = try await TestWorld.run { world in
      var table = CallTable()
      let bound = BoundAction(
        service: "s",
        declaration: Declaration(
          name: "a", help: "", options: .none, result: .none,
          runner: .foreign), app: testApp(), index: 0)
      func record() -> CallRecord {
        CallRecord(action: bound, state: CallState(), started: 0, caller: nil, session: world.session)
      }
      var slots = [table.insert(record()), table.insert(record()), table.insert(record())]
      table.remove(1)
      slots.append(table.insert(record()))
      #expect(table.count == 3 && table[1] == nil && table[99] == nil && table[-1] == nil)
      table.remove(0)
      table.retiredLeave()
      // One that is over while others leave is none of those.
      slots.append(table.insert(record()))
      table.remove(4)
      table.reuseLeft()
      // The last that was freed comes first.
      slots += [table.insert(record()), table.insert(record()), table.insert(record())]
      #expect(table.open.count == 5 && table.count == 5 && table[0]?.slot == 0 && table[4] == nil)
      return slots
    }
    #expect(slots == [0, 1, 2, 3, 4, 0, 1, 5])
  }
}
