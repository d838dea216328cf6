// SPDX-License-Identifier: MIT

import NBridgeTerminal
import Testing

/// How many columns text takes, and what of it may reach a terminal.
@Suite struct TextWidthTests {
  @Test(arguments: [
    ("abc", 3), ("", 0), ("ä", 1), ("e\u{301}", 1), ("日本", 4), ("👍", 2), ("👩‍👩‍👧", 2), ("🇩🇪", 2), ("❤️", 2),
    ("👍🏽", 2),
    ("\u{7}", 0),
  ])
  func textTakesItsColumns(_ text: String, _ columns: Int) {
    #expect(TextWidth.of(text) == columns)
  }

  @Test(arguments: [
    ("plain", "plain"), ("a\u{1B}]0;title\u{7}", "a^[]0;title^G"), ("\u{9B}2J", "\u{FFFD}2J"),
    ("\u{7F}", "^?"),
    ("two\nlines\t", "two\nlines\t"), ("\u{1B}[31mred", "^[[31mred"),
    ("a\u{202E}b\u{2066}c\u{2069}", "a<U+202E>b<U+2066>c<U+2069>"),
    ("a\u{2028}b\u{2029}", "a<U+2028>b<U+2029>"),
    ("“a…” – \u{200E}b", "“a…” – \u{200E}b"), ("\u{202A}", "<U+202A>"),
    ("\u{2027}\u{202F}", "\u{2027}\u{202F}"),
    ("\u{2065}\u{206A}", "\u{2065}\u{206A}"),
  ])
  func whatWouldSteerATerminalIsShown(_ text: String, _ shown: String) {
    #expect(TextWidth.visible(text) == shown)
  }

  @Test(arguments: [
    ("\u{1B}[31mred\u{1B}[0m", "\u{1B}[31mred\u{1B}[0m"), ("\u{1B}[5mblinks", "^[[5mblinks"),
    ("\u{1B}[38;5;7mgrey", "\u{1B}[38;5;7mgrey"), ("\u{1B}[2Jclears", "^[[2Jclears"),
    (
      "\u{1B}[8mhidden", "^[[8mhidden"
    ),
  ])
  func coloursMayStayAndNothingElse(_ text: String, _ shown: String) {
    #expect(TextWidth.visible(text, keepsColours: true) == shown)
  }

  @Test func noColourOutlivesItsText() {
    #expect(TextWidth.printable("\u{1B}[31mred\n", colours: true) == "\u{1B}[31mred\u{1B}[0m\n")
    #expect(TextWidth.printable("plain\n", colours: true) == "plain\n")
  }

  @Test func linesAreFoldedBetweenWords() {
    #expect(TextWidth.folded("one two three four", columns: 9, indent: 2) == "one two\n  three\n  four")
    #expect(TextWidth.folded("short", columns: 9) == "short")
  }

  @Test func namesStandInColumnsAndSayHowManyAreLeftOut() {
    let names = (1...30).map { "name\($0)" }
    let rows = NameTable.rows(names, columns: 40, limit: 3)
    #expect(rows.count == 3 && rows[2].text.hasSuffix("more") && rows.allSatisfy { $0.width <= 40 })
    #expect(NameTable.rows([], columns: 40, limit: 3).isEmpty)
  }

  @Test func aScreenSendsOnlyTheRowsThatChanged() {
    var screen = Screen()
    let row = { (text: String) in Screen.Row(text: text, width: text.count) }
    #expect(screen.draw([row("one"), row("two")], cursorRow: 1, cursorColumn: 3).contains("one"))
    let second = screen.draw([row("one"), row("three")], cursorRow: 1, cursorColumn: 5)
    #expect(!second.contains("one") && second.contains("three"))
  }

  @Test func aTextHigherThanTheScreenShowsThePartAroundTheCursor() {
    var layout = EntryLayout(prompt: "> ", continuation: "| ", columns: 20, height: 4)
    let buffer = EditBuffer((1...50).map { "line \($0)" }.joined(separator: "\n"))
    layout.lay(buffer) { _ in "" }
    #expect(layout.rows.count == 4 && layout.rows[layout.cursorRow].text.contains("line 50"))
  }
}
