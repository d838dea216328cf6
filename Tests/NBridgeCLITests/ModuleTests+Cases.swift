// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import Testing

/// Programs of modules, and what they print.
extension ModuleTests {
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
        {"name": "pad", "main": "esm.mjs", "module": "none.mjs", "sideEffects": false}
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
        "node_modules/needy/index.js": "const z = require('zlib'); module.exports = z;",
      ],
      errors: [
        "node_modules/needy/index.js:1:11\n",
        "'zlib' is a part of Node, which nbridge does not have",
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
        import { count, add } from './b.js';
        const n = './b' + '.js', m = await import(n);
        add(); console.log(m.count, count, m === await import('./b.js'));
        try { await import('./none' + '.js') } catch (e) { console.log(e.name, e.code, e.message) }
        try { await import('./bad' + '.js') } catch (e) { console.log(e.name, e.message) }
        """, "b.js": "export let count = 1; export const add = () => count++;", "bad.js": "export let = 1",
      ],
      output: """
        2 2 true
        Error ERR_MODULE_NOT_FOUND there is no './none.js' here
        SyntaxError "let" is a reserved word and cannot be used in an ECMAScript module

        """),
    Case(
      name: "check reads what calls ask for, and warns",
      files: ["main.mjs": "\n\nawait import('./none.js')"], run: "nbridge check main.mjs",
      errors: [
        """
        main.mjs:3:14
        await import('./none.js')
                     ^
        warning: only a call asks for this: there is no './none.js' here

        """
      ]),
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
        main.ts:3:3
          throw new RangeError('bad ' + a.x, { cause: new Error('inner') });
          ^
        RangeError: bad 4
            at boom (main.ts:3:3)
            at main.ts:6:1
          caused by: Error: inner

        """
      ],
      status: 1),
    Case(
      name: "a logged error stands in the author's lines, too",
      files: [
        "main.ts": """
        interface A { x: number }


        class Own extends Error { constructor(readonly at: A) { super('own', { cause: inner() }) } }
        const inner = (): Error => new TypeError('inner');
        try { throw new Own({ x: 1 }) } catch (error: unknown) { console.log(error) }
        console.log([new AggregateError([inner()], 'all')]);
        """
      ],
      output: """
        Own [Error]: own
            at new Own (main.ts:4:57)
            at main.ts:6:7 {
          at: { x: 1 },
          [cause]: TypeError: inner
              at inner (main.ts:5:28)
              at Own (main.ts:4:79)
              at main.ts:6:7
        }
        [
          AggregateError: all
              at main.ts:7:14 {
            [errors]: [
              TypeError: inner
                  at inner (main.ts:5:28)
                  at main.ts:7:34
            ]
          }
        ]

        """),
    Case(
      name: "a trace stands in the author's lines",
      files: [
        "main.ts": """
        type T = 1;

        function trace(what: string): void { console.trace(what) }
        trace('here');
        """
      ],
      errors: ["Trace: here\n    at trace (main.ts:3:46)\n    at main.ts:4:1\n"]),
    Case(
      name: "an await at the top is a frame of what it awaited",
      files: [
        "main.ts": """
        type T = 1;
        import { load } from './load';
        await load('x');
        """,
        "load.ts": "export async function load(name: string) {\n  await null;\n  throw new Error(name);\n}",
      ],
      errors: ["Error: x\n    at load (load.ts:3:3)\n    at async main.ts:3\n"], status: 1),
    Case(
      name: "what is no error is shown with its place",
      files: [
        "main.ts": """
        type T = 1;
        function stop(code: number): never { throw { code } }
        stop(5);
        """
      ],
      errors: [
        "main.ts:2:38\nfunction stop(code: number): never { throw { code } }\n", "^\nUncaught { code: 5 }\n",
      ],
      status: 1),
    Case(
      name: "what is wrong in a JSON file stands in its lines",
      files: [
        "main.ts": "import data from './data.json' with { type: 'json' }; console.log(data);",
        "data.json": "{\n  \"a\": [1,, 2]\n}",
      ],
      errors: ["data.json:2:11\n  \"a\": [1,, 2]\n          ^\nSyntaxError: "], status: 1),
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
        {"name":"TypeError","message":"no","unhandled":false,"file":"main.ts","line":2,"column":1,"source":\#
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
      run: "nbridge run main.js", errors: ["main.js:1:1\nthrow new Error('x');\n"], status: 1),
    Case(
      name: "a map that is none",
      files: [
        "main.js": "throw new Error('x');\n//# sourceMappingURL=main.js.map",
        "main.js.map": "{\"version\":3,\"mappings\":[]}",
      ],
      run: "nbridge run main.js", errors: ["main.js:1:1\n"], status: 1),
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
}
