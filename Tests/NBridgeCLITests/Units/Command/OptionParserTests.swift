// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import NBridgeCLI

/// Command lines, in every shape that people give them.
@Suite struct OptionParserUnitTests {
  static let options = [
    OptionSpec("print", short: "p", "Prints."), OptionSpec("filter", short: "f", value: "TEXT", "Filters."),
    OptionSpec("container", value: "DIR", "Keeps."), OptionSpec("yes", "Says yes."),
  ]

  private func parse(_ line: [String], endBehind: Int? = nil) throws -> ParsedArguments {
    try ParsedArguments(line, options: Self.options, optionsEndBehind: endBehind)
  }

  static let lines: [([String], [String: [String]], [String])] = [
    ([], [:], []), (["a"], [:], ["a"]), (["--yes"], ["yes": [""]], []),
    (["--yes", "--yes"], ["yes": ["", ""]], []),
    (["-p"], ["print": [""]], []), (["--filter", "x"], ["filter": ["x"]], []),
    (["--filter=x"], ["filter": ["x"]], []),
    (["--filter="], ["filter": [""]], []), (["--filter=a=b"], ["filter": ["a=b"]], []),
    (["-fx"], ["filter": ["x"]], []),
    (["-f", "x"], ["filter": ["x"]], []), (["-f=x"], ["filter": ["=x"]], []),
    (["-f", "-p"], ["filter": ["-p"]], []),
    (["--filter", "--"], ["filter": ["--"]], []), (["--filter", ""], ["filter": [""]], []),
    (["--filter", "a", "--filter=b", "-fc"], ["filter": ["a", "b", "c"]], []),
    (["a", "-p", "b"], ["print": [""]], ["a", "b"]),
    (["-"], [:], ["-"]), (["--", "-p", "--yes"], [:], ["-p", "--yes"]), (["a", "--", "--"], [:], ["a", "--"]),
    (["-f", "日本"], ["filter": ["日本"]], []), ([""], [:], [""]),
    (["--container", "/a b"], ["container": ["/a b"]], []),
  ]

  @Test(arguments: lines)
  func linesAreTakenApart(_ line: [String], _ values: [String: [String]], _ operands: [String]) throws {
    let parsed = try parse(line)
    #expect(parsed.values == values && parsed.operands == operands)
  }

  /// Words behind a script are the script's own.
  static let scripts: [([String], [String], [String])] = [
    (["x.js", "-p", "--unknown"], [], ["x.js", "-p", "--unknown"]),
    (["-p", "x.js", "-p"], ["print"], ["x.js", "-p"]),
    (["x.js", "--", "-p"], [], ["x.js", "-p"]), (["x.js", "--", "--"], [], ["x.js", "--"]),
    (["x.js", "a", "--", "b"], [], ["x.js", "a", "--", "b"]), (["--", "x.js", "-p"], [], ["x.js", "-p"]),
    (["-", "-p"], [], ["-", "-p"]), (["--filter", "x.js"], ["filter"], []),
  ]

  @Test(arguments: scripts)
  func optionsEndAtTheScript(_ line: [String], _ names: [String], _ operands: [String]) throws {
    let parsed = try parse(line, endBehind: 1)
    #expect(parsed.values.keys.sorted() == names && parsed.operands == operands)
  }

  /// Behind code, options of the command may stand before the code's own words.
  static let codes: [([String], [String], [String])] = [
    (["1", "-p"], ["print"], ["1"]),
    (["-p", "1", "--yes", "a", "--yes"], ["print", "yes"], ["1", "a", "--yes"]),
    (["1", "--", "-p"], [], ["1", "-p"]), (["1", "-p", "--", "-p"], ["print"], ["1", "-p"]),
    (["--", "1", "-p"], [], ["1", "-p"]), (["1", "a", "--", "-p"], [], ["1", "a", "-p"]),
  ]

  @Test(arguments: codes)
  func optionsMayStandBehindCode(_ line: [String], _ names: [String], _ operands: [String]) throws {
    let parsed = try parse(line, endBehind: 2)
    #expect(parsed.values.keys.sorted() == names && parsed.operands == operands)
  }

  static let wrong: [([String], String)] = [
    (["--filter"], "--filter needs a value: --filter TEXT"),
    (["-f"], "--filter needs a value: --filter TEXT"),
    (["--yes=1"], "--yes takes no value"), (["--yes="], "--yes takes no value"),
    (["-px"], "--print takes no value"),
    (["--fliter", "x"], "unknown option '--fliter'; did you mean '--filter'?"),
    (["--prnt"], "unknown option '--prnt'; did you mean '--print'?"),
    (["--YES"], "unknown option '--YES'; did you mean '--yes'?"),
    (["--something-else"], "unknown option '--something-else'"),
    (["-x"], "unknown option '-x'"), (["--=x"], "unknown option '--'"), (["--p"], "unknown option '--p'"),
    // A value is no part of the name: neither is it told, nor does it hide what was meant.
    (["--contaner=/home/somebody/secret"], "unknown option '--contaner'; did you mean '--container'?"),
    (["--token=hunter2hunter2"], "unknown option '--token'"),
  ]

  @Test(arguments: wrong)
  func whatIsWrongIsTold(_ line: [String], _ text: String) {
    let error = #expect(throws: UsageError.self) { try parse(line) }
    #expect(error?.description == text)
  }

  @Test(
    arguments: [
      ("0", 0), ("1", 1), ("2.5", 2.5), ("1e3", 1000), (" 1", nil), ("", nil), ("-1", nil), ("x", nil),
      ("nan", nil), ("inf", nil),
      ("1e999", nil), ("1,5", nil), ("1s", nil),
    ] as [(String, Double?)])
  func numbersAreReadOrRefused(_ text: String, _ expected: Double?) throws {
    let parsed = try parse(["--filter=\(text)"])
    guard let expected else {
      let error = #expect(throws: UsageError.self) { try parsed.number("filter") }
      #expect(error?.description == "--filter must be a number of 0 or more, not '\(text)'")
      return
    }
    #expect(try parsed.number("filter") == expected)
  }

  @Test func theLastOfSeveralValuesCounts() throws {
    let parsed = try parse(["--filter=1", "--filter=2"])
    #expect(parsed.last("filter") == "2" && parsed.all("filter") == ["1", "2"] && parsed.has("filter"))
    #expect(parsed.last("container") == nil && parsed.all("container") == [] && !parsed.has("container"))
    #expect(try parsed.number("container") == nil && parsed.number("filter") == 2)
  }

  /// Every value that can stand on a command line comes through as it is, in each of the three shapes.
  @Test(arguments: 0..<60)
  func valuesComeThrough(_ seed: Int) throws {
    var dice = SeededGenerator(seed: seed)
    let value = dice.text(of: ["a", "-", "--", "=", " ", "\"", "日", "\n", "'", "\\"], count: dice.below(8))
    #expect(try parse(["--filter", value]).all("filter") == [value])
    #expect(try parse(["--filter=" + value]).all("filter") == [value])
    if !value.isEmpty { #expect(try parse(["-f" + value]).all("filter") == [value]) }
    #expect(try parse(["--", value]).operands == [value])
    let operand = try? parse([value])
    #expect(
      operand == nil || operand?.operands == [value] || value.hasPrefix("-"), "seed \(seed): '\(value)'"
    )
  }
}
