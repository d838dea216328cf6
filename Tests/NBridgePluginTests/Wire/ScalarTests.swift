// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

@testable import NBridgePlugin

/// Numbers and strings of a text.
@Suite struct ScalarTests {
  private func integer<T: FixedWidthInteger>(_ text: String, _ type: T.Type) throws -> T? {
    try onTape(text) { $0.integer(0, as: type) }
  }

  @Test(arguments: [
    ("0", 0), ("-0", 0), ("7", 7), ("-7", -7), ("1e2", 100), ("1.5e1", 15), ("100e-2", 1), ("3.0", 3),
    ("-2.0e0", -2),
    ("999999999999999999", 999_999_999_999_999_999), ("9223372036854775807", Int64.max),
    ("-9223372036854775808", Int64.min), ("9223372036854775808", nil), ("-9223372036854775809", nil),
    ("99999999999999999999999", nil), ("1.5", nil), ("1e-1", nil), ("1e400", nil), ("-1e400", nil),
    ("9.3e18", nil),
    ("true", nil), ("null", nil), ("\"1\"", nil), ("[1]", nil),
  ])
  func integersAreExactOrNone(_ text: String, _ value: Int64?) throws {
    #expect(try integer(text, Int64.self) == value)
  }

  @Test func narrowTypesTakeWhatFits() throws {
    for (text, fits) in [("127", true), ("128", false), ("-128", true), ("-129", false)] {
      #expect((try integer(text, Int8.self) != nil) == fits)
    }
    for (text, fits) in [("255", true), ("256", false), ("-1", false), ("-0", true)] {
      #expect((try integer(text, UInt8.self) != nil) == fits)
    }
    #expect(try integer("18446744073709551615", UInt64.self) == .max)
    #expect(try integer("18446744073709551616", UInt64.self) == nil)
    #expect(try integer("65535", UInt16.self) == .max)
    #expect(try integer("65536", UInt16.self) == nil)
    #expect(try integer("2147483648", Int32.self) == nil)
    #expect(try integer("4294967295", UInt32.self) == .max)
  }

  @Test func integersOfAnyLengthSurvive() throws {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<20_000 {
      let value = Int64(bitPattern: random.next()) >> Int64.random(in: 0..<64, using: &random)
      #expect(try integer("\(value)", Int64.self) == value)
      let large = random.next() >> UInt64.random(in: 0..<64, using: &random)
      #expect(try integer("\(large)", UInt64.self) == large)
    }
  }

  @Test(
    arguments: [
      "0.1", "0.2", "0.30000000000000004", "1e22", "1e23", "9007199254740993", "9007199254740992.5",
      "123456789012345",
      "1234567890123456", "12345678901234567", "0.000000000000000000001", "0.0000000000000000000001",
      "1.7976931348623157e308",
      "1.7976931348623159e308", "5e-324", "2e-324", "2.2250738585072011e-308",
      "0.1234567890123456789012345678", "1e400", "-1e400",
      "1e-400", "4.35", "100000000000000000000000", "0.99999999999999994", "8.5e15", "123e0", "000000",
      "0.00001e5",
    ].filter { $0 != "000000" })
  func doublesAreTheNearest(_ text: String) throws {
    #expect(try onTape(text) { $0.double(0)?.bitPattern } == strtod(text, nil).bitPattern)
  }

  @Test func doublesOfAnyShapeAgreeWithTheLibrary() throws {
    var random = SeededGenerator(seed: 12)
    for _ in 0..<30_000 {
      let text = Self.decimal(&random)
      #expect(try onTape(text) { $0.double(0)?.bitPattern } == strtod(text, nil).bitPattern, "\(text)")
    }
  }

  private static func decimal(_ random: inout SeededGenerator) -> String {
    func digits(_ range: ClosedRange<Int>) -> String {
      (0..<random.number(range)).map { _ in "\(random.number(0...9))" }
        .joined()
    }
    var text = Bool.random(using: &random) ? "-" : ""
    text += Bool.random(using: &random) ? "0" : "\(random.number(1...9))" + digits(0...18)
    if Bool.random(using: &random) { text += "." + digits(1...24) }
    if random.number(0..<4) == 0 { text += "e\(random.number(-330...310))" }
    return text
  }

