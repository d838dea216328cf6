// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import NBridgePlugin

/// Members of a plugin's body as data, and the runners behind them.
@Suite struct DeclarationTests {
  struct Options: Codable, Sendable, Equatable {
    var name: String
    var count: Int?
  }
  struct Answer: Codable, Sendable, Equatable { var text: String }

  static let call = Call(app: .testing())

  private func run(_ runner: Runner, _ text: String = "", sink: WireSink = WireSink()) async throws -> Value {
    let bytes = Array(text.utf8)
    let kept = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
    _ = kept.initialize(from: bytes)
    defer { kept.deallocate() }
    let input = WireInput(text: UnsafeBufferPointer(kept), attachments: [])
    switch runner {
    case .immediate(let body), .detached(let body): return try Value(body(input, Self.call, sink), sink)
    case .async(let body): return try Value(await body(input, Self.call, sink), sink)
    case .foreign, .watch: throw BridgeError(.unknownError, "no action")
    }
  }

  /// One of each kind and form: with and without options, with and without an answer.
  static let forms: [(any PluginMember, Declaration.Kind, hasOptions: Bool, hasResult: Bool)] = [
    (Action("a", "h") { (o: Options, _) async in Answer(text: o.name) }, .async, true, true),
    (Action("a", "h") { _ async in Answer(text: "x") }, .async, false, true),
    (Action("a", "h") { (o: Options, _) async throws -> Void in _ = o }, .async, true, false),
    (Action("a", "h") { _ async throws -> Void in }, .async, false, false),
    (Immediate("a", "h") { (o: Options, _) in Answer(text: o.name) }, .immediate, true, true),
    (Immediate("a", "h") { _ in Answer(text: "x") }, .immediate, false, true),
    (Immediate("a", "h") { (o: Options, _) throws -> Void in _ = o }, .immediate, true, false),
    (Immediate("a", "h") { _ throws -> Void in }, .immediate, false, false),
    (Detached("a", "h") { (o: Options, _) in Answer(text: o.name) }, .detached, true, true),
    (Detached("a", "h") { _ in Answer(text: "x") }, .detached, false, true),
    (Detached("a", "h") { (o: Options, _) throws -> Void in _ = o }, .detached, true, false),
    (Detached("a", "h") { _ throws -> Void in }, .detached, false, false),
  ]

