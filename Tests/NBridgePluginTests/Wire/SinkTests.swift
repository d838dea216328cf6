// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import NBridgePlugin

/// The text under construction.
@Suite struct SinkTests {
  private func text(_ sink: WireSink) -> String { String(decoding: sink.text, as: UTF8.self) }

  private func written(_ body: (WireSink) throws -> Void) rethrows -> String {
    let sink = WireSink(capacity: 1)
    try body(sink)
    return text(sink)
  }

  @Test(arguments: [
    (0, "0"), (1, "1"), (-1, "-1"), (9, "9"), (10, "10"), (99, "99"), (100, "100"), (-100, "-100"),
    (1_000_000, "1000000"),
    (1 << 53, "9007199254740992"), (-(1 << 53), "-9007199254740992"),
  ])
  func integersAreTheirDigits(_ value: Int, _ expected: String) throws {
    #expect(try written { try $0.write(value) } == expected)
  }

  @Test(arguments: [(1 << 53) + 1, -(1 << 53) - 1, Int.max, Int.min])
  func integersThatANumberCannotHoldAreRefused(_ value: Int) {
    let sink = WireSink()
    let error = #expect(throws: BridgeError.self) { try sink.write(value) }
    #expect(error?.message.contains("declare it Int64 or UInt64") == true)
    #expect(sink.count == 0)
  }

  @Test func unsignedOnesToo() throws {
    #expect(try written { try $0.write(UInt(1) << 53) } == "9007199254740992")
    #expect(throws: BridgeError.self) { try WireSink().write(UInt.max) }
    #expect(throws: BridgeError.self) { try WireSink().write((UInt(1) << 53) + 1) }
  }

  @Test(arguments: [(Int64.min, "-9223372036854775808"), (.max, "9223372036854775807"), (0, "0")])
  func bigIntsAreTagged(_ value: Int64, _ digits: String) {
    #expect(written { $0.writeBigInt(value) } == #"{"$nb":["i",""# + digits + #""]}"#)
  }

