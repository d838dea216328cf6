// SPDX-License-Identifier: MIT

/// Walks a JSON text without making anything of it. What it is given may be anything: a text that is no JSON
/// ends it.
package struct JSONCursor {
  package let text: UnsafeBufferPointer<UInt8>
  package private(set) var at: Int
  /// More than values that cross the bridge have.
  static let deepest = 600

  package init(_ text: UnsafeBufferPointer<UInt8>, at: Int = 0) { (self.text, self.at) = (text, at) }

  /// The next byte that is no space; nil at the end.
  package mutating func peek() -> UInt8? {
    while at < text.count, text[at] <= 0x20 { at += 1 }
    return at < text.count ? text[at] : nil
  }

  package mutating func take(_ byte: Character) -> Bool {
    guard let value = byte.asciiValue, peek() == value else { return false }
    at += 1
    return true
  }

  /// The content of a string, without its quotes and as it is escaped; nil when there is none.
  package mutating func string() -> Range<Int>? {
    guard take("\"") else { return nil }
    let start = at
    while at < text.count {
      switch text[at] {
      case UInt8(ascii: "\""):
        at += 1
        return start..<(at - 1)
      case UInt8(ascii: "\\"): at += 2
      default: at += 1
      }
    }
    return nil
  }

  /// Passes over a value; answers where it stood.
  package mutating func value(depth: Int = 0) -> Range<Int>? {
    guard let first = peek(), depth < Self.deepest else { return nil }
    let start = at
    switch first {
    case UInt8(ascii: "\""): guard string() != nil else { return nil }
    case UInt8(ascii: "{"):
      guard members({ cursor, _ in cursor.value(depth: depth + 1) != nil }) else { return nil }
    case UInt8(ascii: "["): guard elements({ $0.value(depth: depth + 1) != nil }) else { return nil }
    default:
      while at < text.count, !Self.ends(text[at]) { at += 1 }
      guard at > start else { return nil }
    }
    return start..<at
  }

  private static func ends(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ":"), UInt8(ascii: "\""),
      UInt8(ascii: "{"), UInt8(ascii: "["):
      true
    default: byte <= 0x20
    }
  }

  /// The members of an object: `body` is given each key and passes over its value. False when it is none, or
  /// `body` says so.
  package mutating func members(_ body: (inout JSONCursor, Range<Int>) -> Bool) -> Bool {
    guard take("{") else { return false }
    if take("}") { return true }
    repeat {
      guard let key = string(), take(":"), body(&self, key) else { return false }
    } while take(",")
    return take("}")
  }

  /// The elements of an array, in the same way.
  package mutating func elements(_ body: (inout JSONCursor) -> Bool) -> Bool {
    guard take("[") else { return false }
    if take("]") { return true }
    repeat { guard body(&self) else { return false } } while take(",")
    return take("]")
  }

  package func matches(_ range: Range<Int>, _ name: StaticString) -> Bool {
    guard range.count == name.utf8CodeUnitCount else { return false }
    for index in 0..<range.count where text[range.lowerBound + index] != name.utf8Start[index] {
      return false
    }
    return true
  }

  /// A string's content with its escapes resolved. What is no UTF-8, or half a character, becomes U+FFFD.
  package func unescaped(_ range: Range<Int>) -> String {
    let part = UnsafeBufferPointer(rebasing: text[range])
    guard part.contains(UInt8(ascii: "\\")) else { return String(decoding: part, as: UTF8.self) }
    var units: [UInt8] = []
    units.reserveCapacity(part.count)
    var index = 0
    while index < part.count {
      let byte = part[index]
      index += 1
      guard byte == UInt8(ascii: "\\"), index < part.count else {
        units.append(byte)
        continue
      }
      let kind = part[index]
      index += 1
      switch kind {
      case UInt8(ascii: "n"): units.append(0x0A)
      case UInt8(ascii: "t"): units.append(0x09)
      case UInt8(ascii: "r"): units.append(0x0D)
      case UInt8(ascii: "b"): units.append(0x08)
      case UInt8(ascii: "f"): units.append(0x0C)
      case UInt8(ascii: "u"): units += Self.scalar(part, &index)
      default: units.append(kind)
      }
    }
    return String(decoding: units, as: UTF8.self)
  }

  /// The character of the digits behind `\u`, two groups of them when they are halves of one character.
  private static func scalar(_ text: UnsafeBufferPointer<UInt8>, _ index: inout Int) -> [UInt8] {
    guard let first = hex(text, index) else { return Array("\u{FFFD}".utf8) }
    index += 4
    if first & 0xFC00 == 0xD800, index + 1 < text.count, text[index] == UInt8(ascii: "\\"),
      text[index + 1] == UInt8(ascii: "u"), let second = hex(text, index + 2), second & 0xFC00 == 0xDC00
    {
      index += 6
      let scalar = Unicode.Scalar(0x10000 + (first & 0x3FF) << 10 + second & 0x3FF)
      return Array(String(Character(scalar ?? "\u{FFFD}")).utf8)
    }
    return Array(String(Character(Unicode.Scalar(first) ?? "\u{FFFD}")).utf8)
  }

  private static func hex(_ text: UnsafeBufferPointer<UInt8>, _ at: Int) -> UInt32? {
    guard at + 4 <= text.count else { return nil }
    var value: UInt32 = 0
    for byte in text[at..<(at + 4)] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
      value = value << 4 + UInt32(digit)
    }
    return value
  }
}

/// Writes JSON.
package enum JSONText {
  private static let digits = Array("0123456789abcdef".utf8)

  /// Appends a string with its quotes.
  package static func append(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0x0A: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
      case 0x0D: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "r")]
      case 0x09: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "t")]
      case ..<0x20: bytes += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
