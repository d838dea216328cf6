// SPDX-License-Identifier: MIT

package import JSEngine
internal import NBridgePlugin
package import NBridgeScript

/// Keeps what was declared and what failed, and decides what a test's outcome is: the runner in JavaScript
/// can't call a test passed to which an error was blamed. Confined to the engine's thread.
package final class TestRecorder {
  package let setup: TestSetup
  private let sources: SourceRegistry
  let snapshots: SnapshotFile
  let inlineSnapshots: InlineSnapshots
  private var titles: [String] = []
  /// Of each test the number of the one that it is a part of; 0 for none.
  private var parents: [Int] = []
  private var failures: [Int: [TestLine.Failure]] = [:]
  /// The tests that run, with their parts.
  private var running: Set<Int> = []
  /// The test whose turn it is; its parts run inside of it.
  private var current: Int?
  private var failed = 0
  /// The tests that came to their end, all of them and their parts.
  private var complete: Set<Int> = []
  /// What was told of errors outside of tests, by what they say and where they arose.
  private var toldOutside: Set<[String]> = []
  /// Whether something failed outside of any test: what it declares may be missing.
  private var hasFailedOutside = false
  /// What the report of an uncaught error says beside its message and frames: the place of what has no
  /// frames, and lines of what belongs to it.
  package var report: ((JSException) -> (place: String?, belongings: String))?
  /// Whether the runner has come to its end.
  package private(set) var isFinished = false

  package init(_ setup: TestSetup, file: String, sources: SourceRegistry) {
    (self.setup, self.sources) = (setup, sources)
    snapshots = SnapshotFile(of: file)
    inlineSnapshots = InlineSnapshots(of: file, sources: sources)
  }

  /// Whether no further test is to begin.
  var isOver: Bool { setup.maxFailures.map { failed >= $0 } ?? false }

  /// The title of the test that runs; nil between tests.
  var runningTitle: String? { current.map { titles[$0 - 1] } }

  /// Notes a test and answers its number; `parent` is 0 for one that is no part of another.
  func declare(_ title: String, stack: String, partOf parent: Int) -> Int {
    titles.append(title)
    parents.append(parent)
    let place = sources.frames(of: stack).first.map { sources.told($0, message: "").place } ?? ""
    setup.record(.declared(number: titles.count, title: title, place: place, partOf: parent))
    return titles.count
  }

  /// Whether the filter has a test; one that it leaves out is told.
  func isChosen(_ number: Int) -> Bool {
    guard let filter = setup.filter, !titles[number - 1].contains(filter) else { return true }
    setup.record(.leftOut(number: number))
    return false
  }

  func begin(_ number: Int, isPart: Bool) {
    running.insert(number)
    if !isPart { current = number }
    setup.record(.began(number: number))
  }

  /// Notes an error of a test; of the file for 0, and for a test that has ended.
  ///
  /// - Parameter exception: what was thrown; nil for what is the runner's own.
  func blame(_ number: Int, _ failure: TestLine.Failure, of exception: JSException?) {
    var failure = failure
    if let exception, let told = report?(exception) {
      if failure.stack.isEmpty { failure.stack = told.place ?? "" }
      failure.belongings = told.belongings.isEmpty ? nil : told.belongings
    }
    guard running.contains(number) else {
      hasFailedOutside = true
      toldOutside.insert([failure.name, failure.message, failure.stack])
      return setup.record(.failed(failure))
    }
    failures[number, default: []].append(failure)
  }

  /// Notes an error that no function of the runner saw: of the test that runs, else of the file.
  package func blame(_ exception: JSException, unhandled: Bool) {
    var failure = TestLine.Failure(
      name: exception.name ?? "Error", message: exception.message,
      code: exception.attributes.first { $0.name == "code" }?.value,
      stack: authored(exception.stack, message: exception.message))
    // What was declared too late is told where that is found, and thrown besides.
    if toldOutside.contains([failure.name, failure.message, failure.stack]) { return }
    let kind = unhandled ? "a rejection that was not handled" : "an error that was not caught"
    failure.message = "\(kind): \(failure.message)"
    blame(current ?? 0, failure, of: exception)
  }

  /// Notes what the file left behind that no function of the runner saw.
  package func blameLeak(_ message: String) {
    blame(current ?? 0, TestLine.Failure(name: "Leak", message: message), of: nil)
  }

  /// - Parameter isComplete: whether its function came to its end.
  func end(_ number: Int, outcome: String, isComplete: Bool, milliseconds: Double, notes: String) {
    running.remove(number)
    if current == number { current = nil }
    let errors = failures.removeValue(forKey: number) ?? []
    var line = TestLine(
      number: number, title: titles[number - 1], outcome: errors.isEmpty ? outcome : "fail",
      milliseconds: milliseconds, error: errors.first, notes: notes.isEmpty ? nil : notes)
    if errors.count > 1 { line.furtherErrors = Array(errors.dropFirst()) }
    if line.outcome == "fail" { failed += 1 }
    if line.outcome == "pass", isComplete { complete.insert(number) }
    setup.record(.ended(line))
  }

  /// The runner has come to its end, and so have the snapshots.
  package func finish() {
    // A run of some of the tests says nothing about the snapshots of the others.
    let isWhole = setup.filter == nil && !isOver && !hasFailedOutside
    var (written, problems) = inlineSnapshots.finish()
    var (removed, unused) = (0, 0)
    do throws(SnapshotError) {
      let kept = try snapshots.finish(
        updating: setup.updatesSnapshots, isWhole: isWhole, open: openTitles)
      written += kept.written
      (removed, unused) = (kept.removed, kept.unused)
    } catch { problems.append(error) }
    if written + removed + unused > 0 {
      setup.record(.snapshots(written: written, removed: removed, unused: unused))
    }
    for problem in problems {
      setup.record(.failed(TestLine.Failure(name: "SnapshotError", message: problem.reason)))
    }
    isFinished = true
    setup.record(.finished)
  }

  /// The titles of tests that did not come to their end, or a part of which did not: a part's snapshots are
  /// its test's.
  private var openTitles: Set<String> {
    var open: Set<String> = []
    for number in 1..<(titles.count + 1) where !complete.contains(number) {
      var test = number
      while parents[test - 1] != 0 { test = parents[test - 1] }
      open.insert(titles[test - 1])
    }
    return open
  }

  /// A stack with its author's places, a line a frame.
  func authored(_ stack: String, message: String = "") -> String {
    sources.frameLines(of: stack, message: message)
      .map { $0.dropFirst(StackFrame.shownPrefix.count) }.joined(separator: "\n")
  }
}
