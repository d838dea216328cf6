// SPDX-License-Identifier: MIT

import NBridgeTerminal
import TestSupport
import Testing

/// The bytes that a screen sends leave the text on a terminal that was to be shown.
@Suite struct ScreenTests {
  /// Without the empty rows at the end, which a terminal has anyhow.
  private static func trimmed(_ rows: [String]) -> [String] {
    Array(rows.reversed().drop { $0.isEmpty }.reversed())
  }

  /// Not `ESC [ J` in the first column: where that is the screen's first place, tmux keeps a copy of it.
  private static let clear = "\r\u{1B}[K\u{1B}[C\u{1B}[J\r"

  private func rows(_ texts: [String]) -> [Screen.Row] { texts.map { Screen.Row(text: $0, width: $0.count) } }

  @Test(arguments: 0..<60)
  func aTerminalShowsTheRowsWithTheCursorAtItsPlace(_ seed: Int) {
    var dice = SeededGenerator(seed: seed)
    var terminal = PaperTerminal(columns: 20, height: 12)
    var screen = Screen()
    var above: [String] = []
    for step in 0..<60 {
      let count = 1 + dice.below(6)
      let texts = (0..<count).map { _ in
        dice.pick([
          "", "a", "bb", "same", "longer row", "twenty columns wide!",
        ])
      }
      let (row, column) = (dice.below(count), dice.below(20))
      terminal.write(screen.draw(rows(texts), cursorRow: row, cursorColumn: column))
      #expect(Self.trimmed(terminal.all) == Self.trimmed(above + texts), "seed \(seed), step \(step)")
      #expect(terminal.row == above.count + row && terminal.column == column, "seed \(seed), step \(step)")
      switch dice.below(6) {
      case 0:
        terminal.write(screen.leave())
        above += texts
      case 1:
        // Something printed above the prompt.
        terminal.write(screen.erase() + "printed\r\n")
        above.append("printed")
      default: break
      }
    }
    #expect(terminal.unknown.isEmpty)
  }

  @Test func rowsThatDidNotChangeAreNotSentAgain() {
    var screen = Screen()
    _ = screen.draw(rows(["one", "two", "three"]), cursorRow: 0, cursorColumn: 0)
    let output = screen.draw(rows(["one", "TWO", "three"]), cursorRow: 0, cursorColumn: 2)
    #expect(!output.contains("one") && output.contains("TWO") && !output.contains("three"))
    #expect(screen.draw(rows(["one", "TWO", "three"]), cursorRow: 0, cursorColumn: 2) == "\r\u{1B}[2C")
  }

  @Test func aRowWithOtherColoursIsSent() {
    var screen = Screen()
    _ = screen.draw([Screen.Row(text: "x", width: 1)], cursorRow: 0, cursorColumn: 0)
    let output = screen.draw(
      [Screen.Row(text: "\u{1B}[31mx\u{1B}[0m", width: 1)], cursorRow: 0, cursorColumn: 0
    )
    #expect(output.contains("\u{1B}[31mx"))
  }

  @Test func whatIsForgottenIsDrawnAnew() {
    var screen = Screen()
    _ = screen.draw(rows(["one"]), cursorRow: 0, cursorColumn: 0)
    screen.forget()
    #expect(screen.draw(rows(["one"]), cursorRow: 0, cursorColumn: 0).contains("one"))
    #expect(screen.erase() == Self.clear && screen.erase() == Self.clear)
  }

  @Test(arguments: [
    // Widths of the rows, the cursor's row, the new width, how far up the first row is then.
    ([10, 10], 1, 20, 1), ([10, 10], 1, 5, 2), ([0, 3], 1, 10, 1), ([25, 3], 1, 10, 3), ([20, 3], 1, 10, 2),
    ([5], 0, 10, 0), ([40, 40, 1], 2, 10, 8),
  ])
  func rowsThatAnotherWidthHasFoldedAreErased(_ widths: [Int], _ row: Int, _ columns: Int, _ up: Int) {
    var screen = Screen()
    let rows = widths.map { Screen.Row(text: String(repeating: "x", count: $0), width: $0) }
    _ = screen.draw(rows, cursorRow: row, cursorColumn: 0, columns: 40)
    #expect(screen.isStale(columns: 39) && !screen.isStale(columns: 40))
    #expect(screen.refit(columns: columns, row: nil) == (up > 0 ? "\u{1B}[\(up)A" : "") + Self.clear)
    #expect(screen.refit(columns: columns, row: nil) == "")
  }

