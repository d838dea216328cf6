// SPDX-License-Identifier: MIT

internal import NBridgeScript

/// Colours of JavaScript, by the kinds of its tokens.
package struct Highlighter {
  private var styles: [(range: Range<Int>, style: String)] = []

  private static let keywords: Set<String> = [
    "async", "await", "break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete",
    "do",
    "else", "export", "extends", "finally", "for", "from", "function", "if", "import", "in", "instanceof",
    "let", "new",
    "of", "return", "static", "super", "switch", "this", "throw", "try", "typeof", "var", "void", "while",
    "with",
    "yield",
  ]
  private static let constants: Set<String> = ["true", "false", "null", "undefined", "NaN", "Infinity"]

  package init(_ text: String) {
    if Self.isCommand(text) {
      styles = [(0..<text.utf8.prefix { $0 != 0x20 }.count, "36")]
      return
    }
    for token in ScriptTokens(text) {
      switch token.kind {
      case .word where Self.keywords.contains(token.text): styles.append((token.range, "35"))
      case .word where Self.constants.contains(token.text): styles.append((token.range, "33"))
      case .number: styles.append((token.range, "33"))
      case .string, .template: styles.append((token.range, "32"))
      case .regex: styles.append((token.range, "31"))
      case .comment: styles.append((token.range, "90"))
      case .word, .punctuator: break
      }
    }
  }

  /// A dot and a letter, as a prompt's own commands begin; `.5` is a number.
  private static func isCommand(_ text: String) -> Bool {
    text.hasPrefix(".") && text.dropFirst().first?.isLetter != false && !text.contains { $0.isNewline }
  }

  /// The style of the character that begins at a byte; empty for none. Fast for places that go up.
  package func style(at byte: Int) -> String {
    var low = 0
    var high = styles.count
    while low < high {
      let middle = (low + high) / 2
      if styles[middle].range.upperBound <= byte { low = middle + 1 } else { high = middle }
    }
    return low < styles.count && styles[low].range.contains(byte) ? styles[low].style : ""
  }
}
