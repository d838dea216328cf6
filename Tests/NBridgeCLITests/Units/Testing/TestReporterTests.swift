// SPDX-License-Identifier: MIT

import NBridgeTesting
import Testing

@testable import NBridgeBuiltins
@testable import NBridgeCLI
@testable import NBridgeHost

/// Reports on tests, for people and machines.
@Suite struct TestReporterUnitTests {
  private func line(
    _ title: String, _ outcome: String = "pass", milliseconds: Double? = nil, error: String? = nil,
    code: String? = nil, stack: String = ""
  ) -> TestLine {
    TestLine(
      title: title, outcome: outcome, milliseconds: milliseconds,
      error: error.map { TestLine.Failure(name: "Error", message: $0, code: code, stack: stack) })
  }

  private func report(_ name: String, _ results: [TestFileResult]) throws -> (text: String, hasPassed: Bool) {
    let output = CapturedOutput()
    let reporter = try #require(TestReporter(name: name))
    let hasPassed = reporter.report(output) { body in results.forEach(body) }
    return (output.text, hasPassed)
  }

  private func file(_ tests: [TestLine], status: Int32 = 0, output: String = "") -> TestFileResult {
    var records: [TestRecord] = []
    for (index, test) in tests.enumerated() {
      var test = test
      test.number = index + 1
      records.append(.declared(number: index + 1, title: test.title, place: "", partOf: 0))
      records.append(.ended(test))
    }
    return TestFileResult(file: "a.test.js", records: records + [.finished], status: status, output: output)
  }

  @Test(arguments: ["", "LINES", "xml", "tap14"])
  func otherNamesAreNone(_ name: String) { #expect(TestReporter(name: name) == nil) }

  @Test func linesArePeoplesOwn() throws {
    let tests = [
      line("adds", milliseconds: 49.9), line("is slow", milliseconds: 120.7), line("is left out", "skip"),
      line("comes later", "todo"),
      line("breaks", "fail", error: "no\nwonder", code: "not_found", stack: "a.js:1:2\nb.js:3:4"),
    ]
    let (text, hasPassed) = try report("lines", [file(tests, output: "printed\n")])
    #expect(
      text == """
        a.test.js
        printed
          ✓ adds
          ✓ is slow (120 ms)
          - is left out
          - comes later (to do)
          ✗ breaks
              Error [not_found]: no
              wonder
              at a.js:1:2
              at b.js:3:4

        2 passed, 1 failed, 2 skipped

        """)
    #expect(!hasPassed)
  }

  @Test(arguments: [
    ("lines", "a.test.js\ntold\n  ✓ adds\n\n1 passed, 0 failed\n"),
    ("dots", "✓\na.test.js\ntold\n\n1 passed, 0 failed\n"),
    ("tap", "TAP version 14\n# a.test.js\nok 1 - adds\n# told\n1..1\n"),
  ])
  func whatPassedShowsItsOutput(_ name: String, _ shown: String) throws {
    let (text, hasPassed) = try report(name, [file([line("adds")], output: "told\n")])
    #expect(text == shown && hasPassed)
  }

  /// What a file prints steers no terminal that shows the comments.
  @Test func commentsHaveNoControls() throws {
    let (text, _) = try report("tap", [file([line("adds")], output: "a\0b\u{1B}[31mred\n")])
    #expect(text == "TAP version 14\n# a.test.js\nok 1 - adds\n# a␀b␛[31mred\n1..1\n")
  }

  @Test(arguments: ["lines", "tap", "junit"])
  func aFileThatEndedItselfIsAFailure(_ name: String) throws {
    let (text, hasPassed) = try report(name, [file([line("adds")], status: 3, output: "crash\n")])
    #expect(!hasPassed && text.contains("crash") && text.contains("status 3"))
    #expect(try report(name, []).hasPassed && !report(name, [file([])]).hasPassed)
  }

