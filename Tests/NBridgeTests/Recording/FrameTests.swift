// SPDX-License-Identifier: MIT

import NBridgePlugin
import TestSupport
import Testing

@testable import NBridgeHost
@testable import NBridgeRecording

/// The content of frames, and the parts of damaged ones that are read.
@Suite struct FrameTests {
  /// The frame with its length before it, as a file has it.
  static func framed(_ buffer: FrameBuffer) -> [UInt8] {
    var length: [UInt8] = []
    var left = buffer.count
    while left >= 0x80 {
      length.append(UInt8(left & 0x7F) | 0x80)
      left >>= 7
    }
    return length + [UInt8(left)] + Array(buffer.bytes)
  }

  static func frame(_ kind: FrameKind = .task, _ fill: (FrameBuffer) -> Void) -> [UInt8] {
    let buffer = FrameBuffer(kind)
    fill(buffer)
    return framed(buffer)
  }

  /// Reads one frame.
  static func read<R>(_ bytes: [UInt8], _ body: (inout FrameReader) throws -> R) throws -> R {
    var reader = FrameReader(Bytes(bytes), from: 0)
    guard try reader.next() != nil else { throw RecordingDamage(reason: "no frame", offset: 0) }
    let result = try body(&reader)
    try reader.demandEnd()
    return result
  }

