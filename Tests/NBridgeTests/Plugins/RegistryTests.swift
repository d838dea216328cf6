// SPDX-License-Identifier: MIT

import NBridgePlugin
import Testing

@testable import NBridgeBuiltins
@testable import NBridgeHost

/// The plugins of a runtime, by service name.
@Suite struct PluginFindingTests {
  /// A plugin that is no more than what its test says.
  final class Fake: HostedPlugin {
    let manifest: PluginManifest
    let declarations: [Declaration]
    var instance: (any PluginInstance)? { nil }
    var events: [String] = []
    var failure: (any Error)?

    init(_ service: String, actions: [String] = ["act"]) {
      manifest = PluginManifest(service: service, version: "1")
      declarations = actions.map {
        Declaration(
          name: $0, help: "", options: .none, result: .none,
          runner: .foreign)
      }
    }

    var origin: String { "Fake" }
    func start(_ app: AppEnvironment) throws {
      if let failure { throw failure }
      events.append(
        "start \(app.service) \(app.settings.map { String(decoding: $0.text, as: UTF8.self) } ?? "-")"
      )
    }
    func stop() { events.append("stop") }
  }

  final class Found: FoundPlugin {
    let service: String
    let folder: String
    private let made: () throws -> any HostedPlugin
    var opened = 0

    init(
      _ service: String, _ folder: String = "/p",
      _ made: @escaping () throws -> any HostedPlugin
    ) {
      (self.service, self.folder, self.made) = (
        service, folder, made
      )
    }
    func open() throws -> any HostedPlugin {
      opened += 1
      return try made()
    }
  }

  @Test(arguments: [
    ("a", true), ("aB9", true), (String(repeating: "a", count: 64), true),
    (String(repeating: "a", count: 65), false), ("", false), ("A", false), ("1a", false),
    ("a-b", false), ("a.b", false), ("é", false), ("a b", false),
    ("then", false), ("constructor", false), ("services", false), ("prototype", false),
    ("valueOf", false), ("__proto__", false),
  ])
  func names(_ name: String, _ isOne: Bool) {
    #expect((try? PluginNames.check(service: name)) != nil ? isOne : !isOne)
    let isAction = (try? PluginNames.check(name, nil, of: "s")) != nil
    // A name of the bridge itself may be an action's.
    #expect(isAction == (isOne || ["services", "prototype"].contains(name)))
  }

  @Test func aPluginIsStartedWithItsOwnSettings() throws {
    let registry = PluginRegistry(app: testApp(), settings: ["a": .null])
    let (a, b) = (Fake("a"), Fake("b"))
    try registry.add(a)
    try registry.add(b)
    #expect(a.events == ["start a null"] && b.events == ["start b -"] && registry.services == ["a", "b"])
    #expect(try registry.find("a", "act").name == "a.act" && registry.find("a", "act").permission == "a.act")
    registry.stop()
    #expect(a.events.last == "stop" && registry.services.isEmpty)
  }

  @Test func aTakenNameIsRefused() throws {
    let registry = PluginRegistry(app: testApp())
    try registry.add(Fake("a"))
    let error = #expect(throws: PluginError.self) { try registry.add(Fake("a")) }
    #expect(error?.description == "the service 'a' is taken twice: by Fake and Fake")
    #expect(throws: PluginError.self) { try registry.add(Fake("then")) }
    let failing = Fake("f")
    failing.failure = BridgeError(.ioError, "no")
    #expect(throws: BridgeError.self) { try registry.add(failing) }
    #expect(registry.services == ["a"])
  }

  @Test(arguments: [
    (
      "preferense", "act",
      "invalid_service: there is no plugin for the service 'preferense'; did you mean 'preference'?"
    ),
    (
      "zzzzzzzz", "act", "invalid_service: there is no plugin for the service 'zzzzzzzz'; there is preference"
    ),
    (
      "preference", "gat",
      "invalid_action_name: the service 'preference' has no action 'gat'; did you mean 'get'?"
    ),
    (
      "preference", "completely",
      "invalid_action_name: the service 'preference' has no action 'completely'; there is get, set"
    ),
  ])
  func whatIsNotThereNamesWhatIsNear(_ service: String, _ action: String, _ message: String) throws {
    let registry = PluginRegistry(app: testApp())
    try registry.add(Fake("preference", actions: ["set", "get"]))
    let error = #expect(throws: BridgeError.self) { try registry.find(service, action) }
    #expect(error.map { "\($0)" } == message)
  }

  @Test(arguments: [
    (["a", "a"], "the plugin 'p' can't be used: 'p.a' is declared twice"),
    (["then"], "'p.then' can't be an action name"),
  ])
  func badDeclarationsAreRefusedWhenTheyAreAskedFor(_ actions: [String], _ message: String) throws {
    let registry = PluginRegistry(app: testApp())
    try registry.add(Fake("p", actions: actions))
    for _ in 0..<2 {
      let error = #expect(throws: BridgeError.self) { try registry.find("p", "a") }
      #expect(error?.message.contains(message) == true && error?.code == .unavailable)
    }
  }

