// SPDX-License-Identifier: MIT

/// Declarations, which outlive the entry that they stand in.
extension LineRewriter {
  /// `let a = 1, {b} = c` becomes `void(a = 1, {b} = c);`.
  func rewriteDeclaration(_ index: Int, _ edits: inout Edits, _ names: inout [String]) {
    guard declaredNames(after: index, into: &names) else { return }
    if texts[index] == "let" { emptyBareNames(after: index, &edits) }
    edits.replace(tokens[index].range, with: "void(")
    edits.insert(");", at: tokens[end(of: index) - 1].range.upperBound)
  }

  /// `class A {…}` becomes `A=class A {…};`.
  func rewriteClass(_ index: Int, _ prefix: String, _ edits: inout Edits, _ names: inout [String]) {
    guard tokens[index + 1].kind == .word, texts[index + 1] != "extends" else { return }
    let name = texts[index + 1]
    names.append(name)
    edits.insert("\(prefix)\(name)=", at: tokens[index].range.lowerBound)
    var last = index + 2
    while tokens[last].kind != .end, !(depths[last] == 0 && texts[last] == "}") { last += 1 }
    edits.insert(";", at: tokens[last].range.upperBound)
  }

  func functionName(_ index: Int) -> String? {
    var at = index
    if texts[at] == "async" { at += 1 }
    guard texts[at] == "function" else { return nil }
    at += 1
    if texts[at] == "*" { at += 1 }
    return tokens[at].kind == .word ? texts[at] : nil
  }

  /// The names of a declaration's list; false when none stands there.
  func declaredNames(after index: Int, into names: inout [String]) -> Bool {
    let last = end(of: index)
    var at = index + 1
    guard at < last, tokens[at].kind == .word || texts[at] == "{" || texts[at] == "[", texts[at] != "in"
    else {
      return false
    }
    while at < last {
      at = bindingNames(at, into: &names)
      while at < last, !(depths[at] == depths[index] && texts[at] == ",") { at += 1 }
      at += 1
    }
    return true
  }

  /// The names that a pattern binds; answers the token behind it.
  func bindingNames(_ start: Int, into names: inout [String]) -> Int {
    guard texts[start] == "{" || texts[start] == "[" else {
      if tokens[start].kind == .word { names.append(texts[start]) }
      return min(start + 1, last)
    }
    let depth = depths[start]
    let isObject = texts[start] == "{"
    var at = start + 1
    while tokens[at].kind != .end, depths[at] > depth {
      if texts[at] == "." || texts[at] == "," {
        at += 1
        continue
      }
      if isObject, texts[at + 1] == ":" || texts[at] == "[" || tokens[at].kind != .word {
        at = behindKey(at, depth)
      }
      if depths[at] == depth { break }
      at = bindingNames(at, into: &names)
      while tokens[at].kind != .end, depths[at] > depth, !(depths[at] == depth + 1 && texts[at] == ",") {
        at += 1
      }
    }
    return min(at + 1, last)
  }

  func behindKey(_ start: Int, _ depth: Int) -> Int {
    var at = start
    while depths[at] > depth, tokens[at].kind != .end, !(depths[at] == depth + 1 && texts[at] == ":") {
      at += 1
    }
    return min(at + 1, last)
  }

  /// `let a, b = 1` empties `a` when it runs (ECMA-262, 14.3.1.2); `var a` leaves it as it is.
  func emptyBareNames(after index: Int, _ edits: inout Edits) {
    let last = end(of: index)
    var at = index + 1
    while at < last {
      if tokens[at].kind == .word, at + 1 == last || texts[at + 1] == "," {
        edits.insert("=void 0", at: tokens[at].range.upperBound)
      }
      while at < last, !(depths[at] == depths[index] && texts[at] == ",") { at += 1 }
      at += 1
    }
  }

  // MARK: - Variables in blocks

  /// A `var` in a block or a loop's head belongs to the function around it; the one around an entry that
  /// awaits is ours, and ends with it. So these become assignments, too.
  func rewriteInnerVariables(_ edits: inout Edits, _ names: inout [String]) {
    let outer = Set(statements)
    let inner = tokens.indices.filter {
      texts[$0] == "var" && tokens[$0].kind == .word && !outer.contains($0)
    }
    guard !inner.isEmpty else { return }
    let inFunction = tokensInFunctions()
    for index in inner where !inFunction[index] && texts[index - 1] != "." && texts[index + 1] != ":" {
      rewriteInnerVariable(index, &edits, &names)
    }
  }

  private func rewriteInnerVariable(_ index: Int, _ edits: inout Edits, _ names: inout [String]) {
    let isHead =
      texts[index - 1] == "(" && index > 1 && (texts[index - 2] == "for" || texts[index - 2] == "await")
    guard isHead else { return rewriteDeclaration(index, &edits, &names) }
    let behind = end(of: index)
    let each = (index..<behind).first { depths[$0] == depths[index] && ["of", "in"].contains(texts[$0]) }
    if each != nil {
      _ = bindingNames(index + 1, into: &names)
    } else {
      _ = declaredNames(after: index, into: &names)
    }
    edits.replace(tokens[index].range, with: "   ")
  }

  /// For each token whether it stands in a function's body.
  private func tokensInFunctions() -> [Bool] {
    var found: [Bool] = []
    var open: [(token: Int, isFunction: Bool)] = []
    var closed = -1
    for index in tokens.indices {
      while open.count > max(0, depths[index]) { closed = open.removeLast().token }
      let inFunction = open.last?.isFunction ?? false
      found.append(inFunction)
      guard tokens.indices.contains(index + 1), depths[index + 1] > depths[index] else {
        // Nothing stands between these two, as in `f()`.
        if opens(index) { closed = index }
        continue
      }
      open.append((index, inFunction || startsBody(index, parenthesis: closed)))
    }
    return found
  }

  private func opens(_ index: Int) -> Bool {
    tokens[index].kind == .punctuator && ["(", "[", "{"].contains(texts[index])
  }

  /// Whether a bracket opens a function's body; `parenthesis` is where the last closed bracket was opened.
  private func startsBody(_ index: Int, parenthesis: Int) -> Bool {
    guard texts[index] == "{", index > 0 else { return false }
    if texts[index - 1] == ">" { return index > 1 && texts[index - 2] == "=" }
    if texts[index - 1] == "=>" { return true }
    guard texts[index - 1] == ")", parenthesis > 0 else { return false }
    return !["if", "for", "while", "with", "switch", "catch", "await"].contains(texts[parenthesis - 1])
  }
}
