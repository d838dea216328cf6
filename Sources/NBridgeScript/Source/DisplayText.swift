// SPDX-License-Identifier: MIT

/// Text of scripts as a terminal may get it.
enum DisplayText {
  /// Without what a terminal would obey: control characters, line ends, and marks that turn the direction.
  static func printable(_ text: String) -> String {
    var shown = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let obeyed =
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
      shown.append(obeyed ? "\u{FFFD}" : scalar)
    }
    return String(shown)
  }
}
