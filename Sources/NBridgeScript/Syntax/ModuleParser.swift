// SPDX-License-Identifier: MIT

internal import NBridgeSystem

/// Finds what a module imports and exports, and where it uses what it imported.
///
/// It is hardly a judge: the engine parses the text too, and says what is wrong with it; only what that one
/// lets pass is a ``ModuleSyntax/Fault``. So this one has to understand what is right, and may take the
/// shortest way through it; of a wrong text it makes something, without a crash.
struct ModuleParser {
  var tokens: TokenList
  var scopes: NameScopes
  var syntax = ModuleSyntax()
  /// How many functions are open.
  var depth = 0
  /// Whether an `await` here would be an operator.
  var canAwait = true
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
    if let clash = parser.scopes.clash {
      parser.fault("'\(clash.name)' is imported, and can't be declared again", clash.range)
    }
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

  /// Reads what a function holds; names and other `await`s are no operators there.
  mutating func inFunction(isAsync: Bool = false, _ body: (inout Self) -> Void) {
    let outer = canAwait
    (depth, canAwait) = (depth + 1, isAsync)
    body(&self)
    (depth, canAwait) = (depth - 1, outer)
  }

  /// Declares a name of the author's.
  mutating func declare(_ name: TokenList.Item, inFunction: Bool = false) {
    demandName(name)
    scopes.declare(name.text, name.range, inFunction: inFunction)
  }

  /// The engine takes this one in functions that are not async (ECMA-262, 13.1.1).
  mutating func demandName(_ name: TokenList.Item) {
    if name.kind == .word, name.text == "await" { fault("'await' can't be a name in a module", name.range) }
  }

  mutating func fault(_ message: String, _ range: Range<Int>) {
    syntax.fault = syntax.fault ?? .init(message: message, range: range)
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
      let meant = found.name == .namespace ? .ownNamespace(name) : found.name
      return .other(exported: exported, request: found.request, name: meant, range: range)
    }
  }
}

extension TokenList {
  var previousIsPoint: Bool { at > 0 && sees(".", -1) }
}
