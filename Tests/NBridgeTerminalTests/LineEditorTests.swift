// SPDX-License-Identifier: MIT

import NBridgeTerminal
import TestSupport
import Testing

/// The effects of keys on a text.
@Suite struct LineEditorTests {
  /// An editor after some keys: `|` in texts is the cursor.
  private func edited(_ keys: [Key], history: [String] = []) -> LineEditor {
    var editor = LineEditor()
    editor.reset(history: history)
    for key in keys { _ = editor.handle(key) }
    return editor
  }

  private func shown(_ editor: LineEditor) -> String {
    var characters = editor.buffer.characters
    characters.insert("|", at: editor.buffer.cursor)
    return String(characters)
  }

  @Test(
    arguments: [
      ([.text("abc")], "abc|"), ([.text("abc"), .left, .text("X")], "abX|c"),
      ([.text("abc"), .home, .delete], "|bc"),
      ([.text("abc"), .left, .backspace], "a|c"),
      ([.text("ab"), .control("b"), .control("b"), .control("b")], "|ab"),
      ([.text("ab"), .control("a"), .control("f")], "a|b"),
      ([.text("ab"), .control("a"), .control("e")], "ab|"),
      ([.text("ab"), .left, .control("d")], "a|"), ([.text("ab"), .control("t")], "ba|"),
      ([.text("one two"), .meta("b"), .meta("b"), .meta("f")], "one| two"),
      ([.text("a"), .metaEnter, .text("b")], "a\nb|"), ([.text("a\nbc"), .home], "a\n|bc"),
      ([.text("a\nbc"), .up], "a|\nbc"), ([.text("a\nbc"), .up, .down], "a\nb|c"),
      ([.text("a"), .escape, .wheel(3), .click(row: 1), .meta("q"), .control("q"), .backTab], "a|"),
      ([.paste("a\r\nb")], "a\nb|"), ([.text("日本"), .left, .backspace], "|本"),
      ([.text("👩‍👩‍👧"), .backspace], "|"),
      ([.text("e\u{301}x"), .left, .backspace], "|x"),
    ] as [([Key], String)])
  func keysEdit(_ keys: [Key], _ expected: String) {
    #expect(shown(edited(keys)) == expected)
  }

  @Test(
    arguments: [
      (.enter, .enter), (.tab, .complete), (.control("l"), .clearScreen), (.control("z"), .suspend),
      (.escape, .none),
      (.control("q"), .none), (.meta("q"), .none), (.backTab, .none), (.text("x"), .redraw), (.left, .redraw),
      (.control("r"), .redraw),
    ] as [(Key, LineEditor.Action)])
  func keysTellWhatTheCallerHasToDo(_ key: Key, _ action: LineEditor.Action) {
    var editor = edited([.text("abc")])
    #expect(editor.handle(key) == action)
  }

  @Test func theEndOfInputIsAtAnEmptyTextOnly() {
    var editor = edited([])
    #expect(editor.handle(.control("d")) == .endOfInput)
    editor = edited([.text("a")])
    #expect(editor.handle(.control("d")) == .redraw && editor.buffer.text == "a")
    editor.isComposing = true
    #expect(editor.handle(.control("d")) == .endOfInput && editor.buffer.text == "a")
    #expect(editor.handle(.enter) == .redraw && editor.buffer.text == "a\n")
  }

  // MARK: - What was taken out

  @Test(
    arguments: [
      ([.control("u"), .control("y")], "one two three|"), ([.control("w"), .control("y")], "one two three|"),
      // One after the other is one; in the order in which it stood.
      ([.control("w"), .control("w"), .control("y")], "one two three|"),
      ([.metaBackspace, .control("w"), .control("y"), .control("y")], "one two threetwo three|"),
      ([.home, .meta("d"), .meta("d"), .end, .control("y")], " threeone two|"),
      ([.home, .meta("f"), .control("k"), .home, .control("y")], " two three|one"),
      // Another key between them begins anew.
      ([.control("w"), .left, .control("w"), .control("y")], "one two| "),
      // Both directions at once.
      ([.meta("b"), .control("w"), .control("k"), .control("y")], "one two three|"),
      // Nothing taken is nothing changed, and the last stays.
      ([.control("k"), .control("y")], "one two three|"),
      ([.control("w"), .control("k"), .control("y")], "one two three|"),
    ] as [([Key], String)])
  func whatWasTakenOutComesBack(_ keys: [Key], _ expected: String) {
    #expect(shown(edited([.text("one two three")] + keys)) == expected)
  }

  @Test func theRestOfALineIsTakenThenItsEnd() {
    var editor = edited([.text("ab\ncd"), .up, .home, .control("k")])
    #expect(shown(editor) == "|\ncd")
    _ = editor.handle(.control("k"))
    #expect(shown(editor) == "|cd")
    _ = editor.handle(.control("y"))
    #expect(shown(editor) == "ab\n|cd")
  }

  @Test func theWholeLineBeforeTheCursorIsTakenAndNoOther() {
    #expect(shown(edited([.text("ab\ncd"), .left, .control("u")])) == "ab\n|d")
  }

  @Test func whatWasTakenIsThereInTheNextEntry() {
    var editor = edited([.text("secret"), .control("u")])
    editor.reset(history: [])
    _ = editor.handle(.control("y"))
    #expect(editor.buffer.text == "secret")
  }

  // MARK: - Undo

  @Test func eachChangeIsTakenBack() {
    var editor = edited([.text("a"), .text("b"), .left, .control("k"), .paste("zz")])
    for expected in ["a|", "a|b", "a|", "|"] {
      _ = editor.handle(.control("_"))
      #expect(shown(editor) == expected)
    }
    #expect(editor.handle(.control("_")) == .redraw && shown(editor) == "|")
  }