  @Test(arguments: [0, 1, 127, 128, 255, 16_383, 16_384, 1 << 31, 1 << 40, 1 << 55, (1 << 56) - 1])
  func numbers(_ number: Int) throws {
    #expect(
      try Self.read(
        Self.frame { $0.put(number) }
      ) { try $0.number() } == number)
  }

  @Test(arguments: [-1, -128, Int.min])
  func negativeNumbersAreZero(_ number: Int) throws {
    #expect(
      try Self.read(Self.frame { $0.put(number) }) { try $0.number() } == 0)
  }

  @Test(arguments: [1 << 56, Int.max])
  func numbersOfTooManyDigitsAreDamage(_ number: Int) {
    #expect(throws: RecordingDamage.self) { try Self.read(Self.frame { $0.put(number) }) { try $0.number() } }
  }

  @Test(arguments: [
    0, -0.0, 1.5, -1e300, .infinity, -.infinity, .leastNonzeroMagnitude,
    .greatestFiniteMagnitude, 0x1p-1074,
  ])
  func doubles(_ value: Double) throws {
    let read = try Self.read(Self.frame { $0.put(value) }) { try $0.double() }
    #expect(read.bitPattern == value.bitPattern)
  }

  @Test func noNumberIsKeptAsItIs() throws {
    #expect(
      try Self.read(Self.frame { $0.put(Double.nan) }) { try $0.double() }.isNaN)
  }

  @Test(arguments: [0, 1, 100, 4095, 4096, 5000, 70_000, 2_000_000])
  func textsOfAnyLength(_ count: Int) throws {
    var random = SeededGenerator(seed: count)
    let bytes = random.bytes(count)
    let frame = Self.frame {
      $0.put(bytes)
      $0.put(Bytes(bytes))
      $0.put([Bytes(bytes), Bytes([])])
    }
    let (text, value, list) = try Self.read(frame) { (try $0.text(), try $0.text(), try $0.list()) }
    #expect(text == bytes && value == bytes && list.map(Array.init) == [bytes, []])
  }

  static let payloads: [Reply.Payload] = [
    .undefined, .bool(true), .bool(false), .number(1.25), .string(""), .string("é😀"),
    .text(Array("[1]".utf8)), .bytes(Bytes([1, 2, 3])),
    .mixed(Array("{}".utf8), [Bytes([]), Bytes([9])]),
  ]

  @Test(arguments: payloads.indices)
  func aPayloadIsReadBack(_ index: Int) throws {
    let payload = Self.payloads[index]
    let read = try Self.read(Self.frame { $0.put(payload) }) { try $0.payload() }
    #expect(Self.text(read) == Self.text(payload))
  }

  static func text(_ payload: Reply.Payload) -> String {
    switch payload {
    case .bytes(let bytes): "bytes \(Array(bytes))"
    case .mixed(let text, let list): "mixed \(text) \(list.map(Array.init))"
    default: "\(payload)"
    }
  }

  /// A kind of reply holds what it can hold.
  @Test(arguments: 0...10, payloads.indices)
  func repliesHoldWhatTheirKindCan(_ kind: Int, _ index: Int) {
    let frame = Self.frame {
      $0.put(byte: UInt8(kind))
      $0.put(Self.payloads[index])
    }
    let fits: Bool
    switch (kind, index) {
    case (0, 0...5), (0, 7): fits = true
    case (1, 6), (2, 6), (4, 6), (6, 6), (7, 6): fits = true
    case (5, 8), (8, 8), (9, 6), (9, 8): fits = true
    default: fits = false
    }
    let reply = try? Self.read(frame) { try $0.reply() }
    #expect((reply != nil) == fits)
    #expect(reply == nil || reply?.kind.rawValue == Int32(kind))
  }

  @Test(
    arguments: [
      ([], nil), ([0], nil), ([0, 1, 2], nil), ([5, 0x4B], nil), ([0x80], nil),
      ([0xFF, 0xFF, 0xFF], nil), ([0xFF, 0xFF, 0xFF, 0x7F], nil),
      ([1, 0x4B], FrameKind.task), ([1, 0x5A, 9, 9], .finished),
    ] as [([UInt8], FrameKind?)])
  func theNextFrame(_ bytes: [UInt8], _ kind: FrameKind?) throws {
    var reader = FrameReader(Bytes(bytes), from: 0)
    #expect(try reader.next() == kind)
  }

  @Test(
    arguments: [
      ([1, 0x00], "there are no frames of kind 0"), ([1, 0x61], "there are no frames of kind 97"),
      ([0x80, 0x00], "a frame ends too early"),
      ([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], "a number has too many digits"),
    ] as [([UInt8], String)])
  func framesThatAreNone(_ bytes: [UInt8], _ reason: String) {
    let damage = #expect(throws: RecordingDamage.self) {
      var reader = FrameReader(Bytes(bytes), from: 0)
      _ = try reader.next()
    }
    #expect(damage?.reason == reason)
  }

  @Test func whatIsLeftOverIsDamage() {
    let damage = #expect(throws: RecordingDamage.self) {
      try Self.read(
        Self.frame {
          $0.put(1); $0.put(2)
        }
      ) { try $0.number() }
    }
    #expect(damage?.reason == "a frame has 1 bytes too many" && damage?.offset == 3)
  }

  @Test func aFrameThatIsSkippedIsFollowedByTheNext() throws {
    let bytes = Self.frame { $0.put("skipped") } + Self.frame(.finished) { $0.put(3) }
    var reader = FrameReader(Bytes(bytes), from: 0)
    #expect(try reader.next() == .task)
    reader.skip()
    #expect(try reader.next() == .finished)
    #expect(try reader.number() == 3)
    #expect(try reader.next() == nil && reader.offset == bytes.count)
  }

  @Test(
    arguments: [
      ([3, 1, 2, 3], 0, 4), ([3], 0, 4), ([0], 0, nil), ([], 0, nil), ([0x80], 0, nil),
      ([0x80, 0x01], 0, 130), ([9, 2], 1, 3), ([9], 5, nil),
      ([0xFF, 0xFF, 0xFF, 0xFF, 0x7F], 0, nil),
    ] as [([UInt8], Int, Int?)])
  func sizesOfFrames(
    _ bytes: [UInt8], _ start: Int,
    _ size: Int?
  ) { #expect(FrameReader.size(of: bytes, at: start) == size) }

  /// A reader reads nothing past the end of a frame, wherever it was cut.
  @Test func everyCutOfAFrameIsNoticed() {
    let whole = Self.frame {
      $0.put(300)
      $0.put("text")
      $0.put(2.5)
      $0.put(Reply(kind: .mixed, payload: .mixed([1, 2], [Bytes([3])])))
    }
    let read = { (bytes: [UInt8]) in
      try Self.read(bytes) { (reader: inout FrameReader) in
        _ = (try reader.number(), try reader.string(), try reader.double(), try reader.reply())
      }
    }
    #expect(throws: Never.self) { try read(whole) }
    for length in 0..<whole.count {
      #expect(throws: RecordingDamage.self) { try read(Array(whole.prefix(length))) }
      // The same with a length that fits: the content itself is cut.
      guard length > 1 else { continue }
      #expect(throws: RecordingDamage.self) { try read([UInt8(length - 1)] + whole[1..<length]) }
    }
  }

  @Test(arguments: 0..<10)
  func anyBytesAreReadOrDamage(_ seed: Int) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let content = random.bytes(random.number(0...40))
      var reader = FrameReader(Bytes([UInt8(content.count + 1), 0x4B] + content), from: 0)
      _ = try? reader.next()
      do {
        while true {
          switch random.number(0...6) {
          case 0: _ = try reader.number()
          case 1: _ = try reader.text()
          case 2: _ = try reader.double()
          case 3: _ = try reader.reply()
          case 4: _ = try reader.list()
          case 5: _ = try reader.flag()
          default: _ = try reader.payload()
          }
        }
      } catch { #expect((0...content.count + 2).contains(error.offset)) }
    }
  }

  @Test func aBufferThatWasLargeIsUsedAgain() throws {
    let buffer = FrameBuffer(.header)
    buffer.put([UInt8](repeating: 7, count: 3 << 20))
    buffer.begin(.task)
    buffer.put(5)
    #expect(Array(buffer.bytes) == [0x4B, 5])
  }
}

