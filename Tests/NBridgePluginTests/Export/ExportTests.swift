// SPDX-License-Identifier: MIT

import CNBridgePlugin
import Foundation
import Synchronization
import Testing

@testable import NBridgePlugin

/// A plugin in a library of its own, seen over the C table.
@Suite struct ExportTests {
  struct Name: Codable, Sendable { var name: String }

  /// One action of each kind, and what a handler may ask.
  struct Sample: Plugin {
    static let manifest = PluginManifest(service: "sample", version: "1.0.0", help: "A sample.")
    var stops = Stops()
    final class Stops: Sendable { let count = Mutex<Int>(0) }
    var failsToStart = false

    func start(_ app: AppEnvironment) throws {
      if failsToStart { throw BridgeError(.unavailable, "not today") }
    }
    func stop() { stops.count.withLock { $0 += 1 } }

    var body: PluginBody {
      Immediate("greet", "Greets.") { (o: Name, _) in "Hello, \(o.name)!" }
      Immediate("fail", "Fails.") { _ throws -> Void in
        throw BridgeError(.conflict, "taken", details: try Value(encoding: [1]))
      }
      Immediate("echo", "Gives back.") { (o: [String: Value], _) in o }
      Action("soon", "Answers at once.") { (o: Name, _) async in ["hi": o.name] }
      Action("later", "Answers later.") { (o: Name, _) async throws in
        for _ in 0..<5 { await Task.yield() }
        _ = try await Blocking.run { 1 }
        return ["hi": o.name]
      }
      Action("never", "Waits for its end.") { _ async throws -> Void in
        let stream = AsyncStream<Int> { _ in }
        for await _ in stream {}
        try Task.checkCancellation()
      }
      Detached("work", "Works.") { (o: Name, call) in Bytes(Array("\(o.name) \(call.isCancelled)".utf8)) }
      Detached("left", "How long the caller waits.") { call in call.remaining.map { $0 > .seconds(1) } }
      Action("ask", "Asks another.") { (o: Name, call) async throws -> Value in
        try await call.invoke("other", o.name, ["x": Bytes([1, 2])], timeout: .seconds(50))
      }
      Immediate("tell", "Tells the host.") { call throws -> Void in
        call.app.note("a note é")
        call.logger.warning("logged", ["a": 1])
        call.app.exit(code: 9)
      }
      Immediate("facts", "What it knows.") { call in
        [
          "id": call.app.info.id, "yes": "\(call.allows("yes.é"))", "no": "\(call.allows("no"))",
          "service": call.app.service, "container": call.app.container.path,
        ]
      }
      Watch("count", "Counts.") { (o: [String: Int], _) in
        AsyncStream<Int> { events in
          for number in 0..<(o["to"] ?? 0) { events.yield(number) }
          events.finish()
        }
      }
      Watch("bytes", "Bytes.") { _ in
        AsyncStream<[Bytes]> { events in
          for number in 0..<5 { events.yield(number % 2 == 0 ? [Bytes([UInt8(number)])] : []) }
          events.finish()
        }
      }
      Watch("broken", "Fails in the middle.") { _ in
        AsyncThrowingStream<Int, any Error> { events in
          events.yield(1)
          events.finish(throwing: BridgeError(.ioError, "gone"))
        }
      }
      Watch("phases", "The program's life.") { call in call.app.lifecycle() }
      Watch("refused", "Does not begin.") { (_: [String: Int], _) throws -> AsyncStream<Int> in
        throw BridgeError(.permissionDenied, "no")
      }
    }
  }

  private func onSample(_ body: @escaping @Sendable (StartedPlugin) throws -> Void) async throws {
    try await onOwnThread { () throws in
      let plugin = try StartedPlugin({ Sample() }, .testing(service: "sample", container: "/c"))
      try body(plugin)
      plugin.stop()
    }
  }

  @Test func theTableIsOfItsVersion() {
    let table = PluginExport.make { Sample() }.pointee
    #expect(table.magic == NBRIDGE_PLUGIN_MAGIC)
    #expect(Int(table.major) == NBRIDGE_ABI_MAJOR)
    #expect(Int(table.size) == MemoryLayout<nbridge_plugin>.size)
    #expect(PluginExport.table(of: Sample(), abi: UInt32(NBRIDGE_ABI_MAJOR) << 16) != nil)
    #expect(PluginExport.table(of: Sample(), abi: UInt32(NBRIDGE_ABI_MAJOR + 1) << 16) == nil)
    #expect(PluginExport.table(of: Sample(), abi: 0) == nil)
  }