  @Test func everyFormAnswersAsItIsDeclared() async throws {
    for (member, kind, hasOptions, hasResult) in Self.forms {
      let declaration = member.declaration
      #expect(declaration.kind == kind)
      #expect(declaration.name == "a")
      #expect(declaration.help == "h")
      #expect(declaration.options.isNone == !hasOptions)
      #expect(declaration.result.isNone == !hasResult)
      let answer = try await run(declaration.runner, #"{"name":"Ada"}"#)
      if hasResult {
        #expect(try answer.decode(Answer.self).text == (hasOptions ? "Ada" : "x"))
      } else {
        #expect(answer == .undefined)
      }
      guard hasOptions else { continue }
      await #expect(throws: BridgeError.self) { try await run(declaration.runner, #"{"name":1}"#) }
      await #expect(throws: BridgeError.self) { try await run(declaration.runner) }
      let error = await #expect(throws: BridgeError.self) {
        try await run(declaration.runner, #"{"name":"x","nmae":1}"#)
      }
      #expect(error?.message == "option has no 'nmae'; did you mean 'name'?")
    }
  }

  private func body(_ isLarge: Bool, @PluginBuilder _ body: (Bool) -> PluginBody) -> [String] {
    body(isLarge).members.map(\.name)
  }

  @Test(arguments: [(true, ["large", "x", "y", "z", "more"]), (false, ["small", "x", "y", "z"])])
  func aBodyHasConditionsAndLoops(_ isLarge: Bool, _ names: [String]) {
    let found = body(isLarge) { isLarge in
      if isLarge {
        Immediate("large", "L.") { _ in 1 }
      } else {
        Immediate("small", "S.") { _ in 2 }
      }
      for name in ["x", "y", "z"] { Immediate(name, "N.") { _ in name } }
      if isLarge { Immediate("more", "M.") { _ in 3 } }
    }
    #expect(found == names)
  }

  @Test func answersGoTheirShortestWay() throws {
    func output<R: Encodable & Sendable>(_ value: R, _ sink: WireSink = WireSink()) throws -> WireOutput {
      try ResultEncoding.of(R.self)(value, sink)
    }
    guard case .number(1.5) = try output(1.5) else { throw BridgeError(.unknownError, "a Double") }
    guard case .number(7) = try output(7) else { throw BridgeError(.unknownError, "an Int") }
    guard case .bool(true) = try output(true) else { throw BridgeError(.unknownError, "a Bool") }
    guard case .string("é") = try output("é") else { throw BridgeError(.unknownError, "a String") }
    guard case .bytes(Bytes([1])) = try output(Bytes([1])) else { throw BridgeError(.unknownError, "Bytes") }
    guard case .text = try output([1]) else { throw BridgeError(.unknownError, "a list") }
    guard case .text = try output(Int64(1)) else { throw BridgeError(.unknownError, "a BigInt") }
    guard case .text = try output(Optional(1)) else { throw BridgeError(.unknownError, "an optional") }
    let error = #expect(throws: BridgeError.self) { try output(Int.min) }
    #expect(error?.message.contains("declare it Int64") == true)
    guard case .number(9_007_199_254_740_992) = try output(1 << 53) else {
      throw BridgeError(.unknownError, "2^53")
    }
  }

  @Test func modifiersChangeWhatTheyName() {
    let plain = Immediate("a", "h") { _ in 1 }
    let changed = plain.positional("x", "y").parameter("x", "the x").parameter("y", "the y").permission(
      "read"
    ).errors(.notFound, "own").hidden()
      .confidential().vouches(by: "by", mocked: "nobody").blocking().declaration
    #expect(changed.positional == ["x", "y"])
    #expect(changed.parameters == ["x": "the x", "y": "the y"])
    #expect(changed.permission == "read")
    #expect(changed.errors == [.notFound, "own"])
    #expect(changed.isHidden)
    #expect(changed.isConfidential)
    #expect(changed.isBlocking)
    #expect(changed.mockMark == MockMark(member: "by", value: "nobody"))
    let untouched = plain.declaration
    #expect(untouched.positional.isEmpty)
    #expect(untouched.permission == nil)
    #expect(!untouched.isHidden && !untouched.isConfidential && !untouched.isBlocking)
    #expect(untouched.mockMark == nil)
    #expect(untouched.holdsOpen)
    #expect(untouched.buffering == .wait(128))
  }

  @Test func bodiesAreCollectedInOrder() {
    struct Parts: Plugin {
      static let manifest = PluginManifest(service: "parts", version: "1.0.0")
      var isFull: Bool
      var body: PluginBody {
        Immediate("one", "") { _ in 1 }
        if isFull { Detached("two", "") { _ in 2 } }
        part.blocking()
        Watch("five", "") { _ in AsyncStream<Int> { $0.finish() } }.buffering(.dropNewest(3)).holdsOpen(false)
      }
      @PluginBuilder var part: PluginBody {
        Detached("three", "") { _ in 3 }
        Action("four", "") { _ async in 4 }
      }
    }
    let full = Parts(isFull: true).body.members
    #expect(full.map(\.name) == ["one", "two", "three", "four", "five"])
    #expect(full.map(\.kind) == [.immediate, .detached, .detached, .async, .watch])
    #expect(full.map(\.isBlocking) == [false, false, true, false, false])
    #expect(full.last?.buffering == .dropNewest(3))
    #expect(full.last?.holdsOpen == false)
    #expect(Parts(isFull: false).body.members.map(\.name) == ["one", "three", "four", "five"])
  }

  @Test(arguments: [
    (Buffering.wait(5), 5, "wait"), (.wait(0), 1, "wait"), (.wait(-3), 1, "wait"),
    (.dropOldest(2), 2, "dropOldest"), (.dropNewest(Int.max), .max, "dropNewest"),
    (.dropOldest(.min), 1, "dropOldest"),
  ])
  func buffersHoldAtLeastOne(_ buffering: Buffering, _ limit: Int, _ policy: String) {
    #expect(buffering.limit == limit)
    #expect(buffering.policy == policy)
    #expect(Buffering(.init(policy: policy, limit: limit)).limit == limit)
  }

  @Test func unknownPoliciesWait() { #expect(Buffering(.init(policy: "other", limit: 4)) == .wait(4)) }
}

/// A plugin's description of itself.
@Suite struct DescriptorTests {
  struct Options: Codable, Sendable { var path: String, deep: Bool? }
  struct Answer: Codable, Sendable { var method: String }

  static var members: [Declaration] {
    [
      Action("read", "Reads.") { (o: Options, _) async in Answer(method: o.path) }.positional("path")
        .parameter("deep", "How deep.").permission("files")
        .errors(.notFound).vouches(by: "method", mocked: "none").declaration,
      Detached("scan", "Scans.") { _ in 1.5 }.blocking().confidential().declaration,
      Immediate("beat", "") { _ throws -> Void in }.hidden().declaration,
      Watch("changes", "Watches.") { (o: Options, _) in AsyncStream<Date> { $0.finish() } }.buffering(
        .dropOldest(7)
      ).holdsOpen(false).declaration,
    ]
  }

  @Test func aDescriptionTellsEverything() throws {
    let manifest = PluginManifest(
      service: "files", version: "1.2.3", help: "Files.",
      script: PluginScript(source: "s", members: "m", types: "t"))
    let described = try PluginDescriptor(manifest, Self.members)
    try described.check()
    let read = try Value(encoding: described).decode(PluginDescriptor.self)
    #expect(read.manifest.service == "files")
    #expect(read.manifest.version == "1.2.3")
    #expect(read.manifest.help == "Files.")
    #expect(read.manifest.script?.source == "s")
    #expect(read.manifest.script?.members == "m")
    #expect(read.manifest.script?.types == "t")
    let back = read.members.map { $0.declaration(.foreign) }
    #expect(read.members.map(\.kind) == [.async, .detached, .immediate, .watch])
    for (one, other) in zip(Self.members, back) {
      #expect(one.name == other.name)
      #expect(one.help == other.help)
      #expect(try one.options.schema() == other.options.schema())
      #expect(try one.result.schema() == other.result.schema())
      #expect(one.options.isNone == other.options.isNone)
      #expect(one.positional == other.positional)
      #expect(one.parameters == other.parameters)
      #expect(one.permission == other.permission)
      #expect(one.errors == other.errors)
      #expect(one.isBlocking == other.isBlocking)
      #expect(one.isHidden == other.isHidden)
      #expect(one.isConfidential == other.isConfidential)
      #expect(one.mockMark == other.mockMark)
      #expect(one.holdsOpen == other.holdsOpen)
      #expect(one.buffering == other.buffering || one.kind != .watch)
    }
  }

  @Test func whatIsUsualIsLeftOut() throws {
    let described = try PluginDescriptor(
      PluginManifest(service: "x", version: "1"), [Immediate("a", "") { _ in 1 }.declaration])
    #expect(
      try written(described)
        == #"{"service":"x","version":"1","members":[{"name":"a","kind":"immediate","help":"","#
        + #""result":{"type":"integer"}}]}"#
    )
  }

  @Test(arguments: [
    (
      #""positional":["x"]"#,
      "'s.a': 'x' is named as a parameter, and is no field of the options, which has none"
    ),
    (
      #""options":{"type":"object","properties":{"p":{},"q":{}}},"parameters":{"z":"?"}"#,
      "'s.a': 'z' is named as a parameter, and is no field of the options, which has p, q"
    ),
    (#""options":{"type":"tuple"}"#, "'s.a': 'tuple' is no type of JSON Schema"),
    (#""result":[]"#, "'s.a': value must be an object, not an array"),
    (
      #""buffering":{"policy":"wait","limit":0}"#,
      "'s.a': the buffering 'wait' of 0 can't be: the policy is wait, dropOldest or dropNewest, and the "
        + "limit at least 1"
    ),
    (
      #""buffering":{"policy":"drop","limit":5}"#,
      "'s.a': the buffering 'drop' of 5 can't be: the policy is wait, dropOldest or dropNewest, and the "
        + "limit at least 1"
    ),
    (
      #""mockMark":{"member":"m","value":"v"}"#,
      "'s.a': 'm' marks mocked answers, and is no member of the answer"
    ),
    (
      #""result":{"type":"object","properties":{"m":{"enum":["x"]}}},"mockMark":{"member":"m","value":"v"}"#,
      "'s.a': 'm' can't say 'v' of a mocked answer"
    ),
    (
      #""handle":{"type":"t","help":"","closes":false}"#,
      "the type 't' has no member 'close' whose \"closes\" is true, and nothing could close an object of it"
    ),
  ])
  func whatHasNoMeaningIsRefused(_ part: String, _ message: String) throws {
    let text = #"{"service":"s","version":"1","members":[{"name":"a","kind":"watch",\#(part)}]}"#
    let described = try wire(text).decode(PluginDescriptor.self)
    #expect { try described.check() } throws: { "\($0)" == message }
  }

  @Test func aTypeThatCannotBeDescribedNamesItsAction() {
    struct Odd: Codable, Sendable { var id: UUID }
    let odd = Immediate("a", "") { (o: Odd, _) throws -> Void in _ = o }.declaration
    #expect { try PluginDescriptor(PluginManifest(service: "s", version: "1"), [odd]) } throws: {
      "\($0)".hasPrefix("'s.a': the field 'id': 'UUID'")
    }
  }

  @Test func scriptsAreMadeWhenAsked() throws {
    final class Count: Sendable { nonisolated(unsafe) var value = 0 }  // of this test's thread
    let count = Count()
    @Sendable func text(_ name: String) -> String {
      count.value += 1
      return name
    }
    let script = PluginScript(source: text("s"), members: text("m"))
    #expect(count.value == 0)
    #expect(script.source == "s")
    #expect(script.members == "m")
    #expect(script.types == "")
    #expect(count.value == 2)
    #expect(complaint(#"{"source":"a","members":"b"}"#, PluginScript.self) == "value.types is missing")
  }
}

/// A call's own state.
@Suite struct CallTests {
  @Test func cancellationIsSeen() throws {
    let state = CallState()
    let call = Call(app: .testing(), state: state)
    #expect(!call.isCancelled)
    try call.checkCancellation()
    state.cancel()
    #expect(call.isCancelled)
    let error = #expect(throws: BridgeError.self) { try call.checkCancellation() }
    #expect(error?.code == .cancelled)
    #expect(!Call(app: .testing()).isCancelled)
  }

  @Test func aTasksCancellationIsTheCallsToo() async {
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return Call(app: .testing()).isCancelled
    }
    task.cancel()
    #expect(await task.value)
  }

  @Test func theTimeLeftIsTold() throws {
    #expect(Call(app: .testing()).remaining == nil)
    #expect(Call(app: .testing(), state: CallState()).remaining == nil)
    let left = try #require(Call(app: .testing(), state: CallState(deadline: .now + .seconds(100))).remaining)
    #expect(left > .seconds(50) && left <= .seconds(100))
    let past = try #require(Call(app: .testing(), state: CallState(deadline: .now - .seconds(5))).remaining)
    #expect(past < .zero)
  }

  @Test func invocationsAreAskedOfTheHost() async throws {
    let host = RecordingHost()
    let call = Call(
      app: .testing(service: "mine", host: host), state: CallState(deadline: .now + .seconds(10)))
    host.answer = try Value(encoding: [1, 2])
    let answer: [Int] = try await call.invoke("other", "act", ["a": 1], timeout: .seconds(1000))
    #expect(answer == [1, 2])
    let request = try #require(host.requests.first)
    #expect(request.caller == "mine")
    #expect(request.service == "other")
    #expect(request.action == "act")
    #expect(try request.option.decode([String: Int].self) == ["a": 1])
    // The nearer of both ends.
    let left = try #require(request.deadline.map { ContinuousClock.now.duration(to: $0) })
    #expect(left <= .seconds(10) && left > .seconds(1))
    await #expect(throws: BridgeError.self) {
      let _: String = try await call.invoke("other", "act", ["a": 1])
    }
  }

  @Test func anInvocationWithoutAnEndHasNone() async throws {
    let host = RecordingHost()
    host.answer = .null
    let _: Int? = try await Call(app: .testing(host: host)).invoke("other", "act", 1)
    #expect(host.requests.first?.deadline == nil)
  }

  /// A caller that asks for centuries waits for ever.
  @Test(arguments: [
    Duration.seconds(Int64.max), .seconds(10_000_000_000),
    .seconds(9_300_000_000) + .nanoseconds(999_999_999), .seconds(400 * 365 * 86400),
  ])
  func invocationsMayWaitForCenturies(_ timeout: Duration) async throws {
    let host = RecordingHost()
    host.answer = .null
    let _: Int? = try await Call(app: .testing(host: host)).invoke("other", "act", 1, timeout: timeout)
    let deadline = try #require(host.requests.first?.deadline)
    #expect(CallState.monotonic(deadline) > 1 << 62)
  }
}
