// SPDX-License-Identifier: MIT

import Testing

extension NodeModuleTests {
  /// What a script may that no module may: esbuild refuses it where modules are.
  @Test func commonJSIsSloppyCode() throws {
    let result = try CommandRunner.run(
      [
        "main.mjs": """
        import render from 'old'; import { ok } from 'made'; import names from './names.cjs';
        console.log(render({ name: 'bob' }), ok, names);
        """,
        "node_modules/old/index.js": """
        const hi = require('./hi');
        function render(o) { with (o) { return hi + name } }
        module.exports = render;
        """,
        "node_modules/old/hi.js": "with ({ hi: 'hi ' }) module.exports = hi",
        "node_modules/made/index.js": "if (new.target) throw 1; exports.ok = 010 + 1",
        "names.cjs": """
        function f(a, a) { return a } var let = 1, static = 2, yield = 3, await = 4, package = 5;
        (async () => { for await (const one of [1]) await one; })();
        module.exports = [let + static + yield + await + package, f(1, 2), typeof await, "\\07".length];
        """,
      ], "nbridge run main.mjs; nbridge run names.cjs")
    #expect(result.output == "hi bob 9 [ 15, 2, 'number', 1 ]\n" && result.errors == "", "\(result)")
  }

  @Test(arguments: packageCases)
  func findsWhatPackagesGive(_ test: Case) throws { try behaves(test) }

