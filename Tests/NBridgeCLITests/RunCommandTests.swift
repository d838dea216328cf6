// SPDX-License-Identifier: MIT

import Foundation
import Testing

@Suite struct RunCommandTests {
  /// Writes a script and runs it with the given shell line.
  func run(_ script: String, _ line: String = "nbridge run s.js") throws -> CommandRunner.Result {
    let runner = try CommandRunner()
    defer { runner.remove() }
    _ = try runner.write("s.js", script)
    return try runner.shell(line)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let script: String
    var line = "nbridge run s.js"
    let status: Int32
    var output = ""
    let errors: String
    var testDescription: String { name }
  }

  /// Before its reader, whose end is waited for where it reads nothing.
  private static func piped(_ reader: String) -> String {
    """
    mkfifo p
    { exec 3> p; until [ -e gone ]; do sleep 0.01; done; "$NBRIDGE" run s.js >&3; echo $? > code; } &
    \(reader) < p; touch gone; wait; exit $(cat code)
    """
  }

  static let cases: [Case] = [
    Case(name: "empty", script: "", status: 0, errors: ""),
    Case(name: "exit code", script: "exit(7); console.log('no')", status: 7, errors: ""),
    Case(
      name: "exit in finally", script: "try { exit(3) } finally { console.log('no') }", status: 3,
      errors: ""),
    Case(
      name: "syntax error", script: "let x =\n  1 +* 2", status: 1,
      errors: "s.js:2:6\n  1 +* 2\n     ^\nSyntaxError: Unexpected token '*'\n"),
    Case(
      name: "syntax error beside await", script: "const a = await 1;\nif return", status: 1,
      errors: """
        s.js:2:4
        if return
           ^
        SyntaxError: Unexpected keyword 'return'. Expected '(' to start an 'if' condition.

        """),
    Case(
      name: "syntax error of an early end", script: "await 1; for (;;", status: 1,
      errors: "s.js:1:17\nawait 1; for (;;\n                ^\nSyntaxError: Unexpected end of script\n"),
    Case(
      name: "uncaught", script: "function f() {\n\tnull.x\n}\nf()", status: 1,
      errors:
        """
        s.js:2:6
        \tnull.x
        \t    ^
        TypeError: null is not an object (evaluating 'null.x')
            at f (s.js:2:6)
            at s.js:4:1

        """
    ),
    Case(
      name: "cause", script: "throw new Error('a', {cause: new TypeError('b')})", status: 1,
      errors:
        """
        s.js:1:1
        throw new Error('a', {cause: new TypeError('b')})
        ^
        Error: a
            at s.js:1:1
          caused by: TypeError: b
              at s.js:1:30

        """
    ),
    Case(name: "primitive", script: "throw 5", status: 1, errors: "s.js:1:1\nthrow 5\n^\nUncaught 5\n"),
    Case(
      name: "column after await", script: "const a = await 1; null.x", status: 1,
      errors:
        """
        s.js:1:24
        const a = await 1; null.x
                               ^
        TypeError: null is not an object (evaluating 'null.x')
            at s.js:1:24

        """
    ),
    Case(
      name: "missing file", script: "", line: "nbridge run gone.js", status: 1,
      errors: "nbridge: can't open 'gone.js': No such file or directory\n"),
    Case(
      name: "folder", script: "", line: "nbridge run .", status: 1,
      errors: "nbridge: '.' is a folder; name a script in it\n"),
    Case(
      name: "not UTF-8", script: "", line: "printf 'a\\377' > b.js; nbridge run b.js", status: 1,
      errors: "nbridge: 'b.js' is not UTF-8 (byte 1)\n"),
    Case(
      name: "unknown option", script: "", line: "nbridge run --trce s.js", status: 2,
      errors: "nbridge: unknown option '--trce'; did you mean '--trace'? (nbridge --help shows how)\n"),
    Case(
      name: "unknown command", script: "", line: "nbridge rnu", status: 2,
      errors: "nbridge: unknown command 'rnu'; did you mean 'run'? (nbridge --help shows how)\n"),
    Case(
      name: "no script", script: "", line: "nbridge run", status: 2,
      errors: "nbridge: run needs a script: nbridge run FILE (nbridge --help shows how)\n"),
    Case(
      name: "missing value", script: "", line: "nbridge run --container", status: 2,
      errors: "nbridge: --container needs a value: --container DIR (nbridge --help shows how)\n"),
    Case(
      name: "never settles", script: "const a = 1\nawait new Promise(() => {})", status: 13,
      errors:
        """
        s.js:2
        await new Promise(() => {})
        nbridge: this await can never settle: no timer, call or watch is left to bring it forward

        """
    ),
    Case(
      name: "app.json is no JSON", script: "", line: "echo '{' > app.json; nbridge run s.js", status: 1,
      errors: "nbridge: 'app.json' is not JSON: a key must be a string (byte 2)\n"),
    Case(
      name: "app.json names an unknown plugin", script: "console.log(1)",
      line: "echo '{\"permissions\": [\"ap.appInfo\"]}' > app.json; nbridge run s.js", status: 0,
      output: "1\n",
      errors: "nbridge: warning: 'app.json': permissions name the unknown plugin 'ap'; "
        + "did you mean 'app'?\n"),
    Case(
      name: "app.json names an unknown action", script: "console.log(1)",
      line: "echo '{\"permissions\": [\"app.*\", \"app.appInof\"]}' > app.json; nbridge run s.js", status: 0,
      output: "1\n",
      errors: "nbridge: warning: 'app.json': permissions name the unknown permission 'app.appInof'; "
        + "did you mean 'app.appInfo'?\n"),
    Case(
      name: "app.json names what there is", script: "console.log(1)",
      line: "echo '{\"permissions\": [\"*\", \"app.*\", \"documents.import:/tmp\", \"import:/tmp\", "
        + "\"process.env:HOME\", \"process.run:/usr/bin/git\", \"peers.connect\"]}' > app.json; "
        + "nbridge run s.js",
      status: 0, output: "1\n", errors: ""),
    Case(
      name: "SIGINT in a loop", script: "while (true) {}",
      // In hundredths of a second that it has computed: the start takes less.
      line: """
        "$NBRIDGE" run s.js & p=$!
        until [ "$(awk '{ print $14 }' /proc/$p/stat)" -gt 30 ]; do sleep 0.02; done
        kill -INT $p; wait $p
        """, status: 130,
      errors: "nbridge: the script did not come back to its loop; ended\n"),
    Case(
      name: "a loop of timers lets go of what was printed",
      script: """
        let n = 0; const again = () => { if (n++ === 0) console.log('printed'); setTimeout(again, 0) };
        again()
        """,
      line: """
        mkfifo p; "$NBRIDGE" run s.js > p & pid=$!; head -n 1 p; kill $pid; wait $pid 2>/dev/null; exit 0
        """, status: 0,
      output: "printed\n", errors: ""),
    Case(
      name: "a script that never comes back to its loop lets go of what was printed",
      script: "console.log('printed'); for (;;) await nbridge.callToNative('app', 'appInfo')",
      line: """
        mkfifo p; "$NBRIDGE" run s.js > p & pid=$!; head -n 1 p; kill -9 $pid; wait $pid 2>/dev/null; exit 0
        """, status: 0,
      output: "printed\n", errors: ""),
    Case(
      name: "what is printed last goes out, too, behind much and without a loop",
      script: "console.log('x'); console.log('y'.repeat(300000)); console.log('last'); for (;;);",
      line: """
        { timeout -s KILL 6 "$NBRIDGE" run s.js | (sleep 1; timeout 3 cat) | tail -n 1; } 2> /dev/null
        """, status: 0, output: "last\n", errors: ""),
    Case(
      name: "the same without a terminal at a prompt", script: "console.log('p'); for (;;);",
      line: """
        { (cat s.js; echo; sleep 5) | timeout -s KILL 4 "$NBRIDGE" repl | timeout 3 head -n 1; } 2> /dev/null
        """, status: 0, output: "p\n", errors: ""),
    Case(
      name: "a reader that takes nothing holds up no end",
      script: "for (;;) console.log('x'.repeat(1000))",
      line: """
        mkfifo p; exec 3<>p; "$NBRIDGE" run s.js > p & pid=$!; sleep 1; kill -INT $pid; wait $pid
        """, status: 130,
      errors: "nbridge: the script did not come back to its loop; ended\n"),
    Case(
      name: "a number that no status has", script: "exit(1e20)", status: 255, errors: ""),
    Case(
      name: "what is no status does not pass for success",
      script: """
        for (const code of ['x', NaN,
          {}]) try { exit(code) } catch (error) { console.log(`${error}`) } exit('3')
        """,
      status: 3,
      output: String(
        repeating: "Error: exit takes a number, 0 for success\n", count: 3), errors: ""),
    Case(
      name: "reader gone",
      script: """
        for (let i = 0; i < 100000; i++) console.log(i)
        """, line: "{ nbridge run s.js; echo $? > code; } | head -1; sh -c 'exit $(cat code)'",
      status: 141, output: "0\n", errors: ""),
    Case(
      name: "reader gone before the end", script: "console.log(1)", line: piped("true"), status: 141,
      errors: ""),
    Case(
      name: "reader gone of a program that fails", script: "console.log(1); throw 5", line: piped("true"),
      status: 1, errors: "s.js:1:17\nconsole.log(1); throw 5\n                ^\nUncaught 5\n"),
    Case(
      name: "reader gone of a program that exits", script: "console.log(1); exit(3)", line: piped("true"),
      status: 3, errors: ""),
    Case(
      name: "reader gone of a program that says that all is well", script: "console.log(1); exit(0)",
      line: piped("true"), status: 0, errors: ""),
    Case(
      name: "arguments", script: "console.log(nbridge.args)", line: "nbridge run s.js --fast -x y", status: 0,
      output: "[ '--fast', '-x', 'y' ]\n", errors: ""),
    Case(
      name: "byte-order mark and #!", script: "\u{FEFF}#!/usr/bin/env nbridge\nconsole.log('ok')", status: 0,
      output: "ok\n", errors: ""),
    Case(
      name: "alert, confirm, prompt", script: "alert('a'); console.log(confirm('c'), prompt('p', 'd'))",
      status: 0, output: "a\nfalse null\n", errors: ""),
    Case(
      name: "--yes",
      script: """
        console.log(confirm('c'), prompt('p', 'd'))
        """, line: "nbridge run --yes s.js", status: 0,
      output: "true d\n", errors: ""),
    Case(
      name: "--answers", script: "console.log(confirm('c'), prompt('p'), confirm('c'), prompt('p'))",
      line: """
        printf 'y\\nname\\n' > answers; nbridge run --answers answers s.js
        """, status: 0, output: "true name false null\n", errors: ""),
    Case(
      name: "NO_COLOR and no terminal", script: "console.log({a: 1}, 'x')", status: 0, output: "{ a: 1 } x\n",
      errors: ""),
    Case(
      name: "stdout and stderr",
      script: "console.log('o'); console.error('e'); console.warn('w'); console.info('i')", status: 0,
      output: "o\ni\n", errors: "e\nw\n"),
    Case(
      name: "leak check",
      script: """
        nbridge.preference.watch(); setTimeout(() => exit(0), 1)
        """, line: "nbridge run --leak-check s.js 2>/dev/null",
      status: 1, errors: ""),
  ]

