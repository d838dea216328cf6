// SPDX-License-Identifier: MIT

/// Expressions (ECMA-262, 13), as far as names stand in them.
extension ModuleParser {
  /// Reads operands and what joins them, to what belongs to no expression.
  mutating func expression(stopsAtComma: Bool = false, noIn: Bool = false) {
    nested { parser in
      var choices = OpenChoices()
      parser.readExpression(&choices, stopsAtComma: stopsAtComma, noIn: noIn)
      parser.close(choices.endAll())
    }
  }

  private mutating func readExpression(_ choices: inout OpenChoices, stopsAtComma: Bool, noIn: Bool) {
    while !tokens.isAtEnd {
      let start = tokens.at
      let isWhole = operand()
      if !isWhole { postfixes() }
      demandNoAwait(from: start)
      demandNoDelete(from: start)
      if choices.conditions > 0, tokens.sees(":") {
        alternative(&choices)
        continue
      }
      // Behind an arrow function's braces only a comma goes on.
      guard isWhole ? tokens.sees(",") : joins(noIn: noIn) else { return }
      if tokens.sees(","), stopsAtComma, choices.conditions == 0 { return }
      joint(&choices)
    }
  }

  /// Whether an operator comes.
  private func joins(noIn: Bool) -> Bool {
    let token = tokens.peek()
    switch token.kind {
    case .punctuator:
      if token.text == "!" { return tokens.sees("=", 1) }
      return ![")", "]", "}", ";", ":", "{", "@", "=>", "++", "--", "~", "."].contains(token.text)
    case .word: return token.text == "instanceof" || (token.text == "in" && !noIn)
    default: return false
    }
  }

  private static let prefixWords: Set<String> = ["typeof", "void", "delete", "new"]

  /// Reads signs, then one value. Answers whether it was an arrow function, which nothing but a comma
  /// follows.
  private mutating func operand() -> Bool {
    while true {
      let token = tokens.peek()
      if token.kind == .punctuator {
        guard !["(", "[", "{", ")", "]", "}", ";", ":", ",", "@"].contains(token.text) else { break }
        tokens.next()  // a sign, the rest of an operator, dots
      } else if token.kind == .word, Self.prefixWords.contains(token.text) {
        tokens.next()
        if token.text == "new", tokens.sees(".") { return false }
        if token.text == "new", tokens.seesWord("await") {
          fault("'await' behind 'new' needs parentheses", tokens.peek().range)
        }
      } else if token.kind == .word, token.text == "await" {
        demandAsync(token)
        if depth == 0 { syntax.awaits.insert(token.range.lowerBound) }
        noteAwait()
        tokens.next()
      } else if token.kind == .word, token.text == "yield" {
        tokens.next()
        if endsYield { return false }
      } else {
        break
      }
    }
    return primary()
  }

  /// A word `await` that can only be an operator.
  mutating func demandAsync(_ word: TokenList.Item) {
    if depth == 0 { syntax.usesAwait = true }
    guard !canAwait else { return }
    fault("'await' is only valid in async functions and at the top of modules", word.range)
  }

  /// `await a ** b`: what a power is made of has no operator before it (ECMA-262, 13.6).
  private mutating func demandNoAwait(from start: Int) {
    guard tokens.sees("*"), tokens.sees("*", 1), tokens.touches(0) else { return }
    if let word = prefixes(from: start).first(where: { $0.text == "await" }) {
      fault("'await' before '**' needs parentheses", word.range)
    }
  }

  /// `delete a?.#b`: the engine finds this without the `?` alone (ECMA-262, 13.5.1.1).
  private mutating func demandNoDelete(from start: Int) {
    let name = tokens.previous
    guard name.kind == .word, name.text.utf8.first == UInt8(ascii: "#"), tokens.sees(".", -2),
      prefixes(from: start).last?.text == "delete"
    else { return }
    fault("a private name can't be deleted", name.range)
  }

  /// The signs and words before an operand that was read.
  private func prefixes(from start: Int) -> [TokenList.Item] {
    var found: [TokenList.Item] = []
    for distance in (start - tokens.at)..<0 {
      let token = tokens.peek(distance)
      let isSign = token.kind == .punctuator && !["(", "[", "{"].contains(token.text)
      let isWord = token.kind == .word && (Self.prefixWords.contains(token.text) || token.text == "await")
      guard isSign || isWord else { break }
      found.append(token)
    }
    return found
  }

  private var endsYield: Bool {
    let token = tokens.peek()
    return token.startsLine || (token.kind == .punctuator && ")]},;:".contains(token.text))
      || token.kind == .end || token.text == "in" || token.text == "of"
      || (token.kind == .template && token.text.hasPrefix("}"))
  }

  private mutating func primary() -> Bool {
    let token = tokens.peek()
    switch (token.kind, token.text) {
    case (.punctuator, "("):
      if isArrow(tokens.behindBracket()) { return arrow() }
      parenthesized()
    case (.punctuator, "["): bracketed()
    case (.punctuator, "{"): objectLiteral()
    case (.punctuator, "@"):
      decorated()
      classBody(isDeclaration: false)
    case (.template, _): template()
    case (.word, _): return word(token)
    case (.number, _), (.string, _), (.regex, _): tokens.next()
    default: break
    }
    return false
  }

  private func isArrow(_ token: TokenList.Item) -> Bool {
    token.kind == .punctuator && token.text == "=>" && !token.startsLine
  }

