// SPDX-License-Identifier: MIT

internal import CGLib

/// How many columns text takes on a terminal: two for wide characters (Unicode Standard Annex 11), none for marks that
/// sit on others. What would move the cursor is shown as something else first.
enum TextWidth {
  static func of(_ character: Character) -> Int {
    guard let scalar = character.unicodeScalars.first else { return 0 }
    if scalar.value < 0x300 { return scalar.value < 0x20 || 0x7F..<0xA0 ~= scalar.value ? 0 : 1 }
    // An emoji presentation makes narrow symbols wide; two regional indicators are one flag.
    if character.unicodeScalars.contains("\u{FE0F}") || 0x1F1E6...0x1F1FF ~= scalar.value { return 2 }
    var width = 0
    for scalar in character.unicodeScalars {
      if scalar == "\u{200D}" { break }  // what is joined behind is part of the first
      if 0x1F3FB...0x1F3FF ~= scalar.value, width > 0 { continue }  // a skin tone
      if g_unichar_iszerowidth(scalar.value) == 0 { width += g_unichar_iswide(scalar.value) != 0 ? 2 : 1 }
    }
    return width
  }

  static func of(_ text: some StringProtocol) -> Int { text.reduce(0) { $0 + of($1) } }

  /// The text with escape sequences and other control characters made visible; colours may stay.
  static func visible(_ text: String, keepsColours: Bool = false) -> String {
    guard text.utf8.contains(where: { $0 < 0x20 && $0 != 0x0A && $0 != 0x09 || $0 == 0x7F || $0 == 0xC2 })
    else {
      return text
    }
    let bytes = Array(text.utf8)
    var shown: [UInt8] = []
    shown.reserveCapacity(bytes.count)
    var at = 0
    while at < bytes.count {
      let byte = bytes[at]
      if keepsColours, byte == 0x1B, let end = endOfColour(bytes, at) {
        shown += bytes[at..<end]
        at = end
        continue
      }
      switch byte {
      case 0x0A, 0x09: shown.append(byte)
      case 0..<0x20, 0x7F: shown += [0x5E, byte ^ 0x40]
      // U+0080 to U+009F: the control characters of eight bits.
      case 0xC2 where at + 1 < bytes.count && bytes[at + 1] < 0xA0:
        shown += [0xEF, 0xBF, 0xBD]
        at += 1
      default: shown.append(byte)
      }
      at += 1
    }
    return String(decoding: shown, as: UTF8.self)
  }

  /// Where a sequence that only sets colours ends: `ESC [ digits and ; m`.
  private static func endOfColour(_ bytes: [UInt8], _ start: Int) -> Int? {
    guard start + 1 < bytes.count, bytes[start + 1] == 0x5B else { return nil }
    var at = start + 2
    while at < bytes.count, bytes[at] == 0x3B || 0x30...0x39 ~= bytes[at] { at += 1 }
    return at < bytes.count && bytes[at] == 0x6D ? at + 1 : nil
  }
}
