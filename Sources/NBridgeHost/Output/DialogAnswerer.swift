// SPDX-License-Identifier: MIT

/// Answers a script's `confirm` and `prompt`.
public protocol DialogAnswerer: AnyObject, Sendable {
  /// Whether the person says yes.
  func confirm(_ message: String) -> Bool
  /// What the person types; nil for no answer.
  func prompt(_ message: String, default text: String) -> String?
}

/// No, and nothing: what a script gets without a terminal.
public final class NoAnswers: DialogAnswerer {
  /// Makes it.
  public init() {}
  /// No.
  public func confirm(_ message: String) -> Bool { false }
  /// Nothing.
  public func prompt(_ message: String, default text: String) -> String? { nil }
}
