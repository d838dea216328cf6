// SPDX-License-Identifier: MIT

/// Lays a text of several lines out in rows: prompts in front, colours inside, folded at the terminal's
/// width, and of a text that is higher than the terminal the part around the cursor.
package struct EntryLayout {
  private let prompt: String
  private let continuation: String
  package let columns: Int
  /// How many rows there are for the text.
  private let height: Int

  package private(set) var rows: [Screen.Row] = []
  package private(set) var cursorRow = 0
  package private(set) var cursorColumn = 0

  package init(prompt: String, continuation: String, columns: Int, height: Int) {
    self.columns = max(1, columns)
    // What leaves no room for the text is left out.
    self.prompt = TextWidth.of(prompt) < columns ? prompt : ""
    self.continuation = TextWidth.of(continuation) < columns ? continuation : ""
    self.height = max(1, height)
  }

  /// `colour` answers the style of the character that begins at a byte of the text: the parameters of an SGR
  /// sequence, empty for none.
  package mutating func lay(_ buffer: EditBuffer, colour: (Int) -> String) {
    rows = []
    let window = lines(around: buffer)
    var byte = window.byte
    var at = window.range.lowerBound
    var isFirst = window.isFirst
    repeat {
      let end =
        buffer.characters[at..<window.range.upperBound].firstIndex(of: "\n") ?? window.range.upperBound
      lay(line: at..<end, of: buffer, prefix: isFirst ? prompt : continuation, byte: &byte, colour: colour)
      isFirst = false
      byte += 1
      at = end + 1
    } while at <= window.range.upperBound
    crop()
  }

  /// The lines that could be seen, so that a long text costs no more than a screen of it.
  private func lines(around buffer: EditBuffer) -> (range: Range<Int>, byte: Int, isFirst: Bool) {
    let characters = buffer.characters
    var start = buffer.lineRange.lowerBound
    var end = buffer.lineRange.upperBound
    for _ in 0..<height {
      if start > 0 { start = characters[..<(start - 1)].lastIndex(of: "\n").map { $0 + 1 } ?? 0 }
      if end < characters.count { end = characters[(end + 1)...].firstIndex(of: "\n") ?? characters.count }
    }
    let byte = characters[..<start].reduce(0) { $0 + $1.utf8.count }
    return (start..<end, byte, start == 0)
  }

  private mutating func lay(
    line: Range<Int>, of buffer: EditBuffer, prefix: String, byte: inout Int, colour: (Int) -> String
  ) {
    var row = Screen.Row(text: prefix, width: TextWidth.of(prefix))
    var style = ""
    for index in line {
      let character = buffer.characters[index]
      let shown = shown(character)
      let width = TextWidth.of(shown)
      if row.width + width > columns { fold(&row, &style) }
      if index == buffer.cursor { (cursorRow, cursorColumn) = (rows.count, row.width) }
      let next = colour(byte)
      if next != style {
        row.text += next.isEmpty ? "\u{1B}[0m" : "\u{1B}[0;\(next)m"
        style = next
      }
      row.text += shown
      row.width += width
      byte += character.utf8.count
    }
    if buffer.cursor == line.upperBound {
      if row.width >= columns { fold(&row, &style) }
      (cursorRow, cursorColumn) = (rows.count, row.width)
    }
    if !style.isEmpty { row.text += "\u{1B}[0m" }
    rows.append(row)
  }

  /// In a terminal that is narrower than a character, something else stands for it.
  private func shown(_ character: Character) -> String {
    let shown = character == "\t" ? "  " : TextWidth.visible(String(character))
    return TextWidth.of(shown) > columns ? "?" : shown
  }

  private mutating func fold(_ row: inout Screen.Row, _ style: inout String) {
    if !style.isEmpty { row.text += "\u{1B}[0m" }
    rows.append(row)
    row = Screen.Row(text: "", width: 0)
    style = ""
  }

  private mutating func crop() {
    guard rows.count > height else { return }
    let start = min(max(0, cursorRow - height / 2), rows.count - height)
    rows = Array(rows[start..<start + height])
    cursorRow -= start
  }
}
