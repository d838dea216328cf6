// SPDX-License-Identifier: MIT

/// Reads JSON text (RFC 8259). What it is given may be anything: it answers a value or nil, and never goes
/// deeper than ``maxDepth``.
struct JSONReader {
  private let bytes: [UInt8]
  private var at = 0

  static let maxDepth = 256

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The value that a whole text is; nil for a text that is none.
  static func read(_ bytes: [UInt8]) -> JSON? {
    var reader = JSONReader(bytes)
    guard let value = reader.value(Self.maxDepth) else { return nil }
    reader.skipSpace()
    return reader.at == bytes.count ? value : nil
  }

  private var next: UInt8? { at < bytes.count ? bytes[at] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { at += 1 }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    at += 1
    return true
  }

  private mutating func take(word: StaticString) -> Bool {
    let count = word.utf8CodeUnitCount
    guard at + count <= bytes.count else { return false }
    for index in 0..<count where bytes[at + index] != word.utf8Start[index] { return false }
    at += count
    return true
  }

  private mutating func value(_ depth: Int) -> JSON? {
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return depth > 0 ? object(depth - 1) : nil
    case UInt8(ascii: "["): return depth > 0 ? list(depth - 1) : nil
    case UInt8(ascii: "\""): return string().map { .string($0) }
    case UInt8(ascii: "t"): return take(word: "true") ? .bool(true) : nil
    case UInt8(ascii: "f"): return take(word: "false") ? .bool(false) : nil
    case UInt8(ascii: "n"): return take(word: "null") ? .null : nil
    default: return number()
    }
  }

  private mutating func object(_ depth: Int) -> JSON? {
    at += 1
    var members: [JSON.Member] = []
    skipSpace()
    if take(UInt8(ascii: "}")) { return .object([]) }
    while true {
      skipSpace()
      guard next == UInt8(ascii: "\""), let name = string() else { return nil }
      skipSpace()
      guard take(UInt8(ascii: ":")), let value = value(depth) else { return nil }
      members.append(JSON.Member(name: name, value: value))
      skipSpace()
      if take(UInt8(ascii: "}")) { return .object(members) }
      guard take(UInt8(ascii: ",")) else { return nil }
    }
  }

  private mutating func list(_ depth: Int) -> JSON? {
    at += 1
    var values: [JSON] = []
    skipSpace()
    if take(UInt8(ascii: "]")) { return .array([]) }
    while true {
      guard let value = value(depth) else { return nil }
      values.append(value)
      skipSpace()
      if take(UInt8(ascii: "]")) { return .array(values) }
      guard take(UInt8(ascii: ",")) else { return nil }
    }
  }

  private mutating func number() -> JSON? {
    let start = at
    _ = take(UInt8(ascii: "-"))
    guard let first = next, isDigit(first) else { return nil }
    at += 1
    if first != UInt8(ascii: "0") { skipDigits() }
    if take(UInt8(ascii: ".")) {
      guard let digit = next, isDigit(digit) else { return nil }
      skipDigits()
    }
    if let byte = next, byte | 0x20 == UInt8(ascii: "e") {
      at += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { at += 1 }
      guard let digit = next, isDigit(digit) else { return nil }
      skipDigits()
    }
    return .number(String(decoding: bytes[start..<at], as: UTF8.self))
  }

  private func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
  private mutating func skipDigits() { while let byte = next, isDigit(byte) { at += 1 } }

  /// Half a character, which JSON can name and text can't hold, becomes U+FFFD.
  private mutating func string() -> String? {
    at += 1
    var text: [UInt8] = []
    var units: [UInt16] = []
    func flush(_ units: inout [UInt16], _ text: inout [UInt8]) {
      if units.isEmpty { return }
      text += String(decoding: units, as: UTF16.self).utf8
      units = []
    }
    while let byte = next {
      at += 1
      switch byte {
      case UInt8(ascii: "\""):
        flush(&units, &text)
        return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let escape = next else { return nil }
        at += 1
        if escape == UInt8(ascii: "u") {
          guard let unit = unit() else { return nil }
          units.append(unit)
          continue
        }
        flush(&units, &text)
        guard let plain = Self.escapes[escape] else { return nil }
        text.append(plain)
      case 0..<0x20: return nil
      default:
        flush(&units, &text)
        text.append(byte)
      }
    }
    return nil
  }

  private mutating func unit() -> UInt16? {
    guard at + 4 <= bytes.count else { return nil }
    var value: UInt16 = 0
    for byte in bytes[at..<at + 4] {
      switch byte {
      case 0x30...0x39: value = value << 4 | UInt16(byte - 0x30)
      case 0x41...0x46, 0x61...0x66: value = value << 4 | UInt16((byte | 0x20) - 0x61 + 10)
      default: return nil
      }
    }
    at += 4
    return value
  }

  private static let escapes: [UInt8: UInt8] = [
    UInt8(ascii: "\""): UInt8(ascii: "\""), UInt8(ascii: "\\"): UInt8(ascii: "\\"),
    UInt8(ascii: "/"): UInt8(ascii: "/"), UInt8(ascii: "b"): 8, UInt8(ascii: "f"): 12,
    UInt8(ascii: "n"): 10, UInt8(ascii: "r"): 13, UInt8(ascii: "t"): 9,
  ]
}
