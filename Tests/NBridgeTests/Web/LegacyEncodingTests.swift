// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import NBridgeBuiltins

/// The legacy encodings, by vectors of the Encoding standard and of the characters' own standards.
@Suite struct LegacyEncodingTests {
  static func decode(_ name: String, _ bytes: [UInt8], isFatal: Bool = false) -> String? {
    var state: UInt64 = 0
    return withUnsafeMutableBytes(of: &state) { state in
      bytes.withUnsafeBytes { bytes in
        guard
          case .text(let units) = LegacyText.decode(
            name, bytes, state: state, isLast: true,
            isFatal: isFatal)
        else { return nil }
        return String(decoding: units, as: UTF16.self)
      }
    }
  }

  @Test(
    arguments: [
      ("shift_jis", [0x82, 0xA0, 0x83, 0x41], "あア"), ("shift_jis", [0xB1, 0x5C, 0x7E], "ｱ\\~"),
      ("shift_jis", [0x80], "\u{80}"), ("shift_jis", [0xF0, 0x40], "\u{E000}"),
      ("shift_jis", [0x81, 0x60], "～"), ("shift_jis", [0xFA, 0x54], "￢"),
      ("shift_jis", [0x87, 0x40], "①"), ("shift_jis", [0xF9, 0xFC], "\u{E757}"),
      ("euc-jp", [0xA4, 0xA2, 0x8E, 0xB1], "あｱ"), ("euc-jp", [0x8F, 0xB0, 0xA1], "丂"),
      ("euc-jp", [0xC6, 0xFC, 0xCB, 0xDC], "日本"),
      ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x24, 0x22, 0x1B, 0x28, 0x42, 0x41], "あA"),
      ("iso-2022-jp", [0x1B, 0x28, 0x4A, 0x5C, 0x7E], "¥‾"), ("iso-2022-jp", [0x1B, 0x28, 0x49, 0x31], "ｱ"),
      ("gb18030", [0xC4, 0xE3, 0xBA, 0xC3], "你好"), ("gb18030", [0x80], "€"),
      ("gb18030", [0x81, 0x30, 0x81, 0x30], "\u{80}"),
      ("gb18030", [0x84, 0x31, 0xA4, 0x39], "\u{FFFF}"),
      ("gb18030", [0x90, 0x30, 0x81, 0x30], "\u{10000}"),
      ("gb18030", [0xE3, 0x32, 0x9A, 0x35], "\u{10FFFF}"),
      ("gb18030", [0x81, 0x35, 0xF4, 0x37], "\u{E7C7}"), ("gb18030", [0xA8, 0xBC], "\u{1E3F}"),
      ("gb18030", [0xA3, 0xA0], "\u{3000}"), ("gb18030", [0xA2, 0xE3], "€"),
      ("gbk", [0xB0, 0xA1], "啊"),
      ("big5", [0xA7, 0x41, 0xA6, 0x6E], "你好"), ("big5", [0x88, 0x62], "\u{CA}\u{304}"),
      ("big5", [0x88, 0x64], "\u{CA}\u{30C}"), ("big5", [0x88, 0xA3], "\u{EA}\u{304}"),
      ("big5", [0x88, 0xA5], "\u{EA}\u{30C}"),
      ("big5", [0xA3, 0xE1], "€"),
      ("big5", [0x87, 0x40], "䏰"), ("euc-kr", [0xB0, 0xA1, 0xC7, 0xD1], "가한"),
      ("euc-kr", [0x81, 0x41], "갂"), ("euc-kr", [0xA2, 0xE6], "€"),
    ] as [(String, [UInt8], String)])
  func vectors(_ name: String, _ bytes: [UInt8], _ text: String) {
    #expect(Self.decode(name, bytes) == text)
    #expect(Self.decode(name, bytes, isFatal: true) == text)
  }

  /// A byte that completes no character and is ASCII stands for itself.
  @Test(
    arguments: [
      ("shift_jis", [0x81], "\u{FFFD}"), ("shift_jis", [0x81, 0x20], "\u{FFFD} "),
      ("shift_jis", [0xA0], "\u{FFFD}"), ("shift_jis", [0xFD], "\u{FFFD}"),
      ("shift_jis", [0x81, 0xFF, 0x41], "\u{FFFD}A"), ("euc-jp", [0xA4, 0x41], "\u{FFFD}A"),
      ("euc-jp", [0x8E, 0x41], "\u{FFFD}A"), ("euc-jp", [0x8E, 0xE0], "\u{FFFD}"),
      ("euc-jp", [0x8F, 0xA1, 0x41], "\u{FFFD}A"), ("euc-jp", [0x8F], "\u{FFFD}"),
      ("euc-jp", [0x80], "\u{FFFD}"), ("euc-kr", [0xFE, 0x41], "\u{FFFD}A"),
      ("big5", [0xA7, 0x20], "\u{FFFD} "), ("big5", [0x80], "\u{FFFD}"), ("big5", [0xFF], "\u{FFFD}"),
      ("big5", [0xA7], "\u{FFFD}"), ("gb18030", [0xFF], "\u{FFFD}"), ("gb18030", [0x81, 0x20], "\u{FFFD} "),
      ("gb18030", [0x81, 0x30, 0x41], "\u{FFFD}0A"),
      ("gb18030", [0x81, 0x30], "\u{FFFD}"), ("gb18030", [0x84, 0x31, 0xA5, 0x30], "\u{FFFD}"),
      ("gb18030", [0xE3, 0x32, 0x9A, 0x36], "\u{FFFD}"), ("gb18030", [0xFE, 0x39, 0xFE, 0x39], "\u{FFFD}"),
      ("iso-2022-jp", [0x1B], "\u{FFFD}"), ("iso-2022-jp", [0x1B, 0x41], "\u{FFFD}A"),
      ("iso-2022-jp", [0x1B, 0x24], "\u{FFFD}$"), ("iso-2022-jp", [0x1B, 0x28, 0x58], "\u{FFFD}(X"),
      ("iso-2022-jp", [0x0E], "\u{FFFD}"),
      ("iso-2022-jp", [0x80], "\u{FFFD}"),
      ("iso-2022-jp", [0x1B, 0x28, 0x42, 0x1B, 0x28, 0x42], "\u{FFFD}"),
      ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x24], "\u{FFFD}"),
      ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x24, 0x80, 0x24, 0x22], "\u{FFFD}あ"),
    ] as [(String, [UInt8], String)])
  func malformedSequences(_ name: String, _ bytes: [UInt8], _ text: String) {
    #expect(Self.decode(name, bytes) == text)
    #expect(Self.decode(name, bytes, isFatal: true) == nil)
  }

  static let encodings = ["gb18030", "gbk", "big5", "euc-jp", "iso-2022-jp", "shift_jis", "euc-kr"]

  /// A stream says the same in however many pieces it comes.
  @Test(arguments: encodings)
  func piecesDecodeAsTheWhole(_ name: String) {
    var random = SeededGenerator(seed: name.count)
    for _ in 0..<300 {
      let bytes = (0..<random.number(0...24)).map { _ in
        random.pick([
          UInt8(random.number(0...255)), 0x1B, 0x24, 0x28, 0x42, 0x49, 0x30, 0x81, 0xA4,
          0x8F, 0x8E,
        ])
      }
      let whole = Self.decode(name, bytes)
      var state: UInt64 = 0
      var units: [UInt16] = []
      withUnsafeMutableBytes(of: &state) { state in
        for (index, byte) in bytes.enumerated() {
          withUnsafeBytes(of: byte) {
            if case .text(let part) = LegacyText.decode(
              name, $0, state: state,
              isLast: index
                == bytes.count - 1, isFatal: false)
            {
              units += part
            }
          }
        }
      }
      #expect(String(decoding: units, as: UTF16.self) == whole, "\(bytes)")
      #expect(bytes.isEmpty || state == 0)
    }
  }

  @Test(arguments: encodings)
  func asciiIsItself(_ name: String) {
    let bytes = (UInt8(0)...0x7F).filter { ![0x0E, 0x0F, 0x1B].contains($0) }
    #expect(Self.decode(name, bytes) == String(decoding: bytes, as: UTF8.self))
  }

  /// After an error that is fatal the next stream begins afresh.
  @Test(arguments: encodings)
  func aFatalErrorLeavesNoState(_ name: String) {
    var state: UInt64 = 0
    withUnsafeMutableBytes(of: &state) { state in
      for bytes in [[0xA4], [0xFF, 0xFF, 0x80]] as [[UInt8]] {
        _ = bytes.withUnsafeBytes { LegacyText.decode(name, $0, state: state, isLast: false, isFatal: true) }
      }
      let last = [0x41 as UInt8].withUnsafeBytes {
        LegacyText.decode(name, $0, state: state, isLast: true, isFatal: true)
      }
      if case .text(let units) = last { #expect(units == [0x41]) } else { Issue.record("\(last)") }
    }
  }

  @Test(arguments: ["utf-8", "", "SHIFT_JIS", "windows-1252", "x"])
  func whatIsNoMultiByteEncoding(_ name: String) { #expect(Self.decode(name, [0x41]) == nil) }

  @Test func aStateOfAnyBitsIsOne() {
    var random = SeededGenerator(seed: 5)
    for _ in 0..<2000 {
      let state = LegacyState(bits: random.next())
      #expect(LegacyState(bits: state.bits) == state)
    }
    #expect(LegacyState().bits == 0)
  }

  // MARK: - One byte

  @Test(arguments: [
    ("windows-1252", 0x80, 0x20AC), ("windows-1252", 0x81, 0x81), ("windows-1252", 0x9F, 0x178),
    ("windows-1252", 0xFF, 0xFF), ("iso-8859-2", 0xA1, 0x104), ("iso-8859-15", 0xA4, 0x20AC),
    ("iso-8859-8", 0xA1, 0xFFFD),
    ("iso-8859-8-i", 0xE0, 0x5D0),
    ("koi8-r", 0xC1, 0x430), ("koi8-u", 0xAE, 0x45E), ("koi8-u", 0xBE, 0x40E), ("ibm866", 0x80, 0x410),
    ("macintosh", 0xC6, 0x2206), ("macintosh", 0xF0, 0xF8FF), ("macintosh", 0xDB, 0x20AC),
    ("x-mac-cyrillic", 0xFF, 0x20AC),
    ("windows-1251", 0xC0, 0x410),
    ("windows-1253", 0xAA, 0xFFFD), ("windows-1255", 0xCA, 0x5BA), ("windows-1257", 0xA1, 0xFFFD),
    ("windows-874", 0x80, 0x20AC), ("windows-874", 0xDB, 0xFFFD), ("iso-8859-6", 0xA1, 0xFFFD),
    ("iso-8859-16", 0xA4, 0x20AC),
    ("windows-1258", 0xFE, 0x20AB),
    ("iso-8859-7", 0xA4, 0x20AC), ("iso-8859-10", 0xA1, 0x104), ("iso-8859-13", 0xFF, 0x2019),
    ("iso-8859-14", 0xA1, 0x1E02), ("windows-1250", 0x8A, 0x160), ("windows-1254", 0xD0, 0x11E),
    ("windows-1256", 0x80, 0x20AC),
  ])
  func singleBytes(_ name: String, _ byte: Int, _ unit: Int) throws {
    let table = try #require(LegacyText.singleByteTable(name))
    #expect(table.count == 128 && Int(table[byte - 0x80]) == unit)
  }

  @Test(arguments: ["utf-8", "latin1", "iso-8859-1", "iso-8859-12", "WINDOWS-1252", ""])
  func whatIsNoSingleByteEncoding(_ name: String) { #expect(LegacyText.singleByteTable(name) == nil) }
}