  @Test(arguments: [
    (0.5, "0.5"), (-0.5, "-0.5"), (1.25, "1.25"), (0.001, "0.001"), (123456.789, "123456.789"),
    (1e15, "1000000000000000"),
    (0.1, "0.1"), (1.0 / 3, "0.3333333333333333"), (1e-7, "1e-07"), (1e21, "1e+21"),
    (9007199254740992, "9007199254740992.0"),
    (.infinity, #"{"$nb":["n","Infinity"]}"#), (-.infinity, #"{"$nb":["n","-Infinity"]}"#),
    (.nan, #"{"$nb":["n","NaN"]}"#),
    (-.nan, #"{"$nb":["n","NaN"]}"#),
  ])
  func doublesAreShortAndExact(_ value: Double, _ expected: String) {
    #expect(written { $0.write(value) } == expected)
  }

  @Test func whatIsTaggedIsKnown() throws {
    let sink = WireSink()
    sink.write(1.5)
    sink.write(-2.0)
    sink.write("$nb")
    #expect(!sink.isTagged)
    let tagged: [(WireSink) throws -> Void] = [
      { $0.write(Double.nan) }, { $0.write(-0.0) }, { $0.writeBigInt(1) }, { $0.writeUndefined() },
      { $0.writeDate(milliseconds: 1) },
      { try $0.writeBytes(Bytes([1])) }, { $0.writeValue(UnsafeBufferPointer(start: nil, count: 0)) },
    ]
    for (index, write) in tagged.enumerated() {
      sink.reset()
      #expect(!sink.isTagged)
      try write(sink)
      #expect(sink.isTagged == (index < 6))
    }
  }

  @Test(arguments: [
    ("", #""""#), ("a", #""a""#), ("\"", #""\"""#), ("\\", #""\\""#), ("\n\r\t", #""\n\r\t""#),
    ("\u{8}\u{C}", #""\u0008\u000c""#),
    ("\u{0}", #""\u0000""#), ("\u{1F}", #""\u001f""#), ("\u{1B}", #""\u001b""#), ("/", #""/""#),
    ("\u{7F}", "\"\u{7F}\""), ("é漢🎉", "\"é漢🎉\""),
    ("\u{2028}\u{2029}", "\"\u{2028}\u{2029}\""),
  ])
  func stringsAreEscapedWhereTheyMust(_ value: String, _ expected: String) {
    #expect(written { $0.write(value) } == expected)
    // A long one takes another way.
    let tail = String(repeating: "z", count: 40)
    #expect(written { $0.write(value + tail) } == expected.dropLast() + tail + "\"")
    #expect(written { $0.write(tail + value) } == "\"" + tail + expected.dropFirst())
  }

  @Test func everyLengthAroundTheShortWaysLimitSurvives() throws {
    for count in 0..<80 {
      for special in ["", "\"", "\n"] {
        for place in [0, count / 2, count] {
          var value = String(repeating: "x", count: count)
          value.insert(contentsOf: special, at: value.index(value.startIndex, offsetBy: place))
          let text = written { $0.write(value) }
          #expect(try JSONDecoder().decode(String.self, from: Data(text.utf8)) == value)
        }
      }
    }
  }

  @Test func aTextThatNeedsAnEscapeLeavesNothingHalfWritten() {
    let sink = WireSink(capacity: 4)
    sink.put("[")
    sink.write("ab\"c")
    sink.put(",")
    sink.write("d")
    #expect(text(sink) == #"["ab\"c","d""#)
  }

  @Test func resettingLeavesNothing() throws {
    let sink = WireSink(capacity: 2)
    try sink.encode(["a": [Bytes([1, 2])]])
    #expect(sink.attachments.count == 1)
    sink.reset()
    #expect(sink.count == 0)
    #expect(sink.attachments.isEmpty)
    #expect(!sink.isTagged)
    try sink.encode([1, 2])
    #expect(text(sink) == "[1,2]")
  }

  /// A handler that throws in the middle leaves containers open, which are not the next text's.
  @Test func resettingClosesWhatAFailureLeftOpen() throws {
    struct Failing: Encodable {
      func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        try list.encode([1, 2])
        throw BridgeError(.notFound, "in the middle")
      }
    }
    let sink = WireSink()
    #expect(throws: BridgeError.self) { try sink.encode(["a": [Failing()]]) }
    sink.reset()
    try sink.encode(["b": 1])
    #expect(text(sink) == #"{"b":1}"#)
  }

  @Test func aLargeBufferIsGivenBackAndTheSinkGoesOn() throws {
    let sink = WireSink()
    let large = String(repeating: "é", count: 3 << 20)
    sink.write(large)
    #expect(sink.count == 2 * (3 << 20) + 2)
    sink.reset()
    sink.write("small")
    #expect(text(sink) == "\"small\"")
  }

  @Test func truncatingTakesBack() {
    let sink = WireSink()
    sink.put("abcdef")
    sink.truncate(to: 3)
    #expect(text(sink) == "abc")
    sink.truncate(to: 100)
    #expect(text(sink) == "abc")
    sink.put("x")
    #expect(text(sink) == "abcx")
  }

  @Test func theTerminatorIsNoPartOfTheText() {
    let sink = WireSink(capacity: 4)
    sink.put("abcd")
    #expect(String(cString: sink.terminated) == "abcd")
    #expect(sink.count == 4)
    sink.put("e")
    #expect(String(cString: sink.terminated) == "abcde")
  }

  @Test func valuesSayWhetherTheyMayBeTagged() throws {
    for (value, isTagged) in [
      ("1", false), (#"{"a":"$"}"#, false), (#"{"a":"$n b"}"#, false), (#"{"a":"$nb"}"#, true),
      (#"{"$nb":["u"]}"#, true),
      (#""$$nb""#, true), ("\"$\"", false), ("\"$n\"", false),
    ] {
      let sink = WireSink()
      Array(value.utf8).withUnsafeBufferPointer { sink.writeValue($0) }
      #expect(sink.isTagged == isTagged, "\(value)")
      #expect(text(sink) == value)
    }
  }

  /// A part of another text brings its bytes along, numbered anew.
  @Test func partsKeepTheirBytes() throws {
    let bytes = [Bytes([1]), Bytes([2, 2]), Bytes([3, 3, 3])]
    let inner =
      #"{"a":[{"$nb":["b",2,"Int8Array"]},{"$nb":["m",[[{"$nb":["b",0]},"é\n"]]]}],"b":{"$nb":["o","#
      + #"{"$nb":1}]}}"#
    let source = Array(inner.utf8)
    let sink = WireSink()
    try sink.writeBytes(Bytes([9]))
    sink.put(",")
    try source.withUnsafeBufferPointer {
      try sink.writeSubtree(of: try WireSource($0, attachments: bytes), at: 0)
    }
    #expect(
      text(sink)
        == #"{"$nb":["b",0,"Uint8Array"]},{"a":[{"$nb":["b",1,"Int8Array"]},{"$nb":["m",[[{"$nb":["b",2,"#
        + #""Uint8Array"]},"é\n"]]]}],"#
        + #""b":{"$nb":["o",{"$nb":1}]}}"#)
    #expect(sink.attachments.map(Array.init) == [[9], [3, 3, 3], [1]])
    #expect(sink.attachments.map(\.view) == ["Uint8Array", "Int8Array", "Uint8Array"])
  }

  @Test(arguments: [
    #"[{"$nb":["b",1]}]"#, #"[{"$nb":["b",-1]}]"#, #"[{"$nb":["b","0"]}]"#, #"[{"$nb":["b"]}]"#,
  ])
  func aPartThatPointsToNothingIsRefused(_ text: String) throws {
    try Array(text.utf8).withUnsafeBufferPointer { text in
      let source = try WireSource(text, attachments: [Bytes([1])])
      let error = #expect(throws: BridgeError.self) { try WireSink().writeSubtree(of: source, at: 0) }
      #expect(error?.message == "a value points to bytes that are not there")
    }
  }

  @Test func whetherTheBytesAreItsOwnIsKnown() throws {
    let sink = WireSink()
    #expect(sink.ownsAttachments)
    try sink.writeBytes(Bytes([1, 2]))
    #expect(sink.ownsAttachments)
    let kept = Bytes([3])
    try sink.writeBytes(kept)
    #expect(!sink.ownsAttachments)
    withExtendedLifetime(kept) {}
  }

  @Test func datesAreWholeMilliseconds() {
    #expect(written { $0.writeDate(milliseconds: 1234.4) } == #"{"$nb":["d",1234]}"#)
    #expect(written { $0.writeDate(milliseconds: -1234.6) } == #"{"$nb":["d",-1235]}"#)
    #expect(written { $0.writeDate(milliseconds: .nan) } == #"{"$nb":["d",null]}"#)
    #expect(written { $0.writeDate(milliseconds: .infinity) } == #"{"$nb":["d",null]}"#)
    #expect(written { $0.writeDate(milliseconds: 8.64e15) } == #"{"$nb":["d",8640000000000000]}"#)
  }
}
