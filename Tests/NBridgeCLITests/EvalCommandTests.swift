// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// The output of `nbridge eval -p`.
@Suite struct EvalCommandTests {
  @Test(arguments: [
    ("1 + 1", "2\n"), ("Promise.resolve(5)", "5\n"), ("await 1; Promise.resolve(5)", "5\n"),
    ("const p = Promise.resolve(6); p", "6\n"),
    ("await 1; [Promise.resolve(7)].length", "1\n"), ("await 1; const x = 3", ""), ("await 1; undefined", ""),
    ("Promise.resolve()", ""),
    ("await 1; new Promise((done) => setTimeout(done, 5, \"late\"))", "late\n"),
    ("const f = () => 1; f", "[Function: f]\n"),
    ("await 1; ({ then: 5 })", "{ then: 5 }\n"),
  ])
  func theValueIsAwaited(_ code: String, _ printed: String) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let result = try runner.shell("nbridge eval -p '\(code)'")
    #expect(result.output == printed && result.errors == "" && result.status == 0, "\(result)")
  }

  @Test(
    arguments: [
      "Promise.reject(new Error(\"no\"))", "await 1; Promise.reject(new Error(\"no\"))",
      "let p = Promise.reject(new Error(\"no\")); p",
    ]
  )
  func whatIsRejectedIsToldOnce(_ code: String) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let result = try runner.shell("nbridge eval -p '\(code)'")
    #expect(
      result.status == 1
        && result.output == ""
        && result.errors.components(separatedBy: "Error: no").count == 2,
      "\(result)"
    )
  }
}
