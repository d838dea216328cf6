// SPDX-License-Identifier: MIT

/// Text of scripts and of other strangers as a terminal or a report may get it.
package enum DisplayText {
  /// What is not let through.
  package enum Hidden: Sendable {
    /// Control characters.
    case controls
    /// Those, ends of lines and paragraphs, and marks that turn the direction.
    case steering
    /// All that is not seen itself: those, marks of every kind, and what has no meaning (private use).
    case unseen
  }

  /// What stands in its place.
  package enum Form: Sendable {
    /// U+FFFD.
    case mark
    /// Its picture, as U+240A for a line feed (U+2400 and on); else U+FFFD.
    case picture
    /// As JavaScript writes it: `\x1B`.
    case escape
    /// By its number: `\u{1b}`.
    case number
  }

  /// The text without what is hidden, but for the characters of `kept`.
  package static func printable(
    _ text: some StringProtocol, _ hidden: Hidden = .steering, as form: Form = .mark,
    keeps kept: String.UnicodeScalarView = "".unicodeScalars
  ) -> String {
    let isShown = { (scalar: Unicode.Scalar) in !hides(scalar, hidden) || kept.contains(scalar) }
    guard !text.unicodeScalars.allSatisfy(isShown) else { return String(text) }
    var shown = ""
    for scalar in text.unicodeScalars {
      if isShown(scalar) { shown.unicodeScalars.append(scalar) } else { shown += sign(scalar, form) }
    }
    return shown
  }

  private static func hides(_ scalar: Unicode.Scalar, _ hidden: Hidden) -> Bool {
    // Most text is nothing else.
    if 0x20..<0x7F ~= scalar.value { return false }
    if scalar.value < 0xA0 { return true }
    switch hidden {
    case .controls: return false
    case .steering: return 0x2028...0x202E ~= scalar.value || 0x2066...0x2069 ~= scalar.value
    case .unseen:
      return switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: true
      default: false
      }
    }
  }

  private static func sign(_ scalar: Unicode.Scalar, _ form: Form) -> String {
    let digits = String(scalar.value, radix: 16)
    switch form {
    case .mark: return "\u{FFFD}"
    case .picture:
      let picture = scalar.value < 0x20 ? 0x2400 + scalar.value : scalar.value == 0x7F ? 0x2421 : 0xFFFD
      return String(String.UnicodeScalarView([Unicode.Scalar(picture) ?? "\u{FFFD}"]))
    case .escape: return "\\x" + (digits.count < 2 ? "0" : "") + digits.uppercased()
    case .number: return "\\u{\(digits)}"
    }
  }
}
