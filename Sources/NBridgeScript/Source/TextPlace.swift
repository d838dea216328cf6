// SPDX-License-Identifier: MIT

/// A place in a text, as people and engines count: line and column from 1, the column in UTF-16 units.
struct TextPlace: Equatable {
  let line: Int
  let column: Int

  /// - Parameter offset: in bytes of UTF-8.
  init(_ offset: Int, in text: String) {
    let bytes = Array(text.utf8.prefix(offset))
    var (line, start) = (1, 0)
    for index in bytes.indices where bytes.endsLine(at: index) { (line, start) = (line + 1, index + 1) }
    self.line = line
    column = String(decoding: bytes[start...], as: UTF8.self).utf16.count + 1
  }

  /// Where a line's column is, in bytes of UTF-8; the text's end for a line that it does not have.
  static func offset(line: Int, column: Int, in text: String) -> Int {
    let bytes = Array(text.utf8)
    var (number, start) = (1, 0)
    while number < line, start < bytes.count {
      if bytes.endsLine(at: start) { number += 1 }
      start += 1
    }
    var units = 0
    var at = start
    for scalar in String(decoding: bytes[start...], as: UTF8.self).unicodeScalars {
      guard units < column - 1, scalar != "\n" else { break }
      units += UTF16.width(scalar)
      at += UTF8.width(scalar)
    }
    return at
  }
}
