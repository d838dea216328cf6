// SPDX-License-Identifier: MIT

import CNBridgeJavaScriptCore
import Foundation
import TestSupport
import Testing

@testable import JSEngine

/// Texts across the engine's edge: any length, any units.
@Suite struct TextTests {
  static let texts: [String] = {
    let parts = [
      "", "a", "é", "漢", "🎉", "\u{0}", "\u{7F}", "\u{80}", "\u{FF}", "\u{100}", "\u{7FF}", "\u{800}",
      "\u{FFFF}", "\u{10000}", "\u{10FFFF}", "\u{FEFF}", "\u{2028}",
    ]
    let fillers = [0, 1, 15, 16, 17, 31, 32, 33, 62, 63, 64, 65, 200]
    return parts.flatMap { part in
      fillers.flatMap { count in
        [String(repeating: "x", count: count) + part, part + String(repeating: "x", count: count)]
      }
    }
  }()

  @Test func textsCrossBothWays() async throws {
    try await onEngineThread { context throws in
      let units = try js(
        context, "(text) => Array.from({ length: text.length }, (_, i) => text.charCodeAt(i)).join()")
      for text in Self.texts {
        let value = context.make(text)
        #expect(value.string == text)
        #expect(value.displayString == text)
        #expect(try context.call(units, value).string == text.utf16.map(String.init).joined(separator: ","))
        var read: [UInt8] = []
        #expect(value.readUTF8 { read = Array($0) })
        #expect(read == Array(text.utf8))
        #expect(Array(text.utf8).withUnsafeBufferPointer { context.make(utf8: $0) }.string == text)
      }
    }
  }

  #if arch(x86_64)
    /// Text of one byte a unit takes half the memory, and half the time in all that is done with it.
    @Test func textInASCIIIsNarrow() async throws {
      try await onEngineThread { context throws in
        for count in [64, 65, 100, 5000, 1 << 20] {
          let text = Array(String(repeating: "0123456789\u{0}", count: count / 11 + 1).utf8.prefix(count))
          let made = text.withUnsafeBufferPointer { JSString.make(utf8: $0) }
          defer { JSStringRelease(made) }
          #expect(JSStringPeek.latin1(made)?.elementsEqual(text) == true)
          let decoded = try text.withUnsafeBufferPointer { try context.decodeUTF8($0, isFatal: true) }
          #expect(decoded?.string.map { Array($0.utf8) } == text)
        }
      }
    }
  #endif

  @Test func textsOfCallsCrossBothWays() async throws {
    try await onEngineThread { context throws in
      let echo = JSFunction.make(in: context) { frame throws(JSException) in
        var bytes: [UInt8] = []
        _ = frame[0].readUTF8 { bytes = Array($0) }
        let count = bytes.count
        bytes.append(0)
        return bytes.withUnsafeBufferPointer { text in
          text.withMemoryRebound(to: CChar.self) { text in
            guard let base = text.baseAddress else { return frame.undefined }
            return frame.make(terminated: base, count: count)
          }
        }
      }
      for text in Self.texts { #expect(try context.call(echo, context.make(text)).string == text) }
    }
  }

  /// Bytes that are not UTF-8 become U+FFFD, in short texts as in long ones.
  @Test(
    arguments: [
      ([0xFF], "\u{FFFD}"), ([0x61, 0x80, 0x62], "a\u{FFFD}b"), ([0xC3], "\u{FFFD}"),
      ([0xE2, 0x82], "\u{FFFD}"), ([0xE2, 0x82, 0x61], "\u{FFFD}a"), ([0xC0, 0x80], "\u{FFFD}\u{FFFD}"),
      ([0xED, 0xA0, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}"), ([0xF0, 0x9F, 0x8E], "\u{FFFD}"),
      ([0xF5, 0x80], "\u{FFFD}\u{FFFD}"), ([0x00, 0xFF, 0x00], "\u{0}\u{FFFD}\u{0}"),
    ] as [([UInt8], String)])
  func malformedBytesAreReplaced(_ bytes: [UInt8], _ expected: String) async throws {
    try await onEngineThread { context throws in
      for count in [0, 10, 70] {
        let filler = [UInt8](repeating: 0x78, count: count)
        let text = (filler + bytes + filler).withUnsafeBufferPointer { context.make(utf8: $0) }.string
        let plain = String(repeating: "x", count: count)
        #expect(text == plain + expected + plain, "\(count)")
        #expect(
          try (filler + bytes + filler).withUnsafeBufferPointer { bytes in
            try context.decodeUTF8(bytes, isFatal: false)
          }?.string
            == plain + expected + plain)
        #expect(
          try (filler + bytes + filler).withUnsafeBufferPointer { bytes in
            try context.decodeUTF8(bytes, isFatal: true)
          } == nil)
      }
    }
  }

