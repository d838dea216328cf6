// SPDX-License-Identifier: MIT

/// Character references (HTML standard, 13.2.5.72 to 13.2.5.80): all numbers, and names of HTML 4, each of
/// these with its semicolon. Another one stays as it is.
package enum HTMLReferences {
  private static let names: [String: UInt32] = [
    "quot": 0x22, "amp": 0x26, "apos": 0x27, "lt": 0x3C, "gt": 0x3E, "nbsp": 0xA0,
  ]

  /// More characters make no reference.
  private static let longest = 12

  /// The text with characters in the places of their references, each looked at once: `&amp;lt;` is `&lt;`.
  package static func resolved(in text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
    var result = String.UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    while let first = rest.popFirst() {
      if first == "&", rest.first == "#", let (found, behind) = number(rest.dropFirst()) {
        result.append(found)
        rest = behind
      } else if first == "&", let end = rest.prefix(longest).firstIndex(of: ";"),
        let found = named(String(rest[..<end]))
      {
        result.append(found)
        rest = rest[rest.index(after: end)...]
      } else {
        result.append(first)
      }
    }
    return String(result)
  }

  /// What stands between `&` and `;`; nil for what is no reference.
  private static func named(_ name: String) -> Unicode.Scalar? {
    (names[name] ?? HTMLReferenceNames.all[name]).flatMap(Unicode.Scalar.init)
  }

  private typealias Scalars = Substring.UnicodeScalarView

  /// What stands behind `&#`, with its semicolon or without; nil for what is no number.
  private static func number(_ text: Scalars) -> (Unicode.Scalar, rest: Scalars)? {
    let isHex = text.first == "x" || text.first == "X"
    var rest = isHex ? text.dropFirst() : text
    let digits = rest
    var number: UInt32 = 0
    while let digit = rest.first.flatMap({ value(of: $0, isHex: isHex) }) {
      // There are no more characters than that.
      number = min(number * (isHex ? 16 : 10) + digit, 0x110000)
      rest = rest.dropFirst()
    }
    guard rest.startIndex != digits.startIndex else { return nil }
    if rest.first == ";" { rest = rest.dropFirst() }
    return (scalar(number), rest)
  }

  private static func value(of digit: Unicode.Scalar, isHex: Bool) -> UInt32? {
    switch digit.value {
    case 0x30...0x39: digit.value - 0x30
    case 0x41...0x46, 0x61...0x66: isHex ? (digit.value | 0x20) - 0x57 : nil
    default: nil
    }
  }

  private static func scalar(_ number: UInt32) -> Unicode.Scalar {
    let meant = (0x80...0x9F).contains(number) ? windows1252[Int(number - 0x80)] : number
    // No character: zero, half of a pair, past the last one.
    return (meant == 0 ? nil : Unicode.Scalar(meant)) ?? "\u{FFFD}"
  }

  /// What is meant by numbers of control characters (13.2.5.80).
  private static let windows1252: [UInt32] = [
    0x20AC, 0x81, 0x201A, 0x192, 0x201E, 0x2026, 0x2020, 0x2021, 0x2C6, 0x2030, 0x160, 0x2039, 0x152, 0x8D,
    0x17D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x2DC, 0x2122, 0x161, 0x203A,
    0x153, 0x9D, 0x17E, 0x178,
  ]
}
