// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

@testable import NBridgePlugin

@Suite struct WireTests {
  struct Everything: Codable, Equatable {
    var text: String
    var whole: Int
    var ratio: Double
    var flag: Bool
    var missing: String?
    var list: [Int]
    var nested: [String: [Bool]]
    var when: Date
    var large: Int64
    var larger: UInt64
    var bytes: Bytes
  }

  @Test func everyTypeSurvives() throws {
    let value = Everything(
      text: "a\"\\\n\t\u{1}é漢🎉", whole: -42, ratio: 0.1, flag: true, missing: nil, list: [1, 2, 3],
      nested: ["x": [true], "": []], when: Date(timeIntervalSince1970: 1.5), large: .min, larger: .max,
      bytes: Bytes([1, 2, 3]))
    #expect(try Value(encoding: value).decode(Everything.self) == value)
  }

  @Test(arguments: [
    0.0, -0.0, 1, -1, 0.1, 1e21, 1e-7, 123456789.125, .infinity, -.infinity, .leastNonzeroMagnitude,
    .greatestFiniteMagnitude, 9007199254740992,
  ])
  func numbersSurvive(_ number: Double) throws {
    let back = try Value(encoding: [number]).decode([Double].self)[0]
    #expect(back.bitPattern == number.bitPattern)
  }

  @Test func notANumberSurvives() throws {
    #expect(try Value(encoding: [Double.nan]).decode([Double].self)[0].isNaN)
  }

  @Test func anIntegerThatANumberCannotHoldIsRefused() {
    #expect(throws: BridgeError.self) { try Value(encoding: [Int.max]) }
  }

  struct Inner: Codable { var name: String }
  struct Outer: Codable { var items: [Inner]; var count: Int? }

