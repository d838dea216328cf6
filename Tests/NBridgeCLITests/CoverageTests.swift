// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// `nbridge test --coverage`: what is counted, what it says, and that a text with counters in it means what
/// it did.
@Suite struct CoverageTests {
  private static let folder = CommandRunner.root + "/Tests/NBridgeCLITests/"

  /// A program that runs as a part of a file of tests, so that all of it is counted.
  static func runBothWays(_ files: [String: String], _ main: String) throws -> (
    plain: CommandRunner.Result, counted: CommandRunner.Result
  ) {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(files.merging(["all.test.mjs": "import './\(main)'; test('x', () => {})"]) { $1 })
    func run(_ option: String) throws -> CommandRunner.Result {
      try runner.shell(
        "nbridge test \(option) --results results --leak-check all.test.mjs; s=$?; rm results; exit $s")
    }
    return (try run(""), try run("--coverage"))
  }

  @Test(arguments: ["odd.mjs", "odd.cjs"])
  func oddTextMeansTheSameWithCounters(_ name: String) throws {
    let text = try String(
      contentsOfFile: Self.folder + "Clients/testing/counted/\(name)", encoding: .utf8)
    // One of them imports the other.
    let files = ["odd.mjs": "export {}"].merging([name: text]) { $1 }
    let (plain, counted) = try Self.runBothWays(files, name)
    #expect(plain.status == 0 && plain.output.count > 60, "\(plain.output)\(plain.errors)")
    #expect(counted.output == plain.output)
    #expect(counted.errors == plain.errors)
    #expect(counted.status == plain.status)
  }

  @Test(arguments: ModuleTests.cases)
  func programsOfModulesMeanTheSameWithCounters(_ test: ModuleTests.Case) throws {
    let words = test.run.split(separator: " ")
    guard let main = words.first(where: { test.files[String($0)] != nil }) else { return }
    let (plain, counted) = try Self.runBothWays(test.files, String(main))
    #expect(counted.output == plain.output)
    #expect(counted.errors == plain.errors)
    #expect(counted.status == plain.status)
  }

  @Test(arguments: ["buffers", "emitters", "paths", "urls", "utils"])
  func programsForNodeMeanTheSameWithCounters(_ name: String) throws {
    let text = try String(contentsOfFile: Self.folder + "Node/\(name).mjs", encoding: .utf8)
    let (plain, counted) = try Self.runBothWays(["main.mjs": text], "main.mjs")
    #expect(plain.output.count > 100, "\(plain.errors)")
    #expect(counted.output == plain.output)
    #expect(counted.errors == plain.errors)
  }

  private static let program = [
    "sum.ts": """
    export enum Colour { red, green = 5 }
    interface Unseen { a: number }
    export const add = (a: number, b = 1): number => a + b;
    export function sign(x: number): string {
      if (x > 0) return 'plus';
      const y = x === 0 ? 'zero' : 'less';

      return y || 'never';
    }
    export function unused() {
      const one = 1;
      return one;
    }
    """,
    "old.cjs": "module.exports = () => {\n  return 1;\n};",
    "node_modules/p/index.js": "module.exports = 1;",
    "a.test.ts": """
    import { add, sign, Colour } from './sum.ts';
    import 'p';
    test('a', () => { expect(add(1)).toBe(2); expect(sign(2)).toBe('plus'); expect(Colour.green).toBe(5) });
    """,
    "b.test.ts": """
    import { sign } from './sum.ts'; import old from './old.cjs';
    test('b', () => { expect(sign(0)).toBe('zero'); expect(old()).toBe(1) });
    """,
  ]

