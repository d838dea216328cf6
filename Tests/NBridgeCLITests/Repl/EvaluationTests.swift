// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// The results of entries, without a terminal: statements from stdin.
@Suite struct EvaluationTests {
  static let entries: [(String, String)] = [
    ("1 + 1", "2\n"), ("let a = 1\na", "1\n"), ("const a = 1\nconst a = 2; a", "2\n"),
    ("const { a, b: [c, ...d], e = 5 } = { a: 1, b: [2, 3] }\n[a, c, d, e]", "[ 1, 2, [ 3 ], 5 ]\n"),
    ("let f = nothing()", ""), ("{ a: 1 }", "{ a: 1 }\n"), ("{ a: 1, b: 2 }", "{ a: 1, b: 2 }\n"),
    ("{ let q = 1; q }", "1\n"),
    ("await 5", "5\n"), ("const { x } = await Promise.resolve({ x: 3 }); x", "3\n"),
    (
      "let u = await 1, v\nu", "1\n"
    ),
    (
      """
      for await (const v of [1, 2]) console.log(v)
      """, "1\n2\n"
    ), ("({ a: await 1 })", "{ a: 1 }\n"), ("{ a: await 1 }", "{ a: 1 }\n"),
    ("class A { m() { return 1 } }\nnew A().m()", "1\n"), ("class A {} class B {}\nnew B()", "B {}\n"),
    ("function f(n) {\n  return n * 2\n}\nf(4)", "8\n"),
    (
      "async function g() { return await 1 }\ng()", "1\n"
    ),
    ("const t: number = 5\nt", "5\n"),
    (
      "interface Q {\n  a: string\n}\nlet q: Q = { a: 'b' }; q", "{ a: 'b' }\n"
    ),
    ("import { v } from './m.js'\nv", "7\n"), ("import d, * as all from './m.js'; [d, all.v]", "[ 1, 7 ]\n"),
    (
      """
      const n = './m' + '.js'
      (await import(n)).v
      """, "7\n"
    ), ("Promise.resolve(42)", "42\n"), ("3\n_ + 1", "3\n4\n"),
    ("const globalThis = 1\nlet g = 2; g", "2\n"),
    ("`multi\nline`", "'multi\\nline'\n"), ("'\\x1b[2J'", "'\\x1B[2J'\n"), ("undefined", ""),
    ("if (true) { 1 }", "1\n"),
    ("let x = 1\nlet get = () => x\nx = await 2\nget()", "2\n2\n"),
    (
      "const s = await 1\n;[s, s]", "[ 1, 1 ]\n"
    ), ("var i = 0; while (i < 3) i++; i", "3\n"),
    (
      "new Uint8Array([104, 105, 0])",
      "Uint8Array(3)\n  00000000  68 69 00                                          |hi.|\n"
    ),
    ("await nbridge.preference.set('k', { a: [1] })\nnbridge.preference.get('k')", "{ a: [ 1 ] }\n"),
    ("setTimeout(() => console.log('late'), 1); 'now'", "'now'\nlate\n"),
    (
      "label: for (;;) { break label }", ""
    ),
    (
      """
      const {
        a,
        b
      } = await { a: 1, b: 2 }
      [a, b]
      """, "[ 1, 2 ]\n"
    ), ("let x = {\n  a: await 1\n}\nx", "{ a: 1 }\n"),
    ("import {\n  v\n} from './m.js'\nv", "7\n"),
    (
      "const fn = async () => {\n  return await 1\n}\nawait fn()", "1\n"
    ),
    ("await 1; class A {}\nnew A()", "A {}\n"), ("await 1; function g() { return 7 }\ng()", "7\n"),
    ("import d from './m.js'; for (const v of [d, 2])\n  console.log(v)", "1\n2\n"),
    (
      "await 1; return 5", "5\n"
    ),
    ("if (true) { const ok = await 1\n  !== null; console.log(ok) }", "true\n"),
    ("var o = { import(p) { return p } }; o.import(3)", "3\n"),
    (
      "import type { T } from './m.js'\ntypeof T", "'undefined'\n"
    ),
    ("{ a: typeof import('./m.js') }", "{ a: 'object' }\n"),
    (
      "void (() => { let s = 0; for (let i = 0; i < 2e7; i++) s += i })()\n1", "1\n"
    ),
    ("[\n" + String(repeating: "1,\n", count: 3000) + "].length", "3000\n"),
    (
      "new ArrayBuffer(4).transfer().byteLength", "4\n"
    ),
    ("/* c */ 1 // d", "1\n"), ("new Set<string>(['a'])", "Set(1) { 'a' }\n"),
    (
      "let _ = 5\n1 + 1\n_", "2\n5\n"
    ),
    ("class Map {}\n[[1]]", "[ [ 1 ] ]\n"),
    (
      "export const ex = 5\nexport function g() { return ex }\ng()", "5\n"
    ),
    ("import { \"v\" as w } from './m.js'\nw", "7\n"),
    (
      "const JSON = 1\n(await nbridge.app.appInfo()).name", "'repl'\n"
    ),
    (
      """
      const chain = [1, 2]
        .map((x) => x + 1)
        .filter((x) => x > 2)
      chain
      """, "[ 3 ]\n"
    ), ("if (false) {\n1\n}\nelse {\n2\n}", "2\n"),
    ("try { null.x }\ncatch { 3 }", "3\n"), ("'a\\\nb'", "'ab'\n"), ("'a\\\r\nb'\r", "'ab'\n"),
    (
      """
      import { type T, v as w, type U as X } from './m.js'
      w
      """, "7\n"
    ),
    ("import { type } from './t.js'\ntype", "1\n"),
    (
      "for await (const x of [Promise.resolve(1), 2]) { if (x > 1) break; console.log(x) }", "1\n"
    ),
    ("Symbol('\\x1b[8m')", "Symbol(\\x1B[8m)\n"),
    (
      "({ ['\\x1b[41mf']: () => {} })", "{ '\\x1B[41mf': [Function: \\x1B[41mf] }\n"
    ),
    ("let i = 5\nlet i\ni === undefined", "true\n"),
    (
      "let i = 5\nlet i, j = await 1\n[i === undefined, j]", "[ true, 1 ]\n"
    ),
    ("var i = 5\nvar i\ni", "5\n"),
    (
      "const c = 1\ntry { c = 2 } catch (e) { [c, e.message] }",
      "[ 1, 'Attempted to assign to readonly property.' ]\n"
    ),
    ("const o = await { p: 1 }; o.p = 2\nconst o = { ...o, q: 3 }\no", "2\n{ p: 2, q: 3 }\n"),
    ("for (var i = 0; i < 3; i++) await i\ni", "3\n"),
    (
      "if (true) { var x = await 1, y }\n;[x, typeof y]", "[ 1, 'undefined' ]\n"
    ),
    ("for (var k of [1, 2]) { await k }\nk", "2\n"), ("for (var [a, b] of [[1, 2]]) await 0; b\na", "2\n1\n"),
    ("if (await true) var z = 7\nz", "7\n"),
    (
      "function g() { var h = 1; return h }; await 1; (() => { var h = 2 })()\ntypeof h", "'undefined'\n"
    ),
  ]

