// SPDX-License-Identifier: MIT

/// Writes source maps (ECMA-426).
enum SourceMapText {
  /// The map of a made text to one file.
  ///
  /// - Parameter place: the file's line and column, 1-based, of a place of the text that was edited; nil for
  ///   what nobody wrote.
  static func make(of text: EditedText, name: String, _ place: (Int) -> (line: Int, column: Int)?) -> String {
    var writer = Writer()
    var places = TextPlaces(text.text)
    var lexer = JSLexer(text.text)
    while true {
      let token = lexer.next()
      guard token.kind != .end else { break }
      let offset = token.range.lowerBound
      guard let from = text.exactPlace(of: offset), let found = place(from) else { continue }
      writer.add(places.place(offset), found)
    }
    return #"{"version":3,"sources":[\#(ValueText.quoted(name))],"names":[],"mappings":"\#(writer.text)"}"#
  }

  private struct Writer {
    private var made: [UInt8] = []
    private var (line, column) = (1, 0)
    private var last = (line: 1, column: 1)
    private var isFirst = true

    var text: String { String(decoding: made, as: UTF8.self) }

    mutating func add(_ place: (line: Int, column: Int), _ found: (line: Int, column: Int)) {
      while line < place.line {
        made.append(UInt8(ascii: ";"))
        (line, column, isFirst) = (line + 1, 0, true)
      }
      if !isFirst { made.append(UInt8(ascii: ",")) }
      isFirst = false
      number(place.column - 1 - column)
      number(0)
      number(found.line - last.line)
      number(found.column - last.column)
      column = place.column - 1
      last = found
    }

    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private mutating func number(_ value: Int) {
      var left = value < 0 ? -value << 1 | 1 : value << 1
      repeat {
        let digit = left & 31
        left >>= 5
        made.append(Self.digits[left > 0 ? digit | 32 : digit])
      } while left > 0
    }
  }
}
