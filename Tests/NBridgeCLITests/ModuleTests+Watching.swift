// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import Testing

/// Programs that run again, and runners of tests.
extension ModuleTests {
  @Test func watchRunsAgainWhenAFileIsReplaced() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "main.ts": "import { a } from './a'; console.log('run', a); setInterval(() => {}, 1000);",
      "a.ts": "export const a = 1;",
    ])
    // Waits for what is printed, not for time: at most ten seconds each.
    let wait = { (text: String) in
      """
      n=0; until grep -q '\(text)' log; do n=$((n+1)); [ $n -gt 200 ] && break; sleep 0.05; done
      """
    }
    let result = try runner.shell(
      """
      "$NBRIDGE" run --watch main.ts > log 2>&1 & id=$!
      \(wait("run 1")); echo 'export const a = 2;' > b.tmp; mv b.tmp a.ts; \(wait("run 2"))
      echo 'export const a = ;' > a.ts; \(wait("SyntaxError")); echo 'export const a = 3;' > a.ts;
      \(wait("run 3"))
      echo child $(pgrep -P $id); kill $id; wait $id; echo status $?; cat log
      """)
    #expect(result.output.contains("status 143"), "\(result.output)")
    let child = result.output.split(separator: "\n").first { $0.hasPrefix("child ") }.flatMap {
      Int32($0.dropFirst(6))
    }
    #expect(child.map { kill($0, 0) } == -1, "the child outlived its parent")
    #expect(
      result.output.contains("run 1") && result.output.contains("run 2") && result.output.contains("run 3"),
      "\(result.output)")
  }

  /// The waiting is for what happens, ten seconds at the most.
  private static func until(_ condition: String) -> String {
    "n=0; until \(condition); do n=$((n+1)); [ $n -gt 200 ] && break; sleep 0.05; done"
  }

  @Test func aWatchThatIsKilledLeavesNoProgramBehind() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "s.js": """
      const d = await nbridge.documents.open('f', { autosave: false }); d.set('kept');
      console.log(nbridge.args); setInterval(() => {}, 1000);
      """
    ])
    let result = try runner.shell(
      """
      "$NBRIDGE" run --container c --watch s.js --watch > log 2>&1 & id=$!
      \(Self.until("grep -q -e --watch log")); child=$(pgrep -P $id); kill -9 $id
      runs() { grep -q '^State:.[^ZX]' /proc/$child/status 2> /dev/null; }
      \(Self.until("! runs")); runs && kill -9 $child && echo left
      grep -c "'--watch'" log; cat c/Documents/f
      """)
    #expect(result.output == "1\nkept", "\(result)")
  }

  @Test(arguments: ["run s.js", "run --watch s.js", "test s.test.js"])
  func aProgramUnderNohupOutlivesItsTerminal(_ command: String) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let script = """
      console.log('ready'); await new Promise((done) => setTimeout(done, 1500)); console.log('over')
      """
    try runner.write(["s.js": script, "s.test.js": "test('t', async () => { \(script) })"])
    let result = try runner.shell(
      """
      (trap '' HUP; exec "$NBRIDGE" \(command) > log 2>&1) & id=$!
      \(Self.until("grep -q ready log || pgrep -P $id > /dev/null")); kill -HUP $id
      \(Self.until("grep -q 'over\\|passed' log || ! kill -0 $id 2> /dev/null")); kill $id 2> /dev/null; \
      wait $id; grep -q 'over\\|1 passed' log && echo 1
      """)
    #expect(result.output == "1\n", "\(result)")
  }

  /// They hung: the watcher emptied the pipe, and the program had nothing to run.
  @Test(arguments: ["<(echo 1)", "- < s.js", "pipe", "/dev/null"])
  func watchRefusesWhatCanBeReadOnce(_ program: String) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(["s.js": "console.log(1)"])
    let result = try runner.shell(
      "mkfifo pipe; export NBRIDGE; timeout 20 bash -c \"\\$NBRIDGE run --watch \(program)\"")
    #expect(result.status == 2 && result.output.isEmpty, "\(result)")
    #expect(result.errors.contains("--watch runs a file again when it changes"), "\(result)")
  }

  @Test func watchKnowsAPagesFiles() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "p.html": """
      <script src=s.js></script><script type=module>import { b } from './b.ts'; console.log('b', b)</script>
      """,
      "s.js": "console.log('s 1')", "b.ts": "export const b: number = 1;",
    ])
    let wait = { (text: String) in
      """
      n=0; until grep -q '\(text)' log; do n=$((n+1)); [ $n -gt 200 ] && break; sleep 0.05; done
      """
    }
    let result = try runner.shell(
      """
      "$NBRIDGE" run --watch p.html > log 2>&1 & id=$!
      \(wait("b 1")); echo "console.log('s 2')" > s.js; \(wait("s 2")); echo "export const b = 5" > b.ts;
      \(wait("b 5"))
      kill $id; wait $id; cat log
      """)
    #expect(
      result.output.contains("watching 3 files") && result.output.contains("s 2")
        && result.output.contains("b 5"), "\(result.output)")
  }

  @Test func theRunnerOfTests() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "t/a.test.ts": """
      describe("math", () => {
        let n = 0;
        beforeEach(() => { n++; });
        test("adds", () => expect(n).toBe(1));
        test("fails", () => { expect({ a: [1] }).toEqual({ a: [2] }); });
        test("leaks", () => { nbridge.preference.watch(undefined, () => {}); });
        test.skip("skipped", () => {});
        test("late", { timeout: 20 }, () => new Promise(() => {}));
        test("rejects", () => assert.rejects(nbridge.callToNative("x", "y"), { code: "invalid_service" }));
      });
      """,
      "t/b.test.js": "test('one', () => assert.equal(1, 1));", "t/helper.js": "throw 1",
    ])
    let lines = try runner.shell("nbridge test t")
    #expect(
      lines.status == 1 && lines.output.contains("3 passed, 3 failed, 1 skipped"),
      "\(lines.output)\(lines.errors)")
    #expect(
      lines.output.contains(
        "AssertionError [ERR_ASSERTION]: expected { a: [ 1 ] } to equal { a: [ 2 ] }\n"))
    #expect(lines.output.contains("      -     2\n      +     1\n"))
    #expect(lines.output.contains("      at t/a.test.ts:5:44\n"))
    #expect(lines.output.contains("Leak: left open: preference.watch (watch)"))
    let tap = try runner.shell("nbridge test --reporter tap --filter one t")
    #expect(
      tap.status == 0 && tap.output.contains("ok 1 - one\n") && tap.output.hasSuffix("1..1\n"),
      "\(tap.output)")
    let junit = try runner.shell("nbridge test --reporter junit t/b.test.js")
    #expect(
      junit.output.contains(
        "<testsuite name=\"t/b.test.js\" tests=\"1\" failures=\"0\" skipped=\"0\">"), "\(junit.output)")
    #expect(try runner.shell("nbridge test nothing").status == 2)
  }

  @Test(arguments: [("TERM", 143), ("INT", 130), ("HUP", 129)])
  func aSignalEndsTheTestsWithTheirRunner(_ signal: String, _ status: Int) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "t/a.test.js": "test('a', () => new Promise(() => setTimeout(() => {}, 60_000)))",
      "t/b.test.js": "test('b', () => {})",
    ])
    let result = try runner.shell(
      """
      mkdir tmp; TMPDIR=$PWD/tmp "$NBRIDGE" test -j 1 t > out & pid=$!; until child=$(pgrep -P $pid); \
      do sleep 0.02; done
      sleep 0.3; kill -\(signal) $pid; wait $pid; echo $?; ls tmp; kill -0 $child 2> /dev/null && \
      echo "left: $child"; exit 0
      """)
    #expect(result.output == "\(status)\n", "\(result)")
  }
}
