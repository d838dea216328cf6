// SPDX-License-Identifier: MIT

/// Splits JavaScript into tokens, well enough to tell code from strings, templates, comments and regular
/// expressions (ECMA-262, clause 12). Text that is not valid JavaScript gives some tokens, never a crash.
package struct JSLexer {
  enum Kind { case word, number, string, template, regex, punctuator, end }

  package struct Token {
    var kind: Kind
    var range: Range<Int>
    /// Whether a line end stands before it.
    var startsLine: Bool
  }

  private let bytes: [UInt8]
  private var at = 0
  private var sawNewline = true
  /// Whether a `/` here would start a regular expression: after an operator it does, after a value it
  /// divides.
  private var expectsOperand = true
  /// The word just read, which tells what a parenthesis behind it is for.
  private var lastWord = ""
  private var brackets = BracketStack()
  /// Whether a brace here would open an object.
  private var opensValue = false
  /// Whether the word `function` or `class` here would begin a value.
  private var beginsValue = false
  private var isBehindPoint = false

  init(_ text: String) { bytes = Array(text.utf8) }

  func text(_ token: Token) -> String { String(decoding: bytes[token.range], as: UTF8.self) }

  mutating func next() -> Token {
    skipSpace()
    guard at < bytes.count else { return Token(kind: .end, range: at..<at, startsLine: sawNewline) }
    let start = at
    // A line end ends these (ECMA-262, 12.10.1).
    if sawNewline, beginsValue, ["return", "yield", "async"].contains(lastWord) {
      (opensValue, beginsValue) = (false, false)
    }
    let wasValue = beginsValue
    let kind = scan(bytes[at])
    if kind != .word { lastWord = "" }
    isBehindPoint = kind == .punctuator && bytes[start] == 0x2E && (start == 0 || bytes[start - 1] != 0x2E)
    opensValue = isBeforeValue(kind, start)
    beginsValue =
      opensValue && lastWord != "default" || kind == .punctuator && at == start + 2 && bytes[start] == 0x3D
      || wasValue && lastWord == "async"
    defer { sawNewline = false }
    return Token(kind: kind, range: start..<at, startsLine: sawNewline)
  }

  /// Whether a value follows the token that was just read.
  private mutating func isBeforeValue(_ kind: Kind, _ start: Int) -> Bool {
    switch kind {
    case .word: return expectsOperand && !["do", "else", "of"].contains(lastWord)
    case .template: return bytes[at - 1] == 0x7B
    case .punctuator where at == start + 1: break
    default: return false
    }
    switch bytes[start] {
    case 0x2E: return start > 1 && bytes[start - 1] == 0x2E && bytes[start - 2] == 0x2E
    case 0x3A: return brackets.colon()
    case 0x2C, 0x3B: brackets.separate()
    // Not those of `?.` and `??`.
    case 0x3F where peek() != 0x3F && bytes[max(start - 1, 0)] != 0x3F && !isOptional: brackets.condition()
    default: break
    }
    return Self.beforeValues.contains(bytes[start])
  }

  /// Whether a point makes the `?` before it `?.`.
  private var isOptional: Bool { peek() == 0x2E && !(0x30...0x39 ~= peek(1)) }

  private func peek(_ offset: Int = 0) -> UInt8 { at + offset < bytes.count ? bytes[at + offset] : 0 }

  private mutating func scan(_ byte: UInt8) -> Kind {
    switch byte {
    case 0x22, 0x27:
      quoted(byte)
      expectsOperand = false
      return .string
    case 0x60:
      at += 1
      return template()
    case 0x30...0x39: return number()
    case 0x2E where expectsOperand && 0x30...0x39 ~= peek(1): return number()
    case 0x2F where expectsOperand:
      regex()
      expectsOperand = false
      return .regex
    case _ where Self.isWord(byte) || isNameEscape:
      let start = at
      skipWord()
      let word = String(decoding: bytes[start..<at], as: UTF8.self)
      // Where a value is expected, `of` is one.
      let isName = isBehindPoint || (word == "of" && expectsOperand)
      if beginsValue, word == "function" || word == "class" { brackets.expectBody() }
      expectsOperand = !isName && Self.operatorWords.contains(word)
      if word != "await" || lastWord != "for" { lastWord = word }
      return .word
    default: return punctuator(byte)
    }
  }

  private mutating func punctuator(_ byte: UInt8) -> Kind {
    at += 1
    switch byte {
    case 0x7B:
      brackets.openBrace(isObject: opensValue, isHeritage: lastWord == "extends")
      expectsOperand = true
    case 0x7D:
      let kind = brackets.closeBrace()
      if kind == .template { return template() }
      expectsOperand = kind == .block
    case 0x28:
      brackets.open(Self.statementWords.contains(lastWord) ? .statementHead : .parenthesis)
      expectsOperand = true
    case 0x29: expectsOperand = brackets.close() == .statementHead
    case 0x5B:
      brackets.open(.square)
      expectsOperand = true
    case 0x5D:
      _ = brackets.close()
      expectsOperand = false
    case 0x3D where peek() == 0x3E:
      at += 1
      expectsOperand = true
    case 0x2B where peek() == 0x2B, 0x2D where peek() == 0x2D:
      at += 1
    default:
      expectsOperand = true
    }
    return .punctuator
  }

  private mutating func quoted(_ quote: UInt8) {
    at += 1
    while at < bytes.count, bytes[at] != quote, !isEnd(bytes[at]) { at += escapeLength }
    // A string that does not end leaves the line end to the line.
    at = min(at < bytes.count && bytes[at] == quote ? at + 1 : at, bytes.count)
  }

  /// From inside a template to its end, or to the `${` that interrupts it.
  private mutating func template() -> Kind {
    while at < bytes.count, bytes[at] != 0x60 {
      if bytes[at] == 0x24, peek(1) == 0x7B {
        at += 2
        brackets.open(.template)
        expectsOperand = true
        return .template
      }
      at += bytes[at] == 0x5C ? 2 : 1
    }
    at = min(at + 1, bytes.count)
    expectsOperand = false
    return .template
  }

  private mutating func regex() {
    var inClass = false
    at += 1
    while at < bytes.count, !isEnd(bytes[at]) {
      let byte = bytes[at]
      at += byte == 0x5C ? 2 : 1
      if byte == 0x5B { inClass = true }
      if byte == 0x5D { inClass = false }
      if byte == 0x2F, !inClass { break }
    }
    at = min(at, bytes.count)
    skipWord()
  }

  /// A number has one point, and none when it has a base: `5..toFixed` goes on behind `5.` (ECMA-262,
  /// 12.9.3).
  private mutating func number() -> Kind {
    var hasPoint = peek() == 0x30 && [0x78, 0x58, 0x6F, 0x4F, 0x62, 0x42].contains(peek(1))
    while (peek() < 0x80 && Self.isWord(peek())) || (peek() == 0x2E && !hasPoint) {
      if peek() == 0x2E { hasPoint = true }
      at += 1
    }
    expectsOperand = false
    return .number
  }

  private mutating func skipWord() {
    while true {
      if isNameEscape {
        at += 2
        if peek() == 0x7B { while at < bytes.count, bytes[at] != 0x7D, !isEnd(bytes[at]) { at += 1 } }
        at = min(at + 1, bytes.count)
      } else if Self.isWord(peek()), Self.spaceLength(bytes, at) == 0 {
        at += 1
      } else {
        return
      }
    }
  }

  /// `\u0061` of a name (ECMA-262, 12.7): its digits are parts of a word, and braces are passed over.
  private var isNameEscape: Bool { peek() == 0x5C && peek(1) == 0x75 }

  private func isEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

  /// How many bytes a character of a string takes: an escaped line end may be two.
  private var escapeLength: Int {
    guard bytes[at] == 0x5C else { return 1 }
    return peek(1) == 0x0D && peek(2) == 0x0A ? 3 : 2
  }

  private mutating func skipSpace() {
    while at < bytes.count {
      switch bytes[at] {
      case 0x0A, 0x0D:
        sawNewline = true
        at += 1
      case 0x20, 0x09, 0x0B, 0x0C: at += 1
      case 0x2F where peek(1) == 0x2F || peek(1) == 0x2A:
        let end = Self.commentEnd(bytes, from: at)
        let holdsLineEnd = bytes[at..<end].contains(where: isEnd) || Self.holdsSeparator(bytes[at..<end])
        if holdsLineEnd { sawNewline = true }
        at = end
      case let byte:
        let length = byte < 0x80 ? 0 : Self.spaceLength(bytes, at)
        if length == 0 { return }
        if Self.holdsSeparator(bytes[at..<at + length]) { sawNewline = true }
        at += length
      }
    }
  }

  /// Where the comment that begins at a place ends: a line's before the line end.
  static func commentEnd(_ bytes: [UInt8], from start: Int) -> Int {
    var at = min(start + 2, bytes.count)
    if start + 1 < bytes.count, bytes[start + 1] == 0x2A {
      while at + 1 < bytes.count, bytes[at] != 0x2A || bytes[at + 1] != 0x2F { at += 1 }
      return min(at + 2, bytes.count)
    }
    while at < bytes.count, bytes[at] != 0x0A, bytes[at] != 0x0D, !separates(bytes, at) { at += 1 }
    return at
  }

  /// U+2028 and U+2029 end lines, too.
  private static func separates(_ bytes: [UInt8], _ at: Int) -> Bool {
    bytes[at] == 0xE2 && at + 2 < bytes.count && bytes[at + 1] == 0x80 && bytes[at + 2] & 0xFE == 0xA8
  }

  private static func holdsSeparator(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.indices.contains {
      bytes[$0] == 0xE2 && $0 + 2 < bytes.endIndex && bytes[$0 + 1] == 0x80 && bytes[$0 + 2] & 0xFE == 0xA8
    }
  }

  /// How many bytes white space beyond ASCII takes at a place (ECMA-262, 12.2); 0 where there is none.
  private static func spaceLength(_ bytes: [UInt8], _ at: Int) -> Int {
    guard at + 1 < bytes.count else { return 0 }
    if bytes[at] == 0xC2 { return bytes[at + 1] == 0xA0 ? 2 : 0 }
    guard at + 2 < bytes.count, [0xE1, 0xE2, 0xE3, 0xEF].contains(bytes[at]) else { return 0 }
    switch (bytes[at], bytes[at + 1], bytes[at + 2]) {
    case (0xE1, 0x9A, 0x80), (0xE2, 0x80, 0x80...0x8A), (0xE2, 0x80, 0xA8...0xA9), (0xE2, 0x80, 0xAF),
      (0xE2, 0x81, 0x9F), (0xE3, 0x80, 0x80), (0xEF, 0xBB, 0xBF):
      return 3
    default: return 0
    }
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x24, 0x23, 0x80...: true
    default: false
    }
  }

  /// What a value follows: `= ( , [ ! & | ? + - * / % ^ ~ < >`.
  private static let beforeValues: Set<UInt8> = [
    0x3D, 0x28, 0x2C, 0x5B, 0x21, 0x26, 0x7C, 0x3F, 0x2B, 0x2D, 0x2A, 0x2F, 0x25, 0x5E, 0x7E, 0x3C, 0x3E,
  ]

  private static let statementWords: Set<String> = ["if", "while", "for", "with"]

  private static let operatorWords: Set<String> = [
    "return", "typeof", "instanceof", "in", "of", "new", "delete", "void", "throw", "case", "do", "else",
    "await",
    "yield", "default", "extends",
  ]
}
