// SPDX-License-Identifier: MIT

import NBridgeTerminal
import Testing

/// A text of several lines with a cursor.
@Suite struct EditBufferTests {
  @Test func whatIsPutInStandsBeforeTheCursor() {
    var buffer = EditBuffer("ac")
    buffer.move(to: 1)
    buffer.insert("b")
    #expect(buffer.text == "abc" && buffer.cursor == 2 && buffer.textBeforeCursor == "ab")
  }

  @Test func aMarkJoinsTheCharacterBeforeIt() {
    var buffer = EditBuffer("e")
    buffer.insert("\u{301}")
    #expect(buffer.text == "é" && buffer.cursor == 1)
  }

  @Test func nothingIsTakenPastTheEnds() {
    var buffer = EditBuffer("a")
    buffer.delete()
    #expect(buffer.text == "a")
    buffer.move(to: -5)
    buffer.backspace()
    #expect(buffer.text == "a" && buffer.cursor == 0)
    buffer.move(to: 99)
    #expect(buffer.cursor == 1)
  }

  @Test func whatIsRemovedIsAnsweredAndTheCursorStandsThere() {
    var buffer = EditBuffer("one two")
    #expect(buffer.remove(3..<7) == " two")
    #expect(buffer.text == "one" && buffer.cursor == 3)
  }

  @Test(arguments: [("ab", 2, "ba"), ("abc", 1, "bac"), ("a", 1, "a"), ("ab", 0, "ab"), ("", 0, "")])
  func theTwoAroundTheCursorAreSwapped(_ text: String, _ cursor: Int, _ expected: String) {
    var buffer = EditBuffer(text)
    buffer.move(to: cursor)
    buffer.transpose()
    #expect(buffer.text == expected)
  }

  @Test func linesHaveTheirEnds() {
    var buffer = EditBuffer("one\ntwo\nthree")
    #expect(buffer.lineRange == 8..<13 && buffer.isOnLastLine && !buffer.isOnFirstLine)
    buffer.move(to: 4)
    #expect(buffer.lineRange == 4..<7 && !buffer.isOnLastLine && !buffer.isOnFirstLine)
    buffer.moveLine(by: -1)
    #expect(buffer.isOnFirstLine && buffer.cursor == 0)
  }

  @Test func wordsBeginAndEndAtWhatIsNoLetter() {
    var buffer = EditBuffer("let name = 5")
    #expect(buffer.wordStart == 11)
    buffer.move(to: 6)
    #expect(buffer.wordStart == 4 && buffer.wordEnd == 8)
  }
}
