// SPDX-License-Identifier: MIT

/// Where a script's output goes.
public protocol ScriptOutput: AnyObject, Sendable {
  /// Writes text that a person reads as the result.
  func write(_ text: String)
  /// Writes text about the run: warnings, errors, traces.
  func writeError(_ text: String)
  /// Writes what waits.
  func flush()
  /// Whether colours are welcome.
  var colours: Bool { get }
  /// Whether colours are welcome on the error stream.
  var errorColours: Bool { get }
}