  @Test func theCursorsOwnRowMayBeFoldedToo() {
    var screen = Screen()
    _ = screen.draw(
      [Screen.Row(text: String(repeating: "x", count: 30), width: 30)], cursorRow: 0, cursorColumn: 25
    )
    #expect(screen.refit(columns: 10, row: nil) == "\u{1B}[2A" + Self.clear)
  }

  /// Behind the last column the cursor waits on the row that is full.
  @Test func aCursorBehindTheLastColumnIsStillOnItsRow() {
    var screen = Screen()
    _ = screen.draw(
      [Screen.Row(text: String(repeating: "x", count: 40), width: 40)], cursorRow: 0, cursorColumn: 40
    )
    #expect(screen.refit(columns: 20, row: nil) == "\u{1B}[1A" + Self.clear)
  }

  private func row(_ width: Int) -> Screen.Row {
    Screen.Row(text: String(repeating: "x", count: width), width: width)
  }

  /// What a small terminal has moved out at its top is taken away when a larger one brings it back. The first
  /// row that was drawn anew goes on where the line above it was cut.
  @Test func rowsThatWereMovedOutAreTakenAwayWhenTheyComeBack() {
    var screen = Screen()
    _ = screen.draw([row(40), row(10)], cursorRow: 1, cursorColumn: 5, columns: 40)
    #expect(screen.refit(columns: 20, row: 1) == "\u{1B}[1A" + Self.clear)
    _ = screen.draw([row(20), row(20), row(10)], cursorRow: 2, cursorColumn: 5, columns: 20)
    #expect(screen.refit(columns: 40, row: 9) == "\u{1B}[2A" + Self.clear)
    // Nothing is left of it now.
    _ = screen.draw([row(40), row(10)], cursorRow: 1, cursorColumn: 5, columns: 40)
    #expect(screen.refit(columns: 40, row: 9) == "\u{1B}[1A" + Self.clear)
  }

  @Test func wholeLinesThatWereMovedOutAreKnownToo() {
    var screen = Screen()
    _ = screen.draw([row(40), row(40), row(10)], cursorRow: 2, cursorColumn: 0, columns: 40)
    #expect(screen.refit(columns: 20, row: 1) == "\u{1B}[1A" + Self.clear)
    _ = screen.draw([row(20), row(20), row(5)], cursorRow: 0, cursorColumn: 7, columns: 20)
    #expect(screen.refit(columns: 40, row: 5) == "\u{1B}[1A" + Self.clear)
    // What is left where it is belongs to the terminal.
    _ = screen.draw([row(20)], cursorRow: 0, cursorColumn: 7, columns: 40)
    #expect(screen.refit(columns: 20, row: 0) == Self.clear)
    _ = screen.draw([row(20)], cursorRow: 0, cursorColumn: 7, columns: 20)
    _ = screen.leave()
    #expect(screen.refit(columns: 40, row: 3) == "")
  }
}

/// A text in rows.
@Suite struct EntryLayoutTests {
  static let parts = [
    "a", "bc", " ", "\n", "é", "e\u{301}", "日", "👍🏽", "👩‍👩‍👧", "🇩🇪", "\t", "\u{7}", "\u{9B}", "word",
  ]

  private func layout(
    _ buffer: EditBuffer, columns: Int, height: Int, _ colour: (Int) -> String = { _ in "" }
  )
    -> EntryLayout
  {
    var layout = EntryLayout(prompt: "> ", continuation: "... ", columns: columns, height: height)
    layout.lay(buffer, colour: colour)
    return layout
  }

  private func shown(_ character: Character) -> String {
    character == "\t" ? "  " : TextWidth.visible(String(character))
  }

