// SPDX-License-Identifier: MIT

/// A source line as reports show it: cut around the place when it is long, a caret under it.
package enum SourceExcerpt {
  /// - Parameter column: 1-based, in UTF-16 units; 0 for no caret.
  package static func text(_ line: Substring, column: Int, _ style: Style) -> String {
    let units = Array(line.utf16)
    let place = min(column, units.count + 1)
    let start = place > 100 ? place - 60 : 0
    let piece = String(decoding: units[start..<min(units.count, start + 120)], as: UTF16.self)
    // Source text may hold escape sequences: they are shown, never obeyed.
    let text = DisplayText.printable(piece, keeps: "\t".unicodeScalars)
    guard column > 0 else { return text + "\n" }
    let before = String(decoding: units[start..<max(start, place - 1)], as: UTF16.self)
    let shown = DisplayText.printable(before, keeps: "\t".unicodeScalars)
    return text + "\n" + DisplayWidth.padding(below: shown) + style.red("^") + "\n"
  }
}
