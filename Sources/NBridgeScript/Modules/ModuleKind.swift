// SPDX-License-Identifier: MIT

/// What a script's text is, where its name alone does not say it: as Node decides it, and where that would
/// look into a package's settings, by what the text does.
enum ModuleKind: Equatable {
  case module
  case commonJS

  init(_ path: String, _ text: String, _ syntax: ModuleSyntax, isTyped: Bool, isEntry: Bool) {
    let ending = path.split(separator: "/").last?.split(separator: ".").last
    if ending == "mjs" || ending == "mts" {
      self = .module
    } else if ending == "cjs" || ending == "cts" {
      self = .commonJS
    } else if !syntax.blanks.isEmpty || !syntax.exports.isEmpty || !syntax.metas.isEmpty {
      self = .module
    } else if syntax.usesAwait {
      // No CommonJS module can.
      self = .module
    } else if Self.speaksCommonJS(text) {
      self = .commonJS
    } else {
      self = isTyped || isEntry ? .module : .commonJS
    }
  }

  private static func speaksCommonJS(_ text: String) -> Bool {
    guard
      text.utf8.containsText("require") || text.utf8.containsText("exports")
        || text.utf8.containsText("__")
    else { return false }
    let words = ["require", "exports", "module", "__filename", "__dirname"]
    var lexer = JSLexer(text)
    var previous = ""
    while true {
      let token = lexer.next()
      guard token.kind != .end else { return false }
      let word = lexer.text(token)
      if token.kind == .word, previous != ".", words.contains(word) {
        return true
      }
      previous = word
    }
  }
}
