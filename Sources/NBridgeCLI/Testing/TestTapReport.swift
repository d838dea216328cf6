// SPDX-License-Identifier: MIT

internal import NBridgeBuiltins

/// Results by the Test Anything Protocol, version 14.
enum TestTapReport {
  /// A file's lines.
  ///
  /// - Parameter count: how many tests stand before.
  static func text(_ result: TestFileResult, before count: inout Int) -> String {
    var text = "# \(TestText.oneLine(result.file))\n"
    for test in result.tests {
      count += 1
      let isGood = test.outcome != "fail" && test.outcome != "none"
      let note = directive(of: test)
      text += "\(isGood ? "ok" : "not ok") \(count) - \(plain(test.title))\(note)\n"
      text += ([test.error].compactMap { $0 } + (test.furtherErrors ?? [])).map(block).joined()
    }
    for failure in result.failures {
      count += 1
      text += "not ok \(count) - \(plain(result.file)): \(plain(failure.headline))\n" + block(failure)
    }
    if let reason = result.notRunReason {
      count += 1
      text += "not ok \(count) - \(plain(result.file)): \(plain(reason))\n"
    } else if !result.output.isEmpty {
      text += TestText.shownLines(result.output).map { "# \($0)\n" }.joined()
    }
    return text
  }

  /// What says that a test was not judged, with the reason, which is the first of its lines.
  private static func directive(of test: TestLine) -> String {
    guard let word = ["skip": "SKIP", "todo": "TODO"][test.outcome] else { return "" }
    let reason = test.notes.flatMap { TestText.shownLines($0).first } ?? ""
    return " # \(word)" + (reason.isEmpty ? "" : " \(plain(reason))")
  }

  private static func block(_ failure: TestLine.Failure) -> String {
    let difference = failure.difference.map { "  difference: |2\n" + indented($0) } ?? ""
    let place = failure.stack.isEmpty ? "" : "  at: |2\n" + indented(failure.stack)
    let belongings = failure.belongings.map { "  belongings: |2\n" + indented($0) } ?? ""
    return "  ---\n  message: |2\n" + indented(failure.headline) + difference + place + belongings + "  ...\n"
  }

  /// A title without what TAP reads as a directive; its escapes are those of version 14.
  private static func plain(_ text: String) -> String {
    TestText.oneLine(text).replacing("\\", with: "\\\\").replacing("#", with: "\\#")
  }

  /// Lines of a YAML block, which has no controls (YAML 1.2, 5.1). Its indentation is told, since the first
  /// line may begin with blanks.
  private static func indented(_ text: String) -> String {
    TestText.lines(text).map { "    \(TestText.withoutControls($0))\n" }.joined()
  }
}
