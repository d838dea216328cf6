// SPDX-License-Identifier: MIT

/// Finds the pieces of markup as the HTML standard's tokenizer does (section 13.2.5), as far as that matters
/// here: tags with quoted and bare attributes, comments, raw text in the elements whose content is no markup.
///
/// Any text is markup. It goes forward only: the time it takes grows as the text does.
struct HTMLScanner {
  enum Piece {
    case start(Tag)
    /// A name.
    case end(String)
    case text(String)
    case comment(String)
    /// The name of a document type.
    case type(String)
  }

  struct Tag {
    var name = ""
    /// Of two attributes with a name the first one counts.
    var attributes: [String: String] = [:]
    /// The names of the attributes in their order.
    var names: [String] = []
    var line = 1
    /// Whether it ends with a slash.
    var isClosed = false
    /// Whether it ends before all does; no element is made of one that does not.
    var isWhole = true
    /// What stands between the tags of an element whose content is no markup.
    var rawText = ""
    var rawTextLine = 1
    /// Of a script: how many UTF-16 units stand before its text on its line.
    var rawTextIndent = 0
  }

  /// Elements whose content is no markup. (Scripts run: what is in `noscript` is a text.)
  private static let raw: Set<String> = [
    "script", "style", "textarea", "title", "iframe", "noembed", "noframes", "noscript", "xmp",
  ]

  private let bytes: [UInt8]
  private var at = 0
  private var line = 1
  private var lineStart = 0
  /// Up to where a line's UTF-16 units are counted.
  private var counted = (at: 0, units: 0)

  init(_ text: String) { bytes = Array(text.utf8) }

  mutating func next() -> Piece? {
    // An end tag without a name is nothing.
    while starts("</>") { for _ in 0..<3 { advance() } }
    guard at < bytes.count else { return nil }
    guard bytes[at] == 0x3C, at + 1 < bytes.count else { return .text(text()) }
    if isLetter(bytes[at + 1]) { return .start(tag()) }
    if starts("<!--") { return .comment(comment()) }
    let second = bytes[at + 1]
    let third = at + 2 < bytes.count ? bytes[at + 2] : nil
    if second == 0x2F, let third, isLetter(third) { return .end(endTag()) }
    // A question mark, a mark and a letter, a slash and no letter: no comment, but taken for one (13.2.5.41).
    if second == 0x3F || second == 0x21 && third.map(isLetter) == true || second == 0x2F && third != nil {
      return declaration()
    }
    return .text(text())
  }

  private mutating func text() -> String {
    let start = at
    advance()
    while at < bytes.count, bytes[at] != 0x3C { advance() }
    return HTMLReferences.resolved(in: string(start..<at))
  }

  private mutating func comment() -> String {
    let start = at + 4
    // `<!-->` is a whole one.
    at += 2
    while at < bytes.count, commentEnd(from: start) == 0 { advance() }
    let end = at
    if at < bytes.count { for _ in 0..<commentEnd(from: start) { advance() } }
    return string(min(start, end)..<end)
  }

  /// How long the end is that a comment has here, if it has one.
  private func commentEnd(from start: Int) -> Int {
    guard bytes[at] == 0x2D else { return 0 }
    // (13.2.5.52)
    return starts("-->") ? 3 : at >= start && starts("--!>") ? 4 : 0
  }

  private mutating func declaration() -> Piece {
    let isType = starts("<!doctype")
    // The question mark is part of the comment.
    let start = bytes[at + 1] == 0x3F ? at + 1 : at + 2
    while at < bytes.count, bytes[at] != 0x3E { advance() }
    let inside = string(start..<at)
    advance()
    guard isType else { return .comment(inside) }
    let words = inside.dropFirst("doctype".count).split(whereSeparator: \.isWhitespace)
    return .type(words.first.map { $0.lowercased() } ?? "")
  }

  private mutating func tag() -> Tag {
    var tag = Tag(line: line)
    advance()
    tag.name = tagName()
    readAttributes(into: &tag)
    tag.rawTextLine = line
    if tag.name == "script" {
      tag.rawTextIndent = indent()
    }
    if Self.raw.contains(tag.name) { tag.rawText = raw(of: tag.name) }
    return tag
  }

