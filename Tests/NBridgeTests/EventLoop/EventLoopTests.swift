// SPDX-License-Identifier: MIT

import JSEngine
import NBridgePlugin
import Synchronization
import TestSupport
import Testing

@testable import NBridgeHost
@testable import NBridgeSystem

/// The order of work on the engine's thread.
@Suite struct EventLoopTests {
  final class Log {
    var lines: [String] = []
  }

  @Test func anIdleLoopJumpsToItsNextTimer() async throws {
    let (lines, passed) = try await TestWorld.run { world in
      let (log, start) = (Log(), world.clock.now)
      for (name, delay) in [("b", 2_000_000), ("a", 1_000), ("century", 3_153_600_000_000_000)] {
        world.loop.schedule(at: start + delay, holding: true) { log.lines.append(name) }
      }
      while world.loop.isAlive { world.loop.turn() }
      return (log.lines, world.clock.now - start)
    }
    #expect(lines == ["a", "b", "century"] && passed == 3_153_600_000_000_000)
  }

  @Test func aTimerCancelsAnotherOfItsRound() async throws {
    let lines = try await TestWorld.run { world in
      let log = Log()
      let now = world.clock.now
      var second: TimerQueue.ID?
      world.loop.schedule(at: now) {
        log.lines.append("first")
        second.map { world.loop.cancel($0) }
      }
      second = world.loop.schedule(at: now) { log.lines.append("second") }
      world.loop.schedule(at: now) { log.lines.append("third") }
      world.loop.turn()
      return log.lines
    }
    #expect(lines == ["first", "third"])
  }

  /// A timer that sets itself for now lets the loop's other work in, and the loop itself come back.
  @Test func aTimerThatSetsItselfLetsOthersIn() async throws {
    let (ran, other) = try await TestWorld.run { world in
      let (log, others) = (Log(), Log())
      func again() {
        log.lines.append("x")
        world.loop.schedule(at: world.clock.now, again)
      }
      again()
      world.loop.post {}
      world.loop.schedule(at: world.clock.now) { others.lines.append("other") }
      world.loop.turn()
      return (log.lines.count, others.lines.count)
    }
    #expect(ran <= 66 && ran > 2 && other == 1)
  }

  @Test func theEndOfARoundComesBehindItsTimers() async throws {
    let lines = try await TestWorld.run { world in
      let log = Log()
      world.loop.endOfRound = { log.lines.append("end") }
      world.loop.schedule(at: world.clock.now) { log.lines.append("timer") }
      world.loop.turn()
      return log.lines
    }
    #expect(lines.firstIndex(of: "timer").map { lines[$0...].contains("end") } == true)
  }

  @Test func whatIsWantedKeepsTheLoopAlive() async throws {
    try await TestWorld.run { world in
      let loop = world.loop
      #expect(!loop.isAlive && !loop.hasWork)
      let quiet = loop.schedule(at: world.clock.now + 5) {}
      #expect(!loop.isAlive && !loop.hasHoldingTimers)
      let holding = loop.schedule(at: world.clock.now + 5, holding: true) {}
      #expect(loop.isAlive && loop.holdingTimerCount == 1)
      loop.cancel(holding)
      loop.cancel(quiet)
      loop.holds = 1
      #expect(loop.isAlive)
      loop.holds = 0
      loop.wantsRound = true
      #expect(loop.isAlive && loop.hasWork)
      loop.wantsRound = false
      #expect(!loop.isAlive)
    }
  }

  @Test(arguments: [
    (0, 0), (1, 1000), (-1, -1000), (Int.max, nil), (Int.max / 1000, nil),
    (3_153_600_000_000, 3_153_600_000_000_000), (Int.max / 1001, Int.max / 1001 * 1000),
  ])
  func deadlinesOfCenturies(_ milliseconds: Int, _ microseconds: Int?) async throws {
    let (deadline, now) = try await TestWorld.run { ($0.loop.deadline(after: milliseconds), $0.clock.now) }
    #expect(deadline == microseconds.map { now + $0 } ?? .max)
  }

  @Test func aTimerAtTheEndOfAllTimeIsOne() async throws {
    let (due, next) = try await TestWorld.run { world in
      world.loop.schedule(at: .max) {}
      world.loop.poll()
      return (world.loop.hasWork, world.loop.readyTime)
    }
    #expect(!due && next == -1)
  }

