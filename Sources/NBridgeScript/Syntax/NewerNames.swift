// SPDX-License-Identifier: MIT

/// What stands for newer syntax in texts on their way: names that no author has.
///
/// ``NewerSyntax`` writes what esbuild 0.17 can read, and what stays apart in what it makes of that;
/// ``LoweredText`` makes of it what the engine can run, with calls of `language.js`.
enum NewerNames {
  /// `const ǃu1=0,x=…` is `using x=…`; `const {ǃu1:x}` of a loop is `using x`.
  static let using = "\u{1C3}u"
  /// The same for `await using`.
  static let awaitUsing = "\u{1C3}w"
  /// `static[ǃm(…)](){}` has the decorators of the method behind it.
  static let method = "\u{1C3}m"
  /// The same of a field, with its key behind them.
  static let field = "\u{1C3}f"
  /// The same of an `accessor`.
  static let accessor = "\u{1C3}a"
  /// `ǃc(…);class …` has a class's decorators, and so has `ǃc(…)in class …` of an expression.
  static let classes = "\u{1C3}c"
  /// What `language.js` gives; its word is one that lazy globals are found by.
  static let library = "\u{1C3}" + libraryWord
  static let libraryWord = "lang_"
  /// The resources of a block, and the number of that.
  static let scope = "\u{1C3}s"
  /// The resources of a whole script or module.
  static let outerScope = "\u{1C3}U"
}
