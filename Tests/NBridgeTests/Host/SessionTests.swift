// SPDX-License-Identifier: MIT

import NBridgePlugin
import NBridgeTesting
import Synchronization
import Testing

@testable import NBridge
@testable import NBridgeHost
@testable import NBridgeScript
@testable import NBridgeSystem

/// Numbers from 0 on, as fast as they are asked for.
struct Numbers: AsyncSequence, Sendable {
  let asked: Mutexed
  let end: Int

  final class Mutexed: Sendable {
    let count = Atomic<Int>(0)
    var value: Int { count.load(ordering: .acquiring) }
  }

  struct AsyncIterator: AsyncIteratorProtocol {
    let numbers: Numbers
    var next = 0
    mutating func next() async -> Int? {
      guard next < numbers.end else { return nil }
      numbers.asked.count.add(1, ordering: .acquiringAndReleasing)
      defer { next += 1 }
      return next
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(numbers: self) }
}

struct TestedPlugin: Plugin {
  static let manifest = PluginManifest(service: "probe", version: "1.0.0", help: "For tests.")
  let asked = Numbers.Mutexed()
  var buffering = Buffering.wait(2)
  var end = 10

  var body: PluginBody {
    Immediate("one", "One.") { call in 1 }
    Immediate("fails", "Fails.") { (call) -> Int in throw BridgeError(.conflict, "no") }
    Action("never", "Never answers.") { call in
      try await Task.sleep(for: .seconds(86_400))
      return 0
    }
    Detached("far", "Elsewhere.") { call in 7 }
    Watch("numbers", "Numbers.") { call in Numbers(asked: asked, end: end) }.buffering(buffering)
  }
}

/// Calls, deadlines and watches of one client.
@Suite struct SessionTests {
  static func text(_ begun: Begun) -> String {
    switch begun {
    case .answered(let output): "\(output)"
    case .failed(let error): "\(error)"
    case .pending: "pending"
    }
  }

  @Test func whatIsThereIsAnsweredAtOnce() async throws {
    let found = try await TestWorld.run([TestedPlugin()]) { world in
      [try world.begin("one"), try world.begin("fails")].map(Self.text)
    }
    #expect(found == ["number(1.0)", "conflict: no"])
  }

  @Test func whatIsNotAllowedIsRefusedUntilItIs() async throws {
    let found = try await TestWorld.run(
      [TestedPlugin()],
      permissions: PermissionSet(["probe.far"])
    ) { world in
      let before = Self.text(try world.begin("one"))
      world.session.permissions = PermissionSet(["probe.one"])
      return [before, Self.text(try world.begin("one"))]
    }
    #expect(
      found[0].hasPrefix("permission_denied: 'probe.one' is not permitted")
        && found[1]
          == "number(1.0)"
    )
  }

  @Test func aDeadlineEndsACallThatIsNotAnswered() async throws {
    let (texts, passed, holds) = try await TestWorld.run([TestedPlugin()]) { world in
      let start = world.clock.now
      _ = try world.begin("never", "", CallControl(timeout: 250))
      let held = world.loop.holds
      while world.client.replies.isEmpty { world.loop.turn() }
      return (world.client.texts, world.clock.now - start, held - world.loop.holds)
    }
    #expect(texts.first?.contains("'probe.never' did not answer within 250 ms") == true)
    #expect(passed == 250_000 && holds == 1)
  }

  /// A deadline past the end of all clocks is one that is never reached.
  @Test(arguments: [Int.max, Int.max / 1000, Int.max / 1000 - 1, 3_153_600_000_000])
  func aDeadlineOfCenturies(_ milliseconds: Int) async throws {
    let (kind, texts) = try await TestWorld.run([TestedPlugin()]) { world in
      let begun = try world.begin("far", "", CallControl(timeout: milliseconds))
      let isAnswered = world.turn { !world.client.replies.isEmpty }
      return (Self.text(begun) + " \(isAnswered)", world.client.texts)
    }
    #expect(kind == "pending true" && texts == ["number(7.0)"])
  }

