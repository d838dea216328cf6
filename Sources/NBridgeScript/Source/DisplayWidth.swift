// SPDX-License-Identifier: MIT

internal import CNBridgeGLib

/// How many columns text takes on a terminal: two for wide characters (Unicode Standard Annex 11), none for
/// marks that sit on others. What would move the cursor is shown as something else first.
package enum DisplayWidth {
  package static func of(_ character: Character) -> Int {
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

  /// What stands below a text up to a place behind it: as wide, with its tabs.
  static func padding(below text: String) -> String {
    var padding = ""
    for character in text {
      padding += character == "\t" ? "\t" : String(repeating: " ", count: of(character))
    }
    return padding
  }
}