  private static let package: [String: String] = [
    "node_modules/pk/package.json": #"""
    { "name": "pk", "version": "1.2.3", "type": "module",
      "exports": {
        ".": { "browser": "./b.js", "node": { "import": "./n.mjs", "require": "./n.cjs" },
          "default": "./d.js" },
        "./feature": { "worker": "./b.js", "import": "./f.mjs", "default": "./f.cjs" },
        "./lib/*": "./lib/*.js", "./lib/private/*": null, "./gone": "./gone.js", "./out": "./../x.js",
        "./list": ["bad", "./d.js"], "./package.json": "./package.json" },
      "imports": {
        "#dep": { "browser": "./b.js", "node": "path" }, "#own/*": "./lib/*.js", "#plain": "plain" } }
    """#,
    "node_modules/pk/b.js": "export default 'browser'", "node_modules/pk/d.js": "export default 'default'",
    "node_modules/pk/n.mjs": """
    import path from "#dep"; import own from "#own/a"; import plain from "#plain";
    import self from "pk/lib/a";
    export default ["import", path.sep, own, plain, self].join();
    """,
    "node_modules/pk/n.cjs": "module.exports = 'require'",
    "node_modules/pk/f.mjs": "export default 'f import'",
    "node_modules/pk/f.cjs": "module.exports = 'f require'", "node_modules/pk/lib/a.js": "export default 'a'",
    "node_modules/plain/index.js": "module.exports = 'plain'",
    "node_modules/plain/package.json": #"{ "name": "plain", "x": 5 }"#,
    "node_modules/@s/p/package.json": #"{ "exports": "./m.cjs" }"#,
    "node_modules/@s/p/m.cjs": "exports.__esModule = true; exports.default = 8; exports.a = 1;",
  ]

  private static func withPackage(_ files: [String: String]) -> [String: String] {
    package.merging(files) { $1 }
  }

  static let packageCases: [Case] = [
    Case(
      name: "the conditions of a package are Node's",
      files: withPackage([
        "main.mjs": """
        import pk from "pk"; import f from "pk/feature"; import a from "pk/lib/a"; import list from "pk/list";
        import { createRequire } from "node:module";
        const require = createRequire(import.meta.url);
        console.log(pk, "-", f, "-", a, list, "-", require("pk"), require("pk/feature"), require("plain"));
        """
      ]), run: "nbridge run main.mjs",
      output: "import,/,a,plain,a - f import - a default - require f require plain\n"),
    Case(
      name: "a package's script needs no ending, and asks the global object for process",
      files: [
        "main.cjs": "console.log(require('ne')); require('hook');",
        "node_modules/ne/package.json": #"{ "main": "bin/run" }"#,
        "node_modules/ne/bin/run": "#!/usr/bin/env node\nmodule.exports = 'runs';",
        "node_modules/hook/index.js": """
        var process = global.process; var emit = process.emit;
        process.emit = function (name) {
          if (name === 'exit') console.log('bye', global.hooked);
          return emit.apply(this, arguments);
        };
        global.hooked = typeof hooked === 'undefined';
        """,
      ], run: "nbridge run main.cjs", output: "runs\nbye true\n"),
    Case(
      name: "a package asks the global object for what Node has there, by whichever name",
      files: [
        "main.cjs": """
        console.log(...require('c'), typeof process, 'Buffer' in globalThis, globalThis.kept, set);
        import('e').then((e) => console.log(...e.default));
        """,
        "node_modules/c/index.js": """
        var root = typeof global == 'object' && global.Object === Object && global;
        const { clearImmediate } = globalThis;
        global.kept = 1; globalThis.set = 2;
        root.addEventListener('x', () => {}); globalThis.dispatchEvent(new Event('x'));
        module.exports = [typeof root.Buffer.from, typeof root.setImmediate, 'process' in global,
          typeof globalThis.process.cwd, typeof globalThis['Buffer'], typeof clearImmediate,
          global === globalThis, 'other' in global, root.other, root.Math === Math];
        """,
        "node_modules/e/package.json": #"{ "type": "module", "exports": "./e.js" }"#,
        "node_modules/e/e.js": """
        const g = typeof globalThis === 'object' ? globalThis : self;
        export default [typeof g.process?.cwd, typeof global.Buffer, 'setImmediate' in g, g === global,
          g.kept];
        """,
      ], run: "nbridge run main.cjs",
      output: """
        function function true function function function true false undefined true object false 1 2
        function function true true 1

        """),
    Case(
      name: "a package's timers are Node's, an author's the web's, and each clears the other's",
      files: [
        "main.cjs": """
        const { run } = require('c');
        import('e').then((e) => setTimeout(() => console.log(e.default), 50));
        console.log(typeof setTimeout(() => {}, 0), run(setTimeout, clearTimeout).join());
        """,
        "node_modules/c/index.js": """
        const never = () => console.log('never'), long = setTimeout(never, 5000).unref();
        const every = setInterval(() => { console.log('every'); clearInterval(every); }, 1);
        exports.run = (set, clear) => {
          clear(long); clear(setTimeout(never, 20)); clearTimeout(set(never, 20));
          clearTimeout(+setTimeout(never, 20)); clearTimeout(`${+setTimeout(never, 20)}`);
          clearTimeout(); clearInterval(null); setTimeout(never, 20).close().refresh();
          const cleared = setTimeout(never, 20); clearTimeout(+cleared); cleared.refresh();
          const again = setTimeout(never, 20), number = +again; again.refresh(); clearTimeout(number);
          let ticks = 0;
          const tick = +setInterval(() => { if (ticks++ > 0) never(); clearInterval(tick); }, 1);
          const timer = setTimeout(() => {}, 1);
          return [timer.hasRef(), timer.unref() === timer, timer.hasRef(), timer.ref().refresh() === timer,
            typeof +timer, typeof timer, setTimeout === require('timers').setTimeout];
        };
        """,
        "node_modules/e/package.json": #"{ "type": "module", "exports": "./e.js" }"#,
        "node_modules/e/e.js": "const t = setTimeout(() => {}, 0).unref(); export default t.hasRef();",
      ], run: "nbridge run main.cjs",
      output: """
        number true,true,false,true,number,object,true
        every
        false

        """),
    Case(
      name: "a program does not wait for a package's timers that were unref'ed",
      files: [
        "main.cjs": "require('sweeper'); setTimeout(() => console.log('mine'), 20);",
        "node_modules/sweeper/index.js": """
        setInterval(() => {}, 1000).unref();
        const once = setTimeout(() => console.log('never'), 5000);
        once.unref(); once.ref(); once.unref();
        const held = setTimeout(() => console.log('held'), 40).unref();
        held.ref();
        """,
      ], run: "nbridge run main.cjs", output: "mine\nheld\n"),
    Case(
      name: "what a compiler made of import gets a module's default by require",
      files: [
        "main.cjs": """
        const __importDefault = (mod) => (mod && mod.__esModule) ? mod : { default: mod };
        const made = __importDefault(require('esm'));
        console.log((0, made.default)(), made.__esModule, require('esm') === require('esm'));
        console.log(Object.keys(require('esm')).sort().join(), made.n, made.next(), made.n);
        console.log(Object.keys(require('plain')).join());
        """,
        "node_modules/esm/package.json": #"{ "type": "module", "exports": "./e.js" }"#,
        "node_modules/esm/e.js":
          "export let n = 1; export const next = () => { n++; }; export default () => 'called';",
        "node_modules/plain/package.json": #"{ "type": "module", "exports": "./e.js" }"#,
        "node_modules/plain/e.js": "export const only = 1;",
      ], run: "nbridge run main.cjs",
      output: "called true true\n__esModule,default,n,next 1 undefined 2\nonly\n"),
    Case(
      name: "CommonJS may use words that modules reserve",
      files: [
        "main.cjs": """
        const package = require('./package.json'), interface = 2;
        var arguments = 1, static = 3, let = 4;
        function f(private, yield) { return private + yield; }
        console.log(package.name, interface + static + let, f(1, 2), delete f, require('old'));
        """,
        "package.json": #"{ "name": "n" }"#,
        "node_modules/old/index.js": "var public = 1; module.exports = { public: public };",
      ], run: "nbridge check main.cjs && nbridge run main.cjs", output: "n 9 3 false { public: 1 }\n"),
    Case(
      name: "a package finds process where no text names it, and may put another there",
      files: [
        "main.cjs": """
        const { found, own } = require('gp'), { get, enumerable, configurable } = own;
        console.log(found === require('process'), Object.prototype.toString.call(found));
        console.log(typeof get, enumerable, configurable, Object.keys(globalThis).includes('process'));
        process = 5; console.log(globalThis.process);
        """,
        "node_modules/gp/index.js": """
        const name = 'proc' + 'ess', root = Function('return this')();
        exports.own = Object.getOwnPropertyDescriptor(root, name);
        exports.found = root[name];
        """,
      ], run: "nbridge run main.cjs",
      output: "true [object process]\nfunction false true false\n5\n"),
    Case(
      name: "without a package there is no process but by its module",
      files: ["main.cjs": "require('path'); console.log('process' in globalThis); process.cwd();"],
      run: "nbridge run main.cjs", output: "false\n",
      errors: ["Can't find variable: process; here it is import process from"], status: 1),
    Case(
      name: "a file without an ending is CommonJS, an author's too",
      files: [
        "main.cjs": """
        console.log(require('./plain'), require('./pla' + 'in'), require('./sub/says'));
        import('./plain').then((all) => console.log(all.default));
        """, "plain": "module.exports = __filename.split('/').pop();",
        "sub/says": "#!/usr/bin/env node\nexports.said = typeof require",
      ], run: "nbridge run main.cjs", output: "plain plain { said: 'function' }\nplain\n"),
    Case(
      name: "a name with # that no package.json defines is told so",
      files: [
        "main.mjs": """
        import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);
        const tell = (action) => { try { action(); } catch (error) { console.log(error.name, error.code); } };
        await import('#int').catch((error) => console.log(error instanceof TypeError, error.code));
        tell(() => import.meta.resolve('#int')); tell(() => require('#int'));
        """,
        "with/main.mjs": "import '../main.mjs'; await import('#int').catch((e) => console.log(e.code));",
        "with/package.json": "{}",
        "still/main.mjs": "import '#int';", "still/package.json": "{}",
      ], run: "nbridge run with/main.mjs; nbridge run still/main.mjs",
      output: """
        true ERR_PACKAGE_IMPORT_NOT_DEFINED
        TypeError ERR_PACKAGE_IMPORT_NOT_DEFINED
        Error MODULE_NOT_FOUND
        ERR_PACKAGE_IMPORT_NOT_DEFINED

