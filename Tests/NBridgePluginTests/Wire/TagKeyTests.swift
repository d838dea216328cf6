// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

@testable import NBridgePlugin

/// An object with a key `$nb` of its own crosses as one, and is not taken for a tagged value.
@Suite struct TagKeyTests {
  @Test(arguments: [
    ["$nb": "a"], ["$nb": "u", "x": "y"], ["a": "1", "$nb": "2", "z": "3"], ["$nb": ""],
    ["$n": "a", "$nbb": "b", "nb$": "c"],
  ])
  func aDictionaryOfTextsSurvives(_ value: [String: String]) throws {
    #expect(try Value(encoding: value).decode([String: String].self) == value)
  }

  @Test(arguments: [
    ["u"], ["d", "1"], ["b", "0"], ["o", "x"], ["i", "12"], [], ["s"], ["m"], ["n", "NaN"], ["zz"],
  ])
  func whatLooksLikeATagIsNone(_ list: [String]) throws {
    for value in [["$nb": list], ["$nb": list, "other": ["x"]]] {
      let crossed = try Value(encoding: value)
      #expect(crossed.kind == .object)
      #expect(crossed.isSound)
      #expect(try crossed.decode([String: [String]].self) == value)
    }
  }

  /// The other half of the bridge undoes exactly this form.
  @Test func theFormIsTheBridgesOwn() throws {
    #expect(try written(["$nb": 1]) == #"{"$nb":["o",{"$nb":1}]}"#)
    #expect(try written([["$nb": 1]]) == #"[{"$nb":["o",{"$nb":1}]}]"#)
    #expect(try written(["a": 1]) == #"{"a":1}"#)
  }

  struct Named: Codable, Equatable {
    var before: Int
    var tag: [String]
    var after: Inner
    var last: String?
    struct Inner: Codable, Equatable {
      var tag: Int
      var list: [Bytes]
      enum CodingKeys: String, CodingKey { case tag = "$nb", list }
    }
    enum CodingKeys: String, CodingKey { case before, tag = "$nb", after, last }
  }

  @Test func aFieldOfThatNameSurvivesWhereverItStands() throws {
    let value = Named(
      before: 1, tag: ["u"], after: .init(tag: 2, list: [Bytes([1]), Bytes([2, 3])]), last: "end")
    let list = [value, value]
    #expect(try Value(encoding: list).decode([Named].self) == list)
    #expect(
      try written(value)
        == #"{"$nb":["o",{"before":1,"$nb":["u"],"after":{"$nb":["o",{"$nb":2,"list":[{"$nb":["b",0,"#
        + #""Uint8Array"]},"#
        + #"{"$nb":["b",1,"Uint8Array"]}]}]},"last":"end"}]}"#)
  }

  @Test func nestingIsStillBounded() throws {
    var deep: Nested = .end
    for _ in 0..<600 { deep = .object(deep) }
    let value = deep
    #expect(throws: BridgeError.self) { try Value(encoding: value) }
  }

  /// Many containers inside of one another, each with such a key.
  indirect enum Nested: Encodable {
    case end, object(Nested)
    enum Key: String, CodingKey { case tag = "$nb", next }
    func encode(to encoder: any Encoder) throws {
      var members = encoder.container(keyedBy: Key.self)
      try members.encode("u", forKey: .tag)
      if case .object(let next) = self { try members.encode(next, forKey: .next) }
    }
  }

  @Test func theTextSaysThatItIsTagged() throws {
    let sink = WireSink()
    try sink.encode(["a": 1])
    #expect(!sink.isTagged)
    sink.reset()
    try sink.encode(["$nb": 1])
    #expect(sink.isTagged)
  }

  @Test func randomTreesSurvive() throws {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<3000 {
      let tree = AnyTree.make(&random)
      let value = try Value(encoding: tree)
      #expect(value.syntaxProblem == nil)
      #expect(value.isSound)
      #expect(try value.decode(AnyTree.self) == tree)
    }
  }

  /// Fields of a schema may have any name.
  @Test func aSchemaWithSuchAFieldSurvives() throws {
    let schema = Schema.object([
      .init(name: "$nb", schema: .array(.string)), .init(name: "a", schema: .integer, isOptional: true),
    ])
    #expect(try Value(encoding: schema).decode(Schema.self) == schema)
  }

  /// A nested container of that name, and one in which a member of that name comes last.
  struct Manual: Encodable {
    enum Key: String, CodingKey { case tag = "$nb", a, b }
    func encode(to encoder: any Encoder) throws {
      var members = encoder.container(keyedBy: Key.self)
      var inner = members.nestedContainer(keyedBy: Key.self, forKey: .a)
      try inner.encode(1, forKey: .b)
      try inner.encode(2, forKey: .tag)
      var list = members.nestedUnkeyedContainer(forKey: .tag)
      try list.encode("u")
      try members.encode(3, forKey: .b)
    }
  }

  @Test func nestedContainersAreWrappedByThemselves() throws {
    #expect(
      try written(Manual())
        == #"{"$nb":["o",{"a":{"$nb":["o",{"b":1,"$nb":2}]},"$nb":["u"],"b":3}]}"#)
  }
}