  /// How many UTF-16 units stand before here on the line. It is counted on from the last script's, so that
  /// many on one line take no more time.
  private mutating func indent() -> Int {
    if counted.at < lineStart { counted = (lineStart, 0) }
    counted = (at, counted.units + string(counted.at..<at).utf16.count)
    return counted.units
  }

  private mutating func endTag() -> String {
    advance()
    advance()
    let name = tagName()
    var ignored = Tag()
    readAttributes(into: &ignored)
    return name
  }

  /// Reads to behind the tag.
  private mutating func readAttributes(into tag: inout Tag) {
    while at < bytes.count, bytes[at] != 0x3E {
      tag.isClosed = bytes[at] == 0x2F
      if isSpace(bytes[at]) || bytes[at] == 0x2F {
        advance()
      } else {
        attribute(into: &tag)
      }
    }
    tag.isWhole = at < bytes.count
    advance()
  }

  private mutating func attribute(into tag: inout Tag) {
    let start = at
    // An equals sign before a name belongs to it (13.2.5.32).
    if at < bytes.count, bytes[at] == 0x3D { advance() }
    skipName(endingAt: [0x3E, 0x2F, 0x3D])
    if at == start { return advance() }
    let key = string(start..<at).lowercased()
    skipSpace()
    var value = ""
    if at < bytes.count, bytes[at] == 0x3D {
      advance()
      skipSpace()
      value = attributeValue()
    }
    guard tag.attributes[key] == nil else { return }
    tag.attributes[key] = HTMLReferences.resolved(in: value)
    tag.names.append(key)
  }

  private mutating func attributeValue() -> String {
    guard at < bytes.count else { return "" }
    let quote = bytes[at]
    let isQuoted = quote == 0x22 || quote == 0x27
    if isQuoted { advance() }
    let start = at
    while at < bytes.count, isQuoted ? bytes[at] != quote : !isSpace(bytes[at]) && bytes[at] != 0x3E {
      advance()
    }
    let value = string(start..<at)
    if isQuoted { advance() }
    return value
  }

  private mutating func tagName() -> String {
    let start = at
    skipName(endingAt: [0x3E, 0x2F])
    return string(start..<at).lowercased()
  }

  private mutating func skipName(endingAt ends: [UInt8]) {
    while at < bytes.count, !isSpace(bytes[at]), !ends.contains(bytes[at]) { advance() }
  }

  /// What stands before the element's end tag, or before the end of all.
  private mutating func raw(of name: String) -> String {
    let start = at
    let end = "</" + name
    if name == "script" { skipScript() } else { while at < bytes.count, !isTag(end) { advance() } }
    return string(start..<at)
  }

  /// In a comment of a script's text, another script's tags stand for themselves (13.2.5.20 to 13.2.5.31).
  private mutating func skipScript() {
    var (isComment, isInside) = (false, false)
    while at < bytes.count {
      if bytes[at] == 0x2D, isComment, starts("-->") { (isComment, isInside) = (false, false) }
      if bytes[at] == 0x3C {
        if isTag("</script") {
          guard isInside else { return }
          isInside = false
        } else if starts("<!--") {
          isComment = true
          // `<!-->` is a whole one.
          advance()
        } else if isComment, isTag("<script") {
          isInside = true
        }
      }
      advance()
    }
  }

  /// Whether a tag stands here that begins so, and whose name is no longer (13.2.5.14).
  private func isTag(_ start: String) -> Bool {
    guard bytes[at] == 0x3C, starts(start), at + start.utf8.count < bytes.count else { return false }
    let next = bytes[at + start.utf8.count]
    return isSpace(next) || next == 0x2F || next == 0x3E
  }

  private mutating func skipSpace() { while at < bytes.count, isSpace(bytes[at]) { advance() } }

  private mutating func advance() {
    guard at < bytes.count else { return }
    at += 1
    if bytes[at - 1] == 0x0A { (line, lineStart) = (line + 1, at) }
  }

  private func string(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  private func starts(_ word: String) -> Bool {
    let word = word.utf8
    guard at + word.count <= bytes.count else { return false }
    return zip(bytes[at...], word).allSatisfy { $0 == $1 || isLetter($0) && $0 | 0x20 == $1 | 0x20 }
  }

  private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
  private func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}
