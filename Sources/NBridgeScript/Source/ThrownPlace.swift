// SPDX-License-Identifier: MIT

/// A value that was thrown and is no Error: the engine does not say where it came from.
package enum ThrownValue {
  /// A string.
  case text(String)
  /// An object with properties of these names.
  case object([String])
  /// Any other, as it is written.
  case other(String)
}

extension SourceRegistry {
  /// Texts longer than this, in bytes, are not looked through.
  private static let limit = 4 << 20

  /// Where a value that carries no stack was thrown: the one place in the scripts that throws, or rejects
  /// with, a value like it; nil where there are several, or none.
  ///
  /// - Parameter maker: the class that made the value; nil for what has none.
  package func placeOfThrow(_ value: ThrownValue, by maker: String? = nil) -> StackFrame? {
    var (alike, possible): ([StackFrame], [StackFrame]) = ([], [])
    for source in scripts where source.text.utf8.count <= Self.limit {
      for site in ThrowSite.all(in: source.text) {
        guard let likeness = site.likeness(to: value, by: maker), let frame = frame(source, site.offset)
        else {
          continue
        }
        if likeness { alike.append(frame) } else { possible.append(frame) }
      }
    }
    if let first = alike.first { return alike.count == 1 ? first : nil }
    return possible.count == 1 ? possible.first : nil
  }

  private func frame(_ source: ScriptSource, _ offset: Int) -> StackFrame? {
    let before = source.text.utf8.prefix(offset)
    let line = before.count { $0 == 0x0A } + 1
    let start = before.lastIndex(of: 0x0A).map { before.index(after: $0) } ?? before.startIndex
    let column = String(decoding: before[start...], as: UTF8.self).utf16.count + 1
    return StackFrame("@\(source.url):\(line):\(column)").flatMap(authoredText)
  }
}

/// A place that throws something, or rejects a promise with it.
private struct ThrowSite {
  /// Where the word stands, in bytes.
  let offset: Int
  /// The tokens of what is thrown, the first of them.
  let tokens: [(kind: JSLexer.Kind, text: String)]

  private static let looksAt = 64

  static func all(in text: String) -> [ThrowSite] {
    guard text.utf8.containsText("throw") || text.utf8.containsText("reject") else { return [] }
    var lexer = JSLexer(text)
    var tokens: [(kind: JSLexer.Kind, text: String, offset: Int)] = []
    while true {
      let token = lexer.next()
      if token.kind == .end { break }
      tokens.append((token.kind, lexer.text(token), token.range.lowerBound))
    }
    return tokens.indices.compactMap { index in
      let isThrow = tokens[index].text == "throw"
      guard tokens[index].kind == .word, isThrow || tokens[index].text == "reject" else { return nil }
      let start = index + (isThrow ? 1 : 2)
      guard start < tokens.count, isThrow || tokens[index + 1].text == "(" else { return nil }
      let behind = tokens[start..<min(start + looksAt, tokens.count)].map { ($0.kind, $0.text) }
      return ThrowSite(offset: tokens[index].offset, tokens: behind)
    }
  }

  /// Whether it throws a value like `value`: true where it is written there, false where it may be, nil where
  /// it is another.
  func likeness(to value: ThrownValue, by maker: String?) -> Bool? {
    guard let first = tokens.first else { return nil }
    if first.kind == .word, first.text == "new" {
      return maker != nil && tokens.dropFirst().first?.text == maker ? false : nil
    }
    switch (first.kind, value) {
    case (.string, .text(let text)):
      // What is escaped may be anything.
      if first.text.contains("\\") { return false }
      return first.text.dropFirst().dropLast() == text ? true : nil
    case (.template, .text): return false
    case (.number, .other(let text)): return first.text == text ? true : nil
    case (.regex, _): return maker == "RegExp" ? false : nil
    case (.string, _), (.template, _), (.number, _): return nil
    case (.punctuator, .object(let keys)) where first.text == "{":
      let words = Set(tokens.map { $0.kind == .string ? String($0.text.dropFirst().dropLast()) : $0.text })
      return keys.allSatisfy(words.contains) ? true : nil
    case (.punctuator, .object(let keys)) where first.text == "[":
      return keys.contains("length") ? false : nil
    case (.punctuator, _) where first.text == "{" || first.text == "[": return nil
    case (.word, .other(let text)) where ["null", "undefined", "true", "false"].contains(first.text):
      return first.text == text ? true : nil
    default: return false
    }
  }
}