  /// Rows are never wider than the terminal, say truly how wide they are, and hold the whole text.
  @Test(arguments: 0..<60)
  func theRowsAreTheText(_ seed: Int) {
    var dice = SeededGenerator(seed: seed)
    var buffer = EditBuffer(dice.text(of: Self.parts, count: dice.below(60)))
    buffer.move(to: dice.below(buffer.characters.count + 1))
    let columns = 5 + dice.below(30)
    let layout = layout(buffer, columns: columns, height: 1000)
    for row in layout.rows { #expect(row.width == TextWidth.of(row.text) && row.width <= columns, "\(row)") }
    var expected = "> "
    for character in buffer.characters { expected += character == "\n" ? "... " : shown(character) }
    #expect(layout.rows.map(\.text).joined() == expected, "seed \(seed)")
  }

  /// The cursor stands behind all that is in front of it.
  @Test(arguments: 0..<60)
  func theCursorStandsBehindTheTextBeforeIt(_ seed: Int) {
    var dice = SeededGenerator(seed: seed)
    var buffer = EditBuffer(dice.text(of: Self.parts, count: 40))
    let columns = 6 + dice.below(20)
    for place in 0...buffer.characters.count {
      buffer.move(to: place)
      let layout = layout(buffer, columns: columns, height: 1000)
      #expect(layout.rows.indices.contains(layout.cursorRow) && 0..<columns ~= layout.cursorColumn)
      var before = "> "
      for character in buffer.characters[..<place] { before += character == "\n" ? "... " : shown(character) }
      let rows = layout.rows[..<layout.cursorRow].map(\.text).joined()
      let width = TextWidth.of(before) - TextWidth.of(rows)
      #expect(width == layout.cursorColumn, "seed \(seed), place \(place)")
    }
  }

  /// Colours are asked for by the byte at which a character begins, also where lines above are left out.
  @Test(arguments: 0..<30)
  func coloursAreAskedForByBytes(_ seed: Int) {
    var dice = SeededGenerator(seed: seed)
    var buffer = EditBuffer(dice.text(of: Self.parts + ["\n", "\n"], count: 80))
    buffer.move(to: dice.below(buffer.characters.count + 1))
    var at = 0
    var starts: [Int: Character] = [:]
    for character in buffer.characters {
      starts[at] = character
      at += character.utf8.count
    }
    var asked: [Int] = []
    let layout = layout(buffer, columns: 12, height: 3) {
      asked.append($0)
      return ""
    }
    #expect(layout.rows.count <= 3)
    #expect(asked.allSatisfy { starts[$0] != nil && starts[$0] != "\n" }, "seed \(seed)")
    #expect(asked == asked.sorted() && Set(asked).count == asked.count)
  }

  @Test func coloursEndWithTheirRow() {
    let buffer = EditBuffer("abcdef")
    let layout = layout(buffer, columns: 5, height: 10) { $0 < 5 ? "31" : "" }
    #expect(
      layout.rows.map(\.text) == ["> \u{1B}[0;31mabc\u{1B}[0m", "\u{1B}[0;31mde\u{1B}[0mf"]
        && layout.rows.map(\.width) == [5, 3])
  }

  @Test(arguments: [
    // Text, columns, rows, cursor's row and column at the end.
    ("", 10, ["> "], 0, 2), ("abc", 5, ["> abc", ""], 1, 0), ("abcd", 5, ["> abc", "d"], 1, 1),
    ("ab日", 5, ["> ab", "日"], 1, 2), ("a\n", 10, ["> a", "... "], 1, 4),
    ("\n\n", 10, ["> ", "... ", "... "], 2, 4),
    ("a\tb", 10, ["> a  b"], 0, 6), ("\u{1B}", 10, ["> ^["], 0, 4),
  ])
  func textsAreFolded(_ text: String, _ columns: Int, _ rows: [String], _ row: Int, _ column: Int) {
    let layout = layout(EditBuffer(text), columns: columns, height: 10)
    #expect(layout.rows.map(\.text) == rows && layout.cursorRow == row && layout.cursorColumn == column)
  }

  /// The rows around the cursor are shown of a high text, as many as there is room for.
  @Test(arguments: [0, 1, 10, 25, 48, 49])
  func theCursorIsAlwaysSeen(_ line: Int) {
    var buffer = EditBuffer((0..<50).map { "line \($0)" }.joined(separator: "\n"))
    let place = buffer.text.split(separator: "\n").prefix(line).reduce(0) { $0 + $1.count + 1 }
    buffer.move(to: place)
    for height in 1...7 {
      let layout = layout(buffer, columns: 30, height: height)
      #expect(layout.rows.count == height)
      #expect(layout.rows[layout.cursorRow].text.hasSuffix("line \(line)"))
    }
  }

  @Test func nothingBreaksInTheSmallestTerminal() {
    let layout = layout(EditBuffer("日本語 👩‍👩‍👧"), columns: 0, height: 0)
    #expect(layout.rows.count == 1 && layout.columns == 1)
  }

  /// Where there is no room for a prompt or a wide character, rows are still not wider than the terminal.
  @Test(arguments: [
    (1, ["a", "b", "?", "?", "c", ""], 5, 0), (2, ["ab", "日", "  ", "c"], 3, 1),
    (3, ["> a", "b日", "  c", ""], 3, 0), (4, ["> ab", "日  ", "c"], 2, 1),
  ])
  func aNarrowTerminalShowsTheText(_ columns: Int, _ rows: [String], _ row: Int, _ column: Int) {
    let layout = layout(EditBuffer("ab日\tc"), columns: columns, height: 20)
    #expect(layout.rows.allSatisfy { $0.width <= columns }, "\(layout.rows)")
    #expect(layout.rows.map(\.text) == rows && layout.cursorRow == row && layout.cursorColumn == column)
  }
}
