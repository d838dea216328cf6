// SPDX-License-Identifier: MIT

/// The pieces of markup as one text, of which a script makes a tree: fields, each with a NUL behind it, which
/// no field has. The engine gets one text instead of a value for every piece.
///
/// The first field of a piece says what it is: `<` or, of a tag that ends with a slash, `/`, with a name, a
/// line, the number of a script that runs or nothing, how many attributes there are, and their names and
/// values; `>` with a name; `t` with a text; `!` with a comment; `d` with the name of a document type.
package struct HTMLPieces {
  package private(set) var text = ""

  init() {}

  /// Of markup that is no page's, whose scripts don't run.
  package init(of markup: String) {
    var scanner = HTMLScanner(markup)
    while let piece = scanner.next() { add(piece, script: nil) }
  }

  /// - Parameter script: the number of a script that runs.
  mutating func add(_ piece: HTMLScanner.Piece, script: Int?) {
    switch piece {
    case .start(let tag): if tag.isWhole { add(tag, script) }
    case .end(let name): put(">", name)
    case .text(let text): addText(text)
    case .comment(let text): put("!", text)
    case .type(let name): put("d", name)
    }
  }

  private mutating func add(_ tag: HTMLScanner.Tag, _ script: Int?) {
    put(tag.isClosed ? "/" : "<", tag.name)
    put("\(tag.line)", script.map { "\($0)" } ?? "")
    put("\(tag.names.count)")
    for name in tag.names { put(name, tag.attributes[name] ?? "") }
    guard !tag.rawText.isEmpty else { return }
    let hasReferences = tag.name == "textarea" || tag.name == "title"
    put("t", hasReferences ? HTMLReferences.resolved(in: tag.rawText) : tag.rawText)
  }

  /// NUL is left out of texts (13.2.6.4.7), and stands for itself elsewhere.
  private mutating func addText(_ text: String) {
    let kept = text.utf8.contains(0) ? text.replacing("\0", with: "") : text
    if !kept.isEmpty { put("t", kept) }
  }

  private mutating func put(_ fields: String...) {
    for field in fields {
      text += Self.cleaned(field)
      text += "\0"
    }
  }

  /// Without NUL, and with lines that end as the standard wants (13.2.3.5).
  private static func cleaned(_ field: String) -> String {
    guard field.utf8.contains(where: { $0 == 0 || $0 == 0x0D }) else { return field }
    var bytes: [UInt8] = []
    var isBehindReturn = false
    for byte in field.utf8 {
      switch byte {
      case 0: bytes += [0xEF, 0xBF, 0xBD]
      case 0x0D: bytes.append(0x0A)
      case 0x0A where isBehindReturn: break
      default: bytes.append(byte)
      }
      isBehindReturn = byte == 0x0D
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
