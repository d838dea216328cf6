// SPDX-License-Identifier: MIT

/// Classes with decorators and accessors, as ``NewerSyntax`` wrote them.
extension ModuleParser {
  /// `ǃc(…);class` and `ǃc(…)in class`, from the name on. Answers whether one was there.
  mutating func decoratorsOfClass(isDeclaration: Bool) -> Bool {
    guard lowering != nil, tokens.seesWord(NewerNames.classes), tokens.sees("(", 1) else { return false }
    let assigned = assignedName
    let name = tokens.next()
    let call = name.range.lowerBound..<tokens.peek().range.upperBound
    parenthesized()
    var decorators = Lowering.Decorators(call: call, end: tokens.previous.range, assignedTo: assigned)
    tokens.take(isDeclaration ? ";" : "in")
    decorators.isExported = tokens.take("export")
    decorators.isDefault = tokens.take("default")
    guard tokens.seesWord("class") else { return true }
    decorators.end = decorators.end.lowerBound..<tokens.peek().range.lowerBound
    lowering?.decorators = decorators
    classBody(isDeclaration: isDeclaration)
    return true
  }

  /// A class begins, its name not read yet.
  mutating func openClass(isDeclaration: Bool) {
    guard lowering != nil else { return }
    let (keyword, name) = (tokens.peek().range, assignedName)
    lowering?.openClass(at: keyword, depth: depth, isDeclaration: isDeclaration, assignedTo: name)
  }

  /// Its members begin.
  mutating func noteClassBody() {
    let inner = tokens.previous.range.upperBound
    lowering?.changeClass { $0.inner = inner }
  }

  /// `await` in a class's head, or in a key.
  mutating func noteAwait() {
    let depth = depth
    lowering?.changeClass { if $0.depth == depth { $0.awaits = true } }
  }

  /// What the class that comes is assigned to.
  private var assignedName: String {
    guard tokens.sees("=", -1) || tokens.sees(":", -1), tokens.peek(-2).kind == .word else { return "" }
    return tokens.peek(-2).text
  }

  /// A class ended with the token before.
  mutating func closeClass(name: TokenList.Item?) {
    guard var made = lowering?.classes.popLast() else { return }
    guard made.needsState || made.decorators != nil else { return }
    made.name = name
    let mark = ModuleText.mark
    let binding = name.map { "\($0.text)=" } ?? ""
    let extra = made.hasMethods ? "#\(mark)x=\(made.state).extra(void 0,this);" : ""
    lowering?.insert("static{\(binding)\(made.state).apply(this)}\(extra)", at: made.inner)
    if let name { lowering?.replace(name.range, with: "") }
    head(of: made)
    let tail = tail(of: made)
    lowering?.insert(tail, at: tokens.previous.range.upperBound)
  }

  private func isDefault(_ made: Lowering.Class) -> Bool {
    made.exported != nil || made.decorators?.isDefault == true
  }

  private func tail(of made: Lowering.Class) -> String {
    // The class has got its name as a member's value; what the name stands for is what replaces it.
    let end = made.name == nil ? ")" : "}))"
    guard made.isDeclaration || isDefault(made) else { return end }
    guard isDefault(made), let name = made.name else { return end + ";" }
    return end + ";export{\(name.text) as default};"
  }

  private mutating func head(of made: Lowering.Class) {
    let name = made.name?.text
    let call = NewerNames.library + (made.awaits ? ".defineAsync([" : ".define([")
    var start = made.awaits ? "await \(call)" : call
    if isDefault(made), name == nil {
      start = "export default \(start)"
    } else if made.isDeclaration || isDefault(made), let name {
      start =
        (made.decorators?.isExported == true && !isDefault(made) ? "export " : "") + "let \(name)=\(start)"
    }
    let parameters = [made.state, name].compactMap(\.self).joined(separator: ",")
    let end =
      "],\(ValueText.quoted(name ?? made.guess)),\(made.awaits ? "async" : "")(\(parameters))=>"
      + (name.map { "({\($0):" } ?? "")
    if let decorators = made.decorators {
      lowering?.replace(decorators.call, with: start)
      lowering?.replace(decorators.end, with: end)
    } else if let exported = made.exported {
      lowering?.replace(exported, with: start + end)
    } else {
      lowering?.insert(start + end, at: made.keyword.lowerBound)
    }
  }

  // MARK: - Members

  /// Takes what stands before a member, and it. Answers whether something did.
  mutating func markedMember() -> Bool {
    guard lowering != nil, tokens.seesWord("static"), tokens.sees("[", 1), tokens.sees("(", 3),
      let kind = markerKind(tokens.peek(2))
    else { return false }
    let first = tokens.next().range.lowerBound
    tokens.next()
    let call = tokens.next().range.lowerBound..<tokens.peek().range.upperBound
    let (literal, isAlone) = (tokens.peek(1), tokens.sees(")", 2))
    let isEmpty = tokens.sees(")", 1)
    parenthesized()
    let close = tokens.previous.range
    for _ in 0..<5 { tokens.next() }
    let isLiteral = isAlone && (literal.kind == .string || literal.kind == .number)
    member(
      behind: Lowering.Marker(
        kind: kind, whole: first..<tokens.previous.range.upperBound, call: call, close: close,
        literal: isLiteral ? literal : nil, isEmpty: isEmpty))
    return true
  }

  private func markerKind(_ token: TokenList.Item) -> Lowering.Marker.Kind? {
    switch token.text {
    case NewerNames.method: .method
    case NewerNames.field: .field
    case NewerNames.accessor: .accessor
    default: nil
    }
  }

  private mutating func member(behind marker: Lowering.Marker) {
    guard let made = lowering?.classes.last else { return }
    var member = LoweredMember(marker, index: made.elements, state: made.state)
    member.start = tokens.peek().range.lowerBound
    var isAsync = false
    while tokens.peek().kind == .word, ["static", "async", "get", "set"].contains(tokens.peek().text),
      !(tokens.peek(1).kind == .punctuator && !["[", "*"].contains(tokens.peek(1).text))
    {
      let word = tokens.next().text
      isAsync = isAsync || word == "async"
      member.take(word)
    }
    tokens.take("*")
    let head = functionHead(tokens.peek().name)
    member.key = tokens.peek()
    if tokens.sees("[") {
      tokens.next()
      let inner = tokens.previous.range.upperBound
      while !tokens.isAtEnd, !tokens.sees("]") { progress { $0.expression() } }
      member.computed = inner..<tokens.peek().range.lowerBound
      tokens.take("]")
    } else {
      tokens.next()
    }
    if marker.kind == .method {
      if !member.isStatic { lowering?.changeClass { $0.hasMethods = true } }
      functionRest(head, isAsync: isAsync)
    } else {
      value(of: &member)
    }
    if member.needsState {
      lowering?.changeClass {
        $0.needsState = true
        $0.elements += 1
      }
    }
    for (range, text) in member.edits { lowering?.replace(range, with: text) }
  }

  private mutating func value(of member: inout LoweredMember) {
    member.end = tokens.previous.range.upperBound
    if tokens.take("=") {
      member.value = tokens.peek().range.lowerBound
      member.getsName = mayGetName
      scopes.open(isFunction: true)
      inFunction { $0.expression(stopsAtComma: true) }
      scopes.close()
      member.end = tokens.previous.range.upperBound
    }
    tokens.take(";")
  }
}
