// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import NBridgePlugin

/// Eight bytes at a time find what one at a time finds.
@Suite struct ByteScanTests {
  private func special(_ bytes: [UInt8], from start: Int = 0, to end: Int? = nil) -> Int {
    bytes.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return 0 }
      return ByteScan.special(in: base, from: start, to: end ?? bytes.count)
    }
  }

  private static func isSpecial(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x22 || byte == 0x5C }

  @Test func eachByteIsJudgedAtEachPlaceOfAWord() {
    for byte in UInt8.min...UInt8.max {
      for place in 0..<17 {
        var bytes = [UInt8](repeating: 0x61, count: 17)
        bytes[place] = byte
        #expect(special(bytes) == (Self.isSpecial(byte) ? place : 17), "\(byte) at \(place)")
      }
    }
  }

  /// A borrow in one byte of the word must not be taken for a find in the next.
  @Test func neighboursDoNotDisturbEachOther() {
    for first in UInt8.min...UInt8.max {
      for second in [
        UInt8(0x20), 0x21, 0x22, 0x23, 0x5B, 0x5C, 0x5D, 0x7F, 0x80, 0xA0, 0xA2, 0xDC, 0xFF, 0x00, 0x01, 0x1F,
      ] {
        let bytes: [UInt8] = [0x61, first, second, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61]
        #expect(
          special(bytes) == bytes.firstIndex(where: Self.isSpecial) ?? bytes.count, "\(first) \(second)")
      }
    }
  }

  @Test func rangesAreKeptTo() {
    let bytes = Array("\"aaaaaaaa\"bbbbbbbbbbbb\"".utf8)
    for start in bytes.indices {
      for end in start...bytes.count {
        #expect(
          special(bytes, from: start, to: end) == bytes[start..<end].firstIndex(where: Self.isSpecial) ?? end)
      }
    }
  }

  @Test func randomBytesAgreeWithTheSlowWay() {
    var random = SeededGenerator(seed: 21)
    for _ in 0..<5000 {
      let count = random.number(1..<70)
      let isDense = Bool.random(using: &random)
      let bytes = (0..<count).map { _ in
        isDense ? UInt8.random(in: 0...255, using: &random) : UInt8.random(in: 0x5D...0xFF, using: &random)
      }
      let start = random.number(0..<count)
      #expect(special(bytes, from: start) == bytes[start...].firstIndex(where: Self.isSpecial) ?? count)
    }
  }
}

/// Whether bytes are text: Unicode, table 3-7.
@Suite struct UTF8CheckTests {
  private func isValid(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBufferPointer { UTF8Check.isValid($0) } }

  @Test(
    arguments: [
      ([], true), ([0x00], true), ([0x7F], true), ([0x80], false), ([0xC2, 0x80], true),
      ([0xC1, 0xBF], false), ([0xC0, 0x80], false),
      ([0xDF, 0xBF], true), ([0xC2], false), ([0xC2, 0x41], false), ([0xE0, 0xA0, 0x80], true),
      ([0xE0, 0x9F, 0xBF], false),
      ([0xED, 0x9F, 0xBF], true), ([0xED, 0xA0, 0x80], false), ([0xEE, 0x80, 0x80], true),
      ([0xEF, 0xBF, 0xBF], true),
      ([0xE1, 0x80], false), ([0xF0, 0x90, 0x80, 0x80], true), ([0xF0, 0x8F, 0xBF, 0xBF], false),
      ([0xF4, 0x8F, 0xBF, 0xBF], true),
      ([0xF4, 0x90, 0x80, 0x80], false), ([0xF5, 0x80, 0x80, 0x80], false), ([0xF0, 0x90, 0x80], false),
      ([0xFE], false), ([0xFF], false),
    ] as [([UInt8], Bool)])
  func sequencesAreJudgedByTheTable(_ bytes: [UInt8], _ expected: Bool) {
    #expect(isValid(bytes) == expected)
    // The same behind and before a long run of ASCII, which is looked at eight bytes at a time.
    for count in 0..<18 {
      let plain = [UInt8](repeating: 0x61, count: count)
      #expect(isValid(plain + bytes) == expected)
      #expect(isValid(bytes + plain) == (expected || bytes.isEmpty))
    }
  }

  @Test func randomBytesAgreeWithTheLibrary() {
    var random = SeededGenerator(seed: 22)
    for _ in 0..<20_000 {
      let bytes = (0..<random.number(0..<12)).map { _ in
        [UInt8(0x41), 0x80, 0xBF, 0xC2, 0xE0, 0xA0, 0xED, 0xF0, 0x90, 0xF4, 0x8F][
          random.number(0..<11)]
      }
      #expect(isValid(bytes) == (String(validating: bytes, as: UTF8.self) != nil))
    }
  }
}
