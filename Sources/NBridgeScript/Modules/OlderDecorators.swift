// SPDX-License-Identifier: MIT

/// The decorators of TypeScript before 5.0, which are the only ones that esbuild 0.17 knows: it makes calls
/// of every decorator that hand over what those take, and says nothing. Standard ones (ECMA-262 proposal)
/// are handed other arguments; esbuild sees none of them (``NewerSyntax``). TypeScript tells both apart by a
/// setting of the project. What it still sees without that setting stands where no standard one may.
enum OlderDecorators {
  /// What is said of a decorator that is none of the standard's.
  static let advice =
    "standard decorators stand before classes and their members, not before parameters; set "
    + #""experimentalDecorators": true in the tsconfig.json beside it where TypeScript's older ones are"#

  /// The helper that esbuild puts in front of code that has them.
  private static let helper: StaticString = "var __decorateClass = ("

  /// Where the first decorator of a text stands; nil for one without.
  ///
  /// - Parameter code: what esbuild made of it.
  static func first(in text: String, madeInto code: String) -> TextPlace? {
    guard code.utf8.containsText(helper) else { return nil }
    var lexer = JSLexer(text)
    while true {
      let token = lexer.next()
      guard token.kind != .end else { return nil }
      if lexer.text(token) == "@" { return TextPlace(token.range.lowerBound, in: text) }
    }
  }

  /// Whether settings (`tsconfig.json`, which may have comments) ask for them; nil where they do not say.
  static func areWanted(by settings: String) -> Bool? {
    var lexer = JSLexer(settings)
    var last = ["", ""]
    while true {
      let token = lexer.next()
      guard token.kind != .end else { return nil }
      let text = lexer.text(token)
      if last == ["\"experimentalDecorators\"", ":"], text == "true" || text == "false" {
        return text == "true"
      }
      last = [last[1], text]
    }
  }
}

extension BundleError.Problem {
  /// A decorator that only TypeScript's older ones may be, though nobody asked for those.
  static func decorator(at place: TextPlace, in source: ScriptSource) -> Self {
    var problem = Self(
      message: OlderDecorators.advice, file: source.url, line: place.line, column: place.column)
    problem.lineText = source.line(place.line).map(String.init) ?? ""
    problem.isSyntax = true
    return problem
  }
}
