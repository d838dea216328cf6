// SPDX-License-Identifier: MIT

/// Character references (HTML standard, 13.2.5.72 to 13.2.5.80): all numbers, and names of HTML 4, each with
/// its semicolon. Another one stays as it is.
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
      if first == "&", let end = rest.prefix(longest).firstIndex(of: ";"),
        let found = scalar(String(rest[..<end]))
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
  private static func scalar(_ name: String) -> Unicode.Scalar? {
    if let known = names[name] { return Unicode.Scalar(known) }
    guard name.utf8.first == UInt8(ascii: "#") else {
      return HTMLReferenceNames.all[name].flatMap(Unicode.Scalar.init)
    }
    let isHex = name.hasPrefix("#x") || name.hasPrefix("#X")
    let digits = name.dropFirst(isHex ? 2 : 1)
    guard digits.utf8.first != UInt8(ascii: "+"), let number = UInt32(digits, radix: isHex ? 16 : 10)
    else { return nil }
    // No character: zero, half of a pair, past the last one.
    return (number == 0 ? nil : Unicode.Scalar(number)) ?? "\u{FFFD}"
  }
}
