// SPDX-License-Identifier: MIT

import NBridgeTerminal
import TestSupport
import Testing

/// Sequences as terminals really send them, split anywhere, and what only looks like one.
@Suite struct KeySequenceTests {
  static let table: [(String, [Key])] = [
    // Cursor keys in both modes, with modifiers.
    ("\u{1B}OA\u{1B}OB\u{1B}OC\u{1B}OD", [.up, .down, .right, .left]), ("\u{1B}OH\u{1B}OF", [.home, .end]),
    ("\u{1B}[1;5C\u{1B}[1;5D", [.meta("f"), .meta("b")]),
    ("\u{1B}[1;3C\u{1B}[1;3D", [.meta("f"), .meta("b")]),
    ("\u{1B}[1;2C\u{1B}[1;2A", [.right, .up]), ("\u{1B}[1;5A", [.up]),
    // By number, as rxvt, Linux and xterm do.
    ("\u{1B}[1~\u{1B}[4~", [.home, .end]), ("\u{1B}[7~\u{1B}[8~", [.home, .end]), ("\u{1B}[2~", []),
    ("\u{1B}[3;5~", [.delete]), ("\u{1B}[15~\u{1B}[24~", []), ("\u{1B}[~", []),
    // Function keys are none of ours.
    ("\u{1B}OP\u{1B}OQ", []), ("\u{1B}[[A\u{1B}[[Ex", [.text("x")]),
    // Alt with a letter, a digit, Enter, Backspace, beyond ASCII.
    ("\u{1B}a\u{1B}1\u{1B}<\u{1B}.", [.meta("a"), .meta("1"), .meta("<"), .meta(".")]),
    ("\u{1B}\n\u{1B}\u{8}", [.metaEnter, .metaBackspace]), ("\u{1B}ä", [.text("ä")]), ("\u{1B}\u{1}", []),
    // Escape twice: the first is the key.
    ("\u{1B}\u{1B}[A", [.escape, .up]), ("\u{1B}\u{1B}\u{1B}b", [.escape, .escape, .meta("b")]),
    // Control keys.
    ("\u{0}\u{1C}\u{1D}\u{1E}", []), ("\u{1F}\u{1A}\u{12}", [.control("_"), .control("z"), .control("r")]),
    ("\n\r\u{8}\u{7F}", [.enter, .enter, .backspace, .backspace]),
    // The mouse.
    ("\u{1B}[<64;3;4M\u{1B}[<65;3;4M", [.wheel(-3), .wheel(3)]),
    ("\u{1B}[<0;12;7M\u{1B}[<0;12;7m", [.click(row: 6)]),
    ("\u{1B}[<2;1;1M\u{1B}[<0;1M\u{1B}[<0;1;xM", [.text("M")]),
    // Answers of a terminal are no keys.
    ("\u{1B}[?64;1;2c\u{1B}[24;80Rq", [.place(row: 23), .text("q")]),
    // A sequence that does not go on as one, and the key behind it.
    ("\u{1B}[\rls", [.enter, .text("ls")]), ("\u{1B}[1;\u{1B}[A", [.up]), ("\u{1B}[\u{3}", [.control("c")]),
    ("\u{1B}O\r", [.enter]), ("\u{1B}O\u{1B}[B", [.down]), ("\u{1B}[1ä", [.text("ä")]),
    // Pastes.
    ("\u{1B}[200~\u{1B}[201~", [.paste("")]), ("\u{1B}[200~a\rb\r\nc\td\u{1B}[201~", [.paste("a\nb\nc\td")]),
    ("\u{1B}[200~\u{1B}[20\u{1B}[201~", [.paste("[20")]),
    ("\u{1B}[200~日👍\u{1B}[201~\r", [.paste("日👍"), .enter]),
    ("\u{1B}[200~a\u{1B}[201~\u{1B}[200~b\u{1B}[201~", [.paste("a"), .paste("b")]),
    ("\u{1B}[200~\u{9B}31m\u{7}\u{85}x\u{7F}\u{1B}[201~", [.paste("31mx")]), ("\u{1B}[201~x", [.text("x")]),
  ]

