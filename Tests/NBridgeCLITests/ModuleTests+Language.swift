// SPDX-License-Identifier: MIT

import Testing

/// Where modules keep the language (ECMA-262, 16.2).
extension ModuleTests {
  /// What stands where the language does not have it says so, with its line.
  @Test(arguments: [
    ("switch (1) { case 1: using x = null; }", "a.mjs:2:28", "put braces around it"),
    ("switch (1) { case 1: using x = null; }", "a.js:2:28", "put braces around it"),
    ("class A { @d constructor() {} }", "a.mjs:2:11", "a decorator stands before a class"),
    ("class A { @d constructor() {} }", "a.js:2:11", "a decorator stands before a class"),
    ("class A { @d static {} }", "a.cjs:2:11", "a decorator stands before a class"),
    ("{ using x = null; x = }", "a.mjs:2:21", "Unexpected"),
    ("{ using x: any = null; x = }", "a.ts:2:28", "Unexpected"),
  ])
  func misplacedSyntaxSaysWhereItBelongs(_ text: String, _ place: String, _ advice: String) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let name = String(place.prefix { $0 != ":" })
    let isModule = !["a.js", "a.cjs"].contains(name)
    try runner.write([name: (isModule ? "import 'node:path';" : "exit;") + "\n\(text)\n"])
    let result = try runner.shell("nbridge run \(name)")
    #expect(result.status == 1 && result.errors.hasPrefix(place + "\n"), "\(result.errors)")
    #expect(result.errors.contains(advice), "\(result.errors)")
  }

  static let decorated = """
    function d(...args: unknown[]): void { console.log(args.length, typeof args[0]); }
    // user@example.org
    class A { @d m(): void {} }
    export {};
    """

  /// esbuild would run them as the older ones, with other arguments.
  @Test(arguments: [
    [:], ["tsconfig.json": "{}"],
    ["tsconfig.json": #"{"compilerOptions": {"experimentalDecorators": false}}"#],
    ["tsconfig.json": #"{"compilerOptions": { /* "experimentalDecorators": true */ }}"#],
    [
      "tsconfig.json": #"{"extends": "./b", "compilerOptions": {"experimentalDecorators": false}}"#,
      "b.json": #"{"compilerOptions": {"experimentalDecorators": true}}"#,
    ],
  ])
  func decoratorsOfTypeScriptAreTheStandards(_ settings: [String: String]) throws {
    for name in ["main.ts", "main.tsx", "main.mts"] {
      let runner = try CommandRunner()
      defer { runner.remove() }
      try runner.write(settings.merging([name: Self.decorated]) { first, _ in first })
      let result = try runner.shell("nbridge run \(name)")
      #expect(result.output == "2 function\n" && result.errors == "", "\(result)")
    }
  }

  @Test(arguments: [
    ["tsconfig.json": #"{"extends": "./base.json"}"#], ["tsconfig.json": #"{"extends": "./base"}"#],
    [
      "tsconfig.json": """
      \u{FEFF}{ // first
        "extends": ["./none", "kit/base.json",], /* "jsx": 1 */
      }
      """,
      "node_modules/kit/base.json": #"{"extends": "../../base", "compilerOptions": {"strict": true,},}"#,
    ],
    [
      "tsconfig.json": #"{"extends": "./other", "compilerOptions": {"jsxFactory": "hh"}}"#,
      "other.json": #"{"extends": "./base", "compilerOptions": {"jsxFactory": "React"}}"#,
    ],
  ])
  func optionsThatSettingsExtendHold(_ settings: [String: String]) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(
      settings.merging([
        "base.json": #"{"compilerOptions": {"useDefineForClassFields": false, "jsxFactory": "hh"}}"#,
        "a.tsx": """
        const hh = (...a: any[]) => "HH", React = { createElement: () => "React" };
        class B { constructor() { (this as any).z = 1 } }
        class D extends B { z: any }
        console.log(<a/>, (new D() as any).z);
        """,
      ]) { first, _ in first })
    let result = try runner.shell("nbridge run a.tsx")
    #expect(result.output == "HH 1\n" && result.status == 0, "\(settings): \(result)")
  }

  /// A parameter's is one of TypeScript's older ones.
  @Test func decoratorsOfParametersAreRefused() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(["a.ts": "const d: any = 1;\nclass A { m(@d a: number) {} }\nexport {};\n"])
    let result = try runner.shell("nbridge run a.ts")
    #expect(result.status == 1 && result.errors.hasPrefix("a.ts:2:13\n"), "\(result.errors)")
    #expect(result.errors.contains("not before parameters"), "\(result.errors)")
  }

  @Test(arguments: [
    ["tsconfig.json": #"{"compilerOptions": {"experimentalDecorators": true}}"#],
    [
      "tsconfig.json": #"{"extends": ["./none", "./b"]} // "experimentalDecorators": false"#,
      "b.json": #"{"extends": "./c.json"}"#,
      "c.json": #"{"compilerOptions": { "experimentalDecorators" : true /* older */ }}"#,
    ],
  ])
  func olderDecoratorsRunWhereTheProjectAsksForThem(_ settings: [String: String]) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(settings.merging(["src/main.ts": Self.decorated]) { first, _ in first })
    // What was found is kept: the second run looks at the settings, too.
    for _ in 0..<2 {
      let result = try runner.shell("nbridge run src/main.ts")
      #expect(result.output == "3 object\n" && result.status == 0, "\(result.errors)")
    }
    try runner.write(["tsconfig.json": "{}", "c.json": "{}"])
    let result = try runner.shell("nbridge run src/main.ts")
    #expect(result.status == 0 && result.output == "2 function\n", "\(result.errors)")
  }

  @Test(arguments: ["eval", "eval -p", "repl <<<"])
  func newerSyntaxOfATextRuns(_ command: String) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let types = command == "repl <<<" ? "" : ": void"
    let text =
      "const d = (v, c) => console.log(c.kind, c.name); class A { @d m()\(types) {} accessor x = 1 }; "
      + "{ using u = { [Symbol.dispose]() { console.log(7) } }; console.log(new A().x) }"
    let result = try runner.shell("bash -c '\"$NBRIDGE\" \(command) \"\(text)\"'")
    #expect(result.output.contains("method m\n1\n7\n"), "\(result)")
  }

  @Test(arguments: languageCases)
  func keepsTheLanguage(_ test: Case) throws { try behaves(test) }

  static let languageCases: [Case] = [
    Case(
      name: "import() lets what asks go on first",
      files: [
        "main.mjs": "console.log(1); const p = import('./b.mjs'); console.log(2); await p",
        "b.mjs": "console.log('b')",
      ], run: "nbridge run main.mjs", output: "1\n2\nb\n"),
    Case(
      name: "what the engine alone finds wrong is a SyntaxError with its place",
      files: [
        "main.mjs": """
        try { require('./bad.cjs') } catch (e) { console.log(e instanceof SyntaxError, e.line) }
        require('./bad.cjs');
        """, "bad.cjs": "\nmodule.exports = /(/;",
      ], run: "nbridge run main.mjs", output: "true 2\n",
      errors: ["bad.cjs:2:", "SyntaxError: Invalid regular expression"], status: 1),
    Case(
      name: "what the engine lets pass is told where it stands",
      files: ["main.mjs": "export {};\nfunction f() {\n  await\n}"], run: "nbridge run main.mjs",
      errors: ["main.mjs:3:3\n", "SyntaxError: 'await' is only valid in async functions"], status: 1),
    Case(
      name: "CommonJS gives its names on, and may import",
      files: [
        "main.mjs": """
        import * as star from './star.mjs'; console.log(star.a, Object.keys(star), (await star.load()).x);
        """, "star.mjs": "export * from './c.cjs'",
        "c.cjs": "exports.a = 1; exports.load = () => import('./x.mjs')", "x.mjs": "export const x = 2",
      ], run: "nbridge run main.mjs", output: "1 [ 'a', 'load' ] 2\n"),
    Case(
      name: "dead zones, and names, are the language's",
      files: [
        "main.mjs": """
        import { Foo, late } from './a.mjs'; class Own {} import Named from './n.mjs';
        console.log(Foo.name, Own.name, Named.name, late());
        try { x } catch (e) { console.log(e.name) } const x = 1;
        """,
        "a.mjs": """
        import { Own } from './o.mjs'; export class Foo extends Own {}
        export const late = () => new Foo().own;
        """, "o.mjs": "export class Own { own = 5 }", "n.mjs": "export default class {}\n(function () {})()",
      ], run: "nbridge run main.mjs", output: "Foo Own default 5\nReferenceError\n"),
    Case(
      name: "a type that is given on is none at run time",
      files: [
        "main.ts": "import { v } from './b'; console.log(v)",
        "b.ts": "import { T } from './t'; export { T }; export const v = 1;",
        "t.ts": "export type T = number;",
      ], output: "1\n"),
    Case(
      name: "awaits behind comparisons, and members named await",
      files: [
        "main.mjs": """
        const o = { await: 1 }; class A { await() { return 2 } }
        console.log(o.await, new A().await(), await 3, null ?? await 4, 5 === await 5, 6 <= await 5);
        """
      ], run: "nbridge run main.mjs", output: "1 2 3 4 true false\n"),
    Case(
      name: "constant type parameters are types, too",
      files: [
        "main.ts": """
        const f = <const T, const U = 1>(a: T): T => a; function g<const T>(a: T) { const b = a; return b }
        class A<const T> { m<const U>(u: U) { return u } } const a = 1, b = 2 < a;
        console.log(f([1]), g(2), new A().m(b));
        """
      ], output: "[ 1 ] 2 false\n"),
    Case(
      name: "a changed Object.prototype changes no import",
      files: [
        "main.mjs": """
        for (const name of ['problem', 'index', 'links', 'name', 'kind', 'calls', 'stars', 'value', 'get'])
          Object.prototype[name] = 'evil';
        const { a, ns } = await import('./a' + '.mjs'); console.log(a, ns.b);
        """, "a.mjs": "import * as ns from './b.mjs'; export const a = 1; export { ns }",
        "b.mjs": "export const b = 2",
      ], run: "nbridge run main.mjs", output: "1 2\n"),
    Case(
      name: "what only a call asks for is the call's problem",
      files: [
        "main.mjs": """
        console.log('runs');
        for (const load of [() => import('./bad.js'), () => import('./none.js'), () => import('./lost.js')])
          try { await load() } catch (e) { console.log(e.name, e.message) }
        """, "bad.js": "export let = 1", "lost.js": "import { x } from './main.mjs'",
      ],
      run: "nbridge run main.mjs",
      output: """
        runs
        SyntaxError "let" is a reserved word and cannot be used in an ECMAScript module
        Error there is no './none.js' here
        SyntaxError No matching export in "main.mjs" for import "x"

        """),
    Case(
      name: "a namespace is one",
      files: [
        "main.mjs": """
        import * as ns from './a.mjs';
        console.log(Object.keys(ns), Reflect.set(ns, 'a', 2), delete ns.none, ns[Symbol.toStringTag]);
        console.log(Object.getOwnPropertyDescriptor(ns, 'a'), Object.isFrozen(ns), Object.getPrototypeOf(ns));
        ns.add(); console.log(ns.a, ns);
        try { ns.a = 1 } catch (e) { console.log(e.name) }
        """, "a.mjs": "export let a = 1; export function add() { a++ } export default 7",
      ], run: "nbridge run main.mjs",
      output: """
        [ 'a', 'add', 'default' ] false true Module
        { value: 1, writable: true, enumerable: true, configurable: false } false null
        2 [Module: null prototype] { a: 2, add: [Function: add], default: 7 }
        TypeError

        """),
    Case(
      name: "modules that await hold up those that need them, and no others",
      files: [
        "main.mjs": "import './a.mjs'; import './b.mjs'; console.log('main')",
        "a.mjs": "console.log('a1'); await 0; console.log('a2')", "b.mjs": "console.log('b')",
      ], run: "nbridge run main.mjs", output: "a1\nb\na2\nmain\n"),
    Case(
      name: "errors quote what their author wrote",
      files: [
        "main.mjs": """
        import { x, o } from './a.mjs'; import * as ns from './a.mjs';
        for (const call of [() => x(1), () => o.y(), () => new x(), () => ns.nope(), () => ({ x }).x()]) {
          try { call(); } catch (e) { console.log(e); }
        }
        await null; x?.();
        """, "a.mjs": "export const x = 5, o = {};",
      ], run: "nbridge run main.mjs | grep Error",
      output: """
        TypeError: x is not a function. (In 'x(1)', 'x' is 5)
        TypeError: o.y is not a function. (In 'o.y()', 'o.y' is undefined)
        TypeError: 5 is not a constructor (evaluating 'new x()')
        TypeError: ns.nope is not a function. (In 'ns.nope()', 'ns.nope' is undefined)
        TypeError: ({ x }).x is not a function. (In '({ x }).x()', '({ x }).x' is 5)

        """, errors: ["\nTypeError: x is not a function. (In 'x?.()', 'x' is 5)\n"]),
    Case(
      name: "names may be escaped, and a module has no arguments",
      files: [
        "main.mjs": #"""
        import { \u0061dd, c\u{6F}unt as n } from './a.mjs'; console.log(add(n, 1), \u0061dd(1, n));
        console.log(typeof arguments); (function () { console.log(arguments.length) })(1, 2);
        try { arguments; } catch (e) { console.log(e); }
        """#, "a.mjs": #"export const add = (a, b) => a + b; let count = 4; export { c\u006Funt };"#,
      ], run: "nbridge run main.mjs | grep -v '  at'",
      output: "5 5\nundefined\n2\nReferenceError: Can't find variable: arguments\n"),
    Case(
      name: "import.meta.resolve tells where a name leads, and reads nothing",
      files: [
        "main.mjs": """
        const home = import.meta.url.slice(0, -'main.mjs'.length);
        const names = ['./no ne.mjs?a=1#b', '../x/./y.js', './d/', '.', 'node:fs', 'fs', 'p', 'data:,x'];
        for (const name of names) console.log(import.meta.resolve(name).replace(home, 'HOME/'));
        try { import.meta.resolve('none'); } catch (error) { console.log(error.code, error.message); }
        """, "node_modules/p/package.json": #"{ "main": "i.js" }"#, "node_modules/p/i.js": "}{ no script",
      ], run: "nbridge run main.mjs | sed 's|file:.*/x/|UP/x/|'",
      output: """
        HOME/no%20ne.mjs?a=1#b
        UP/x/y.js
        HOME/d/
        HOME/
        node:fs
        node:fs
        HOME/node_modules/p/i.js
        data:,x
        ERR_MODULE_NOT_FOUND there is no package 'none' in a node_modules folder or in the \
        "imports" of app.json

        """),
  ]
}