        """, errors: ["main.mjs:1:8\n", "Package import specifier '#int' is not defined in '"], status: 1),
    Case(
      name: "a path that a package does not give is told so",
      files: withPackage([
        "main.mjs": """
        import { createRequire } from "node:module";
        const require = createRequire(import.meta.url);
        const tell = (action) => { try { return action(); } catch (error) { return error.code; } };
        for (const name of ["pk/none", "pk/lib/private/x", "pk/out", "@s/p/x", "pk/gone", "none"]) {
          const error = await import(name).catch((error) => error);
          console.log(name, error.code, tell(() => require.resolve(name)), tell(() => require(name)),
            tell(() => import.meta.resolve(name)));
        }
        console.log((await import("pk/" + "none").catch((error) => error)).message
          .replace(import.meta.dirname, ""));
        """
      ]), run: "nbridge run main.mjs",
      output: """
        pk/none \(String(repeating: "ERR_PACKAGE_PATH_NOT_EXPORTED ", count: 4).dropLast())
        pk/lib/private/x \(String(repeating: "ERR_PACKAGE_PATH_NOT_EXPORTED ", count: 4).dropLast())
        pk/out \(String(repeating: "ERR_PACKAGE_PATH_NOT_EXPORTED ", count: 4).dropLast())
        @s/p/x \(String(repeating: "ERR_PACKAGE_PATH_NOT_EXPORTED ", count: 4).dropLast())
        pk/gone ERR_MODULE_NOT_FOUND MODULE_NOT_FOUND MODULE_NOT_FOUND ERR_MODULE_NOT_FOUND
        none ERR_MODULE_NOT_FOUND MODULE_NOT_FOUND MODULE_NOT_FOUND ERR_MODULE_NOT_FOUND
        Package subpath './none' is not defined by "exports" in '/node_modules/pk/package.json'

