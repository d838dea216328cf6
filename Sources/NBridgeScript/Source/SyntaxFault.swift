// SPDX-License-Identifier: MIT

/// Where a script goes wrong of which the engine tells the line of what it read next, or of the script's end.
package struct SyntaxFault {
  /// 1-based.
  package let line: Int
  /// 1-based, in UTF-16 units.
  package let column: Int

  private struct Word {
    let text: String
    let range: Range<Int>
    /// Whether it stands behind a point.
    let isMember: Bool
  }

  /// Longer texts are not looked through: each of some twenty parses takes as long as the text is.
  private static let longest = 1 << 20
  /// More places of one private name are not tried.
  private static let mostPlaces = 50
  /// What a message is about stands before the place where the engine noticed it.
  private static let culprits = [
    "'break' is only valid": "break", "'continue' is only valid": "continue",
    "Cannot declare multiple constructors": "constructor",
  ]

  /// - Parameters:
  ///   - line: the engine's.
  ///   - problem: what the engine says of a text; nil for one that parses.
  /// - Returns: nil where the engine's line is right, or nothing better is known.
  package init?(in text: String, line: Int, problem: (String) -> String?) {
    guard text.utf8.count <= Self.longest, let message = problem(text) else { return nil }
    let culprit = Self.culprits.first { message.hasPrefix($0.key) }?.value
    let isPrivate = message.contains("undeclared private name")
    guard isPrivate || culprit != nil else { return nil }
    let words = Self.words(text)
    let word: Word?
    if let culprit {
      word = Self.noticed(culprit, words, message, text, problem)
    } else {
      word = Self.undeclared(words, message, text, problem)
    }
    guard let start = word?.range.lowerBound else { return nil }
    let place = TextPlace(start, in: text)
    guard place.line < line else { return nil }
    (self.line, column) = (place.line, place.column)
  }

  private static func words(_ text: String) -> [Word] {
    var lexer = JSLexer(text)
    var words: [Word] = []
    while true {
      let token = lexer.next()
      if token.kind == .end { return words }
      let isMember = words.last?.text.hasSuffix(".") ?? false
      words.append(Word(text: lexer.text(token), range: token.range, isMember: isMember))
    }
  }

  /// The last such word before the place where the fault is noticed: from there on, beginnings of the text
  /// have the same fault.
  private static func noticed(
    _ culprit: String, _ words: [Word], _ message: String, _ text: String, _ problem: (String) -> String?
  ) -> Word? {
    let bytes = Array(text.utf8)
    func fails(_ count: Int) -> Bool {
      problem(String(decoding: bytes[..<words[count - 1].range.upperBound], as: UTF8.self)) == message
    }
    guard !words.isEmpty, fails(words.count) else { return nil }
    var (good, bad) = (0, words.count)
    while bad - good > 1 {
      let middle = (good + bad) / 2
      if fails(middle) { bad = middle } else { good = middle }
    }
    return words[..<bad].last { $0.text == culprit && !$0.isMember }
  }

  /// The first use of a private name that no class around it declares: with all other uses gone, the fault is
  /// still there. What stands behind a point, or before `in`, is a use.
  private static func undeclared(
    _ words: [Word], _ message: String, _ text: String, _ problem: (String) -> String?
  ) -> Word? {
    let parts = message.split(separator: "\"")
    guard parts.count > 1, parts[1].hasPrefix("#") else { return nil }
    let uses = words.indices.filter { index in
      guard words[index].text == parts[1] else { return false }
      return words[index].isMember || index + 1 < words.count && words[index + 1].text == "in"
    }.map { words[$0] }
    guard uses.count <= mostPlaces else { return nil }
    return uses.first { use in
      var bytes = Array(text.utf8)
      for other in uses where other.range != use.range { bytes[other.range.lowerBound] = UInt8(ascii: "_") }
      return problem(String(decoding: bytes, as: UTF8.self)) == message
    }
  }
}