  @Test func theTableTellsSharesAndLinesOverAllFiles() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(Self.program)
    let result = try runner.shell("nbridge test --coverage")
    #expect(
      result.output.hasSuffix(
        """

        2 passed, 0 failed

        File       Statements    Branches   Functions       Lines  Lines that did not run
        old.cjs       100.0 %     100.0 %     100.0 %     100.0 %
        sum.ts         81.8 %      66.6 %      66.6 %      71.4 %  11-12
        All files      84.6 %      66.6 %      75.0 %      77.7 %

        """), "\(result.output)\(result.errors)")
    #expect(result.status == 0)
    let plain = try runner.shell("nbridge test")
    #expect(!plain.output.contains("Statements"))
  }

  @Test func theTraceHasTheAuthorsLinesAndTheSumsOfAllProcesses() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(Self.program)
    let result = try runner.shell("nbridge test --coverage-dir out/deep -j 2 && cat out/deep/lcov.info")
    let trace = result.output.components(separatedBy: "end_of_record\n")
    let sum = try #require(trace.first { $0.contains("SF:sum.ts\n") }, "\(result.output)\(result.errors)")
    for line in [
      "FN:3,add", "FN:4,sign", "FN:10,unused", "FNDA:1,add", "FNDA:2,sign", "FNDA:0,unused", "FNF:3", "FNH:2",
      "DA:5,2", "DA:6,1", "DA:8,1", "DA:11,0", "DA:12,0", "LF:7", "LH:5",
    ] { #expect(sum.contains("\n\(line)\n"), "\(line): \(sum)") }
    // Both ways of the `if`: taken by the first file's process, left by the second's.
    let branches = sum.split(separator: "\n").filter { $0.hasPrefix("BRDA:5,") }
    #expect(branches.map { $0.split(separator: ",").last } == ["1", "1"], "\(sum)")
    #expect(!result.output.contains("SF:a.test.ts") && !result.output.contains("node_modules"))
  }

  /// What runs in a worker counts, also in one that another worker started or that is ended from outside.
  @Test func workersCountToo() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "w.mjs": "import { f } from './lib.mjs';\nexport function g() {\n  return 2;\n}\npostMessage(f());\n",
      "outer.mjs": """
      const inner = new Worker(new URL('./w.mjs', import.meta.url), { type: 'module' });
      inner.onmessage = ({ data }) => postMessage(data);
      """,
      "lib.mjs": "export const f = () => {\n  return 1;\n};\nexport const never = () => {\n  return 2;\n};\n",
      "a.test.mjs": """
      import { f } from './lib.mjs';
      for (const name of ['w', 'outer']) test(name, async () => {
        const worker = new Worker(new URL(`./${name}.mjs`, import.meta.url), { type: 'module' });
        assert.equal(await new Promise((done) => { worker.onmessage = ({ data }) => done(data) }), 1);
        worker.terminate();
      });
      """,
    ])
    let result = try runner.shell("nbridge test --coverage-dir out --coverage-all . && cat out/lcov.info")
    #expect(result.status == 0, "\(result)")
    let trace = result.output.components(separatedBy: "end_of_record\n")
    let lines = [
      "lib.mjs": ["DA:2,2", "DA:5,0"], "w.mjs": ["DA:5,2", "DA:3,0"], "outer.mjs": ["DA:1,1", "DA:2,1"],
    ]
    for (file, counts) in lines {
      let found = try #require(trace.first { $0.contains("SF:\(file)\n") }, "\(result)")
      for count in counts { #expect(found.contains("\n\(count)\n"), "\(file) \(count): \(found)") }
    }
  }

  /// A map leads to some words only with others, and esbuild writes constants anew.
  @Test func theSameTextCountsTheSameInTypeScript() throws {
    let text = """
      export async function never() {
        return 2;
      }
      export async function* gen() {
        yield 2;
      }
      export function pick(n) {
        if (n === 1) return "a";
        else if (n === 2) return "b";
        else if (n) {
          n++;
        } else if (!n) {
          return 5;
        }
        return n ? undefined : 0x10;
      }
      export class S {
        async load() { return 1; }
        static async make() {
          return new S();
        }
        static sync() { return 2; }
        static async #hidden() { return 2; }
        static ["computed" + 1]() { return 2; }
        static async *all() { yield 1; }
      }
      export const arrow = async () => 5;
      export default async function () {
        return 1;
      }
      """
    let result = try CommandRunner.run(
      [
        "a.mjs": text, "b.ts": text,
        "a.test.mjs": "import { pick } from './a.mjs'; import { pick as p } from './b.ts'; "
          + "test('a', () => { pick(1); p(1); pick(3); p(3) });",
      ], "nbridge test --coverage-dir out > log; cat out/lcov.info")
    let traces = result.output.components(separatedBy: "end_of_record\n").map { trace in
      trace.split(separator: "\n").filter { !$0.hasPrefix("SF:") }.sorted()
    }
    try #require(traces.count == 3, "\(result)")
    #expect(traces[0] == traces[1] && traces[0].contains("FNF:11"), "\(result.output)")
  }

  @Test func whatNoTestLoadsCountsWhereItIsAskedFor() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "src/used.mjs": "export const one = () => 1;",
      "src/never.ts": "export const never = (x: number): number => {\n  return x ? 1 : 2;\n};\nnever(1);",
      "src/deep/old.cjs": "exports.two = () => 2;", "src/broken.mjs": "syntax error",
      "src/node_modules/p/index.js": "1", "src/x.d.ts": "export type A = 1;", "src/b.test.mjs": "1",
      "build.mjs": "export default 1;",
      "a.test.mjs": "import { one } from './src/used.mjs'; test('a', () => { one() });",
    ])
    let result = try runner.shell(
      "nbridge test --coverage-all src --coverage-dir out a.test.mjs; cat out/lcov.info")
    let rows = result.output.split(separator: "\n").filter { $0.hasPrefix("src/") }.map {
      $0.split(separator: " ", omittingEmptySubsequences: true).prefix(2).joined(separator: " ")
    }
    #expect(
      rows == ["src/broken.mjs -", "src/deep/old.cjs 0.0", "src/never.ts 0.0", "src/used.mjs 100.0"],
      "\(result)")
    #expect(result.output.contains("\nSF:src/never.ts\nFN:1,never\nFNDA:0,never\n"))
    #expect(result.output.contains("\nDA:2,0\nDA:4,0\n") && !result.output.contains("SF:src/broken.mjs"))
    #expect(!result.output.contains("build.mjs") && result.status == 0)
    let linked = try runner.shell(
      """
      ln -s never.ts src/again.ts; ln -s ../a.test.mjs src/hidden.mjs; ln -s deep src/deeper
      nbridge test --coverage-all src a.test.mjs
      """)
    #expect(
      linked.output.split(separator: "\n").filter { $0.hasPrefix("src/") }.count == 4,
      "\(linked)")
    let minimum = try runner.shell("nbridge test --coverage-all=src --coverage-min 1 a.test.mjs")
    #expect(minimum.status == 1 && minimum.errors.contains("'src/broken.mjs' can't be counted"), "\(minimum)")
    let none = try runner.shell("nbridge test --coverage-all none a.test.mjs")
    #expect(none.status == 2 && none.errors.contains("--coverage-all needs a folder of sources"), "\(none)")
  }

  /// `genhtml` reads the trace, whatever functions are called.
  @Test func lcovReadsTheTrace() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "odd.mjs": """
      export const o = { "a,b"() { return 1; }, "5,foo"() { return 3; }, ["x" + 1]: () => 2, "l\\nm"() {} };
      export const t = (a) => a ? 1 : 2;
      if (t(1) && t(0)) { t(1); } else if (t(2)) { for (const a of []) t(a); }
      """, "a.test.mjs": "import { o } from './odd.mjs'; test('a', () => { o['5,foo']() });",
    ])
    let result = try runner.shell(
      """
      nbridge test --coverage-dir out > log; command -v genhtml > found || exit 77; cat out/lcov.info
      genhtml --branch-coverage -o html out/lcov.info 2>&1
      """)
    if result.status == 77 { return print("SKIPPED: lcovReadsTheTrace: there is no genhtml here (lcov)") }
    #expect(result.status == 0 && result.output.contains("lines......: 100.0% (3 of 3 lines)"), "\(result)")
    #expect(!result.output.contains("ERROR") && result.output.contains("FN:1,5;foo\n"), "\(result)")
  }

  @Test func lessThanTheMinimumFailsTheRun() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(Self.program)
    let low = try runner.shell("nbridge test --coverage-min 80 --reporter tap")
    #expect(low.status == 1, "\(low.output)")
    #expect(
      low.errors.contains(
        "nbridge: coverage: 75.0 % of the functions ran, less than the 80 % of --coverage-min\n"),
      "\(low.errors)")
    #expect(!low.errors.contains("statements ran"))
    #expect(try runner.shell("nbridge test --coverage-min 66").status == 0)
    // What runs nothing of the program covers nothing of it.
    try runner.write(["c.test.js": "test('c', () => {})"])
    let none = try runner.shell("nbridge test --coverage-min 1 c.test.js")
    #expect(none.status == 1 && none.errors.contains("nothing was counted"), "\(none.errors)")
  }

  @Test func whatRanIsCountedThoughTheFileEndedBadly() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "lib.mjs": "export const one = () => 1;\nexport const two = () => 2;",
      "a.test.mjs": "import { one } from './lib.mjs'; test('a', () => { one(); exit(0) });",
    ])
    let result = try runner.shell("nbridge test --coverage")
    #expect(result.status == 1)
    let row = "lib.mjs     100.0 %     100.0 %      50.0 %     100.0 %"
    #expect(result.output.contains(row), "\(result.output)")
  }
}
