// SPDX-License-Identifier: MIT

/// Whether a text stays inside of the function that is put around it: one that closes it, as
/// `}, alert(1), {` does, would run code outside of it.
enum EnclosedText {
  /// Whether `text` is a function's body, behind `head` and before `tail`.
  static func isBody(_ text: String, behind head: String, before tail: String, by parser: some ScriptParser)
    -> Bool
  {
    guard parser.parses(head + text + "\n" + tail) else { return false }
    guard text.utf8.contains(UInt8(ascii: "}")) else { return true }
    // At its end stand statements of the scope that began before it: a name can be declared there, and not
    // when it is declared before it, too. No author has this one.
    guard !text.utf8.containsText("\u{1C3}end") else { return false }
    let declared = "let \u{1C3}end;"
    let end = "\n;" + declared + "\n" + tail
    return parser.parses(head + text + end) && !parser.parses(head + declared + text + end)
  }

  /// Whether `text`, which is an expression where it stands in parentheses, is one by itself: in brackets its
  /// own parenthesis closes nothing.
  static func isExpression(
    _ text: String, behind head: String, before tail: String, by parser: some ScriptParser
  ) -> Bool {
    guard parser.parses("\(head)(\(text)\n)\(tail)") else { return false }
    return !text.utf8.contains(UInt8(ascii: ")")) || parser.parses("\(head)[\(text)\n]\(tail)")
  }
}
