// SPDX-License-Identifier: MIT

/// What a runtime runs.
public enum Program: Sendable {
  /// A script from disk.
  case file(String)
  /// A script from memory, and what reports call it.
  case text(String, url: String = "script.js")
  /// An expression or statements from memory. The value, awaited, is printed as `console.log` would.
  case printed(String, url: String = "script.js")
  /// A file of tests, for ``RuntimeOptions/testing``.
  case tests(String)
  /// A page: its script tags in order, then the named functions, or each `onclick` when none is named.
  case page(String, calls: [String])
}
