// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgeBuiltins
internal import NBridgeScript

/// How one file of tests went: what its process told, and what follows from what it did not tell.
struct TestFileResult {
  var file: String
  /// Every test that was declared and not left out by the filter, in this order.
  var tests: [TestLine] = []
  /// What failed outside of any test.
  var failures: [TestLine.Failure] = []
  /// How many tests the filter left out.
  var leftOut = 0
  /// Snapshots that were written, taken out, and that no test looked at.
  var snapshots = (written: 0, removed: 0, unused: 0)
  var status: Int32
  /// What ran of the program's own files.
  var coverage: [FileCoverage] = []
  /// What it printed, errors behind.
  var output: String
  /// Why nothing is known of its tests; nil where something is.
  var notRunReason: String?

  /// A file that was not begun because enough had failed.
  static func notRun(_ file: String) -> TestFileResult { without(file, "it was not run") }

  /// A file that was ended because enough had failed.
  static func stopped(_ file: String) -> TestFileResult { without(file, "it was stopped") }

  private static func without(_ file: String, _ reason: String) -> TestFileResult {
    var result = TestFileResult(file: file, tests: [], status: 0, output: "")
    result.notRunReason = reason
    return result
  }

  /// A file that is none.
  static func special(_ file: String) -> TestFileResult {
    var result = TestFileResult(file: file, tests: [], status: 1, output: "")
    let reason = "it is no plain file, but a pipe, a socket or a device, which may have no end"
    result.failures = [TestLine.Failure(name: "", message: reason)]
    return result
  }

  var failureCount: Int { tests.count { $0.outcome == "fail" } + failures.count }
  var hasFailed: Bool { failureCount > 0 || tests.contains { $0.outcome == "none" } }

  init(file: String, tests: [TestLine], status: Int32, output: String) {
    (self.file, self.tests, self.status, self.output) = (file, tests, status, output)
  }

  /// Puts together what the process told.
  ///
  /// - Parameter records: nil for a line that could not be read.
  init(file: String, records: [TestRecord?], status: Int32, output: String) {
    self.init(file: file, tests: [], status: status, output: output)
    var isFinished = false
    var states: [Int: State] = [:]
    for record in records {
      switch record {
      case .declared(let number, let title, let place, let parent):
        states[number] = State(title: title, place: place, order: (states[parent]?.order ?? []) + [number])
      case .leftOut(let number): states[number]?.isLeftOut = true
      case .began(let number): states[number]?.hasBegun = true
      case .ended(let line): if let number = line.number { states[number]?.line = line }
      case .failed(let failure): failures.append(failure)
      case .snapshots(let written, let removed, let unused): snapshots = (written, removed, unused)
      case .covered(let file): coverage.append(file)
      case .finished: isFinished = true
      case nil:
        failures.append(
          TestLine.Failure(name: "Error", message: "a line of the results is damaged"))
      }
    }
    leftOut = states.values.count(where: \.isLeftOut)
    tests = states.values.filter { !$0.isLeftOut }.sorted { $0.order.lexicographicallyPrecedes($1.order) }
      .map(\.result)
    judge(isFinished, hasTests: !states.isEmpty)
  }

  /// Says what went wrong with the file as a whole.
  private mutating func judge(_ isFinished: Bool, hasTests: Bool) {
    let reason: String? =
      if status != 0 {
        "the file ended with status \(status)" + (isFinished ? "" : Self.before(hasTests))
          + Self.cause(status)
      } else if !isFinished {
        "the file ended with status 0" + Self.before(hasTests) + ": something called exit"
      } else if !hasTests {
        "the file declares no test"
      } else {
        nil
      }
    if let reason { failures.append(TestLine.Failure(name: "", message: reason)) }
  }

  /// What such a status mostly comes from.
  private static func cause(_ status: Int32) -> String {
    let causes: [Int32: String] = [
      124: "--timeout", 128 + SIGABRT: "SIGABRT", 128 + SIGKILL: "SIGKILL", 128 + SIGSEGV: "SIGSEGV",
      128 + SIGBUS: "SIGBUS", 128 + SIGILL: "SIGILL", 128 + SIGTERM: "SIGTERM",
    ]
    return causes[status].map { " (as \($0) ends it)" } ?? ""
  }

  private static func before(_ hasTests: Bool) -> String {
    hasTests ? " before all of its tests had run" : " before it had declared its tests"
  }

  /// What is known of one test.
  private struct State {
    let title: String
    let place: String
    /// The numbers of the tests that it is a part of, and its own: parts stand below their test.
    let order: [Int]
    var isLeftOut = false
    var hasBegun = false
    var line: TestLine?

    var result: TestLine {
      if let line { return line }
      let reason = hasBegun ? "it began and did not end" : "it did not run"
      return TestLine(
        title: title, outcome: "none",
        error: TestLine.Failure(name: "", message: reason, stack: place))
    }
  }
}

extension TestLine.Failure {
  /// `Name [code]: message`.
  var headline: String {
    let code = code.map { " [\($0)]" } ?? ""
    return name.isEmpty ? message : "\(name)\(code): \(message)"
  }
}

/// Counts.
struct TestTally {
  private(set) var passed = 0
  private(set) var failed = 0
  private(set) var skipped = 0
  /// Tests that were declared and did not run.
  private(set) var notRun = 0
  private(set) var leftOut = 0
  private(set) var filesNotRun = 0
  private var snapshots = (written: 0, removed: 0, unused: 0)
  /// What failed, as `file > title`.
  private(set) var failedTitles: [String] = []
  var count: Int { passed + failed + skipped + notRun }

  /// Whether something passed or was skipped, and all else.
  var hasPassed: Bool { failed == 0 && notRun == 0 && filesNotRun == 0 }

  mutating func add(_ result: TestFileResult) {
    if result.notRunReason != nil { filesNotRun += 1 }
    for test in result.tests {
      add(test)
      if test.outcome == "fail" || test.outcome == "none" {
        failedTitles.append("\(result.file): \(test.title)")
      }
    }
    for failure in result.failures { addFailure("\(result.file): \(failure.headline)") }
    leftOut += result.leftOut
    snapshots.written += result.snapshots.written
    snapshots.removed += result.snapshots.removed
    snapshots.unused += result.snapshots.unused
  }

  mutating func add(_ test: TestLine) {
    switch test.outcome {
    case "pass": passed += 1
    case "skip", "todo": skipped += 1
    case "none": notRun += 1
    default: failed += 1
    }
  }

  mutating func addFailure(_ title: String) {
    failed += 1
    failedTitles.append(title)
  }

  var text: String {
    var parts = ["\(passed) passed", "\(failed) failed"]
    if notRun > 0 { parts.append("\(notRun) not run") }
    if skipped > 0 { parts.append("\(skipped) skipped") }
    if leftOut > 0 { parts.append("\(leftOut) left out by --filter") }
    if filesNotRun > 0 { parts.append("\(Self.counted(filesNotRun, "file")) not run") }
    return parts.joined(separator: ", ")
  }

  /// What is to be said of snapshots; empty for nothing.
  var snapshotText: String {
    var parts: [String] = []
    if snapshots.written > 0 { parts.append("\(Self.counted(snapshots.written, "snapshot")) written") }
    if snapshots.removed > 0 { parts.append("\(Self.counted(snapshots.removed, "snapshot")) taken out") }
    if snapshots.unused > 0 {
      parts.append(
        "\(Self.counted(snapshots.unused, "snapshot")) that no test looks at: -u takes them out")
    }
    return parts.joined(separator: ", ")
  }

  private static func counted(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }
}