  @Test func itDescribesItself() throws {
    let plugin = try StartedPlugin({ Sample() })
    let described = try plugin.description.decode(PluginDescriptor.self)
    try described.check()
    #expect(described.service == "sample")
    #expect(described.members.map(\.name).prefix(3) == ["greet", "fail", "echo"])
    #expect(plugin.description == plugin.description)
    plugin.stop()
  }

  @Test func aPluginThatCannotBeDescribedSaysWhy() throws {
    struct Odd: Plugin {
      static let manifest = PluginManifest(service: "odd", version: "1")
      struct Options: Codable, Sendable { var id: UUID }
      var body: PluginBody { Immediate("a", "") { (o: Options, _) throws -> Void in _ = o } }
    }
    let plugin = try StartedPlugin({ Odd() })
    #expect(try plugin.description.decode(String.self).hasPrefix("'odd.a': the field 'id'"))
    plugin.stop()
  }

  @Test func aPluginThatDoesNotStartSaysWhy() {
    let error = #expect(throws: BridgeError.self) { try StartedPlugin({ Sample(failsToStart: true) }) }
    #expect(error?.code == .unavailable)
    #expect(error?.message == "not today")
  }

  @Test func itIsStoppedOnce() async throws {
    let stops = Sample.Stops()
    try await onOwnThread { () throws in
      let plugin = try StartedPlugin({ Sample(stops: stops) })
      plugin.stop()
      plugin.stop()  // nothing is there any more
    }
    #expect(stops.count.withLock { $0 } == 1)
  }

