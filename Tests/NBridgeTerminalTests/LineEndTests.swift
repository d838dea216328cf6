// SPDX-License-Identifier: MIT

import NBridgeTerminal
import TestSupport
import Testing

/// Text for a terminal: its line ends, folds, tables and colours.
@Suite struct LineEndTests {
  static let ends = [
    ("a\nb", ["a", "b"]), ("a\r\nb", ["a", "b"]), ("a\r\n\r\nb\n", ["a", "", "b", ""]), ("", [""]),
    ("\r\n", ["", ""]),
    ("a\rb", ["a\rb"]), ("x\u{301}\r\n", ["x\u{301}", ""]),
  ]

  @Test(arguments: ends)
  func linesEndAsAnySystemEndsThem(_ text: String, _ lines: [String]) {
    #expect(TextWidth.lines(text).map(String.init) == lines)
  }

  @Test(arguments: [
    ("a\r\nb\r\n", "a\nb\n"), ("a\rb", "a^Mb"), ("a\r\r\nb", "a^M\nb"), ("\r", "^M"), ("a\r\n", "a\n"),
    ("\u{1B}\r\n", "^[\n"),
  ])
  func aReturnInFrontOfALineFeedIsNoControlCharacter(_ text: String, _ shown: String) {
    #expect(TextWidth.visible(text) == shown && TextWidth.visible(text, keepsColours: true) == shown)
  }

  @Test func linesOfAnotherSystemAreFoldedOneByOne() {
    #expect(TextWidth.folded("one two\r\nthree four", columns: 9) == "one two\nthree\nfour")
    #expect(TextWidth.folded("short\r\nlines\r\n", columns: 40) == "short\nlines\n")
  }

  @Test(arguments: [
    ("\u{1B}[31mred\r\n", "\u{1B}[31mred\u{1B}[0m\n"), ("\u{1B}[31mred", "\u{1B}[31mred\u{1B}[0m"),
    ("plain\r\n", "plain\n"),
    ("\u{1B}[0m\n", "\u{1B}[0m\u{1B}[0m\n"),
  ])
  func coloursEndBeforeTheLineDoes(_ text: String, _ shown: String) {
    #expect(TextWidth.printable(text, colours: true) == shown)
  }

  /// Nothing in what goes to a terminal does anything but colour, whatever was printed.
  @Test(arguments: 0..<80)
  func nothingButColoursGoesThrough(_ seed: Int) {
    var dice = SeededGenerator(seed: seed)
    let parts = [
      "\u{1B}", "[", "]", "3", "1", ";", "m", "38", "5", "8", "107", "108", "A", "J", "\r", "\n", "\r\n",
      "\t", "x", "é", "\u{9B}",
      "\u{9D}", "\u{7F}", "\u{0}", "\u{18}", "日", "\u{85}", "?", "99999999999999999999", "\u{C2A0}",
    ]
    let text = dice.text(of: parts, count: 40)
    for colours in [false, true] {
      let scalars = Array(TextWidth.printable(text, colours: colours).unicodeScalars)
      for (index, scalar) in scalars.enumerated() where scalar.value < 0x20 || 0x7F..<0xA0 ~= scalar.value {
        if scalar == "\n" || scalar == "\t" { continue }
        guard colours, scalar == "\u{1B}", index + 1 < scalars.count, scalars[index + 1] == "[" else {
          Issue.record("seed \(seed): U+\(String(scalar.value, radix: 16)) at \(index)")
          continue
        }
        let rest = scalars[(index + 2)...].drop { "0"..."9" ~= $0 || $0 == ";" }
        #expect(rest.first == "m", "seed \(seed): a sequence that is no colour")
      }
    }
  }

  @Test(arguments: [
    ("0", true), ("", true), ("1", true), ("4", true), ("5", false), ("6", false), ("7", false), ("8", false),
    ("9", true),
    ("31", true), ("107", true), ("108", false), ("38;5;8", true), ("48;2;5;6;7", true), ("1;5", false),
    ("5;38;5;1", false),
    (";;", true), ("99999999999999999999", true),
  ])
  func someParametersAreNoColour(_ parameters: String, _ isKept: Bool) {
    let text = "\u{1B}[\(parameters)mx"
    #expect((TextWidth.visible(text, keepsColours: true) == text) == isKept)
  }

  // MARK: - Folding

  @Test(arguments: 0..<60)
  func foldingChangesSpacesOnly(_ seed: Int) {
    var dice = SeededGenerator(seed: seed)
    let text = dice.text(of: ["word", "a", " ", "  ", "日本", "longer-than-most", "\n", "👍"], count: 40)
    let columns = 8 + dice.below(40)
    let folded = TextWidth.folded(text, columns: columns, indent: dice.below(12))
    let plain = { (text: String) in text.filter { $0 != " " && $0 != "\n" } }
    #expect(plain(folded) == plain(text), "seed \(seed)")
    for line in folded.split(separator: "\n") where TextWidth.of(line) > columns {
      // Only a word that has no room in a row of its own is longer.
      #expect(!line.drop { $0 == " " }.contains(" "), "seed \(seed): '\(line)'")
    }
  }

  @Test(arguments: [
    ("a b", 8, 0, "a b"), ("aaaa bbbb cccc", 9, 0, "aaaa bbbb\ncccc"),
    ("  aaaa bbbb cccc", 9, 2, "  aaaa\n  bbbb\n  cccc"),
    ("aaaaaaaaaaaaaaaa b", 8, 0, "aaaaaaaaaaaaaaaa\nb"), ("日本 日本 日本", 8, 0, "日本\n日本\n日本"),
    ("aaaa bbbb cccc", 0, 0, "aaaa\nbbbb\ncccc"), ("one two three", 10, 9, "one two\n    three"),
  ])
  func linesAreFolded(_ text: String, _ columns: Int, _ indent: Int, _ expected: String) {
    #expect(TextWidth.folded(text, columns: columns, indent: indent) == expected)
  }

