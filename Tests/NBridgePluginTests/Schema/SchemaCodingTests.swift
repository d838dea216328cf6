// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

@testable import NBridgePlugin

/// Shapes as JSON Schema, in both directions.
@Suite struct SchemaCodingTests {
  static let table: [(schema: Schema, text: String)] = [
    (.any, "{}"), (.undefined, #"{"format":"undefined"}"#), (.null, #"{"type":"null"}"#),
    (.boolean, #"{"type":"boolean"}"#),
    (.number, #"{"type":"number"}"#), (.integer, #"{"type":"integer"}"#), (.string, #"{"type":"string"}"#),
    (.bigint, #"{"type":"integer","format":"bigint"}"#), (.date, #"{"type":"string","format":"date"}"#),
    (.bytes, #"{"type":"string","format":"bytes"}"#),
    (.oneOf(["a", "b"]), #"{"type":"string","enum":["a","b"]}"#),
    (.array(.string), #"{"type":"array","items":{"type":"string"}}"#),
    (.array(.any), #"{"type":"array","items":{}}"#),
    (.dictionary(.integer), #"{"type":"object","additionalProperties":{"type":"integer"}}"#),
    (.optional(.string), #"{"anyOf":[{"type":"string"},{"type":"null"}]}"#),
    (.union([.string, .number]), #"{"anyOf":[{"type":"string"},{"type":"number"}]}"#),
    (.object([]), #"{"type":"object","properties":{},"required":[]}"#),
    (
      .object([.init(name: "a", schema: .string), .init(name: "b", schema: .number, isOptional: true)]),
      #"{"type":"object","properties":{"a":{"type":"string"},"b":{"anyOf":[{"type":"number"},"#
        + #"{"type":"null"}]}},"required":["a"]}"#
    ),
    (
      .optional(.union([.string, .bytes])),
      #"{"anyOf":[{"anyOf":[{"type":"string"},{"type":"string","format":"bytes"}]},{"type":"null"}]}"#
    ),
    (
      .array(.optional(.oneOf(["x"]))),
      #"{"type":"array","items":{"anyOf":[{"type":"string","enum":["x"]},{"type":"null"}]}}"#
    ),
  ]

  @Test(arguments: table)
  func shapesAreWrittenAndRead(_ schema: Schema, _ text: String) throws {
    #expect(try written(schema) == text)
    #expect(try wire(text).decode(Schema.self) == schema)
  }

  /// Schemas that others wrote, with words that mean nothing here.
  @Test(arguments: [
    (#"{"type":"integer","minimum":0,"title":"x"}"#, Schema.integer),
    (#"{"type":"string","format":"email"}"#, .string), (#"{"type":"array"}"#, .array(.any)),
    (#"{"type":"object"}"#, .dictionary(.any)), (#"{"type":"integer","format":"int32"}"#, .integer),
    (#"{"enum":["a"]}"#, .oneOf(["a"])),
    (#"{"anyOf":[{"type":"null"},{"type":"string"}]}"#, .optional(.string)),
    (#"{"anyOf":[{"type":"string"}]}"#, .string), (#"{"description":"anything"}"#, .any),
    (
      #"{"anyOf":[{"type":"string"},{"type":"number"},{"type":"null"}]}"#,
      .optional(.union([.string, .number]))
    ), (#"{"type":null}"#, .any),
    (
      #"{"type":"object","properties":{"a":{}}}"#, .object([.init(name: "a", schema: .any, isOptional: true)])
    ),
    (
      #"{"required":["a"],"properties":{"b":{"anyOf":[{"type":"null"},{"type":"date"}]}},"type":"array"}"#,
      .array(.any)
    ),
  ])
  func schemasOfOthersAreRead(_ text: String, _ schema: Schema) throws {
    #expect(try wire(text).decode(Schema.self) == schema)
  }

  @Test(arguments: [#"{"type":"tuple"}"#, #"{"type":""}"#, #"{"type":"array","items":{"type":"x"}}"#])
  func unknownTypesAreRefused(_ text: String) {
    #expect { try wire(text).decode(Schema.self) } throws: { "\($0)".contains("is no type of JSON Schema") }
  }

  @Test(arguments: [
    ("[]", "value must be an object, not an array"),
    (#"{"type":5}"#, "value.type must be a string, not a number"),
    (#"{"enum":"a"}"#, "value.enum must be an array, not a string"),
    (#"{"type":"object","properties":[]}"#, "value.properties must be an object, not an array"),
    (#"{"type":"object","properties":{"a":1}}"#, "value.properties.a must be an object, not a number"),
  ])
  func whatIsNoSchemaIsRefusedByItsPath(_ text: String, _ message: String) {
    #expect(complaint(text, Schema.self) == message)
  }

  /// Shapes of any kind survive, but for unions that only one shape is in.
  @Test func randomShapesSurvive() throws {
    var random = SeededGenerator(seed: 71)
    for _ in 0..<2000 {
      let schema = Self.make(&random, 4)
      #expect(try Value(encoding: schema).decode(Schema.self) == schema)
    }
  }

  static func make(_ random: inout SeededGenerator, _ depth: Int) -> Schema {
    let plain: [Schema] = [
      .any, .boolean, .number, .integer, .bigint, .string, .date, .bytes, .undefined, .oneOf(["a", "$nb"]),
    ]
    switch random.number(0..<(depth > 0 ? 6 : 1)) {
    case 0, 1: return random.pick(plain)
    case 2: return .array(make(&random, depth - 1))
    case 3: return .dictionary(make(&random, depth - 1))
    case 4: return .union([.string, make(&random, depth - 1)])
    default:
      let names = ["a", "b", "$nb", "é \"", ""].shuffled(using: &random).prefix(
        random.number(0...3))
      return .object(
        names.map {
          Schema.Field(name: $0, schema: make(&random, depth - 1), isOptional: .random(using: &random))
        })
    }
  }

  private func example(_ schema: Schema) throws -> String {
    let sink = WireSink()
    try schema.writeExample(into: sink)
    return String(decoding: sink.text, as: UTF8.self)
  }

  @Test(arguments: [
    (Schema.undefined, "null"), (.any, "null"), (.null, "null"), (.boolean, "false"), (.number, "0"),
    (.integer, "0"), (.bigint, #"{"$nb":["i","0"]}"#), (.string, #""""#),
    (.date, #"{"$nb":["d",0]}"#), (.bytes, #"{"$nb":["b",0,"Uint8Array"]}"#), (.oneOf(["x", "y"]), #""x""#),
    (.oneOf([]), #""""#), (.array(.string), "[]"),
    (.dictionary(.any), "{}"), (.optional(.string), "null"), (.union([.number, .string]), "0"),
    (.union([]), "null"), (.object([]), "{}"),
    (
      .object([
        .init(name: "a", schema: .string, isOptional: true),
        .init(name: "b", schema: .object([.init(name: "c", schema: .boolean)])),
        .init(name: "d", schema: .array(.any)),
      ]), #"{"b":{"c":false},"d":[]}"#
    ),
  ])
  func examplesAreTheEmptiestValues(_ schema: Schema, _ text: String) throws {
    #expect(try example(schema) == text)
  }

  @Test func examplesAreSoundJSON() throws {
    var random = SeededGenerator(seed: 72)
    for _ in 0..<500 {
      let schema = Self.make(&random, 4)
      let text = try example(schema)
      #expect(wire(text, [Bytes([])]).syntaxProblem == nil)
    }
  }
}

/// Shapes that are found by decoding from nothing.
@Suite struct SchemaRecorderTests {
  struct Scalars: Codable {
    var a: Bool, b: String, c: Double, d: Float, e: Int, f: Int8, g: Int16, h: Int32, i: Int64, j: UInt,
      k: UInt8, l: UInt16, m: UInt32, n: UInt64
  }
  struct Maybes: Codable {
    var a: Bool?, b: String?, c: Double?, d: Float?, e: Int?, f: Int8?, g: Int16?, h: Int32?, i: Int64?,
      j: UInt?, k: UInt8?, l: UInt16?, m: UInt32?, n: UInt64?
  }

  static let shapes: [(String, Schema)] = [
    ("a", .boolean), ("b", .string), ("c", .number), ("d", .number), ("e", .integer), ("f", .integer),
    ("g", .integer), ("h", .integer), ("i", .bigint),
    ("j", .integer), ("k", .integer), ("l", .integer), ("m", .integer), ("n", .bigint),
  ]

  @Test func everyScalarHasItsShape() throws {
    #expect(try Schema.of(Scalars.self) == .object(Self.shapes.map { .init(name: $0.0, schema: $0.1) }))
    #expect(
      try Schema.of(Maybes.self)
        == .object(Self.shapes.map { .init(name: $0.0, schema: $0.1, isOptional: true) }))
  }

  @Test func typesAloneHaveTheirs() throws {
    #expect(try Schema.of(String.self) == .string)
    #expect(try Schema.of(Int64.self) == .bigint)
    #expect(try Schema.of(Date.self) == .date)
    #expect(try Schema.of(Data.self) == .bytes)
    #expect(try Schema.of(Bytes.self) == .bytes)
    #expect(try Schema.of(Value.self) == .any)
    #expect(try Schema.of([Date?].self) == .array(.optional(.date)))
    #expect(try Schema.of([String: [Int]].self) == .dictionary(.array(.integer)))
    #expect(try Schema.of(Set<String>.self) == .array(.string))
    #expect(try Schema.of(Int?.self) == .optional(.integer))
  }

  struct Custom: Codable {
    var inner: Wrapped
    enum Key: String, CodingKey { case renamed, other = "an other" }
    init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: Key.self)
      inner = try members.decode(Wrapped.self, forKey: .renamed)
      _ = try members.decodeIfPresent([Bool].self, forKey: .other)
    }
    func encode(to encoder: any Encoder) throws {}
  }
  struct Wrapped: Codable {
    var value: Double
    init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Double.self) }
    func encode(to encoder: any Encoder) throws {}
  }

  @Test func whatATypeAsksForIsItsShape() throws {
    #expect(
      try Schema.of(Custom.self)
        == .object([
          .init(name: "renamed", schema: .number),
          .init(name: "an other", schema: .array(.boolean), isOptional: true),
        ]))
  }

  struct Described: Codable, SchemaDescribed {
    var text: String
    static var schema: Schema { .object([.init(name: "text", schema: .string)]) }
  }
  struct Misdescribed: Codable, SchemaDescribed {
    var text: String
    static var schema: Schema { .number }
  }

  @Test func typesThatDescribeThemselvesAreBelieved() throws {
    #expect(try Schema.of([Described].self) == .array(.named("Described", Described.schema)))
    #expect { try Schema.of(Misdescribed.self) } throws: {
      "\($0)".contains("can't be made of the empty value that its schema allows")
    }
  }

  @Test func theFieldOfAFaultIsNamedFromTheTop() {
    struct Top: Codable { var middle: Middle }
    struct Middle: Codable { var list: [Inner] }
    struct Inner: Codable { var id: UUID }
    #expect { try Schema.of(Top.self) } throws: { "\($0)".hasPrefix("the field 'middle.list.id': 'UUID'") }
  }

  @Test func typesAreDescribedFromManyThreads() async throws {
    try await withThrowingTaskGroup(of: Schema.self) { group in
      for _ in 0..<50 { group.addTask { try Schema.of(Scalars.self) } }
      for try await schema in group {
        #expect(schema == .object(Self.shapes.map { .init(name: $0.0, schema: $0.1) }))
      }
    }
  }
}
