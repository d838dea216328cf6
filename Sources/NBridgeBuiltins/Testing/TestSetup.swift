// SPDX-License-Identifier: MIT

internal import NBridgePlugin
public import NBridgeScript

/// How a file of tests is run.
public struct TestSetup: Sendable {
  /// Runs only tests whose title holds this.
  public var filter: String?
  /// Ends the file after so many tests that failed; nil for never.
  public var maxFailures: Int?
  /// Whether snapshots are written: those that are missing or differ; those that no test looks at are taken
  /// out.
  public var updatesSnapshots = false
  /// Whether what runs of the program's own files is counted, and told in the end.
  public var countsCoverage = false
  /// Whether the file has the document of an empty page, as where a page runs it.
  public var hasDocument = false
  /// Takes each record as it comes, on the engine's thread.
  public var record: @Sendable (TestRecord) -> Void

  /// Makes a setup.
  public init(filter: String? = nil, record: @escaping @Sendable (TestRecord) -> Void) {
    self.filter = filter
    self.record = record
  }

  /// Makes a setup whose results come as lines of JSON.
  @available(*, deprecated, message: "use init(filter:record:), which also tells of tests that did not run")
  public init(filter: String? = nil, report: @escaping @Sendable (String) -> Void) {
    self.init(filter: filter) { record in
      guard case .ended(let result) = record, let value = try? Value(encoding: result) else { return }
      report(String(decoding: value.text, as: UTF8.self))
    }
  }
}

/// A step of a file of tests, in the order of their coming. A test that was declared and never ended did not
/// run, and a file without `finished` did not come to its end, whatever its status says.
public enum TestRecord: Codable, Sendable, Equatable {
  /// A test was declared. Numbers begin at 1; `partOf` is 0 for one that is no part of another.
  case declared(number: Int, title: String, place: String, partOf: Int)
  /// `filter` leaves a test out.
  case leftOut(number: Int)
  /// A test begins.
  case began(number: Int)
  /// A test ended.
  case ended(TestLine)
  /// Something failed outside of any test.
  case failed(TestLine.Failure)
  /// What became of snapshots.
  case snapshots(written: Int, removed: Int, unused: Int)
  /// How often the places of a file ran; it may come behind `finished`.
  case covered(FileCoverage)
  /// All tests that were declared had their turn.
  case finished
}

/// One result.
public struct TestLine: Codable, Sendable, Equatable {
  /// What went wrong in a test.
  public struct Failure: Codable, Sendable, Equatable {
    /// The error's name, as `AssertionError`.
    public var name: String
    /// Its message.
    public var message: String
    /// A bridge error's code.
    public var code: String?
    /// The author's frames, a line each.
    public var stack: String
    /// How the values differ, a line each: `- ` for what was expected, `+ ` for what there was, else two
    /// blanks.
    public var difference: String?
    /// What belongs to the error beside that, a line each: its properties, its causes with their frames.
    public var belongings: String?

    /// Makes a failure.
    public init(
      name: String, message: String, code: String? = nil, stack: String = "", difference: String? = nil,
      belongings: String? = nil
    ) {
      (self.name, self.message, self.code) = (name, message, code)
      (self.stack, self.difference, self.belongings) = (stack, difference, belongings)
    }
  }
  /// Its number in its file, from 1.
  public var number: Int?
  /// The names of the suites and the test, joined by ` > `.
  public var title: String
  /// `pass`, `fail`, `skip` or `todo`; `none` for a test that did not run.
  public var outcome: String
  /// How long it took.
  public var milliseconds: Double?
  /// Why it failed: the first reason.
  public var error: Failure?
  /// The other reasons.
  public var furtherErrors: [Failure]?
  /// Lines that the test added, and why it was skipped.
  public var notes: String?

  /// Makes a result.
  public init(
    number: Int? = nil, title: String, outcome: String, milliseconds: Double? = nil, error: Failure? = nil,
    notes: String? = nil
  ) {
    (self.number, self.title, self.outcome, self.milliseconds) = (number, title, outcome, milliseconds)
    (self.error, self.notes) = (error, notes)
  }
}
