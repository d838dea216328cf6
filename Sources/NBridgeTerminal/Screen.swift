// SPDX-License-Identifier: MIT

/// Rows at the bottom of what a terminal shows, kept as they should be with as little output as possible.
///
/// The rows begin where the cursor stood when the first of them was drawn; what scrolls out above is the
/// terminal's.
package struct Screen {
  /// One row: its text with colours, and how many columns that takes.
  package struct Row: Equatable {
    package var text: String
    package var width: Int

    package init(text: String, width: Int) { (self.text, self.width) = (text, width) }
  }

  private var rows: [Row] = []
  private var cursor = (row: 0, column: 0)
  /// How wide the terminal was when they were drawn.
  private var columns = 0
  /// Rows of ours that a smaller terminal has moved out at its top, where nothing can be taken away: the
  /// widths of the lines, and how much of the line is there whose rest was drawn anew. A larger terminal
  /// takes them back.
  private var hidden: [Int] = []
  private var lead = 0

  /// An empty one.
  package init() {}

  /// The output that turns what is shown into `rows`, with the cursor at a place.
  package mutating func draw(_ next: [Row], cursorRow: Int, cursorColumn: Int, columns: Int = 0) -> String {
    var output = ""
    self.columns = columns
    for (index, row) in next.enumerated() where index >= rows.count || rows[index] != row {
      output += move(toRow: index)
      output += "\r\u{1B}[K" + row.text
      cursor = (index, row.width)
    }
    if rows.count > next.count {
      output += move(toRow: next.count) + "\r\u{1B}[J"
      cursor.column = 0
    }
    rows = next
    output += move(toRow: cursorRow) + "\r" + (cursorColumn > 0 ? "\u{1B}[\(cursorColumn)C" : "")
    cursor = (cursorRow, cursorColumn)
    return output
  }

  /// Down by line ends, which make rows where there are none yet.
  private mutating func move(toRow row: Int) -> String {
    defer { cursor.row = row }
    if row < cursor.row { return "\u{1B}[\(cursor.row - row)A" }
    let known = max(cursor.row, min(row, rows.count - 1))
    let down = known > cursor.row ? "\u{1B}[\(known - cursor.row)B" : ""
    return down + String(repeating: "\n", count: row - known)
  }

  /// The output that takes the rows away and leaves the cursor where they began.
  package mutating func erase() -> String {
    defer { forget() }
    return (cursor.row > 0 ? "\u{1B}[\(cursor.row)A" : "") + Self.clear
  }

  /// Clears from the first column of a row to the end of the screen. Not at once: of a screen that is cleared
  /// from its first place on, tmux keeps a copy among the lines above.
  private static let clear = "\r\u{1B}[K\u{1B}[C\u{1B}[J\r"

  /// Whether rows are shown that were drawn at another width.
  package func isStale(columns: Int) -> Bool { !rows.isEmpty && columns != self.columns }

  /// The output that takes the rows away after the terminal has got another size, which makes them fold anew.
  ///
  /// - Parameter row: the terminal's row with the cursor, from 0; nil when the terminal does not tell.
  package mutating func refit(columns: Int, row: Int?) -> String {
    guard let first = rows.first else { return "" }
    let lines = hidden + [lead + first.width] + rows.dropFirst().map(\.width)
    let own = hidden.count + cursor.row
    let offset = cursor.column + (cursor.row == 0 ? lead : 0)
    // A cursor behind the last column waits there for the next character.
    let isBehind = offset > 0 && offset % columns == 0 && offset == lines[own]
    let above = lines[..<own].reduce(offset / columns) { $0 + Self.height($1, columns) } - (isBehind ? 1 : 0)
    let up = min(above, row ?? above)
    forget()
    self.columns = columns
    hide(lines, above - up, columns)
    return (up > 0 ? "\u{1B}[\(up)A" : "") + Self.clear
  }

  private static func height(_ width: Int, _ columns: Int) -> Int { max(1, (width + columns - 1) / columns) }

  /// Notes the lines that are on the rows above the first that is seen.
  private mutating func hide(_ lines: [Int], _ count: Int, _ columns: Int) {
    var count = count
    for line in lines where count > 0 {
      let height = Self.height(line, columns)
      if height <= count { hidden.append(line) } else { lead = count * columns }
      count -= height
    }
  }

  /// The output that leaves the rows where they are, with the cursor below them.
  package mutating func leave() -> String {
    defer { forget() }
    let output = move(toRow: max(0, rows.count - 1))
    return output + "\r\n"
  }

  /// Nothing of ours is shown any more.
  package mutating func forget() {
    (rows, hidden, lead) = ([], [], 0)
    cursor = (0, 0)
  }
}
