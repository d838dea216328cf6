// SPDX-License-Identifier: MIT

/// Where a `tsconfig.json` sends names that are no paths: its `paths` and its `baseUrl`. esbuild takes the
/// first that is there, so that a file which comes later may be found before.
///
/// The text may have comments, so it is not parsed: strings are found by the brackets around them. A place
/// too many does no harm.
struct PathAliases {
  private let base: String
  /// Whether names are looked for in ``base``, too.
  private let hasBase: Bool
  private var targets: [(pattern: String, places: [String])] = []

  /// Nil for settings that send no name anywhere.
  ///
  /// - Parameter folder: of the file that says so, with a slash at its end.
  init?(_ text: String, in folder: String) {
    let given = Self.behind("\"baseUrl\"", in: text).flatMap { Self.strings(in: $0).first }
    hasBase = given != nil
    let path = DisplayPath(folder: folder)
    base = path.absolute(given ?? ".")
    if let rest = Self.behind("\"paths\"", in: text), let open = rest.firstIndex(of: "{") {
      let list = rest[rest.index(after: open)...].prefix { $0 != "}" }
      for entry in list.split(separator: "]") {
        let parts = entry.split(separator: "[", maxSplits: 1)
        guard parts.count == 2, let pattern = Self.strings(in: parts[0]).last else { continue }
        targets.append((pattern, Self.strings(in: parts[1])))
      }
    }
    if !hasBase, targets.isEmpty { return nil }
  }

  /// The paths that a name may stand for, as they are written: without the ending that is found.
  func places(of name: String) -> [String] {
    let folder = DisplayPath(folder: base)
    var found = hasBase ? [folder.absolute(name)] : []
    for (pattern, places) in targets {
      let parts = pattern.split(separator: "*", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else {
        if pattern == name { found += places.map(folder.absolute) }
        continue
      }
      guard name.hasPrefix(parts[0]), name.hasSuffix(parts[1]),
        name.utf8.count >= parts[0].utf8.count + parts[1].utf8.count
      else { continue }
      let star = String(name.dropFirst(parts[0].count).dropLast(parts[1].count))
      found += places.map { folder.absolute($0.replacing("*", with: star)) }
    }
    return found
  }

  private static func behind(_ key: String, in text: String) -> Substring? {
    text.firstRange(of: key).map { text[$0.upperBound...] }
  }

  /// What stands between quotes.
  private static func strings(in text: Substring) -> [String] {
    text.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 1 }.map { String($0.element) }
  }
}