  // MARK: - What lies in folders

  @Test func whatIsFoundIsOpenedOnceAndOnlyWhenItIsAskedFor() throws {
    let registry = PluginRegistry(app: testApp())
    let plugin = Fake("p")
    let found = Found("p") { plugin }
    registry.note(found)
    #expect(registry.services == ["p"] && found.opened == 0)
    _ = try registry.find("p", "act")
    _ = try registry.find("p", "act")
    #expect(found.opened == 1 && plugin.events == ["start p -"] && registry.all.count == 1)
  }

  @Test func whatCannotBeOpenedFailsTheSameAgain() throws {
    let registry = PluginRegistry(app: testApp())
    let found = Found("p") { throw PluginError("broken") }
    registry.note(found)
    for _ in 0..<3 {
      let error = #expect(throws: BridgeError.self) { try registry.find("p", "act") }
      #expect(error?.message == "the plugin 'p' can't be used: broken")
    }
    #expect(found.opened == 1 && registry.all.isEmpty)
  }

  @Test func whatIsFoundTwiceIsUsedByNobody() throws {
    let registry = PluginRegistry(app: testApp())
    registry.note(Found("p", "/one") { Fake("p") })
    registry.note(Found("p", "/two") { Fake("p") })
    let error = #expect(throws: BridgeError.self) { try registry.find("p", "act") }
    #expect(error?.message == "the service 'p' is taken twice: by '/one' and '/two'; remove one")
  }

  @Test func aPluginOfTheProgramGoesBeforeOneThatIsFound() throws {
    let host = TestHost()
    let registry = PluginRegistry(app: testApp(host))
    try registry.add(Fake("p"))
    let found = Found("p") { Fake("p") }
    registry.note(found)
    _ = try registry.find("p", "act")
    #expect(found.opened == 0 && host.notes == ["nbridge: the service 'p' is Fake's; '/p' is not used"])
  }

  @Test func aRestartStopsAndStarts() throws {
    let registry = PluginRegistry(app: testApp())
    let plugin = Fake("p")
    try registry.add(plugin)
    #expect(try registry.restart("p") && !registry.restart("q"))
    #expect(plugin.events == ["start p -", "stop", "start p -"])
    plugin.failure = BridgeError(.ioError, "no")
    #expect(throws: BridgeError.self) { try registry.restart("p") }
  }

  // MARK: - Replies

  @Test(arguments: [
    (WireOutput.undefined, "undefined"), (.bool(true), "bool(true)"),
    (.number(1.5), "number(1.5)"), (.string("s"), "string(\"s\")"), (.bytes(Bytes([1])), "bytes [1]"),
  ])
  func outputsBecomeReplies(_ output: WireOutput, _ text: String) {
    let reply = Reply(output, WireSink())
    #expect(
      reply.kind == .value && FrameTests.text(reply.payload) == text && reply.failureCode == nil
        && reply.failureMessage == nil)
  }

  @Test func aSinksTextIsTakenOut() throws {
    let sink = WireSink()
    try sink.encode([1, 2])
    #expect(Reply(.text, sink).kind == .text && sink.text.isEmpty)
    try sink.encode(Bytes([7]))
    let mixed = Reply(sink)
    #expect(mixed.kind == .mixed && sink.attachments.isEmpty)
    sink.writeUndefined()
    #expect(Reply(sink).kind == .tagged)
    sink.writeUndefined()
    #expect(Reply(sink, events: true).kind == .taggedEvents)
    try sink.encode([1])
    #expect(Reply(sink, events: true).kind == .events)
    #expect(try mixed.result.get().decode(Bytes.self).elementsEqual([7]))
  }

  @Test func failuresTellTheirCode() {
    let action = BoundAction(
      service: "s",
      declaration: Declaration(
        name: "a", help: "",
        options: .none, result: .none, runner: .foreign), app: testApp(), index: 0)
    let reply = Reply(BridgeError(.conflict, "m", details: .null), action: action)
    #expect(reply.kind == .failure && reply.failureCode == "conflict" && reply.failureMessage == "m")
    guard case .text(let text) = reply.payload else { return }
    #expect(String(decoding: text, as: UTF8.self).hasSuffix(#","service":"s","action":"a"}"#))
    #expect(throws: BridgeError.self) { try reply.result.get() }
    for text in ["", "{", "{}", #"{"code":5}"#] {
      let broken = Reply(kind: .failure, payload: .text(Array(text.utf8)))
      #expect(broken.failureCode == nil && broken.failureMessage == "a call failed at the end")
      #expect(throws: (any Error).self) { try broken.result.get() }
    }
  }

  @Test(arguments: FrameTests.payloads.indices)
  func aReplyCanBeAnOutputAgain(_ index: Int) {
    let payload = FrameTests.payloads[index]
    let kind: ReplyKind = index < 6 || index == 7 ? .value : index == 6 ? .text : .mixed
    let sink = WireSink()
    let output = Reply(kind: kind, payload: payload).output(into: sink)
    #expect(FrameTests.text(Reply(output, sink).payload) == FrameTests.text(payload))
  }
}
