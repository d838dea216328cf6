// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

@testable import NBridgePlugin

/// Of two members with one key the last one counts, as in JSON.parse: ECMA-262, 25.5.1.
@Suite struct RepeatedKeyTests {
  struct Three: Codable, Equatable {
    var a: Int?
    var b: Int?
    var c: Int?
  }

  @Test(arguments: [
    (#"{"a":1,"b":2,"c":3}"#, Three(a: 1, b: 2, c: 3)),
    (#"{"a":1,"a":2,"b":3,"c":4}"#, Three(a: 2, b: 3, c: 4)),
    (#"{"a":1,"b":2,"b":3,"c":4}"#, Three(a: 1, b: 3, c: 4)),
    (#"{"a":1,"b":2,"c":3,"c":4}"#, Three(a: 1, b: 2, c: 4)),
    (#"{"a":1,"b":2,"c":3,"b":4}"#, Three(a: 1, b: 4, c: 3)),
    (#"{"a":1,"b":2,"c":3,"a":4,"b":5,"c":6}"#, Three(a: 4, b: 5, c: 6)),
    (#"{"b":1,"b":2,"b":3}"#, Three(a: nil, b: 3, c: nil)),
    (#"{"a":1,"b":2,"\u0062":9}"#, Three(a: 1, b: 9, c: nil)),
    (#"{"a":1,"\u0062":2,"b":9}"#, Three(a: 1, b: 9, c: nil)),
    (#"{"a":1,"\u0062":2,"\u0062":9}"#, Three(a: 1, b: 9, c: nil)),
    (#"{"c":1,"x":0,"c":2,"x":1}"#, Three(a: nil, b: nil, c: 2)),
    (#"{"a":1,"b":2,"b":null}"#, Three(a: 1, b: nil, c: nil)),
    (#"{"a":1,"b":null,"b":2}"#, Three(a: 1, b: 2, c: nil)),
  ])
  func theLastOneIsTaken(_ text: String, _ expected: Three) throws {
    #expect(try wire(text).decode(Three.self) == expected)
  }

  /// Only the last one is looked at: values of the others are not read.
  @Test(arguments: [
    #"{"a":1,"b":"no number","b":2}"#, #"{"a":[],"a":1,"b":2}"#, #"{"a":1,"b":{"$nb":["d",0]},"b":2}"#,
  ])
  func whatAnotherOneReplacesMayBeOfAnyType(_ text: String) throws {
    #expect(try wire(text).decode(Three.self) == Three(a: 1, b: 2, c: nil))
  }

  @Test func aWrongLastOneIsRefusedThoughAnEarlierOneFits() {
    #expect(complaint(#"{"a":1,"b":2,"b":"x"}"#, Three.self) == "value.b must be an integer, not a string")
  }

  /// `Float` has no shortcut in the decoder: its presence, its null and its value are asked for one after
  /// the other.
  struct Slow: Codable, Equatable {
    var x: Int
    var ratio: Float?
    var small: UInt8?
  }

  @Test(arguments: [
    (#"{"x":0,"ratio":null,"ratio":5,"small":1}"#, Slow(x: 0, ratio: 5, small: 1)),
    (#"{"x":0,"ratio":5,"ratio":null,"small":1}"#, Slow(x: 0, ratio: nil, small: 1)),
    (#"{"x":0,"ratio":5,"small":1,"small":2}"#, Slow(x: 0, ratio: 5, small: 2)),
  ])
  func questionsAboutOneMemberAreAllAnsweredByTheSame(_ text: String, _ expected: Slow) throws {
    #expect(try wire(text).decode(Slow.self) == expected)
  }

  struct Nest: Codable, Equatable {
    var first: Three?
    var second: Three?
    var list: [Three]?
  }

  @Test func innerObjectsAreReadTheSameWay() throws {
    let text =
      #"{"first":{"a":1,"b":1,"b":2},"second":{"a":3},"second":{"a":4,"b":5,"b":6},"list":[{"c":1,"c":2}]}"#
    #expect(
      try wire(text).decode(Nest.self)
        == Nest(
          first: Three(a: 1, b: 2, c: nil), second: Three(a: 4, b: 6, c: nil),
          list: [Three(a: nil, b: nil, c: 2)]))
  }

  @Test(arguments: [
    (#"{"x":1,"x":2}"#, ["x": 2]), (#"{"y":0,"x":1,"x":2}"#, ["y": 0, "x": 2]),
    (#"{"x":1,"y":0,"x":2}"#, ["y": 0, "x": 2]),
    (#"{"a":1,"x":1,"a":2,"x":2,"a":3}"#, ["a": 3, "x": 2]), (#"{"":1,"":2}"#, ["": 2]),
  ])
  func dictionariesHoldTheLastOnes(_ text: String, _ expected: [String: Int]) throws {
    #expect(try wire(text).decode([String: Int].self) == expected)
  }

  enum Shape: Codable, Equatable { case circle(radius: Int), point }

  /// To the decoder of an enum two keys are two cases, which none can be.
  @Test func anEnumHasItsKeyOnce() throws {
    let text = #"{"circle":{"radius":1},"circle":{"radius":1,"radius":2}}"#
    #expect(try wire(text).decode(Shape.self) == .circle(radius: 2))
  }

  struct Keys: Decodable {
    var names: [String]
    struct Key: CodingKey {
      var stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }
    init(from decoder: any Decoder) throws {
      names = try decoder.container(keyedBy: Key.self).allKeys.map(\.stringValue)
    }
  }

  @Test func eachKeyIsToldOnce() throws {
    #expect(
      try wire(#"{"a":1,"b":2,"a":3,"c":4,"\u0062":5}"#).decode(Keys.self).names.sorted() == ["a", "b", "c"])
  }

  /// Objects of many members, some of them twice, asked in any order: against a dictionary that takes the
  /// last one.
  @Test(arguments: [1, 2, 3, 8, 31, 32, 33, 34, 63, 64, 65, 100, 300])
  func objectsOfAnySizeAgreeWithADictionary(_ count: Int) throws {
    var random = SeededGenerator(seed: count)
    for round in 0..<40 {
      let names = (0..<count).map { _ in Self.name(&random, of: round % 2 == 0 ? count : 3 * count) }
      let members = names.enumerated().map { "\"\(Self.spelled($1, &random))\":\($0)" }
      let expected = Dictionary(zip(names, 0...), uniquingKeysWith: { $1 })
      let text = "{\(members.joined(separator: ","))}"
      #expect(try wire(text).decode([String: Int].self) == expected)
      let asked = Array(Set(names)).shuffled(using: &random)
      let found = try Asked.$task.withValue(asked) { try wire(text).decode(Asked.self).found }
      #expect(found == expected)
    }
  }

  /// Asks for the keys that it is told to ask for.
  struct Asked: Decodable {
    @TaskLocal static var task: [String] = []
    var found: [String: Int] = [:]
    init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: Keys.Key.self)
      for name in Self.task { found[name] = try members.decode(Int.self, forKey: .init(stringValue: name)) }
    }
  }

  private static func name(_ random: inout SeededGenerator, of count: Int) -> String {
    let number = random.number(0..<count)
    return number % 3 == 0
      ? "key\(number)" : number % 3 == 1 ? "\(number)é" : "a rather long name, number \(number)"
  }

  /// The same name, now and then with its first unit escaped.
  private static func spelled(_ name: String, _ random: inout SeededGenerator) -> String {
    guard random.number(0..<8) == 0, let first = name.utf8.first else { return name }
    return "\\u00" + String(first, radix: 16) + name.dropFirst()
  }

  /// A member that another one replaces is not read as an option: a value in it is not refused.
  @Test(arguments: [
    (#"{"first":{"bad":1},"first":{"a":1}}"#, nil), (#"{"first":{"a":1},"first":{"a":2}}"#, nil),
    (#"{"first":{"a":1,"a":2}}"#, nil),
    (#"{"first":{"a":1},"first":{"bad":1}}"#, "option.first has no 'bad'; there is a, b, c"),
    (#"{"other":1,"other":2}"#, "option has no 'other'; there is first, list, second"),
    (#"{"list":[{"a":1,"x":0,"x":1}]}"#, "option.list[0] has no 'x'; did you mean 'a'?"),
  ])
  func unknownNamesAreLookedForInTheLastOnes(_ text: String, _ message: String?) {
    struct Options: Codable, Sendable {
      var first: Three?
      var second: Three?
      var list: [Three]?
    }
    do {
      _ = try wire(text).decode(settings: Options.self, named: "option")
      #expect(message == nil)
    } catch { #expect((error as? BridgeError)?.message == message) }
  }

  /// A value that is handed on without being read keeps its text: JSON.parse takes the last one there.
  @Test func aValueKeepsAllOfThem() throws {
    let text = #"{"a":1,"a":[{"b":1,"b":2}]}"#
    #expect(try wire(text).decode(Value.self).text == Array(text.utf8))
    #expect(
      try wire(#"{"v":{"a":1,"a":2}}"#).decode([String: Value].self)["v"]?.text
        == Array(#"{"a":1,"a":2}"#.utf8))
  }

  /// Half a million members that are one: what another process sends must not take minutes.
  @Test(.timeLimit(.minutes(5)))
  func manyRepeatsTakeLittleTime() throws {
    let text = "{" + (0..<100_000).map { "\"k\($0 % 1000)\":\($0)" }.joined(separator: ",") + "}"
    #expect(try wire(text).decode([String: Int].self)["k7"] == 99_007)
  }
}
