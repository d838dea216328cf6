// SPDX-License-Identifier: MIT

/// Names in columns, as shells list files.
package enum NameTable {
  /// At most `limit` rows; the last tells how many names are left out.
  package static func rows(_ names: [String], columns: Int, limit: Int) -> [Screen.Row] {
    let width = max(1, min(columns, (names.map { TextWidth.of($0) }.max() ?? 1) + 2))
    let across = max(1, columns / width)
    let shown = names.prefix(names.count > across * limit ? across * max(0, limit - 1) : names.count)
    let height = (shown.count + across - 1) / across
    var rows = (0..<height).map { row in
      let cells = stride(from: row, to: shown.count, by: height).map { index in
        shown[index] + String(repeating: " ", count: max(0, width - TextWidth.of(shown[index])))
      }
      return cut(cells.joined(), columns)
    }
    if shown.count < names.count { rows.append(cut("... \(names.count - shown.count) more", columns)) }
    return rows
  }

  /// A row of a text, cut where the terminal ends.
  package static func cut(_ text: String, _ columns: Int) -> Screen.Row {
    var row = Screen.Row(text: "", width: 0)
    for shown in TextWidth.visible(text) {
      let character = shown == "\n" || shown == "\t" ? " " : shown
      let width = TextWidth.of(character)
      if row.width + width > columns { break }
      row.text.append(character)
      row.width += width
    }
    return row
  }
}
