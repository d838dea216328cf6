// SPDX-License-Identifier: MIT

import CNBridgePlugin
import Foundation
import TestSupport
import Testing

@testable import NBridgePlugin

/// Values on their way over the C table.
@Suite struct ForeignValueTests {
  /// The value that came over, read as a host or a plugin reads it.
  private func crossed(_ output: WireOutput, _ sink: WireSink = WireSink(), keepsSink: Bool = false) throws
    -> Value
  {
    var value = nbridge_value()
    value.fill(output, sink, keepsSink: keepsSink)
    let own = WireSink()
    return try Value(value.take(into: own), own)
  }

  private static func written(_ value: some Encodable) throws -> WireSink {
    let sink = WireSink()
    try sink.encode(value)
    return sink
  }

  @Test(arguments: [false, true])
  func everyKindCrosses(_ keepsSink: Bool) throws {
    #expect(try crossed(.undefined, keepsSink: keepsSink) == .undefined)
    #expect(try crossed(.bool(true), keepsSink: keepsSink).decode(Bool.self))
    #expect(try !crossed(.bool(false), keepsSink: keepsSink).decode(Bool.self))
    for number in [0, 1.5, -1e300, Double.infinity] {
      #expect(try crossed(.number(number), keepsSink: keepsSink).decode(Double.self) == number)
    }
    #expect(try crossed(.number(-0.0), keepsSink: keepsSink).decode(Double.self).sign == .minus)
    #expect(try crossed(.number(.nan), keepsSink: keepsSink).decode(Double.self).isNaN)
    for text in ["", "a", "é\u{0}漢", String(repeating: "🎉", count: 1000)] {
      #expect(try crossed(.string(text), keepsSink: keepsSink).decode(String.self) == text)
    }
    for bytes in [[], [1], [UInt8](repeating: 5, count: 10_000)] as [[UInt8]] {
      #expect(try crossed(.bytes(Bytes(bytes)), keepsSink: keepsSink).decode(Bytes.self) == Bytes(bytes))
    }
    let several = ["a": [Bytes([1]), Bytes([])], "b": []]
    #expect(
      try crossed(.text, Self.written(several), keepsSink: keepsSink).decode([String: [Bytes]].self)
        == several)
  }

  @Test func theKindTellsWhetherThereAreTags() throws {
    for (value, kind) in [(["a": 1.5], NBRIDGE_JSON), (["a": -0.0], NBRIDGE_TAGGED)] {
      var crossing = nbridge_value()
      crossing.fill(.text, try Self.written(value))
      #expect(Int(crossing.kind) == kind)
      #expect(crossing.isPlainText)
    }
  }

  @Test func failuresAreThrown() throws {
    var value = nbridge_value()
    value.fill(
      failure: BridgeError(.conflict, "taken \"é\"", details: try Value(encoding: [1])), WireSink(),
      keepsSink: true)
    #expect(Int(value.kind) == NBRIDGE_FAILURE)
    let error = #expect(throws: BridgeError.self) { try value.take(into: WireSink()) }
    #expect(error?.code == .conflict)
    #expect(error?.message == "taken \"é\"")
    #expect(try error?.details?.decode([Int].self) == [1])
  }

  /// Mistakes that a plugin in another language may make.
  @Test func valuesThatCannotBeAreRefused() {
    func refusal(_ change: (inout nbridge_value) -> Void) -> String? {
      var value = nbridge_value()
      change(&value)
      do {
        _ = try value.take(into: WireSink())
        return nil
      } catch { return (error as? BridgeError)?.message }
    }
    let sizes = "the plugin's answer has sizes or pointers that can't be true; this is a fault of the plugin"
    #expect(refusal { $0.text_size = 5 } == sizes)
    #expect(refusal { $0.bytes_count = 1 } == sizes)
    #expect(
      refusal { $0.kind = 99 } == "the plugin's answer has the unknown kind 99; this is a fault of the plugin"
    )
    #expect(
      refusal { $0.kind = UInt32(NBRIDGE_BYTES) }
        == "the plugin's answer says that it holds bytes and has none, or several; this is a fault of "
        + "the plugin"
    )
    #expect(
      refusal { $0.kind = UInt32(NBRIDGE_FAILURE) }?.hasPrefix("the plugin failed and did not say why")
        == true)
    let broken: [CChar] = [0x22, -1, 0x22]
    broken.withUnsafeBufferPointer { text in
      for kind in [NBRIDGE_STRING, NBRIDGE_JSON, NBRIDGE_TAGGED] {
        #expect(
          refusal {
            $0.kind = UInt32(kind)
            $0.text = text.baseAddress
            $0.text_size = 3
          } == "the plugin's answer is not UTF-8; this is a fault of the plugin")
      }
      #expect(
        refusal {
          $0.text = text.baseAddress
          $0.text_size = .max
        } == sizes)
    }
    var bytes = nbridge_bytes(data: nil, size: 4, owner: nil, retain: nil, release: nil)
    #expect(
      refusal {
        $0.kind = UInt32(NBRIDGE_BYTES)
        $0.bytes_count = 1
        $0.bytes = withUnsafePointer(to: &bytes) { $0 }
      } == sizes)
  }

  private final class Counted {
    var kept = 0
    var given = 0
  }

  private func bytes(_ count: Counted, _ memory: UnsafeBufferPointer<UInt8>, isLent: Bool) -> nbridge_bytes {
    nbridge_bytes(
      data: memory.baseAddress, size: UInt64(memory.count), owner: Unmanaged.passUnretained(count).toOpaque(),
      retain: isLent
        ? { owner in owner.map { Unmanaged<Counted>.fromOpaque($0).takeUnretainedValue().kept += 1 } } : nil,
      release: { owner in owner.map { Unmanaged<Counted>.fromOpaque($0).takeUnretainedValue().given += 1 } })
  }

  /// Each hold on another side's bytes is given back once, however they are used.
  @Test(arguments: [true, false])
  func bytesAreGivenBackOnce(_ isLent: Bool) {
    let count = Counted()
    [UInt8](repeating: 3, count: 8).withUnsafeBufferPointer { memory in
      let list = [bytes(count, memory, isLent: isLent), bytes(count, memory, isLent: isLent)]
      list.withUnsafeBufferPointer { list in
        var value = nbridge_value()
        value.bytes = list.baseAddress
        value.bytes_count = 2
        let taken = value.takeBytes()
        #expect(taken.map(Array.init) == [[UInt8](repeating: 3, count: 8), [UInt8](repeating: 3, count: 8)])
        let copies = taken + taken
        #expect(copies.count == 4)
        #expect(count.given == 0)
      }
    }
    #expect(count.kept == (isLent ? 2 : 0))
    #expect(count.given == 2)
  }

  @Test func whatNobodyWantsIsDropped() {
    let count = Counted()
    [UInt8](repeating: 3, count: 8).withUnsafeBufferPointer { memory in
      [bytes(count, memory, isLent: false)].withUnsafeBufferPointer { list in
        var value = nbridge_value()
        value.bytes = list.baseAddress
        value.bytes_count = 1
        value.owner = Unmanaged.passUnretained(count).toOpaque()
        value.release = { owner in
          owner.map { Unmanaged<Counted>.fromOpaque($0).takeUnretainedValue().kept += 100 }
        }
        value.drop()
      }
    }
    #expect(count.given == 1)
    #expect(count.kept == 100)
  }

  @Test func bytesThatThePluginKeepsAreLent() throws {
    let kept = Bytes([1, 2, 3])
    for (bytes, owned) in [(kept, false), (Bytes([4]), true)] {
      var value = nbridge_value()
      value.fill(.bytes(bytes), WireSink())
      #expect(value.number == 0 || owned)
      guard case .bytes(let taken) = try value.take(into: WireSink()) else {
        throw BridgeError(.unknownError, "no bytes")
      }
      #expect(taken == bytes)
    }
    withExtendedLifetime(kept) {}
  }

  @Test func runsOfEventsAreCounted() throws {
    func events(_ text: String, _ number: Double, _ kind: Int = NBRIDGE_JSON) throws -> Int {
      try Array(text.utf8).withUnsafeBufferPointer { text in
        var value = nbridge_value()
        value.fill(events: 0, text, isTagged: kind == NBRIDGE_TAGGED)
        value.kind = UInt32(kind)
        value.number = number
        return try value.events()
      }
    }
    #expect(try events("1", 0) == 1)
    #expect(try events("1", 1) == 1)
    #expect(try events("1,\n2,\n", 2) == 2)
    #expect(try events("1,\n{\"$nb\":[\"u\"]},\n3,\n", 3, NBRIDGE_TAGGED) == 3)
    #expect(try events("x", 5, NBRIDGE_STRING) == 1)
    #expect(try events("1", .nan) == 1)
    for (text, number) in [
      ("1,\n2,\n", 3.0), ("1,\n2", 2), ("1\n2\n", 2), ("", 2), ("1,\n2,\n", 2.5), ("1,\n2,\n", 1e300),
      ("1,\n2,\n", .infinity),
    ] {
      let error = #expect(throws: BridgeError.self) { try events(text, number) }
      #expect(error?.message.contains("says that it holds") == true)
    }
  }

  @Test func borrowedTextsAreUndefinedWhenEmpty() {
    var value = nbridge_value()
    value.fill(borrowed: UnsafeBufferPointer(start: nil, count: 0), UnsafeBufferPointer(start: nil, count: 0))
    #expect(Int(value.kind) == NBRIDGE_UNDEFINED)
    for (text, kind) in [(#"{"a":1}"#, NBRIDGE_JSON), (#"{"$nb":["u"]}"#, NBRIDGE_TAGGED)] {
      Array(text.utf8).withUnsafeBufferPointer { bytes in
        value.fill(borrowed: bytes, UnsafeBufferPointer(start: nil, count: 0))
        #expect(Int(value.kind) == kind)
        #expect(String(decoding: value.utf8, as: UTF8.self) == text)
      }
    }
  }

  @Test func randomValuesCross() throws {
    var random = SeededGenerator(seed: 91)
    for _ in 0..<500 {
      let tree = AnyTree.make(&random)
      #expect(
        try crossed(.text, Self.written(tree), keepsSink: .random(using: &random)).decode(AnyTree.self)
          == tree)
    }
  }

  /// Moments of the table's clock and of Swift's stand for one another, centuries away too.
  @Test(arguments: [
    Duration.zero, .milliseconds(5), .seconds(-5), .seconds(3600), .seconds(86400 * 365 * 200),
  ])
  func momentsCrossTheTable(_ away: Duration) throws {
    let moment = ContinuousClock.now + away
    let back = try #require(CallState.instant(CallState.monotonic(moment)))
    let difference = moment.duration(to: back)
    #expect(difference < .seconds(1) && difference > .seconds(-1))
  }

  @Test(arguments: [
    Duration.seconds(Int64.max), .seconds(9_223_372_036) + .nanoseconds(900_000_000),
    .seconds(20_000_000_000) + .nanoseconds(1), .seconds(300 * 366 * 86400),
  ])
  func momentsPastTheClocksEndAreItsEnd(_ away: Duration) throws {
    let number = CallState.monotonic(.now + away)
    #expect(number > UInt64(Int64.max) / 2)
    #expect(CallState.instant(number) != nil)
  }

  @Test(arguments: [Duration.seconds(-Int64.max), .seconds(-20_000_000_000) - .nanoseconds(1)])
  func momentsLongPastAreNotNever(_ away: Duration) { #expect(CallState.monotonic(.now + away) == 1) }

  @Test func neverIsNever() {
    #expect(CallState.instant(0) == nil)
    #expect(CallState.instant(1).map { $0 < .now } == true)
    #expect(CallState.instant(.max).map { $0 > .now } == true)
  }
}
