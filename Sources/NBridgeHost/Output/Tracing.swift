// SPDX-License-Identifier: MIT

/// What a run shows of its calls.
public struct Tracing: Sendable {
  /// Prints each call on stderr.
  public var toStandardError = false
  /// Writes each call as a JSON line to this file.
  public var file: String?
  /// Prints the smallest permission list at the end.
  public var audits = false

  /// Nothing.
  public init() {}
}
