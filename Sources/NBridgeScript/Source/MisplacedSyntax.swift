// SPDX-License-Identifier: MIT

/// Decorators and `using` where the language does not have them: there nothing is put in their place, and the
/// engine and esbuild say only that they are unexpected.
package enum MisplacedSyntax {
  /// What a syntax error should say; nil where it is about something else.
  ///
  /// - Parameters:
  ///   - line: the line that it stands in.
  ///   - column: where the parser gave up, 1-based, in UTF-16 units.
  package static func advice(for line: some StringProtocol, column: Int) -> String? {
    let units = Array(line.utf16)
    guard column >= 1, column <= units.count else { return nil }
    if units[column - 1] == 0x40 {
      return "a decorator stands before a class, or before a member of one that is no constructor"
    }
    let before = String(decoding: units[..<(column - 1)], as: UTF16.self)
    // Only white space stands between the word and the name that it declares.
    guard before.last?.isWhitespace == true, let last = before.split(whereSeparator: \.isWhitespace).last,
      String(last.reversed().prefix { $0.isLetter }.reversed()) == "using"
    else { return nil }
    return "a declaration with 'using' stands in a block or at a module's top, and has a value;"
      + " put braces around it"
  }
}