  /// TAP: every line is one that a reader of version 14 knows, and the plan counts the points.
  @Test(arguments: ["\n", "\r\n", "\r"])
  func tapHasNoLineOfAnybodyElses(_ end: String) throws {
    let evil = "first\(end)not ok 9 - fake\(end)Bail out!\(end)1..7"
    let tests = [line(evil), line("x", "fail", error: evil, stack: evil), line("y", "skip")]
    let (text, _) = try report("tap", [file(tests, status: 1, output: evil)])
    let bare = text.split(omittingEmptySubsequences: true) { $0.isNewline }.filter { !$0.hasPrefix(" ") }
    #expect(
      bare.map(String.init) == [
        "TAP version 14", "# a.test.js", "ok 1 - first not ok 9 - fake Bail out! 1..7", "not ok 2 - x",
        "ok 3 - y # SKIP", "not ok 4 - a.test.js: the file ended with status 1", "# first",
        "# not ok 9 - fake", "# Bail out!", "# 1..7", "1..4",
      ])
    #expect(!text.contains("\r"))
    #expect(text.contains("  ---\n  message: |2\n    Error: first\n    not ok 9 - fake\n"))
  }

  @Test(arguments: [
    ("a # b", "a \\# b"), ("#skip", "\\#skip"), ("a\\#b", "a\\\\\\#b"), ("c:\\new", "c:\\\\new"),
    ("plain", "plain"),
    ("a\n\nb", "a b"), ("", ""), ("\u{1B}[2J\u{0}\u{85}", "␛[2J␀\u{FFFD}"), ("日本 👍", "日本 👍"),
  ])
  func titlesAreEscapedForTAP(_ title: String, _ shown: String) throws {
    #expect(try report("tap", [file([line(title)])]).text.contains("\nok 1 - \(shown)\n"))
    #expect(try report("tap", [file([line(title, "todo")])]).text.contains("\nok 1 - \(shown) # TODO\n"))
  }

  @Test func junitCountsWhatFailed() throws {
    let tests = [
      line("adds", milliseconds: 1500), line("breaks", "fail", error: "no", stack: "a.js:1"),
      line("later", "skip"),
    ]
    let (text, _) = try report("junit", [file(tests, status: 2, output: "out")])
    #expect(
      text == """
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites>
          <testsuite name="a.test.js" tests="4" failures="2" skipped="1">
            <testcase classname="a.test.js" name="adds" time="1.500"/>
            <testcase classname="a.test.js" name="breaks" time="0.000"><failure \
        message="Error: no">a.js:1</failure></testcase>
            <testcase classname="a.test.js" name="later" time="0.000"><skipped/></testcase>
            <testcase classname="a.test.js" name="the file"><failure \
        message="the file ended with status 2"></failure></testcase>
            <system-out>out</system-out>
          </testsuite>
        </testsuites>

        """)
  }

  @Test(arguments: [
    ("<a & \"b\">", "&lt;a &amp; &quot;b&quot;&gt;"), ("\u{0}\u{1B}\u{8}", "\u{FFFD}\u{FFFD}\u{FFFD}"),
    ("a\tb\nc", "a&#9;b&#10;c"), ("a\r\nb", "a&#10;b"), ("a\rb\r", "a&#13;b&#13;"),
    ("\u{FFFE}\u{FFFF}", "\u{FFFD}\u{FFFD}"), ("日本 👍", "日本 👍"), ("]]>", "]]&gt;"), ("'", "'"),
    ("\r\r\n", "&#13;&#10;"),
  ])
  func junitIsXML(_ title: String, _ shown: String) throws {
    #expect(try report("junit", [file([line(title)])]).text.contains(" name=\"\(shown)\" time="))
  }

  /// A schema's decimal has no exponent.
  @Test(arguments: [
    (0.01, "0.000"), (0.6, "0.001"), (61_234.5, "61.235"), (-1.0, "0.000"), (1e300, "1000000000000.000"),
  ])
  func timesAreDecimals(_ milliseconds: Double, _ shown: String) throws {
    let text = try report("junit", [file([line("a", milliseconds: milliseconds)])]).text
    #expect(text.contains(" time=\"\(shown)\"/>"), "\(text)")
  }

  /// A block whose first line begins with blanks tells its indentation (YAML 1.2, 8.1.1.1).
  @Test func tapsBlocksKeepBlanksAndHaveNoControls() throws {
    let test = line("x", "fail", error: "  deep\nflat\u{1B}[1m")
    let text = try report("tap", [file([test])]).text
    #expect(text.contains("  message: |2\n    Error:   deep\n    flat␛[1m\n"))
  }

  /// A message must not steer the terminal.
  @Test(arguments: ["lines", "dots"]) func whatPeopleReadHasNoControls(_ name: String) throws {
    let escape = "\u{1B}[2J"
    let test = line("x\(escape)", "fail", error: "a\(escape)\nb\u{7}", stack: "f\(escape)@a.js:1")
    let text = try report(name, [file([test])]).text
    #expect(!text.contains("\u{1B}") && !text.contains("\u{7}"), "\(text)")
    #expect(text.contains("Error: a␛[2J\n      b␇\n      at f␛[2J@a.js:1\n"), "\(text)")
  }

  @Test func aFileThatWasStoppedIsToldInEveryReport() throws {
    for (name, says) in [
      ("lines", "a.js\n  ✗ it was stopped\n"), ("dots", "a.js\n  ✗ it was stopped\n"),
      ("tap", "not ok 1 - a.js: it was stopped\n"), ("junit", "message=\"it was stopped\""),
    ] {
      let (text, hasPassed) = try report(name, [.stopped("a.js")])
      #expect(text.contains(says) && !hasPassed, "\(text)")
    }
  }

  @Test func countsAreAdded() {
    var tally = TestTally()
    #expect(tally.text == "0 passed, 0 failed" && tally.count == 0)
    tally.add(file([line("a"), line("b", "fail"), line("c", "todo"), line("d", "nonsense")], status: 1))
    #expect(tally.text == "1 passed, 3 failed, 1 skipped" && tally.count == 5)
  }

  // MARK: - Files

  @Test func filesOfTestsAreFoundByTheirNames() throws {
    let folder = ScratchFolder()
    let found = [
      "a.test.js", "b.test.ts", "c.test.cjs", "d.test.cts", "sub/c.test.mjs", "sub/deep/d.test.tsx",
      "x.y.test.mts", "z.test.jsx",
    ]
    let others = [
      "a.js", "test.js", ".test.js", "a.test.json", "a.test", "a.spec.js", "node_modules/n.test.js",
      ".hidden/h.test.js", ".h.test.js", "a.test.js.map", "test/a.js",
    ]
    try folder.write(Dictionary(uniqueKeysWithValues: (found + others).map { ($0, "") }))
    #expect(try TestFiles.find([folder.path]).files == found.map { folder.path + "/" + $0 })
    // A file that is named is run, whatever it is called; in the order in which it is named.
    #expect(
      try TestFiles.find([
        folder.path + "/a.js", folder.path + "/sub",
      ]).files.map(Path.name) == ["a.js", "c.test.mjs", "d.test.tsx"]
    )
    let error = #expect(throws: UsageError.self) { try TestFiles.find([folder.path + "/none"]) }
    #expect(error?.description == "there is no '\(folder.path)/none'")
  }
}