  /// Texts that came in pieces, as one.
  private func joined(_ keys: [Key]) -> [Key] {
    keys.reduce(into: []) { list, key in
      if case .text(let more) = key, case .text(let text)? = list.last {
        list[list.count - 1] = .text(text + more)
      } else {
        list.append(key)
      }
    }
  }

  private func keys(_ pieces: [ArraySlice<UInt8>]) -> [Key] {
    var parser = KeyParser()
    return joined(pieces.flatMap { parser.feed($0) })
  }

  @Test(arguments: table)
  func sequencesBecomeKeys(_ input: String, _ expected: [Key]) {
    #expect(keys([Array(input.utf8)[...]]) == expected)
  }

  /// A terminal may stop anywhere, also between the bytes of a letter.
  @Test(arguments: table)
  func theSameComesOfTwoPieces(_ input: String, _ expected: [Key]) {
    let bytes = Array(input.utf8)
    for cut in 0...bytes.count { #expect(keys([bytes[..<cut], bytes[cut...]]) == expected, "cut at \(cut)") }
    #expect(keys(bytes.indices.map { bytes[$0...$0] }) == expected)
  }

  @Test(arguments: 0..<60)
  func anyBytesGiveTheSameInAnyPieces(_ seed: Int) {
    var dice = SeededGenerator(seed: seed)
    let parts = Self.table.map(\.0) + ["ä", "日", "👍", "x", "\u{1B}", "\u{1B}[", "\u{1B}O"]
    var bytes: [UInt8] = []
    for _ in 0..<30 {
      let part = Array(dice.pick(parts).utf8)
      bytes += dice.below(4) == 0 ? part.dropLast(dice.below(part.count + 1)) : part[...]
      if dice.below(5) == 0 { bytes.append(UInt8(dice.below(256))) }
    }
    let whole = keys([bytes[...]])
    for _ in 0..<10 {
      var pieces: [ArraySlice<UInt8>] = [], at = 0
      while at < bytes.count {
        let end = min(bytes.count, at + 1 + dice.below(7))
        pieces.append(bytes[at..<end])
        at = end
      }
      #expect(keys(pieces) == whole, "seed \(seed)")
    }
  }

  @Test func aLoneEscapeIsNoneWhenAnythingFollowsOrAPasteIsOpen() {
    var parser = KeyParser()
    _ = parser.feed([0x1B, 0x5B])
    #expect(!parser.hasLoneEscape && parser.flushEscape() == [])
    #expect(parser.feed("200~\u{1B}".utf8) == [] && !parser.hasLoneEscape && parser.flushEscape() == [])
    #expect(parser.feed("[201~".utf8) == [.paste("")])
  }

  /// A person who presses Escape, waits, and types a letter did not press Alt.
  @Test func afterTheKeyWasTakenALetterIsALetter() {
    var parser = KeyParser()
    _ = parser.feed([0x1B])
    #expect(parser.flushEscape() == [.escape])
    #expect(parser.feed("b".utf8) == [.text("b")])
  }

  @Test func aSequenceThatNeverEndsIsGivenUp() {
    var parser = KeyParser()
    #expect(parser.feed("\u{1B}[".utf8 + Array(repeating: 0x31, count: 40)) == [])
    #expect(parser.feed("x".utf8) == [.text("x")])
  }

  @Test(
    arguments: [
      [0x80], [0xC0, 0x80], [0xC2], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5],
      [0xFF, 0xFE],
      [0xE2, 0x82], [0xF0, 0x9F, 0x91],
    ] as [[UInt8]])
  func whatIsNoUTF8HoldsNothingUp(_ bytes: [UInt8]) {
    let made = keys([bytes[...], Array("\rz".utf8)[...]])
    guard made.count == 3, case .text(let text) = made[0] else {
      Issue.record("\(made)")
      return
    }
    #expect(text.allSatisfy { $0 == "\u{FFFD}" } && made[1...] == [.enter, .text("z")])
  }

  @Test func aLongPasteIsOnePasteWhateverItsPieces() {
    let text = String(repeating: "line of a paste\n", count: 5000)
    let bytes = Array(("\u{1B}[200~" + text + "\u{1B}[201~").utf8)
    let pieces = stride(from: 0, to: bytes.count, by: 1021).map { bytes[$0..<min(bytes.count, $0 + 1021)] }
    #expect(keys(pieces) == [.paste(text)])
  }
}