  @Test func aCancelledCallIsNotAnswered() async throws {
    let (count, open, holds) = try await TestWorld.run([TestedPlugin()]) { world in
      guard
        case .pending(let slot) = try world.begin(
          "never", "",
          CallControl(timeout: 5))
      else { return (9, 9, 9) }
      world.session.cancel(slot: slot)
      world.session.cancel(slot: slot)
      world.session.cancel(slot: 99)
      _ = world.turn { world.session.calls.count == 0 }
      return (world.client.replies.count, world.session.calls.count, world.loop.holds)
    }
    #expect(count == 0 && open == 0 && holds == 0)
  }

  @Test func repliesWaitForAClientThatTakesNone() async throws {
    let (before, after) = try await TestWorld.run([TestedPlugin()]) { world in
      world.client.takesReplies = false
      _ = try world.begin("never", "", CallControl(timeout: 1))
      for _ in 0..<5 { world.loop.turn() }
      let before = world.client.replies.count
      world.client.takesReplies = true
      world.session.flush()
      return (before, world.client.replies.count)
    }
    #expect(before == 0 && after == 1)
  }

  // MARK: - Watches

  static func events(_ client: TestClient) -> [String] { client.texts }

  @Test func aWatchIsReadNoFurtherThanItsCredit() async throws {
    let (first, second, last) = try await TestWorld.run(
      [TestedPlugin(end: 5)]) { world -> ([String], [String], [String]) in
        guard case .pending(let slot) = try world.begin("numbers") else { return ([], [], []) }
        _ = world.turn { !world.client.replies.isEmpty }
        for _ in 0..<20 { world.loop.poll() }
        let first = world.client.texts
        world.session.grant(slot: slot, count: 2)
        _ = world.turn { world.client.replies.count > 1 }
        for _ in 0..<20 { world.loop.poll() }
        let second = world.client.texts
        world.session.grant(slot: slot, count: 100)
        _ = world.turn { world.session.calls.open.isEmpty }
        _ = world.turn { world.client.texts.last == "undefined" }
        return (first, second, world.client.texts)
      }
    #expect(first.joined().filter { $0 == "[" }.count >= 1 && Self.numbers(first) == [0, 1])
    #expect(
      Self.numbers(second) == [0, 1, 2, 3] && Self.numbers(last) == [0, 1, 2, 3, 4]
        && last.last
          == "undefined"
    )
  }

  static func numbers(_ texts: [String]) -> [Int] {
    texts.flatMap { $0.split { !$0.isNumber }.compactMap { Int($0) } }
  }

  @Test(arguments: [0, -5, Int.min])
  func whatIsNoGrantGrantsNothing(_ count: Int) async throws {
    let asked = try await TestWorld.run([TestedPlugin(end: 50)]) { world -> [Int] in
      guard case .pending(let slot) = try world.begin("numbers") else { return [] }
      _ = world.turn { !world.client.replies.isEmpty }
      world.session.grant(slot: slot, count: count)
      for _ in 0..<20 { world.loop.poll() }
      return Self.numbers(world.client.texts)
    }
    #expect(asked == [0, 1])
  }

  @Test(arguments: [Buffering.dropOldest(3), .dropNewest(3)])
  func oneThatDropsIsReadWithoutCredit(_ buffering: Buffering) async throws {
    let numbers = try await TestWorld.run([TestedPlugin(buffering: buffering, end: 5000)]) { world in
      _ = try world.begin("numbers")
      _ = world.turn { world.client.texts.last == "undefined" }
      return Self.numbers(world.client.texts)
    }
    #expect(numbers == Array(0..<5000))
  }

  @Test func aWatchThatIsStoppedIsReadNoMore() async throws {
    let plugin = TestedPlugin(end: 1_000_000)
    let (isOver, stopped) = try await TestWorld.run([plugin]) { world in
      guard case .pending(let slot) = try world.begin("numbers") else { return (false, 0) }
      _ = world.turn { !world.client.replies.isEmpty }
      world.session.cancel(slot: slot)
      let isOver = world.turn { world.session.calls.open.isEmpty }
      return (isOver, plugin.asked.value)
    }
    #expect(isOver && stopped <= 4)
  }
}

