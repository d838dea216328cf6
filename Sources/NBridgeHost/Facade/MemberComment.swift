// SPDX-License-Identifier: MIT

/// A comment in front of a declaration, in its parts.
package struct MemberComment: Sendable, Equatable {
  /// The sentences.
  package private(set) var text = ""
  /// What it says of permissions, as `documents.read, to save documents.write`; empty when nothing.
  package private(set) var permission = ""
  /// The permission that a call needs at least; empty for none.
  package private(set) var needed = ""
  /// What it says of parameters (`@param name text`), by name.
  package private(set) var parameters: [String: String] = [:]

  package init(_ comment: String) {
    var sentences: [String] = []
    for line in Self.lines(of: comment) {
      if line.hasPrefix("@") { add(tag: line) } else { sentences.append(String(line)) }
    }
    text = sentences.joined(separator: " ")
    takePermission()
  }

  /// Without the marks of the comment.
  private static func lines(of comment: String) -> [Substring] {
    var text = comment[...]
    if text.hasPrefix("//") { text = text.dropFirst(2) }
    if text.hasPrefix("/*") { text = text.drop { $0 == "/" || $0 == "*" } }
    if text.hasSuffix("*/") { text = text.dropLast(2) }
    return text.split { $0.isNewline }.map { line in
      let marked = line.drop { $0 == " " || $0 == "\t" }
      let own = marked.hasPrefix("*") ? marked.dropFirst() : marked
      return own.drop { $0.isWhitespace }.trimmingEnd
    }.filter { !$0.isEmpty }
  }

  private mutating func add(tag: Substring) {
    let words = tag.split(separator: " ", maxSplits: 2)
    guard words.count == 3, words[0] == "@param" else { return }
    parameters[String(words[1])] = String(words[2])
  }

  /// ``Permission: `a.b`.`` is told by itself.
  private mutating func takePermission() {
    guard let mark = text.firstRange(of: #/Permissions?: /#) else { return }
    let rest = text[mark.upperBound...]
    var end = rest.endIndex
    var isInName = false
    for index in rest.indices {
      if rest[index] == "`" { isInName.toggle() }
      if rest[index] == ".", !isInName {
        end = index
        break
      }
    }
    permission = String(rest[..<end].filter { $0 != "`" })
    needed = permission.prefix { $0.isLetter || $0.isNumber || $0 == "." }.description
    let behind = end < rest.endIndex ? rest[rest.index(after: end)...].drop { $0 == " " } : ""
    let before = text[..<mark.lowerBound].trimmingEnd
    text = before.isEmpty || behind.isEmpty ? "\(before)\(behind)" : "\(before) \(behind)"
  }
}

extension Substring {
  fileprivate var trimmingEnd: Substring {
    var text = self
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }
}