  @Test(arguments: [
    "'\\ud800'", "'\\udc00'", "'a\\ud800b'", "'\\udc00\\ud800'", "'漢'.repeat(100) + '\\ud800'",
    "'\\ud800' + 'x'.repeat(100)",
  ])
  func halvesOfCharactersAreNoUTF8(_ source: String) async throws {
    try await onEngineThread { context throws in
      let value = try js(context, source)
      #expect(!value.readUTF8 { _ in Issue.record("it is no text") })
      #expect(value.string?.contains("\u{FFFD}") == true)
      #expect(value.string?.utf16.count == Int(try js(context, "(\(source)).length").number))
      context.setGlobal("encoded", try context.encodeUTF8(value))
      #expect(
        try js(context, "Array.from(encoded).join()").string
          == value.string.map { Array($0.utf8).map(String.init).joined(separator: ",") })
    }
  }

  @Test func unitsAreTakenAsTheyAre() async throws {
    try await onEngineThread { context throws in
      for units in [
        [], [0xD800], [0xDC00, 0xD800], [0x61, 0, 0xFFFF], [UInt16](repeating: 0xD83C, count: 50),
      ] as [[UInt16]] {
        context.setGlobal("t", units.withUnsafeBufferPointer { context.make(utf16: $0) })
        #expect(
          try js(context, "Array.from({ length: t.length }, (_, i) => t.charCodeAt(i)).join()").string
            == units.map(String.init).joined(separator: ","))
      }
    }
  }

  @Test func textsAreEncoded() async throws {
    try await onEngineThread { context throws in
      for text in Self.texts {
        let bytes = try #require(context.encodeUTF8(context.make(text)).bytes)
        #expect(Array(bytes) == Array(text.utf8))
        #expect(
          try Array(text.utf8).withUnsafeBufferPointer { bytes in
            try context.decodeUTF8(bytes, isFatal: true)
          }?.string == text)
      }
      #expect(try context.encodeUTF8(context.make(12)).bytes.map(Array.init) == Array("12".utf8))
      #expect(try context.encodeUTF8(try js(context, "Symbol()")).isUndefined)
      #expect(try context.encodeUTF8(try js(context, "({ toString() { throw 1 } })")).isUndefined)
    }
  }
}

/// UTF-8 and UTF-16, against the standard library.
@Suite struct TranscodingTests {
  private func widen(_ bytes: [UInt8], isFatal: Bool = false) -> [UInt16]? {
    var units = [UInt16](repeating: 0xABCD, count: bytes.count + 1)
    let count = bytes.withUnsafeBufferPointer { bytes in
      units.withUnsafeMutableBufferPointer {
        Transcoding.widen(
          bytes, into: UnsafeMutableBufferPointer(rebasing: $0[..<bytes.count]), isFatal: isFatal)
      }
    }
    #expect(units.last == 0xABCD)
    return count.map { Array(units[..<$0]) }
  }

  private func narrow(_ units: [UInt16], lossily: Bool = false) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0xEE, count: 3 * units.count + 1)
    let count = units.withUnsafeBufferPointer { units in
      bytes.withUnsafeMutableBufferPointer { bytes -> Int? in
        let room = UnsafeMutableBufferPointer(rebasing: bytes[..<(3 * units.count)])
        return lossily ? Transcoding.narrowLossily(units, into: room) : Transcoding.narrow(units, into: room)
      }
    }
    #expect(bytes.last == 0xEE)
    return count.map { Array(bytes[..<$0]) }
  }

  @Test func randomBytesAreReadAsTheLibraryDoes() {
    var dice = SeededGenerator(seed: 1)
    let usual: [UInt8] = [
      0x41, 0x7F, 0x80, 0xBF, 0xC2, 0xDF, 0xE0, 0xA0, 0xED, 0x9F, 0xEF, 0xF0, 0x90, 0xF4, 0x8F, 0xC0, 0xF5,
      0xFF,
    ]
    for _ in 0..<20_000 {
      let plain = [UInt8](repeating: 0x61, count: dice.number(0..<20))
      let bytes =
        plain
        + (0..<dice.number(0..<12)).map { _ in
          dice.pick(usual)
        }
      #expect(widen(bytes) == Array(String(decoding: bytes, as: UTF8.self).utf16), "\(bytes)")
      #expect(
        (widen(bytes, isFatal: true) != nil) == (String(validating: bytes, as: UTF8.self) != nil), "\(bytes)")
    }
  }

  @Test func randomUnitsAreReadAsTheLibraryDoes() {
    var dice = SeededGenerator(seed: 2)
    let usual: [UInt16] = [
      0x41, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xD800, 0xDBFF, 0xDC00, 0xDFFF, 0xE000, 0xFFFF,
    ]
    for _ in 0..<20_000 {
      let plain = [UInt16](repeating: 0x61, count: dice.number(0..<20))
      let units =
        plain
        + (0..<dice.number(0..<12)).map { _ in
          dice.pick(usual)
        }
      let text = String(decoding: units, as: UTF16.self)
      let isWhole = Array(text.utf16) == units
      #expect(narrow(units) == (isWhole ? Array(text.utf8) : nil), "\(units)")
      #expect(narrow(units, lossily: true) == Array(text.utf8), "\(units)")
    }
  }

  @Test func everyLatin1UnitIsExpanded() {
    for count in [1, 15, 16, 17, 40] {
      for unit in UInt8.min...UInt8.max {
        let source = [UInt8](repeating: 0x61, count: count) + [unit] + [UInt8](repeating: 0x62, count: count)
        var target = [UInt8](repeating: 0, count: 2 * source.count)
        let written = source.withUnsafeBufferPointer { source in
          target.withUnsafeMutableBufferPointer { Transcoding.expand(source, into: $0) }
        }
        let text = String(String.UnicodeScalarView(source.map { Unicode.Scalar($0) }))
        #expect(Array(target[..<written]) == Array(text.utf8))
        #expect(source.withUnsafeBufferPointer { Transcoding.isASCII($0) } == (unit < 0x80))
      }
    }
  }

  @Test func everyScalarCrosses() {
    for value in stride(from: UInt32(0), through: 0x10FFFF, by: 7) {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let text = String(scalar)
      guard widen(Array(text.utf8)) == Array(text.utf16), narrow(Array(text.utf16)) == Array(text.utf8) else {
        Issue.record("U+\(String(value, radix: 16))")
        return
      }
    }
  }
}
