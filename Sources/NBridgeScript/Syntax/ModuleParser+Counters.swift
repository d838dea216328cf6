// SPDX-License-Identifier: MIT

/// Where counters stand, when the text is to count what runs (``CounterMarks``).
extension ModuleParser {
  private var start: Int { tokens.peek().range.lowerBound }
  private var end: Int { tokens.previous.range.upperBound }

  /// Counts the statement that comes, unless it only declares or is made of others.
  mutating func countStatement(isTop: Bool) {
    if syntax.marks != nil, isCounted(isTop: isTop) {
      let place = start
      syntax.marks?.statement(at: place)
    }
  }

  private func isCounted(isTop: Bool) -> Bool {
    let token = tokens.peek()
    switch (token.kind, token.text) {
    case (.end, _): return false
    case (.punctuator, "{"), (.punctuator, ";"), (.punctuator, "@"), (.punctuator, "}"): return false
    case (.word, "import"): return !(isTop && isImportDeclaration)
    case (.word, "export"): return isTop && isCountedExport
    case (.word, _): return !declares(0)
    default: return true
    }
  }

  private var isCountedExport: Bool {
    if ["var", "let", "const"].contains(where: { tokens.seesWord($0, 1) }) { return true }
    return tokens.seesWord("default", 1) && !declares(2) && !tokens.sees("@", 2)
  }

  /// Whether a function or a class is declared at a distance.
  private func declares(_ distance: Int) -> Bool {
    tokens.seesWord("function", distance) || tokens.seesWord("class", distance)
      || tokens.seesWord("async", distance) && tokens.seesWord("function", distance + 1)
        && !tokens.peek(distance + 1).startsLine
  }

  /// The function that comes, from its parameters or its keyword on.
  func functionHead(_ name: String? = nil) -> CounterMarks.Function {
    var distance = -1
    if tokens.seesWord("async", distance) { distance -= 1 }
    let isNamed = tokens.sees("=", distance) || tokens.sees(":", distance)
    let assigned = tokens.peek(distance - 1)
    let first = distance == -1 ? start : tokens.peek(-1).range.lowerBound
    return CounterMarks.Function(
      place: first, name: name ?? (isNamed && assigned.kind == .word ? assigned.name : ""))
  }

  /// Directives stay the first in their function (ECMA-262, 11.2.1). Answers whether there are some.
  mutating func directives() -> Bool {
    let first = tokens.at
    while tokens.peek().kind == .string {
      progress { parser in parser.nested { $0.readStatement(isTop: false) } }
    }
    return tokens.at != first
  }

  mutating func countFunction(_ function: CounterMarks.Function) {
    guard syntax.marks != nil else { return }
    let isBehindDirective = directives()
    let inner = start
    syntax.marks?.function(function, inner: inner, isBehindDirective: isBehindDirective)
  }

  mutating func arrowValue(_ function: CounterMarks.Function) {
    let place = start
    syntax.marks?.openArrow(function, at: place)
    expression(stopsAtComma: true)
    close(1)
  }

  /// The statement that a loop repeats or an `if` chooses, which becomes a block.
  ///
  /// - Parameter decision: what chooses it, and where that stands.
  mutating func body(_ decision: (group: Int, place: Int)? = nil) {
    guard syntax.marks != nil else { return statement(isTop: false) }
    let isBlock = tokens.sees("{")
    let inner = isBlock ? tokens.peek().range.upperBound : start
    if let decision {
      syntax.marks?.branch(decision.group, at: decision.place, inner: inner, before: isBlock ? "" : "{")
    } else if !isBlock {
      syntax.marks?.insert("{", at: inner)
    }
    statement(isTop: false)
    if !isBlock { close(1, "}") }
  }

  /// From behind the condition of an `if` on.
  mutating func choices(of keyword: Int) {
    let decision = (group: syntax.marks?.makeGroup() ?? 0, place: keyword)
    body(decision)
    if tokens.take("else") { return body(decision) }
    let inner = end
    syntax.marks?.branch(decision.group, at: keyword, inner: inner, before: "else{", after: "}")
  }

  /// Behind the colon of a `case`.
  mutating func countCase(_ group: Int, _ place: Int) {
    let inner = end
    syntax.marks?.branch(group, at: place, inner: inner)
  }

  /// A value that stands for one that is missing.
  mutating func defaultValue() {
    let isWrapped = syntax.marks != nil && !mayGetName
    let place = start
    if isWrapped, let group = syntax.marks?.makeGroup() { syntax.marks?.openBranch(group, at: place) }
    expression(stopsAtComma: true)
    if isWrapped { close(1) }
  }

  /// Whether what comes may be a function or class without a name, which then gets that of what it is put
  /// into (ECMA-262, 8.4.5): behind a counter it would not.
  var mayGetName: Bool {
    let token = tokens.peek()
    guard token.kind == .word else { return token.kind == .punctuator && "(@".contains(token.text) }
    return ["function", "class", "async"].contains(token.text) || tokens.sees("=>", 1)
  }

  // MARK: - Choices inside of expressions

  /// Takes what joins two operands: a logical operator and `?` whole, of others a sign.
  mutating func joint(_ choices: inout OpenChoices) {
    if let level = logicalLevel {
      let isAssignment = tokens.sees("=", 2) && tokens.touches(1)
      if !isAssignment { close(choices.end(from: level)) }
      for _ in 0..<(isAssignment ? 3 : 2) { tokens.next() }
      if !isAssignment || !mayGetName { open(isAssignment ? .rest : level, &choices) }
    } else if tokens.sees("?") {
      close(choices.end(from: .or))
      tokens.next()
      open(.consequent, &choices)
    } else {
      if tokens.sees(",") { close(choices.endAll()) }
      tokens.next()
    }
  }

  /// The level of `&&`, `||` or `??`.
  private var logicalLevel: OpenChoices.Level? {
    let sign = tokens.peek().text
    guard ["&", "|", "?"].contains(sign), tokens.sees(sign), tokens.sees(sign, 1), tokens.touches(0) else {
      return nil
    }
    return sign == "&" ? .and : .or
  }

  /// Takes the `:` of the innermost conditional that waits for it.
  mutating func alternative(_ choices: inout OpenChoices) {
    let (count, group) = choices.endConsequent()
    close(count)
    tokens.next()
    open(.rest, &choices, group)
  }

  private mutating func open(_ level: OpenChoices.Level, _ choices: inout OpenChoices, _ known: Int? = nil) {
    let group = known ?? syntax.marks?.makeGroup() ?? 0
    let place = start
    choices.push(level, group)
    syntax.marks?.openBranch(group, at: place)
  }

  /// Ends here what counters opened, as many.
  mutating func close(_ count: Int, _ bracket: String = ")") {
    let place = end
    for _ in 0..<count { syntax.marks?.insert(bracket, at: place) }
  }
}
