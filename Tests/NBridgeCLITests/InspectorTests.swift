// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// `nbridge run --inspect`: a debugger's end of the protocol, and Node's own debugger, against real programs.
@Suite struct InspectorTests {
  private static let files = [
    "main.ts": """
    // a comment
    import { greet, type Who } from "./greet";

    interface Unseen { a: number }

    const who: Who = { name: "Ada" };
    const text: string = greet(who);
    console.log(text);
    """,
    "greet.ts": """
    export interface Who {
      name: string;
    }

    export function greet(who: Who): string {
      const hello: string = "Hello, ";
      return hello + who.name;
    }
    """,
    "values.js": """
    globalThis.thing = { list: [1, 2, 3], map: new Map([[1, { x: 2 }]]), not: NaN, big: 10n, f() {} };
    const timer = setInterval(() => {}, 1000);
    globalThis.done = () => clearInterval(timer);
    """,
    "danger.js": """
    "use strict";
    const first = 1;
    console.log("removed everything");
    """,
    "later.js": """
    await null;
    console.log("one");
    debugger;
    console.log("two");
    """,
    "endless.js": """
    await null;
    console.log("one");
    for (;;);
    """,
    "twice.js": """
    const timer = setInterval(() => {}, 1000);
    globalThis.begin = () => setTimeout(again, 1);
    function again() {
      debugger;
      console.log("again");
      clearInterval(timer);
    }
    """,
    "timers.js": """
    globalThis.ticks = 0;
    const timer = setInterval(() => { ticks++ }, 1);
    globalThis.begin = () => setTimeout(() => {
      debugger;
      clearInterval(timer);
    }, 20);
    """,
    "busy.js": """
    const timer = setInterval(() => {}, 1000);
    globalThis.begin = () => setTimeout(loop, 1);
    function loop() {
      let rounds = 0;
      for (; !globalThis.isOver; rounds++) {
        Math.sqrt(rounds);
      }
      clearInterval(timer);
      console.log("over");
    }
    """,
    "thrown.js": """
    function f() {
      throw new TypeError("bad");
    }
    try {
      f();
    } catch {}
    f();
    """,
  ]

  private static let clients = CommandRunner.root + "/Tests/NBridgeCLITests/Clients/debugger"

  private func scene(_ name: String) throws -> [String] {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(Self.files)
    let result = try runner.shell("timeout -k 5 120 python3 -B '\(Self.clients)/scenes.py' \(name)")
    #expect(result.status == 0, "\(result.errors)")
    return result.output.split(separator: "\n").map(String.init)
  }

