// SPDX-License-Identifier: MIT

import Testing

/// The benchmarks' own tools. No figure is tested: what the machine does besides would be tested with it.
@Suite struct BenchmarkTests {
  private func bench(_ line: String) throws -> CommandRunner.Result {
    let runner = try CommandRunner()
    defer { runner.remove() }
    return try runner.shell("cd '\(CommandRunner.root)/Tests/Benchmarks'; NBRIDGE_PROGRAM=$NBRIDGE \(line)")
  }

  @Test func theStatisticsAndTheTableOfRowsHold() throws {
    let result = try bench("python3 -B -m unittest 2>&1")
    #expect(result.status == 0 && result.output.hasSuffix("OK\n"), "\(result.output)")
  }

  @Test func rowsAreMeasuredBesideTheirFloor() throws {
    let result = try bench("ROUNDS=1 python3 -B bench.py start-empty,memory-start,typescript-cached")
    #expect(result.status == 0, "\(result.errors)")
    // One round knows no ratio well.
    let row = /\| cold start, empty script \(wall\) \| [0-9.,]+ ms \| [0-9.,]+ ms \(C floor\) \| [0-9.]+ ~ \|/
    #expect(result.output.contains(row), "\(result.output)")
    #expect(result.output.contains("deno"), "a runtime that is not installed is named, too: \(result.output)")
  }

  @Test func aRowThatIsNotThereIsToldWithTheNearest() throws {
    let result = try bench("python3 -B bench.py strt")
    #expect(result.status == 2)
    let told =
      "bench: ROWS: there is no row 'strt'; did you mean 'start'? `make bench ROWS=help` lists them\n"
    #expect(result.errors.hasSuffix(told), "\(result.errors)")
  }
}
