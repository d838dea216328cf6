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

  /// An empty one.
  package init() {}

  /// The output that turns what is shown into `rows`, with the cursor at a place.
  package mutating func draw(_ next: [Row], cursorRow: Int, cursorColumn: Int) -> String {
    var output = ""
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
    return (cursor.row > 0 ? "\u{1B}[\(cursor.row)A" : "") + "\r\u{1B}[J"
  }

  /// The same after the terminal's width has changed, which makes rows fold anew.
  package mutating func erase(columns: Int) -> String {
    let above = rows.prefix(cursor.row).reduce(0) { $0 + max(1, ($1.width + columns - 1) / columns) }
    cursor.row = above + cursor.column / max(1, columns)
    return erase()
  }

  /// The output that leaves the rows where they are, with the cursor below them.
  package mutating func leave() -> String {
    defer { forget() }
    let output = move(toRow: max(0, rows.count - 1))
    return output + "\r\n"
  }

  /// Nothing of ours is shown any more.
  package mutating func forget() {
    rows = []
    cursor = (0, 0)
  }
}