  @Test(arguments: [
    (#"{"items":[{"name":"a"},{"name":3}]}"#, "option.items[1].name must be a string, not a number"),
    (#"{"items":[{}]}"#, "option.items[0].name is missing"),
    (#"{"items":{}}"#, "option.items must be an array, not an object"),
    (#"{}"#, "option.items is missing"),
    (#"[]"#, "option must be an object, not an array"),
    (#"{"items":[],"count":1.5}"#, "option.count must be an integer, not a number with a fraction"),
    (
      #"{"items":[],"count":{"$nb":["n","NaN"]}}"#,
      "option.count must be an integer, not a number that is not finite"
    ),
    (
      #"{"items":[{"name":"\ud800"}]}"#,
      "option.items[0].name holds a lone surrogate, half of a character, which text can't carry"
    ),
    (#"{"items":[{"name":{"$nb":["d",1]}}]}"#, "option.items[0].name must be a string, not a Date"),
  ])
  func whatIsWrongIsNamedByItsPath(_ text: String, _ message: String) {
    let bytes = Array(text.utf8)
    bytes.withUnsafeBufferPointer { text in
      let error = #expect(throws: BridgeError.self) {
        try WireDecoder.decode(Outer.self, text, root: "option")
      }
      #expect(error?.message == message)
    }
  }

  @Test func decimalsAreTheShortestThatRead() throws {
    var random = SeededGenerator(seed: 43)
    let edges = [0.001, -0.001, 1.005, 0.1 + 0.2, 999_999_999_999.999, 1e12 + 0.1, 1e15 + 0.5, 4.35, -2.5e-3]
    let drawn = (0..<20_000).map { _ in
      Double(Int64.random(in: -(1 << 45)...(1 << 45), using: &random)) / 1000
    }
    for value in edges + drawn where value != value.rounded() {
      let text = String(decoding: try Value(encoding: value).text, as: UTF8.self)
      #expect(text == value.description)
    }
  }

  @Test(arguments: [
    "", "{", "[1,]", "{\"a\"}", "{\"a\":}", "tru", "01", "1.", "1e", "-", "\"\u{1}\"", "[1 2]", "\"a", "nul",
    "{a:1}",
    "[1]]", "\"\\x\"x",
  ])
  func whatIsNoJSONIsRefused(_ text: String) {
    #expect(Value(text: Array(text.utf8)).syntaxProblem != nil)
  }

  @Test func depthIsBounded() {
    let deep = String(repeating: "[", count: 513) + String(repeating: "]", count: 513)
    #expect(Value(text: Array(deep.utf8)).syntaxProblem == "nested deeper than 512 (byte 512)")
  }

  @Test func theLastOfTwoEqualKeysCounts() throws {
    #expect(try Value(text: Array(#"{"name":"a","name":"b"}"#.utf8)).decode(Inner.self).name == "b")
  }

  @Test func anArchiveGivesBackTheValue() throws {
    let value = try Value(
      encoding: Everything(
        text: "t", whole: 1, ratio: 2, flag: false, missing: "m", list: [], nested: [:], when: Date(),
        large: 1,
        larger: 2, bytes: Bytes([9, 8])))
    #expect(try Value(archive: value.archived()).decode(Everything.self).bytes == Bytes([9, 8]))
    for cut in 0..<value.archived().count {
      #expect(throws: (any Error).self) {
        try Value(archive: Array(value.archived().prefix(cut))).decode(Everything.self)
      }
    }
  }

  /// Random texts, most of them nearly JSON: we and Foundation agree on which are, and on what they say.
  @Test func agreesWithFoundation() throws {
    var random = SeededGenerator(seed: 42)
    for _ in 0..<20_000 {
      let text = RandomJSON.make(&random)
      // Text from the engine and from files is UTF-8 by then.
      guard let shown = String(validating: text, as: UTF8.self) else { continue }
      let ours = Value(text: text)
      let theirs = try? JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed)
      // Half of a surrogate pair is well-formed JSON (RFC 8259, 8.2); Foundation refuses it at once, we on
      // decoding.
      // A number past a double's range is well-formed too.
      let hasHalfPair = theirs == nil && shown.contains(/(\\[uU][dD])|([eE][+-]?\d{3})/)
      #expect((ours.syntaxProblem == nil) == (theirs != nil) || hasHalfPair, "\(shown)")
      guard ours.syntaxProblem == nil, !hasHalfPair else { continue }
      if let expected = try? JSONDecoder().decode([Double].self, from: Data(text)) {
        #expect((try? ours.decode([Double].self)) == expected, "\(shown)")
      }
      #expect(
        (try? ours.decode([String].self)) == (try? JSONDecoder().decode([String].self, from: Data(text))),
        "\(shown)")
    }
  }
}

enum RandomJSON {
  /// A JSON text, in one of four cases with one byte changed.
  static func make(_ random: inout SeededGenerator) -> [UInt8] {
    var text = Array(value(&random, 4).utf8)
    if UInt8.random(in: 0..<4, using: &random) == 0, !text.isEmpty {
      text[random.below(text.count)] = UInt8.random(in: 0x20..<0x7F, using: &random)
    }
    return text
  }

  private static func value(_ random: inout SeededGenerator, _ depth: Int) -> String {
    switch random.number(0..<(depth > 0 ? 8 : 5)) {
    case 0: return "null"
    case 1: return Bool.random(using: &random) ? "true" : "false"
    case 2: return "\(random.number(-1_000_000...1_000_000))"
    case 3:
      let bits = UInt64.random(in: 0x3000...0x4FFF, using: &random) << 48 | random.next() >> 16
      return "\(Double(bitPattern: bits))"
    case 4: return string(&random)
    case 5, 6:
      return "["
        + (0..<random.number(0..<4)).map { _ in value(&random, depth - 1) }.joined(
          separator: ",") + "]"
    default:
      return "{"
        + (0..<random.number(0..<4)).map { _ in
          string(&random) + ": " + value(&random, depth - 1)
        }
        .joined(separator: ", ") + "}"
    }
  }

  private static func string(_ random: inout SeededGenerator) -> String {
    let parts = [
      "a", "\\n", "\\\"", "\\u00e9", "é", "漢", "\\ud83c\\udf89", " ", "/", "\\/", "long text without escapes",
    ]
    let chosen = (0..<random.number(0..<5)).map { _ in
      random.pick(parts)
    }
    return "\"" + chosen.joined() + "\""
  }
}
