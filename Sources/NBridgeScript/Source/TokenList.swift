// SPDX-License-Identifier: MIT

/// A script's tokens, to be walked with a look at what comes.
struct TokenList {
  struct Item {
    let kind: JSLexer.Kind
    let text: String
    /// In bytes of UTF-8.
    let range: Range<Int>
    /// Whether a line end stands before it.
    let startsLine: Bool
  }

  let items: [Item]
  /// The index behind each bracket's partner, by the index of the opening one.
  let ends: [Int: Int]
  private(set) var at = 0

  init(_ text: String) {
    var lexer = JSLexer(text)
    var items: [Item] = []
    var open: [Int] = []
    var ends: [Int: Int] = [:]
    while true {
      let token = lexer.next()
      guard token.kind != .end else { break }
      let item = Item(
        kind: token.kind, text: Self.text(lexer.text(token), token.kind), range: token.range,
        startsLine: token.startsLine)
      if item.kind == .punctuator {
        if "([{".contains(item.text) { open.append(items.count) }
        if ")]}".contains(item.text), let start = open.popLast() { ends[start] = items.count + 1 }
      } else if item.kind == .template {
        // A template's `${` and `}` are brackets, too.
        if item.text.hasPrefix("}"), let start = open.popLast() { ends[start] = items.count + 1 }
        if item.text.hasSuffix("${") { open.append(items.count) }
      }
      items.append(item)
    }
    (self.items, self.ends) = (items, ends)
  }

  /// A name with escapes is the name that they stand for.
  private static func text(_ text: String, _ kind: JSLexer.Kind) -> String {
    guard kind == .word, text.utf8.contains(0x5C) else { return text }
    return StringLiteral.value("'\(text)'")
  }

  var isAtEnd: Bool { at >= items.count }
  var count: Int { items.count }

  /// The token at a distance; one of no text behind the end.
  func peek(_ distance: Int = 0) -> Item {
    let index = at + distance
    guard index >= 0, index < items.count else {
      let end = items.last?.range.upperBound ?? 0
      return Item(kind: .end, text: "", range: end..<end, startsLine: true)
    }
    return items[index]
  }

  /// The token before.
  var previous: Item { peek(-1) }

  @discardableResult mutating func next() -> Item {
    let item = peek()
    at += 1
    return item
  }

  /// Goes back to the token before.
  mutating func goBack() { at = max(0, at - 1) }

  /// Whether a punctuator comes.
  func sees(_ text: String, _ distance: Int = 0) -> Bool {
    let item = peek(distance)
    return item.kind == .punctuator && item.text == text
  }

  /// Whether a word comes.
  func seesWord(_ text: String, _ distance: Int = 0) -> Bool {
    let item = peek(distance)
    return item.kind == .word && item.text == text
  }

  /// Takes a punctuator or a word when it comes.
  @discardableResult mutating func take(_ text: String) -> Bool {
    let item = peek()
    guard item.kind == .punctuator || item.kind == .word, item.text == text else { return false }
    at += 1
    return true
  }

  /// The token behind the bracket that closes the one at a distance.
  func behindBracket(_ distance: Int = 0) -> Item {
    guard let end = ends[at + distance] else { return peek(items.count) }
    return peek(end - at)
  }

  /// Whether two neighbours touch.
  func touches(_ distance: Int) -> Bool {
    peek(distance).range.upperBound == peek(distance + 1).range.lowerBound
  }
}
