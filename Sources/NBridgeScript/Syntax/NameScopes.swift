// SPDX-License-Identifier: MIT

/// Which of the names that matter a script's scopes declare again (ECMA-262, 8.2): a use is known only when
/// the scope ends, since a declaration may stand behind it.
struct NameScopes {
  private struct Scope {
    let isFunction: Bool
    var declared: Set<String> = []
    var uses: [ModuleSyntax.Reference] = []
  }

  /// The names that matter.
  private let names: Set<String>
  /// Those that the module's own imports declare.
  private let imported: Set<String>
  private var scopes = [Scope(isFunction: true)]
  /// The first name that is imported and declared again at the top.
  private(set) var clash: (name: String, range: Range<Int>)?

  init(_ names: Set<String>, imported: Set<String>) { (self.names, self.imported) = (names, imported) }

  mutating func open(isFunction: Bool = false) { scopes.append(Scope(isFunction: isFunction)) }

  mutating func close() {
    guard scopes.count > 1, let scope = scopes.popLast() else { return }
    scopes[scopes.count - 1].uses += scope.uses.filter { !scope.declared.contains($0.name) }
  }

  /// - Parameters:
  ///   - range: where it stands; nil for a name that no author declares.
  ///   - inFunction: whether the whole function knows the name, as for `var`.
  mutating func declare(_ name: String, _ range: Range<Int>? = nil, inFunction: Bool = false) {
    guard names.contains(name) else { return }
    var index = scopes.count - 1
    while inFunction, index > 0, !scopes[index].isFunction { index -= 1 }
    if index > 0 || !imported.contains(name) {
      scopes[index].declared.insert(name)
    } else if clash == nil, let range {
      clash = (name, range)
    }
  }

  mutating func use(_ name: String, _ range: Range<Int>, _ use: ModuleSyntax.Use) {
    guard names.contains(name) else { return }
    scopes[scopes.count - 1].uses.append(.init(name: name, range: range, use: use))
  }

  /// The uses of names that the module does not declare, or imports.
  var uses: [ModuleSyntax.Reference] {
    guard let scope = scopes.first else { return [] }
    return scope.uses.filter { !scope.declared.contains($0.name) }
  }
}