  @Test(arguments: entries)
  func gives(_ text: String, _ output: String) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(
      ["in": text + "\n", "m.js": "export const v = 7; export default 1;", "t.js": "export const type = 1"])
    let result = try runner.shell("nbridge repl < in")
    #expect(result.output == output, "\(result.errors)")
    #expect(result.status == (text.contains("nothing()") ? 1 : 0))
  }

  @Test func theFirstErrorEndsItWithoutATerminal() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(["in": "1\nfunction f() { null.x }\nf()\n2\n"])
    let result = try runner.shell("nbridge repl < in")
    #expect(result.status == 1 && result.output == "1\n", "\(result.output)")
    #expect(
      result.errors
        == """
        input-2:1:20
        function f() { null.x }
                           ^
        TypeError: null is not an object (evaluating 'null.x')
            at f (input-2:1:20)
            at input-3:1:1

        """
    )
  }

  @Test(arguments: [
    (
      "await 1; let x = ;",
      "input-1:1:18\nawait 1; let x = ;\n                 ^\nSyntaxError: Unexpected token ';'\n"
    ),
    ("import d from './m.js'; let y = ;", "input-1:1:33\n"),
    (
      "const a = await 5; if (true) {\nnope2 ) }", "input-1:2:7\n"
    ),
    (
      "setTimeout(() => Promise.reject({ a: 1 }))\nawait new Promise((r) => setTimeout(r, 5))",
      "Unhandled rejection: { a: 1 }\n"
    ),
    ("throw new Error('\\x1b[7mINV')", "Error: \\x1B[7mINV\n"),
    (
      "import './missing.js'", "missing.js' here\n    at input-1:1:1\n"
    ),
    ("foo(", "input-1:1:5\nfoo(\n    ^\nSyntaxError: Unexpected end of script\n"),
    (
      "let = = 1", "SyntaxError: Unexpected token '='"
    ),
    ("'abc", "SyntaxError: Unexpected EOF\n"),
    (
      "Promise.reject(new Error('once'))",
      """
      input-1:1:16
      Promise.reject(new Error('once'))
                     ^
      Error: once
          at input-1:1:16

      """
    ),
    ("await Promise.reject(new Error('no'))", "Error: no\n    at input-1:1:22\n"),
    (
      "throw { a: 1 }", "Uncaught { a: 1 }\n"
    ),
    ("setTimeout(() => { throw new Error('late') })\n1", "Error: late"),
    (
      ".plugins", "is a command of the prompt"
    ),
    ("import './missing.js'", "there is no './missing.js' here"),
    (
      "nbridge.callToNative('app', 'appinf')", "did you mean 'appInfo'?"
    ),
  ])
  func anErrorSaysWhatIsWrong(_ text: String, _ errors: String) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(["in": text + "\n"])
    let result = try runner.shell("nbridge repl < in")
    #expect(result.status == 1 && result.errors.contains(errors), "\(result.errors)")
    #expect(!result.errors.contains("Unhandled") || errors.contains("Unhandled"))
  }

  @Test func aFileComesFirstAndItsNamesStay() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "plain.js": """
      const greeting = 'hello'; let args = nbridge.args
      """, "module.ts": "export const twice = (n: number) => 2 * n;",
    ])
    #expect(
      try runner.shell(
        """
        echo '[greeting, args]' | nbridge repl plain.js a b
        """
      ).output == "[ 'hello', [ 'a', 'b' ] ]\n")
    #expect(try runner.shell("echo 'twice(4)' | nbridge repl module.ts").output == "8\n")
    #expect(try runner.shell("echo 'x + 1' | nbridge repl --eval 'let x = 2'").output == "3\n")
    #expect(try runner.shell("nbridge repl gone.js </dev/null").status == 1)
  }

  @Test func aProgramThatWritesStatementsGetsEachAnswerAtOnce() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let result = try runner.shell(
      """
      mkfifo in; "$NBRIDGE" repl < in > answers & id=$!; exec 3> in;
      echo '6 * 7; setTimeout(() => console.log("timer"), 50)' >&3; echo '"second"' >&3
      n=0; until grep -q timer answers; do n=$((n+1)); [ $n -gt 400 ] && break; sleep 0.05; done
      kill -INT $id; wait $id; echo status $?; cat answers
      """)
    #expect(
      result.output.hasPrefix("status 130\n") && result.output.contains("'second'\ntimer\n"),
      "\(result.output)")
  }

  @Test func anErrorBetweenTwoStatementsEndsItToo() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let result = try runner.shell(
      """
      mkfifo in; nbridge repl < in > answers 2> errors & exec 3> in; echo 'setTimeout(() => { throw 1 })' >&3
      n=0; until grep -q 1 errors; do n=$((n+1)); [ $n -gt 400 ] && break; sleep 0.05; done
      echo '"still here"' >&3; exec 3>&-; wait $!; echo "status $?"; cat answers
      """)
    #expect(result.output == "status 1\n1\n", "\(result.output)")
  }

  @Test func whatAFileDeclaresIsThereWhateverItsKind() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "lib/l.ts": """
      interface A { n: number }
      const lt: number = 5; export function twice(a: A): number { return 2 * a.n }
      """,
      "lib/m.mjs": """
      import { z } from './z.mjs'; const own = z + 1; export class K {}
      """, "lib/z.mjs": "export const z = 4",
      "lib/d.mjs": "const inner = 1; export default inner; export const outer = 2;",
    ])
    #expect(try runner.shell("echo '[lt, twice({ n: 2 })]' | nbridge repl lib/l.ts").output == "[ 5, 4 ]\n")
    #expect(try runner.shell("echo '[own, new K()]' | nbridge repl lib/m.mjs").output == "[ 5, K {} ]\n")
    #expect(
      try runner.shell(
        """
        echo '[typeof inner, outer]' | nbridge repl lib/d.mjs
        """
      ).output == "[ 'undefined', 2 ]\n")
  }

  @Test func permissionsHoldAtThePromptToo() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let result = try runner.shell("echo 'nbridge.app.appInfo()' | nbridge repl --permissions preference.get")
    #expect(
      result.status == 1 && result.errors.contains("[permission_denied, app.appInfo]"), "\(result.errors)")
  }

  @Test func anAwaitThatNothingCanSettleEndsIt() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let result = try runner.shell("echo 'await new Promise(() => {})' | nbridge repl")
    #expect(result.status == 13 && result.errors.contains("can never settle"))
  }

  @Test func aFileRunsBeforeCodeAndErrorsNameIt() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(["lib.js": "let pre = 4\nfunction f() { null.x }\n"])
    let both = try runner.shell("nbridge repl --eval 'pre + 1' lib.js < /dev/null")
    #expect(both.output == "5\n", "\(both.errors)")
    let failing = try runner.shell("echo 'f()' | nbridge repl lib.js")
    #expect(failing.errors.contains("at f (lib.js:2:20)"), "\(failing.errors)")
    try runner.write(["m.js": "export const v = 7;", "in": "import { nope } from './m.js'\n"])
    let missing = try runner.shell("nbridge repl < in")
    #expect(
      missing.status == 1 && missing.errors.contains("'./m.js' has no export 'nope'"), "\(missing.errors)")
  }

  /// An entry that breaks what all scripts use leaves a prompt that can mend it.
  @Test func anEntryThatBreaksTheEnginesOwnEndsNoPrompt() throws {
    let result = try CommandRunner.run(
      [
        "in": """
        const kept = Array.prototype[Symbol.iterator]; Set.prototype.add = Map.prototype.set = null; 1
        Array.prototype[Symbol.iterator] = function () { throw new Error("mine"); }; 2
        let three = 3; three
        new Uint8Array(2)
        const four = 4; four
        [5]
        Array.prototype[Symbol.iterator] = kept; [...[6]]

        """
      ], "\"$NBRIDGE\" repl < in")
    let bytes = "Uint8Array(2)\n  00000000  00 00"
    #expect(result.output.hasPrefix("1\n2\n3\n\(bytes)"), "\(result)")
    #expect(result.output.hasSuffix("4\n[ 5 ]\n[ 6 ]\n"), "\(result)")
    #expect(result.errors.isEmpty)
  }
}
