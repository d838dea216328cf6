// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

@testable import NBridgePlugin

/// A value that is kept as it came.
@Suite struct ValueTests {
  @Test(arguments: [
    ("null", Value.Kind.null), (#"{"$nb":["u"]}"#, .undefined), ("true", .boolean), ("false", .boolean),
    ("1", .number), ("1.5", .number),
    (#"{"$nb":["n","NaN"]}"#, .number), (#"{"$nb":["i","1"]}"#, .bigint), (#""x""#, .string),
    (#""\n""#, .string), (#"{"$nb":["d",0]}"#, .date),
    (#"{"$nb":["b",0]}"#, .bytes), ("[]", .array), ("{}", .object), (#"{"$nb":["o",{"$nb":1}]}"#, .object),
    (#"{"$nb":["m",[]]}"#, .map),
    (#"{"$nb":["s",[]]}"#, .set), (#"{"$nb":["zz"]}"#, .object), ("no JSON", .undefined), (" [ ] ", .array),
  ])
  func theKindIsTold(_ text: String, _ kind: Value.Kind) { #expect(wire(text).kind == kind) }

  @Test func everyKindHasAName() throws {
    for kind in Value.Kind.allCases { #expect(try Value(encoding: kind).decode(Value.Kind.self) == kind) }
    #expect(Value.Kind.allCases.count == 12)
  }

  @Test func constantsAreWhatTheySay() throws {
    #expect(Value.null.kind == .null)
    #expect(Value.undefined.kind == .undefined)
    #expect(try Value.null.decode(Int?.self) == nil)
    #expect(try Value.undefined.decode(Int?.self) == nil)
    #expect(Value.null != .undefined)
  }

  @Test func equalityIsOfTextAndBytes() throws {
    #expect(wire("1") == wire("1"))
    #expect(wire("1") != wire("1.0"))
    #expect(wire("1", [Bytes([1])]) != wire("1"))
    #expect(try Value(encoding: Bytes([1])) == Value(encoding: Bytes([1])))
    #expect(try Value(encoding: Bytes([1])) != Value(encoding: Bytes([2])))
    #expect(Set([wire("1"), wire("1"), wire("2")]).count == 2)
  }

  @Test func answersOfEveryKindBecomeValues() throws {
    let sink = WireSink()
    #expect(try Value(.undefined, sink) == .undefined)
    #expect(try Value(.bool(true), sink).decode(Bool.self))
    #expect(try Value(.number(1.5), sink).decode(Double.self) == 1.5)
    #expect(try Value(.number(.nan), sink).decode(Double.self).isNaN)
    #expect(try Value(.string("é\n"), sink).decode(String.self) == "é\n")
    #expect(try Value(.bytes(Bytes([1, 2])), sink).decode(Bytes.self) == Bytes([1, 2]))
    try sink.encode(["a": Bytes([3])])
    let text = try Value(.text, sink)
    sink.reset()
    #expect(try text.decode([String: Bytes].self) == ["a": Bytes([3])])
  }

  @Test func otherCodersAreRefused() throws {
    let error = #expect(throws: BridgeError.self) { try JSONEncoder().encode([Value.null]) }
    #expect(error?.message == "a Value is encoded for the bridge only")
    #expect(throws: BridgeError.self) { try JSONDecoder().decode(Value.self, from: Data("1".utf8)) }
  }

  @Test func aPartOfAValueIsOneByItself() throws {
    let value = wire(#"{ "a" : [ 1 , {"b":{"$nb":["b",1,"Int8Array"]}} ] }"#, [Bytes([0]), Bytes([7, 8])])
    let parts = try value.decode([String: [Value]].self)
    let inner = try #require(parts["a"]?.last)
    #expect(inner.kind == .object)
    #expect(try inner.decode([String: Bytes].self)["b"] == Bytes([7, 8]))
    #expect(try inner.decode([String: Bytes].self)["b"]?.view == "Int8Array")
    // Written anew only what it points to comes along.
    let again = try Value(encoding: inner)
    #expect(again.attachments == [Bytes([7, 8])])
    #expect(again.text == Array(#"{"b":{"$nb":["b",0,"Int8Array"]}}"#.utf8))
  }

  @Test func aValueThatIsNoTextIsRefusedWhereItMatters() {
    #expect(throws: BridgeError.self) { try wire("{").decode(Value.self) }
    #expect(throws: BridgeError.self) { try Value(encoding: wire("{", [Bytes([1])])) }
  }

  /// Archives: what is read back is what was written, or it is damaged and said to be.
  @Test func archivesSurvive() throws {
    var random = SeededGenerator(seed: 51)
    for _ in 0..<300 {
      let value = try Value(encoding: AnyTree.make(&random))
      #expect(try Value(archive: value.archived()) == value)
      #expect(try Value(archive: value.archived()).attachments.map(\.view) == value.attachments.map(\.view))
    }
  }

  @Test func archivesHaveTheirLayout() throws {
    var bytes = Bytes([9, 8, 7])
    bytes.view = "Int8Array"
    let archive = wire("null", [bytes]).archived()
    #expect(
      archive == Array("NBV1".utf8) + [4, 0, 0, 0] + Array("null".utf8) + [9] + Array("Int8Array".utf8) + [
        3, 0, 0, 0, 0, 0, 0, 0, 9, 8, 7,
      ])
  }

  @Test func damagedArchivesAreRefused() throws {
    let archive = try Value(encoding: ["a": Bytes([1, 2, 3])]).archived()
    let text = archive.count - 3 - 8 - 10 - 1
    for count in 0..<archive.count where count != text {
      let error = #expect(throws: BridgeError.self) { try Value(archive: Array(archive[..<count])) }
      #expect(error?.code == .ioError)
      #expect(error?.message == "a stored value is damaged")
    }
    #expect(throws: BridgeError.self) { try Value(archive: archive + [1]) }
    #expect(throws: BridgeError.self) { try Value(archive: Array("NBV2".utf8) + archive.dropFirst(4)) }
    #expect(throws: BridgeError.self) { try Value(archive: Array("NBV1".utf8) + [1, 0, 0, 0, 0x7B]) }
    #expect(throws: BridgeError.self) { try Value(archive: Array("NBV1".utf8) + [255, 255, 255, 255]) }
    let huge = Array("NBV1".utf8) + [1, 0, 0, 0, 0x31, 0] + [UInt8](repeating: 255, count: 8)
    #expect(throws: BridgeError.self) { try Value(archive: huge) }
  }

  /// Every bit of one wrong: never a trap, never bytes past the end.
  @Test func anyBitMayBeWrong() throws {
    let archive = try Value(encoding: ["a": [Bytes([1, 2, 3]), Bytes([])], "b": []]).archived()
    for at in archive.indices {
      for bit in 0..<8 {
        var damaged = archive
        damaged[at] ^= 1 << bit
        if let value = try? Value(archive: damaged) { #expect(value.syntaxProblem == nil) }
      }
    }
  }
}

/// Bytes beside the text.
@Suite struct BytesTests {
  @Test func theyAreACollection() {
    let bytes = Bytes([5, 6, 7])
    #expect(bytes.count == 3)
    #expect(Array(bytes) == [5, 6, 7])
    #expect(bytes.first == 5)
    #expect(bytes.last == 7)
    #expect(bytes[1] == 6)
    #expect(Array(bytes[1...]) == [6, 7])
    #expect(bytes.reversed() == [7, 6, 5])
    #expect(Bytes.none.isEmpty)
    #expect(Array(Bytes([])) == [])
  }

  @Test func makingThemFillsThem() throws {
    #expect(Array(Bytes(count: 4) { $0[1] = 9 }) == [0, 9, 0, 0])
    #expect(
      Array(
        Bytes(capacity: 10) { target in
          target.copyBytes(from: [1, 2, 3] as [UInt8])
          return 3
        }) == [1, 2, 3])
    #expect(Bytes(capacity: 0) { _ in 0 }.isEmpty)
    #expect(
      Bytes(capacity: 5 << 20) { target in
        target[target.count - 1] = 3
        return target.count
      }.last == 3)
    #expect(throws: BridgeError.self) { try Bytes(count: 3) { _ in throw BridgeError(.ioError, "no") } }
    #expect(throws: BridgeError.self) {
      try Bytes(capacity: 5 << 20) { _ in throw BridgeError(.ioError, "no") }
    }
  }

  /// Memory of large pieces is used again, and never by two at once.
  @Test func piecesThatLiveAtOnceHaveMemoryOfTheirOwn() {
    for size in [128 << 10, (1 << 20) - 1, 1 << 20, 4 << 20] {
      for _ in 0..<3 {
        let pieces = (0..<24).map { number in
          Bytes(capacity: size) { room in
            room.initializeMemory(as: UInt8.self, repeating: UInt8(number))
            return room.count
          }
        }
        for (number, piece) in pieces.enumerated() {
          #expect(piece.count == size && piece[0] == UInt8(number) && piece[size - 1] == UInt8(number))
        }
      }
    }
  }

  @Test func memoryThatComesBackIsTakenAgain() {
    let first = BlockPool.take(200 << 10)
    BlockPool.give(first, 200 << 10)
    // Other tests may take it meanwhile.
    #expect(
      (0..<100).contains { _ in
        let again = BlockPool.take(200 << 10)
        defer { BlockPool.give(again, 200 << 10) }
        return again == first
      })
  }

  /// Who reads in small pieces would keep a large room for each.
  @Test func muchRoomForFewBytesIsGivenBack() {
    var room: UnsafeMutableRawPointer?
    let piece = Bytes(capacity: 200 << 10) { memory in
      room = memory.baseAddress
      memory.copyBytes(from: [7, 8] as [UInt8])
      return 2
    }
    // Other tests may take it meanwhile.
    #expect(
      (0..<100).contains { _ in
        let again = BlockPool.take(200 << 10)
        defer { BlockPool.give(again, 200 << 10) }
        return again == room
      })
    #expect(Array(piece) == [7, 8])
    #expect(Bytes(capacity: 200 << 10) { _ in 0 }.isEmpty)
  }

  @Test func equalityIsOfTheBytes() {
    #expect(Bytes([1, 2]) == Bytes([1, 2]))
    #expect(Bytes([1, 2]) != Bytes([1, 3]))
    #expect(Bytes([1]) != Bytes([1, 2]))
    #expect(Set([Bytes([1]), Bytes([1]), Bytes([])]).count == 2)
    var view = Bytes([1])
    view.view = "Int8Array"
    #expect(view == Bytes([1]))
  }

  @Test func whoElseHasThemIsKnown() {
    var bytes = Bytes([1, 2])
    var isAlone = bytes.isOnlyReference()
    #expect(isAlone)
    let other = bytes
    isAlone = bytes.isOnlyReference()
    #expect(!isAlone)
    withExtendedLifetime(other) {}
    var copy = Bytes(copying: bytes)
    isAlone = copy.isOnlyReference()
    #expect(isAlone)
    #expect(copy == bytes)
    let memory: StaticString = "abc"
    let storage = Bytes.Storage(UnsafeRawBufferPointer(start: memory.utf8Start, count: 3), isLent: true) {}
    var lent = Bytes(storage: storage)
    isAlone = lent.isOnlyReference()
    #expect(!isAlone)
    #expect(Array(lent) == Array("abc".utf8))
  }

  @Test func theirMemoryIsReleasedOnce() {
    final class Count: Sendable { nonisolated(unsafe) var value = 0 }  // of this test's thread
    let count = Count()
    do {
      let memory: StaticString = "abc"
      let bytes = Bytes(
        storage: Bytes.Storage(UnsafeRawBufferPointer(start: memory.utf8Start, count: 3)) { count.value += 1 }
      )
      var copies = [bytes, bytes, bytes]
      copies.removeAll()
      #expect(count.value == 0)
      #expect(bytes.count == 3)
    }
    #expect(count.value == 1)
  }

  @Test func otherCodersGetNumbers() throws {
    #expect(try JSONEncoder().encode([Bytes([1, 2])]) == Data("[[1,2]]".utf8))
    #expect(try JSONDecoder().decode([Bytes].self, from: Data("[[1,255]]".utf8)) == [Bytes([1, 255])])
    #expect(throws: (any Error).self) { try JSONDecoder().decode([Bytes].self, from: Data("[[256]]".utf8)) }
  }

  @Test func theViewOfTheScriptIsKept() throws {
    let value = wire(
      #"[{"$nb":["b",0,"Float64Array"]},{"$nb":["b",0]}]"#, [Bytes([UInt8](repeating: 0, count: 8))])
    let bytes = try value.decode([Bytes].self)
    #expect(bytes.map(\.view) == ["Float64Array", "Uint8Array"])
    #expect(try written(bytes[0]) == #"{"$nb":["b",0,"Float64Array"]}"#)
  }
}
