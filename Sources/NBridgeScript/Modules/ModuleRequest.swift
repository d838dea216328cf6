// SPDX-License-Identifier: MIT

/// A program whose modules are to be found.
package struct ModuleRequest {
  package enum Entry: Equatable {
    /// A file.
    case file(String)
    /// A text that stands in a folder, and what reports call it.
    case text(String, folder: String, name: String)

    /// What tells it from others.
    var key: String {
      switch self {
      case .file(let path): "file \(path)"
      case .text(let text, let folder, let name): "text \(folder)\n\(name)\n\(text)"
      }
    }
  }

  package var entry: Entry
  /// `imports` of `app.json`: specifiers, or prefixes that end with `/`, and what stands for them.
  package var imports: [String: String] = [:]
  /// The folder that relative targets of `imports` start from.
  package var importsFolder = "/"
  /// Which files may be modules.
  package var scope: ModuleScope
  /// Whether an entry that is a text is TypeScript.
  package var isTyped = false
  /// The folder that shown paths start from.
  package var workingFolder: String
  /// Whether the entry is a text that asks for one module and does nothing else, which is to be found.
  package var isLookup = false
  /// Where a text is wrong that is no module.
  package struct SyntaxProblem {
    package var message: String
    /// From 1.
    package var line: Int
    /// From 1, in UTF-16 units.
    package var column: Int

    package init(message: String, line: Int, column: Int) {
      (self.message, self.line, self.column) = (message, line, column)
    }
  }

  /// Why a text is no module, as the engine reads it; nil for one.
  package var problem: (String) -> SyntaxProblem?
  /// Whether the engine takes a text for the body of a function, in which CommonJS runs.
  package var isFunctionBody: (String) -> Bool
  /// The CommonJS text of a module that is part of the runtime, by its name with or without `node:`; nil for
  /// one that is none.
  package var builtins: @Sendable (String) -> String? = { _ in nil }

  package init(
    entry: Entry, imports: [String: String] = [:], importsFolder: String = "/", scope: ModuleScope,
    workingFolder: String, problem: @escaping (String) -> SyntaxProblem? = { _ in nil },
    isFunctionBody: @escaping (String) -> Bool = { _ in false },
    builtins: @escaping @Sendable (String) -> String? = { _ in nil }
  ) {
    (self.entry, self.scope, self.workingFolder) = (entry, scope, workingFolder)
    (self.imports, self.importsFolder, self.problem) = (imports, importsFolder, problem)
    self.isFunctionBody = isFunctionBody
    self.builtins = builtins
  }
}
