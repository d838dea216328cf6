// SPDX-License-Identifier: MIT

/// `import` and `export` (ECMA-262, 16.2).
extension ModuleParser {
  mutating func importDeclaration() {
    let keyword = tokens.next().range
    let request = syntax.requests.count
    var found: [ModuleSyntax.Import] = []
    func add(_ token: TokenList.Item, _ name: ModuleSyntax.Name) {
      found.append(.init(local: token.text, request: request, name: name, range: token.range))
    }
    if tokens.peek().kind != .string {
      if tokens.peek().kind == .word { add(tokens.next(), .export("default")) }
      tokens.take(",")
      if tokens.take("*") {
        tokens.take("as")
        add(tokens.next(), .namespace)
      } else if tokens.sees("{") {
        for (name, local) in specifiers() { add(local, .export(name.name)) }
      }
      tokens.take("from")
    }
    finishRequest(keyword)
    syntax.imports += found
  }

  /// The specifier, its attributes and the end of the declaration.
  private mutating func finishRequest(_ keyword: Range<Int>) {
    guard tokens.peek().kind == .string else { return }
    let literal = tokens.next()
    var request = ModuleSyntax.Request(
      specifier: literal.name, keyword: keyword, literal: literal.range, end: literal.range.upperBound,
      kind: .declaration)
    let word = tokens.peek()
    if word.text == "with" || (word.text == "assert" && !word.startsLine), tokens.sees("{", 1) {
      tokens.next()
      (request.type, request.unknown) = attributes()
      request.end = tokens.previous.range.upperBound
    }
    syntax.requests.append(request)
    tokens.take(";")
    syntax.blanks.append(keyword.lowerBound..<tokens.previous.range.upperBound)
  }

  /// `{ type: "json" }`.
  private mutating func attributes() -> (type: String?, unknown: TokenList.Item?) {
    var type: String?
    var unknown: TokenList.Item?
    tokens.take("{")
    while !tokens.isAtEnd, !tokens.take("}") {
      let key = tokens.next()
      guard tokens.take(":") else { continue }
      let value = tokens.next()
      if key.name == "type" { type = value.name } else { unknown = unknown ?? key }
      tokens.take(",")
    }
    return (type, unknown)
  }

  /// `{ a as b, "c" as d, e }`: pairs of what stands before and behind `as`.
  private mutating func specifiers() -> [(TokenList.Item, TokenList.Item)] {
    var found: [(TokenList.Item, TokenList.Item)] = []
    tokens.take("{")
    while !tokens.isAtEnd, !tokens.take("}") {
      let first = tokens.next()
      noteEscapes(first)
      if tokens.take("as") { found.append((first, tokens.next())) } else { found.append((first, first)) }
      if let last = found.last?.1 { noteEscapes(last) }
      tokens.take(",")
    }
    return found
  }

  private mutating func noteEscapes(_ name: TokenList.Item) {
    if name.kind == .word, name.range.count != name.text.utf8.count { syntax.escapedNames.append(name) }
  }

  mutating func exportDeclaration() {
    let keyword = tokens.next().range
    if tokens.take("*") { return exportAll(keyword) }
    if tokens.sees("{") { return exportList(keyword) }
    if tokens.take("default") { return exportDefault(keyword) }
    syntax.blanks.append(keyword)
    let token = tokens.peek()
    switch token.text {
    case "var", "let", "const":
      tokens.next()
      var names: [TokenList.Item] = []
      variables(inFunction: token.text == "var") { names.append($0) }
      tokens.take(";")
      for name in names { exportLocal(name) }
    default:
      let name = declaredName()
      statement(isTop: false)
      if let name { exportLocal(name) }
    }
  }

  private mutating func exportLocal(_ name: TokenList.Item) {
    syntax.exports.append(.local(exported: name.text, name: name.text, range: name.range))
  }

  /// The name of the function or class that comes.
  private func declaredName() -> TokenList.Item? {
    var distance = 0
    if tokens.seesWord("async"), tokens.seesWord("function", 1) { distance += 1 }
    distance += 1
    if tokens.sees("*", distance) { distance += 1 }
    let name = tokens.peek(distance)
    return name.kind == .word && name.text != "extends" ? name : nil
  }

  private mutating func exportAll(_ keyword: Range<Int>) {
    let request = syntax.requests.count
    if tokens.take("as") {
      let name = tokens.next()
      noteEscapes(name)
      syntax.exports.append(
        .other(exported: name.name, request: request, name: .namespace, range: name.range))
    } else {
      syntax.exports.append(.star(request: request))
    }
    tokens.take("from")
    finishRequest(keyword)
  }

  private mutating func exportList(_ keyword: Range<Int>) {
    let request = syntax.requests.count
    let names = specifiers()
    if tokens.take("from") {
      for (name, exported) in names {
        syntax.exports.append(
          .other(
            exported: exported.name, request: request, name: .export(name.name), range: name.range))
      }
      return finishRequest(keyword)
    }
    for (name, exported) in names {
      // Only another module's may be called by strings.
      guard name.kind == .word else {
        fault("\(name.text) is not the name of a variable, and only those can be exported", name.range)
        continue
      }
      syntax.exports.append(.local(exported: exported.name, name: name.text, range: name.range))
    }
    tokens.take(";")
    syntax.blanks.append(keyword.lowerBound..<tokens.previous.range.upperBound)
  }

  /// A function or class with a name keeps it; any other value gets one that no author has.
  private mutating func exportDefault(_ keyword: Range<Int>) {
    let whole = keyword.lowerBound..<tokens.previous.range.upperBound
    let isFunction =
      tokens.seesWord("function")
      || tokens.seesWord("async") && tokens.seesWord("function", 1) && !tokens.peek(1).startsLine
    guard isFunction || isClassDeclaration else { return exportDefaultValue(whole) }
    let name = isFunction ? declaredName() : className
    guard name != nil || isFunction else { return exportDefaultValue(whole) }
    let start = tokens.at
    if !isFunction { lowering?.exported = whole }
    statement(isTop: false)
    if let name {
      syntax.exports.append(.local(exported: "default", name: name.text, range: name.range))
    } else {
      syntax.namelessFunctions.append(nameplace(from: start))
      syntax.exports.append(.local(exported: "default", name: ModuleText.defaultName, range: whole))
    }
    syntax.blanks.append(whole)
  }

  private var isClassDeclaration: Bool { tokens.seesWord("class") || tokens.sees("@") }

  /// The name of a class that may have decorators before it; those are no one's here.
  private var className: TokenList.Item? { tokens.seesWord("class") ? declaredName() : nil }

  /// Behind `function` and `*`, where a name would stand.
  private func nameplace(from start: Int) -> Int {
    var distance = start - tokens.at
    while ["async", "function", "*"].contains(tokens.peek(distance).text) { distance += 1 }
    return tokens.peek(distance - 1).range.upperBound
  }

  private mutating func exportDefaultValue(_ whole: Range<Int>) {
    // A class is a declaration here: nothing joins what stands behind it.
    if isClassDeclaration {
      lowering?.exported = whole
      decorated()
      classBody(isDeclaration: false)
    } else {
      expression(stopsAtComma: true)
    }
    syntax.defaults.append((whole, tokens.previous.range.upperBound))
    tokens.take(";")
    syntax.exports.append(.local(exported: "default", name: ModuleText.defaultName, range: whole))
  }
}

extension TokenList.Item {
  /// A name, or what a string literal means: simple escapes are resolved.
  var name: String {
    guard kind == .string else { return text }
    return StringLiteral.value(text)
  }
}