  @Test func immediateCallsAreAnswered() async throws {
    try await onSample { plugin throws in
      for name in ["Ada", "", "é\u{0}漢\"\n"] {
        #expect(
          try plugin.answer("greet", Value(encoding: ["name": name])).decode(String.self) == "Hello, \(name)!"
        )
      }
      let option = try Value(encoding: [
        "a": Value(encoding: [Bytes([1]), Bytes([2, 2])]), "b": .undefined, "c": Value(encoding: -0.0),
      ])
      #expect(
        try plugin.answer("echo", option).decode([String: Value].self) == option.decode([String: Value].self))
      let wrong = #expect(throws: BridgeError.self) { try plugin.answer("greet", wire(#"{"name":1}"#)) }
      #expect(wrong?.message == "option.name must be a string, not a number")
      let unknown = #expect(throws: BridgeError.self) {
        try plugin.answer("greet", wire(#"{"name":"x","nmae":1}"#))
      }
      #expect(unknown?.message == "option has no 'nmae'; did you mean 'name'?")
      let failed = #expect(throws: BridgeError.self) { try plugin.answer("fail") }
      #expect(failed?.code == .conflict)
      #expect(try failed?.details?.decode([Int].self) == [1])
    }
  }

  @Test(arguments: [99, UInt32.max])
  func actionsThatThereAreNotAreRefused(_ action: UInt32) async throws {
    try await onSample { plugin throws in
      let error = #expect(throws: BridgeError.self) { try plugin.call(action).answer?.get() }
      #expect(error?.code == .invalidActionName)
    }
  }

  @Test func asyncCallsAreAnsweredNowOrLater() async throws {
    try await onSample { plugin throws in
      let option = try Value(encoding: ["name": "Ada"])
      let (_, soon) = plugin.call(try plugin.index("soon"), option)
      #expect(try soon?.get().decode([String: String].self) == ["hi": "Ada"])
      let many = try (0..<50).map { index in
        plugin.call(try plugin.index("later"), try Value(encoding: ["name": "\(index)"]))
      }
      // A call whose work is done before it is waited for is answered at once.
      let pending = many.count { $0.answer == nil }
      plugin.host.turn { plugin.host.settled.count == pending }
      for (index, call) in many.enumerated() {
        #expect(
          try (call.answer ?? plugin.host.settled[call.number])?.get().decode([String: String].self) == [
            "hi": "\(index)"
          ])
      }
      #expect(plugin.host.settlements == pending)
    }
  }

  @Test func aCancelledCallEnds() async throws {
    try await onSample { plugin throws in
      let never = try plugin.index("never")
      let calls = (0..<5).map { _ in plugin.call(never).number }
      #expect(plugin.host.settled.isEmpty)
      plugin.cancel(calls[3])
      plugin.host.turn { !plugin.host.settled.isEmpty }
      #expect(Array(plugin.host.settled.keys) == [calls[3]])
      let error = #expect(throws: BridgeError.self) { try plugin.host.settled[calls[3]]?.get() }
      #expect(error?.code == .cancelled)
      plugin.cancel(12_345)
      plugin.stop()
      plugin.host.turn { plugin.host.settled.count == 5 }
      #expect(plugin.host.settled.count == 5)
    }
  }

  @Test func detachedCallsRunWhereTheyAreMade() async throws {
    try await onSample { plugin throws in
      #expect(
        try plugin.answer("work", Value(encoding: ["name": "x"])).decode(Bytes.self)
          == Bytes(Array("x false".utf8)))
      #expect(try plugin.answer("left").decode(Bool?.self) == nil)
      #expect(
        try plugin.answer("left", deadline: CallState.monotonic(.now + .seconds(100))).decode(Bool?.self)
          == true)
      #expect(try plugin.answer("left", deadline: 1).decode(Bool?.self) == false)
      #expect(try plugin.answer("left", deadline: .max).decode(Bool?.self) == true)
    }
  }

  /// Cancelled before the worker had begun.
  @Test func anEarlyCancellationIsSeen() async throws {
    try await onSample { plugin throws in
      let next = plugin.call(99).number + 1
      plugin.cancel(next)
      #expect(
        try plugin.answer("work", Value(encoding: ["name": "x"])).decode(Bytes.self)
          == Bytes(Array("x true".utf8)))
    }
  }

  @Test func otherPluginsAreAsked() async throws {
    try await onSample { plugin throws in
      plugin.host.answer = { action in
        action == "bad" ? .failure(BridgeError(.notFound, "none")) : .success(wire(#"{"ok":true}"#))
      }
      #expect(
        try plugin.answer("ask", Value(encoding: ["name": "act"])).decode([String: Bool].self) == ["ok": true]
      )
      #expect(plugin.host.invoked == [#"other.act {"x":{"$nb":["b",0,"Uint8Array"]}}"#])
      let left = try #require(
        CallState.instant(plugin.host.deadlines[0]).map { ContinuousClock.now.duration(to: $0) })
      #expect(left > .seconds(20) && left <= .seconds(50))
      let error = #expect(throws: BridgeError.self) {
        try plugin.answer("ask", Value(encoding: ["name": "bad"]))
      }
      #expect(error?.code == .notFound)
    }
  }

  /// A host of the first version knows neither records nor deadlines.
  @Test func anOlderHostIsAskedTheOlderWay() async throws {
    try await onOwnThread { () throws in
      let plugin = try StartedPlugin({ Sample() }, host: FakeHost(minor: 0))
      plugin.host.answer = { _ in .success(.null) }
      #expect(try plugin.answer("ask", Value(encoding: ["name": "act"])) == .null)
      #expect(plugin.host.deadlines == [0])
      _ = try plugin.answer("tell")
      #expect(plugin.host.records.isEmpty)
      #expect(plugin.host.notes == ["a note é", "warning: logged"])
      plugin.stop()
    }
  }

  @Test func theHostIsToldAndAsked() async throws {
    try await onSample { plugin throws in
      _ = try plugin.answer("tell")
      #expect(plugin.host.notes == ["a note é"])
      #expect(plugin.host.exits == [9])
      #expect(plugin.host.records.map(\.message) == ["logged"])
      #expect(plugin.host.records.first?.level == 4)
      #expect(plugin.host.records.first?.fields == #"{"a":1}"#)
      #expect(plugin.host.records.first?.place.hasPrefix("NBridgePluginTests/ExportTests.swift:") == true)
      let facts = try plugin.answer("facts").decode([String: String].self)
      #expect(
        facts == [
          "id": "org.example.test", "yes": "true", "no": "false", "service": "sample", "container": "/c",
        ])
    }
  }

  @Test(arguments: [(0, 10), (1, 10), (5, 6), (5, 100), (1000, 1001)])
  func eventsArriveInOrder(_ count: Int, _ credit: UInt32) async throws {
    try await onSample { plugin throws in
      let (number, answer) = plugin.call(
        try plugin.index("count"), try Value(encoding: ["to": count]), credit: credit)
      #expect(answer == nil)
      plugin.host.turn { plugin.host.settled[number] != nil || count > Int(credit) }
      #expect(try plugin.host.events[number]?.map { try $0.decode(Int.self) } ?? [] == Array(0..<count))
      // Many events cross in few runs.
      #expect(plugin.host.emissions.count <= 1 + count / 2)
      #expect(try plugin.host.settled[number]?.get() == .undefined)
    }
  }

  /// No more than there is room for, until the script takes some.
  @Test func eventsWaitForCredit() async throws {
    try await onSample { plugin throws in
      let (number, _) = plugin.call(try plugin.index("count"), try Value(encoding: ["to": 100]), credit: 10)
      func got() -> Int { plugin.host.events[number]?.count ?? 0 }
      while plugin.host.turn() {}
      #expect(got() == 10)
      plugin.grant(number, 1)
      while plugin.host.turn() {}
      #expect(got() == 11)
      plugin.grant(number, 50)
      while plugin.host.turn() {}
      #expect(got() == 61)
      plugin.grant(number + 1000, 5)
      plugin.grant(number, 1000)
      plugin.host.turn { plugin.host.settled[number] != nil }
      #expect(try plugin.host.events[number]?.map { try $0.decode(Int.self) } == Array(0..<100))
    }
  }

  @Test func eventsWithBytesKeepTheirOrder() async throws {
    try await onSample { plugin throws in
      let (number, _) = plugin.call(try plugin.index("bytes"), credit: 100)
      plugin.host.turn { plugin.host.settled[number] != nil }
      let got = try plugin.host.events[number]?.map { try $0.decode([Bytes].self) }
      #expect(got == [[Bytes([0])], [], [Bytes([2])], [], [Bytes([4])]])
    }
  }

  @Test func aWatchThatFailsGivesWhatItHadFirst() async throws {
    try await onSample { plugin throws in
      let (number, _) = plugin.call(try plugin.index("broken"), credit: 100)
      plugin.host.turn { plugin.host.settled[number] != nil }
      #expect(try plugin.host.events[number]?.map { try $0.decode(Int.self) } == [1])
      let error = #expect(throws: BridgeError.self) { try plugin.host.settled[number]?.get() }
      #expect(error?.message == "gone")
      let refused = #expect(throws: BridgeError.self) { try plugin.answer("refused", wire("{}")) }
      #expect(refused?.code == .permissionDenied)
    }
  }

  @Test func aWatchEndsWhenNobodyTakesIt() async throws {
    try await onSample { plugin throws in
      plugin.host.takes = UInt32(NBRIDGE_OVER)
      let (number, _) = plugin.call(
        try plugin.index("count"), try Value(encoding: ["to": 100_000]), credit: 100_000)
      plugin.host.turn { plugin.host.settled[number] != nil }
      #expect(plugin.host.settled[number] != nil)
      #expect(plugin.host.events[number] == nil)
    }
  }

  @Test func theLifecycleIsTold() async throws {
    try await onSample { plugin throws in
      plugin.enter(NBRIDGE_BACKGROUND)
      let (number, _) = plugin.call(try plugin.index("phases"), credit: 100)
      func phases() -> [LifecycleState] {
        (plugin.host.events[number] ?? []).compactMap { try? $0.decode(LifecycleState.self) }
      }
      plugin.host.turn { phases().count == 1 }
      plugin.enter(NBRIDGE_ACTIVE)
      plugin.host.turn { phases().count == 2 }
      plugin.enter(77)
      plugin.enter(NBRIDGE_TERMINATING)
      plugin.host.turn { phases().count == 3 }
      #expect(phases() == [.background, .active, .terminating])
      plugin.cancel(number)
      plugin.host.turn { plugin.host.settled[number] != nil }
      #expect(plugin.host.settled[number] != nil)
    }
  }

  @Test func anEnvironmentThatIsNoneIsRefused() throws {
    let table = PluginExport.make { Sample() }
    let host = FakeHost()
    try host.start(.testing()) { start in
      for text in ["", "{}", "[", #"{"app":1}"#] {
        var (state, failure): (UnsafeMutableRawPointer?, nbridge_value) = (nil, nbridge_value())
        let started = text.withCString { environment in
          var wrong = start
          wrong.environment = environment
          wrong.environment_size = UInt64(text.utf8.count)
          return table.pointee.start(table, &wrong, &state, &failure)
        }
        #expect(started == 0)
        #expect(state == nil)
        let error = #expect(throws: BridgeError.self) { try failure.take(into: WireSink()) }
        #expect(error?.message.hasPrefix("environment") == true)
      }
    }
  }
}
