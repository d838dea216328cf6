// SPDX-License-Identifier: MIT

/// What the language has since lately, and neither the engine nor esbuild knows: what to write instead.
package enum NewerSyntax {
  /// What a syntax error should say; nil where it is about something else.
  ///
  /// - Parameters:
  ///   - line: the line that it stands in.
  ///   - column: where the parser gave up, 1-based, in UTF-16 units.
  package static func advice(for line: some StringProtocol, column: Int) -> String? {
    let units = Array(line.utf16)
    guard column >= 1, column <= units.count else { return nil }
    if units[column - 1] == 0x40 {
      return "decorators are not known here; call what decorates, as in C = decorate(C), or let another"
        + " compiler take them off"
    }
    let before = String(decoding: units[..<(column - 1)], as: UTF16.self)
    // Only white space stands between the word and the name that it declares.
    guard before.last?.isWhitespace == true, let last = before.split(whereSeparator: \.isWhitespace).last
    else { return nil }
    switch String(last.reversed().prefix { $0.isLetter }.reversed()) {
    case "using":
      return "declarations with 'using' are not known here; write const, and close it in a finally block"
    case "accessor":
      return "fields with 'accessor' are not known here; write a private field with get and set"
    default: return nil
    }
  }
}
