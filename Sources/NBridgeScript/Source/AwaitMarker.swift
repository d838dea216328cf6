// SPDX-License-Identifier: MIT

/// Lets a script tell which of its top-level awaits it is at: the engine keeps no async stack to ask.
///
/// Before an `await` outside of any function it puts `!(m.at=LINE)?0:`, an expression that notes the line and
/// gives way: the conditional binds so loosely that what follows means what it did. Where an operator to the
/// left would take part of it (`a + await b`), nothing is put in; the note is then the one before.
package enum AwaitMarker {
  /// The marker object's name, one that no author has.
  package static let variable = "\u{1C3}m"

  /// `length` units put in before column `column` (1-based, in the author's text) of line `line`.
  package struct Insertion: Equatable, Sendable {
    package let line: Int
    package let column: Int
    package let length: Int

    package init(line: Int, column: Int, length: Int) {
      self.line = line
      self.column = column
      self.length = length
    }
  }

  /// The text with notes, and where they stand.
  package static func mark(_ text: String) -> (text: String, insertions: [Insertion]) {
    insert(places(text), into: text)
  }

  /// Where an expression may be put before an `await` outside of functions, as offsets in UTF-8.
  package static func places(_ text: String) -> [Int] {
    var lexer = JSLexer(text)
    var scopes = ScopeTracker()
    var marks: [Int] = []
    while true {
      let token = lexer.next()
      if token.kind == .end { break }
      let word = lexer.text(token)
      if token.kind == .word, word == "await", !scopes.isInsideFunction, scopes.mayMark(token) {
        marks.append(token.range.lowerBound)
      }
      scopes.advance(token, word)
    }
    return marks
  }

  /// A script that seems to return outside of functions, which it may not though a function is put around it:
  /// `plain` without the awaits there, in the same columns, and `thrown` also without those `return`s.
  ///
  /// - Returns: nil for one that does not.
  package static func returning(_ text: String) -> (plain: String, thrown: String)? {
    var lexer = JSLexer(text)
    var scopes = ScopeTracker()
    var plain = Array(text.utf8)
    var returns: [(range: Range<Int>, hasValue: Bool)] = []
    var previous = ""
    var isBehindReturn = false
    while true {
      let token = lexer.next()
      let word = lexer.text(token)
      if isBehindReturn {
        let ends = token.kind == .end || token.startsLine || word == ";" || word == "}"
        returns[returns.count - 1].hasValue = !ends
        isBehindReturn = false
      }
      if token.kind == .end { break }
      if token.kind == .word, previous != ".", !scopes.isInsideFunction {
        if word == "await" { plain.replaceSubrange(token.range, with: instead(behind: previous)) }
        if word == "return" {
          returns.append((token.range, false))
          isBehindReturn = true
        }
      }
      scopes.advance(token, word)
      previous = word
    }
    guard !returns.isEmpty else { return nil }
    var thrown = plain
    for (range, hasValue) in returns.reversed() {
      thrown.replaceSubrange(range, with: (hasValue ? "throw 0," : "throw 0;").utf8)
    }
    return (String(decoding: plain, as: UTF8.self), String(decoding: thrown, as: UTF8.self))
  }

  /// What binds as `await` does, in as many letters.
  private static func instead(behind previous: String) -> String.UTF8View {
    (previous == "for" ? "     " : "void ").utf8
  }

  private static func insert(_ marks: [Int], into text: String) -> (String, [Insertion]) {
    guard !marks.isEmpty else { return (text, []) }
    let bytes = Array(text.utf8)
    var marked: [UInt8] = []
    var insertions: [Insertion] = []
    var line = 1
    var lineStart = 0
    var copied = 0
    for mark in marks {
      for index in copied..<mark where bytes.endsLine(at: index) {
        line += 1
        lineStart = index + 1
      }
      marked += bytes[copied..<mark]
      copied = mark
      let note = "!(\(variable).at=\(line))?0:"
      marked += Array(note.utf8)
      let column = String(decoding: bytes[lineStart..<mark], as: UTF8.self).utf16.count + 1
      insertions.append(Insertion(line: line, column: column, length: note.utf16.count))
    }
    marked += bytes[copied...]
    return (String(decoding: marked, as: UTF8.self), insertions)
  }
}

/// Follows brackets and functions through the tokens.
private struct ScopeTracker {
  private enum Bracket { case parenthesis(isControl: Bool), square, brace(isFunction: Bool), template }

  private var open: [Bracket] = []
  /// The depths at which an arrow function without braces began.
  private var arrows: [Int] = []
  private var previous = ""
  private var previousKind = JSLexer.Kind.end
  private var previousEnd = -1
  /// Whether the parentheses just closed were those of `if`, `for`, `while` …, so that no body follows.
  private var closedControl = false

  private static let controls: Set<String> = ["if", "for", "while", "switch", "catch", "with", "await"]
  /// After these, a whole expression follows: a note takes nothing away from the left side.
  private static let wholeExpressionFollows: Set<String> = [
    "=", "(", ",", "[", ":", "?", ";", "{", "}", "return", "throw",
  ]
  private static let unfinished: Set<String> = [
    "of", "in", "typeof", "void", "delete", "new", "instanceof", "await", "case", "for",
  ]

  var isInsideFunction: Bool {
    if !arrows.isEmpty { return true }
    return open.contains { if case .brace(isFunction: true) = $0 { true } else { false } }
  }

  /// Whether a note may stand before an `await` here.
  func mayMark(_ token: JSLexer.Token) -> Bool {
    if previousKind == .end || Self.wholeExpressionFollows.contains(previous) { return true }
    // The body of `for (…)` and its kin.
    if previous == ")", closedControl, previousKind == .punctuator { return true }
    // A statement after one that ended without a semicolon.
    let endsValue = previousKind != .punctuator || previous == ")" || previous == "]"
    return endsValue && token.startsLine && !Self.unfinished.contains(previous)
  }

  mutating func advance(_ token: JSLexer.Token, _ word: String) {
    if previous == "=>", word != "{" { arrows.append(open.count) }
    switch token.kind {
    case .punctuator: punctuator(word)
    case .template:
      if word.hasPrefix("}") { close() }
      if word.hasSuffix("${") { open.append(.template) }
    default: break
    }
    previous = token.kind == .word || token.kind == .punctuator ? whole(word, token) : ""
    previousKind = token.kind
    previousEnd = token.range.upperBound
  }

  /// The lexer's punctuators are single characters: `==` and `??` are not what their last one is.
  private func whole(_ word: String, _ token: JSLexer.Token) -> String {
    guard word == "=" || word == "?", previousEnd == token.range.lowerBound,
      let last = previous.last, "=!<>?".contains(last)
    else { return word }
    return String(last) + word
  }

  private mutating func punctuator(_ word: String) {
    switch word {
    case "(": open.append(.parenthesis(isControl: Self.controls.contains(previous)))
    case "[": open.append(.square)
    case "{": open.append(.brace(isFunction: previous == "=>" || (previous == ")" && !closedControl)))
    case ")", "]", "}": close()
    case ",", ";": if arrows.last == open.count { arrows.removeLast() }
    default: break
    }
  }

  private mutating func close() {
    guard let bracket = open.popLast() else { return }
    if case .parenthesis(let isControl) = bracket { closedControl = isControl }
    while let depth = arrows.last, depth > open.count { arrows.removeLast() }
  }
}
