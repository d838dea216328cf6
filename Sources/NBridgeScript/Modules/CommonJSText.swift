// SPDX-License-Identifier: MIT

/// A CommonJS module as a function's body: what it calls `import` for is found as by any module.
enum CommonJSText {
  /// As long as `import`, so that columns stay.
  static let load = "\u{1C3}impor"

  /// The text with its calls of `import` renamed; empty when it has none.
  static func withImportCalls(_ text: String) -> String {
    guard text.utf8.containsText("import") else { return "" }
    var edits = Edits(Array(text.utf8))
    renameImportCalls(text, &edits)
    let made = edits.text
    return made == text ? "" : made
  }

  static func renameImportCalls(_ text: String, _ edits: inout Edits) {
    var lexer = JSLexer(text)
    var (last, before): (JSLexer.Token?, String) = (nil, "")
    while true {
      let token = lexer.next()
      guard token.kind != .end else { return }
      let word = lexer.text(token)
      if word == "(", let last, lexer.text(last) == "import", before != "." {
        edits.replace(last.range, with: load)
      }
      before = last.map { lexer.text($0) } ?? ""
      last = token
    }
  }
}
