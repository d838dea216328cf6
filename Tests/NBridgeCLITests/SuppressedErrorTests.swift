// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// A SuppressedError stands for two others, and says nothing itself: wherever it is shown, they are.
@Suite struct SuppressedErrorTests {
  private static let script = """
    const made = (text) => new RangeError(text);
    const both = () => new SuppressedError(made('second'), made('first'), 'both');
    """

  @Test func itIsLoggedWithBoth() throws {
    let result = try CommandRunner.run(["a.js": Self.script + "\nconsole.log(both())"], "nbridge a.js")
    for text in ["SuppressedError: both", "[error]: RangeError: second", "[suppressed]: RangeError: first"] {
      #expect(result.output.contains(text), "\(result)")
    }
    #expect(result.output.components(separatedBy: "at made (a.js:1:").count == 3, "\(result)")
  }

  @Test func nodesInspectShowsBoth() throws {
    let show = "console.log(require('node:util').inspect(both()))"
    let result = try CommandRunner.run(["a.cjs": Self.script + "\n" + show], "nbridge a.cjs")
    for text in ["[error]: RangeError: second", "[suppressed]: RangeError: first"] {
      #expect(result.output.contains(text), "\(result)")
    }
  }

  @Test func theReportOfOneTellsBoth() throws {
    let failing = "{ using a = { [Symbol.dispose]() { throw made('second') } }; throw made('first') }"
    let script = Self.script + "\n" + failing
    let result = try CommandRunner.run(["a.js": script], "nbridge a.js")
    for text in ["SuppressedError", "  error: RangeError: second", "  suppressed: RangeError: first"] {
      #expect(result.errors.contains(text), "\(result)")
    }
    #expect(result.errors.components(separatedBy: "at made (a.js:1:").count == 3, "\(result)")
  }

  /// One in the other, as three resources that fail leave them.
  @Test func oneThatSuppressedAnotherTellsAll() throws {
    let script = Self.script + "\nthrow new SuppressedError(made('third'), both())"
    let result = try CommandRunner.run(["a.js": script], "nbridge a.js")
    for text in ["  error: RangeError: third", "    suppressed: RangeError: first"] {
      #expect(result.errors.contains(text), "\(result)")
    }
  }

  @Test func programsGetBoth() throws {
    let script = Self.script + "\nthrow both()"
    let result = try CommandRunner.run(["a.js": script], "nbridge run --json-errors a.js")
    for text in [#""relation":"error""#, #""relation":"suppressed""#, #""message":"first""#] {
      #expect(result.errors.contains(text), "\(result)")
    }
  }
}
