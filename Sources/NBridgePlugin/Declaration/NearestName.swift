// SPDX-License-Identifier: MIT

/// Finds the name that a caller probably meant.
package enum NearestName {
  /// The candidate with the smallest edit distance to `name`, when that is small for its length.
  package static func of(_ name: String, among candidates: some Sequence<String>) -> String? {
    let limit = max(2, name.count / 3)
    return candidates.map { ($0, distance(name.lowercased(), $0.lowercased())) }
      .filter { $0.1 <= limit }
      .min { $0.1 < $1.1 }?.0
  }

  /// `"; did you mean 'x'?"`, or the names there are.
  package static func hint(for name: String, among candidates: [String]) -> String {
    if let near = of(name, among: candidates) { return "; did you mean '\(near)'?" }
    return candidates.isEmpty ? "" : "; there is \(candidates.sorted().joined(separator: ", "))"
  }

  /// Levenshtein (1966): insertions, deletions and substitutions.
  private static func distance(_ left: String, _ right: String) -> Int {
    let right = Array(right)
    var row = Array(0...right.count)
    for (index, character) in left.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in right.indices {
        let substitution = diagonal + (character == right[column] ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(substitution, diagonal + 1, row[column] + 1)
      }
    }
    return row[right.count]
  }
}
