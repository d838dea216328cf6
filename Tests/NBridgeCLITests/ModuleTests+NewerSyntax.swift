// SPDX-License-Identifier: MIT

import Testing

/// Syntax that neither the engine nor esbuild knows. What it means is shown by Tests/Scripts; here is where
/// it meets modules, TypeScript and reports.
extension ModuleTests {
  @Test(arguments: newerCases)
  func knowsNewerSyntax(_ test: Case) throws { try behaves(test) }

  /// The second run takes the program from the cache.
  @Test func whatWasRewrittenIsKept() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "main.ts": """
      const d = (v: any, c: any) => console.log(c.name);
      class A { @d m(): void {
        throw new Error("here"); } }
      { using a: any = { [Symbol.dispose]() { console.log("closed"); } }; new A().m(); }
      export {};
      """
    ])
    for _ in 0..<2 {
      let result = try runner.shell("nbridge run main.ts")
      #expect(result.output == "m\nclosed\n" && result.status == 1, "\(result.errors)")
      #expect(result.errors.hasPrefix("main.ts:3:3\n  throw new Error(\"here\"); } }\n"), "\(result.errors)")
      #expect(result.errors.contains("at m (main.ts:3:"), "\(result.errors)")
    }
  }

  /// Lines that counters tell are the author's.
  @Test func coverageKnowsIt() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "a.mjs": """
      const d = () => {};
      export class A {
        @d m(x) {
          using r = null;
          if (x) return 1;
          return 2;
        }
      }
      """,
      "a.test.mjs": """
      import { A } from "./a.mjs"; test("m", () => { using x = null; assert.equal(new A().m(1), 1); });
      """,
    ])
    let result = try runner.shell("nbridge test --coverage a.test.mjs")
    #expect(result.status == 0, "\(result)")
    let line = result.output.split(separator: "\n").first { $0.contains("a.mjs") }
    #expect(line?.hasSuffix("6") == true, "\(result.output)")
  }

  static let using = """
    const log = console.log;
    const r = (n) => ({ n, [Symbol.dispose]() { log("close", n); } });
    const ar = (n) => ({ n, async [Symbol.asyncDispose]() { await 0; log("aclose", n); } });
    using top = r("top");
    await using late = ar("late");
    export let live = 1;
    export function raise() { return ++live; }
    try { early; } catch (e) { log(e.name); } using early = null;
    for await (await using x of [ar(1)]) { log("body", x.n); continue; }
    for (await using x of [ar(2), null]) log("body", x?.n);
    const f = async () => { await using a = ar("a"); using b = r("b"); return 7; };
    log(await f());
    outer: for (using i = r("i"); true;) { for (;;) break outer; }
    log("end");

    """

  static let newerCases: [Case] = [
    Case(
      name: "a module lets go at its end, in the order of its declarations, and its names live",
      files: [
        "main.mjs": using,
        "user.mjs": "import { live, raise } from './main.mjs'; raise(); console.log(live)",
      ],
      run: "nbridge run user.mjs",
      output: """
        ReferenceError
        body 1
        aclose 1
        body 2
        aclose 2
        body undefined
        close b
        aclose a
        7
        close i
        end
        aclose late
        close top
        2

        """),
    Case(
      name: "an error at a module's top lets go, too, and is the report's",
      files: ["main.mjs": "export {};\nusing a = { [Symbol.dispose]() { console.log(1) } };\nnull.x;\n"],
      run: "nbridge run main.mjs", output: "1\n", errors: ["main.mjs:3:"], status: 1),
    Case(
      name: "a script and a CommonJS module let go at their end",
      files: [
        "main.js": "'use strict';\nusing a = { [Symbol.dispose]() { console.log('a') } }; console.log(1)",
        "c.cjs": "using a = { [Symbol.dispose]() { console.log('c') } }; exports.x = 1;",
        "m.mjs": "import { x } from './c.cjs'; console.log(x)",
      ], run: "nbridge run main.js; nbridge run m.mjs", output: "1\na\nc\n1\n"),
    Case(
      name: "a declaration stands right behind its brace, as minifiers write it",
      files: [
        "main.mjs": """
        const r=n=>({[Symbol.dispose](){console.log(n)},[Symbol.asyncDispose](){console.log('a'+n)}});
        {using a=r(1);}{using a=null}function f(){using a=r(2);return 2}console.log(f());
        const g=async()=>{await using a=r(3);return 3};console.log(await g());
        const h=()=>{for(using a=r(4);;)break;using b=r(5);return 4};console.log(h());
        {{using a=r(6)}using b=r(7)}{class A{accessor x=8}using b=r(9);console.log(new A().x)}
        class B{static{using a=r(10);}}
        """
      ], run: "nbridge run main.mjs", output: "1\n2\n2\na3\n3\n4\n5\n4\n6\n7\n8\n9\n10\n"),
    Case(
      name: "decorated classes are exported as they are called",
      files: [
        "main.mjs": """
        import Named, { C, make, D } from './a.mjs'; import B, { y } from './b.mjs';
        console.log(Named.name, Named.me === Named, new Named().x, new C().m(), make().name);
        console.log(D.name, B.name, y);
        """,
        "a.mjs": """
        const d = (v, c) => c.kind === 'method' ? () => 'dec' : undefined;
        import { y } from './b.mjs';
        export @d class C { @d m() {} }
        export default @d class Named { @d x = y; static me = Named; }
        export const make = () => @d class Inner {};
        @d export class D {}
        class W { @(await Promise.resolve(d)) m() {} } console.log(new W().m());
        """,
        "b.mjs": """
        const d = () => {}; export default class { @d m() {} }
        (function () { console.log('apart'); })(); export const y = 3;
        """,
      ], run: "nbridge run main.mjs", output: "apart\ndec\nNamed true 3 dec Inner\nD default 3\n"),
    Case(
      name: "TypeScript has them among its types",
      files: [
        "main.ts": """
        function logged<T extends (...a: any[]) => any>(f: T, c: any): T {
          const made = function (this: any, ...a: any[]) { console.log(c.name); return f.apply(this, a); };
          return made as T;
        }
        const min = <T>(n: number) => (_: undefined, c: any) => (v: number) => Math.max(n, v);
        const tag = (name: string): any => (v: any, c: any) => c.addInitializer(() => console.log(name));
        const ns = { logged };
        abstract class Base<T = { a: number }> { abstract accessor later: string; abstract go(): void; }
        @tag("x")
        @tag("y") export class A<T> extends Base<{ a: 1 }> implements Iterable<T> {
          @min<number>(3) private readonly x: number = 1 as number;
          @min(2)
          static y?: number = 1;
          @logged
          public override go<U>(a?: U): void { console.log(this.x, A.y, a); }
          @ns.logged static async s(b: string = "b"): Promise<string> { return b; }
          accessor later: string = "later";
          protected static accessor count: number = 5 satisfies number;
          @((v: any) => ({ get(this: any): number { return 9; } })) accessor z!: number;
          constructor(private readonly p: string = "p") { super(); }
          *[Symbol.iterator](): Iterator<T> { console.log(this.p); }
          private accessor #q: number = 1;
          q() { return this.#q + (A.count ?? 0); }
          declare foo: string;
          [key: string]: any;
        }
        const a = new A<string>(); a.go(1); console.log(await A.s(), a.later, a.z, a.q()); for (const _ of a);
        export default class Def { @logged m() { return this.n; } @min(1) n: number = 0; }
        console.log(new Def().m());
        { using u: Disposable | null = null, v: any = { [Symbol.dispose](): void { console.log("v") } };
          using w = null!; }
        for (using x of [null] as null[]) console.log(x);
        """
      ], output: "y\nx\ngo\n3 2 1\ns\nb later 9 6\np\nm\n1\nv\nnull\n"),
    Case(
      name: "words that only look so stay what they are",
      files: [
        "main.mjs": """
        const using = 5, accessor = 6, of = [1]; console.log(using, accessor);
        for (using of of) break;
        """,
        "ok.ts": """
        let using = 5; let accessor: number = 6; for (using of [7]) console.log(using, accessor);
        class A { accessor = 1; static accessor: number = 2; using(): number { return using } }
        interface I { accessor: string } type using = number; const x: using = 1;
        console.log(new A().accessor, A.accessor, new A().using(), "a@b.c", /@x/.source, `@${x}`); export {};
        """,
      ], run: "nbridge run ok.ts", output: "7 6\n1 2 7 a@b.c @x @1\n"),
  ]

  /// What seem to be decorators, one in the other: of no class, and deeper than a stack.
  @Test(arguments: [30_000, 60]) func decoratorsOfNothingAreAnError(_ depth: Int) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let open = String(repeating: "@(", count: depth)
    try runner.write([
      "a.js": open, "b.js": open + "x" + String(repeating: ")", count: depth) + " class A {}",
      "c.mjs": "export {};" + open,
      "d.js": "const s = '@('; class A { @(() => {}) m() {} }; console.log('ran');",
    ])
    let result = try runner.shell("for f in a.js b.js c.mjs d.js; do nbridge run $f; echo $?; done")
    #expect(result.output == "1\n1\n1\nran\n0\n", "\(result)")
  }
}