        """),
    Case(
      name: "an import of such a path is told with its place",
      files: withPackage(["main.mjs": "import 'pk/none';"]), run: "nbridge run main.mjs",
      errors: ["main.mjs:1:8\n", "Package subpath './none' is not defined by \"exports\" in '"], status: 1),
    Case(
      name: "the settings of a package can be imported",
      files: withPackage([
        "main.mjs": """
        import pk from "pk/package.json" with { type: "json" };
        import plain from "plain/package.json" with { type: "json" };
        console.log(pk.version, plain.x);
        console.log((await import("@s/p/package.json", { with: { type: "json" } }).catch((e) => e)).code);
        """
      ]), run: "nbridge run main.mjs", output: "1.2.3 5\nERR_PACKAGE_PATH_NOT_EXPORTED\n"),
    Case(
      name: "a module of Node gets the names of CommonJS as they are when that has run, and __esModule",
      files: [
        "main.mjs": """
        import * as es from './es.cjs'; import { __esModule } from './es.cjs';
        import * as all from './all.mjs';
        import * as late from './late.cjs'; import whole, { changed } from './late.cjs';
        import * as put from './whole.cjs'; import './first.mjs';
        console.log(Object.keys(es), es.__esModule, es.default, __esModule, Object.keys(all));
        console.log(Object.keys(put), put.a, put.default);
        console.log(Object.keys(await import('./es.cjs')));
        await new Promise((done) => setTimeout(done, 20));
        console.log(late.changed, changed, late.later, late.default.changed, whole.later,
          late.set(5), changed);
        console.log((await import('./late.cjs')).changed);
        """,
        "es.cjs": """
        Object.defineProperty(exports, '__esModule', { value: true }); exports.default = 8; exports.a = 1;
        """,
        "late.cjs": """
        exports.changed = 1; exports.set = (value) => exports.changed = value; exports.later = undefined;
        setTimeout(() => { exports.changed = 2; exports.later = 2; }, 1);
        """,
        "whole.cjs": "exports.a = 1; module.exports = { a: 2 };",
        "all.mjs": "export * from './es.cjs';",
        "first.mjs": """
        import { later } from './late.cjs'; import own from './cycle.cjs';
        console.log(later, own.seen, own.after);
        """,
        "cycle.cjs": """
        exports.seen = 1; import('./first.mjs').then(() => { exports.after = 2; }); exports.after = 1;
        """,
      ], run: "nbridge run main.mjs",
      output: """
        undefined 1 1
        [ '__esModule', 'a', 'default' ] true { default: 8, a: 1 } true [ '__esModule', 'a' ]
        [ 'a', 'default' ] 2 { a: 2 }
        [ '__esModule', 'a', 'default' ]
        1 1 undefined 2 2 5 1
        1

        """),
    Case(
      name: "a folder of modules gets CommonJS as Node gives it, one without a type as bundlers do",
      files: withPackage([
        "main.js": "import './sub/m.js'; import p from '@s/p'; console.log(p);",
        "sub/package.json": #"{ "type": "module" }"#,
        "sub/m.js": """
        import p, { a } from '@s/p'; console.log(p, a, (await import('@s/p')).default === p);
        """,
      ]), run: "nbridge run main.js", output: "{ __esModule: true, default: 8, a: 1 } 1 true\n8\n"),
  ]
}
