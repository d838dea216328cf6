// SPDX-License-Identifier: MIT

internal import NBridgeBuiltins

/// Results as JUnit's XML.
enum TestJUnitReport {
  static func suite(_ result: TestFileResult) -> String {
    let notRun = result.tests.count { $0.outcome == "none" } + (result.notRunReason == nil ? 0 : 1)
    let failures = result.failureCount + notRun
    let skipped = result.tests.count { $0.outcome == "skip" || $0.outcome == "todo" }
    let count = result.tests.count + result.failures.count + (result.notRunReason == nil ? 0 : 1)
    var text = "  <testsuite name=\"\(attribute(result.file))\" tests=\"\(count)\" failures=\"\(failures)\""
    text += " skipped=\"\(skipped)\">\n"
    for test in result.tests { text += testCase(test, result.file) }
    for failure in result.failures {
      text += failed("    <testcase classname=\"\(attribute(result.file))\" name=\"the file\"", [failure])
    }
    if let reason = result.notRunReason {
      let failure = TestLine.Failure(name: "", message: reason)
      text += failed("    <testcase classname=\"\(attribute(result.file))\" name=\"the file\"", [failure])
    }
    if !result.output.isEmpty {
      text += "    <system-out>\(escaped(result.output))</system-out>\n"
    }
    return text + "  </testsuite>\n"
  }

  private static func testCase(_ test: TestLine, _ file: String) -> String {
    let time = seconds(test.milliseconds ?? 0)
    let start =
      "    <testcase classname=\"\(attribute(file))\" name=\"\(attribute(test.title))\" time=\"\(time)\""
    let failures = [test.error].compactMap { $0 } + (test.furtherErrors ?? [])
    if !failures.isEmpty { return failed(start, failures) }
    if test.outcome == "pass" { return start + "/>\n" }
    let reason = test.notes.map { " message=\"\(attribute($0))\"" } ?? ""
    return start + "><skipped\(reason)/></testcase>\n"
  }

  private static func failed(_ start: String, _ failures: [TestLine.Failure]) -> String {
    let list = failures.map { failure in
      let parts = [failure.difference ?? "", failure.stack, failure.belongings ?? ""]
      let text = parts.filter { !$0.isEmpty }.joined(separator: "\n")
      return "<failure message=\"\(attribute(failure.headline))\">\(escaped(text))</failure>"
    }
    return start + ">\(list.joined())</testcase>\n"
  }

  /// With three digits behind the point, and never as 1e-05, which is no decimal of XML's.
  private static func seconds(_ milliseconds: Double) -> String {
    let whole = Int(min(max(milliseconds, 0), 1e15).rounded())
    let rest = String(whole % 1000)
    return "\(whole / 1000).\(String(repeating: "0", count: 3 - rest.count))\(rest)"
  }

  /// A parser makes a blank of a line end or a tab that stands in an attribute (XML 1.0, 3.3.3).
  private static func attribute(_ text: String) -> String { escaped(text, lineEnd: "&#10;", tab: "&#9;") }

  /// XML 1.0 text: its five entities, and no control characters.
  private static func escaped(_ text: String, lineEnd: String = "\n", tab: String = "\t") -> String {
    var result = ""
    var isBehindReturn = false
    for scalar in text.unicodeScalars {
      // A return and a line feed are one line end (XML 1.0, 2.11).
      if isBehindReturn, scalar != "\n" { result += "&#13;" }
      isBehindReturn = scalar == "\r"
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n": result += lineEnd
      case "\t": result += tab
      case "\r": break
      case "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar.value >= 0x20 ? scalar : "\u{FFFD}")
      }
    }
    return isBehindReturn ? result + "&#13;" : result
  }
}
