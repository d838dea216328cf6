// SPDX-License-Identifier: MIT

/// Says whether a text is a script. The engine does; scripts are prepared without knowing it.
package protocol ScriptParser {
  /// Whether `text` parses as a script, without running it.
  func parses(_ text: String) -> Bool

  /// Where `text` goes wrong; nil when it parses. Asks for the column, which costs about ten parses.
  func syntaxError(in text: String) -> ScriptSyntaxError?
}

/// Where a script does not parse.
package struct ScriptSyntaxError {
  /// 1-based.
  package let line: Int
  /// 1-based, in UTF-16 units; nil when the parser can't tell.
  package let column: Int?

  package init(line: Int, column: Int?) { (self.line, self.column) = (line, column) }
}
