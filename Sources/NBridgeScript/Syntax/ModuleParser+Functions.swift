// SPDX-License-Identifier: MIT

/// Functions, classes, objects and patterns (ECMA-262, 15, 13.2.5, 14.3.3).
extension ModuleParser {
  /// From the word `function` on.
  mutating func function(isDeclaration: Bool) {
    var head = functionHead()
    let isAsync = tokens.seesWord("async", -1) && !tokens.peek().startsLine
    tokens.take("function")
    tokens.take("*")
    let name = tokens.peek().kind == .word ? tokens.next() : nil
    if isDeclaration, let name { declare(name) }
    scopes.open()
    if !isDeclaration, let name { declare(name) }
    if let name { head = CounterMarks.Function(place: head.place, name: name.text) }
    functionRest(head, isAsync: isAsync)
    scopes.close()
  }

  /// Parameters and body.
  mutating func functionRest(_ head: CounterMarks.Function, isAsync: Bool) {
    nested { parser in
      parser.scopes.open()
      // A function has its own; an arrow function that of the one around it, which no module is.
      parser.scopes.declare("arguments")
      parser.inFunction { $0.parameters() }
      parser.inFunction(isAsync: isAsync) { $0.functionBody(head) }
      parser.scopes.close()
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
  mutating func arrow(isAsync: Bool = false) -> Bool {
    let head = functionHead()
    scopes.open()
    inFunction { parser in
      if parser.tokens.sees("(") { parser.parameters() } else { parser.declare(parser.tokens.next()) }
    }
    tokens.take("=>")
    inFunction(isAsync: isAsync) { parser in
      if parser.tokens.sees("{") { parser.functionBody(head) } else { parser.arrowValue(head) }
    }
    scopes.close()
    return true
  }

  // MARK: - Classes

  mutating func classBody(isDeclaration: Bool) {
    openClass(isDeclaration: isDeclaration)
    tokens.take("class")
    let name = tokens.peek().kind == .word && tokens.peek().text != "extends" ? tokens.next() : nil
    if isDeclaration, let name { declare(name) }
    scopes.open()
    if let name { declare(name) }
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
      return inFunction { $0.functionBody(nil) }
    }
    let isAsync = modifiers(["static", "async", "get", "set", "accessor"], unless: ["(", "=", ";", "}"])
    let head = functionHead(tokens.peek().name)
    memberKey()
    if tokens.sees("(") { return functionRest(head, isAsync: isAsync) }
    if tokens.take("=") {
      scopes.open(isFunction: true)
      inFunction { $0.expression(stopsAtComma: true) }
      scopes.close()
    }
    tokens.take(";")
  }

  /// Words that stand before a member's name, unless one is the name itself. Answers whether one is `async`.
  private mutating func modifiers(_ words: Set<String>, unless ends: Set<String>) -> Bool {
    var isAsync = false
    while tokens.peek().kind == .word, words.contains(tokens.peek().text) {
      let next = tokens.peek(1)
      if next.kind == .end || next.kind == .punctuator && ends.contains(next.text) { break }
      let word = tokens.next().text
      // A field of that name ends with its line.
      if word == "async", next.startsLine { return false }
      isAsync = isAsync || word == "async"
    }
    tokens.take("*")
    return isAsync
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
    let isAsync = modifiers(["async", "get", "set"], unless: ["(", ":", ",", "}", "="])
    let key = tokens.peek()
    let head = functionHead(key.name)
    memberKey()
    if tokens.sees("(") {
      functionRest(head, isAsync: isAsync)
    } else if tokens.take(":") {
      expression(stopsAtComma: true)
    } else {
      demandName(key)
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
    declare(name, inFunction: inFunction)
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
    declare(key, inFunction: inFunction)
    each(key)
  }

  private mutating func nestedPattern(_ inFunction: Bool, _ each: (TokenList.Item) -> Void) {
    withoutActuallyEscaping(each) { each in
      nested { $0.pattern(inFunction: inFunction, each) }
    }
  }
}
