// SPDX-License-Identifier: MIT

/// Names in a module's text and what stands for them where it runs, for a debugger.
package enum DebuggedNames {
  /// Whether a name is one that was put into a script's text, which no author has.
  package static func isOurs(_ name: String) -> Bool { name.unicodeScalars.first == ModuleText.mark }

  /// An expression in which a name that its module imports is the member that it stands for; nil where the
  /// expression has no such name.
  package static func importing(_ name: String, in expression: String) -> String? {
    var lexer = JSLexer(expression)
    var edits = Edits(Array(expression.utf8))
    var before = ""
    var hasFound = false
    while true {
      let token = lexer.next()
      if token.kind == .end { break }
      let text = lexer.text(token)
      if token.kind == .word, text == name, before != ".", before != "?." {
        edits.insert("\(ModuleText.imports).", at: token.range.lowerBound)
        hasFound = true
      }
      before = text
    }
    return hasFound ? edits.text : nil
  }
}
