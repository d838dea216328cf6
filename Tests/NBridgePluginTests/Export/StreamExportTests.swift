// SPDX-License-Identifier: MIT

import CNBridgePlugin
import Testing

@testable import NBridgePlugin

/// Streams and functions of scripts, seen over the C table by a host that keeps to nothing.
@Suite struct StreamExportTests {
  struct Numbers: Codable, Sendable { var numbers: Incoming<Int> }
  struct Ask: Codable, Sendable { var ask: Callback<Int, Int> }

  struct Sample: Plugin {
    static let manifest = PluginManifest(service: "sample", version: "1.0.0")
    var body: PluginBody {
      Action("sum", "Adds.") { (o: Numbers, _) async throws in
        var sum = 0
        for try await number in o.numbers { sum += number }
        return sum
      }
      Action("ask", "Asks.") { (o: Ask, _) async throws in try await o.ask(7) }
    }
  }

  /// An option with a stream or function: bytes without data stand for it.
  private static func option(_ name: String) -> Value {
    let nothing = Bytes.Storage(UnsafeRawBufferPointer(start: nil, count: 0)) {}
    return Value(
      text: Array(#"{"\#(name)":{"$nb":["c",0,"\#(name)"]}}"#.utf8), attachments: [Bytes(storage: nothing)])
  }

  private static func feed(
    _ plugin: StartedPlugin, _ call: UInt64, _ kind: Int, index: UInt32 = 0, number: UInt64 = 0,
    _ text: String? = nil
  ) {
    var feed = nbridge_feed()
    feed.size = UInt32(MemoryLayout<nbridge_feed>.size)
    (feed.kind, feed.index, feed.number) = (UInt32(kind), index, number)
    let text = Array((text ?? "").utf8)
    text.withUnsafeBufferPointer { text in
      feed.value.fill(borrowed: text, UnsafeBufferPointer(start: nil, count: 0))
      plugin.table.pointee.feed?(plugin.state, call, &feed)
    }
  }

  @Test func aStreamIsAskedForAndFed() throws {
    let plugin = try StartedPlugin { Sample() }
    let (call, answer) = plugin.call(try plugin.index("sum"), Self.option("numbers"))
    #expect(answer == nil)
    #expect(plugin.host.pulls.map(\.values) == [1])
    Self.feed(plugin, call, NBRIDGE_FEED_VALUE, "1")
    plugin.host.turn { plugin.host.pulls.count == 2 }
    #expect(plugin.host.pulls.map(\.values) == [1, 2])
    for number in 2...20 { Self.feed(plugin, call, NBRIDGE_FEED_VALUE, "\(number)") }
    Self.feed(plugin, call, NBRIDGE_FEED_END)
    plugin.host.turn { plugin.host.settled[call] != nil }
    #expect(try plugin.host.settled[call]?.get().decode(Int.self) == 210)
    Self.feed(plugin, call, NBRIDGE_FEED_OVER)
    plugin.stop()
  }

  @Test func whatFitsNoCallIsPassedOver() throws {
    let plugin = try StartedPlugin { Sample() }
    let (call, _) = plugin.call(try plugin.index("sum"), Self.option("numbers"))
    for kind in [NBRIDGE_FEED_VALUE, NBRIDGE_FEED_END, NBRIDGE_FEED_ANSWER, 99] {
      Self.feed(plugin, call + 1000, kind, "1")
      Self.feed(plugin, call, kind, index: 7, "1")
    }
    Self.feed(plugin, call, NBRIDGE_FEED_ANSWER, number: 3, "1")
    Self.feed(plugin, call, 99, "1")
    Self.feed(plugin, call, NBRIDGE_FEED_VALUE, "no JSON")
    plugin.host.turn { plugin.host.settled[call] != nil }
    #expect(throws: BridgeError.self) { try plugin.host.settled[call]?.get() }
    let (value, over) = (NBRIDGE_FEED_VALUE, NBRIDGE_FEED_OVER)
    for kind in [value, NBRIDGE_FEED_END, over, over, value] {
      Self.feed(plugin, call, kind, "1")
    }
    plugin.stop()
  }

  @Test func theEndOfACallWakesItsReader() throws {
    let plugin = try StartedPlugin { Sample() }
    let (call, _) = plugin.call(try plugin.index("sum"), Self.option("numbers"))
    Self.feed(plugin, call, NBRIDGE_FEED_OVER)
    plugin.host.turn { plugin.host.settled[call] != nil }
    #expect { try plugin.host.settled[call]?.get() } throws: { ($0 as? BridgeError)?.code == .closed }
    plugin.stop()
  }

  @Test func aFunctionIsCalledAndAnswers() throws {
    let plugin = try StartedPlugin { Sample() }
    let (call, answer) = plugin.call(try plugin.index("ask"), Self.option("ask"))
    #expect(answer == nil)
    let asked = try #require(plugin.host.callBacks.first)
    #expect(try asked.value.get().decode(Int.self) == 7)
    Self.feed(plugin, call, NBRIDGE_FEED_ANSWER, number: asked.number + 1, "1")
    Self.feed(plugin, call, NBRIDGE_FEED_ANSWER, number: asked.number, "8")
    Self.feed(plugin, call, NBRIDGE_FEED_ANSWER, number: asked.number, "9")
    plugin.host.turn { plugin.host.settled[call] != nil }
    #expect(try plugin.host.settled[call]?.get().decode(Int.self) == 8)
    plugin.stop()
  }

  @Test func aTagWithoutAStreamIsRefused() throws {
    let plugin = try StartedPlugin { Sample() }
    for tag in [#"["c",0,"numbers"]"#, #"["c",-1]"#, #"["c"]"#] {
      let text = #"{"numbers":{"$nb":\#(tag)}}"#
      #expect(throws: BridgeError.self) {
        try plugin.answer("sum", Value(text: Array(text.utf8), attachments: [Bytes([1])]))
      }
    }
    plugin.stop()
  }

  @Test func shapesSurviveTheirText() throws {
    let shape = Schema.object([
      .init(name: "a", schema: .stream(.bytes)),
      .init(name: "b", schema: .callback(.integer, .undefined), isOptional: true),
      .init(name: "c", schema: .callback(.string, .array(.number))),
    ])
    #expect(try Value(encoding: shape).decode(Schema.self) == shape)
    #expect(shape.inlets == ["a": .stream, "b": .listener, "c": .callback])
    #expect(try Schema.of(Numbers.self).inlets == ["numbers": .stream])
    #expect(try Schema.of(Ask.self) == .object([.init(name: "ask", schema: .callback(.integer, .integer))]))
  }

  @Test func anImmediateThatTakesAStreamIsRefused() {
    let wrong = Immediate("wrong", "Can't wait.") { (_: Numbers, _) throws in 1 }
    #expect { try PluginDescriptor(Sample.manifest, [wrong.declaration]).check() } throws: {
      "\($0)".contains("'numbers' comes from the script bit by bit, which an Immediate can't await")
    }
  }
}
