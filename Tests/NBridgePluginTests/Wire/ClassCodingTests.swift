// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import NBridgePlugin

/// Classes that inherit write their superclass's part by an encoder of its own, or by the same one.
@Suite struct ClassCodingTests {
  class Animal: Codable {
    var legs: Int
    init(legs: Int) { self.legs = legs }
  }

  /// As Swift's documentation has it: what the superclass has stands under `super`.
  final class Dog: Animal {
    var name: String
    private enum Key: String, CodingKey { case name, after }
    init(name: String, legs: Int) {
      self.name = name
      super.init(legs: legs)
    }
    required init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: Key.self)
      name = try members.decode(String.self, forKey: .name)
      try super.init(from: members.superDecoder())
    }
    override func encode(to encoder: any Encoder) throws {
      var members = encoder.container(keyedBy: Key.self)
      try members.encode(name, forKey: .name)
      try super.encode(to: members.superEncoder())
      try members.encode(true, forKey: .after)
    }
  }

  @Test func theSuperclassStandsUnderSuper() throws {
    let value = try Value(encoding: Dog(name: "Rex", legs: 4))
    #expect(String(decoding: value.text, as: UTF8.self) == #"{"name":"Rex","super":{"legs":4},"after":true}"#)
    let dog = try value.decode(Dog.self)
    #expect(dog.name == "Rex")
    #expect(dog.legs == 4)
  }

  @Test func foundationAgrees() throws {
    let theirs = try JSONEncoder().encode(Dog(name: "Rex", legs: 4))
    let dog = try Value(text: Array(theirs)).decode(Dog.self)
    #expect(dog.legs == 4)
    #expect(try JSONDecoder().decode(Dog.self, from: Data(try Value(encoding: dog).text)).name == "Rex")
  }

  @Test func aMissingSuperIsNamed() {
    #expect(complaint(#"{"name":"Rex"}"#, Dog.self) == "value.super is missing")
    #expect(
      complaint(#"{"name":"Rex","super":{"legs":"four"}}"#, Dog.self)
        == "value.super.legs must be an integer, not a string")
  }

  /// The superclass writes to the same encoder: both have one object.
  final class Cat: Animal {
    var lives: Int
    private enum Key: String, CodingKey { case lives }
    init(lives: Int) {
      self.lives = lives
      super.init(legs: 4)
    }
    required init(from decoder: any Decoder) throws {
      lives = try decoder.container(keyedBy: Key.self).decode(Int.self, forKey: .lives)
      try super.init(from: decoder)
    }
    override func encode(to encoder: any Encoder) throws {
      var members = encoder.container(keyedBy: Key.self)
      try members.encode(lives, forKey: .lives)
      try super.encode(to: encoder)
      try members.encode(lives + 1, forKey: .lives)
    }
  }

  @Test func oneEncoderHasOneObject() throws {
    #expect(try written(Cat(lives: 9)) == #"{"lives":9,"legs":4,"lives":10}"#)
    #expect(
      try written([Cat(lives: 1), Cat(lives: 2)])
        == #"[{"lives":1,"legs":4,"lives":2},{"lives":2,"legs":4,"lives":3}]"#)
    let cat = try Value(encoding: ["c": Cat(lives: 7)]).decode([String: Cat].self)["c"]
    #expect(cat?.lives == 8)
    #expect(cat?.legs == 4)
  }

  /// Lists, too, go on where they were.
  struct Halves: Encodable {
    func encode(to encoder: any Encoder) throws {
      var first = encoder.unkeyedContainer()
      try first.encode(1)
      var second = encoder.unkeyedContainer()
      try second.encode(2)
      try first.encode(3)
    }
  }

  @Test func oneEncoderHasOneList() throws {
    #expect(try written(Halves()) == "[1,2,3]")
    #expect(try written(["a": Halves()]) == #"{"a":[1,2,3]}"#)
  }

  struct Keyed: Encodable {
    enum Key: String, CodingKey { case first, second }
    var how: Int
    func encode(to encoder: any Encoder) throws {
      var members = encoder.container(keyedBy: Key.self)
      switch how {
      case 0:
        try Animal(legs: 1).encode(to: members.superEncoder(forKey: .first))
        try Animal(legs: 2).encode(to: members.superEncoder(forKey: .second))
      case 1:
        _ = members.superEncoder()
      case 2:
        _ = members.superEncoder(forKey: .first)
        try members.encode(1, forKey: .second)
      case 3:
        try "text".encode(to: members.superEncoder())
      default:
        _ = members.nestedContainer(keyedBy: Key.self, forKey: .first)
        _ = members.nestedUnkeyedContainer(forKey: .second)
      }
    }
  }

  /// An encoder that nothing is written to stands for an empty object, as Foundation's does.
  @Test(arguments: [
    (0, #"{"first":{"legs":1},"second":{"legs":2}}"#), (1, #"{"super":{}}"#),
    (2, #"{"first":{},"second":1}"#),
    (3, #"{"super":"text"}"#), (4, #"{"first":{},"second":[]}"#),
  ])
  func eachEncoderWritesInItsPlace(_ how: Int, _ text: String) throws {
    #expect(try written(Keyed(how: how)) == text)
    let theirs = try JSONSerialization.jsonObject(with: JSONEncoder().encode(Keyed(how: how)))
    let ours = try JSONSerialization.jsonObject(with: Data(text.utf8))
    #expect(ours as? NSDictionary == theirs as? NSDictionary)
  }

  struct Listed: Encodable {
    func encode(to encoder: any Encoder) throws {
      var items = encoder.unkeyedContainer()
      try Animal(legs: 1).encode(to: items.superEncoder())
      _ = items.superEncoder()
      try items.encode(2)
      var inner = items.nestedUnkeyedContainer()
      try inner.encode("in")
      _ = items.nestedContainer(keyedBy: Keyed.Key.self)
    }
  }

  @Test func encodersOfAListsElementsWriteInTheirPlaces() throws {
    #expect(try written(Listed()) == #"[{"legs":1},{},2,["in"],{}]"#)
  }

  /// The shape of such a class is the one that is written.
  @Test func theSchemaTellsOfSuper() throws {
    #expect(
      try Schema.of(Dog.self)
        == .object([
          .init(name: "name", schema: .string),
          .init(name: "super", schema: .object([.init(name: "legs", schema: .integer)])),
        ]))
    #expect(
      try Schema.of(Cat.self)
        == .object([.init(name: "lives", schema: .integer), .init(name: "legs", schema: .integer)]))
  }
}
