// SPDX-License-Identifier: MIT

/// Paths as text for scripts, permissions and messages, with nothing lost.
///
/// Names on the disk are bytes. Those that are not UTF-8 are shown with a character of the last private
/// plane for each byte that does not fit: U+10FF80 + (byte - 0x80). Given back, it means that byte; so
/// every name can be shown and used.
public enum PathText {
  private static let escapes: ClosedRange<UInt32> = 0x10FF80...0x10FFFF

  /// What those characters begin with in UTF-8.
  private static let lead: UInt8 = 0xF4

  /// What the kernel gets.
  public static func encode(_ text: String) -> [UInt8] {
    guard text.utf8.contains(lead) else { return Array(text.utf8) }
    var bytes: [UInt8] = []
    for scalar in text.unicodeScalars {
      if escapes.contains(scalar.value) {
        bytes.append(UInt8(scalar.value - 0x10FF00))
      } else {
        bytes += Array(String(scalar).utf8)
      }
    }
    return bytes
  }

  /// Whether what people and scripts see is these bytes themselves.
  package static func isItself(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    !bytes.contains(lead) && (try? UTF8Span(validating: bytes.span)) != nil
  }

  /// What people and scripts see. No two names have the same text.
  public static func decode(_ bytes: [UInt8]) -> String {
    if !bytes.contains(lead), let text = String(whole: bytes) { return text }
    var text = String.UnicodeScalarView()
    var rest = bytes[...]
    while let first = rest.first {
      let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
      let head = rest.prefix(length)
      if let scalar = String(validating: head, as: UTF8.self)?.unicodeScalars.first,
        !escapes.contains(scalar.value)
      {
        text.append(scalar)
        rest = rest.dropFirst(length)
      } else {
        if let scalar = Unicode.Scalar(0x10FF00 + UInt32(first)) { text.append(scalar) }
        rest = rest.dropFirst()
      }
    }
    return String(text)
  }
}

/// Where the names of a path begin and end. To the kernel each byte of a slash is one; to a `String` a
/// slash with an accent behind it is another character.
///
/// Of two types rather than of a protocol: code that is generic over strings asks the runtime for every type
/// that belongs to them, and each question takes a tenth of a millisecond of a program's start.
extension Substring {
  package var lastSlash: String.Index? { utf8.lastIndex(of: UInt8(ascii: "/")) }

  package var hasSlash: Bool { utf8.contains(UInt8(ascii: "/")) }

  /// The last name, or the whole text when no slash is in it.
  package var afterLastSlash: Substring { lastSlash.map { suffix(from: utf8.index(after: $0)) } ?? self }

  /// The text up to its last slash, that one included; empty without one.
  package var throughLastSlash: Substring {
    lastSlash.map { prefix(upTo: utf8.index(after: $0)) } ?? prefix(upTo: startIndex)
  }

  /// What stands between the slashes, what is empty left out.
  package var pathNames: [Substring] { pathParts.filter { !$0.utf8.isEmpty } }

  /// What stands between the slashes.
  package var pathParts: [Substring] {
    var parts: [Substring] = []
    var rest = self
    while let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) {
      parts.append(rest.prefix(upTo: slash))
      rest = rest.suffix(from: rest.utf8.index(after: slash))
    }
    parts.append(rest)
    return parts
  }
}

extension String {
  package var lastSlash: String.Index? { utf8.lastIndex(of: UInt8(ascii: "/")) }

  package var hasSlash: Bool { utf8.contains(UInt8(ascii: "/")) }

  /// The last name, or the whole text when no slash is in it.
  package var afterLastSlash: Substring { Substring(self).afterLastSlash }

  /// The text up to its last slash, that one included; empty without one.
  package var throughLastSlash: Substring { Substring(self).throughLastSlash }

  /// What stands between the slashes, what is empty left out.
  package var pathNames: [Substring] { Substring(self).pathNames }

  /// What stands between the slashes.
  package var pathParts: [Substring] { Substring(self).pathParts }
}

extension [UInt8] {
  /// Calls `body` with these bytes as a C string.
  package func withCString<R>(_ body: (UnsafePointer<CChar>) throws -> R) rethrows -> R {
    try (self + [0]).withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { preconditionFailure("never empty: a NUL was added") }
      return try body(base.assumingMemoryBound(to: CChar.self))
    }
  }
}

extension String {
  /// The text that UTF-8 stands for; nil for what is none. For short ones: the standard library's own check
  /// is generic, and costs a program that starts more than this does.
  package init?(whole bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    // What had to be repaired is another text.
    guard text.utf8.elementsEqual(bytes) else { return nil }
    self = text
  }
}
