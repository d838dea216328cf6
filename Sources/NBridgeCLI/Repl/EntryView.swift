// SPDX-License-Identifier: MIT

internal import NBridgeTerminal

/// What a prompt shows while an entry is typed: its text in rows, below it names that fit and what the call
/// around the cursor wants; or a search.
struct EntryView {
  private(set) var rows: [Screen.Row] = []
  private(set) var cursorRow = 0
  private(set) var cursorColumn = 0
  private let colours: Bool

  init(
    _ editor: LineEditor, prompt: String, names: [String], hint: String?, _ size: (columns: Int, rows: Int),
    colours: Bool
  ) {
    self.colours = colours
    if let search = editor.search {
      show(search, size.columns)
      return
    }
    var below =
      names.isEmpty || size.rows < 3
      ? [] : NameTable.rows(names, columns: size.columns, limit: max(1, size.rows / 3))
    if size.rows > 3, let hint { below += hintRows(hint, size) }
    let text = editor.buffer.text
    let highlighter = colours ? Highlighter(text) : nil
    var layout = EntryLayout(
      prompt: editor.isComposing ? "" : prompt, continuation: editor.isComposing ? "" : "... ",
      columns: size.columns, height: max(1, size.rows - below.count - 1))
    layout.lay(editor.buffer) { highlighter?.style(at: $0) ?? "" }
    rows = layout.rows + below
    (cursorRow, cursorColumn) = (layout.cursorRow, layout.cursorColumn)
  }

  private mutating func show(_ search: LineEditor.Search, _ columns: Int) {
    let found = search.found?.replacing("\n", with: " ") ?? ""
    let label = "(search) \(TextWidth.visible(search.query))"
    rows = [NameTable.cut("\(label): \(TextWidth.visible(found))", columns)]
    cursorColumn = min(TextWidth.of(label), columns - 1)
  }

  private func hintRows(_ hint: String, _ size: (columns: Int, rows: Int)) -> [Screen.Row] {
    let rows = TextWidth.folded(hint, columns: size.columns - 1, indent: 2).split(separator: "\n")
    return rows.prefix(max(2, size.rows / 4)).map { dim(NameTable.cut(String($0), size.columns)) }
  }

  private func dim(_ row: Screen.Row) -> Screen.Row {
    colours ? Screen.Row(text: "\u{1B}[2m\(row.text)\u{1B}[0m", width: row.width) : row
  }
}
