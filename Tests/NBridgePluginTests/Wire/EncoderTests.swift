// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

@testable import NBridgePlugin

/// Swift's types on the wire.
@Suite struct EncoderTests {
  enum Shape: Codable, Equatable { case circle(radius: Double, name: String?), line(Int, Int), point }
  struct Empty: Codable, Equatable {}
  struct Silent: Codable, Equatable {
    init() {}
    init(from decoder: any Decoder) {}
    func encode(to encoder: any Encoder) {}
  }
  struct Wrapper: Codable, Equatable {
    var value: Int
    init(_ value: Int) { self.value = value }
    init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Int.self) }
    func encode(to encoder: any Encoder) throws {
      var single = encoder.singleValueContainer()
      try single.encode(value)
    }
  }
  struct Optionals: Codable, Equatable {
    var a: Int?
    var b: [Int?]
    var c: [String: Bool?]
    var d: Int??
  }

  @Test func scalarsStandAlone() throws {
    #expect(try written(true) == "true")
    #expect(try written("x") == #""x""#)
    #expect(try written(7) == "7")
    #expect(try written(Int8.min) == "-128")
    #expect(try written(UInt32.max) == "4294967295")
    #expect(try written(Int64(7)) == #"{"$nb":["i","7"]}"#)
    #expect(try written(UInt64.max) == #"{"$nb":["i","18446744073709551615"]}"#)
    #expect(try written(Float(0.5)) == "0.5")
    #expect(try written(Int?.none) == "null")
    #expect(try written(Int?.some(1)) == "1")
    #expect(try written(Wrapper(3)) == "3")
  }

  @Test func containersAreJSON() throws {
    #expect(try written([Int]()) == "[]")
    #expect(try written([[1], [], [2, 3]]) == "[[1],[],[2,3]]")
    #expect(try written([String: Int]()) == "{}")
    #expect(try written(Empty()) == "{}")
    #expect(try written(Silent()) == "{}")
    #expect(try written([Silent(), Silent()]) == "[{},{}]")
    #expect(try written(["a": Silent()]) == #"{"a":{}}"#)
    #expect(try written([Wrapper(1), Wrapper(2)]) == "[1,2]")
    #expect(try written(Shape.point) == #"{"point":{}}"#)
    #expect(try written(Shape.line(1, 2)) == #"{"line":{"_0":1,"_1":2}}"#)
    #expect(try written(Shape.circle(radius: 0.5, name: nil)) == #"{"circle":{"radius":0.5}}"#)
    #expect(try written([1: "a"]) == #"{"1":"a"}"#)
    #expect(
      try written(Optionals(a: nil, b: [1, nil], c: ["x": nil], d: .some(nil)))
        == #"{"b":[1,null],"c":{"x":null},"d":null}"#)
  }

  @Test func bytesAndDatesAreTagged() throws {
    #expect(try written(Bytes([1])) == #"{"$nb":["b",0,"Uint8Array"]}"#)
    #expect(
      try written([Bytes([]), Bytes([1])]) == #"[{"$nb":["b",0,"Uint8Array"]},{"$nb":["b",1,"Uint8Array"]}]"#)
    #expect(try written(Data([1, 2])) == #"{"$nb":["b",0,"Uint8Array"]}"#)
    #expect(try written(Date(timeIntervalSince1970: 1.5)) == #"{"$nb":["d",1500]}"#)
    #expect(try written(["a": Value.undefined]) == #"{"a":{"$nb":["u"]}}"#)
  }

  struct Manual: Encodable {
    enum Key: String, CodingKey { case a, b, c }
    func encode(to encoder: any Encoder) throws {
      var top = encoder.container(keyedBy: Key.self)
      var list = top.nestedUnkeyedContainer(forKey: .a)
      try list.encode(1)
      var inner = list.nestedContainer(keyedBy: Key.self)
      try inner.encode("x", forKey: .b)
      try inner.encodeNil(forKey: .c)
      var innermost = list.nestedUnkeyedContainer()
      try innermost.encode(true)
      try innermost.encodeNil()
      try list.encode(2.5)
      try top.encode(Int8(3), forKey: .b)
      var object = top.nestedContainer(keyedBy: Key.self, forKey: .c)
      try object.encode(Float(1.5), forKey: .a)
    }
  }

  @Test func nestedContainersEndWhenTheOuterGoesOn() throws {
    #expect(try written(Manual()) == #"{"a":[1,{"b":"x","c":null},[true,null],2.5],"b":3,"c":{"a":1.5}}"#)
    #expect(try written([Manual(), Manual()]).count == 2 * (try written(Manual()).count) + 3)
  }

  /// As many levels as the other side takes, and no more.
  indirect enum Chain: Codable {
    case end, next([Chain])
    func encode(to encoder: any Encoder) throws {
      var list = encoder.unkeyedContainer()
      if case .next(let inner) = self { for link in inner { try list.encode(link) } }
    }
    init(from decoder: any Decoder) throws { self = .end }
    init(depth: Int) {
      self = .end
      for _ in 1..<depth { self = .next([self]) }
    }
  }

  @Test(arguments: [1, 100, 511])
  func deepValuesAreWritten(_ depth: Int) throws {
    let value = try Value(encoding: Chain(depth: depth))
    #expect(value.syntaxProblem == nil)
    #expect(value.text.count == 2 * depth)
  }

  @Test(arguments: [514, 2000])
  func deeperOnesAreRefused(_ depth: Int) {
    let error = #expect(throws: BridgeError.self) { try Value(encoding: Chain(depth: depth)) }
    #expect(error?.message == "a result is nested deeper than 512")
  }

  @Test func whatAnInnerTypeThrowsEndsAll() {
    struct Failing: Encodable {
      func encode(to encoder: any Encoder) throws { throw BridgeError(.notFound, "none") }
    }
    let error = #expect(throws: BridgeError.self) { try Value(encoding: ["a": [Failing()]]) }
    #expect(error?.code == .notFound)
    #expect(throws: BridgeError.self) { try Value(encoding: ["a": [1, Int.max]]) }
  }

  /// The encoders agree with Foundation on everything that JSON has.
  @Test func plainTreesAreFoundationsJSON() throws {
    indirect enum Plain: Codable, Equatable {
      case number(Double), text(String), list([Plain]), named([String: Plain]), none(Bool?)
      static func make(_ random: inout SeededGenerator, _ depth: Int) -> Plain {
        switch random.number(0..<(depth > 0 ? 5 : 3)) {
        case 0: return .number(Double(random.number(-1_000_000...1_000_000)) / 64)
        case 1: return .text(AnyTree.text(&random).replacingOccurrences(of: "$nb", with: "$"))
        case 2: return .none([nil, true, false][random.number(0..<3)])
        case 3:
          return .list((0..<random.number(0..<4)).map { _ in make(&random, depth - 1) })
        default:
          let count = random.number(0..<4)
          return .named(
            Dictionary((0..<count).map { ("k\($0)", make(&random, depth - 1)) }, uniquingKeysWith: { $1 }))
        }
      }
    }
    var random = SeededGenerator(seed: 41)
    for _ in 0..<1500 {
      let tree = Plain.make(&random, 4)
      let ours = try Value(encoding: tree)
      #expect(try JSONDecoder().decode(Plain.self, from: Data(ours.text)) == tree)
      #expect(try Value(text: Array(JSONEncoder().encode(tree))).decode(Plain.self) == tree)
      #expect(try ours.decode(Plain.self) == tree)
    }
  }

  /// Bytes of a value inside of a value are numbered anew.
  @Test func valuesInsideOfValuesKeepTheirBytes() throws {
    let inner = try Value(encoding: ["x": [Bytes([1]), Bytes([2, 2])]])
    let outer = try Value(encoding: ["a": [Bytes([9])], "b": [Bytes([8])]].mapValues { $0 })
    let both = try Value(encoding: [inner, outer, inner, .null])
    let back = try both.decode([Value].self)
    #expect(try back[0].decode([String: [Bytes]].self)["x"] == [Bytes([1]), Bytes([2, 2])])
    #expect(try back[1].decode([String: [Bytes]].self) == ["a": [Bytes([9])], "b": [Bytes([8])]])
    #expect(try back[2].decode([String: [Bytes]].self)["x"] == [Bytes([1]), Bytes([2, 2])])
    #expect(back[3].kind == .null)
    #expect(both.attachments.count == 6)
    #expect(both.isSound)
  }
}
