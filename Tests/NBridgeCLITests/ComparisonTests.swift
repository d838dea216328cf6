// SPDX-License-Identifier: MIT

import Testing

/// The tables of the guide "Comparison": nbridge does all that they ask. That of the prompt takes a minute of
/// waiting, and the prompt's own tests show the same.
@Suite struct ComparisonTests {
  @Test(arguments: ["errors", "commands"])
  func nbridgeDoesAllThatATableAsks(_ table: String) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let result = try runner.shell(
      "NBRIDGE_PROGRAM=$NBRIDGE python3 -B '\(CommandRunner.root)/Tests/Compare/compare.py' \(table)")
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    #expect(result.output.contains("| nbridge |"))
  }
}
