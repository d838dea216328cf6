// SPDX-License-Identifier: MIT

extension NodeModuleTests {
  static let cases: [Case] = [
    Case(
      name: "what is piped to the program's output does not end it",
      files: [
        "main.mjs": """
        import { Readable } from 'node:stream'; import process from 'node:process';
        Readable.from(['a\\n', 'b\\n']).pipe(process.stdout);
        setTimeout(() => {
          process.stdout.write('c\\n');
          console.log(['error', 'close', 'drain'].map((name) => process.stdout.listenerCount(name)));
        }, 50);
        """
      ], run: "nbridge run main.mjs", output: "a\nb\nc\n[ 0, 0, 0 ]\n"),
    Case(
      name: "names with and without the prefix are one module",
      files: [
        "main.mjs": """
        import path from 'path'; import { posix } from 'node:path'; import win32 from 'path/win32';
        import strict from 'node:assert/strict'; import assert from 'assert'; import sys from 'sys';
        console.log(path === posix, win32 === path.win32, strict === assert.strict, sys.format('%d', 5));
        """
      ], run: "nbridge run main.mjs", output: "true true true 5\n"),
    Case(
      name: "what a Console writes has its place among what console prints",
      files: [
        "main.mjs": """
        import { Console } from 'node:console'; import { Writable } from 'node:stream';
        import process from 'node:process'; import { format } from 'node:util';
        const circle = { get toJSON() { return undefined } }; circle.circle = circle;
        const told = (chunk, encoding, done) => { console.log('in', `${chunk}`.trim()); done(); };
        const own = new Console({ stdout: new Writable({ write: told }) });
        const both = new Console(process.stdout, process.stderr);
        console.log(1); own.log('a'); own.error('%j', circle); console.log(2); both.log(3); console.log(4);
        const attempt = (...given) => { try { return format(...given) } catch (error) { return error.name } };
        const wrong = (message) => ({ toJSON() { throw new RangeError(message) } });
        console.log(attempt('%j|%j', undefined, () => {}), attempt('%j', 1n),
          attempt('%j', wrong('circular')),
          attempt('%j'), attempt('%j %j', 'a'), attempt('%j', { toJSON() { return 5 } }));
        console.log('%j', { own: (() => { const list = []; list.push(list); return list })() });
        """
      ], run: "nbridge run main.mjs",
      output: """
        1
        in a
        in [Circular]
        2
        3
        4
        undefined|undefined TypeError RangeError %j "a" %j 5
        [Circular]

        """),
    Case(
      name: "a stream that the program may not write to goes by console, from its first write on",
      files: [
        "main.mjs": """
        import process from 'node:process';
        process.stdout.write('1\\n'); console.log(2); process.stdout.write('3\\n'); console.log(4);
        """
      ], run: "nbridge run --permissions app.appInfo main.mjs", output: "1\n2\n3\n4\n"),
    Case(
      name: "a buffer is filled from a start behind its end on, and is as it was",
      files: [
        "main.mjs": """
        import { Buffer } from 'node:buffer';
        const fills = [['a', 5], ['a', 2, 1], [1, 4], ['', 5], ['zz', 5, 'hex'], ['a', undefined, 2],
          ['b', 1, 3], ['a', -1], ['a', 1.5], ['a', 0, 4], ['a', 5, 9], ['zz', 'hex']];
        for (const fill of fills) {
          try { console.log(Buffer.alloc(3).fill(...fill).join()); } catch ({ code, message }) {
            console.log(code, message.slice(0, 60));
          }
        }
        """
      ], run: "nbridge run main.mjs",
      output: """
        0,0,0
        0,0,0
        0,0,0
        0,0,0
        0,0,0
        97,97,97
        0,98,98
        ERR_OUT_OF_RANGE The value of "offset" is out of range. It must be >= 0 && <=
        ERR_OUT_OF_RANGE The value of "offset" is out of range. It must be an integer
        ERR_OUT_OF_RANGE The value of "end" is out of range. It must be >= 0 && <= 3.
        ERR_OUT_OF_RANGE The value of "end" is out of range. It must be >= 0 && <= 3.
        ERR_INVALID_ARG_VALUE The argument 'value' is invalid. Received 'zz'

        """),
    Case(
      name: "a method of a CommonJS module may be called import",
      files: [
        "main.cjs": """
        class A { import(a) { return a; } async import2() { return (await import("./m" + ".mjs")).m; } }
        const own = { import(a) { return this.b + a }, b: 1 };
        new A().import2().then((m) => console.log(new A().import(2), own.import(2), own?.import(3), m));
        """, "m.mjs": "export const m = 'm';",
      ], run: "nbridge run main.cjs", output: "2 3 4 m\n"),
    Case(
      name: "a built-in comes before a package of its name, a slash at the end names the package",
      files: [
        "main.mjs": "import own from './own.cjs'; import e from 'events'; console.log(typeof e, own);",
        "own.cjs": "module.exports = require('events/') + typeof require('node:events').once;",
        "node_modules/events/index.js": "module.exports = 'package ';",
      ], run: "nbridge run main.mjs", output: "function package function\n"),
    Case(
      name: "an import map comes before a built-in, not before its full name",
      files: [
        "main.mjs": "import a from 'path'; import b from 'node:path'; console.log(a, b.sep);",
        "app.json": #"{"imports": {"path": "./mine.js"}}"#, "mine.js": "export default 'mine';",
      ], run: "nbridge run main.mjs", output: "mine /\n"),
    Case(
      name: "a package without a built-in of the name is told so", files: ["main.mjs": "import 'events/';"],
      run: "nbridge run main.mjs", errors: ["there is no package 'events/'"], status: 1),
    Case(
      name: "a module that nbridge does not have, and one of nobody",
      files: ["main.mjs": "import 'node:http2'; import 'node:nothing';"],
      run: "nbridge run main.mjs",
      errors: [
        "'node:http2' is a part of Node, which nbridge does not have",
        "'node:nothing' is a part of Node, which nbridge does not have",
      ], status: 1),
    Case(
      name: "what the modules share among themselves is no script's",
      files: ["main.mjs": "import 'node:internal/errors';"], run: "nbridge run main.mjs",
      errors: ["'node:internal/errors' is a part of Node, which nbridge does not have"], status: 1),
    Case(
      name: "packages find Node's globals, other scripts but process beside them",
      files: [
        "main.mjs": """
        import cjs from 'cjs'; import esm from 'esm'; import own from 'own';
        console.log(cjs, esm, own, typeof process, typeof Buffer, typeof global);
        """,
        "node_modules/cjs/index.js": """
        #!/usr/bin/env node
        module.exports = [process.platform, Buffer.from('a').length, global === globalThis,
          typeof setImmediate];
        """,
        "node_modules/esm/package.json": #"{"type": "module", "main": "i.js"}"#,
        "node_modules/esm/i.js":
          "import { Buffer } from 'buffer'; export default process.platform + Buffer.name;",
        "node_modules/own/index.js":
          "const process = 1; function Buffer(a) {} module.exports = process + Buffer.length;",
      ], run: "nbridge run main.mjs",
      output: """
        [ 'linux', 1, true, 'function' ] linuxBuffer 2 object undefined undefined

        """),
    Case(
      name: "what a package has for bundlers and browsers is not looked at",
      files: [
        "main.mjs": """
        import p, * as all from 'p'; import { createRequire } from 'node:module'; import plain from 'plain';
        import c from './c.cjs'; import addon from 'addon';
        const require = createRequire(import.meta.url);
        console.log(typeof p, Object.keys(all), require('p') === p, p(), plain, c);
        console.log(addon, require('ad' + 'don'));
        console.log(typeof (await import('module-only').catch((error) => error.code)));
        """, "c.cjs": "module.exports = require('p')()",
        "node_modules/p/package.json": #"""
        {"main": "./i.js", "module": "./m.mjs",
          "browser": {"./native.js": false, "os": false, "./i.js": "./b.js"}}
        """#,
        "node_modules/p/i.js": """
        module.exports = () => require('./native').a + typeof require('os').EOL;
        """, "node_modules/p/native.js": "module.exports = { a: 1 };",
        "node_modules/p/m.mjs": "export default 'esm'; export const x = 1",
        "node_modules/p/b.js": "module.exports = 'browser'",
        "node_modules/plain/package.json": #"{"browser": "b.js", "module": "b.js"}"#,
        "node_modules/plain/index.js": "module.exports = 'index'",
        "node_modules/plain/b.js": "module.exports = 'b'",
        "node_modules/module-only/package.json": #"{"module": "m.mjs"}"#,
        "node_modules/module-only/m.mjs": "export default 1",
        "node_modules/addon/package.json": #"{"exports": {"node-addons": "./a.js", "default": "./d.js"}}"#,
        "node_modules/addon/a.js": "module.exports = 'a'", "node_modules/addon/d.js": "module.exports = 'd'",
      ], run: "nbridge run main.mjs",
      output: "function [ 'default' ] true 1string index 1string\na a\nstring\n"),
    Case(
      name: "what can't be done fails when it is called",
      files: [
        "main.mjs": """
        import fs from 'fs'; import { createRequire } from 'module'; import child from 'child_process';
        import crypto from 'crypto'; import os from 'os'; import tty from 'tty';
        const tell = (action) => {
          try { action(); } catch (error) { console.log(error.code, error.message); }
        };
        tell(() => fs.readFileSync('x')); tell(() => fs.existsSync('x')); tell(() => child.execSync('ls'));
        tell(() => createRequire(import.meta.url)('./x.js')); tell(() => crypto.createSign('md5'));
        tell(() => os.hostname()); console.log(tty.isatty(1), crypto.randomBytes(4).length);
        """
      ], run: "nbridge run main.mjs",
      output: """
        ENOENT ENOENT: fs.readFileSync() can't look for it: nbridge has no files that are read at once; \
        files are read and written by calls that are awaited: import { readFile } from "node:fs/promises", \
        open 'x'
        ENOSYS nbridge has no fs.existsSync(); files are read and written by calls that are awaited: \
        import { access } from "node:fs/promises"
        ERR_NBRIDGE_MISSING nbridge has no child_process.execSync(); programs are awaited: \
        import { promisify } from "node:util", then await promisify(exec)(...)
        MODULE_NOT_FOUND Cannot find module './x.js': there is no './x.js' here
        ERR_NBRIDGE_MISSING nbridge has no crypto.createSign()
        ERR_NBRIDGE_MISSING nbridge has no os.hostname(); nbridge.app.deviceInfo() tells about the machine
        false 4

        """),
    Case(
      name: "an error of a module stands at the script's call",
      files: ["main.mjs": "import path from 'node:path';\n\npath.join(5);"], run: "nbridge run main.mjs",
      errors: [
        """
        main.mjs:3:6
        path.join(5);
             ^
        TypeError: The "path" argument must be of type string. Received type number (5) [ERR_INVALID_ARG_TYPE]
            at main.mjs:3:6

        """
      ], status: 1),
    Case(
      name: "files by relative paths are the app's documents, by whole ones its own",
      files: [
        "main.mjs": """
        import fs from 'node:fs/promises'; import callbacks from 'node:fs';
        import { fileURLToPath } from 'url';
        const tell = (error) => `${error.code} ${error.syscall} ${error.path}`;
        await fs.mkdir('notes/2026', { recursive: true }); await fs.writeFile('notes/a.txt', 'hello');
        await fs.appendFile('notes/a.txt', ' world'); await fs.copyFile('notes/a.txt', 'notes/2026/b.txt');
        const bytes = await fs.readFile('notes/a.txt');
        console.log(await fs.readFile('notes/a.txt', 'utf8'), bytes.toString('hex', 0, 2));
        console.log(await fs.readdir('notes', { recursive: true }), (await fs.stat('notes')).isDirectory());
        const entries = await fs.readdir('notes', { withFileTypes: true });
        console.log(entries.map((one) => [one.name, one.isFile()]));
        console.log(await fs.mkdir('notes').catch(tell), await fs.rm('notes').catch((error) => error.code));
        const exclusive = await fs.writeFile('notes/a.txt', '', { flag: 'wx' }).catch(tell);
        console.log(exclusive, await fs.rmdir('notes').catch(tell));
        await fs.rename('notes/a.txt', 'c.txt'); await fs.unlink('c.txt');
        await fs.rm('c.txt', { force: true });
        await fs.rm('notes', { recursive: true });
        console.log(await fs.access('notes').catch(tell), await fs.readdir('.'));
        console.log((await fs.readFile(fileURLToPath(import.meta.url), 'utf8')).slice(0, 9));
        console.log(await fs.writeFile(new URL('x', import.meta.url), '').catch((error) => error.code));
        callbacks.readFile('none', (error, text) => console.log(error.code, text));
        """
      ], run: "nbridge run main.mjs",
      output: """
        hello world 6865
        [ '2026', '2026/b.txt', 'a.txt' ] true
        [ [ '2026', false ], [ 'a.txt', true ] ]
        EEXIST mkdir notes ERR_FS_EISDIR
        EEXIST open notes/a.txt ENOTEMPTY rmdir notes
        ENOENT access notes []
        import fs
        EACCES
        ENOENT undefined

        """),
    Case(
      name: "process prints, warns and ends",
      files: [
        "main.mjs": """
        import process from 'process';
        process.on('exit', (code) => console.log('exit', code));
        process.emitWarning('old', 'DeprecationWarning', 'D1');
        process.stdout.write('a'); process.stdout.write('b\\nc');
        await new Promise((done) => process.nextTick(done, 1));
        process.exitCode = 3; process.exit();
        """
      ], run: "nbridge run main.mjs", output: "ab\ncexit 3\n",
      errors: ["(nbridge) [D1] DeprecationWarning: old\n"], status: 3),
    Case(
      name: "a program that ends by itself tells so, and with which status",
      files: [
        "main.mjs": """
        import process from 'node:process';
        process.on('exit', (code) => { process.stdout.write(`exit ${code} ${process.exitCode}\\n`); });
        process.on('exit', () => { process.exitCode = 7; });
        setTimeout(() => { process.exitCode = 3; console.log('last'); }, 1);
        """
      ], run: "nbridge run main.mjs", output: "last\nexit 3 3\n", status: 7),
    Case(
      name: "an error that ends a program is told, too",
      files: [
        "main.mjs": """
        import process from 'node:process'; process.on('exit', (code) => console.log('exit', code));
        setTimeout(() => { throw new Error('it broke'); }, 1);
        """
      ], run: "nbridge run main.mjs", output: "exit 1\n", errors: ["Error: it broke"], status: 1),
    Case(
      name: "modules that require each other",
      files: [
        "main.mjs": "import a from './a.cjs'; console.log(a);",
        "a.cjs": "exports.early = 1; exports.b = require('./b.cjs').seen;",
        "b.cjs": "exports.seen = Object.keys(require('./a.cjs'));",
      ], run: "nbridge run main.mjs", output: "{ early: 1, b: [ 'early' ] }\n"),
    Case(
      name: "what is shown of an iterator is what it then gives, wherever it stands",
      files: [
        "main.mjs": """
        import { inspect } from 'util';
        const add = (c, key) => c instanceof Map ? c.set(key, key) : c.add(key);
        const changes = [() => {}, (c) => c.delete(0), (c) => c.delete(1), (c) => c.delete(3),
          (c) => { c.delete(0); c.delete(1); c.delete(2); }, (c) => add(c, 9), (c) => c.clear()];
        let whole = 0, unknown = 0;
        for (const kind of [Map, Set]) for (const way of ["keys", "values", "entries"]) {
          for (let steps = 0; steps <= 5; steps++) for (const change of changes) {
            const c = new kind();
            for (let i = 0; i < 4; i++) add(c, i);
            const iterator = c[way]();
            for (let i = 0; i < steps; i++) iterator.next();
            change(c);
            const text = inspect(iterator), again = inspect(iterator);
            const name = `[${kind.name} ${way === "entries" ? "Entries" : "Iterator"}]`;
            const wanted = `${name} { ${[...iterator].map((item) => inspect(item)).join(", ")} }`;
            if (text !== again) console.log("moved", text, again);
            if (text === wanted) whole++;
            // A table that was left behind is not followed.
            else if (text === `${name} { <items unknown> }`) unknown++;
            else console.log(text, "is", wanted);
          }
        }
        console.log(whole + unknown, unknown <= 72, inspect(new Map([[1, [2]]]).entries()));
        """
      ], run: "nbridge run main.mjs",
      output: "252 true [Map Entries] { [ 1, [ 2 ] ] }\n"),
    Case(
      name: "inspect of what can't be looked at",
      files: [
        "main.mjs": """
        import { inspect } from 'util';
        const trap = (name) => () => { throw new Error(name); };
        const bad = new Proxy({}, { ownKeys: trap('keys'), get: trap('get') });
        const gone = Proxy.revocable({}, {}); gone.revoke();
        let deep = {}; for (let at = 0; at < 1e5; at++) deep = { deep };
        console.log(inspect([bad]), /threw/.test(inspect(gone.proxy)));
        console.log(/interrupted/.test(inspect(deep, { depth: null })));
        console.log(inspect(Object.assign(new Error('e'), { code: 'X' })).split('\\n')[0]);
        """
      ], run: "nbridge run main.mjs",
      output: "[ [Object: <Inspection threw (keys)>] ] true\ntrue\nError: e\n"),
    Case(
      name: "createRequire gives a require that finds, tells, keeps and forgets",
      files: [
        "main.mjs": """
        import { createRequire } from 'node:module';
        const require = createRequire(import.meta.url);
        const short = (path) => path.slice(import.meta.dirname.length);
        const tell = (f) => { try { console.log(f()); } catch (e) { console.log(e.code); } };
        for (const name of ['./b.txt', 'fs', 'node:fs', 'p', './none']) {
          tell(() => require.resolve(name).replace(import.meta.dirname, ''));
        }
        const path = require.resolve('p');
        console.log(require('p').count, require('p').count, Object.keys(require.cache).map(short));
        delete require.cache[path]; console.log(require('p').count);
        require.cache[path].exports = 'mine'; console.log(require('p'));
        require.cache[require.resolve('./awaits.mjs')] = { exports: 'fake' };
        console.log(require('./awaits.mjs')); delete require.cache[require.resolve('./awaits.mjs')];
        const inner = createRequire(path);
        console.log(inner('./other.js'), inner.resolve.paths('x').length > 3);
        console.log(short(require.resolve('p', { paths: ['/', import.meta.dirname] })));
        tell(() => require('none')); tell(() => createRequire('./x')); tell(() => require('./awaits.mjs'));
        """,
        "b.txt": "", "awaits.mjs": "await 1; export default 1",
        "node_modules/p/package.json": #"{ "main": "i.js" }"#,
        "node_modules/p/other.js": "module.exports = 8",
        "node_modules/p/i.js": "exports.count = globalThis.count = (globalThis.count ?? 0) + 1;",
      ], run: "nbridge run main.mjs",
      output: """
        /b.txt
        fs
        node:fs
        /node_modules/p/i.js
        MODULE_NOT_FOUND
        1 1 [ '/node_modules/p/i.js' ]
        2
        mine
        fake
        8 true
        /node_modules/p/i.js
        MODULE_NOT_FOUND
        ERR_INVALID_ARG_VALUE
        ERR_REQUIRE_ASYNC_MODULE

        """),
  ]
}
