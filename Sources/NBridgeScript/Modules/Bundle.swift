// SPDX-License-Identifier: MIT

/// A program of modules as one script, with what leads back to its author's files.
package struct Bundle: Sendable {
  /// JavaScript that may await at its top, without imports and exports.
  package let text: String
  /// The source map, as JSON.
  package let map: String
  /// What it is made of.
  let fingerprint: Fingerprint

  /// The files it is made of, in full.
  package var inputs: [String] { fingerprint.files.sorted() }
}

/// What is put together.
package struct BundleRequest {
  package enum Entry: Equatable {
    /// A file.
    case file(String)
    /// A text that stands in a folder, and what reports call it.
    case text(String, folder: String, name: String)
  }

  package var entry: Entry
  /// `imports` of `app.json`: specifiers, or prefixes that end with `/`, and what stands for them.
  package var imports: [String: String] = [:]
  /// The folder that relative targets of `imports` start from.
  package var importsFolder = "/"
  /// Which files may be modules.
  package var scope: ModuleScope
  /// The folder that shown paths start from.
  package var workingFolder: String
  /// The CommonJS text of a module that is part of the runtime, by its name with or without `node:`; nil for
  /// one that is none.
  package var builtins: @Sendable (String) -> String? = { _ in nil }

  package init(
    entry: Entry, imports: [String: String] = [:], importsFolder: String = "/", scope: ModuleScope,
    workingFolder: String, builtins: @escaping @Sendable (String) -> String? = { _ in nil }
  ) {
    (self.entry, self.scope, self.workingFolder) = (entry, scope, workingFolder)
    (self.imports, self.importsFolder, self.builtins) = (imports, importsFolder, builtins)
  }
}
