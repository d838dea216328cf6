// SPDX-License-Identifier: MIT

import NBridgePlugin
import Synchronization
import TestSupport
import Testing

@testable import NBridgeBuiltins

/// How two texts differ, for people.
@Suite struct LineDifferenceTests {
  @Test(arguments: [
    ("a", "a", ""), ("", "", ""), ("a", "b", "- b\n+ a"), ("a\nb", "a", "  a\n+ b"),
    ("a", "a\nb", "  a\n- b"), ("a\nx\nc", "a\ny\nc", "  a\n- y\n+ x\n  c"), ("a\r\nb", "a\nb", ""),
    (
      "1\n2\n3\n4\n5\n6\n7\n8\nx", "1\n2\n3\n4\n5\n6\n7\n8\ny",
      "  … 5 equal lines\n  6\n  7\n  8\n- y\n+ x"
    ),
    ("x\n2\n3\n4\n5", "y\n2\n3\n4\n5", "- y\n+ x\n  2\n  3\n  4\n  … 1 equal line"),
    ("", "a", "- a\n+ "),
  ])
  func texts(_ actual: String, _ expected: String, _ shown: String) {
    #expect(LineDifference.text(actual: actual, expected: expected) == shown)
  }

  /// Taking out what is marked gives each text again.
  @Test(arguments: 0..<200) func nothingIsLost(_ seed: Int) {
    var random = SeededGenerator(seed: seed)
    let one = (0..<random.number(0...12)).map { _ in random.pick(["a", "b", "c"]) }
    let two = (0..<random.number(0...12)).map { _ in random.pick(["a", "b", "c"]) }
    // Equal lines that are left out can't be put back: there are none in so short a text with a change.
    let marked = LineDifference.text(
      actual: one.joined(separator: "\n"), expected: two.joined(separator: "\n")
    ).split(separator: "\n", omittingEmptySubsequences: false)
    guard one != two, !one.isEmpty, !two.isEmpty else { return }
    guard !marked.contains(where: { $0.contains("…") }) else { return }
    func only(_ mark: String) -> [String] {
      marked.filter { $0.hasPrefix(mark) || $0.hasPrefix("  ") }.map { String($0.dropFirst(2)) }
    }
    #expect(only("+ ") == one && only("- ") == two)
  }

  @Test func hugeTextsTakeNoTable() {
    let one = (0..<50_000).map { "a\($0)" }.joined(separator: "\n")
    let two = (0..<50_000).map { "b\($0)" }.joined(separator: "\n")
    let shown = LineDifference.text(actual: one, expected: two).split(separator: "\n")
    #expect(shown.count == LineDifference.maxLines + 1 && shown.last == "  … 99800 more lines")
  }
}

/// The file of snapshots.
@Suite struct SnapshotFileTests {
  @Test(arguments: [
    [:], ["a 1": "x"], ["a": "", "b": "\n", "c": "\n\nx\n"], ["a\nb": "# no heading\n  two", "\"q\"": "#"],
    ["# a": "  # b", "ü": "日本\n👍"],
  ])
  func whatIsWrittenIsRead(_ texts: [String: String]) {
    #expect(SnapshotFile.parse(SnapshotFile.format(texts)) == texts)
  }

  @Test(arguments: [
    "", "x", SnapshotFile.header + "  text without a name", SnapshotFile.header + "# a\n# a\n",
    SnapshotFile.header + "# a\nnot indented\n", SnapshotFile.header + "# \"not closed\n",
  ])
  func whatIsNoneIsRefused(_ text: String) { #expect(SnapshotFile.parse(text) == nil) }

  @Test(arguments: 0..<100) func anyTextsComeBack(_ seed: Int) {
    var random = SeededGenerator(seed: seed)
    let parts = ["# ", "  ", "\n", "\"", "\\", "a", "é", "//", "\t", "\r"]
    var texts: [String: String] = [:]
    for _ in 0..<random.number(0...6) {
      let name = "n" + random.text(of: parts, count: random.number(0...5))
      texts[name] = random.text(of: parts, count: random.number(0...9))
    }
    #expect(SnapshotFile.parse(SnapshotFile.format(texts)) == texts, "\(texts)")
  }
}

/// How a file of tests is set up by a program.
@Suite struct TestSetupTests {
  /// The older way, whose results come as lines of JSON: of tests that ended, and of nothing else.
  @available(*, deprecated)
  @Test func resultsStillComeAsLines() throws {
    let lines = Mutex<[String]>([])
    let setup = TestSetup(filter: "a", report: { line in lines.withLock { $0.append(line) } })
    setup.record(.declared(number: 1, title: "t", place: "", partOf: 0))
    setup.record(.ended(TestLine(number: 1, title: "t", outcome: "pass")))
    setup.record(.finished)
    let line = try #require(lines.withLock { $0.count == 1 ? $0.first : nil })
    #expect(try Value(text: Array(line.utf8)).decode(TestLine.self).title == "t" && setup.filter == "a")
  }
}
