// SPDX-License-Identifier: MIT

internal import NBridgeBuiltins
internal import NBridgeHost

/// Results for people: a line a test, or a character a test; what failed, and why.
struct TestLinesReport {
  let output: any ScriptOutput
  /// Whether a test that passed is a character only.
  let isBrief: Bool
  private let style: TestStyle

  init(output: any ScriptOutput, isBrief: Bool) {
    (self.output, self.isBrief) = (output, isBrief)
    style = TestStyle(colours: output.colours)
  }

  func show(_ result: TestFileResult) {
    // The filter wants nothing of it, and it did nothing wrong.
    if result.tests.isEmpty, result.leftOut > 0, !result.hasFailed { return }
    if isBrief, !result.hasFailed, result.notRunReason == nil {
      output.write(result.tests.map { style.mark($0.outcome) }.joined())
      if !result.output.isEmpty {
        output.write("\n\(style.bold(TestText.oneLine(result.file)))\n\(result.output.endedLine)")
      }
      return output.flush()
    }
    output.write((isBrief ? "\n" : "") + style.bold(TestText.oneLine(result.file)) + "\n")
    if let reason = result.notRunReason { output.write("  \(style.mark("none")) \(reason)\n") }
    if !result.output.isEmpty { output.write(result.output.endedLine) }
    for test in result.tests { show(test) }
    for failure in result.failures {
      output.write("  \(style.mark("fail")) \(lines(failure, indent: "      ").dropFirst(6))")
    }
    output.flush()
  }

  private func show(_ test: TestLine) {
    if isBrief, test.outcome == "pass" { return }
    let time = test.milliseconds.map { $0 >= 50 ? style.dim(" (\(Int(min($0, 1e15))) ms)") : "" } ?? ""
    let kind = ["todo": " (to do)", "none": " (not run)"][test.outcome] ?? ""
    output.write("  \(style.mark(test.outcome)) \(TestText.oneLine(test.title))\(kind)\(time)\n")
    for note in TestText.shownLines(test.notes ?? "") { output.write(style.dim("      \(note)") + "\n") }
    for failure in [test.error].compactMap({ $0 }) + (test.furtherErrors ?? []) {
      output.write(lines(failure, indent: "      "))
    }
  }

  /// The message, how the values differ, the frames, what belongs to it.
  private func lines(_ failure: TestLine.Failure, indent: String) -> String {
    let difference =
      failure.difference.map {
        $0.split(omittingEmptySubsequences: false) { $0.isNewline }.map(TestText.withoutControls)
      } ?? []
    var lines = TestText.shownLines(failure.headline)
    if !difference.isEmpty {
      lines.append("\(style.removed("- expected"))  \(style.added("+ actual"))")
      lines += difference.map { line in
        line.hasPrefix("- ")
          ? style.removed(line) : line.hasPrefix("+ ") ? style.added(line) : style.dim(line)
      }
    }
    lines += TestText.shownLines(failure.stack).map { style.dim("at \($0)") }
    lines += TestText.shownLines(failure.belongings ?? "")
    return lines.map { "\(indent)\($0)\n" }.joined()
  }

  /// How many failures the end lists again.
  private static let maxListed = 20

  func end(_ tally: TestTally) {
    let failed = tally.failedTitles
    if failed.count > 1 {
      output.write("\nFailed:\n")
      for title in failed.prefix(Self.maxListed) {
        output.write("  \(style.mark("fail")) \(TestText.oneLine(title))\n")
      }
      if failed.count > Self.maxListed { output.write("  … \(failed.count - Self.maxListed) more\n") }
    }
    output.write("\n\(tally.text)\n")
    if !tally.snapshotText.isEmpty { output.write("\(tally.snapshotText)\n") }
  }
}

/// Marks and colours of the lines.
private struct TestStyle {
  let colours: Bool
  func bold(_ text: some StringProtocol) -> String { wrap(text, "1") }
  func dim(_ text: some StringProtocol) -> String { wrap(text, "2") }
  func removed(_ text: some StringProtocol) -> String { wrap(text, "31") }
  func added(_ text: some StringProtocol) -> String { wrap(text, "32") }
  func mark(_ outcome: String) -> String {
    switch outcome {
    case "pass": wrap("✓", "32")
    case "fail", "none": wrap("✗", "31")
    default: wrap("-", "33")
    }
  }
  private func wrap(_ text: some StringProtocol, _ code: String) -> String {
    colours ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : String(text)
  }
}

extension String {
  /// With a line end, where it has none.
  fileprivate var endedLine: String { last?.isNewline == true ? self : self + "\n" }
}
