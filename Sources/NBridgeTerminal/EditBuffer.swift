// SPDX-License-Identifier: MIT

/// A text of several lines with a cursor, in characters as a person sees them. Its line ends are line feeds.
package struct EditBuffer: Equatable {
  package private(set) var characters: [Character] = []
  /// Before which character the cursor stands: 0 to the count.
  package private(set) var cursor = 0

  package init(_ text: String = "") {
    characters = Array(Self.withLineFeeds(text))
    cursor = characters.count
  }

  package var text: String { String(characters) }
  package var isEmpty: Bool { characters.isEmpty }

  /// The text before the cursor.
  package var textBeforeCursor: String { String(characters[..<cursor]) }

  /// A return and a line feed are one character, in which no search would find the line's end.
  private static func withLineFeeds(_ text: String) -> String {
    guard text.utf8.contains(0x0D) else { return text }
    return String(text.map { $0 == "\r\n" || $0 == "\r" ? "\n" : $0 })
  }

  // MARK: - Changes

  /// Puts text in at the cursor. A mark joins the character before it.
  package mutating func insert(_ text: String) {
    let start = max(0, cursor - 1)
    let merged = Array(String(characters[start..<cursor]) + Self.withLineFeeds(text))
    characters.replaceSubrange(start..<cursor, with: merged)
    cursor = start + merged.count
  }

  /// Takes a range out, answers it, and puts the cursor there.
  @discardableResult
  package mutating func remove(_ range: Range<Int>) -> String {
    let taken = String(characters[range])
    characters.removeSubrange(range)
    cursor = range.lowerBound
    return taken
  }

  package mutating func backspace() { if cursor > 0 { remove(cursor - 1..<cursor) } }
  package mutating func delete() { if cursor < characters.count { remove(cursor..<cursor + 1) } }

  /// Swaps the two characters around the cursor, as Emacs does.
  package mutating func transpose() {
    guard cursor > 0, characters.count > 1 else { return }
    let at = min(cursor, characters.count - 1)
    guard at > 0 else { return }
    characters.swapAt(at - 1, at)
    cursor = at + 1
  }

  // MARK: - Places

  package mutating func move(to place: Int) { cursor = min(max(0, place), characters.count) }

  /// Where the cursor's line begins and ends.
  package var lineRange: Range<Int> {
    let start = characters[..<cursor].lastIndex(of: "\n").map { $0 + 1 } ?? 0
    let end = characters[cursor...].firstIndex(of: "\n") ?? characters.count
    return start..<end
  }

  package var isOnFirstLine: Bool { !characters[..<cursor].contains("\n") }
  package var isOnLastLine: Bool { !characters[cursor...].contains("\n") }

  /// One line up or down, in the same column as far as there is one.
  package mutating func moveLine(by direction: Int) {
    let line = lineRange
    let column = cursor - line.lowerBound
    if direction < 0, line.lowerBound > 0 {
      let end = line.lowerBound - 1
      let start = characters[..<end].lastIndex(of: "\n").map { $0 + 1 } ?? 0
      cursor = min(start + column, end)
    } else if direction > 0, line.upperBound < characters.count {
      let start = line.upperBound + 1
      let end = characters[start...].firstIndex(of: "\n") ?? characters.count
      cursor = min(start + column, end)
    }
  }

  /// Where the word before the cursor begins.
  package var wordStart: Int {
    var at = cursor
    while at > 0, !Self.isWord(characters[at - 1]) { at -= 1 }
    while at > 0, Self.isWord(characters[at - 1]) { at -= 1 }
    return at
  }

  /// Where the word behind the cursor ends.
  package var wordEnd: Int {
    var at = cursor
    while at < characters.count, !Self.isWord(characters[at]) { at += 1 }
    while at < characters.count, Self.isWord(characters[at]) { at += 1 }
    return at
  }

  private static func isWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_" || character == "$"
  }
}
