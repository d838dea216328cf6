// SPDX-License-Identifier: MIT

import NBridgeTerminal
import TestSupport
import Testing

@testable import NBridgeCLI

/// Long texts, a screen at a time.
@Suite struct PagerUnitTests {
  private func text(_ count: Int, end: String = "\n") -> String {
    (1...count).map { "line \($0)" + end }.joined()
  }

  static let texts: [(String, Int, Bool)] = [
    ("", 5, true), ("one", 5, true), ("1\n2\n3\n4\n", 5, true), ("1\n2\n3\n4\n5\n", 5, false),
    ("1\n2\n3\n4\n5", 5, false),
    // A line that folds takes more than one row.
    (String(repeating: "x", count: 40), 5, true), (String(repeating: "x", count: 41), 5, false),
    (String(repeating: "日", count: 21), 5, false), ("\n\n\n\n", 5, true), ("\n\n\n\n\n", 5, false),
    ("1\r\n2\r\n3\r\n4\r\n", 5, true), ("1\r\n2\r\n3\r\n4\r\n5\r\n", 5, false),
  ]

  @Test(arguments: texts)
  func aTextThatFitsNeedsNone(_ text: String, _ rows: Int, _ fits: Bool) {
    #expect((Pager(text, columns: 10, rows: rows) == nil) == fits)
  }

  @Test(arguments: ["\n", "\r\n"])
  func aScreenAtATimeThenALine(_ end: String) throws {
    var pager = try #require(Pager(text(12, end: end), columns: 20, rows: 5))
    #expect(pager.next(.screen) == text(4))
    #expect(
      pager.question.text == "-- 8 more lines: spa" && pager.farewell == "... 8 more lines\n" && !pager.isOver
    )
    #expect(pager.next(.line) == "line 5\n")
    #expect(pager.next(.screen) == "line 6\nline 7\nline 8\nline 9\n")
    #expect(pager.next(.screen) == "line 10\nline 11\nline 12\n" && pager.isOver && pager.next(.screen) == "")
  }

  @Test func aLineThatIsHigherThanTheScreenIsShownAlone() throws {
    var pager = try #require(
      Pager("short\n" + String(repeating: "x", count: 100) + "\nend\n", columns: 10, rows: 5)
    )
    #expect(pager.next(.screen) == "short\n")
    #expect(pager.next(.screen) == String(repeating: "x", count: 100) + "\n")
    #expect(pager.next(.screen) == "end\n" && pager.isOver)
  }

  @Test(arguments: 0..<40)
  func everyLineIsShownOnceAndNoScreenIsTooHigh(_ seed: Int) throws {
    var dice = SeededGenerator(seed: seed)
    let (columns, rows) = (5 + dice.below(30), 2 + dice.below(10))
    let body = (0..<60).map { _ in dice.text(of: ["ab", "日本", " ", "👍"], count: dice.below(20)) }
    var pager = try #require(
      Pager(body.joined(separator: dice.below(2) == 0 ? "\n" : "\r\n"), columns: columns, rows: rows)
    )
    var shown = ""
    while !pager.isOver {
      let part = pager.next(dice.below(3) == 0 ? .line : .screen)
      let lines = part.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      let height = lines.reduce(0) { $0 + max(1, (TextWidth.of($1) + columns - 1) / columns) }
      #expect(!part.isEmpty && (height <= rows - 1 || lines.count == 1), "seed \(seed)")
      shown += part
    }
    let wanted = body.last == "" ? body.dropLast() : body[...]
    #expect(shown == wanted.map { $0 + "\n" }.joined(), "seed \(seed)")
  }

  static let keys: [(Key, Pager.Answer?)] = [
    (.text(" "), .screen), (.pageDown, .screen), (.control("f"), .screen), (.enter, .line), (.down, .line),
    (.text("j"), .line),
    (.text("q"), .stop), (.escape, .stop), (.control("d"), .stop), (.text("x"), nil), (.up, nil),
    (.paste(" "), nil), (.text("qq"), nil),
  ]

  @Test(arguments: keys)
  func keysAreAnswers(_ key: Key, _ answer: Pager.Answer?) { #expect(Pager.answer(key) == answer) }

  @Test func keysThatComeAtOnceAreTakenOneByOne() {
    let keys = Pager.apart([.text(" q1"), .enter, .paste("ab")])
    #expect(keys == [.text(" "), .text("q"), .text("1"), .enter, .paste("ab")])
  }
}

/// Lines from a pipe that are no whole entry yet.
@Suite struct PendingEntryUnitTests {
  @Test func openBracketsAreCountedOverLines() {
    var entry = PendingEntry()
    #expect(entry.isBlank && entry.mayBeWhole && entry.lineCount == 0)
    entry.add("f({\n")
    // The first line is always looked at.
    #expect(entry.mayBeWhole && !entry.isBlank)
    entry.add("a: [\n")
    entry.add("1,\n")
    #expect(!entry.mayBeWhole && entry.lineCount == 3)
    entry.add("]\n")
    entry.add("})\n")
    #expect(entry.mayBeWhole && entry.text == "f({\na: [\n1,\n]\n})\n")
  }

  /// An entry that never closes is looked at again only each time that it has doubled.
  @Test func anEndlessEntryIsLookedAtSeldom() {
    var entry = PendingEntry()
    var looks: [Int] = []
    for _ in 0..<1000 {
      entry.add("{\n")
      if entry.mayBeWhole { looks.append(entry.lineCount) }
    }
    #expect(looks == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512])
  }

  @Test(arguments: [("\n", true), ("  \t\r\n", true), ("x\n", false), ("}\n", false)])
  func blankLinesAreNoEntry(_ line: String, _ isBlank: Bool) {
    var entry = PendingEntry()
    entry.add(line)
    #expect(entry.isBlank == isBlank && entry.mayBeWhole)
  }
}
