// SPDX-License-Identifier: MIT

/// Finds the name that a caller probably meant.
package enum NearestName {
  /// The candidate with the smallest edit distance to `name`, when that is small for its length.
  package static func of(_ name: String, among candidates: some Sequence<String>) -> String? {
    // Four letters with two wrong ones are another word.
    let limit = name.count <= 4 ? 1 : max(2, name.count / 3)
    return candidates.map { ($0, distance(name.lowercased(), $0.lowercased())) }
      .filter { $0.1 <= limit }
      .min { $0.1 < $1.1 }?.0
  }

  /// `"; did you mean 'x'?"`, or the names there are.
  package static func hint(for name: String, among candidates: [String]) -> String {
    if let near = of(name, among: candidates) { return "; did you mean '\(near)'?" }
    return candidates.isEmpty ? "" : "; there is \(candidates.sorted().joined(separator: ", "))"
  }

  /// Insertions, deletions, substitutions and exchanges of neighbours (Damerau, 1964), each character used
  /// once.
  private static func distance(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left), Array(right))
    var (beforeLast, last) = ([Int](), Array(0...right.count))
    for row in left.indices {
      var now = [row + 1]
      for column in right.indices {
        let substitution = last[column] + (left[row] == right[column] ? 0 : 1)
        var least = min(substitution, last[column + 1] + 1, now[column] + 1)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          least = min(least, beforeLast[column - 1] + 1)
        }
        now.append(least)
      }
      (beforeLast, last) = (last, now)
    }
    return last[right.count]
  }
}
