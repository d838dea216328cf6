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
  /// One for each `${` that is open: how many braces are open inside it.
  private var templateBraces: [Int] = []

  init(_ text: String) { bytes = Array(text.utf8) }

  func text(_ token: Token) -> String { String(decoding: bytes[token.range], as: UTF8.self) }

  mutating func next() -> Token {
    skipSpace()
    guard at < bytes.count else { return Token(kind: .end, range: at..<at, startsLine: sawNewline) }
    let start = at
    let kind = scan(bytes[at])
    defer { sawNewline = false }
    return Token(kind: kind, range: start..<at, startsLine: sawNewline)
  }

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
    case 0x30...0x39:
      while Self.isWord(peek()) || peek() == 0x2E { at += 1 }
      expectsOperand = false
      return .number
    case 0x2F where expectsOperand:
      regex()
      expectsOperand = false
      return .regex
    case _ where Self.isWord(byte):
      let start = at
      while Self.isWord(peek()) { at += 1 }
      expectsOperand = Self.operatorWords.contains(String(decoding: bytes[start..<at], as: UTF8.self))
      return .word
    default: return punctuator(byte)
    }
  }

  private mutating func punctuator(_ byte: UInt8) -> Kind {
    at += 1
    switch byte {
    case 0x7B:
      if let open = templateBraces.last { templateBraces[templateBraces.count - 1] = open + 1 }
      expectsOperand = true
    case 0x7D:
      if let open = templateBraces.last {
        if open == 0 {
          templateBraces.removeLast()
          return template()
        }
        templateBraces[templateBraces.count - 1] = open - 1
      }
      expectsOperand = true
    case 0x29, 0x5D:
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
    while at < bytes.count, bytes[at] != quote, bytes[at] != 0x0A { at += bytes[at] == 0x5C ? 2 : 1 }
    // A string that does not end leaves the line end to the line.
    at = min(at < bytes.count && bytes[at] == quote ? at + 1 : at, bytes.count)
  }

  /// From inside a template to its end, or to the `${` that interrupts it.
  private mutating func template() -> Kind {
    while at < bytes.count, bytes[at] != 0x60 {
      if bytes[at] == 0x24, peek(1) == 0x7B {
        at += 2
        templateBraces.append(0)
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
    while at < bytes.count, bytes[at] != 0x0A {
      let byte = bytes[at]
      at += byte == 0x5C ? 2 : 1
      if byte == 0x5B { inClass = true }
      if byte == 0x5D { inClass = false }
      if byte == 0x2F, !inClass { break }
    }
    at = min(at, bytes.count)
    while Self.isWord(peek()) { at += 1 }
  }

  private mutating func skipSpace() {
    while at < bytes.count {
      switch bytes[at] {
      case 0x0A, 0x0D:
        sawNewline = true
        at += 1
      case 0x20, 0x09, 0x0B, 0x0C: at += 1
      case 0x2F where peek(1) == 0x2F:
        while at < bytes.count, bytes[at] != 0x0A { at += 1 }
      case 0x2F where peek(1) == 0x2A:
        at += 2
        while at < bytes.count, !(bytes[at] == 0x2A && peek(1) == 0x2F) {
          if bytes[at] == 0x0A { sawNewline = true }
          at += 1
        }
        at = min(at + 2, bytes.count)
      default: return
      }
    }
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x24, 0x23, 0x80...: true
    default: false
    }
  }

  private static let operatorWords: Set<String> = [
    "return", "typeof", "instanceof", "in", "of", "new", "delete", "void", "throw", "case", "do", "else",
    "await",
    "yield", "default", "extends",
  ]
}
