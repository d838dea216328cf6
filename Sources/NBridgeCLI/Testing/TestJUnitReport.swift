// SPDX-License-Identifier: MIT

internal import NBridgeBuiltins

/// Results as JUnit's XML.
enum TestJUnitReport {
  static func suite(_ result: TestFileResult) -> String {
    let notRun = result.tests.count { $0.outcome == "none" } + (result.isNotRun ? 1 : 0)
    let failures = result.failureCount + notRun
    let skipped = result.tests.count { $0.outcome == "skip" || $0.outcome == "todo" }
    let count = result.tests.count + result.failures.count + (result.isNotRun ? 1 : 0)
    var text = "  <testsuite name=\"\(escaped(result.file))\" tests=\"\(count)\" failures=\"\(failures)\""
    text += " skipped=\"\(skipped)\">\n"
    for test in result.tests { text += testCase(test, result.file) }
    for failure in result.failures {
      text += failed("    <testcase classname=\"\(escaped(result.file))\" name=\"the file\"", [failure])
    }
    if result.isNotRun {
      let failure = TestLine.Failure(name: "", message: "it was not run")
      text += failed("    <testcase classname=\"\(escaped(result.file))\" name=\"the file\"", [failure])
    }
    if result.hasFailed, !result.output.isEmpty {
      text += "    <system-out>\(escaped(result.output))</system-out>\n"
    }
    return text + "  </testsuite>\n"
  }

  private static func testCase(_ test: TestLine, _ file: String) -> String {
    let time = (test.milliseconds ?? 0) / 1000
    let start =
      "    <testcase classname=\"\(escaped(file))\" name=\"\(escaped(test.title))\" time=\"\(time)\""
    let failures = [test.error].compactMap { $0 } + (test.furtherErrors ?? [])
    if !failures.isEmpty { return failed(start, failures) }
    return start + (test.outcome == "pass" ? "/>\n" : "><skipped/></testcase>\n")
  }

  private static func failed(_ start: String, _ failures: [TestLine.Failure]) -> String {
    let list = failures.map { failure in
      let text = [failure.difference ?? "", failure.stack].filter { !$0.isEmpty }.joined(separator: "\n")
      return "<failure message=\"\(escaped(failure.headline))\">\(escaped(text))</failure>"
    }
    return start + ">\(list.joined())</testcase>\n"
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
