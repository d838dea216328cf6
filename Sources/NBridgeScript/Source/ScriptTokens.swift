// SPDX-License-Identifier: MIT

/// The tokens of a script, comments included, for tools that colour or complete it.
package struct ScriptTokens: Sequence, IteratorProtocol {
  package enum Kind: Sendable { case word, number, string, template, regex, punctuator, comment }

  package struct Token: Sendable {
    package let kind: Kind
    /// In bytes of UTF-8.
    package let range: Range<Int>
    package let text: String
  }

  private var lexer: JSLexer
  private let bytes: [UInt8]
  private var at = 0
  /// What comes next, the last first.
  private var waiting: [Token] = []

  package init(_ text: String) {
    lexer = JSLexer(text)
    bytes = Array(text.utf8)
  }

  package mutating func next() -> Token? {
    if let token = waiting.popLast() { return token }
    let found = lexer.next()
    let between = at..<found.range.lowerBound
    at = found.range.upperBound
    let token = kind(found.kind).map { Token(kind: $0, range: found.range, text: lexer.text(found)) }
    // What the lexer skipped is space and comments.
    guard bytes[between].contains(0x2F) else { return token }
    waiting = (comments(in: between) + [token].compactMap(\.self)).reversed()
    return waiting.popLast()
  }

  /// Whether a text ends inside of a template.
  package static func endInTemplate(_ text: String) -> Bool {
    var last: Token?
    for token in ScriptTokens(text) { last = token }
    guard let last, last.kind == .template, last.range.upperBound >= text.utf8.count else { return false }
    guard last.text.utf8.count > 1, last.text.hasSuffix("`") else { return !last.text.hasSuffix("${") }
    return last.text.dropLast().reversed().prefix { $0 == "\\" }.count % 2 == 1
  }

  private func comments(in between: Range<Int>) -> [Token] {
    var comments: [Token] = []
    var start = between.lowerBound
    while let begin = bytes[start..<between.upperBound].firstIndex(of: 0x2F) {
      let end = JSLexer.commentEnd(bytes, from: begin)
      let text = String(decoding: bytes[begin..<end], as: UTF8.self)
      comments.append(Token(kind: .comment, range: begin..<end, text: text))
      start = end
    }
    return comments
  }

  private func kind(_ kind: JSLexer.Kind) -> Kind? {
    switch kind {
    case .word: .word
    case .number: .number
    case .string: .string
    case .template: .template
    case .regex: .regex
    case .punctuator: .punctuator
    case .end: nil
    }
  }
}
