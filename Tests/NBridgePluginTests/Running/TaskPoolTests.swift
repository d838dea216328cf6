// SPDX-License-Identifier: MIT

import Foundation
import Synchronization
import TestSupport
import Testing

@testable import NBridgePlugin

/// Tasks that run one call after the other.
@Suite struct TaskPoolTests {
  /// The surroundings that a pool needs, on the thread of the test.
  final class Bench {
    let loop = TestLoop()
    let sink = WireSink()
    let pool: TaskPool
    init() { pool = TaskPool(loop: loop, sink: sink) }

    func action(
      _ body:
        nonisolated(nonsending) @escaping @Sendable (WireInput, Call, WireSink) async throws -> WireOutput
    ) -> AsyncAction {
      AsyncAction(body, Call(app: .testing()))
    }
  }

  final class Awaiting: AwaitedCall {
    var answers: [Result<Value, any Error>] = []
    let sink: WireSink
    init(_ sink: WireSink) { self.sink = sink }
    func finish(_ answer: Result<WireOutput, any Error>) {
      answers.append(Result { try Value(answer.get(), sink) })
      sink.reset()
    }
  }

  /// A gate that a handler waits at.
  final class Gate: Sendable {
    private let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])
    nonisolated(nonsending) func wait() async {
      await withCheckedContinuation { one in waiting.withLock { $0.append(one) } }
    }
    func open() {
      for one in waiting.withLock({ list in
        defer { list = [] }
        return list
      }) { one.resume() }
    }
    var count: Int { waiting.withLock(\.count) }
  }

  private func answered(_ outcome: TaskPool.Outcome) throws -> WireOutput {
    guard case .answered(let answer) = outcome else { throw BridgeError(.unknownError, "it is away") }
    return try answer.get()
  }

  @Test func aCallThatDoesNotSuspendIsAnsweredAtOnce() async throws {
    try await onOwnThread { () throws in
      let bench = Bench()
      let action = bench.action { input, _, sink in
        try sink.encode(["got": String(decoding: input.text, as: UTF8.self)])
        return .text
      }
      for index in 0..<200 {
        bench.sink.reset()
        let text = Array("\(index)".utf8)
        let output = try text.withUnsafeBufferPointer { text in
          try self.answered(bench.pool.run(action, WireInput(text: text, attachments: []), nil))
        }
        #expect(try Value(output, bench.sink).decode([String: String].self) == ["got": "\(index)"])
      }
    }
  }

  /// A worker that has ended leaves none of its tasks, nor its loop.
  @Test func poolsThatHaveEndedGo() async throws {
    try await onOwnThread { () throws in
      let gate = Gate()
      weak var pool: TaskPool?
      weak var loop: TestLoop?
      do {
        let bench = Bench()
        (pool, loop) = (bench.pool, bench.loop)
        let fine = bench.action { _, _, _ in .undefined }
        let late = bench.action { _, _, _ in
          await gate.wait()
          return .undefined
        }
        _ = try self.answered(bench.pool.run(fine, .none, nil))
        guard case .away(let pooled) = bench.pool.run(late, .none, nil) else {
          throw BridgeError(.unknownError, "answered")
        }
        pooled.call = Awaiting(bench.sink)
        _ = try self.answered(bench.pool.run(fine, .none, nil))
        bench.pool.end()
        gate.open()
        while bench.loop.turn() {}
      }
      #expect(pool == nil && loop == nil)
    }
  }

  @Test func errorsAreAnswersAndLeaveNoText() async throws {
    try await onOwnThread { () throws in
      let bench = Bench()
      let failing = bench.action { _, _, sink in
        sink.put("half of an ans")
        throw BridgeError(.conflict, "taken")
      }
      let fine = bench.action { _, _, sink in
        try sink.encode([1])
        return .text
      }
      let error = #expect(throws: BridgeError.self) { try self.answered(bench.pool.run(failing, .none, nil)) }
      #expect(error?.code == .conflict)
      #expect(bench.sink.count == 0)
      #expect(
        try Value(self.answered(bench.pool.run(fine, .none, nil)), bench.sink).text == Array("[1]".utf8))
    }
  }

  @Test func aCallThatSuspendsIsAnsweredLater() async throws {
    try await onOwnThread { () throws in
      let bench = Bench()
      let gate = Gate()
      let action = bench.action { _, _, sink in
        await gate.wait()
        try sink.encode(["late": true])
        return .text
      }
      guard case .away(let pooled) = bench.pool.run(action, .none, nil) else {
        throw BridgeError(.unknownError, "answered")
      }
      let call = Awaiting(bench.sink)
      pooled.call = call
      #expect(gate.count == 1)
      #expect(call.answers.isEmpty)
      gate.open()
      bench.loop.turn { !call.answers.isEmpty }
      #expect(try call.answers.first?.get().decode([String: Bool].self) == ["late": true])
      // The task that was away takes the next call.
      let next = bench.action { _, _, _ in .number(5) }
      guard case .number(5) = try self.answered(bench.pool.run(next, .none, nil)) else {
        throw BridgeError(.unknownError, "no number")
      }
    }
  }

  /// Calls that are away come back in any order, each with its own answer.
  @Test func manyAreAwayAtOnce() async throws {
    try await onOwnThread { () throws in
      let bench = Bench()
      let gates = (0..<100).map { _ in Gate() }
      let calls = try gates.enumerated().map { index, gate in
        let action = bench.action { _, _, sink in
          await gate.wait()
          try sink.encode(["number": index])
          return .text
        }
        guard case .away(let pooled) = bench.pool.run(action, .none, nil) else {
          throw BridgeError(.unknownError, "answered")
        }
        let call = Awaiting(bench.sink)
        pooled.call = call
        // The action lives as long as its call.
        return (call, action)
      }
      var random = SeededGenerator(seed: 81)
      for gate in gates.shuffled(using: &random) { gate.open() }
      bench.loop.turn { calls.allSatisfy { !$0.0.answers.isEmpty } }
      for (index, call) in calls.enumerated() {
        #expect(call.0.answers.count == 1)
        #expect(try call.0.answers[0].get().decode([String: Int].self) == ["number": index])
      }
      withExtendedLifetime(calls) {}
    }
  }

  /// A handler that makes calls itself: the outer answer is not the inner one's.
  @Test func callsInsideOfCallsKeepTheirAnswersApart() async throws {
    try await onOwnThread { () throws in
      let bench = Bench()
      let inner = bench.action { _, _, sink in
        try sink.encode(["inner": 1])
        return .text
      }
      let pool = UncheckedSendable((bench, inner))  // of this thread
      let outer = bench.action { _, _, sink in
        let (bench, inner) = pool.value
        var seen: [String] = []
        for _ in 0..<3 {
          guard case .answered(let answer) = bench.pool.run(inner, .none, nil) else { continue }
          seen.append(String(decoding: try Value(answer.get(), bench.sink).text, as: UTF8.self))
          bench.sink.reset()
        }
        try sink.encode(seen)
        return .text
      }
      let output = try self.answered(bench.pool.run(outer, .none, nil))
      #expect(
        try Value(output, bench.sink).decode([String].self) == Array(repeating: #"{"inner":1}"#, count: 3))
    }
  }

  @Test func aCallsOwnStateIsSeenByItsHandler() async throws {
    try await onOwnThread { () throws in
      let bench = Bench()
      let action = bench.action { _, call, _ in .bool(call.isCancelled) }
      let cancelled = CallState()
      cancelled.cancel()
      for (state, expected) in [(nil, false), (cancelled, true), (CallState(), false), (nil, false)]
        as [(CallState?, Bool)]
      {
        guard case .bool(let isCancelled) = try self.answered(bench.pool.run(action, .none, state)) else {
          continue
        }
        #expect(isCancelled == expected)
      }
    }
  }

  /// Cancellation sticks to a task: it must not meet the next call.
  @Test func aCancelledTaskIsNotUsedAgain() async throws {
    try await onOwnThread { () throws in
      let bench = Bench()
      let gate = Gate()
      let waits = bench.action { _, _, _ in
        await gate.wait()
        return .bool(Task.isCancelled)
      }
      guard case .away(let pooled) = bench.pool.run(waits, .none, nil) else {
        throw BridgeError(.unknownError, "answered")
      }
      let call = Awaiting(bench.sink)
      pooled.call = call
      pooled.task?.cancel()
      gate.open()
      bench.loop.turn { !call.answers.isEmpty }
      #expect(try call.answers.first?.get().decode(Bool.self) == true)
      let asks = bench.action { _, _, _ in .bool(Task.isCancelled) }
      for _ in 0..<5 {
        guard case .bool(false) = try self.answered(bench.pool.run(asks, .none, nil)) else {
          throw BridgeError(.unknownError, "cancelled")
        }
      }
    }
  }

  /// Attachments are handed over with their call and none other.
  @Test func bytesBelongToTheirCall() async throws {
    try await onOwnThread { () throws in
      let bench = Bench()
      let action = bench.action { input, _, _ in
        .number(Double(input.attachments.reduce(0) { $0 + $1.count }))
      }
      for count in [3, 0, 5] {
        let bytes = count == 0 ? [] : [Bytes([UInt8](repeating: 1, count: count))]
        guard
          case .number(let found) = try self.answered(
            bench.pool.run(action, WireInput(text: .init(start: nil, count: 0), attachments: bytes), nil))
        else { continue }
        #expect(found == Double(count))
      }
    }
  }
}
