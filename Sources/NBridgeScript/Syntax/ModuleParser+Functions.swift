// SPDX-License-Identifier: MIT

/// Functions, classes, objects and patterns (ECMA-262, 15, 13.2.5, 14.3.3).
extension ModuleParser {
  /// From the word `function` on.
  mutating func function(isDeclaration: Bool) {
    var head = functionHead()
    tokens.take("function")
    tokens.take("*")
    let name = tokens.peek().kind == .word ? tokens.next() : nil
    if isDeclaration, let name { scopes.declare(name.text) }
    scopes.open()
    if !isDeclaration, let name { scopes.declare(name.text) }
    if let name { head = CounterMarks.Function(place: head.place, name: name.text) }
    functionRest(head)
    scopes.close()
  }

  /// Parameters and body.
  mutating func functionRest(_ head: CounterMarks.Function) {
    nested { parser in
      parser.depth += 1
      parser.scopes.open()
      // A function has its own; an arrow function that of the one around it, which no module is.
      parser.scopes.declare("arguments")
      parser.parameters()
      parser.functionBody(head)
      parser.scopes.close()
      parser.depth -= 1
    }
  }

  private mutating func parameters() {
    tokens.take("(")
    while !tokens.isAtEnd, !tokens.take(")") {
      progress { parser in
        if parser.tokens.take(",") { return }
        parser.patternWithDefault()
      }
    }
  }

  private mutating func functionBody(_ head: CounterMarks.Function?) {
    tokens.take("{")
    openBlock(isBody: true)
    scopes.open(isFunction: true)
    if let head { countFunction(head) }
    statements()
    scopes.close()
    closeBlock()
  }

  /// From the parameters on. Answers whether it ended with a brace.
  mutating func arrow() -> Bool {
    let head = functionHead()
    depth += 1
    scopes.open()
    if tokens.sees("(") { parameters() } else { scopes.declare(tokens.next().text) }
    tokens.take("=>")
    let hasBody = tokens.sees("{")
    if hasBody { functionBody(head) } else { arrowValue(head) }
    scopes.close()
    depth -= 1
    return true
  }

  // MARK: - Classes

  mutating func classBody(isDeclaration: Bool) {
    openClass(isDeclaration: isDeclaration)
    tokens.take("class")
    let name = tokens.peek().kind == .word && tokens.peek().text != "extends" ? tokens.next() : nil
    if isDeclaration, let name { scopes.declare(name.text) }
    scopes.open()
    if let name { scopes.declare(name.text) }
    if tokens.take("extends") { expression(stopsAtComma: true) }
    tokens.take("{")
    noteClassBody()
    while !tokens.isAtEnd, !tokens.take("}") { progress { $0.classMember() } }
    scopes.close()
    closeClass(name: name)
  }

  private mutating func classMember() {
    if tokens.take(";") || markedMember() { return }
    decorated()
    if tokens.seesWord("static"), tokens.sees("{", 1) {
      tokens.next()
      depth += 1
      functionBody(nil)
      depth -= 1
      return
    }
    modifiers(["static", "async", "get", "set", "accessor"], unless: ["(", "=", ";", "}"])
    let head = functionHead(tokens.peek().name)
    memberKey()
    if tokens.sees("(") { return functionRest(head) }
    if tokens.take("=") {
      depth += 1
      scopes.open(isFunction: true)
      expression(stopsAtComma: true)
      scopes.close()
      depth -= 1
    }
    tokens.take(";")
  }

  /// Words that stand before a member's name, unless one is the name itself.
  private mutating func modifiers(_ words: Set<String>, unless ends: Set<String>) {
    while tokens.peek().kind == .word, words.contains(tokens.peek().text) {
      let next = tokens.peek(1)
      if next.kind == .end || next.kind == .punctuator && ends.contains(next.text) { break }
      tokens.next()
    }
    tokens.take("*")
  }

  private mutating func memberKey() {
    if tokens.sees("[") {
      tokens.next()
      while !tokens.isAtEnd, !tokens.take("]") { progress { $0.expression() } }
    } else {
      tokens.next()
    }
  }

  // MARK: - Objects

  mutating func objectLiteral() {
    tokens.take("{")
    while !tokens.isAtEnd, !tokens.take("}") {
      progress { parser in
        if !parser.tokens.take(",") { parser.member() }
      }
    }
  }

  private mutating func member() {
    if tokens.sees(".") { return expression(stopsAtComma: true) }
    modifiers(["async", "get", "set"], unless: ["(", ":", ",", "}", "="])
    let key = tokens.peek()
    let head = functionHead(key.name)
    memberKey()
    if tokens.sees("(") {
      functionRest(head)
    } else if tokens.take(":") {
      expression(stopsAtComma: true)
    } else {
      reference(key, .shorthand)
      if tokens.take("=") { expression(stopsAtComma: true) }
    }
  }

  // MARK: - Patterns

  private mutating func patternWithDefault() {
    pattern(inFunction: false) { _ in }
    if tokens.take("=") { defaultValue() }
  }

  /// Names that a declaration brings, each given to `each`.
  mutating func pattern(inFunction: Bool, _ each: (TokenList.Item) -> Void) {
    while tokens.take(".") {}
    if tokens.take("[") { return elements(inFunction, each) }
    if tokens.take("{") { return properties(inFunction, each) }
    guard tokens.peek().kind == .word else { return }
    let name = tokens.next()
    scopes.declare(name.text, inFunction: inFunction)
    each(name)
  }

  private mutating func elements(_ inFunction: Bool, _ each: (TokenList.Item) -> Void) {
    while !tokens.isAtEnd, !tokens.take("]") {
      let start = tokens.at
      if !tokens.take(",") {
        nestedPattern(inFunction, each)
        if tokens.take("=") { defaultValue() }
      }
      if tokens.at == start { tokens.next() }
    }
  }

  private mutating func properties(_ inFunction: Bool, _ each: (TokenList.Item) -> Void) {
    while !tokens.isAtEnd, !tokens.take("}") {
      let start = tokens.at
      if !tokens.take(",") {
        property(inFunction, each)
        if tokens.take("=") { defaultValue() }
      }
      if tokens.at == start { tokens.next() }
    }
  }

  private mutating func property(_ inFunction: Bool, _ each: (TokenList.Item) -> Void) {
    if tokens.sees(".") { return nestedPattern(inFunction, each) }
    let key = tokens.peek()
    memberKey()
    if tokens.take(":") { return nestedPattern(inFunction, each) }
    scopes.declare(key.text, inFunction: inFunction)
    each(key)
  }

  private mutating func nestedPattern(_ inFunction: Bool, _ each: (TokenList.Item) -> Void) {
    withoutActuallyEscaping(each) { each in
      nested { $0.pattern(inFunction: inFunction, each) }
    }
  }
}
