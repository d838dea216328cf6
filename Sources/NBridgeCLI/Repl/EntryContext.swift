// SPDX-License-Identifier: MIT

internal import NBridgeScript

/// Where in a script the cursor stands: what is being named, and in which call.
struct EntryContext: Equatable {
  /// A call whose parentheses are open.
  struct Call: Equatable {
    /// `nbridge.preference.get`, in parts.
    var path: [String]
    /// Which argument the cursor is in, from 0.
    var argument = 0
    /// The key whose value is being typed, when the argument is an object.
    var key: String?
    /// Whether a key can be typed here.
    var isAtKey = false
  }

  /// The names in front of the dot: `["nbridge", "app"]` for `nbridge.app.in`. Nil after what is no path.
  var path: [String]? = []
  /// The kind of literal in front of the dot.
  var literal: String?
  /// What has been typed of the name.
  var partial = ""
  /// Whether the cursor is inside of a string that has begun.
  var isInString = false
  /// Whether that is the name of a module: behind `from` and `import`, in `import(…)` and `require(…)`.
  var isInModuleName = false
  /// Whether it is inside of a comment.
  var isInComment = false
  /// The innermost open call.
  var call: Call?

  init(_ before: String) {
    let all = Array(ScriptTokens(before))
    let tokens = all.filter { $0.kind != .comment }
    let end = before.utf8.count
    if let last = all.last, last.kind == .comment, last.range.upperBound == end {
      isInComment = Self.isOpen(Array(before.utf8)[last.range])
    }
    readPath(tokens, end)
    call = Self.openCall(tokens)
  }

  private mutating func readPath(_ tokens: [ScriptTokens.Token], _ end: Int) {
    var rest = tokens[...]
    if let last = rest.last, last.range.upperBound == end {
      if last.kind == .word {
        partial = last.text
        rest.removeLast()
      } else if last.kind == .string, !Self.isClosed(last.text) {
        isInString = true
        partial = String(last.text.dropFirst())
        isInModuleName = Self.namesModule(rest.dropLast())
        path = nil
        return
      }
    }
    guard rest.last?.text == ".", rest.last?.kind == .punctuator else { return }
    rest.removeLast()
    if rest.last?.text == "?" { rest.removeLast() }
    var names: [String] = []
    while let name = rest.popLast() {
      guard name.kind == .word else {
        let isLiteral = names.isEmpty && !(name.text == "]" && Self.closesIndex(rest))
        literal = isLiteral ? Self.literal(name) : nil
        path = nil
        return
      }
      names.append(name.text)
      guard rest.last?.text == "." else { break }
      rest.removeLast()
    }
    path = names.isEmpty ? nil : names.reversed()
  }

  /// Whether a string behind these tokens is the name of a module.
  private static func namesModule(_ tokens: ArraySlice<ScriptTokens.Token>) -> Bool {
    var rest = tokens
    let isCall = rest.last?.text == "("
    if isCall { rest.removeLast() }
    guard let word = rest.popLast(), word.kind == .word, rest.last?.text != "." else { return false }
    return word.text == "import" || word.text == (isCall ? "require" : "from")
  }

  /// Whether the last of some comments, with what stands between them, has not ended (ECMA-262, 12.4).
  private static func isOpen(_ comments: ArraySlice<UInt8>) -> Bool {
    var rest = comments
    while let slash = rest.firstIndex(of: 0x2F) {
      let inside = rest[slash...].dropFirst(2)
      if rest[slash...].starts(with: Array("/*".utf8)) {
        guard let end = inside.indices.first(where: { inside[$0...].starts(with: Array("*/".utf8)) }) else {
          return true
        }
        rest = inside[end...].dropFirst(2)
      } else {
        guard let end = inside.firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) else { return true }
        rest = inside[end...]
      }
    }
    return false
  }

  private static func isClosed(_ text: String) -> Bool { text.count > 1 && text.first == text.last }

  /// Whether a `]` behind these tokens ends `a[…]` and not a list.
  private static func closesIndex(_ tokens: ArraySlice<ScriptTokens.Token>) -> Bool {
    var depth = 1
    for index in tokens.indices.reversed() {
      if tokens[index].text == "]" { depth += 1 }
      if tokens[index].text == "[" { depth -= 1 }
      guard depth == 0 else { continue }
      guard index > tokens.startIndex else { return false }
      let before = tokens[index - 1]
      return before.kind == .word && before.text != "return" || [")", "]"].contains(before.text)
        || before.kind == .string
    }
    return false
  }

  private static func literal(_ token: ScriptTokens.Token) -> String? {
    switch token.kind {
    case .string, .template: "string"
    case .number: "number"
    case .regex: "regex"
    case .punctuator where token.text == "]": "array"
    default: nil
    }
  }

  // MARK: - Calls

  private enum Bracket {
    case call(Call)
    /// An object, with the key whose value comes next.
    case object(key: String?, isAtKey: Bool)
    case other
  }

  private static func openCall(_ tokens: [ScriptTokens.Token]) -> Call? {
    var open: [Bracket] = []
    for (index, token) in tokens.enumerated() {
      guard token.kind == .punctuator else { continue }
      switch token.text {
      case "(": open.append(callee(tokens[..<index]).map { .call(Call(path: $0)) } ?? .other)
      case "{": open.append(.object(key: nil, isAtKey: true))
      case "[": open.append(.other)
      case ")", "]", "}": _ = open.popLast()
      case ",": comma(&open)
      case ":":
        if case .object? = open.last, index > 0 {
          open[open.count - 1] = .object(key: tokens[index - 1].text, isAtKey: false)
        }
      default: break
      }
    }
    return innermost(open)
  }

  private static func comma(_ open: inout [Bracket]) {
    switch open.last {
    case .call(var call)?:
      call.argument += 1
      open[open.count - 1] = .call(call)
    case .object?: open[open.count - 1] = .object(key: nil, isAtKey: true)
    default: break
    }
  }

  /// The innermost call, when at most one object stands between it and the cursor.
  private static func innermost(_ open: [Bracket]) -> Call? {
    guard let last = open.last else { return nil }
    if case .call(let call) = last { return call }
    guard case .object(let key, let isAtKey) = last, open.count > 1,
      case .call(var call) = open[open.count - 2]
    else {
      return nil
    }
    (call.key, call.isAtKey) = (key, isAtKey)
    return call
  }

  private static func callee(_ tokens: ArraySlice<ScriptTokens.Token>) -> [String]? {
    var names: [String] = []
    var rest = tokens
    while let name = rest.popLast(), name.kind == .word {
      names.append(name.text)
      guard rest.last?.text == "." else { break }
      rest.removeLast()
    }
    return names.isEmpty ? nil : names.reversed()
  }
}
