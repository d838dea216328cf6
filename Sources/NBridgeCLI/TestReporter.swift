// SPDX-License-Identifier: MIT

internal import NBridge
internal import NBridgeBuiltins
internal import NBridgeHost

/// Shows how tests went.
enum TestReporter {
  /// A line a test, for people.
  case lines
  /// Test Anything Protocol, version 14.
  case tap
  /// JUnit's XML, as build servers read it.
  case junit

  init?(name: String) {
    switch name {
    case "lines": self = .lines
    case "tap": self = .tap
    case "junit": self = .junit
    default: return nil
    }
  }

  /// Runs everything and shows it. Answers whether all passed.
  ///
  /// - Parameter runs: calls back with each result.
  func report(_ output: any ScriptOutput, _ runs: ((TestFileResult) -> Void) -> Void) -> Bool {
    var tally = TestTally()
    switch self {
    case .lines: runs { lines($0, &tally, output) }
    case .tap:
      output.write("TAP version 14\n")
      runs { tap($0, &tally, output) }
      output.write("1..\(tally.count)\n")
    case .junit:
      var suites = ""
      runs { result in
        tally.add(result)
        suites += JUnit.suite(result)
      }
      output.write("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n\(suites)</testsuites>\n")
    }
    if case .lines = self { output.write("\n\(tally.text)\n") }
    output.flush()
    return tally.failed == 0
  }

  private func lines(_ result: TestFileResult, _ tally: inout TestTally, _ output: any ScriptOutput) {
    tally.add(result)
    let style = TestStyle(colours: output.colours)
    output.write(style.bold(result.file) + "\n")
    if result.hasFailed, !result.output.isEmpty { output.write(result.output) }
    for test in result.tests {
      let time = test.milliseconds.map { $0 >= 50 ? style.dim(" (\(Int(min($0, 1e15))) ms)") : "" } ?? ""
      output.write("  \(style.mark(test.outcome)) \(test.title)\(time)\n")
      guard let error = test.error else { continue }
      let code = error.code.map { " [\($0)]" } ?? ""
      let text =
        TestText.lines("\(error.name)\(code): \(error.message)")
        + TestText.lines(error.stack).map { "at \($0)" }
      output.write(text.map { "      \($0)\n" }.joined())
    }
    if result.ended { output.write("  \(style.mark("fail")) the file ended with status \(result.status)\n") }
    output.flush()
  }

  private func tap(_ result: TestFileResult, _ tally: inout TestTally, _ output: any ScriptOutput) {
    output.write("# \(Self.oneLine(result.file))\n")
    for test in result.tests {
      tally.add(test)
      let note = test.outcome == "skip" ? " # SKIP" : test.outcome == "todo" ? " # TODO" : ""
      output.write(
        "\(test.outcome == "fail" ? "not ok" : "ok") \(tally.count) - \(Self.plain(test.title))\(note)\n")
      guard let error = test.error else { continue }
      output.write("  ---\n  message: |\n" + Self.indented("\(error.name): \(error.message)") + "  at: |\n")
      output.write(Self.indented(error.stack) + "  ...\n")
    }
    if result.ended {
      tally.addFailure()
      output.write("not ok \(tally.count) - \(Self.plain(result.file)) ended with status \(result.status)\n")
      output.write("  ---\n  output: |\n" + Self.indented(result.output) + "  ...\n")
    }
    output.flush()
  }

  /// A title without what TAP reads as a directive; its escapes are those of version 14.
  private static func plain(_ text: String) -> String {
    oneLine(text).replacing("\\", with: "\\\\").replacing("#", with: "\\#")
  }

  private static func oneLine(_ text: String) -> String { TestText.lines(text).joined(separator: " ") }

  private static func indented(_ text: String) -> String {
    TestText.lines(text).map { "    \($0)\n" }.joined()
  }
}

/// Text of tests, which may have line ends of any system.
private enum TestText {
  /// The lines that are not empty.
  static func lines(_ text: String) -> [Substring] {
    text.split { $0 == "\n" || $0 == "\r\n" || $0 == "\r" }
  }
}

extension TestFileResult {
  /// Whether the file itself failed, beside its tests.
  var ended: Bool { status != 0 }
}

/// Counts.
struct TestTally {
  private(set) var passed = 0
  private(set) var failed = 0
  private(set) var skipped = 0
  var count: Int { passed + failed + skipped }

  mutating func add(_ result: TestFileResult) {
    for test in result.tests { add(test) }
    if result.ended { addFailure() }
  }

  mutating func add(_ test: TestLine) {
    switch test.outcome {
    case "pass": passed += 1
    case "fail": failed += 1
    default: skipped += 1
    }
  }

  mutating func addFailure() { failed += 1 }

  var text: String { "\(passed) passed, \(failed) failed" + (skipped > 0 ? ", \(skipped) skipped" : "") }
}

/// Marks and colours of the lines.
private struct TestStyle {
  let colours: Bool
  func bold(_ text: String) -> String { wrap(text, "1") }
  func dim(_ text: String) -> String { wrap(text, "2") }
  func mark(_ outcome: String) -> String {
    switch outcome {
    case "pass": wrap("✓", "32")
    case "fail": wrap("✗", "31")
    default: wrap("-", "33")
    }
  }
  private func wrap(_ text: String, _ code: String) -> String {
    colours ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}

/// JUnit's XML.
private enum JUnit {
  static func suite(_ result: TestFileResult) -> String {
    let failures = result.tests.filter { $0.outcome == "fail" }.count + (result.ended ? 1 : 0)
    let count = result.tests.count + (result.ended ? 1 : 0)
    var text = "  <testsuite name=\"\(escaped(result.file))\" tests=\"\(count)\" failures=\"\(failures)\">\n"
    for test in result.tests { text += testCase(test, result.file) }
    if result.ended {
      text +=
        """
            <testcase classname="\(escaped(result.file))" name="the file"><failure message="status \
        \(result.status)">
        """
      text += "\(escaped(result.output))</failure></testcase>\n"
    }
    return text + "  </testsuite>\n"
  }

  private static func testCase(_ test: TestLine, _ file: String) -> String {
    let time = (test.milliseconds ?? 0) / 1000
    let start =
      "    <testcase classname=\"\(escaped(file))\" name=\"\(escaped(test.title))\" time=\"\(time)\""
    if let error = test.error {
      let text = escaped("\(error.name): \(error.message)")
      return start + "><failure message=\"\(text)\">\(escaped(error.stack))</failure></testcase>\n"
    }
    return start + (test.outcome == "pass" ? "/>\n" : "><skipped/></testcase>\n")
  }

  /// XML 1.0 text: its five entities, and no control characters.
  private static func escaped(_ text: String) -> String {
    var result = ""
    // A parser reads a return and a line feed as a line feed (XML 1.0, 2.11).
    for scalar in text.replacing("\r\n", with: "\n").unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n", "\t": result.unicodeScalars.append(scalar)
      case "\r": result += "&#13;"
      case "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
      default: if scalar.value >= 0x20 { result.unicodeScalars.append(scalar) } else { result += "\u{FFFD}" }
      }
    }
    return result
  }
}