  @Test func workOfOtherThreadsRunsInItsOrderAndWakesASleeper() async throws {
    let lines = try await withEngine { context in
      let loop = EventLoop(context: context.machine.mainContext, clock: SystemClock())
      defer { loop.close() }
      let lines = Mutex<[Int]>([])
      let (slept, start) = (Gate(), Gate())
      loop.willSleep = { start.open() }
      PlainThread.start("nb-poster") {
        start.wait()
        for number in 0..<100 { loop.post { lines.withLock { $0.append(number) } } }
        slept.open()
      }
      while lines.withLock({ $0.count }) < 100 { loop.turn() }
      slept.wait()
      return lines.withLock { $0 }
    }
    #expect(lines == Array(0..<100))
  }

  @Test func behindItsEndNothingRuns() async throws {
    let lines = try await withEngine { context in
      let clock = VirtualClock()
      let loop = EventLoop(context: context.machine.mainContext, clock: clock)
      let log = Log()
      loop.schedule(at: clock.now, holding: true) {
        log.lines.append("closes")
        loop.close()
      }
      loop.schedule(at: clock.now, holding: true) { log.lines.append("late") }
      loop.turn()
      let back = UncheckedSendable(log)  // touched on this thread only
      loop.post { back.value.lines.append("posted") }
      loop.close()
      #expect(!loop.isAlive && loop.isCurrent)
      return log.lines
    }
    #expect(lines == ["closes"])
  }

  @Test func tasksRunOnTheLoopsThread() async throws {
    let isOnLoop = try await TestWorld.run { world in
      let found = Mutex<[Bool]>([])
      let loop = world.loop
      let task = loop.startTask { _ in
        found.withLock { $0.append(loop.isCurrent) }
        await Task.yield()
        found.withLock { $0.append(loop.isCurrent) }
      }
      _ = world.turn { found.withLock { $0.count == 2 } }
      task.cancel()
      return found.withLock { $0 }
    }
    #expect(isOnLoop == [true, true])
  }

  @Test func beforeItSleepsWhatWasPrintedGoesOut() async throws {
    let times = try await TestWorld.run { world in
      let log = Log()
      world.loop.willSleep = { log.lines.append("flush") }
      world.loop.schedule(at: world.clock.now + 10) { log.lines.append("timer") }
      world.loop.turn()
      return log.lines
    }
    #expect(times == ["flush", "timer"])
  }

  @Test func aStretchIsOverInItsTime() {
    let stretch = Lateness.Stretch()
    let end = ContinuousClock.now + .seconds(10)
    while !stretch.isOver, ContinuousClock.now < end {}
    #expect(stretch.isOver)
  }
}

/// The parts that loops wait with, and for.
@Suite struct LoopPartsTests {
  @Test func aClockThatIsMovedNeverGoesBack() {
    let clock = VirtualClock()
    #expect(clock.now == 1_000_000 && !clock.isReal)
    clock.jump(to: 5_000_000)
    clock.jump(to: 4_000_000)
    #expect(clock.now == 5_000_000)
    clock.jump(to: .max)
    #expect(clock.now == .max)
  }

  @Test func theSystemsClockMovesByItself() {
    let clock = SystemClock()
    let start = clock.now
    clock.jump(to: .max)
    while clock.now == start {}
    #expect(clock.isReal && clock.now > start && clock.now < .max)
  }

  @Test func aGateThatIsOpenLetsAllThrough() async throws {
    let gate = Gate()
    #expect(!gate.wait(milliseconds: 1) && !gate.wait(milliseconds: 0))
    let waiting = (0..<3).map { _ in Task { try await onThread { gate.wait() } } }
    gate.open()
    for task in waiting { try await task.value }
    gate.wait()
    #expect(gate.wait(milliseconds: 0) && gate.wait(milliseconds: 10_000))
  }

  /// The patience stays between its bounds whatever it is told.
  @Test(arguments: 0..<10)
  func patienceHasBounds(_ seed: Int) {
    var random = SeededGenerator(seed: seed)
    var patience = SpinPatience()
    for _ in 0..<500 {
      let time = random.pick([0, 1, 30, 60, 100, 199, 200, 1000, 1_000_000, -5, 1 << 40])
      if random.number(0...1) == 0 { patience.noteSpin(time) } else { patience.noteSleep(time) }
      #expect((40...200).contains(patience.microseconds))
    }
  }
}