  @Test(arguments: cases)
  func behaves(_ item: Case) throws {
    let result = try run(item.script, item.line)
    #expect(result.status == item.status)
    #expect(result.output == item.output)
    #expect(result.errors == item.errors)
  }

  @Test func sigintEndsWith130() throws {
    let result = try run(
      "setTimeout(() => console.log('waits'), 0); await nbridge.preference.watch().next()",
      """
      "$NBRIDGE" run s.js > out & p=$!; until grep -q waits out; do sleep 0.02; done
      kill -INT $p; wait $p; echo $?
      """)
    #expect(result.output.hasSuffix("130\n"), "\(result.output) \(result.errors)")
    #expect(result.errors.contains("preference.watch (watch)"))
  }

  @Test func anIdleProgramCostsNoProcessorTime() throws {
    let result = try run(
      "setTimeout(() => {}, 60000); nbridge.preference.watch()",
      """
      "$NBRIDGE" run s.js & p=$!; sleep 1; a=$(awk '{ print $14 + $15 }' /proc/$p/stat); sleep 2; b=$(awk '{ \
      print $14 + $15 }' /proc/$p/stat); kill -9 $p; echo $((b - a))
      """
    )
    // In hundredths of a second: a loop that polled or spun would have used up to 200 of them.
    #expect(
      (Int(result.output.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 99) <= 3, "\(result.output)")
  }

