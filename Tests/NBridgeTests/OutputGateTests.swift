// SPDX-License-Identifier: MIT

import NBridge
import NBridgePlugin
import NBridgeSystem
import Synchronization
import Testing

/// Which threads may write while a person is asked.
@Suite struct OutputGateTests {
  /// The counts that the threads of a test share.
  private final class Counts: Sendable {
    let inside = Atomic<Int>(0)
    let passed = Atomic<Int>(0)
    let given = Atomic<Int>(0)
    let isOver = Atomic<Bool>(false)
    let running = Atomic<Int>(0)
    let order = Mutex<[Int]>([])
  }

  @Test func nobodyWritesWhileAQuestionStands() {
    let (gate, counts) = (OutputGate(), Counts())
    for _ in 0..<4 {
      counts.running.add(1, ordering: .relaxed)
      PlainThread.start("gate-writer") {
        while !counts.isOver.load(ordering: .relaxed) {
          let passed = gate.pass {
            counts.inside.add(1, ordering: .sequentiallyConsistent)
            counts.inside.subtract(1, ordering: .sequentiallyConsistent)
          }
          if passed { counts.passed.add(1, ordering: .relaxed) } else { gate.wait { true } }
        }
        counts.running.subtract(1, ordering: .releasing)
      }
    }
    for round in 1...50 {
      let question = gate.ask(unless: { false }, giveBack: { counts.given.add(1, ordering: .relaxed) })
      for _ in 0..<1000 { #expect(counts.inside.load(ordering: .sequentiallyConsistent) == 0) }
      #expect(gate.ask(unless: { false }, giveBack: {}) == nil)
      question?.end()
      #expect(counts.given.load(ordering: .relaxed) == round)
      // Between questions every writer may go on.
      let before = counts.passed.load(ordering: .relaxed)
      while counts.passed.load(ordering: .relaxed) == before {}
    }
    counts.isOver.store(true, ordering: .relaxed)
    while counts.running.load(ordering: .acquiring) > 0 {}
  }

  @Test func whatIsHeldComesInItsOrderWhoeverEndsTheQuestion() {
    let (gate, counts) = (OutputGate(), Counts())
    let question = gate.ask(unless: { false }, giveBack: { counts.given.add(1, ordering: .relaxed) })
    for number in 1...5 { gate.passOrHold { counts.order.withLock { $0.append(number) } } }
    #expect(counts.order.withLock(\.self).isEmpty && question?.draw {} == true)
    gate.endQuestion()
    question?.end()
    #expect(counts.order.withLock(\.self) == [1, 2, 3, 4, 5])
    #expect(question?.draw { Issue.record("drawn") } == false && counts.given.load(ordering: .relaxed) == 1)
    gate.passOrHold { counts.order.withLock { $0.append(6) } }
    #expect(counts.order.withLock(\.self).last == 6 && !gate.whenOpen {})
  }

  /// A question does not wait for a writer that a reader holds up, once its caller wants no answer.
  @Test func askingIsGivenUpWhereAWriterDoesNotComeToItsEnd() {
    let (gate, counts) = (OutputGate(), Counts())
    PlainThread.start("gate-stuck") {
      _ = gate.pass {
        counts.inside.store(1, ordering: .releasing)
        while !counts.isOver.load(ordering: .acquiring) {}
      }
      counts.running.store(1, ordering: .releasing)
    }
    while counts.inside.load(ordering: .acquiring) == 0 {}
    #expect(gate.ask(unless: { true }, giveBack: {}) == nil)
    #expect(gate.pass {})
    counts.isOver.store(true, ordering: .releasing)
    while counts.running.load(ordering: .acquiring) == 0 {}
    #expect(gate.ask(unless: { true }, giveBack: {}) != nil)
  }
}
