// SPDX-License-Identifier: MIT

internal import NBridgeScript

/// The brackets of a script that are open at its end.
struct OpenBrackets {
  private let bytes: [UInt8]
  /// Where they stand, in bytes.
  private var places: [Int] = []
  /// Whether the end is inside of a template or a comment, where a bracket is text.
  private var isInText = false

  init(_ text: String) {
    bytes = Array(text.utf8)
    for token in ScriptTokens(text) {
      switch (token.kind, token.text) {
      case (.punctuator, "{"), (.punctuator, "("), (.punctuator, "["): places.append(token.range.lowerBound)
      case (.punctuator, "}"), (.punctuator, ")"), (.punctuator, "]"): _ = places.popLast()
      case (.template, let part):
        if part.hasPrefix("}") { _ = places.popLast() }
        if part.hasSuffix("${") { places.append(token.range.upperBound - 2) }
      default: break
      }
      // Between tokens there is space; one that goes to the end has taken that in.
      isInText = [.template, .comment].contains(token.kind) && token.range.upperBound >= bytes.count
    }
  }

  /// Whether a text ends inside of a template, whose spaces are its author's.
  static func endInTemplate(_ text: String) -> Bool { ScriptTokens.endInTemplate(text) }

  /// The spaces at the beginning of the line with the last of them; nil when there is none.
  var indent: String? {
    guard let place = places.last, !isInText else { return nil }
    let start = bytes[..<place].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    return String(decoding: bytes[start...].prefix { $0 == 0x20 || $0 == 0x09 }, as: UTF8.self)
  }
}
