// SPDX-License-Identifier: MIT

/// `using` and `await using`, as ``NewerSyntax`` wrote them.
extension ModuleParser {
  /// Statements in braces begin behind the token before.
  mutating func openBlock(isBody: Bool = false, takesUsing: Bool = true) {
    guard lowering != nil else { return }
    let inner = isBody ? behindDirectives : tokens.previous.range.upperBound
    lowering?.blocks.append(takesUsing ? Lowering.Block(inner: inner) : nil)
  }

  /// They ended with the token before.
  mutating func closeBlock() {
    guard lowering != nil else { return }
    lowering?.endBlock(at: tokens.previous.range.lowerBound)
  }

  /// Where a function's statements begin: directives stay the first (ECMA-262, 11.2.1).
  private var behindDirectives: Int { behindDirectives(from: tokens.previous.range.upperBound) }
  var behindFirstDirectives: Int { behindDirectives(from: 0) }

  private func behindDirectives(from start: Int) -> Int {
    var end = start
    var distance = 0
    while tokens.peek(distance).kind == .string, tokens.sees(";", distance + 1) {
      distance += 2
      end = tokens.peek(distance - 1).range.upperBound
    }
    return end
  }

  /// What a name that ``NewerSyntax`` made stands for; nil for any other.
  private func isAsync(_ name: String) -> Bool? {
    if name.hasPrefix(NewerNames.using) { return false }
    return name.hasPrefix(NewerNames.awaitUsing) ? true : nil
  }

  /// Whether `const ǃu1=0,` comes.
  private var using: (isAsync: Bool, end: Int)? {
    guard lowering != nil, tokens.seesWord("const"), tokens.sees("=", 2), tokens.sees(",", 4) else {
      return nil
    }
    guard let isAsync = isAsync(tokens.peek(1).text) else { return nil }
    return (isAsync, tokens.peek(4).range.upperBound)
  }

  /// Takes a declaration that comes. Answers whether there was one.
  mutating func usingDeclaration() -> Bool {
    guard let (isAsync, end) = using else { return false }
    let start = tokens.peek().range.lowerBound
    guard let name = lowering?.scope(isAsync: isAsync) else {
      // The engine says where it stands.
      lowering?.replace(start..<end, with: isAsync ? "await using " : "using ")
      return false
    }
    usingVariables(start..<end, name, isAsync: isAsync)
    tokens.take(";")
    return true
  }

  private mutating func usingVariables(_ head: Range<Int>, _ name: String, isAsync: Bool) {
    for _ in 0..<5 { tokens.next() }
    lowering?.replace(head, with: "const ")
    if isAsync, depth == 0 { syntax.usesAwait = true }
    repeat {
      pattern(inFunction: false) { _ in }
      guard tokens.take("=") else { continue }
      lowering?.insert(Lowering.add(name, isAsync: isAsync), at: tokens.peek().range.lowerBound)
      expression(stopsAtComma: true)
      lowering?.insert(")", at: tokens.previous.range.upperBound)
    } while tokens.take(",")
  }

  /// The head of a loop with `using`, from behind its parenthesis on. Answers what its statement is put into.
  ///
  /// - Parameter start: where the loop begins, its labels included.
  mutating func usingHead(from start: Int) -> (head: String, tail: String, isWhole: Bool)? {
    if let (isAsync, end) = using {
      let name = lowering?.scopeName() ?? ""
      let head = tokens.peek().range.lowerBound..<end
      usingVariables(head, name, isAsync: isAsync)
      lowering?.insert("{" + Lowering.head(name), at: start)
      return ("", Lowering.tail(name, isAsync: isAsync) + "}", true)
    }
    guard lowering != nil, tokens.seesWord("const"), tokens.sees("{", 1), tokens.sees(":", 3),
      tokens.sees("}", 5)
    else { return nil }
    guard let isAsync = isAsync(tokens.peek(2).text) else { return nil }
    let (name, variable) = (lowering?.scopeName() ?? "", tokens.peek(4))
    let value = "\(ModuleText.mark)\(lowering?.number() ?? 0)"
    lowering?.replace(
      tokens.peek(1).range.lowerBound..<tokens.peek(5).range.upperBound, with: " \(value)")
    for _ in 0..<6 { tokens.next() }
    scopes.declare(variable.text)
    let add = Lowering.add(name, isAsync: isAsync)
    return (
      "{\(Lowering.head(name))const \(variable.text)=\(add)\(value));",
      Lowering.tail(name, isAsync: isAsync) + "}", false
    )
  }
}
