// SPDX-License-Identifier: MIT

/// Text that comes from others, made so that a terminal shows it and obeys nothing of it.
package enum VisibleText {
  /// - Parameter keepsLines: whether line feeds stay; else they are shown, too.
  package static func of(_ text: String, keepsLines: Bool = false) -> String {
    guard text.utf8.contains(where: isSuspicious) else { return text }
    var shown = ""
    shown.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars { append(scalar, to: &shown, keepsLines) }
    return shown
  }

  /// Bytes of which something may have to be replaced.
  private static func isSuspicious(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F || byte >= 0x80 }

  private static func append(_ scalar: Unicode.Scalar, to shown: inout String, _ keepsLines: Bool) {
    switch scalar.value {
    case 0x0A: shown.unicodeScalars.append(keepsLines ? scalar : "\u{23CE}")
    case 0x09: shown += "  "
    case 0..<0x20: shown.unicodeScalars.append(Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}")
    case 0x7F: shown.unicodeScalars.append("\u{2421}")
    // Controls of the second kind; marks that change directions (Unicode 15, 9: "Bidirectional Algorithm");
    // line and paragraph separators; invisible characters (Unicode's "Default_Ignorable_Code_Point", without
    // U+FE00 to U+FE0F, which make pictures of signs).
    case 0x80..<0xA0, 0xAD, 0x34F, 0x61C, 0x115F...0x1160, 0x17B4...0x17B5, 0x180B...0x180F, 0x200B...0x200F,
      0x2028...0x202E, 0x2060...0x206F, 0x2800, 0x3164, 0xFEFF, 0xFFA0, 0xFFF0...0xFFFB, 0x1BCA0...0x1BCA3,
      0x1D173...0x1D17A, 0xE0000...0xE0FFF:
      shown += "<U+" + String(scalar.value, radix: 16, uppercase: true) + ">"
    default: shown.unicodeScalars.append(scalar)
    }
  }
}