  @Test func stepsGoThroughTheAuthorsTypeScript() throws {
    #expect(
      try scene("steps") == [
        "Break on start ['- main.ts:6']", "['- main.ts:7'] {'name': 'Ada'}",
        "['greet greet.ts:6', '- main.ts:7']", "['- main.ts:8']", "Hello, Eve", #"('Hello, Ada\n', '', 0)"#,
      ])
  }

  @Test func aBreakpointIsSetBeforeItsScriptRuns() throws {
    #expect(
      try scene("breakpoints") == [
        "[] Breakpoint at specified location already exists.", "True 5",
        "True ['greet greet.ts:6', '- main.ts:7']", "[('hello', None), ('who', 'Object')]",
        "export interface Who {", #"('Hello, Ada\n', '', 0)"#,
      ])
  }

  @Test func valuesAreShownAsDebuggersExpect() throws {
    #expect(
      try scene("values") == [
        "1 + 1 → 2", "-0 → -0", "NaN → NaN", "10n → 10n", "'é' + '\\u{1F600}' → é😀", "undefined → None",
        "throw new TypeError('no') → TypeError: no",
        "syntax error → SyntaxError: Unexpected identifier 'error'", "await Promise.resolve(5) → 5",
        "(await nbridge.app.appInfo()).name → values",
        "Object [('list', 'object'), ('map', 'object'), ('not', 'number'), ('big', 'bigint'), "
          + "('f', 'function')]",
        "[('list', 'Array(3)'), ('map', 'Map(1)'), ('not', 'NaN'), ('big', '10n'), ('f', 'f() {}')] "
          + "['[[Prototype]]']", "[('[[Entries]]', 'Array(1)'), ('[[Prototype]]', 'Map')]", "2", "7",
        "EvalError: Possible side-effect in debug-evaluate",
        "Uncaught SyntaxError: Unexpected end of script", "('', '', 0)",
      ])
  }

  @Test func aStoppedProgramRunsNothingMore() throws {
    #expect(
      try scene("stopped") == [
        "Break on start", "('', '', 130)", "('', '', 130)", #"('one\n', '', 130)"#, #"('one\n', '', 130)"#,
      ])
  }

  @Test func theProgramGoesOnWithoutItsDebugger() throws {
    #expect(
      try scene("gone") == [
        "a second one: 503", "['twice.js']", "['again twice.js:4']", #"('again\n', '', 0)"#,
      ])
  }

  @Test func timersWaitWhileTheProgramIsPaused() throws {
    #expect(try scene("waits") == ["['- timers.js:4'] True", "('', '', 0)"])
  }

  @Test func aLoopIsPaused() throws {
    #expect(try scene("busy") == ["loop busy.js number", #"('over\n', '', 0)"#])
  }

  @Test func anUncaughtExceptionPauses() throws {
    #expect(
      try scene("thrown") == ["exception TypeError: bad ['f thrown.js:2', '- thrown.js:7']", "1"])
  }

  @Test func strangersAreRefused() throws {
    #expect(
      try scene("strangers") == [
        "another user: True", "200 node values.js values.js True",
        #"(200, '{"Browser":"nbridge","Protocol-Version":"1.1"}')"#,
        #"(403, 'a debugger names this machine by its number, and is no page of the web\n') 200"#, "403 404",
        "404", "403", "400", #"(8, b'\x03\xea')"#, "Message must be a valid JSON",
        "(10, b'ping') 'Nope.none' wasn't found", "Message must be a valid JSON", "No script for id: 9999",
        "lineNumber is missing", "urlRegex is no regular expression: (", "('', '', 0)",
      ])
  }

  @Test func nodesDebuggerStepsThroughAProgram() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(Self.files)
    let result = try runner.shell(
      """
      mkfifo said; nbridge run --inspect-brk=0 main.ts >out 2>said & P=$!
      exec 3<said; read -r LINE <&3; PORT=${LINE##*127.0.0.1:}; PORT=${PORT%%/*}
      ask() { I=0; until grep -q "$1" seen || [ $I -gt 300 ]; do sleep 0.1; I=$((I+1)); done; echo "$2"; }
      touch seen
      { ask 'Break on start in main.ts:6' "setBreakpoint('greet.ts', 7)"; ask '> 7' c
        ask 'break in greet.ts:7' bt; ask '#1 (anonymous) main.ts:7' "exec('hello + who.name')"
        ask "'Hello, Ada'" .exit; } | timeout -k 5 60 node inspect 127.0.0.1:$PORT >seen 2>&1
      wait $P; echo "$?"; cat out; cat seen
      """)
    #expect(result.output.hasPrefix("0\nHello, Ada\n"), "\(result.output)\(result.errors)")
    #expect(result.output.contains("'Hello, Ada'"), "\(result.output)")
  }

  @Test func whatCantBeListenedAtIsSaid() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(Self.files)
    let result = try runner.shell(
      """
      for option in =example.org =127.0.0.1:99999 =192.0.2.1:0 '=0 --watch'; do
        nbridge run --inspect$option danger.js; echo $?
      done
      """)
    #expect(result.output == "2\n2\n2\n2\n")
    #expect(
      result.errors.split(separator: "\n").map { $0.prefix(60) } == [
        "nbridge: --inspect takes an address that is a number, and a ",
        "nbridge: --inspect takes an address that is a number, and a ",
        "nbridge: --inspect can't listen at 192.0.2.1:0: Cannot assig",
        "nbridge: --inspect and --watch can't go together (nbridge --",
      ], "\(result.errors)")
  }
}