  @Test func theLifecycleFollowsTheTerminal() throws {
    let result = try run(
      """
      (async () => { for await (const s of nbridge.app.onLifecycle()) console.log(s) })();
      setTimeout(() => {}, 60000)
      """,
      """
      "$NBRIDGE" run s.js > out & p=$!; until grep -q '^active' out; do sleep 0.02; done
      kill -TSTP $p; until grep -q '^State:.T' /proc/$p/status; do sleep 0.02; done
      kill -CONT $p; until [ "$(grep -c '^active' out)" = 2 ]; do sleep 0.02; done
      kill -INT $p; wait $p; status=$?; cat out; echo $status
      """)
    #expect(result.output == "active\nbackground\nactive\nterminating\n130\n", "\(result.errors)")
  }

  @Test func aFullDiskIsSaid() throws {
    let result = try run("console.log('lost')", "nbridge run s.js > /dev/full")
    #expect(result.status == 1)
    #expect(result.errors == "nbridge: can't write to stdout: No space left on device\n")
  }

  @Test func aReaderOfAPipeIsNotKeptWaiting() throws {
    let result = try run(
      "console.log('first'); setTimeout(() => {}, 60000)",
      """
      mkfifo p; "$NBRIDGE" run s.js > p & n=$!; read -r line < p; echo "$line"; kill -9 $n
      """)
    #expect(result.output == "first\n")
  }