/// Words that are looked for in texts.
@Suite struct WordSetTests {
  static func stands(_ words: [String], _ text: String) -> Bool {
    Array(text.utf8).withUnsafeBufferPointer { WordSet(words.map { Array($0.utf8) }).stands(in: $0) }
  }

  @Test(arguments: [
    (["token"], "", false), (["token"], "token", true), (["token"], "TOKEN", true),
    (["token"], "aToKeNb", true), (["token"], "toke", false),
    (["token"], "tokem", false), (["token"], "oken", false), ([], "anything", false),
    (["a"], "b", false), (["a"], "a", true), (["a"], "xA", true), (["a"], "Ax", true),
    (["api-key"], "my API-KEY", true), (["api-key"], "api_key", false), (["é"], "É", false),
    (["é"], "xé", true), (["[k"], "{k", false), (["@"], "`", false),
    (["z", "yx"], "YX", true), (["ab", "abc"], "abx", true), (["\u{0}a"], "\u{0}A", true),
    (["ab"], "aab", true),
  ])
  func words(_ words: [String], _ text: String, _ stands: Bool) {
    #expect(
      Self.stands(words, text)
        == stands)
  }

  @Test(arguments: 0..<10)
  func itAgreesWithASearch(_ seed: Int) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let words = (0..<random.number(0...4)).map { _ in random.text(of: ["a", "b", "-", "é"], count: 1...4) }
      let text = random.text(of: ["a", "B", "b", "A", "-", "é", " "], count: 0...12)
      let expected = words.contains { word in text.lowercased().utf8.contains(Array(word.utf8)) }
      #expect(Self.stands(words, text) == expected, "\(words) in \(text)")
    }
  }
}

extension Collection<UInt8> {
  fileprivate func contains(_ part: [UInt8]) -> Bool {
    let bytes = Array(self)
    guard bytes.count >= part.count else { return false }
    return (0...bytes.count - part.count).contains { bytes[$0...].starts(with: part) }
  }
}
