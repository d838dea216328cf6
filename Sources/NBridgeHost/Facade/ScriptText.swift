// SPDX-License-Identifier: MIT

package import NBridgePlugin

extension String {
  /// A literal of JavaScript and TypeScript. JSON is one (ECMA-262, 12.9.4).
  package var quotedForScript: String {
    let sink = WireSink(capacity: 64)
    sink.write(self)
    return String(decoding: sink.text, as: UTF8.self).told
  }

  /// Its control characters, and those that change the order in which it is read, as escapes of JavaScript;
  /// JSON and line ends stay what they are.
  var told: String {
    guard unicodeScalars.contains(where: Self.isTold) else { return self }
    return unicodeScalars.map { scalar in
      guard Self.isTold(scalar) else { return String(scalar) }
      let digits = String(scalar.value, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }.joined()
  }

  /// What JSON takes as it is, and a literal of TypeScript or a terminal does not: the ends of lines and
  /// paragraphs, control characters, and what begins or ends a run of another direction (Unicode Standard
  /// Annex 9).
  private static func isTold(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A: false
    case 0..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// Whether it can stand as it is where a member or variable is named (ECMA-262, 12.7).
  var isScriptName: Bool {
    guard let first = unicodeScalars.first, first.properties.isIDStart || "_$".unicodeScalars.contains(first)
    else { return false }
    return unicodeScalars.allSatisfy { $0.properties.isIDContinue || $0 == "$" }
  }

  /// The nearest to it that can: `content-type` becomes `content_type`.
  var asScriptName: String {
    if isScriptName { return self }
    let marked = unicodeScalars.map { $0.properties.isIDContinue ? String($0) : "_" }.joined()
    return marked.isScriptName ? marked : "_" + marked
  }

  /// On one line, as where a line end would end more than the text.
  var onOneLine: String {
    split { $0.isNewline || $0 == "\u{2028}" || $0 == "\u{2029}" }.joined(separator: " ")
  }
}

/// What a person wrote, as a comment that it can't end.
enum Comment {
  static func line(_ text: String) -> String { "/** \(escaped(text.onOneLine)) */" }

  static func lines(_ lines: [String], indent: String) -> String {
    let all = lines.flatMap { $0.split(omittingEmptySubsequences: true, whereSeparator: \.isNewline) }
    return "\(indent)/**\n" + all.map { "\(indent) * \(escaped(String($0)))\n" }.joined() + "\(indent) */\n"
  }

  private static func escaped(_ text: String) -> String { text.told.replacing("*/", with: "*\\/") }
}

extension Schema.Field {
  /// What is to be known of it besides its type, as a sentence: `Default: 20; must be from 1 to 100.`
  package var facts: String {
    let value = defaultValue.map { value -> String in
      let text = String(decoding: value.text, as: UTF8.self)
      return "default: \(text.count > 60 ? text.prefix(57) + "..." : text)"
    }
    let parts = [value, rule.map { "must \($0.words)" }].compactMap { $0 }
    return parts.isEmpty ? "" : "(\(parts.joined(separator: "; ")))"
  }
}
