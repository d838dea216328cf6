// SPDX-License-Identifier: MIT

import NBridgeTerminal
import TestSupport
import Testing

/// The keys that a person's bytes become, whatever pieces they arrive in.
@Suite struct KeyParserTests {
  /// What a terminal tells of its cursor is no key, and a function key is no place.
  @Test func theCursorsPlaceIsKnown() {
    var parser = KeyParser()
    #expect(parser.feed(Array("a\u{1B}[12;40Rb".utf8)) == [.text("a"), .place(row: 11), .text("b")])
    #expect(parser.feed(Array("\u{1B}[R\u{1B}OR".utf8)) == [])
  }

  static let cases: [(String, [Key])] = [
    ("ab", [.text("ab")]), ("a\r", [.text("a"), .enter]), ("\t\u{7F}", [.tab, .backspace]),
    ("\u{1}\u{5}", [.control("a"), .control("e")]), ("\u{1B}[A\u{1B}[B", [.up, .down]),
    ("\u{1B}[C\u{1B}OD", [.right, .left]), ("\u{1B}[H\u{1B}[F", [.home, .end]),
    ("\u{1B}[3~\u{1B}[5~\u{1B}[6~", [.delete, .pageUp, .pageDown]), ("\u{1B}[Z", [.backTab]),
    ("\u{1B}\r", [.metaEnter]), ("\u{1B}\u{7F}", [.metaBackspace]), ("\u{1B}b", [.meta("b")]),
    ("ä😀", [.text("ä😀")]), ("\u{1B}[200~a\r\nb\u{1B}[201~c", [.paste("a\nb"), .text("c")]),
    ("\u{1B}[200~\u{1B}[31mred\u{1B}[201~", [.paste("[31mred")]),
  ]

  @Test(arguments: cases)
  func sequencesBecomeKeys(_ input: String, _ keys: [Key]) {
    var parser = KeyParser()
    #expect(parser.feed(input.utf8) == keys)
  }

  /// A terminal hands over as much as fits: text may come in pieces, keys must be the same.
  @Test(arguments: cases)
  func theSameComesOfSingleBytes(_ input: String, _ keys: [Key]) {
    var parser = KeyParser()
    let made = input.utf8.flatMap { parser.feed([$0]) }
    #expect(joined(made) == joined(keys))
  }

  /// Text that came in pieces, as one.
  private func joined(_ keys: [Key]) -> [Key] {
    keys.reduce(into: []) { list, key in
      if case .text(let more) = key, case .text(let text)? = list.last {
        list[list.count - 1] = .text(text + more)
      } else {
        list.append(key)
      }
    }
  }

  @Test func aLoneEscapeWaitsUntilItIsTakenForTheKey() {
    var parser = KeyParser()
    #expect(parser.feed([0x1B]) == [] && parser.hasLoneEscape)
    #expect(parser.flushEscape() == [.escape] && !parser.hasLoneEscape)
    #expect(parser.flushEscape() == [])
  }

  @Test func whatIsNoUTF8BecomesAReplacement() {
    var parser = KeyParser()
    #expect(parser.feed([0x61, 0xFF, 0x62]) == [.text("a\u{FFFD}b")])
  }

  @Test func sequencesThatNobodyKnowsAreDropped() {
    var parser = KeyParser()
    #expect(parser.feed("\u{1B}[99;99Xa".utf8) == [.text("a")])
  }

  @Test func noBytesStopTheParser() {
    var dice = SeededGenerator(seed: 1)
    var parser = KeyParser()
    for _ in 0..<20_000 { _ = parser.feed(dice.bytes(1)) }
    _ = parser.feed("\u{1B}[201~".utf8)
    _ = parser.flushEscape()
    #expect(parser.feed("z".utf8).last != nil)
  }
}
