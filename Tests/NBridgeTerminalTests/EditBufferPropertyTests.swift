// SPDX-License-Identifier: MIT

import NBridgeTerminal
import TestSupport
import Testing

/// A text of several lines, however it is edited.
@Suite struct EditBufferPropertyTests {
  static let parts = [
    "a", "B", "_", "$", "7", " ", "\n", "é", "e\u{301}", "日", "👍🏽", "👩‍👩‍👧", "🇩🇪", "(", ".", "\t",
  ]

  /// A plain list of characters does the same with the same operations.
  @Test(arguments: 0..<40)
  func aListOfCharactersDoesTheSame(_ seed: Int) {
    var dice = SeededGenerator(seed: seed)
    var buffer = EditBuffer()
    var model: [Character] = [], cursor = 0
    for step in 0..<200 {
      switch dice.below(6) {
      case 0, 1:
        // Regional indicators and marks join what is before them; these begin with neither.
        let text = dice.pick(Self.parts.filter { $0 != "🇩🇪" })
        buffer.insert(text)
        model.insert(contentsOf: Array(text), at: cursor)
        cursor += text.count
      case 2:
        buffer.backspace()
        if cursor > 0 {
          model.remove(at: cursor - 1)
          cursor -= 1
        }
      case 3:
        buffer.delete()
        if cursor < model.count { model.remove(at: cursor) }
      case 4:
        cursor = dice.below(model.count + 1)
        buffer.move(to: cursor)
      default:
        let (start, end) = (dice.below(model.count + 1), dice.below(model.count + 1))
        let range = min(start, end)..<max(start, end)
        #expect(buffer.remove(range) == String(model[range]))
        model.removeSubrange(range)
        cursor = range.lowerBound
      }
      #expect(buffer.characters == model && buffer.cursor == cursor, "seed \(seed), step \(step)")
      #expect(buffer.text == String(model) && buffer.isEmpty == model.isEmpty)
      #expect(buffer.textBeforeCursor == String(model[..<cursor]))
    }
  }

  @Test(arguments: 0..<40)
  func linesAreWhatStandsBetweenLineFeeds(_ seed: Int) {
    var dice = SeededGenerator(seed: seed)
    var buffer = EditBuffer(dice.text(of: Self.parts, count: 30))
    let lines = buffer.text.split(separator: "\n", omittingEmptySubsequences: false)
    for place in 0...buffer.characters.count {
      buffer.move(to: place)
      let before = buffer.characters[..<place].count { $0 == "\n" }
      #expect(String(buffer.characters[buffer.lineRange]) == lines[before])
      #expect(buffer.isOnFirstLine == (before == 0) && buffer.isOnLastLine == (before == lines.count - 1))
    }
  }

  /// Up and down keep the column where the line is long enough, and stay where there is no line.
  @Test(arguments: 0..<40)
  func upAndDownGoByLines(_ seed: Int) {
    var dice = SeededGenerator(seed: seed)
    var buffer = EditBuffer(dice.text(of: Self.parts + ["\n", "\n"], count: 40))
    let lines = buffer.text.split(separator: "\n", omittingEmptySubsequences: false)
    for place in 0...buffer.characters.count {
      for direction in [-1, 1] {
        buffer.move(to: place)
        let line = buffer.characters[..<place].count { $0 == "\n" }
        let column = place - buffer.lineRange.lowerBound
        buffer.moveLine(by: direction)
        let wanted = line + direction
        if lines.indices.contains(wanted) {
          #expect(buffer.characters[..<buffer.cursor].count { $0 == "\n" } == wanted)
          #expect(buffer.cursor - buffer.lineRange.lowerBound == min(column, lines[wanted].count))
        } else {
          #expect(buffer.cursor == place)
        }
      }
    }
  }

  @Test(arguments: [
    ("", 0, 0, 0), ("word", 0, 0, 4), ("word", 2, 0, 4), ("word", 4, 0, 4), ("a b", 1, 0, 3),
    ("a b", 2, 0, 3),
    ("foo.bar", 3, 0, 7), ("foo.bar", 4, 0, 7), ("foo.bar", 7, 4, 7), ("$_x1 +", 4, 0, 6),
    ("über größe", 10, 5, 10),
    ("日本 語", 3, 0, 4), ("  a", 2, 0, 3), ("a\nb", 1, 0, 3), ("...", 3, 0, 3),
  ])
  func wordsEndWhereOthersBegin(_ text: String, _ cursor: Int, _ start: Int, _ end: Int) {
    var buffer = EditBuffer(text)
    buffer.move(to: cursor)
    #expect(buffer.wordStart == start && buffer.wordEnd == end)
  }

  @Test(arguments: 0..<20)
  func wordsNeverLeaveTheText(_ seed: Int) {
    var dice = SeededGenerator(seed: seed)
    var buffer = EditBuffer(dice.text(of: Self.parts, count: 20))
    for place in 0...buffer.characters.count {
      buffer.move(to: place)
      #expect(0...place ~= buffer.wordStart && place...buffer.characters.count ~= buffer.wordEnd)
      // Going on always gets somewhere.
      #expect((buffer.wordStart < place) == (place > 0))
      #expect((buffer.wordEnd > place) == (place < buffer.characters.count))
    }
  }

  @Test(arguments: [
    ("a\r\nb", "a\nb", 3), ("a\rb", "a\nb", 3), ("\r\n\r\n", "\n\n", 2), ("\r", "\n", 1), ("\n\r", "\n\n", 2),
    ("a\u{2028}b", "a\u{2028}b", 3),
  ])
  func lineEndsBecomeLineFeeds(_ given: String, _ text: String, _ count: Int) {
    #expect(EditBuffer(given).text == text && EditBuffer(given).characters.count == count)
    var buffer = EditBuffer()
    buffer.insert(given)
    #expect(buffer.text == text && buffer.cursor == count)
  }

  /// A line of another system is a line: up and down find it.
  @Test func linesOfOtherSystemsAreLines() {
    var buffer = EditBuffer("one\r\ntwo")
    #expect(!buffer.isOnFirstLine && buffer.lineRange == 4..<7)
    buffer.moveLine(by: -1)
    #expect(buffer.cursor == 3 && buffer.isOnFirstLine)
  }

  @Test(arguments: [
    ("e", "\u{301}", "é", 1), ("👩", "\u{200D}👩", "👩‍👩", 1), ("👍", "\u{1F3FD}", "👍🏽", 1), ("🇩", "🇪", "🇩🇪", 1),
    ("", "\u{301}", "\u{301}", 1), ("x", "\u{FE0F}y", "x\u{FE0F}y", 2), ("❤", "\u{FE0F}", "❤️", 1),
  ])
  func whatJoinsTheCharacterBeforeStaysOneCharacter(
    _ first: String, _ second: String, _ text: String, _ count: Int
  ) {
    var buffer = EditBuffer(first)
    buffer.insert(second)
    #expect(buffer.text == text && buffer.characters.count == count && buffer.cursor == count)
    buffer.backspace()
    #expect(buffer.characters.count == count - 1)
  }

  @Test func transposingTwiceAtTheSamePlaceChangesNothing() {
    for (text, place) in [("abcd", 1), ("abcd", 2), ("a日é👍", 3), ("x\ny", 2)] {
      var buffer = EditBuffer(text)
      buffer.move(to: place)
      buffer.transpose()
      #expect(buffer.text != text && buffer.cursor == place + 1)
      buffer.move(to: place)
      buffer.transpose()
      #expect(buffer.text == text)
    }
  }
}