  @Test func aHundredMegabyteScriptRuns() throws {
    let result = try run(
      "",
      """
      { echo 'console.log(1)'; head -c 104857600 /dev/zero | tr '\\0' ' '; echo; echo 'console.log(2)'; } \
      > big.js; nbridge run big.js
      """)
    #expect(result.output == "1\n2\n", "\(result.errors)")
  }

  @Test func traceFileHoldsJSONLines() throws {
    let result = try run("await nbridge.app.appInfo()", "nbridge run --trace-file t.jsonl s.js; cat t.jsonl")
    #expect(
      result.output.hasPrefix(
        #"{"service":"app","action":"appInfo","kind":"immediate","outcome":"ok","microseconds":"#))
  }

  @Test func tenProcessesAtOnceLoseNothing() throws {
    let result = try run(
      """
      for (let i = 0; i < 20; i++) await nbridge.preference.set(`${nbridge.args[0]}-${i}`, i);
      if (nbridge.args[0] === 'count') console.log((await nbridge.preference.keys()).length)
      """,
      """
      for n in 1 2 3 4 5 6 7 8 9 10; do "$NBRIDGE" run --container c s.js $n & done; wait; \
      nbridge run --container c s.js count
      """)
    #expect(result.output == "220\n", "\(result.errors)")
  }

  @Test func aKilledWriterLosesNothingThatWasAcknowledged() throws {
    let result = try run(
      "for (let i = 0; ; i++) { await nbridge.preference.set('k', i); console.log(i) }",
      """
      for n in 1 2 3 4 5; do "$NBRIDGE" run --container c s.js > log & p=$!
      m=0; until [ -s log ] || [ $m -gt 400 ]; do m=$((m+1)); sleep 0.05; done; kill -9 $p; \
      wait $p 2>/dev/null
      echo 'const v = await nbridge.preference.get("k"); console.log(Number.isInteger(v))' > r.js;
      nbridge run --container c r.js; done
      """)
    #expect(result.output == String(repeating: "true\n", count: 5), "\(result.errors)")
  }
}

/// Behaviours as scripts: each folder of Tests/Scripts holds a script and what it prints.
@Suite struct GoldenScriptTests {
  static let folder = CommandRunner.root + "/Tests/Scripts"
  static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()

  @Test(arguments: names)
  func prints(_ name: String) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let base = "\(Self.folder)/\(name)/\(name)"
    let script = FileManager.default.fileExists(atPath: base + ".html") ? base + ".html" : base + ".js"
    let result = try runner.shell("nbridge run '\(script)'")
    #expect(result.output == (try String(contentsOfFile: base + ".out", encoding: .utf8)), "\(result.errors)")
  }

  @Test func thereAreSome() { #expect(Self.names.count >= 3) }
}

/// Libraries that only some programs need are opened by them.
@Suite struct LoadedLibraryTests {
  @Test(arguments: ["sqlite3", "xxhash", "crypto", "brotlidec", "brotlienc"])
  func aStartLoadsNone(_ library: String) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let needed = try runner.shell("ldd \"$NBRIDGE\"").output
    #expect(needed.contains("libjavascriptcoregtk") && !needed.contains("lib\(library).so"), "\(needed)")
  }
}