  /// A number that is written reads back to the bit, whichever way it was written.
  @Test func everyDoubleSurvives() throws {
    var random = SeededGenerator(seed: 13)
    for _ in 0..<30_000 {
      let value = Double(bitPattern: random.next())
      let back = try Value(encoding: value).decode(Double.self)
      #expect(value.isNaN ? back.isNaN : back.bitPattern == value.bitPattern)
      let small = Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
      let backSmall = try Value(encoding: small).decode(Float.self)
      #expect(small.isNaN ? backSmall.isNaN : backSmall.bitPattern == small.bitPattern)
    }
  }

  @Test(arguments: [
    (#""""#, ""), (#""a""#, "a"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0000""#, "\u{0}"),
    (#""\u0041""#, "A"),
    (#""\u00e9\u00E9""#, "éé"), (#""\u6f22""#, "漢"), (#""\ud83c\udf89""#, "🎉"), (#""\uD83C\uDF89""#, "🎉"),
    (#""a\u0062c\u0064e""#, "abcde"), (#""\ufffd\uffff""#, "\u{FFFD}\u{FFFF}"),
    (#""\ud7ff\ue000""#, "\u{D7FF}\u{E000}"),
    (#""\udbff\udfff""#, "\u{10FFFF}"), (#""é\n漢""#, "é\n漢"),
    (#""12345678\n12345678\t""#, "12345678\n12345678\t"),
    (#""\\u0041""#, "\\u0041"), (#""\\\\""#, "\\\\"),
  ])
  func escapesAreResolved(_ text: String, _ value: String) throws {
    #expect(try onTape(text) { tape in try tape.string(0) } == value)
    #expect(try JSONDecoder().decode(String.self, from: Data(text.utf8)) == value)
  }

  @Test(arguments: [
    #""\ud800""#, #""\udc00""#, #""\udbffx""#, #""\ud800\n""#, #""\ud800\u0041""#, #""\ud800\ud800""#,
    #""\udc00\ud800""#,
    #""abc\ud83c""#, #""\ud83c\\udf89""#,
  ])
  func halvesOfCharactersAreNoText(_ text: String) throws {
    try onTape(text) { tape in
      let error = #expect(throws: WireError.self) { try tape.string(0) }
      #expect(error?.reason == "holds a lone surrogate, half of a character, which text can't carry")
    }
  }

  @Test func keysWithHalvesAreRefusedByTheirPath() {
    #expect(complaint(#"{"\ud800":1}"#, [String: Int].self) == Self.half("value.?"))
    #expect(complaint(#"{"a":{"b":1,"x\udc00":2}}"#, [String: [String: Int]].self) == Self.half("value.a.?"))
    #expect(complaint(#"{"\ud83c\udf89":1}"#, [String: Int].self) == nil)
    #expect(complaint(#"{"a":"\ud800"}"#, [String: String].self) == Self.half("value.a"))
    #expect(complaint(#"["\ud800"]"#, [Value].self) == Self.half("value[0]"))
    #expect(complaint(#"[{"\ud800":1}]"#, [Value].self) == Self.half("value[0].?"))
  }

  private static func half(_ path: String) -> String {
    "\(path) holds a lone surrogate, half of a character, which text can't carry"
  }

  @Test(arguments: [
    (#""name""#, "name", true), (#""name""#, "nam", false), (#""name""#, "names", false),
    (#""name""#, "Name", false),
    (#""""#, "", true), (#""""#, "a", false), (#""\u006eame""#, "name", true),
    (#""n\u0061me""#, "name", true),
    (#""\ud800""#, "\u{FFFD}", false), (#""é""#, "é", true), (#""e\u0301""#, "é", false),
    (#""e\u0301""#, "e\u{301}", true),
    (#""\u0000""#, "\u{0}", true), (#""漢🎉""#, "漢🎉", true),
  ])
  func namesMatchByTheirBytes(_ text: String, _ name: String, _ expected: Bool) throws {
    var name = name
    let matches = try name.withUTF8 { name in try onTape(text) { $0.matches(0, name) } }
    #expect(matches == expected)
  }

  @Test func randomTextsSurvive() throws {
    var random = SeededGenerator(seed: 14)
    for _ in 0..<5000 {
      let scalars = (0..<random.number(0..<40)).compactMap { _ in
        Unicode.Scalar(UInt32.random(in: 0...(Bool.random(using: &random) ? 0x10FFFF : 0x7F), using: &random))
      }
      let text = String(String.UnicodeScalarView(scalars))
      let value = try Value(encoding: text)
      #expect(try value.decode(String.self) == text)
      #expect(try JSONDecoder().decode(String.self, from: Data(value.text)) == text)
    }
  }
}
