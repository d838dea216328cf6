// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// `nbridge test` never lies: what went wrong in a file is told and fails the run, and every test that was
/// declared is counted.
@Suite struct TestRunnerTests {
  /// A file of tests that must not pass, and what the report says of it: the lines `count:` and `says:` at
  /// its top.
  struct Lie: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let script: String
    let count: String
    let says: String

    init(_ name: String) throws {
      testDescription = name
      script = try TestRunnerTests.fixture("lies/\(name)")
      let text = script
      func line(_ word: String) throws -> String {
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("// \(word): ") })
        return String(line.dropFirst(word.count + 5))
      }
      count = try line("count")
      says = try line("says")
    }
  }

  private static let folder = CommandRunner.root + "/Tests/NBridgeCLITests/Clients/testing/"
  private static func fixture(_ name: String) throws -> String {
    try String(contentsOfFile: folder + name, encoding: .utf8)
  }

  static let lies: [Lie] = {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: folder + "lies").sorted().map(Lie.init)
    } catch { fatalError("the fixtures can't be read: \(error)") }
  }()

  @Test(arguments: lies) func aLieIsSeen(_ lie: Lie) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(["a.test.js": lie.script])
    let result = try runner.shell("nbridge test")
    #expect(
      result.status == 1 && result.output.contains("\n\(lie.count)"), "\(result.output)\(result.errors)")
    #expect(result.output.contains(lie.says), "\(result.output)")
    for reporter in ["dots", "tap", "junit"] {
      let other = try runner.shell("nbridge test --reporter \(reporter)")
      #expect(other.status == 1, "\(reporter): \(other.output)")
    }
  }

  @Test func whatIsRightPasses() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(["a.test.js": Self.fixture("right.js")])
    let result = try runner.shell("nbridge test")
    #expect(
      result.status == 0 && result.output.contains("\n13 passed, 0 failed, 1 skipped\n"),
      "\(result.output)\(result.errors)")
    #expect(result.output.contains("  - skips itself\n      no screen\n"))
    #expect(result.output.contains("  ✓ parts\n  ✓ parts > one\n  ✓ parts > two\n"))
  }

  @Test func snapshotsAreComparedAndWrittenWhenAsked() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "a.test.js": """
      test('a list', () => {
        expect({ a: [1, 'x'] }).toMatchSnapshot();
        expect('two\\nlines').toMatchSnapshot('text');
      })
      """
    ])
    let missing = try runner.shell("nbridge test; ls")
    #expect(missing.output.contains("there is no snapshot 'a list 1' yet"))
    #expect(!missing.output.contains("__snap"))
    let written = try runner.shell("nbridge test -u && cat __snapshots__/a.test.js.snap && nbridge test")
    #expect(written.status == 0 && written.output.contains("2 snapshots written"), "\(written.output)")
    #expect(
      written.output.contains(
        """

        # a list 1
          {
            a: [
              1,
              'x'
            ]
          }

        # a list: text
          "two
          lines"

        """), "\(written.output)")
    try runner.write(["a.test.js": "test('a list', () => { expect({ a: [1, 'y'] }).toMatchSnapshot() })"])
    let differs = try runner.shell("nbridge test")
    #expect(differs.status == 1 && differs.output.contains("      -     'x'\n      +     'y'\n"))
    // What the test would have looked at behind that nobody knows.
    #expect(!differs.output.contains("that no test looks at"), "\(differs.output)")
    let updated = try runner.shell("nbridge test -u && nbridge test && cat __snapshots__/*")
    #expect(
      updated.status == 0 && updated.output.contains("1 snapshot written, 1 snapshot taken out")
        && !updated.output.contains("lines"), "\(updated.output)")
    let damaged = try runner.shell("echo garbage > __snapshots__/a.test.js.snap; nbridge test")
    #expect(damaged.status == 1 && damaged.output.contains("is no file of snapshots"), "\(damaged.output)")
  }

  @Test func aRunMayStopEarlyOrBeSharedOut() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    var files = (0..<6).reduce(into: [String: String]()) { $0["f\($1).test.js"] = "test('t\($1)', () => {})" }
    try runner.write(files)
    let shards = try (1...4).map { try runner.shell("nbridge test --reporter tap --shard \($0)/4") }
    #expect(shards.allSatisfy { $0.status == 0 })
    let titles = shards.flatMap { $0.output.split(separator: "\n") }.filter { $0.hasPrefix("ok") }
      .map { $0.split(separator: " ").last.map(String.init) ?? "" }
    #expect(titles.sorted() == (0..<6).map { "t\($0)" })
    for bad in ["0/2", "3/2", "1", "a/b", "1/2/3", "-1/2"] {
      #expect(try runner.shell("nbridge test --shard=\(bad)").status == 2, "\(bad)")
    }
    let empty = try runner.shell("nbridge test --shard 7/7")
    let says = "part 7 of 7 has no file of tests: there are 6 files in all"
    #expect(empty.status == 1 && empty.errors.contains(says), "\(empty)")
    files = ["f1.test.js": "test('a', () => { throw 1 }); test('b', () => {})"]
    try runner.write(files)
    let bailed = try runner.shell("nbridge test --bail -j 1")
    #expect(
      bailed.status == 1 && bailed.output.contains("\n1 passed, 1 failed, 1 not run, 4 files not run\n"),
      "\(bailed.output)")
    let later = try runner.shell("nbridge test --max-failures 2 -j 1")
    #expect(later.output.contains("\n6 passed, 1 failed\n"), "\(later.output)")
  }

  /// Told by their modes, also in suites; what `only` leaves out is counted as skipped.
  @Test func modesChooseWhatRuns() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "a.test.js": """
      test('other', () => { throw 1 });
      test.only('one', () => {});
      describe.only('suite', () => { test('two', () => {}); test.skip('three', () => { throw 1 }) });
      test.todo('four');
      describe.todo('later');
      test('five', { only: true }, () => { throw new Error('seen') });
      """,
      "b.test.js": """
      test.only('six', async (t) => { await t.test('part', { skip: true }, () => { throw 1 }) });
      """,
    ])
    let result = try runner.shell("nbridge test a.test.js; nbridge test b.test.js")
    #expect(
      result.status == 0 && result.output.contains("\n2 passed, 1 failed, 4 skipped\n"), "\(result)")
    let lines = [
      "- other", "✓ one", "✓ suite > two", "- suite > three", "- four (to do)", "- later (to do)", "✗ five",
    ]
    for line in lines {
      #expect(result.output.contains("  \(line)\n"), "\(line): \(result.output)")
    }
    #expect(result.output.hasSuffix("  ✓ six\n  - six > part\n\n1 passed, 0 failed, 1 skipped\n"))
  }

  /// Of a folder that has none nobody would know; a name may begin as an option does.
  @Test func everyFolderThatIsNamedHasTests() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "a/a.test.js": "test('adds', () => {})", "b/x.js": "", "-d.test.js": "test('d', () => {})",
    ])
    let result = try runner.shell("nbridge test a b")
    #expect(result.status == 1 && result.output.contains("1 passed, 0 failed"), "\(result)")
    #expect(result.errors.hasPrefix("nbridge: there is no file of tests in 'b'"), "\(result)")
    for line in ["nbridge test -- -d.test.js", "nbridge test -f d", "nbridge test . a"] {
      #expect(try runner.shell(line).status == 0, "\(line)")
    }
  }

  @Test func aFilterThatFitsNothingFails() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(["a.test.js": "test('adds', () => {}); test('subtracts', () => {})"])
    let some = try runner.shell("nbridge test -f adds")
    #expect(some.status == 0 && some.output.contains("1 passed, 0 failed, 1 left out by --filter"))
    let none = try runner.shell("nbridge test -f ads")
    #expect(none.status == 1 && none.errors == "nbridge: no test's title holds 'ads'\n", "\(none)")
  }

  @Test func aChangeRunsTheTestsThatItTouches() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "f.ts": "export const f = (a: number) => a + 1;",
      "f.test.ts": "import { f } from './f'; test('f', () => expect(f(1)).toBe(2));",
      "g.test.js": "test('g', () => {})",
    ])
    let result = try runner.shell(
      """
      "$NBRIDGE" test --watch > log 2>&1 & pid=$!
      until grep -q watching log; do sleep 0.02; done
      echo 'export const f = (a: number) => a + 2;' > f.ts
      until grep -q 'expected 3 to be 2' log && [ "$(grep -c watching log)" = 2 ]; do sleep 0.02; done
      kill -INT $pid; wait $pid; echo "status $?"; grep -c '✓ g' log
      """)
    #expect(result.output == "status 130\n1\n", "\(result)")
  }
}
