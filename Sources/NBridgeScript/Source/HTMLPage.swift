// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeSystem

/// What a page holds for us: its scripts, its click handlers, the elements that scripts look for.
///
/// Reads tags and attributes as the HTML standard's tokenizer does (section 13.2.5) as far as that matters
/// here: comments, quoted and bare attributes, raw text in `script`, `style`, `textarea` and `title`.
package struct HTMLPage {
  package let path: String
  package private(set) var scripts: [Script] = []
  package private(set) var clickHandlers: [ScriptSource] = []
  /// The `id` of the element that each of them belongs to; empty for none.
  package private(set) var clickTargets: [String] = []
  package private(set) var elementIDs: [String] = []
  /// The page itself, for reports.
  package let source: ScriptSource

  /// A script tag: inline text or a file beside the page.
  package struct Script {
    package let page: String
    package let file: String?
    package let text: String
    package let line: Int
    /// How many UTF-16 units stand before it on its line.
    let indent: Int
    /// Whether it is a module, which runs after the scripts that are none.
    package let isModule: Bool

    /// Reads the script. Throws for a file that is missing or not local.
    package func source() throws(ScriptFileError) -> ScriptSource {
      guard let file else {
        // What stands in front keeps the page's own lines and columns.
        let space = String(repeating: "\n", count: line - 1) + String(repeating: " ", count: indent)
        return ScriptSource(url: page, text: space + text)
      }
      if file.contains("://") || file.hasPrefix("//") {
        throw ScriptFileError(
          "'\(page)' line \(line): the script '\(file)' is not a local file; only those are run")
      }
      let folder = String(page.throughLastSlash)
      let plain = file.split(separator: "?").first.map(String.init) ?? file
      do { return ScriptSource(url: folder + plain, text: try ScriptFile.read(folder + plain)) } catch {
        throw ScriptFileError("'\(page)' line \(line): \(error)")
      }
    }
  }

  /// Parses a page; whatever it holds, it parses.
  package init(text: String, path: String) {
    self.path = path
    source = ScriptSource(url: path, text: text)
    var scanner = HTMLScanner(text)
    var (line, onLine) = (0, 0)
    while let tag = scanner.nextTag() {
      if let id = tag.attributes["id"], !id.isEmpty { elementIDs.append(id) }
      if let code = tag.attributes["onclick"] {
        // Several may stand on one line.
        onLine = tag.line == line ? onLine + 1 : 1
        line = tag.line
        let url = "\(path)#onclick:\(line)" + (onLine == 1 ? "" : "-\(onLine)")
        clickHandlers.append(ScriptSource(url: url, text: code))
        clickTargets.append(tag.attributes["id"] ?? "")
      }
      guard tag.name == "script" else { continue }
      let type = (tag.attributes["type"] ?? "").lowercased()
      guard ["", "text/javascript", "module", "application/javascript"].contains(type) else { continue }
      scripts.append(
        Script(
          page: path, file: tag.attributes["src"], text: tag.rawText, line: tag.rawTextLine,
          indent: tag.rawTextIndent, isModule: type == "module"))
    }
  }
}

/// Finds the start tags of a page.
struct HTMLScanner {
  struct Tag {
    var name = ""
    var attributes: [String: String] = [:]
    var line = 1
    /// What stands between a `script`'s tags.
    var rawText = ""
    var rawTextLine = 1
    var rawTextIndent = 0
  }

  private let bytes: [UInt8]
  private var at = 0
  private var line = 1
  private var lineStart = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  mutating func nextTag() -> Tag? {
    while at < bytes.count {
      if starts("<!--") {
        skip(past: "-->")
      } else if bytes[at] == 0x3C, at + 1 < bytes.count, isLetter(bytes[at + 1]) {
        return tag()
      } else {
        advance()
      }
    }
    return nil
  }

  private mutating func tag() -> Tag {
    var tag = Tag(line: line)
    advance()
    tag.name = name().lowercased()
    while at < bytes.count, bytes[at] != 0x3E {
      if isSpace(bytes[at]) || bytes[at] == 0x2F {
        advance()
        continue
      }
      attribute(into: &tag)
    }
    advance()
    tag.rawTextLine = line
    if tag.name == "script" {
      tag.rawTextIndent = String(decoding: bytes[lineStart..<at], as: UTF8.self).utf16.count
    }
    if ["script", "style", "textarea", "title"].contains(tag.name) {
      tag.rawText = raw(until: "</\(tag.name)")
    }
    return tag
  }

  private mutating func attribute(into tag: inout Tag) {
    let start = at
    // An equals sign before a name belongs to it (13.2.5.32).
    if at < bytes.count, bytes[at] == 0x3D { advance() }
    _ = name()
    if at == start { return advance() }
    let key = String(decoding: bytes[start..<at], as: UTF8.self).lowercased()
    skipSpace()
    guard at < bytes.count, bytes[at] == 0x3D else { return tag.attributes[key] = tag.attributes[key] ?? "" }
    advance()
    skipSpace()
    let value = attributeValue()
    if tag.attributes[key] == nil { tag.attributes[key] = HTMLReferences.resolved(in: value) }
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
    let value = String(decoding: bytes[start..<at], as: UTF8.self)
    if isQuoted { advance() }
    return value
  }

  private mutating func name() -> String {
    let start = at
    while at < bytes.count, !isSpace(bytes[at]), ![0x3E, 0x2F, 0x3D].contains(bytes[at]) { advance() }
    return String(decoding: bytes[start..<at], as: UTF8.self)
  }

  private mutating func raw(until end: String) -> String {
    let start = at
    while at < bytes.count, !starts(end) { advance() }
    return String(decoding: bytes[start..<min(at, bytes.count)], as: UTF8.self)
  }

  private mutating func skip(past end: String) {
    while at < bytes.count, !starts(end) { advance() }
    for _ in end.utf8 where at < bytes.count { advance() }
  }

  private mutating func skipSpace() { while at < bytes.count, isSpace(bytes[at]) { advance() } }

  private mutating func advance() {
    guard at < bytes.count else { return }
    at += 1
    if bytes[at - 1] == 0x0A { (line, lineStart) = (line + 1, at) }
  }

  private func starts(_ word: String) -> Bool {
    let word = word.utf8
    guard at + word.count <= bytes.count else { return false }
    return zip(bytes[at...], word).allSatisfy { $0 == $1 || isLetter($0) && $0 | 0x20 == $1 | 0x20 }
  }

  private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
  private func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}
