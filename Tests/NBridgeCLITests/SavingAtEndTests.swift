// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Programs that end in unkind ways while a document is unsaved: real processes, real signals.
@Suite struct SavingAtEndTests {
  /// How a program ended, and what its documents hold.
  func run(_ script: String, _ line: String) throws -> CommandRunner.Result {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let open = """
      const open = (path) => nbridge.documents.open(path, { autosave: false }); const d = await open('f');
      d.set('kept');

      """
    try runner.write(["s.js": open + script])
    return try runner.shell("\(line); echo \"status $?\"; cat c/Documents/*")
  }

  /// Runs the script in a terminal, and presses keys one after the other once it asks.
  static func terminal(_ keys: String...) -> String {
    let tmux = "tmux -L nb-$$"
    let presses = keys.map { "\(tmux) \($0); sleep 0.3; " }.joined()
    return """
      \(tmux) new-session -d "'$NBRIDGE' run --container c s.js; echo \\$? > code"
      until \(tmux) capture-pane -p 2> /dev/null | grep -q 'name?'; do sleep 0.05; done
      \(presses)until [ -s code ]; do sleep 0.05; done; sh -c 'exit $(cat code)'
      """
  }

  @Test func aSignalAtAnyMomentOfTheStartEndsWithItsNumber() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(
      ["s.js": "const d = await nbridge.documents.open('f'); d.set('x'); setInterval(() => {}, 1000);"])
    // Before the program takes signals by itself the system ends it, which the shell gives the same number.
    let result = try runner.shell(
      """
      for moment in 5 10 15 20 25 30 35 40 50 60 80 100 130 160 200; do
        "$NBRIDGE" run --container c s.js & pid=$!; sleep 0.$(printf %03d $moment); kill -TERM $pid; \
      wait $pid; echo $?
      done | sort | uniq -c
      """)
    #expect(result.output.split(separator: " ") == ["15", "143\n"], "\(result.output) \(result.errors)")
  }

  @Test func aSignalDuringTheSavingStopsNothingOfIt() throws {
    let result = try run(
      """
      const j = await nbridge.documents.open("j", { format: "json", autosave: false });
      j.set({ toJSON() { const end = Date.now() + 1000; while (Date.now() < end); return { late: true } } });
      const l = await open("l"); l.set("last"); console.log("ready");
      """,
      """
      "$NBRIDGE" run --container c s.js > out & pid=$!; until [ -s out ]; do sleep 0.01; done; sleep 0.3; \
      kill -TERM $pid; wait $pid
      """)
    #expect(result.output.hasPrefix("status 143\nkept"), "\(result.output) \(result.errors)")
    #expect(
      result.output.contains("late") && result.output.hasSuffix("last"), "\(result.output) \(result.errors)")
  }

  @Test(arguments: [
    ("for (;;);", "nbridge run --container c --timeout 0.5 s.js", "status 124\nkept"),
    (
      "for (;;) { console.log('x'); await new Promise((done) => setTimeout(done, 1)) }",
      """
      { nbridge run --container c s.js; echo $? > code; } | head -n 1 > /dev/null; sh -c 'exit $(cat code)'
      """, "status 141\nkept"
    ),
    ("for (;;) console.log('x');", "nbridge run --container c s.js > /dev/full", "status 1\nkept"),
    ("prompt('name?')", terminal("send-keys abc C-d", "send-keys C-c"), "status 130\nkept"),
    ("prompt('name?')", terminal("send-keys C-c"), "status 130\nkept"),
  ])
  func anEndThatNobodyAskedTheScriptForSaves(_ script: String, _ line: String, _ expected: String) throws {
    let result = try run(script, line)
    #expect(result.output == expected, "\(result.output) \(result.errors)")
  }

  /// As under a pager that shows its first page.
  @Test(arguments: [("INT", 130), ("TERM", 143)])
  func aReaderThatTakesNothingCostsNothing(_ signal: String, _ status: Int) throws {
    for streams in ["> p", "> p 2>&1"] {
      let result = try run(
        "for (;;) console.log('x'.repeat(1000))",
        """
        mkfifo p; exec 3<> p; timeout -k 20 -s \(signal) 1 "$NBRIDGE" run --container c s.js \(streams); \
        sh -c "exit $(($? == 124 ? \(status) : $?))"
        """)
      #expect(result.output == "status \(status)\nkept", "\(streams): \(result.output) \(result.errors)")
    }
  }

  @Test(arguments: [("", 1), ("exit(3)", 1)])
  func whatWasPrintedLastAndDidNotGetOutIsAFailure(_ end: String, _ status: Int) throws {
    let result = try run(
      "await d.save(); console.log('hello'); \(end)", "nbridge run --container c s.js > /dev/full")
    #expect(result.output == "status \(status)\nkept", "\(result)")
    #expect(result.errors.contains("can't write to stdout"), "\(result.errors)")
  }

  @Test func aPipedPromptSavesWhenItsReaderGoesAway() throws {
    let result = try run(
      "",
      """
      (sed 's/^const d/globalThis.d/' s.js | tr '\\n' ' '; echo; echo 'console.log("y".repeat(200000))';
        sleep 1; echo 1) | "$NBRIDGE" repl --container c | head -c 1 > /dev/null
      """)
    #expect(result.output.hasSuffix("kept"), "\(result)")
  }

  @Test func aGetterThatNeverComesBackCostsItsOwnDocumentOnly() throws {
    let result = try run(
      """
      const bad = await nbridge.documents.open("bad", { format: "json", autosave: false });
      bad.set({ get a() { for (;;); } });
      (await open("z")).set("too");
      """, "timeout -k 1 60 \"$NBRIDGE\" run --container c s.js")
    #expect(result.output == "status 1\nkepttoo", "\(result.output) \(result.errors)")
    #expect(result.errors.contains("something unsaved is lost"), "\(result.errors)")
  }

  @Test(arguments: [("TERM", 143), ("HUP", 129), ("INT", 130)])
  func aPipedPromptSavesWhenASignalEndsIt(_ signal: String, _ status: Int) throws {
    for entry in ["1", "for (;;);"] {
      let result = try run(
        "",
        """
        mkfifo p; "$NBRIDGE" repl --container c < p > out & pid=$!; exec 3> p;
        sed 's/^const d/globalThis.d/' s.js | tr '\\n' ' ' >&3
        echo >&3; echo 'console.log("ready")' >&3; until grep -q ready out; do sleep 0.02; done;
        echo '\(entry)' >&3; sleep 0.5
        kill -\(signal) $pid; wait $pid
        """)
      #expect(result.output == "status \(status)\nkept", "\(entry): \(result.output) \(result.errors)")
    }
  }
}
