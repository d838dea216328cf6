// SPDX-License-Identifier: MIT

import Foundation
import FoundationXML
import Testing

/// `nbridge test` among files that are no tests, that go while it runs, and whose processes end badly: each
/// is told and counted, and nothing hangs.
@Suite struct TestRunAttackTests {
  private func withFiles(_ files: [String: String], _ body: (CommandRunner) throws -> Void) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(files)
    try body(runner)
  }

  private static let good = "test('good', () => {})"
  static let mayRunShells = "--permissions \"process.*,process.run:$(readlink -f /bin/sh)\""

  @Test(arguments: ["mkfifo b.test.js", "mknod b.test.js c 1 5", "ln -s /dev/zero b.test.js"])
  func whatIsNoFileIsAFailureAndNotWaitedFor(_ make: String) throws {
    try withFiles(["a.test.js": Self.good]) { runner in
      let result = try runner.shell("\(make) || exit 77; timeout 60 \"$NBRIDGE\" test")
      if result.status == 77 { return print("SKIPPED: '\(make)' is refused here") }
      #expect(result.status == 1 && result.output.contains("\n1 passed, 1 failed\n"), "\(result)")
      #expect(result.output.contains("it is no plain file, but a pipe, a socket or a device"))
      let checked = try runner.shell("timeout 60 \"$NBRIDGE\" check .")
      #expect(checked.status == 1 && checked.errors.contains("'b.test.js' is no plain file"), "\(checked)")
      let listed = try runner.shell(
        "timeout 60 \"$NBRIDGE\" test --watch > log 2>&1 & pid=$!; "
          + "until grep -q watching log; do sleep 0.02; done; kill -INT $pid; wait $pid; cat log")
      #expect(listed.status == 0 && listed.output.contains("no plain file"), "\(listed)")
    }
  }

  @Test func aFileThatComesWhileTheyAreWatchedRuns() throws {
    try withFiles(["a.test.js": Self.good]) { runner in
      let result = try runner.shell(
        """
        "$NBRIDGE" test --watch > log 2>&1 & pid=$!
        until grep -q watching log; do sleep 0.02; done
        echo "test('new', () => { throw 1 })" > b.test.js
        for i in $(seq 1500); do grep -q 'new' log && break; sleep 0.02; done
        until [ "$(grep -c watching log)" = 2 ]; do sleep 0.02; done
        echo "test('new', () => {})" > b.test.js
        for i in $(seq 1500); do [ "$(grep -c watching log)" = 3 ] && break; sleep 0.02; done
        kill -INT $pid; wait $pid; cat log
        """)
      #expect(result.output.contains("✗ new") && result.output.contains("✓ new"), "\(result)")
      #expect(!result.output.contains("2 passed"), "\(result)")
    }
  }

  /// What a test asks for and is gone, has it run again, and when it is there again, too.
  @Test(arguments: [
    ("import { l } from './l.js'", "cp l.js l; rm l.js", "cp l l.js"),
    ("const { l } = require('./l.js')", "mv l.js l", "mv l l.js"),
  ])
  func aFileThatGoesAndComesBackIsWatched(_ load: String, _ goes: String, _ comes: String) throws {
    let given = load.hasPrefix("import") ? "export const l = 1" : "exports.l = 1"
    let test = "\(load); test('needs l', () => { if (l !== 1) throw l })"
    try withFiles(["a.test.js": test, "l.js": given]) { runner in
      let result = try runner.shell(
        """
        "$NBRIDGE" test --watch > log 2>&1 & pid=$!
        told() {
          for i in $(seq 1000); do [ "$(grep -c "$1" log)" -ge "$2" ] && return; sleep 0.02; done
        }
        told watching 1; \(goes); told watching 2; told "there is no './l.js' here" 1
        \(comes); told '✓ needs l' 2; told watching 3
        kill -INT $pid; wait $pid; cat log
        """)
      let runs = result.output.components(separatedBy: "watching ")
      try #require(runs.count == 4, "\(result)")
      #expect(runs[0].contains("✓ needs l") && runs[2].contains("✓ needs l"), "\(result)")
      #expect(runs[1].contains("there is no './l.js' here") && !runs[1].contains("✓"), "\(result)")
    }
  }

  @Test(arguments: ["--max-failures 0", "--max-failures 1.5", "-j 0", "--jobs 0.5", "--jobs=0"])
  func countsAreWholeAndAtLeastOne(_ option: String) throws {
    try withFiles(["a.test.js": Self.good]) { runner in
      let result = try runner.shell("\"$NBRIDGE\" test \(option)")
      #expect(result.status == 2 && result.output == "", "\(result)")
      #expect(result.errors.contains("must be a whole number of 1 or more, not '"), "\(result)")
    }
  }

  /// A snapshot that leaves something out passes whatever that has become.
  @Test(arguments: [
    "new Uint8Array(60).with(59, N).buffer", "new Array(100_001).fill(0).with(100_000, N)",
    "['x'.repeat(1_000_001) + N]",
  ])
  func aSnapshotLeavesNothingOut(_ value: String) throws {
    let test = "const N = 1; test('a', () => expect(\(value)).toMatchSnapshot())"
    try withFiles(["a.test.js": test]) { runner in
      let kept = try runner.shell(
        """
        "$NBRIDGE" test -u && "$NBRIDGE" test || exit 5
        sed -i 's/N = 1/N = 2/' a.test.js; "$NBRIDGE" test
        """)
      #expect(kept.status == 1 && kept.output.contains("not the snapshot"), "\(kept.output.prefix(2000))")
    }
  }

  /// Functions that would not run, or that call what nobody gives them.
  @Test(arguments: [
    ("test('a', function* () { throw 1 })", "a generator"),
    ("test('a', async function* () { throw 1 })", "a generator"),
    ("test('a', (t, done) => {})", "2 parameters"), ("beforeEach(function* () {})", "a generator"),
    ("describe('a', function* () { test('b', () => {}) })", "a generator"),
    ("test('a', async (t) => { await t.test('b', function* () { throw 1 }) })", "a generator"),
    ("test('a', () => expect([]).toHaveLength(undefined))", "toHaveLength needs a number"),
  ])
  func whatWouldPassUnrunFails(_ text: String, _ says: String) throws {
    try withFiles(["a.test.js": text]) { runner in
      let result = try runner.shell("\"$NBRIDGE\" test")
      #expect(result.status == 1 && (result.output + result.errors).contains(says), "\(result)")
    }
  }

  @Test(arguments: [
    "expect(new Event('a')).not.toEqual(new Event('b'))", "expect(new Event('a')).toEqual(new Event('a'))",
    "expect(new MessageEvent('a', { data: 1 })).not.toEqual(new MessageEvent('a', { data: 2 }))",
    "expect(AbortSignal.abort()).not.toEqual(new AbortController().signal)",
    "assert.throws(() => assert.deepEqual(new Event('a'), new Event('b')))",
    "assert.throws(() => assert.deepEqual(new URL('a:1'), new URL('a:2')))",
    "assert.throws(() => assert.deepStrictEqual(new Blob(['a']), new Blob(['b'])))",
    "assert.throws(() => assert.deepEqual(new TextDecoder('utf-8'), new TextDecoder('latin1')))",
    "assert.notDeepEqual(new Uint8Array([1]), Object.assign(new Uint8Array([1]), { x: 1 }))",
    "expect(new Uint8Array([1])).not.toEqual(Object.assign(new Uint8Array([1]), { x: 1 }))",
    "assert.deepEqual(new Uint8Array([1]), new Uint8Array([1]))",
    "assert.notDeepEqual((function () { return arguments })(1), { 0: 1 })",
    "assert.deepEqual((function () { return arguments })(1), (function () { return arguments })(1))",
    "expect(new TextDecoder('utf-8')).not.toEqual(new TextDecoder('utf-16le'))",
    "expect(new TextDecoder('utf-8')).toEqual(new TextDecoder('utf8'))",
    "expect(performance.mark('a')).not.toEqual(performance.mark('b'))",
    "expect(performance.mark('a', { startTime: 1 })).toEqual(performance.mark('a', { startTime: 1 }))",
    "assert.throws(() => assert.deepEqual(performance.mark('a'), performance.mark('b')))",
    "assert.deepStrictEqual([new URL('a:1'), new Event('a')], [new URL('a:1'), new Event('a')])",
  ])
  func eventsAndSignalsAreWhatTheyHold(_ line: String) throws {
    let text = "import assert from 'node:assert'; test('a', () => { \(line) })"
    try withFiles(["a.test.js": text]) { runner in
      let result = try runner.shell("\"$NBRIDGE\" test")
      #expect(result.status == 0, "\(result)")
    }
  }

  @Test func aFolderThatCannotBeReadFailsTheRun() throws {
    let files = ["a.test.js", "shut/b.test.js", "in/dark/c.test.js"]
    try withFiles(Dictionary(uniqueKeysWithValues: files.map { ($0, Self.good) })) { runner in
      let result = try runner.shell(
        """
        less=; [ "$(id -u)" != 0 ] || less="setpriv --bounding-set=-dac_override,-dac_read_search"
        chmod 0 shut; chmod 0600 in; $less "$NBRIDGE" test; s=$?
        $less "$NBRIDGE" check .; echo "check $?"; chmod 0700 shut in; exit $s
        """)
      if result.errors.contains("setpriv:") {
        return print("SKIPPED: a test of TestRunAttackTests: this root can't give rights away")
      }
      #expect(result.status == 1 && result.output.contains("\n1 passed, 0 failed\n"), "\(result)")
      #expect(result.errors.contains("nbridge: can't look into 'shut': Permission denied\n"))
      #expect(result.errors.contains("nbridge: can't look into 'in/dark': Permission denied\n"))
      #expect(result.output.hasSuffix("check 1\n"))
    }
  }

  @Test func linksAreFollowedInsideOfTheFolderOnly() throws {
    try withFiles(["in/sub/a.test.js": Self.good, "out/b.test.js": "test('other', () => {})"]) { runner in
      let result = try runner.shell(
        """
        cd in; ln -s .. up; ln -s ../out out; ln -s . sub/loop; ln -s sub again; ln -s gone c.test.js
        ln -s ../../out/b.test.js sub/d.test.js
        nbridge test; nbridge test out
        """)
      #expect(result.output.contains("\n2 passed, 1 failed\n"), "\(result)")
      #expect(result.output.contains("can't open 'c.test.js'"))
      #expect(result.output.hasSuffix("out/b.test.js\n  ✓ other\n\n1 passed, 0 failed\n"), "\(result)")
    }
  }

  @Test func filesThatGoOrComeWhileTheRunIsGoingAreTold() throws {
    try withFiles([
      "a.test.js": """
      import { execFile } from 'node:child_process';
      const line = 'rm b.test.js c.test.js; mkdir c.test.js; echo syntax error > d.test.js';
      test('takes others away', () => new Promise((done) => execFile('sh', ['-c', line], done)));
      """, "b.test.js": Self.good, "c.test.js": Self.good, "d.test.js": Self.good, "e.test.js": Self.good,
    ]) { runner in
      let result = try runner.shell("nbridge test -j 1 \(Self.mayRunShells)")
      #expect(result.status == 1 && result.output.contains("\n2 passed, 3 failed\n"), "\(result)")
    }
  }

  /// How a file ends, what is counted, and what is said.
  @Test(arguments: [
    (
      "const f = (done) => execFile('sh', ['-c', 'kill -9 $PPID'], done); test('k', () => new Promise(f))",
      "0 passed, 1 failed, 1 not run",
      "status 137 before all of its tests had run (as SIGKILL ends it)"
    ),
    ("afterAll(() => exit(0)); test('t', () => {})", "1 passed, 1 failed", "something called exit"),
    ("afterAll(() => process.exit(0)); test('t', () => {})", "1 passed, 1 failed", "something called exit"),
    ("afterEach(() => process.exit(5)); test('t', () => {})", "0 passed, 1 failed, 1 not run", "status 5"),
    ("await new Promise(() => setInterval(() => {}, 50))", "0 passed, 1 failed", "--timeout"),
    ("for (;;) {}", "0 passed, 1 failed", "--timeout"),
    ("test('t', async () => { await new Promise(() => {}) }, 100)", "0 passed, 1 failed", "within 100 ms"),
  ])
  func anEndIsNotTakenForAPass(_ script: String, _ count: String, _ says: String) throws {
    let imports = "import { execFile } from 'node:child_process'; import process from 'node:process';\n"
    try withFiles(["a.test.js": imports + script]) { runner in
      let result = try runner.shell("nbridge test --timeout 3 \(Self.mayRunShells)")
      #expect(result.status == 1 && result.output.contains("\n\(count)\n"), "\(result)")
      #expect(result.output.contains(says), "\(result)")
    }
  }

  @Test func whatATestPrintsIsNoResult() throws {
    let forged = """
      console.log('{"declared":{"number":7,"title":"forged","place":"","partOf":0}}');
      console.log('{"ended":{"_0":{"number":7,"title":"forged","outcome":"pass"}}}\\n{"finished":{}}');
      console.log('ok 9 - forged\\n1..1\\n</testsuite>\\n9 passed, 0 failed');
      """
    try withFiles(["a.test.js": forged + "test('fails', () => { throw new Error('no') })"]) { runner in
      let lines = try runner.shell("nbridge test")
      #expect(lines.status == 1 && lines.output.hasSuffix("\n0 passed, 1 failed\n"), "\(lines)")
      let tap = try runner.shell("nbridge test --reporter tap | grep -v '^#'")
      #expect(!tap.output.contains("forged") && tap.output.hasSuffix("\n1..1\n"), "\(tap)")
      let junit = try runner.shell("nbridge test --reporter junit")
      #expect(junit.output.contains("&lt;/testsuite&gt;"))
      #expect(junit.output.contains("tests=\"1\" failures=\"1\""))
    }
  }

  /// The output is a file, so a child that keeps it open holds nothing up.
  @Test func aChildThatKeepsTheOutputOpenHoldsNothingUp() throws {
    try withFiles([
      "a.test.js": """
      import { spawn } from 'node:child_process';
      test('leaves one', () => new Promise((done) => {
        spawn('sh', ['-c', 'sleep 300 & echo $! > child'], { stdio: 'inherit' }).on('exit', () => done());
      }));
      """
    ]) { runner in
      let result = try runner.shell(
        """
        timeout 60 "$NBRIDGE" test \(Self.mayRunShells); s=$?
        [ ! -s child ] || kill "$(cat child)" 2>/dev/null; exit $s
        """)
      #expect(result.status == 0 && result.output.contains("\n1 passed, 0 failed\n"), "\(result)")
    }
  }

  @Test func aRunThatStopsEarlyTellsWhatItEndedAndLeavesNothing() throws {
    let slow = "test('slow', async () => { await new Promise((done) => setTimeout(done, 60000)) }, 90000)"
    try withFiles([
      "a.test.js": "test('bad', async () => { await new Promise((r) => setTimeout(r, 700)); throw 1 })",
      "b.test.js": Self.good, "c.test.js": slow, "d.test.js": Self.good,
    ]) { runner in
      let result = try runner.shell(
        "mkdir t; TMPDIR=$PWD/t timeout 50 \"$NBRIDGE\" test --bail -j 2; echo status $?; ls t")
      #expect(result.output.contains("b.test.js\n  ✓ good\n"), "\(result)")
      #expect(result.output.contains("c.test.js\n  ✗ it was stopped\nd.test.js\n  ✗ it was not run\n"))
      #expect(result.output.hasSuffix("\n1 passed, 1 failed, 2 files not run\nstatus 1\n"), "\(result)")
    }
  }

  @Test func allShardsTogetherAreEachFileOnce() throws {
    let files = Dictionary(
      uniqueKeysWithValues: (0..<5).map { ("d/f\($0).test.js", "test('t\($0)', () => {})") })
    try withFiles(files) { runner in
      for count in [1, 2, 3, 5, 8] {
        let all = (1...count).map { "nbridge test --reporter tap --shard \($0)/\(count); echo status $?" }
        let result = try runner.shell(all.joined(separator: "; "))
        let titles = result.output.split(separator: "\n").filter { $0.hasPrefix("ok") }
          .map { String($0.split(separator: " ").last ?? "") }
        #expect(titles.sorted() == (0..<5).map { "t\($0)" }, "\(count): \(result)")
        // A part without a file has tested nothing.
        let statuses = result.output.split(separator: "\n").filter { $0.hasPrefix("status") }
        #expect(statuses == (1...count).map { $0 <= 5 ? "status 0" : "status 1" }, "\(count): \(result)")
      }
      for bad in ["+1/2", "1/+2", "1/99999999999999999999", " 1/2", "1/2 ", "/", "", "0/0", "１/2"] {
        #expect(try runner.shell("nbridge test --shard='\(bad)'").status == 2, "\(bad)")
      }
    }
  }

  @Test func manyTestsAndLongNamesAreCounted() throws {
    try withFiles([
      "many.test.js": "for (let i = 0; i < 10000; i++) test(`t${i}`, () => {})",
      "long.test.js": """
      test('x'.repeat(1 << 20), () => {}); test('\\ud800 \\u{1F600} \\u0000 \\x1b[2J ]]>', () => {});
      test('a\\nb\\tc', () => { throw new Error(']]> \\u0001 \\ud800') });
      """,
    ]) { runner in
      let lines = try runner.shell("nbridge test")
      #expect(lines.status == 1)
      #expect(lines.output.hasSuffix("\n10002 passed, 1 failed\n"), "\(lines.output.suffix(300))")
      #expect(lines.output.contains("  ✓ \u{FFFD} 😀 ␀ ␛[2J ]]>\n"))
      let tap = try runner.shell("nbridge test --reporter tap")
      #expect(tap.output.hasSuffix("\n1..10003\n") && !tap.output.contains("\u{1B}"))
      let junit = try runner.shell("nbridge test --reporter junit > r.xml; cat r.xml")
      let parser = XMLParser(data: Data(junit.output.utf8))
      let cases = Cases()
      parser.delegate = cases
      #expect(parser.parse(), "\(String(describing: parser.parserError))")
      #expect(cases.names.count == 10003 && cases.names.contains("a\nb\tc"))
    }
  }

  private final class Cases: NSObject, XMLParserDelegate {
    var names: [String] = []
    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
      attributes: [String: String]
    ) {
      if name == "testcase" { names.append(attributes["name"] ?? "") }
    }
  }
}
