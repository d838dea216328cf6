// SPDX-License-Identifier: MIT

import Testing

extension NodeModuleTests {
  @Test(arguments: errorCases)
  func tellsWhereErrorsAre(_ test: Case) throws { try behaves(test) }

  private static let errorCases: [Case] = [
    Case(
      name: "node:util tells the author's frames, as console does",
      files: [
        "main.ts": """
        interface A { a: number }
        interface B { a: number }
        import util from "node:util";
        function load(): never { throw new Error("no config"); }
        try { load(); } catch (error) {
          console.log(error);
          console.log(util.inspect(error));
          console.log(util.format("%s", error));
        }
        """
      ],
      output: String(
        repeating: "Error: no config\n    at load (main.ts:4:26)\n    at main.ts:5:7\n", count: 3)),
    Case(
      name: "an error of a worker's is told where it was thrown",
      files: [
        "main.mjs": """
        import { Worker } from "node:worker_threads";
        const worker = new Worker(new URL("./worker.mjs", import.meta.url));
        worker.on("error", (error) => {
          console.log(error.stack);
          throw error;
        });
        """, "worker.mjs": workerText,
      ], run: "nbridge run main.mjs",
      output: "TypeError: worker died\n    at inner (worker.mjs:2:3)\n    at worker.mjs:4:1\n",
      errors: [
        "worker.mjs:2:3\n  throw new TypeError('worker died');\n  ^\nTypeError: worker died\n"
          + workerFrames + "\n"
      ], status: 1),
    Case(
      name: "and where it is awaited",
      files: [
        "main.mjs": """
        import { Worker } from "node:worker_threads";
        const worker = new Worker(new URL("./worker.mjs", import.meta.url));
        await new Promise((resolve, reject) => { worker.on("error", reject); });
        """, "worker.mjs": workerText,
      ], run: "nbridge run main.mjs", errors: ["TypeError: worker died\n\(workerFrames)\n"], status: 1),
    Case(
      name: "an error that a worker posts has its author's places",
      files: [
        "main.mjs": """
        const worker = new Worker(new URL("./posts.ts", import.meta.url), { type: "module" });
        worker.onmessage = ({ data }) => {
          console.log(data);
          console.log(data.stack);
          worker.terminate();
        };
        """,
        "posts.ts": """
        interface A { a: number }
        interface B { a: number }
        const fails = ({ a }: A): never => { throw new TypeError(`no ${a}`); };
        try { fails({ a: 1 }); } catch (error) { postMessage(error); }
        """,
      ], run: "nbridge run main.mjs",
      output: String(
        repeating: "TypeError: no 1\n    at fails (posts.ts:3:38)\n    at posts.ts:4:7\n", count: 2)),
    Case(
      name: "an error of a worker's arrives as it was, and so does what is none",
      files: [
        "main.mjs": """
        import { Worker } from 'node:worker_threads';
        const cases = [
          "throw Object.assign(new RangeError('m',{cause:new TypeError('c')}),{code:'E1',extra:1})",
          "class My extends Error{}; throw new My('q')", "require('path'); throw new URIError('u')",
          "throw new AggregateError([new TypeError('x'), 5], 'many')",
          "throw Object.assign(new Error('c', { cause: () => {} }), { code: 'E2' })",
          "throw Object.assign(new Error('s'), { name: 'Own' })", "throw {a:1}", "throw null",
          "throw undefined", "throw ''", "throw 10n", "throw 'text'", "1 +",
        ];
        for (const text of cases) {
          const worker = new Worker(text, { eval: true });
          const value = await new Promise((done) => worker.on('error', done));
          if (!(value instanceof Error)) console.log(value);
          else console.log(value.constructor.name, value.name, text === '1 +' ? '' : value.message,
            value.code, value.extra, value.cause?.name, Object.keys(value), value.errors?.length);
        }
        """
      ], run: "nbridge run main.mjs",
      output: """
        RangeError RangeError m E1 1 TypeError [ 'code', 'extra' ] undefined
        Error Error q undefined undefined undefined [] undefined
        URIError URIError u undefined undefined undefined [] undefined
        Error AggregateError many undefined undefined undefined [] 2
        Error Error c E2 undefined undefined [ 'code' ] undefined
        Error Own s undefined undefined undefined [ 'name' ] undefined
        { a: 1 }
        null
        undefined

        10n
        text
        SyntaxError SyntaxError  undefined undefined undefined [] undefined

        """),
    Case(
      name: "a name that is elsewhere here is shown where it begins",
      files: ["main.js": "function args() {\n  return process.argv;\n}\nargs();\n"],
      run: "nbridge run main.js",
      errors: ["main.js:2:10\n  return process.argv;\n         ^\n", "    at args (main.js:2:10)\n"],
      status: 1),
  ]

  @Test func aMemberWhoseGetterThrowsHasNoValueInANamespace() throws {
    let result = try CommandRunner.run(
      [
        "main.mjs": """
        import * as all from './old.cjs';
        const { ok, ...rest } = await import('./old.cjs');
        console.log(Object.keys(all).includes('ok'), all.gone, ok, rest.gone);
        """,
        "old.cjs": """
        Object.defineProperty(exports, 'gone', { enumerable: true, get() { throw new Error('gone'); } });
        exports.ok = 1;
        """,
      ], "nbridge run main.mjs")
    #expect(result.output == "true undefined 1 undefined\n" && result.errors == "", "\(result)")
  }

  private static let workerText = """
    function inner() {
      throw new TypeError('worker died');
    }
    inner();
    """
  private static let workerFrames = "    at inner (worker.mjs:2:3)\n    at worker.mjs:4:1"
}