/// The texts of traces and audits.
@Suite struct CallReporterTests {
  static func observation(
    failed: Bool = false, code: String? = nil, caller: String? = nil,
    microseconds: Int = 1234
  ) -> CallObservation {
    CallObservation(
      service: "s", action: "a", kind: "async", microseconds: microseconds,
      failed: failed, code: code, caller: caller)
  }

  static func reporter(_ output: CapturedOutput, _ change: (inout Tracing) -> Void) -> CallReporter {
    var tracing = Tracing()
    change(&tracing)
    return CallReporter(tracing, output: output)
  }

  @Test(arguments: [
    (false, nil, nil, 1234, "trace: s.a async ok 1.234 ms\n"),
    (true, "timeout", nil, 0, "trace: s.a async failed (timeout) 0.000 ms\n"),
    (true, nil, "p", 1_000_007, "trace: s.a async failed 1000.007 ms, by the plugin 'p'\n"),
  ])
  func aLineForEachCall(_ failed: Bool, _ code: String?, _ caller: String?, _ time: Int, _ line: String) {
    let output = CapturedOutput()
    Self.reporter(output) { $0.toStandardError = true }.settled(
      Self.observation(failed: failed, code: code, caller: caller, microseconds: time))
    #expect(output.errorText == line && output.text.isEmpty)
  }

  @Test func whoTracesNothingSaysNothing() {
    let output = CapturedOutput()
    let reporter = Self.reporter(output) { _ in }
    reporter.settled(Self.observation())
    reporter.finish()
    #expect(reporter.isEmpty && output.errorText.isEmpty)
  }

  @Test func anAuditSortsAndCountsOnce() {
    let output = CapturedOutput()
    let reporter = Self.reporter(output) { $0.audits = true }
    for permission in ["b.c", "a.b", "b.c", "import:/x"] { reporter.needs(permission) }
    reporter.settled(Self.observation())
    reporter.finish()
    #expect(output.errorText == "\"permissions\": [\"a.b\", \"b.c\", \"import:/x\"]\n" && !reporter.isEmpty)
  }

  @Test func aFileGetsALineOfJSONForEach() throws {
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    let path = folder + "/trace"
    try SmallFile.replace(path, with: Array("before\n".utf8))
    do {
      let reporter = Self.reporter(CapturedOutput()) { $0.file = path }
      reporter.settled(Self.observation())
      reporter.settled(Self.observation(failed: true, code: "c", caller: "p"))
    }
    let text = try #require(String(whole: SmallFile.read(path) ?? []))
    #expect(
      text
        == "before\n" + #"{"service":"s","action":"a","kind":"async","outcome":"ok","microseconds":"#
        + #"1234}"# + "\n"
        + #"{"service":"s","action":"a","kind":"async","outcome":"failed","code":"c","microseconds":1234,"#
        + #""caller":"p"}"# + "\n")
  }

  @Test func aFileThatCannotBeWrittenIsTold() {
    let output = CapturedOutput()
    let reporter = Self.reporter(output) { $0.file = "/nonexistent/x" }
    let reason = "No such file or directory"
    #expect(output.errorText == "nbridge: can't write the trace file '/nonexistent/x': \(reason)\n")
    #expect(reporter.isEmpty)
  }

  @Test func openCallsAreDescribed() {
    let call = OpenCall(id: "1", name: "a.b", isWatch: true, site: "x.js:3:5", caller: nil, milliseconds: 12)
    #expect("\(call)" == "a.b (watch), open for 12 ms, made at x.js:3:5")
    let made = OpenCall(id: "1", name: "a.b", isWatch: false, site: nil, caller: "p", milliseconds: 1)
    #expect("\(made)" == "a.b (call), open for 1 ms, made by the plugin 'p'")
    let shortest = OpenCall(id: "1", name: "a.b", isWatch: false, site: nil, caller: nil, milliseconds: 0)
    #expect("\(shortest)" == "a.b (call), open for 0 ms")
  }
}
