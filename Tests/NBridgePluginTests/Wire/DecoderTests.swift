// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

@testable import NBridgePlugin

/// Each kind of value read as each type: what does not fit is refused, and named.
@Suite struct DecoderTests {
  /// A value's text, and the name of its kind in messages.
  static let kinds: [(text: String, name: String)] = [
    ("null", "null"), (#"{"$nb":["u"]}"#, "undefined"), ("true", "a boolean"), ("1", "a number"),
    ("1.5", "a number"),
    (#"{"$nb":["n","NaN"]}"#, "a number that is not finite"), (#"{"$nb":["i","5"]}"#, "a BigInt"),
    (#""x""#, "a string"),
    (#""\n""#, "a string"), (#"{"$nb":["d",0]}"#, "a Date"), (#"{"$nb":["b",0,"Uint8Array"]}"#, "bytes"),
    ("[]", "an array"),
    ("{}", "an object"), (#"{"$nb":["m",[]]}"#, "a Map"), (#"{"$nb":["s",[]]}"#, "a Set"),
    (#"{"$nb":["o",{"$nb":1}]}"#, "an object"),
  ]

  private func check<T: Decodable>(
    _ type: T.Type, _ expected: String, takes: Set<Int>, _ special: [Int: String] = [:]
  ) {
    for (index, kind) in Self.kinds.enumerated() {
      let message = complaint(#"{"a":[\#(kind.text)]}"#, [String: [T]].self, [Bytes([1])])
      if takes.contains(index) {
        #expect(message == nil, "\(kind.text) as \(type)")
      } else {
        #expect(
          message == "value.a[0] must be \(expected), not \(special[index] ?? kind.name)",
          "\(kind.text) as \(type)")
      }
    }
  }

  @Test func booleansAreBooleans() { check(Bool.self, "a boolean", takes: [2]) }
  @Test func stringsAreStrings() { check(String.self, "a string", takes: [7, 8]) }
  @Test func numbersAreNumbers() { check(Double.self, "a number", takes: [3, 4, 5]) }
  @Test func smallNumbersToo() { check(Float.self, "a number", takes: [3, 4, 5]) }
  @Test func integersAreWhole() {
    check(Int.self, "an integer", takes: [3, 6], [4: "a number with a fraction"])
    check(Int64.self, "an integer", takes: [3, 6], [4: "a number with a fraction"])
    check(UInt64.self, "an integer", takes: [3, 6], [4: "a number with a fraction"])
    check(UInt8.self, "an integer from 0 to 255", takes: [3, 6], [4: "a number with a fraction"])
    check(Int16.self, "an integer from -32768 to 32767", takes: [3, 6], [4: "a number with a fraction"])
  }
  @Test func bytesAreBytes() { check(Bytes.self, "bytes (an ArrayBuffer or a view of one)", takes: [10]) }
  @Test func dataIsBytes() { check(Data.self, "bytes (an ArrayBuffer or a view of one)", takes: [10]) }
  @Test func datesAreDates() { check(Date.self, "a Date", takes: [9]) }
  @Test func listsAreArraysSetsAndMaps() { check([Int].self, "an array", takes: [11, 13, 14]) }
  @Test func objectsAreObjects() { check([String: Int].self, "an object", takes: [12, 15]) }
  @Test func anythingIsAValue() { check(Value.self, "", takes: Set(0..<16)) }
  @Test func optionalsAreAbsentOrNot() { check(Bool?.self, "a boolean", takes: [0, 1, 2]) }

  @Test func whatIsOutOfBoundsIsSaid() {
    let table: [(String, any Decodable.Type, String)] = [
      ("300", UInt8.self, "an integer from 0 to 255, not a larger one"),
      ("-1", UInt8.self, "an integer from 0 to 255, not a smaller one"),
      ("1e400", Int.self, "an integer, not a larger one"),
      ("-1e400", Int.self, "an integer, not a smaller one"),
      ("9223372036854775808", Int64.self, "an integer, not a larger one"),
      ("-1", UInt64.self, "an integer, not a smaller one"),
      (#"{"$nb":["i","300"]}"#, UInt8.self, "an integer from 0 to 255, not a BigInt"),
      (#"{"$nb":["i","x"]}"#, Int64.self, "an integer, not a BigInt"),
      (#"{"$nb":["d",null]}"#, Date.self, "a Date with a time, not an invalid one"),
      (#"{"$nb":["d"]}"#, Date.self, "a Date with a time, not an invalid one"),
      (#"{"$nb":["b",7]}"#, Bytes.self, "bytes (an ArrayBuffer or a view of one), not bytes"),
    ]
    func read<T: Decodable>(_ text: String, _ type: T.Type) -> String? { complaint(text, type) }
    for (text, type, expected) in table {
      #expect(read(text, type) == "value must be \(expected)", "\(text)")
    }
  }

  struct Deep: Codable {
    var list: [[String: Inner]]
    struct Inner: Codable { var flags: [Bool] }
  }

  @Test(arguments: [
    (#"{"list":[{},{"a":{"flags":[true,1]}}]}"#, "value.list[1].a.flags[1] must be a boolean, not a number"),
    (#"{"list":[{"b c":{}}]}"#, "value.list[0].b c.flags is missing"),
    (#"{"list":[{"x":null}]}"#, "value.list[0].x must be an object, not null"),
    (#"{"list":{"$nb":["s",[1]]}}"#, "value.list[0] must be an object, not a number"),
  ])
  func pathsLeadToTheFault(_ text: String, _ message: String) {
    #expect(complaint(text, Deep.self) == message)
  }

  struct Pair: Decodable {
    var first: Int
    var second: Int
    init(from decoder: any Decoder) throws {
      var list = try decoder.unkeyedContainer()
      first = try list.decode(Int.self)
      second = try list.decode(Int.self)
    }
  }

  /// A list that ends too soon is named, not its last element.
  @Test(arguments: [
    ("[]", "value the array ends before element 0"), ("[1]", "value the array ends before element 1"),
    (#"{"a":[[1]]}"#, "value.a[0] the array ends before element 1"),
    (#"{"a":[[1,2],[]]}"#, "value.a[1] the array ends before element 0"),
  ])
  func aListThatEndsTooSoonIsNamed(_ text: String, _ message: String) {
    if text.hasPrefix("[") {
      #expect(complaint(text, Pair.self) == message)
    } else {
      #expect(complaint(text, [String: [Pair]].self) == message)
    }
  }

  struct Counted: Decodable {
    var seen: [String] = []
    init(from decoder: any Decoder) throws {
      var list = try decoder.unkeyedContainer()
      while !list.isAtEnd {
        seen.append("\(list.currentIndex)/\(list.count ?? -1)")
        if try list.decodeNil() { continue }
        if var inner = try? list.nestedUnkeyedContainer() {
          while !inner.isAtEnd { seen.append("in \(try inner.decode(Int.self))") }
        }
      }
    }
  }

  @Test func aListTellsWhereItIs() throws {
    #expect(
      try wire(#"[null,[7,8],{"$nb":["u"]},[]]"#).decode(Counted.self).seen == [
        "0/4", "1/4", "in 7", "in 8", "2/4", "3/4",
      ])
  }

  struct Nested: Decodable {
    var a: Int
    var b: [String]
    var keys: [String]
    var hasC: Bool
    enum Key: String, CodingKey { case outer, a, b, c, missing }
    init(from decoder: any Decoder) throws {
      let top = try decoder.container(keyedBy: Key.self)
      let outer = try top.nestedContainer(keyedBy: Key.self, forKey: .outer)
      a = try outer.decode(Int.self, forKey: .a)
      var list = try outer.nestedUnkeyedContainer(forKey: .b)
      b = []
      while !list.isAtEnd { b.append(try list.decode(String.self)) }
      keys = outer.allKeys.map(\.rawValue)
      hasC = outer.contains(.c)
    }
  }

  @Test func nestedContainersAreRead() throws {
    let value = try wire(#"{"outer":{"b":["x","y"],"other":1,"a":5,"c":null}}"#).decode(Nested.self)
    #expect(value.a == 5)
    #expect(value.b == ["x", "y"])
    #expect(value.keys == ["b", "a", "c"])
    #expect(value.hasC)
    #expect(complaint(#"{"outer":{"a":1}}"#, Nested.self) == "value.outer.b is missing")
    #expect(complaint(#"{"outer":[1]}"#, Nested.self) == "value.outer must be an object, not an array")
    #expect(complaint(#"{}"#, Nested.self) == "value.outer is missing")
  }

  enum Colour: String, Codable, CaseIterable { case red, green }
  enum Level: Int, Codable, CaseIterable { case low = 1, high = 5 }

  @Test func casesAreNamed() {
    #expect(complaint(#"["blue"]"#, [Colour].self) == "value[0] must be one of 'red', 'green'")
    #expect(complaint("[3]", [Level].self) == "value[0] must be one of 1, 5")
    #expect(complaint(#"["5"]"#, [Level].self) == "value[0] must be an integer, not a string")
  }

  @Test func whatATypeThrowsItselfHasItsPlace() {
    #expect(
      complaint(#"{"a":["no"]}"#, [String: [UUID]].self)
        == "value.a[0] is not valid: Attempted to decode UUID from invalid UUID string.")
    struct Own: Decodable {
      init(from decoder: any Decoder) throws { throw BridgeError(.invalidParameter, "own words") }
    }
    #expect(complaint("[1]", [Own].self) == "own words")
  }

  @Test func optionalMembersMayBeAbsentNullOrUndefined() throws {
    struct Options: Codable, Equatable {
      var a: Int?
      var b: String?
      var c: [Int]?
      var d: Value?
      var e: Bool?
      var f: Double?
    }
    #expect(try wire("{}").decode(Options.self) == Options())
    #expect(
      try wire(#"{"a":null,"b":{"$nb":["u"]},"c":null,"e":null,"f":{"$nb":["u"]}}"#).decode(Options.self)
        == Options())
    #expect(try wire(#"{"d":null}"#).decode(Options.self).d == .null)
    #expect(try wire(#"{"d":{"$nb":["u"]}}"#).decode(Options.self).d == .undefined)
    #expect(complaint(#"{"c":{}}"#, Options.self) == "value.c must be an array, not an object")
  }

  /// Members asked for in another order than they stand in.
  @Test func theOrderOfMembersDoesNotMatter() throws {
    var random = SeededGenerator(seed: 31)
    struct Five: Codable, Equatable { var a: Int, b: String, c: [Int], d: Inner, e: Bool }
    struct Inner: Codable, Equatable { var x: Int, y: Int }
    let members = [
      #""a":1"#, #""b":"two""#, #""c":[3,4]"#, #""d":{"y":6,"x":5}"#, #""e":true"#, #""f":{"a":9}"#,
      #""g":[{"b":1}]"#,
    ]
    for _ in 0..<500 {
      let text = "{" + members.shuffled(using: &random).joined(separator: ",") + "}"
      #expect(
        try wire(text).decode(Five.self) == Five(a: 1, b: "two", c: [3, 4], d: Inner(x: 5, y: 6), e: true))
    }
  }

  @Test func anInvalidTextIsRefusedWithItsRoot() throws {
    let error = #expect(throws: BridgeError.self) { try wire("[1,]").decode([Int].self) }
    #expect(error?.message == "value is not valid: not a value (byte 3)")
    #expect(error?.code == .invalidParameter)
  }

  @Test func inputsWithoutTextAreAnEmptyObject() throws {
    struct Options: Codable, Sendable { var a: Int? }
    #expect(try WireInput.none.decode(Options.self, OptionNames(Options.self)).a == nil)
    let error = #expect(throws: BridgeError.self) { try WireInput.none.decode([Int].self) }
    #expect(error?.message == "option must be an array, not an object")
  }

  /// Texts of tags that no bridge writes are read as something, or refused, and never past their end.
  @Test func brokenTagsDoNoHarm() throws {
    var random = SeededGenerator(seed: 32)
    let parts = [
      "\"u\"", "\"o\"", "\"s\"", "\"m\"", "\"b\"", "\"d\"", "\"i\"", "\"n\"", "[1]", "[1,2,3]", "[]", "{}",
      "{\"a\":1}", "5", "null", "\"x\"", "\"NaN\"",
    ]
    for _ in 0..<20_000 {
      let list = (0..<random.number(0..<4)).map { _ in
        random.pick(parts)
      }
      let text = #"[{"$nb":[\#(list.joined(separator: ","))]},"k","v",[7]]"#
      _ = complaint(text, [Value].self)
      _ = complaint(text, [[String: Int]].self)
      _ = complaint(text, [Set<Int>].self)
      _ = complaint(text, [Bytes].self)
      _ = complaint(text, [Date].self)
      _ = complaint(text, [Double].self)
      _ = wire(text).isSound
      _ = wire(text, [Bytes([1])]).kind
    }
  }
}
