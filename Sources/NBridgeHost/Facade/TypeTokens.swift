// SPDX-License-Identifier: MIT

internal import NBridgeScript

/// Some of TypeScript's declarations, as tokens: what stands in them, without judging it.
struct TypeTokens: Sendable {
  private typealias Token = ScriptTokens.Token

  /// Comments included.
  private let tokens: ArraySlice<Token>

  init(_ text: String) { tokens = Array(ScriptTokens(text))[...] }

  private init(_ tokens: ArraySlice<Token>) { self.tokens = tokens }

  private static func step(_ token: Token) -> Int {
    guard token.kind == .punctuator else { return 0 }
    if ["(", "[", "{", "<"].contains(token.text) { return 1 }
    return [")", "]", "}", ">"].contains(token.text) ? -1 : 0
  }

  /// Without comments, on one line.
  var text: String {
    var text = ""
    var end: Int?
    for token in tokens where token.kind != .comment {
      if let end, end < token.range.lowerBound { text += " " }
      text += token.text
      end = token.range.upperBound
    }
    return text
  }

  /// The words and marks, without comments.
  var words: [String] { tokens.filter { $0.kind != .comment }.map(\.text) }
  var first: String? { tokens.first { $0.kind != .comment }?.text }
  var isEmpty: Bool { tokens.allSatisfy { $0.kind == .comment } }

  /// The last comment in front of the first word.
  var comment: String { tokens.prefix { $0.kind == .comment }.last?.text ?? "" }

  /// Without so many words at the beginning, and the comments there.
  func dropping(_ count: Int) -> TypeTokens {
    var rest = tokens.drop { $0.kind == .comment }
    for _ in 0..<count { rest = rest.dropFirst().drop { $0.kind == .comment } }
    return TypeTokens(rest)
  }

  /// Without what stands in front of a mark or word outside of brackets; nil when it is not there.
  func behind(_ mark: String) -> TypeTokens? {
    place(of: [mark]).map { TypeTokens(tokens[($0 + 1)...]) }
  }

  /// The same with the mark itself.
  func from(_ mark: String) -> TypeTokens? { place(of: [mark]).map { TypeTokens(tokens[$0...]) } }

  /// What stands in front of it; all when it is not there.
  func before(_ mark: String) -> TypeTokens {
    place(of: [mark]).map { TypeTokens(tokens[..<$0]) } ?? self
  }

  private func place(of marks: Set<String>) -> Int? {
    var depth = 0
    for index in tokens.indices {
      if depth == 0, marks.contains(tokens[index].text) { return index }
      depth = max(0, depth + Self.step(tokens[index]))
    }
    return nil
  }

  /// The parts between marks outside of brackets; empty ones are left out.
  func split(at marks: Set<String>) -> [TypeTokens] {
    var parts: [TypeTokens] = []
    var rest = self
    while let place = rest.place(of: marks) {
      parts.append(TypeTokens(rest.tokens[..<place]))
      rest = TypeTokens(rest.tokens[(place + 1)...])
    }
    return (parts + [rest]).filter { !$0.isEmpty }
  }

  /// When a bracket comes first: what is in it, and what stands behind.
  var group: (inside: TypeTokens, rest: TypeTokens)? {
    let own = tokens.drop { $0.kind == .comment }
    guard let first = own.first, Self.step(first) == 1 else { return nil }
    var depth = 0
    for index in own.indices {
      depth += Self.step(own[index])
      guard depth == 0 else { continue }
      return (TypeTokens(own[(own.startIndex + 1)..<index]), TypeTokens(own[(index + 1)...]))
    }
    return nil
  }

  /// The members of an interface: each ends at a mark, or where a comment or a line begins the next.
  var members: [TypeTokens] { split(at: [";", ","]).flatMap(\.partsByComment) }

  private var partsByComment: [TypeTokens] {
    var parts: [TypeTokens] = []
    var start = tokens.startIndex
    var (depth, hasWord) = (0, false)
    for index in tokens.indices {
      let token = tokens[index]
      if depth == 0, hasWord, token.text.hasPrefix("/**") {
        parts.append(TypeTokens(tokens[start..<index]))
        (start, hasWord) = (index, false)
      }
      if token.kind != .comment { hasWord = true }
      depth = max(0, depth + Self.step(token))
    }
    return (parts + [TypeTokens(tokens[start...])]).filter { !$0.isEmpty }
  }
}
