// SPDX-License-Identifier: MIT

import Testing

/// What only calls of `import` and `require` ask for: whatever is wrong with it is the call's problem.
extension ModuleTests {
  static let callCases: [Case] = [
    Case(
      name: "a require() of a module that throws can be caught, once and again",
      files: [
        "main.cjs": """
        const tell = (name) => {
          try { require(name) } catch (e) {
            console.log(e.code, e.message === "x", e === tell.last); tell.last = e;
          }
        };
        tell("./t.mjs"); tell("./t.mjs"); tell("./a.mjs");
        setTimeout(() => console.log("later"), 5);
        """,
        "t.mjs": "throw new TypeError('x')",
        "a.mjs": "import './deep.mjs'; console.log('never')",
        "deep.mjs": "console.log('never'); await 0; throw 1",
      ], run: "nbridge run main.cjs",
      output: """
        undefined true false
        undefined true true
        ERR_REQUIRE_ASYNC_MODULE false false
        later

        """),
    Case(
      name: "an import() of CommonJS that throws runs it once, a require() each time",
      files: [
        "main.cjs": """
        (async () => {
          let last;
          for (const load of [() => require("./c.cjs"), () => import("./c.cjs"), () => import("./c.cjs"),
            () => require("./c.cjs"), () => import("./e.mjs")])
            try { await load() } catch (e) { console.log(e.message, e === last); last = e }
        })();
        """,
        "c.cjs": "console.log('runs'); throw new Error('once')", "e.mjs": "import './c.cjs'",
      ], run: "nbridge run main.cjs",
      output: """
        runs
        once false
        runs
        once false
        once true
        runs
        once false
        once false

        """),
    Case(
      name: "in CommonJS what is never called may be missing or wrong",
      files: [
        "main.cjs": """
        const never = () => [require("./none.js"), import("./none.mjs"), require("./bad.js"),
          import("./bad.mjs"), import("./asks.mjs"), require("./asks.cjs"), require("no-such-package"),
          require("node:http2"),
          import("https://example.org/a.mjs"), import("./style.css")];
        console.log(require("./good.js"), require("./deep.cjs").value);
        """,
        "bad.js": "let x = ;", "bad.mjs": "let x = ;", "asks.mjs": "import './bad.mjs'", "style.css": "a {}",
        "asks.cjs": "let x = ;", "good.js": "module.exports = 'good'",
        "deep.cjs": "exports.value = 5; exports.never = () => require('./gone.cjs')",
      ], run: "nbridge run main.cjs", output: "good 5\n"),
    Case(
      name: "in CommonJS a call finds it missing or wrong, and can catch that",
      files: [
        "main.cjs": """
        for (const load of [() => require("./none.js"), () => require("./bad.js"),
          () => require("./asks.mjs"),
          () => require("node:http2")])
          try { load() } catch (e) { console.log(e.name, e.code, e.message) }
        (async () => {
          for (const load of [() => import("./none.mjs"), () => import("./bad.mjs"),
            () => import("./asks.mjs")])
            await load().catch((e) => console.log(e.name, e.code, e.message));
        })();
        """,
        "bad.js": "let x = ;", "bad.mjs": "let x = ;",
        "asks.mjs": "export const other = 1; import { b } from './asks.mjs'",
      ], run: "nbridge run main.cjs",
      output: """
        Error MODULE_NOT_FOUND Cannot find module './none.js': there is no './none.js' here
        SyntaxError undefined Unexpected ";"
        SyntaxError undefined No matching export in "asks.mjs" for import "b"
        Error ERR_UNKNOWN_BUILTIN_MODULE 'node:http2' is a part of Node, which nbridge does not have; the \
        module that imports it can't run here
        Error ERR_MODULE_NOT_FOUND there is no './none.mjs' here
        SyntaxError undefined Unexpected ";"
        SyntaxError undefined No matching export in "asks.mjs" for import "b"

        """),
    Case(
      name: "what declarations lead to stops the program, and calls' problems are not told with it",
      files: [
        "main.mjs": "import './a.mjs'; const never = () => import('./none.mjs'); console.log('never')",
        "a.mjs": "import { x } from './b.cjs'; import './c.mjs'; () => import('./bad.mjs')",
        "b.cjs": "exports.x = () => require('./bad.js')", "c.mjs": "let y = ;", "bad.js": "let x = ;",
        "bad.mjs": "let z = ;",
      ], run: "nbridge run main.mjs 2>&1; echo $?",
      output: "c.mjs:1:9\nlet y = ;\n        ^\nSyntaxError: Unexpected \";\"\n1\n"),
    Case(
      name: "an uncaught problem of a call has its own place",
      files: [
        "main.mjs": "console.log(1);\nawait import('./a.mjs')",
        "a.mjs": "let z = 1; import { x } from './b.mjs'",
        "b.mjs": "export const y = 1",
      ], run: "nbridge run main.mjs", output: "1\n",
      errors: [
        """
        a.mjs:1:21
        let z = 1; import { x } from './b.mjs'
                            ^
        SyntaxError: No matching export in "b.mjs" for import "x"
        """, "    at async main.mjs:2\n",
      ], status: 1),
    Case(
      name: "an uncaught problem of a required file has its own place, that of a name the call's",
      files: ["main.cjs": "\n  require('./a')", "a.js": "\nlet x = ;"],
      run: "nbridge run main.cjs; echo > a.js 'require(\"./none.js\")'; nbridge run main.cjs",
      errors: [
        "a.js:2:9\nlet x = ;\n        ^\nSyntaxError: Unexpected \";\"\n    at main.cjs:2:3\n",
        "a.js:1:1\nrequire(\"./none.js\")\n^\nError: Cannot find module './none.js': "
          + "there is no './none.js' here [MODULE_NOT_FOUND]\n",
      ], status: 1),
    Case(
      name: "an assignment to a constant in CommonJS is wrong when it runs, if it does",
      files: [
        "main.mjs": """
        import lib, { add } from "./lib.cjs";
        console.log(add(1, 2), lib.used);
        try { lib.set(true); } catch (error) { console.log(error.name); }
        """,
        "lib.cjs": """
        const debug = false, used = require("./used.cjs");
        exports.set = function (v) { debug = v; };
        exports.add = (a, b) => a + b;
        exports.used = used;
        """, "used.cjs": "const n = 1; exports.no = () => { n++ }; module.exports = 'used';",
      ], run: "nbridge run main.mjs", output: "3 used\nTypeError\n"),
    Case(
      name: "who catches what is wrong with a text, and logs it, sees where that is",
      files: [
        "main.mjs": """
        for (const name of ["./bad.mjs", "./bad.cjs"]) await import(name).catch((e) => console.log(e));
        const json = { with: { type: "json" } };
        await import("./bad.json", json).catch((e) => console.log(e, e.line, e.column));
        await import("./caller.cjs").catch((e) => console.log(e));
        """,
        "bad.mjs": "const a = 1;\nlet b = = 2;", "bad.cjs": "exports.a = 1;\nexports.b = = 2;",
        "bad.json": "{\"a\": 1,\n \"b\": }", "caller.cjs": "const n = './bad.cjs';\nrequire(n);",
      ], run: "nbridge run main.mjs",
      output: """
        SyntaxError: Unexpected "="
            at bad.mjs:2:9
        SyntaxError: Unexpected "="
            at bad.cjs:2:13
        SyntaxError: Unexpected "}" in JSON
            at bad.json:2:7 2 7
        SyntaxError: Unexpected "="
            at bad.cjs:2:13
            at caller.cjs:2:1

        """),
    Case(
      name: "a name that a CommonJS module does not give is told before its importer runs",
      files: [
        "main.mjs": "import { a } from './c.cjs'; import {\n  b } from './c.cjs'; console.log(b)",
        "c.cjs": "exports.a = 1",
      ], run: "nbridge run main.mjs",
      errors: ["main.mjs:2:3\n  b } from", "SyntaxError: Named export 'b' not found"], status: 1),
    Case(
      name: "a name that CommonJS gives in any way is there, and what may be no name of it is no error",
      files: [
        "main.ts": """
        import { own, inherited, getter, nothing, T } from './c.cjs'; import { length } from './f.cjs';
        import { x } from './empty.cjs'; import { y } from 'p'; import { yy } from 'node:path';
        let t: T; console.log(own, inherited, getter, nothing, length, x, y, yy);
        """,
        "c.cjs": """
        module.exports = Object.create({ inherited: 2 });
        exports = module.exports; exports.own = 1; exports.nothing = undefined;
        Object.defineProperty(exports, "getter", { get: () => 3 });
        """,
        "f.cjs": "module.exports = (a) => a", "empty.cjs": "",
        "node_modules/p/package.json": #"{"main": "i.mjs"}"#,
        "node_modules/p/i.mjs": "import { z } from './z.cjs'; export const y = z",
        "node_modules/p/z.cjs": "exports.a = 1",
      ], output: "1 2 3 undefined 1 undefined undefined undefined\n"),
    Case(
      name: "export * of CommonJS keeps its names through any number of modules",
      files: [
        "main.mjs": """
        import * as n from './out.mjs'; import { a } from './out.mjs';
        console.log(a, n.b, n.own, Object.keys(n).join());
        """,
        "out.mjs": "export * from './mid.mjs'; export const own = 3",
        "mid.mjs": "export * from './in.mjs'; export * from './d.cjs'",
        "in.mjs": "export * from './c.cjs'; export * from './out.mjs'",
        "c.cjs": "exports.own = 0; exports.a = 1", "d.cjs": "exports.a = 0; exports.b = 2",
      ], run: "nbridge run main.mjs", output: "1 2 3 a,b,own\n"),
  ]

