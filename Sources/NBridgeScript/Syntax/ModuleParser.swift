// SPDX-License-Identifier: MIT

internal import NBridgeSystem

/// Finds what a module imports and exports, and where it uses what it imported.
///
/// It is no judge: the engine parses the text too, and says what is wrong with it. So this one only has to
/// understand what is right, and may take the shortest way through it; of a wrong text it makes something,
/// without a crash.
struct ModuleParser {
  var tokens: TokenList
  var scopes: NameScopes
  var syntax = ModuleSyntax()
  /// How many functions are open.
  var depth = 0
  /// Whether the text brings a `require` of its own, as bundles do.
  var ownsRequire = false
  /// What is found of newer syntax; nil where nobody looks for it.
  var lowering: Lowering?
  private let stack = StackSpace()

  /// Reads a module's text: JavaScript, its types taken off.
  ///
  /// - Parameters:
  ///   - ownsRequire: whether a `require` in there is its own, and asks nobody.
  ///   - counts: whether the text is to count what runs.
  static func parse(_ text: String, ownsRequire: Bool = false, counts: Bool = false) -> ModuleSyntax {
    let tokens = TokenList(text)
    var scout = ModuleParser(tokens, names: [])
    scout.findImports()
    let imported = Set(scout.syntax.imports.map(\.local))
    var parser = ModuleParser(
      tokens, names: imported.union(ownsRequire ? ["arguments"] : ["arguments", "require"]),
      imported: imported)
    parser.ownsRequire = ownsRequire
    if counts {
      parser.syntax.marks = CounterMarks()
      _ = parser.directives()
    }
    while !parser.tokens.isAtEnd { parser.progress { $0.statement(isTop: true) } }
    parser.syntax.references = parser.scopes.uses
    parser.reexportImports()
    return parser.syntax
  }

  init(_ tokens: TokenList, names: Set<String>, imported: Set<String> = []) {
    self.tokens = tokens
    scopes = NameScopes(names, imported: imported)
  }

  /// Goes a level deeper, where the stack has room for it.
  mutating func nested(_ body: (inout Self) -> Void) {
    guard !syntax.isTooDeep, stack.hasRoom else {
      syntax.isTooDeep = true
      tokens.next()
      return
    }
    body(&self)
  }

  /// Runs a step, and takes a token when it took none: text that no rule knows ends, too.
  mutating func progress(_ step: (inout Self) -> Void) {
    let start = tokens.at
    step(&self)
    if tokens.at == start { tokens.next() }
  }

  /// Imports stand outside of all brackets, and may stand behind what uses their names.
  private mutating func findImports() {
    var open = 0
    while !tokens.isAtEnd {
      let token = tokens.peek()
      if token.kind == .punctuator {
        if "([{".contains(token.text) { open += 1 }
        if ")]}".contains(token.text) { open -= 1 }
      } else if token.kind == .template {
        if token.text.hasPrefix("}") { open -= 1 }
        if token.text.hasSuffix("${") { open += 1 }
      }
      if open == 0, isImportDeclaration, !tokens.previousIsPoint {
        importDeclaration()
      } else {
        tokens.next()
      }
    }
  }

  var isImportDeclaration: Bool {
    tokens.seesWord("import") && !tokens.sees("(", 1) && !tokens.sees(".", 1) && !tokens.sees(":", 1)
  }

  /// `import { a } from "b"; export { a }` gives on what `b` gives.
  private mutating func reexportImports() {
    let imports = Dictionary(syntax.imports.map { ($0.local, $0) }) { first, _ in first }
    syntax.exports = syntax.exports.map { export in
      guard case .local(let exported, let name, let range) = export, let found = imports[name] else {
        return export
      }
      return .other(exported: exported, request: found.request, name: found.name, range: range)
    }
  }
}

extension TokenList {
  var previousIsPoint: Bool { at > 0 && sees(".", -1) }
}
