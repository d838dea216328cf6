// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import Testing

/// Programs of modules and TypeScript, as files on disk, through the real program.
@Suite struct ModuleTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let files: [String: String]
    var run = "nbridge run main.ts"
    var output = ""
    var errors: [String] = []
    var status: Int32 = 0
    var testDescription: String { name }
  }

  private static let inlineMap =
    #"{"version":3,"sources":["o.ts"],"#
    + #""sourcesContent":["\n\n  throw new Error('x') as any;"],"mappings":"AAEE"}"#

  static let cases: [Case] = [
    Case(
      name: "types are taken off, exports and JSON come in",
      files: [
        "main.ts": """
        import { add } from './lib/math'; import data from './data.json' with { type: 'json' };
        const n: number = add(1, data.two); console.log(n);
        """,
        "lib/math.ts": """
        export const add = (a: number, b: number): number => a + b;
        """, "data.json": "{\"two\": 2}",
      ], output: "3\n"),
    Case(
      name: "text and bytes come in, one file both ways",
      files: [
        "main.ts": """
        import t from './a.txt' with { type: 'text' }; import b from './a.txt' with { type: 'bytes' };
        const j = await import('./j.json', { with: { type: 'json' } }); console.log(t, b, j.default);
        """,
        "a.txt": "hi", "j.json": "[1]",
      ], output: "hi Uint8Array(2) [ 104, 105 ] [ 1 ]\n"),
    Case(
      name: "import.meta tells the place",
      files: [
        "main.ts": """
        import { where } from './sub/b c.mjs'; const m = import.meta;
        console.log(m.main, m.filename.endsWith('/main.ts'), m.dirname + '/main.ts' === m.filename, where);
        """,
        "sub/b c.mjs": """
        export const where = [import.meta.main, import.meta.url.endsWith('/sub/b%20c.mjs'),
          import.meta.url.startsWith('file:///')];
        """,
      ], output: "true true true [ false, true, true ]\n"),
    Case(
      name: "a cycle is no trouble",
      files: [
        "main.ts": "import { b } from './b.js'; export const a = 1; console.log(b());",
        "b.js": "import { a } from './main.ts'; export const b = () => a + 1;",
      ], output: "2\n"),
    Case(
      name: "a CommonJS file is required, its folder known",
      files: [
        "main.js": "const { v } = require('./c.js'); console.log(v);",
        "c.js": "exports.v = __dirname.length > 1 && __filename.endsWith('/c.js');",
      ],
      run: "nbridge run main.js", output: "true\n"),
    Case(
      name: "a bundle that brings its own require is a plain script",
      files: [
        "main.js": """
        (function () { function require(n) { return { v: n.length }; } console.log(require('./c.js').v); })();
        """
      ],
      run: "PATH=/nowhere; nbridge run main.js", output: "6\n"),
    Case(
      name: "a package from node_modules",
      files: [
        "main.ts": "import pad, { twice } from 'pad'; console.log(pad('x'), twice(2));",
        "node_modules/pad/package.json": #"""
        {"name": "pad", "main": "lib.js", "module": "esm.mjs", "sideEffects": false}
        """#,
        "node_modules/pad/esm.mjs": "export default (x) => x.padStart(3); export const twice = (n) => 2 * n;",
      ], output: "  x 4\n"),
    Case(
      name: "an import map",
      files: [
        "main.ts": "import { one } from 'one'; import { two } from 'lib/two.js'; console.log(one, two);",
        "app.json": #"""
        {"imports": {"one": "./src/one", "lib/": "./src/lib/"}}
        """#, "src/one.ts": "export const one = 1;",
        "src/lib/two.js": "export const two = 2;",
      ], output: "1 2\n"),
    Case(
      name: "JSX through its pragma",
      files: [
        "main.tsx": """
        /** @jsx h */
        const h = (name: string, props: any, ...inner: any[]) => [name, props, inner.length];
        console.log(<a id="x">{1}Don't</a>);
        """
      ],
      run: "nbridge run main.tsx", output: "[ 'a', { id: 'x' }, 2 ]\n"),
    Case(
      name: "await anywhere, this is undefined, strict",
      files: [
        "main.mjs": """
        export {};
        if (await 1) { console.log(this, await Promise.all([1, (async () => await 2)()])); }
        try { undeclared = 1; } catch (e) { console.log(e.name); }
        """
      ],
      run: "nbridge run main.mjs", output: "undefined [ 1, 2 ]\nReferenceError\n"),
    Case(
      name: "a missing file names the importer and the line",
      files: [
        "main.ts": "import './one.js';", "one.js": "import './two.js';",
        "two.js": "// x\nimport { q } from './missing.js';",
      ],
      errors: [
        """
        two.js:2:19
        import { q } from './missing.js';
                          ^
        there is no './missing.js' here

        """
      ], status: 1),
    Case(
      name: "a syntax error in a dependency",
      files: ["main.ts": "import './dep';", "dep.ts": "export const a: number = 1;\nexport const b = ;\n"],
      errors: [
        "dep.ts:2:18\nexport const b = ;\n                 ^\nSyntaxError: Unexpected \";\"\n"
      ], status: 1),
    Case(
      name: "a package that needs Node says so",
      files: [
        "main.ts": "import x from 'needy'; x;",
        "node_modules/needy/index.js": "const fs = require('fs'); module.exports = fs;",
      ],
      errors: [
        "node_modules/needy/index.js:1:20\n",
        "'fs' is a part of Node, which nbridge does not have",
      ], status: 1),
    Case(
      name: "a package that is not there", files: ["main.ts": "import x from 'nolib'; x();"],
      errors: [
        "main.ts:1:15\n",
        "there is no package 'nolib' in a node_modules folder or in the \"imports\" of app.json",
      ], status: 1),
    Case(
      name: "a module that is a folder", files: ["main.ts": "import './sub';", "sub/x.css": ""],
      errors: ["'./sub' is a folder without an index file; name a file in it"], status: 1),
    Case(
      name: "a name that is made at run time",
      files: [
        "main.ts": """
        const n = './b' + '.js';
        try { await import(n) } catch (e) { console.log(e.name, e.message) }
        """, "b.js": "",
      ],
      output: """
        TypeError can't import './b.js': its name is made at run time, and modules are put together before

        """),
    Case(
      name: "a file that is no script", files: ["main.ts": "import './style.css';", "style.css": "a {}"],
      errors: [
        "'style.css' is no script; import it with { type: \"text\" } or { type: \"bytes\" }"
      ], status: 1),
    Case(
      name: "a line with attributes is shown as its author wrote it",
      files: [
        "main.ts": """
        console.log(import.meta.url);
          import x from './none.json' with { type: 'json' }; x();
        """
      ],
      errors: ["main.ts:2:17\n", "  import x from './none.json' with { type: 'json' }; x();\n"], status: 1),
    Case(
      name: "an unknown type",
      files: [
        "main.ts": "import s from './a.css' with { type: 'css' }; s();", "a.css": "",
      ],
      errors: ["a module can't be imported as 'css'; there are json, text and bytes"], status: 1),
    Case(
      name: "an import of what is not exported",
      files: [
        "main.ts": "import { nothing } from './d.js'; nothing;", "d.js": "export const x = 1;",
      ],
      errors: ["main.ts:1:10\n", "No matching export in \"d.js\" for import \"nothing\""], status: 1),
    Case(
      name: "an error stands in the author's lines, with its causes",
      files: [
        "main.ts": """
        interface A { x: number }
        function boom(a: A): never {
          throw new RangeError('bad ' + a.x, { cause: new Error('inner') });
        }
        await null;
        boom({ x: 4 });
        """
      ],
      errors: [
        """
        main.ts:3:13
          throw new RangeError('bad ' + a.x, { cause: new Error('inner') });
                    ^
        RangeError: bad 4
            at boom (main.ts:3:13)
            at main.ts:6:1
          caused by: Error: inner

        """
      ],
      status: 1),
    Case(
      name: "a bridge error has its call's place, across awaits",
      files: [
        "main.ts": """
        type T = 1;
        const f = async () => { await null;
          return nbridge.callToNative('preference', 'gett'); };
        await f();
        """
      ],
      errors: ["main.ts:3:", "[invalid_action_name"], status: 1),
    Case(
      name: "an await that never settles names the author's line",
      files: [
        "main.ts": "type T = 1;\n\nawait new Promise(() => {});"
      ],
      errors: ["main.ts:3\nawait new Promise(() => {});\nnbridge: this await can never settle"], status: 13),
    Case(
      name: "errors as JSON",
      files: [
        "main.ts": """
        type T = 1;
        throw new TypeError('no');
        """
      ], run: "nbridge run --json-errors main.ts",
      errors: [
        #"""
        {"name":"TypeError","message":"no","unhandled":false,"file":"main.ts","line":2,"column":11,"source":\#
        "throw new TypeError('no');"
        """#
      ], status: 1),
    Case(
      name: "a missing program", files: [:],
      errors: [
        "can't open 'main.ts': No such file or directory"
      ], status: 1),
    Case(
      name: "a plain script's own map, inline",
      files: [
        "main.js": """
        throw new Error('x');
        //# \
        sourceMappingURL=data:application/json;base64,\
        \(Data(inlineMap.utf8).base64EncodedString())
        """
      ],
      run: "nbridge run main.js",
      errors: [
        "o.ts:3:3\n  throw new Error('x') as any;\n  ^\nError: x\n"
      ], status: 1),
    Case(
      name: "a map that lies is not believed",
      files: [
        "main.js": "throw new Error('x');\n//# sourceMappingURL=main.js.map",
        "main.js.map": #"{"version":3,"sources":["o.ts"],"sourcesContent":["short"],"mappings":"AAygBygB"}"#,
      ],
      run: "nbridge run main.js", errors: ["main.js:1:16\nthrow new Error('x');\n"], status: 1),
    Case(
      name: "a map that is none",
      files: [
        "main.js": "throw new Error('x');\n//# sourceMappingURL=main.js.map",
        "main.js.map": "{\"version\":3,\"mappings\":[]}",
      ],
      run: "nbridge run main.js", errors: ["main.js:1:16\n"], status: 1),
    Case(
      name: "a page's modules run after its scripts",
      files: [
        "main.html": """
        <script type=module>import { a } from './a.ts';
        console.log(a, typeof document)</script><script>console.log('first')</script>
        """, "a.ts": "export const a: string = 'then';",
      ],
      run: "nbridge run main.html", output: "first\nthen object\n"),
    Case(
      name: "stdin", files: ["a.js": "export const a = 1;"],
      run: """
        echo "import { a } from './a.js'; console.log(a, nbridge.args)" | nbridge run - x -y
        """,
      output: "1 [ 'x', '-y' ]\n"),
    Case(
      name: "a text from stdin is named so", files: [:], run: "echo \"import './none.js'\" | nbridge run -",
      errors: ["stdin:1:8\nimport './none.js'\n       ^\nthere is no './none.js' here\n"], status: 1),
    Case(
      name: "classic leaves a script alone",
      files: [
        "main.js": """
        var shared = 1; console.log(this.shared, typeof require);
        """
      ], run: "nbridge run --classic main.js",
      output: "1 undefined\n"),
  ]

  @Test(arguments: cases)
  func behaves(_ test: Case) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(test.files)
    let result = try runner.shell(test.run)
    #expect(result.output == test.output, "\(result.errors)")
    for part in test.errors { #expect(result.errors.contains(part), "\(result.errors)") }
    if test.errors.isEmpty { #expect(result.errors == "") }
    #expect(result.status == test.status)
  }

  @Test func anUnchangedProgramStartsNoProcess() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(
      ["main.ts": "import { a } from './a'; console.log(a as number);", "a.ts": "export const a = 1;"])
    #expect(try runner.shell("nbridge run main.ts").output == "1\n")
    // Without esbuild in reach, only the cache can answer.
    #expect(try runner.shell("PATH=/nowhere; nbridge run main.ts").output == "1\n")
    try runner.write(["a.ts": "export const a = 2;"])
    let missing = try runner.shell("PATH=/nowhere; nbridge run main.ts")
    #expect(
      missing.status == 1 && missing.errors.contains("sudo apt-get install esbuild"), "\(missing.errors)")
    #expect(try runner.shell("nbridge run main.ts").output == "2\n")
    // A file that an import would find first.
    try runner.write(["a.tsx": "export const a = 3;"])
    #expect(try runner.shell("rm a.ts; nbridge run main.ts").output == "3\n")
  }

  @Test func aPackageThatNamesAnotherFileIsSeen() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "main.mjs": "import v from 'p'; console.log(v);", "node_modules/p/package.json": #"{"main": "one.js"}"#,
      "node_modules/p/one.js": "module.exports = 1;", "node_modules/p/two.js": "module.exports = 2;",
    ])
    #expect(try runner.shell("nbridge run main.mjs").output == "1\n")
    try runner.write(["node_modules/p/package.json": #"{"main": "two.js"}"#])
    #expect(try runner.shell("nbridge run main.mjs").output == "2\n")
  }

  @Test func bundlesOfTextsDoNotPileUp() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(["a.js": "export const a = 1;"])
    let result = try runner.shell(
      """
      for i in $(seq 140); do echo "import { a } from './a.js'; a + $i" | nbridge run - || exit 1; done
      ls home/*/Library/Modules | wc -l
      """)
    #expect(
      Int(result.output.trimmingCharacters(in: .whitespacesAndNewlines)).map { $0 <= 128 } == true,
      "\(result.output)")
  }

  @Test func aDamagedCacheIsMadeAgain() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(["main.ts": "export {}; console.log('x' as string);"])
    #expect(try runner.shell("nbridge run main.ts").output == "x\n")
    let result = try runner.shell(
      """
      for f in home/*/Library/Modules/*; do head -c 100 "$f" > t && cat t > "$f"; done; nbridge run main.ts
      """)
    #expect(result.output == "x\n", "\(result.errors)")
  }

  @Test func tenThousandModules() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    var files = [
      "main.ts": (0..<10_000).map {
        """
        import { v as v\($0) } from './m/\($0)';
        """
      }.joined(separator: "\n") + "\nconsole.log(v0 + v9999);"
    ]
    for index in 0..<10_000 { files["m/\(index).ts"] = "export const v: number = \(index);" }
    try runner.write(files)
    #expect(try runner.shell("nbridge run main.ts").output == "9999\n")
  }

  @Test func check() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "good.ts": "export const a: number = await 1; throw 1;", "bad.ts": "let x: = 1;",
      "plain.js": "let y = ;",
    ])
    try runner.write([
      "good.html": """
      <script>let a = 1;</script><script type=module src=good.ts></script><button onclick='a()'>
      """,
      "bad.html": "<p>\n<script>\nlet a = ;\n</script>",
      "badmodule.html": """
      <script type=module src=bad.ts></script>
      """,
    ])
    #expect(try runner.shell("nbridge check good.ts good.html").status == 0)
    let page = try runner.shell("nbridge check bad.html badmodule.html")
    #expect(
      page.status == 1 && page.errors.contains("bad.html:3:9\n") && page.errors.contains("bad.ts:1:8"),
      "\(page.errors)")
    let bad = try runner.shell("nbridge check good.ts bad.ts plain.js")
    #expect(
      bad.status == 1 && bad.errors.contains("bad.ts:1:8") && bad.errors.contains("plain.js:1"),
      "\(bad.errors)")
  }

  @Test(
    arguments: [
      ("-p '1 + 1'", "2\n", 0),
      (
        """
        -p 'nbridge.app.appInfo().then((i) => i.name)'
        """, "eval\n", 0
      ), ("'console.log(await 3)'", "3\n", 0),
      ("-p '({ a: [1] })'", "{ a: [ 1 ] }\n", 0), ("-p 'let x = 5; x * 2'", "10\n", 0),
      ("-p undefined", "", 0), ("-p 'const x = await 2; x * 3'", "6\n", 0),
      ("-p 'for (const x of [await 1]) ;'", "", 0), ("-p '@'", "", 1),
      ("'exit(7)'", "", 7), ("-p 'nbridge.args' a b", "[ 'a', 'b' ]\n", 0),
      (
        "--timeout 0.2 'setInterval(() => {}, 9)'", "", 124
      ),
      ("--timeout 0.2 'for (;;);'", "", 124), ("--timeout x 1", "", 2),
      (
        "--memory-limit 150 'const a = []; for (;;) a.push(new Array(9999).fill(1))'", "", 1
      ),
    ] as [(String, String, Int32)])
  func eval(_ arguments: String, _ output: String, _ status: Int32) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let result = try runner.shell("nbridge eval \(arguments)")
    #expect(result.output == output && result.status == status, "\(result.errors)")
  }

  @Test func aSeedMakesARunRepeat() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let line = "nbridge eval --seed 7 -p '[Math.random(), crypto.randomUUID()].join()'"
    let first = try runner.shell(line).output
    #expect(first == (try runner.shell(line).output) && first.count > 40)
    #expect(first != (try runner.shell(line.replacingOccurrences(of: "7", with: "8")).output))
  }

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
      wait $id; grep -c 'over\\|1 passed' log
      """)
    #expect(result.output == "1\n", "\(result)")
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
        "AssertionError: expected { a: [ 1 ] } to equal { a: [ 2 ] }\n      at t/a.test.ts:5:44"))
    #expect(lines.output.contains("Leak: left open: preference.watch (watch)"))
    let tap = try runner.shell("nbridge test --reporter tap --filter one t")
    #expect(
      tap.status == 0 && tap.output.contains("ok 1 - one\n") && tap.output.hasSuffix("1..1\n"),
      "\(tap.output)")
    let junit = try runner.shell("nbridge test --reporter junit t/b.test.js")
    #expect(
      junit.output.contains("<testsuite name=\"t/b.test.js\" tests=\"1\" failures=\"0\">"), "\(junit.output)")
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