  @Test func movingIsNoChange() {
    var editor = edited([.text("ab"), .left, .left, .right])
    _ = editor.handle(.control("_"))
    #expect(editor.buffer.isEmpty)
  }

  @Test func undoGoesBackTwoHundredChanges() {
    var editor = edited((0..<250).map { _ in .text("x") })
    for _ in 0..<300 { _ = editor.handle(.control("_")) }
    #expect(editor.buffer.text == String(repeating: "x", count: 50))
  }

  @Test func ofLongTextsOnlyFewStepsAreKept() {
    var editor = edited([.paste(String(repeating: "x", count: 20_000))] + (0..<20).map { _ in Key.text("y") })
    for _ in 0..<30 { _ = editor.handle(.control("_")) }
    #expect(editor.buffer.characters.count == 20_000 + 15)
  }

  /// Whatever was done, undoing all of it gives the empty text again.
  @Test(arguments: 0..<30)
  func everythingIsUndone(_ seed: Int) {
    var dice = SeededGenerator(seed: seed)
    let keys: [Key] = [
      .text("a"), .text("}"), .text("日"), .text(" "), .paste("x\n y"), .metaEnter, .backspace, .delete,
      .control("t"),
      .control("w"), .control("k"), .control("u"), .control("y"), .left, .right, .up, .down, .home,
      .meta("d"),
    ]
    var editor = edited([])
    for _ in 0..<150 { _ = editor.handle(dice.pick(keys)) }
    for _ in 0..<200 { _ = editor.handle(.control("_")) }
    #expect(editor.buffer.isEmpty, "seed \(seed)")
  }

  // MARK: - Lines

  @Test(arguments: [
    ("", "\n"), ("f(", "f(\n  "), ("  if (x) {", "  if (x) {\n    "), ("a", "a\n"), ("  a", "  a\n  "),
    ("[1, ", "[1, \n"), ("x\n  y {", "x\n  y {\n    "),
    // In a template that is open, each space is its author's.
    ("f() {\n  return `a", "f() {\n  return `a\n"), ("  `${x} {", "  `${x} {\n"), ("  `a\\`", "  `a\\`\n"),
    ("  `a`", "  `a`\n  "), ("  `${x}`", "  `${x}`\n  "), ("  `a ${f({", "  `a ${f({\n    "),
  ])
  func aNewLineIsIndented(_ text: String, _ expected: String) {
    var editor = edited([.paste(text)])
    editor.newLine()
    #expect(editor.buffer.text == expected)
  }

  @Test(arguments: [
    ("a {\n    ", "}", "a {\n}"), ("f([\n  1,\n  ", "]", "f([\n  1,\n]"), ("f(\n      ", ")", "f(\n)"),
    ("if (x) {\n  f(() => {\n    ", "}", "if (x) {\n  f(() => {\n  }"),
    ("  a {\n", "}", "  a {\n  }"), ("\ta {\n\t\t", "}", "\ta {\n\t}"),
    ("if (x) {\n  y {\n  }\n  ", "}", "if (x) {\n  y {\n  }\n}"),
    // Typed at once with what follows.
    ("f(() => {\n  ", "})", "f(() => {\n})"),
    // In brackets of brackets; in a template.
    ("a = {\n  b: [\n    { c: 1 },\n    ", "]", "a = {\n  b: [\n    { c: 1 },\n  ]"),
    ("`a ${f(\n    ", ")", "`a ${f(\n)"), ("  `\n  ${\n      ", "}", "  `\n  ${\n  }"),
    // Where no bracket is open, none begins the line, or it is text.
    ("    ", "}", "    }"), ("  ", ")", "  )"), ("x   ", "}", "x   }"), ("a {\n  ", "x", "a {\n  x"),
    ("", "}", "}"),
    ("a {\n  b", "}", "a {\n  b}"), ("a {\n  `\n    ", "}", "a {\n  `\n    }"),
    ("a {\n  /*\n    ", "}", "a {\n  /*\n    }"), ("a = \"{\"\n  ", "}", "a = \"{\"\n  }"),
  ])
  func aClosingBracketStandsBelowWhatItCloses(_ text: String, _ typed: String, _ expected: String) {
    #expect(edited([.paste(text), .text(typed)]).buffer.text == expected)
  }

  // MARK: - Anything

  @Test(arguments: 0..<40)
  func noKeysLeaveTheText(_ seed: Int) {
    var dice = SeededGenerator(seed: seed)
    let plain: [Key] = [
      .enter, .tab, .backTab, .backspace, .delete, .escape, .left, .right, .up, .down, .home, .end, .pageUp,
      .pageDown,
      .metaEnter, .metaBackspace, .wheel(1), .click(row: 3), .text("x"), .text("\u{301}"), .text("🇩"),
      .paste("p\nq"),
    ]
    let letters = "abcdefghijklmnopqrstuvwxyz_".map { Key.control($0) } + "abdf<>x".map { Key.meta($0) }
    var editor = edited([], history: ["one", "two\nlines", "日本"])
    for step in 0..<400 {
      _ = editor.handle(dice.pick(plain + letters))
      if dice.below(40) == 0 { editor.newLine() }
      if dice.below(60) == 0 { editor.cancel() }
      if dice.below(60) == 0 { editor.extend(history: ["one", "two\nlines", "日本", "more"]) }
      #expect(0...editor.buffer.characters.count ~= editor.buffer.cursor, "seed \(seed), step \(step)")
      #expect(!editor.buffer.text.utf8.contains(0x0D))
    }
  }
}
