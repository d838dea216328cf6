// SPDX-License-Identifier: MIT

/// What esbuild's metafile tells: which file each name of each module led to.
struct ModuleLinks: Decodable {
  struct Input: Decodable { var imports: [Link] }

  struct Link: Decodable {
    var path: String
    /// The name as it was asked for; nil for what was not found.
    var original: String?
    var external: Bool?
    /// How it was asked for, as `require-call`.
    var kind: String?
  }

  var inputs: [String: Input]

  /// What each name of each module led to; modules are called as `full` says.
  func targets(_ full: (String) -> String, where isWanted: (Link) -> Bool = { _ in true })
    -> [String: [String: String]]
  {
    var targets: [String: [String: String]] = [:]
    for (path, input) in inputs {
      var found: [String: String] = [:]
      for link in input.imports where link.external != true && isWanted(link) {
        found[link.original ?? link.path] = full(link.path)
      }
      targets[full(path)] = found
    }
    return targets
  }
}
