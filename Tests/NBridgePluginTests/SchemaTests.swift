// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import NBridgePlugin

@Suite struct SchemaTests {
  enum Colour: String, Codable, CaseIterable { case red, green }
  enum Payload: Codable { case number(Int) }
  enum Silent: String, Codable { case a, b }
  enum Level: Int, Codable, CaseIterable { case low = 3, high }
  enum Shape: Codable, SchemaDescribed {
    case circle(radius: Double), point
    static var schema: Schema {
      .cases([("circle", [.init(name: "radius", schema: .number)]), ("point", [])])
    }
  }
  struct Drawing: Codable {
    var level: Level
    var numbers: Set<Int>
    var shape: Shape
    var shapes: [Shape]
    var last: Bool
  }
  struct Tree: Codable { var kids: [Tree] }
  struct Deep: Codable {
    struct Inner: Codable { var id: UUID }
    var inner: Inner
  }
  struct Tuple: Codable {
    init(from decoder: any Decoder) throws { _ = try decoder.unkeyedContainer() }
    func encode(to encoder: any Encoder) throws {}
  }
  struct Options: Codable {
    var name: String
    var colour: Colour?
    var list: [Date]
    var map: [String: Int]
    var bytes: Bytes?
    var any: Value
    var big: Int64
    var inner: [Inner]
    struct Inner: Codable { var flag: Bool }
  }

  @Test func theShapeOfAStructIsDerived() throws {
    let expected = Schema.object([
      .init(name: "name", schema: .string, isOptional: false),
      .init(name: "colour", schema: .oneOf(["red", "green"]), isOptional: true),
      .init(name: "list", schema: .array(.date), isOptional: false),
      .init(name: "map", schema: .dictionary(.integer), isOptional: false),
      .init(name: "bytes", schema: .bytes, isOptional: true),
      .init(name: "any", schema: .any, isOptional: false),
      .init(name: "big", schema: .bigint, isOptional: false),
      .init(
        name: "inner",
        schema: .array(.named("Inner", .object([.init(name: "flag", schema: .boolean, isOptional: false)]))),
        isOptional: false),
    ])
    #expect(try Schema.of(Options.self) == expected)
  }

  /// Reads an optional as a value of its own, not with `decodeIfPresent`.
  private struct OptionalByHand: Decodable {
    var count: Int?
    enum CodingKeys: CodingKey { case count }
    init(from decoder: any Decoder) throws {
      count = try decoder.container(keyedBy: CodingKeys.self).decode(Int?.self, forKey: .count)
    }
  }

  @Test func anOptionalThatIsReadByHandIsNoMust() throws {
    #expect(
      try Schema.of(OptionalByHand.self)
        == .object([.init(name: "count", schema: .integer, isOptional: true)]))
  }

  @Test func enumsOfNumbersSetsAndDescribedTypesAreFields() throws {
    let shape = Schema.cases([("circle", [.init(name: "radius", schema: .number)]), ("point", [])])
    #expect(
      try Schema.of(Drawing.self)
        == .object([
          .init(name: "level", schema: .integer), .init(name: "numbers", schema: .array(.integer)),
          .init(name: "shape", schema: shape), .init(name: "shapes", schema: .array(shape)),
          .init(name: "last", schema: .boolean),
        ]))
  }

  @Test(
    arguments: [
      ("Payload", "'Payload' does not tell its keys (an enum with payloads"),
      ("Silent", "'Silent' does not tell its values; conform it to CaseIterable"),
      ("IntKeys", "'Dictionary<Int, String>' does not tell its keys"),
      ("Tree", "the field 'kids': 'Tree' holds itself, and a shape must end"),
      ("Deep", "the field 'inner.id': 'UUID' can't be made of an empty value"),
      ("Tuple", "a type that is a list does not tell of what"),
    ])
  func aShapeThatWouldBeGuessedIsRefusedWithWhatToDo(_ name: String, _ text: String) {
    let types: [String: any Decodable.Type] = [
      "Payload": Payload.self, "Silent": Silent.self, "IntKeys": [Int: String].self, "Tree": Tree.self,
      "Deep": Deep.self, "Tuple": Tuple.self,
    ]
    #expect { try types[name].map { try Schema.of($0) } } throws: { "\($0)".contains(text) }
  }

  @Test(arguments: [("method", true), ("colour", true), ("size", false), ("other", false)])
  func whatMarksMockedAnswersIsSomethingThatTheAnswerCanSay(_ member: String, _ isRight: Bool) throws {
    struct Answer: Codable, Sendable {
      var method: String
      var colour: Colour
      var size: Int
    }
    let action = Action("ask", "Asks.") { call in Answer(method: "", colour: .red, size: 0) }
      .vouches(by: member, mocked: "green")
    let described = try PluginDescriptor(
      PluginManifest(service: "x", version: "1.0.0"), [action.declaration])
    if isRight { try described.check() } else { #expect(throws: SchemaError.self) { try described.check() } }
    let read = try Value(encoding: described).decode(PluginDescriptor.self)
    #expect(read.members[0].declaration(.foreign).mockMark == MockMark(member: member, value: "green"))
  }
}
