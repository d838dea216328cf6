// SPDX-License-Identifier: MIT

internal import NBridgeTerminal

/// A text that is higher than the terminal, shown a screen at a time: what comes next, and what keys mean.
/// Knows no terminal.
struct Pager {
  /// What the person wants to see.
  enum Answer: Equatable {
    case screen, line, stop
  }

  private var lines: ArraySlice<Substring>
  private var columns: Int
  private var rows: Int

  /// Nil when the text fits.
  init?(_ text: String, columns: Int, rows: Int) {
    var lines = TextWidth.lines(text)[...]
    if lines.last == "" { lines.removeLast() }
    (self.lines, self.columns, self.rows) = (lines, columns, rows)
    guard lines.reduce(0, { $0 + height($1) }) > rows - 1 else { return nil }
  }

  /// The terminal has another size now.
  mutating func resize(columns: Int, rows: Int) { (self.columns, self.rows) = (columns, rows) }

  private func height(_ line: Substring) -> Int { max(1, (TextWidth.of(line) + columns - 1) / columns) }

  /// Whether all of it was shown.
  var isOver: Bool { lines.isEmpty }

  /// The lines that come next: as many as fit, or one.
  mutating func next(_ answer: Answer) -> String {
    var room = answer == .screen ? max(1, rows - 1) : 1
    var shown = ""
    while let line = lines.first, shown.isEmpty || height(line) <= room {
      shown += line + "\n"
      room -= height(line)
      lines.removeFirst()
    }
    return shown
  }

  /// What stands in the last row.
  var question: Screen.Row { NameTable.cut("-- \(lines.count) more lines: space, enter, q --", columns) }
  /// What is said when the rest is not shown.
  var farewell: String { "... \(lines.count) more lines\n" }

  /// What was typed so fast that it came at once, a character each.
  static func apart(_ keys: [Key]) -> [Key] {
    keys.flatMap { key -> [Key] in
      guard case .text(let text) = key else { return [key] }
      return text.map { .text(String($0)) }
    }
  }

  /// What a key means; nil for one that is none of the pager's: it ends it, and is the next entry's.
  static func answer(_ key: Key) -> Answer? {
    switch key {
    case .text(" "), .pageDown, .control("f"), .control("v"): .screen
    case .enter, .down, .control("n"), .text("j"): .line
    case .text("q"), .text("Q"), .escape, .control("d"), .control("g"): .stop
    default: nil
    }
  }
}
