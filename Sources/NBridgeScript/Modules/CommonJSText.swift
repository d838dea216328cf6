// SPDX-License-Identifier: MIT

/// A text that is no module: what it calls `import` for is found as by any module.
package enum CommonJSText {
  /// As long as `import`, so that columns stay.
  static let load = "\u{1C3}impor"

  /// The text with its calls of `import` renamed; empty when it has none.
  static func withImportCalls(_ text: String) -> String { withImportCalls(text, named: load) ?? "" }

  /// The same for the scripts of a page; nil where there is none.
  ///
  /// - Parameter name: as long as `import`.
  package static func withImportCalls(_ text: String, named name: String) -> String? {
    guard text.utf8.containsText("import") else { return nil }
    var edits = Edits(Array(text.utf8))
    renameImportCalls(text, to: name, &edits)
    let made = edits.text
    return made == text ? nil : made
  }

  static func renameImportCalls(_ text: String, to name: String = load, _ edits: inout Edits) {
    var lexer = JSLexer(text)
    var (last, before): (JSLexer.Token?, String) = (nil, "")
    var calls: [Call] = []
    /// The call whose parenthesis the last token closed.
    var closed: Call?
    var depth = 0
    while true {
      let token = lexer.next()
      let word = lexer.text(token)
      // A body behind the parenthesis makes it a method; no parameter is a string.
      if let call = closed, word != "{" || call.hasString { edits.replace(call.range, with: name) }
      closed = nil
      guard token.kind != .end else { return }
      if word == "(", token.kind == .punctuator {
        if let last, lexer.text(last) == "import", ![".", "?.", "#"].contains(before) {
          calls.append(Call(range: last.range, depth: depth))
        }
        depth += 1
      } else if word == ")", token.kind == .punctuator {
        depth -= 1
        if calls.last?.depth == depth { closed = calls.popLast() }
      } else if let last, lexer.text(last) == "(", token.kind == .string, calls.last?.depth == depth - 1 {
        calls[calls.count - 1].hasString = true
      }
      before = last.map { lexer.text($0) } ?? ""
      last = token
    }
  }

  /// Whether it has what a script may and esbuild does not read among modules: `with`, `await` as a name,
  /// `new.target` outside of functions.
  static func isOnlyForScripts(_ text: String) -> Bool {
    let bytes = text.utf8
    guard bytes.containsText("with") || bytes.containsText("await") || bytes.containsText("target") else {
      return false
    }
    var lexer = JSLexer(text)
    var (word, before, depth) = ("", "", 0)
    while true {
      let token = lexer.next()
      let text = token.kind == .end ? ";" : lexer.text(token)
      let isMark = token.kind == .punctuator || token.kind == .end
      if isMark, ![".", "?."].contains(before) {
        if word == "with", text == "(" { return true }
        // What an operator stands before begins with none of these.
        if word == "await", let mark = text.first, ")]},;=.?:*%&|<>^".contains(mark) { return true }
      }
      if depth == 0, token.kind == .word, text == "target", word == ".", before == "new" { return true }
      guard token.kind != .end else { return false }
      if isMark { depth += text == "{" ? 1 : text == "}" ? -1 : 0 }
      (before, word) = (word, token.kind == .string ? "" : text)
    }
  }

  private struct Call {
    let range: Range<Int>
    /// How many parentheses are open before it.
    let depth: Int
    /// Whether its first argument begins with a string.
    var hasString = false
  }
}
