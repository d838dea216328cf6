// SPDX-License-Identifier: MIT

internal import NBridgeSystem

/// Puts what esbuild 0.17 and ``LoweredText`` can read in the place of syntax that the language has since
/// lately: `using`, `accessor` and decorators. Goes by tokens alone, so that TypeScript may stand around it.
/// Lines stay.
struct NewerSyntax {
  var tokens: TokenList
  var edits: Edits
  /// How many names were made.
  var count = 0
  private let takesDecorators: Bool
  private var open: [Bracket] = []
  /// Heads of classes whose body is to come.
  private var heads: [Head] = []
  private var hasFound = false
  private let stack = StackSpace()
  /// Whether brackets stand in one another deeper than the stack has room for: then nothing is replaced.
  private(set) var isTooDeep = false
  /// How many tokens were read again, of what seemed to be decorators: where these stand in one another, each
  /// would double the work.
  private var repeated = 0
  /// Times the length of the text.
  private static let mostRepeated = 16

  enum Bracket { case classBody, other }

  private struct Head {
    let depth: Int
    var angles = 0
  }

  /// The text with all of it replaced; nil for one that has none.
  ///
  /// - Parameter takesDecorators: whether decorators are the language's, and not TypeScript's older ones.
  static func replaced(in text: String, takesDecorators: Bool = true) -> EditedText? {
    guard NewerWords.mayBe(in: text, takesDecorators: takesDecorators) else { return nil }
    var syntax = Self(text, takesDecorators)
    while !syntax.tokens.isAtEnd { syntax.step() }
    return syntax.hasFound && !syntax.isTooDeep ? EditedText(syntax.edits) : nil
  }

  private init(_ text: String, _ takesDecorators: Bool) {
    (tokens, edits) = (TokenList(text), Edits(Array(text.utf8)))
    self.takesDecorators = takesDecorators
  }

  var isInClassBody: Bool { open.last == .classBody }

  private mutating func step() {
    let token = tokens.peek()
    switch (token.kind, token.text) {
    case (.punctuator, "@") where takesDecorators: decorators()
    case (.punctuator, _): punctuator(token.text)
    case (.template, let text):
      tokens.next()
      if text.hasPrefix("}") { _ = open.popLast() }
      if text.hasSuffix("${") { open.append(.other) }
    case (.word, "class") where isClassHead(0):
      heads.append(Head(depth: open.count))
      tokens.next()
    case (.word, "accessor") where isInClassBody && isAccessor: accessor()
    case (.word, "using") where isUsing(0): using(isAsync: false)
    case (.word, "await") where isUsing(1) && !tokens.peek(1).startsLine: using(isAsync: true)
    default: tokens.next()
    }
  }

  private mutating func punctuator(_ text: String) {
    tokens.next()
    switch text {
    case "{":
      if let head = heads.last, head.depth == open.count, head.angles == 0 {
        heads.removeLast()
        open.append(.classBody)
      } else {
        open.append(.other)
      }
    case "(", "[": open.append(.other)
    case ")", "]", "}":
      _ = open.popLast()
      while let head = heads.last, head.depth > open.count { heads.removeLast() }
    case "<", ">":
      // Types of a class's head.
      if let head = heads.last, head.depth == open.count {
        heads[heads.count - 1].angles += text == "<" ? 1 : -1
      }
    default: break
    }
  }

  /// Reads what stands in brackets, and them.
  mutating func group() {
    guard stack.hasRoom else {
      isTooDeep = true
      while !tokens.isAtEnd { tokens.next() }
      return
    }
    let depth = open.count
    repeat { step() } while !tokens.isAtEnd && open.count > depth
  }

  /// Whether `class` begins one: it may be a member's name.
  func isClassHead(_ distance: Int) -> Bool {
    guard tokens.seesWord("class", distance), !tokens.sees(".", distance - 1) else { return false }
    let next = tokens.peek(distance + 1)
    return next.kind == .word || next.kind == .punctuator && ["{", "<"].contains(next.text)
  }

  mutating func note() { hasFound = true }

  /// Goes back to how it was before, unless that was too much by now; answers whether it did.
  mutating func retry(from kept: Self) -> Bool {
    let count = repeated + tokens.at - kept.tokens.at
    guard !isTooDeep, count <= Self.mostRepeated * tokens.items.count else { return false }
    self = kept
    repeated = count
    return true
  }

  // MARK: - using

  /// `using name`, on one line, where a statement may begin.
  private func isUsing(_ distance: Int) -> Bool {
    let name = tokens.peek(distance + 1)
    guard tokens.seesWord("using", distance), name.kind == .word, !name.startsLine,
      !["in", "instanceof", "as", "satisfies", "is", "extends"].contains(name.text), !isInClassBody
    else { return false }
    if name.text == "of" { return tokens.sees("=", distance + 2) }
    let behind = tokens.peek(distance + 2)
    guard behind.kind == .punctuator ? ["=", ":", "!"].contains(behind.text) : behind.text == "of" else {
      return false
    }
    return begins(tokens.peek(-1), tokens.peek())
  }

  /// Whether a statement, or the head of a loop, may begin with a token behind another.
  private func begins(_ previous: TokenList.Item, _ token: TokenList.Item) -> Bool {
    if previous.kind == .end || token.startsLine { return true }
    guard previous.kind == .punctuator else { return false }
    if previous.text == "(" { return tokens.seesWord("for", -2) || tokens.seesWord("await", -2) }
    return [";", "{", "}", ")", ":"].contains(previous.text)
  }

  private mutating func using(isAsync: Bool) {
    count += 1
    let name = "\(isAsync ? NewerNames.awaitUsing : NewerNames.using)\(count)"
    let start = tokens.peek().range.lowerBound
    if isAsync { tokens.next() }
    let end = tokens.next().range.upperBound
    hasFound = true
    if tokens.seesWord("of", 1) {
      let variable = tokens.next()
      edits.replace(start..<end, with: "const{\(name):")
      edits.insert("}", at: variable.range.upperBound)
    } else {
      edits.replace(start..<end, with: "const \(name)=0,")
    }
  }
}
