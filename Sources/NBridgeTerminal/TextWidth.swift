// SPDX-License-Identifier: MIT

internal import NBridgeScript

/// How many columns text takes on a terminal: two for wide characters (Unicode Standard Annex 11), none for
/// marks that sit on others. What would move the cursor is shown as something else first.
package enum TextWidth {
  package static func of(_ character: Character) -> Int { DisplayWidth.of(character) }

  package static func of(_ text: some StringProtocol) -> Int { text.reduce(0) { $0 + of($1) } }

  /// The text with escape sequences and other control characters made visible, and with what changes the
  /// order in which it is read (Unicode Standard Annex 9); colours may stay. Line ends become line feeds: a
  /// return in front of one moves nothing.
  package static func visible(_ text: String, keepsColours: Bool = false) -> String {
    let mayHide = { (byte: UInt8) in
      byte < 0x20 && byte != 0x0A && byte != 0x09 || byte == 0x7F || byte == 0xC2 || byte == 0xE2
    }
    guard text.utf8.contains(where: mayHide) else { return text }
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
      case 0x0D where at + 1 < bytes.count && bytes[at + 1] == 0x0A: break
      case 0..<0x20, 0x7F: shown += [0x5E, byte ^ 0x40]
      // U+0080 to U+009F: the control characters of eight bits.
      case 0xC2 where at + 1 < bytes.count && bytes[at + 1] < 0xA0:
        shown += [0xEF, 0xBF, 0xBD]
        at += 1
      case 0xE2:
        if let number = ordering(bytes, at) {
          shown += Array("<U+\(String(number, radix: 16, uppercase: true))>".utf8)
          at += 2
        } else {
          shown.append(byte)
        }
      default: shown.append(byte)
      }
      at += 1
    }
    return String(decoding: shown, as: UTF8.self)
  }

  /// The number of a character that begins or ends a run of another direction, or ends a line or paragraph:
  /// U+2028 to U+202E, U+2066 to U+2069.
  private static func ordering(_ bytes: [UInt8], _ start: Int) -> Int? {
    guard start + 2 < bytes.count else { return nil }
    switch (bytes[start + 1], bytes[start + 2]) {
    case (0x80, 0xA8...0xAE): return 0x2000 + Int(bytes[start + 2] & 0x3F)
    case (0x81, 0xA6...0xA9): return 0x2040 + Int(bytes[start + 2] & 0x3F)
    default: return nil
    }
  }

  /// Text as it may go to the terminal: nothing in it does anything but colour, and no colour outlives it.
  package static func printable(_ text: String, colours: Bool) -> String {
    let shown = visible(text, keepsColours: colours)
    guard shown.utf8.contains(0x1B) else { return shown }
    return shown.hasSuffix("\n") ? shown.dropLast() + "\u{1B}[0m\n" : shown + "\u{1B}[0m"
  }

  /// Text whose lines are folded between words; what is folded begins in column `indent`.
  package static func folded(_ text: String, columns: Int, indent: Int = 0) -> String {
    lines(text).map { fold($0, max(8, columns), indent).joined(separator: "\n") }.joined(separator: "\n")
  }

  /// The lines of a text, as any system ends them: a return and a line feed are one character.
  package static func lines(_ text: String) -> [Substring] {
    text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
  }

  private static func fold(_ line: Substring, _ columns: Int, _ indent: Int) -> [String] {
    guard of(line) > columns else { return [String(line)] }
    let margin = String(repeating: " ", count: indent <= columns / 2 ? indent : 4)
    var rows: [String] = []
    var row: String?
    for word in line.split(separator: " ", omittingEmptySubsequences: false) {
      let longer = row.map { "\($0) \(word)" } ?? String(word)
      if let row, of(longer) > columns, row.contains(where: { $0 != " " }) { rows.append(row) }
      row = of(longer) > columns && row?.contains { $0 != " " } == true ? margin + word : longer
    }
    return rows + (row.map { [$0] } ?? [])
  }

  /// Where a sequence that only sets colours ends: `ESC [ digits and ; m`. Blinking, swapped and hidden text
  /// (ECMA-48, 8.3.117: 5 to 8) is no colour.
  private static func endOfColour(_ bytes: [UInt8], _ start: Int) -> Int? {
    guard start + 1 < bytes.count, bytes[start + 1] == 0x5B else { return nil }
    var at = start + 2
    while at < bytes.count, bytes[at] == 0x3B || 0x30...0x39 ~= bytes[at] { at += 1 }
    guard at < bytes.count, bytes[at] == 0x6D else { return nil }
    let numbers = bytes[(start + 2)..<at].split(separator: 0x3B).map {
      Int(String(decoding: $0, as: UTF8.self)) ?? 99
    }
    // Behind 38 and 48 stand the numbers of a colour.
    let own = numbers.prefix { $0 != 38 && $0 != 48 }
    return own.contains { 5...8 ~= $0 || $0 > 107 } ? nil : at + 1
  }
}