  @Test(arguments: callCases)
  func callsHaveTheirOwnProblems(_ test: Case) throws { try behaves(test) }

  /// What is left out is still a file of the program: mended, it means another run.
  @Test func whatIsLeftOutIsWatched() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(["main.cjs": "require('./a.js')", "a.js": "require('./bad.js')", "bad.js": "let x = ;"])
    let result = try runner.shell(
      """
      told() { for i in $(seq 1000); do grep -q "$1" log && return; sleep 0.02; done; }
      "$NBRIDGE" run --watch main.cjs > log 2>&1 & pid=$!
      told watching; told SyntaxError; echo 'console.log("mended")' > bad.js; told mended
      kill $pid; wait $pid; cat log
      """)
    #expect(result.output.contains("mended\n"), "\(result)")
  }

  /// Each module gives the names of all behind it.
  @Test(.timeLimit(.minutes(3))) func aLongRowOfModulesIsLinked() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let count = 400
    var files = [
      "main.mjs": "import * as n from './m0.mjs'; console.log(Object.keys(n).length, n.v\(count - 1))"
    ]
    for index in 0..<count {
      // The last leads back, so half of them are in a circle.
      let next = index + 1 < count ? index + 1 : count / 2
      files["m\(index).mjs"] = "export const v\(index) = \(index); export * from './m\(next).mjs'"
    }
    try runner.write(files)
    let result = try runner.shell("timeout 160 \"$NBRIDGE\" run main.mjs")
    #expect(result.output == "\(count) \(count - 1)\n", "\(result.errors.prefix(500))")
  }

  /// esbuild answers a name with other capitals by an empty module.
  @Test func aNameWithOtherCapitalsLeadsToNothing() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "sub/s.mjs": "export const x = 1; export default 2;", "sub/c.cjs": "exports.a = 1",
      "one.mjs": "import d, { x } from './sub/S.mjs'; console.log(d, x);",
      "two.cjs": "try { console.log(require('./sub/C.cjs')); } catch (error) { console.log(error.code); }",
      "three.mjs": "try { console.log(await import('./sub/S.mjs')); } catch (e) { console.log(e.code); }",
    ])
    let one = try runner.shell("nbridge run one.mjs; nbridge check one.mjs")
    #expect(one.status != 0 && one.output == "", "\(one)")
    #expect(one.errors.contains("no 'sub/S.mjs' here; the file is called 's.mjs'"), "\(one)")
    let two = try runner.shell("nbridge run two.cjs; nbridge run three.mjs")
    #expect(two.output == "MODULE_NOT_FOUND\nERR_MODULE_NOT_FOUND\n", "\(two)")
  }
}
