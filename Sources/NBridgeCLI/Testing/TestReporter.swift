// SPDX-License-Identifier: MIT

internal import NBridge
internal import NBridgeBuiltins
internal import NBridgeHost

/// Shows how tests went.
enum TestReporter {
  /// A line a test, for people.
  case lines
  /// A character a test, and what failed.
  case dots
  /// Test Anything Protocol, version 14.
  case tap
  /// JUnit's XML, as build servers read it.
  case junit

  /// Whether what it shows is read by people.
  var isForPeople: Bool { self == .lines || self == .dots }

  init?(name: String) {
    switch name {
    case "lines": self = .lines
    case "dots": self = .dots
    case "tap": self = .tap
    case "junit": self = .junit
    default: return nil
    }
  }

  /// Runs everything and shows it. Answers whether all passed, and something was there to run.
  ///
  /// - Parameters:
  ///   - filter: what the titles had to hold.
  ///   - runs: calls back with each result.
  func report(
    _ output: any ScriptOutput, filter: String? = nil, _ runs: ((TestFileResult) -> Void) -> Void
  ) -> Bool {
    var tally = TestTally()
    switch self {
    case .lines, .dots:
      let report = TestLinesReport(output: output, isBrief: self == .dots)
      runs { result in
        tally.add(result)
        report.show(result)
      }
      report.end(tally)
    case .tap:
      var tapCount = 0
      output.write("TAP version 14\n")
      runs { result in
        tally.add(result)
        output.write(TestTapReport.text(result, before: &tapCount))
        output.flush()
      }
      output.write("1..\(tapCount)\n")
    case .junit:
      var suites = ""
      runs { result in
        tally.add(result)
        suites += TestJUnitReport.suite(result)
      }
      output.write("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n\(suites)</testsuites>\n")
    }
    // A name with a slip in it must not look like tests that pass.
    let isEmpty = filter != nil && tally.count == 0 && tally.leftOut > 0
    if isEmpty { output.writeError("nbridge: no test's title holds '\(filter ?? "")'\n") }
    output.flush()
    return tally.hasPassed && !isEmpty
  }
}

/// Text of tests, which may have line ends of any system.
enum TestText {
  /// The lines that are not empty.
  static func lines(_ text: String) -> [Substring] {
    text.split { $0 == "\n" || $0 == "\r\n" || $0 == "\r" }
  }

  /// The lines that are not empty, as a terminal may get them.
  static func shownLines(_ text: String) -> [String] { lines(text).map(withoutControls) }

  static func oneLine(_ text: String) -> String { withoutControls(lines(text).joined(separator: " ")) }

  /// Controls, which a terminal obeys and formats forbid, as their pictures (U+2400 and on).
  static func withoutControls(_ text: some StringProtocol) -> String {
    DisplayText.printable(text, .controls, as: .picture, keeps: "\t".unicodeScalars)
  }
}
