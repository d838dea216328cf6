// SPDX-License-Identifier: MIT

/// How a file of tests is run.
public struct TestSetup: Sendable {
  /// Runs only tests whose title holds this.
  public var filter: String?
  /// Takes each result, a line of JSON as ``TestLine``.
  public var report: @Sendable (String) -> Void

  /// Makes a setup.
  public init(filter: String? = nil, report: @escaping @Sendable (String) -> Void) {
    self.filter = filter
    self.report = report
  }
}

/// One result.
public struct TestLine: Codable, Sendable {
  /// What went wrong in a test.
  public struct Failure: Codable, Sendable {
    /// The error's name, as `AssertionError`.
    public var name: String
    /// Its message.
    public var message: String
    /// A bridge error's code.
    public var code: String?
    /// The author's frames, a line each.
    public var stack: String
  }
  /// The names of the suites and the test, joined by ` > `.
  public var title: String
  /// `pass`, `fail`, `skip` or `todo`.
  public var outcome: String
  /// How long it took.
  public var milliseconds: Double?
  /// Why it failed.
  public var error: Failure?
}
