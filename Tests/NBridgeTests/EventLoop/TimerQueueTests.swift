// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import NBridgeHost

/// Deadlines in order, in rounds.
@Suite struct TimerQueueTests {
  /// A queue that its own bodies change.
  final class Box {
    var queue = TimerQueue()
    var ran: [String] = []

    @discardableResult
    func add(
      _ name: String, _ deadline: Int, holding: Bool = false,
      _ body: @escaping () -> Void = {}
    ) -> TimerQueue.ID {
      queue.insert(deadline: deadline, holding: holding) { [unowned self] in
        ran.append(name)
        body()
      }
    }

    func round(at now: Int) {
      queue.beginRound(at: now)
      while let body = queue.next() { body() }
    }
  }

  @Test func theyRunByTimeAndEqualOnesAsTheyWereSet() {
    let box = Box()
    for (name, time) in [
      ("c", 3), ("a1", 1), ("b", 2), ("a2", 1), ("z", 9),
      ("a3", 1),
    ] { box.add(name, time) }
    box.round(at: 3)
    #expect(box.ran == ["a1", "a2", "a3", "b", "c"])
    #expect(box.queue.nextDeadline == 9 && !box.queue.isDue(at: 8) && box.queue.isDue(at: 9))
  }

  @Test func oneThatAnotherOfItsRoundCancelsDoesNotRun() {
    let box = Box()
    var second: TimerQueue.ID?
    box.add("first", 1) { second.map { box.queue.remove($0) } }
    second = box.add("second", 1)
    box.add("third", 2)
    box.round(at: 5)
    #expect(box.ran == ["first", "third"] && box.queue.nextDeadline == nil)
  }

  /// Whatever its time: one that sets itself for now would never let go.
  @Test(arguments: [0, 1, 4, 5])
  func oneThatIsSetInARoundWaitsForTheNext(_ time: Int) {
    let box = Box()
    box.add("a", 1) { box.add("new", time) }
    box.add("b", 5)
    box.round(at: 5)
    #expect(box.ran == ["a", "b"] && box.queue.nextDeadline == time && box.queue.isDue(at: 5))
    box.round(at: 5)
    #expect(box.ran == ["a", "b", "new"])
  }

  @Test func oneThatIsSetInARoundCanBeCancelledInIt() {
    let box = Box()
    var late: TimerQueue.ID?
    box.add("a", 2) { late = box.add("late", 1, holding: true) }
    // By then the first was looked at and put off.
    box.add("b", 3) { late.map { box.queue.remove($0) } }
    box.round(at: 5)
    box.round(at: 5)
    #expect(box.ran == ["a", "b"] && !box.queue.isHolding && box.queue.nextDeadline == nil)
  }

  @Test func oneThatCancelsItselfHasRun() {
    let box = Box()
    var own: TimerQueue.ID?
    own = box.add("a", 1, holding: true) { own.map { box.queue.remove($0) } }
    box.round(at: 1)
    #expect(box.ran == ["a"] && box.queue.holdingCount == 0)
  }

  @Test func aRoundInsideOfARoundRunsTheRest() {
    let box = Box()
    box.add("a", 1) {
      box.add("new", 1)
      box.round(at: 2)
    }
    box.add("b", 2)
    box.round(at: 1)
    #expect(box.ran == ["a", "new", "b"] && box.queue.nextDeadline == nil)
  }

  @Test func whatWaitsInTheMiddleOfARoundIsSeen() {
    let box = Box()
    var seen: [Int?] = []
    box.add("a", 1) { box.add("new", 0) }
    box.add("b", 2) { seen = [box.queue.nextDeadline, box.queue.isDue(at: 0) ? 1 : 0] }
    box.add("c", 99)
    box.round(at: 5)
    #expect(seen == [0, 1])
  }

  @Test func withoutARoundNothingRuns() {
    let box = Box()
    box.add("a", 1)
    #expect(box.queue.next() == nil && box.queue.nextDeadline == 1)
    box.round(at: 0)
    #expect(box.ran.isEmpty && box.queue.nextDeadline == 1)
  }

  @Test(arguments: [Int.max, Int.max - 1, Int.min, Int.min + 1, 0])
  func anyTimeIsATime(_ deadline: Int) {
    let box = Box()
    box.add("x", deadline)
    #expect(box.queue.nextDeadline == deadline && box.queue.isDue(at: deadline))
    #expect(deadline == .min || !box.queue.isDue(at: deadline - 1))
    box.round(at: deadline)
    #expect(box.ran == ["x"])
  }

  @Test func removingWhatIsNotThereChangesNothing() {
    let box = Box()
    let gone = box.add("gone", 1)
    box.queue.remove(gone)
    // It stands where the other stood.
    let id = box.add("a", 1, holding: true)
    box.queue.remove(gone)
    #expect(box.queue.holdingCount == 1)
    box.queue.remove(id)
    box.queue.remove(id)
    #expect(box.queue.holdingCount == 0 && box.queue.nextDeadline == nil)
  }

  /// Any order of settings and cancellations runs what a sorted list would.
  @Test(arguments: 0..<40)
  func itAgreesWithASortedList(_ seed: Int) {
    var random = SeededGenerator(seed: seed)
    let box = Box()
    var model: [(id: TimerQueue.ID, time: Int, holds: Bool)] = []
    var steps: [TimerQueue.ID: Int] = [:]
    var expected: [String] = []
    for step in 0..<300 {
      switch random.number(0...9) {
      case 0...4:
        let (time, holds) = (random.number(0...30), random.number(0...1) == 0)
        model.append((box.add("\(step)", time, holding: holds), time, holds))
        steps[model[model.count - 1].id] = step
      case 5...6 where !model.isEmpty:
        box.queue.remove(
          model.remove(at: random.number(0...model.count - 1)).id)
      default:
        let now = random.number(0...30)
        let due = model.filter { $0.time <= now }.map { ($0.time, steps[$0.id] ?? 0) }
        expected += due.sorted(by: <).map { "\($0.1)" }
        model.removeAll { $0.time <= now }
        box.round(at: now)
      }
      #expect(
        box.queue.holdingCount == model.count { $0.holds }
          && box.queue.nextDeadline
            == model.map(\.time).min()
      )
    }
    #expect(box.ran == expected)
  }

  /// Those are deadlines of calls, answered in another order than they were made: to look for each among all
  /// took minutes.
  @Test func aHundredThousandAreCancelledInAnyOrder() {
    let box = Box()
    var random = SeededGenerator(seed: 1)
    let all = (0..<100_000).map { box.add("\($0)", $0 % 100, holding: true) }
    for id in all.dropLast().shuffled(using: &random) { box.queue.remove(id) }
    #expect(box.queue.holdingCount == 1 && box.queue.nextDeadline == 99)
    for id in all { box.queue.remove(id) }
    #expect(!box.queue.isHolding && box.queue.nextDeadline == nil)
  }
}
