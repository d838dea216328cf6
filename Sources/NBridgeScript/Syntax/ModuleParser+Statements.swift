// SPDX-License-Identifier: MIT

/// Statements (ECMA-262, 14), as far as they make scopes.
extension ModuleParser {
  mutating func statement(isTop: Bool) {
    nested { parser in
      parser.countStatement(isTop: isTop)
      parser.readStatement(isTop: isTop)
    }
  }

  mutating func readStatement(isTop: Bool) {
    let token = tokens.peek()
    if token.kind == .punctuator {
      switch token.text {
      case "{": return block()
      case ";": tokens.next()
      case "@": decorated()
      default: expressionStatement()
      }
      return
    }
    guard token.kind == .word else { return expressionStatement() }
    if isTop, isImportDeclaration { return importDeclaration() }
    if isTop, token.text == "export" { return exportDeclaration() }
    keyword(token.text)
  }

  private mutating func keyword(_ word: String) {
    switch word {
    case "const" where usingDeclaration(): break
    case "var", "let", "const":
      tokens.next()
      variables(inFunction: word == "var") { _ in }
      tokens.take(";")
    case "function": function(isDeclaration: true)
    case "async" where tokens.seesWord("function", 1) && !tokens.peek(1).startsLine:
      tokens.next()
      function(isDeclaration: true)
    case "class": classBody(isDeclaration: true)
    case "if", "while", "with", "for", "do", "switch", "try": control(word)
    case "return", "throw":
      tokens.next()
      if !tokens.peek().startsLine { expressionStatement() }
    case "break", "continue":
      tokens.next()
      if tokens.peek().kind == .word, !tokens.peek().startsLine { tokens.next() }
      tokens.take(";")
    case "debugger":
      tokens.next()
      tokens.take(";")
    default: otherWord()
    }
  }

  private mutating func otherWord() {
    if tokens.sees(":", 1) {
      let label = lowering?.label ?? tokens.peek().range.lowerBound
      lowering?.label = label
      demandName(tokens.next())
      tokens.next()
      // Nothing may come between a loop and its label.
      nested { $0.readStatement(isTop: false) }
      lowering?.label = nil
      return
    }
    if decoratorsOfClass(isDeclaration: true) { return }
    if isUsing(0) || tokens.seesWord("await") && isUsing(1) {
      if tokens.take("await"), depth == 0 { syntax.usesAwait = true }
      tokens.next()
      variables(inFunction: false) { _ in }
      tokens.take(";")
      return
    }
    expressionStatement()
  }

  /// `using name`, on one line.
  private func isUsing(_ distance: Int) -> Bool {
    let name = tokens.peek(distance + 1)
    return tokens.seesWord("using", distance) && name.kind == .word && !name.startsLine
      && !["in", "of", "instanceof"].contains(name.text)
  }

  private mutating func expressionStatement() {
    expression()
    tokens.take(";")
  }

  mutating func block() {
    tokens.take("{")
    openBlock()
    scopes.open()
    statements()
    scopes.close()
    closeBlock()
  }

  /// To the closing brace, and it.
  mutating func statements() {
    while !tokens.isAtEnd, !tokens.take("}") { progress { $0.statement(isTop: false) } }
  }

  mutating func decorated() {
    while tokens.take("@") {
      if tokens.sees("(") { parenthesized() } else { reference(tokens.next(), .value) }
      while tokens.sees(".") || tokens.sees("(") {
        if tokens.take(".") { tokens.next() } else { parenthesized() }
      }
    }
  }

  /// Variables behind their keyword.
  mutating func variables(inFunction: Bool, noIn: Bool = false, _ each: (TokenList.Item) -> Void) {
    repeat {
      pattern(inFunction: inFunction, each)
      if tokens.take("=") { expression(stopsAtComma: true, noIn: noIn) }
    } while tokens.take(",")
  }

  // MARK: - Control

  private mutating func control(_ word: String) {
    let keyword = tokens.next().range.lowerBound
    switch word {
    case "for": forStatement(from: lowering?.label ?? keyword)
    case "do":
      body()
      tokens.take("while")
      parenthesized()
      tokens.take(";")
    case "switch":
      parenthesized()
      switchBody()
    case "if":
      parenthesized()
      choices(of: keyword)
    case "with":
      parenthesized()
      // A counter's name would be looked for in the object.
      let marks = syntax.marks
      syntax.marks = nil
      statement(isTop: false)
      syntax.marks = marks
    case "try": tryStatement()
    default:
      parenthesized()
      body()
    }
  }

  private mutating func forStatement(from start: Int) {
    lowering?.label = nil
    if tokens.seesWord("await") { demandAsync(tokens.next()) }
    tokens.take("(")
    scopes.open()
    let word = tokens.peek().text
    let using = usingHead(from: start)
    if using != nil {
      // Taken.
    } else if ["var", "let", "const"].contains(word) || isUsing(0) || (word == "await" && isUsing(1)) {
      if tokens.take("await"), depth == 0 { syntax.usesAwait = true }
      tokens.next()
      variables(inFunction: word == "var", noIn: true) { _ in }
    } else if !tokens.sees(";") {
      expression(noIn: true)
    }
    if tokens.take("of") || tokens.take("in") {
      expression()
    } else {
      tokens.take(";")
      if !tokens.sees(";") { expression() }
      tokens.take(";")
      if !tokens.sees(")") { expression() }
    }
    tokens.take(")")
    lowering?.insert(using?.head ?? "", at: tokens.peek().range.lowerBound)
    body()
    lowering?.insert(using?.tail ?? "", at: tokens.previous.range.upperBound)
    scopes.close()
  }

  private mutating func switchBody() {
    tokens.take("{")
    openBlock(takesUsing: false)
    scopes.open()
    let group = syntax.marks?.makeGroup() ?? 0
    while !tokens.isAtEnd, !tokens.take("}") {
      progress { parser in
        let place = parser.tokens.peek().range.lowerBound
        if parser.tokens.take("case") {
          parser.expression()
          parser.tokens.take(":")
          parser.countCase(group, place)
        } else if parser.tokens.seesWord("default"), parser.tokens.sees(":", 1) {
          parser.tokens.next()
          parser.tokens.next()
          parser.countCase(group, place)
        } else {
          parser.statement(isTop: false)
        }
      }
    }
    scopes.close()
    closeBlock()
  }

  /// What stands between `catch` and its block.
  private mutating func caughtValue() {
    let open = tokens.peek().range
    guard tokens.take("(") else { return }
    let name = tokens.peek().kind == .word && tokens.sees(")", 1) ? tokens.peek().text : nil
    pattern(inFunction: false) { _ in }
    let close = tokens.peek().range
    guard tokens.take(")"), tokens.sees("{") else { return }
    syntax.catches.append(.init(name: name, open: open, close: close, block: tokens.peek().range))
  }

  private mutating func tryStatement() {
    block()
    if tokens.take("catch") {
      scopes.open()
      caughtValue()
      block()
      scopes.close()
    }
    if tokens.take("finally") { block() }
  }
}