  private mutating func word(_ token: TokenList.Item) -> Bool {
    switch token.text {
    case "function": function(isDeclaration: false)
    case "class": classBody(isDeclaration: false)
    case "async" where tokens.seesWord("function", 1) && !tokens.peek(1).startsLine:
      tokens.next()
      function(isDeclaration: false)
    case "async" where isAsyncArrow:
      tokens.next()
      return arrow(isAsync: true)
    case "import": importExpression()
    case "this", "super", "null", "true", "false": tokens.next()
    default:
      if isArrow(tokens.peek(1)) { return arrow() }
      if decoratorsOfClass(isDeclaration: false) { return false }
      tokens.next()
      if token.text == "require" { requireCall(token) }
      if token.text == NewerNames.outerScope { noteScope() }
      reference(token, use(behind: token))
    }
    return false
  }

  /// `ǃU.add(…)`, which is for the end of the module.
  private mutating func noteScope() {
    syntax.usesScope = true
    guard tokens.peek(1).text == "addAsync" else { return }
    (syntax.usesAwait, syntax.awaitsEnd) = (true, true)
  }

  private mutating func requireCall(_ token: TokenList.Item) {
    let literal = tokens.peek(1)
    guard !ownsRequire, tokens.sees("("), literal.kind == .string, tokens.sees(")", 2), !tokens.sees(".", -2)
    else {
      return
    }
    syntax.requests.append(
      .init(
        specifier: literal.name, keyword: token.range, literal: literal.range, end: literal.range.upperBound,
        kind: .requireCall))
  }

  private var isAsyncArrow: Bool {
    let next = tokens.peek(1)
    guard !next.startsLine else { return false }
    if next.kind == .word { return isArrow(tokens.peek(2)) }
    return tokens.sees("(", 1) && isArrow(tokens.behindBracket(1))
  }

  /// What the name that was just taken is used for.
  private func use(behind token: TokenList.Item) -> ModuleSyntax.Use {
    let next = tokens.peek()
    // `(name)` may be what is called.
    var pairs = 0
    while tokens.sees("(", -2 - pairs), tokens.sees(")", pairs) { pairs += 1 }
    if pairs > 0, isCalled(pairs) { return .call }
    if next.kind == .template, next.text.hasPrefix("`") { return isMadeNew ? .value : .call }
    guard next.kind == .punctuator else { return .value }
    switch next.text {
    case ".": return .member
    case "(": return isMadeNew ? .value : .call
    case "?" where tokens.sees(".", 1) && tokens.touches(0):
      return tokens.sees("(", 2) ? .call : tokens.peek(2).kind == .word ? .member : .value
    default: return .value
    }
  }

  /// Whether what comes at a distance calls what stands before it.
  private func isCalled(_ distance: Int) -> Bool {
    let next = tokens.peek(distance)
    if next.kind == .template { return next.text.hasPrefix("`") }
    return tokens.sees("(", distance) || tokens.sees("?", distance) && tokens.sees(".", distance + 1)
  }

  /// Whether `new` stands before the name that was just taken.
  private var isMadeNew: Bool { tokens.seesWord("new", -2) }

  mutating func reference(_ token: TokenList.Item, _ use: ModuleSyntax.Use) {
    guard token.kind == .word else { return }
    scopes.use(token.text, token.range, use)
  }

  private mutating func importExpression() {
    let keyword = tokens.next()
    if tokens.take(".") {
      let meta = tokens.next()
      if meta.text == "meta" {
        return syntax.metas.append(keyword.range.lowerBound..<meta.range.upperBound)
      }
    }
    guard tokens.sees("(") else { return }
    syntax.dynamicImports.append(keyword.range)
    let literal = tokens.peek(1)
    if literal.kind == .string, tokens.sees(")", 2) || tokens.sees(",", 2) {
      let end = tokens.behindBracket().range.lowerBound
      syntax.requests.append(
        .init(
          specifier: literal.name, type: dynamicType, keyword: keyword.range, literal: literal.range,
          end: end, kind: .importCall))
    }
    parenthesized()
  }

  /// `type` in `import("a", { with: { type: "json" } })`.
  private var dynamicType: String? {
    var distance = 2
    while tokens.peek(distance).kind != .end, !tokens.sees(")", distance) {
      if tokens.peek(distance).name == "type", tokens.sees(":", distance + 1),
        tokens.peek(distance + 2).kind == .string
      {
        return tokens.peek(distance + 2).name
      }
      distance += 1
    }
    return nil
  }

  /// Members, calls, indices and tagged templates behind a value.
  private mutating func postfixes() {
    while !tokens.isAtEnd {
      let token = tokens.peek()
      if token.kind == .template, token.text.hasPrefix("`") {
        template()
        continue
      }
      guard token.kind == .punctuator else { return }
      switch token.text {
      case ".":
        tokens.next()
        tokens.next()
      case "?" where tokens.sees(".", 1) && tokens.touches(0):
        tokens.next()
        tokens.next()
        if tokens.peek().kind == .word { tokens.next() }
      case "(": parenthesized()
      case "[": bracketed()
      case "++" where !token.startsLine, "--" where !token.startsLine: tokens.next()
      default: return
      }
    }
  }

  // MARK: - Brackets

  /// Values in parentheses: a group, or what a call gets.
  mutating func parenthesized() {
    tokens.take("(")
    list(to: ")")
  }

  private mutating func bracketed() {
    tokens.take("[")
    list(to: "]")
  }

  private mutating func list(to end: String) {
    while !tokens.isAtEnd, !tokens.take(end) {
      progress { parser in
        if !parser.tokens.take(",") { parser.expression() }
      }
    }
  }

  private mutating func template() {
    var piece = tokens.next()
    while !tokens.isAtEnd, piece.text.hasSuffix("${") {
      while !tokens.isAtEnd, !(tokens.peek().kind == .template && tokens.peek().text.hasPrefix("}")) {
        progress { $0.expression() }
      }
      piece = tokens.next()
    }
  }
}
