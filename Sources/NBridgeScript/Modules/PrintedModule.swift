// SPDX-License-Identifier: MIT

/// A module whose last statement is an expression, with a call around it that gets its value: the engine
/// answers no value of a module.
package struct PrintedModule {
  /// The name of the function that is called with the value; no author has such a name.
  package static let function = "\(ModuleText.mark)value"
  private static let head = "\(function)(("

  /// What its author wrote.
  package let authored: String
  package let text: String
  /// Where the expression begins, in bytes.
  private let start: Int

  /// Nil for a text whose last statement is none, or that is no JavaScript.
  ///
  /// - Parameter parses: whether a text is a module, as the engine reads it.
  package init?(_ text: String, parses: (String) -> Bool) {
    guard let range = Self.expression(in: text, parses) else { return nil }
    var edits = Edits(Array(text.utf8))
    edits.insert(Self.head, at: range.lowerBound)
    edits.insert("))", at: range.upperBound)
    (authored, self.text, start) = (text, edits.text, range.lowerBound)
  }

  /// Has reports show what its author wrote.
  package func note(in module: inout ModuleGraph.Module) {
    guard module.map == nil, module.source == text else { return }
    module.authored = authored
    let (place, length) = (TextPlace(start, in: authored), Self.head.utf16.count)
    var (before, behind): ([Int], [Int]) = ([], [])
    let numbers = module.insertions
    for index in stride(from: 0, to: numbers.count - 2, by: 3) {
      let (line, column, size) = (numbers[index], numbers[index + 1], numbers[index + 2])
      if (line, column) <= (place.line, place.column) {
        before += [line, column, size]
      } else {
        behind += [line, line == place.line ? max(1, column - length) : column, size]
      }
    }
    module.insertions = before + [place.line, place.column, length] + behind
  }

  /// The last statement's place, without its semicolon: the longest end of the text that is an expression.
  private static func expression(in text: String, _ parses: (String) -> Bool) -> Range<Int>? {
    let (starts, end) = starts(in: text)
    let bytes = Array(text.utf8)
    for start in starts where start < end {
      let value = String(decoding: bytes[start..<end], as: UTF8.self)
      let rest = String(decoding: bytes[..<start], as: UTF8.self)
      if parses("export default (async () => (\n\(value)\n))"), parses(rest) { return start..<end }
    }
    return nil
  }

  /// Where statements may begin that are expressions, and the end of the last one.
  private static func starts(in text: String) -> (starts: [Int], end: Int) {
    var lexer = JSLexer(text)
    var (starts, end, depth): ([Int], Int, Int) = ([], 0, 0)
    var last = ";"
    while true {
      let token = lexer.next()
      guard token.kind != .end else { return (starts, end) }
      let word = lexer.text(token)
      // Nothing that would go on with the line before.
      let goesOn = token.kind == .punctuator || token.kind == .template
      let begins = last == ";" || !goesOn && (token.startsLine || last == "}")
      if depth == 0, begins, !declares(word) { starts.append(token.range.lowerBound) }
      switch (token.kind, word) {
      case (.punctuator, "("), (.punctuator, "["), (.punctuator, "{"): depth += 1
      case (.punctuator, ")"), (.punctuator, "]"), (.punctuator, "}"): depth -= 1
      case (.template, _): depth += (word.hasSuffix("${") ? 1 : 0) - (word.hasPrefix("}") ? 1 : 0)
      default: break
      }
      if word != ";" { end = token.range.upperBound }
      last = word
    }
  }

  /// Whether a statement that begins so declares something, or is a block.
  private static func declares(_ word: String) -> Bool {
    ["function", "class", "{", "@", ";"].contains(word)
  }
}
