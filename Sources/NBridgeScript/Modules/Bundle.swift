// SPDX-License-Identifier: MIT

/// A program of modules as one script, with what leads back to its author's files.
struct Bundle: Sendable {
  /// JavaScript that may await at its top, without imports and exports.
  let text: String
  /// The source map, as JSON.
  let map: String
  /// What it is made of.
  let fingerprint: Fingerprint

  /// The files it is made of, in full.
  var inputs: [String] { fingerprint.files.sorted() }
}

/// What is put together.
struct BundleRequest {
  enum Entry: Equatable {
    /// A file.
    case file(String)
    /// A text that stands in a folder, and what reports call it.
    case text(String, folder: String, name: String)
  }

  var entry: Entry
  /// `imports` of `app.json`: specifiers, or prefixes that end with `/`, and what stands for them.
  var imports: [String: String] = [:]
  /// The folder that relative targets of `imports` start from.
  var importsFolder = "/"
  /// Which files may be modules.
  var scope: ModuleScope
  /// The folder that shown paths start from.
  var workingFolder: String
}