  // MARK: - Names

  @Test(arguments: 0..<60)
  func tablesFitAndLeaveNothingOutUnsaid(_ seed: Int) {
    var dice = SeededGenerator(seed: seed)
    let words = ["a", "get", "日本", "appInfo", "averyveryverylongname", "👍"]
    let names = (0..<dice.below(50)).map { "\(dice.pick(words))\($0)" }
    let (columns, limit) = (1 + dice.below(60), 1 + dice.below(8))
    let rows = NameTable.rows(names, columns: columns, limit: limit)
    #expect(rows.count <= limit, "seed \(seed)")
    for row in rows { #expect(row.width <= columns && TextWidth.of(row.text) == row.width) }
    guard columns > 30 else { return }
    let text = rows.map(\.text).joined(separator: " ")
    let shown = names.count { name in text.split(separator: " ").contains { $0 == name } }
    if let last = rows.last, last.text.hasPrefix("... ") {
      #expect(last.text == "... \(names.count - shown) more", "seed \(seed)")
    } else {
      #expect(shown == names.count, "seed \(seed)")
    }
  }

  @Test func namesGoDownColumnsAsInAShell() {
    let rows = NameTable.rows(["a", "b", "c", "d", "e"], columns: 9, limit: 5)
    #expect(rows.map { $0.text.filter { $0 != " " } } == ["ace", "bd"])
  }

  @Test func oneRowOfRoomSaysHowManyThereAre() {
    #expect(
      NameTable.rows((0..<30).map { "name\($0)" }, columns: 40, limit: 1).map(\.text) == ["... 30 more"]
    )
    #expect(NameTable.rows(["only"], columns: 40, limit: 1).count == 1)
    #expect(NameTable.rows(["a", "b"], columns: 0, limit: 3).allSatisfy { $0.width == 0 })
  }

  @Test(arguments: [
    ("abc", 2, "ab"), ("日本", 3, "日"), ("a\nb\tc", 9, "a b c"), ("a\r\nb", 9, "a b"),
    ("\u{1B}[2J", 9, "^[[2J"), ("abc", 0, ""),
    ("e\u{301}x", 1, "e\u{301}"), ("", 5, ""),
  ])
  func aRowIsCutWhereTheTerminalEnds(_ text: String, _ columns: Int, _ shown: String) {
    let row = NameTable.cut(text, columns)
    #expect(row.text == shown && row.width == TextWidth.of(shown))
  }

  // MARK: - Widths

  @Test(arguments: [
    ("\u{AD}", 1), ("\u{200B}", 0), ("\u{1F1E9}", 2), ("\u{1F3FD}", 2), ("ａ", 2), ("ｱ", 1), ("한", 2),
    ("\u{1100}\u{1161}", 2),
    ("☺", 1), ("☺\u{FE0F}", 2), ("ก\u{E33}", 2), ("\u{A0}", 1), ("\u{7F}", 0), ("\r\n", 0), ("🏳️‍🌈", 2),
  ])
  func charactersTakeTheirColumns(_ text: String, _ columns: Int) {
    #expect(TextWidth.of(text) == columns)
  }
}

/// Colours of what is typed.
@Suite struct HighlighterTests {
  private func styles(_ text: String) -> [String] {
    let highlighter = Highlighter(text)
    return (0..<text.utf8.count).map { highlighter.style(at: $0) }
  }

  /// The text with the first letter of each run's colour.
  private func runs(_ text: String) -> [String] {
    var runs: [String] = [], last: String?
    for (byte, style) in zip(text.utf8, styles(text)) {
      if style != last { runs.append("\(style):") }
      runs[runs.count - 1].unicodeScalars.append(Unicode.Scalar(byte))
      last = style
    }
    return runs.filter { !$0.hasPrefix(":") }
  }

  @Test(arguments: [
    ("const a = 1", ["35:const", "33:1"]), ("f(\"x\", 'y')", ["32:\"x\"", "32:'y'"]),
    ("x = /a+/g", ["31:/a+/g"]),
    ("await true", ["35:await", "33:true"]), ("a.b", []), ("NaN / 2", ["33:NaN", "33:2"]),
    ("`t`", ["32:`t`"]), ("", []),
    (".help", ["36:.help"]), (".watch a.b", ["36:.watch"]), (".5 + x", ["33:.5"]), (".", ["36:."]),
    (".map(x)\n", []), ("\"open", ["32:\"open"]), ("x // end", ["90:// end"]), ("constant", []),
    ("if(0)", ["35:if", "33:0"]),
  ])
  func tokensHaveTheirColours(_ text: String, _ expected: [String]) {
    #expect(runs(text) == expected)
  }

  @Test func aCommandsNameIsCountedInBytes() {
    #expect(styles(".größe x") == Array(repeating: "36", count: 8) + ["", ""])
  }

  /// However it is asked, up or down, the answer is the same.
  @Test func placesMayBeAskedForInAnyOrder() {
    let text = "let a = /x/ + 'ö' // 日本\nreturn null"
    let highlighter = Highlighter(text)
    let up = (0..<text.utf8.count).map { highlighter.style(at: $0) }
    let down = (0..<text.utf8.count).reversed().map { highlighter.style(at: $0) }
    #expect(up == down.reversed())
    #expect(highlighter.style(at: text.utf8.count) == "" && highlighter.style(at: 10_000) == "")
  }
}
