// SPDX-License-Identifier: MIT

/// Type parameters as esbuild 0.17 can read them: `<const T>` (TypeScript 5.0) says to a type checker how
/// narrow a type is to be, and nothing to anybody else.
enum TypeParameters {
  /// The text with space for `const` in lists of type parameters.
  static func withoutConst(_ text: String) -> String {
    guard text.utf8.containsText("const") else { return text }
    var lexer = JSLexer(text)
    var bytes = Array(text.utf8)
    var previous = ""
    while true {
      let token = lexer.next()
      guard token.kind != .end else { break }
      let word = lexer.text(token)
      // No other `const` stands behind one of these.
      if word == "const", previous == "<" || previous == "," {
        for place in token.range { bytes[place] = 0x20 }
      }
      previous = word
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
