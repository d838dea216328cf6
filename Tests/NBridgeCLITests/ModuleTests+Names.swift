// SPDX-License-Identifier: MIT

import Testing

/// Where names of modules lead, and what their attributes and options mean (ECMA-262, 13.3.10, 16.2).
extension ModuleTests {
  @Test(arguments: nameCases)
  func namesLead(_ test: Case) throws { try behaves(test) }

  /// The engine quotes the text that it ran: a script that reads the message finds its own.
  @Test func whatIsCaughtSpeaksOfTheAuthorsText() throws {
    let result = try CommandRunner.run(
      [
        "a.mjs": "export const x = undefined; export let f = 5; export const o = {};",
        "main.mjs": """
        import { x, f, o } from './a.mjs'; import * as ns from './a.mjs';
        const say = (body) => { try { body() } catch (error) { console.log(error.message) } };
        say(() => x.foo()); say(() => f()); say(() => o.a.b); say(() => new f()); say(() => ns.nope());
        say(() => o.b(f)); say(() => f`a`); say(() => { throw { message: 'own' } });
        try { await (async () => x.y)() } catch (error) { console.log(error.message) }
        try { throw new Proxy(new Error('hidden'), {}) } catch (x) { console.log(x.message) }
        try { throw Object.freeze(new Error('\u{1C3}i.x')) } catch (e) { console.log(e.message.length) }
        try { x.foo() } catch ({ message: m = "none", ...rest }) {
          let inner = rest; console.log(m, typeof inner);
        }
        try { throw 5 } catch ({ message = f }) { console.log(message) }
        """,
      ], "nbridge run main.mjs")
    #expect(
      result.output == """
        undefined is not an object (evaluating 'x.foo')
        f is not a function. (In 'f()', 'f' is 5)
        undefined is not an object (evaluating 'o.a.b')
        5 is not a constructor (evaluating 'new f()')
        ns.nope is not a function. (In 'ns.nope()', 'ns.nope' is undefined)
        o.b is not a function. (In 'o.b(f)', 'o.b' is undefined)
        5 is not a function (near '...f`a`...')
        own
        undefined is not an object (evaluating 'x.y')
        hidden
        4
        undefined is not an object (evaluating 'x.foo') object
        5

        """, "\(result)")
  }

  /// A pipe gives its text once.
  @Test(arguments: [
    (#"bash -c '"$NBRIDGE" run <(cat ok.mjs)'"#, "x.txt\n", 0),
    ("cat ok.mjs | nbridge run /dev/stdin", "x.txt\n", 0),
    (#"bash -c '"$NBRIDGE" run <(cat bad.mjs)'"#, "SyntaxError", 1),
    (#"bash -c '"$NBRIDGE" check <(cat bad.mjs)'"#, "SyntaxError", 1),
    ("cat bad.mjs | nbridge check -", "SyntaxError", 1), ("nbridge check - < ok.mjs", "", 0),
  ])
  func aModuleMayComeThroughAPipe(_ line: String, _ says: String, _ status: Int32) throws {
    let result = try CommandRunner.run(
      [
        "ok.mjs": "import { basename } from 'node:path'; console.log(basename('/a/x.txt'));",
        "bad.mjs": "import 'node:path'; let x = ;",
      ], line)
    #expect(result.status == status && (result.output + result.errors).contains(says), "\(line): \(result)")
  }

  /// What failed, by which name, where, and what to write, in words of our own; a call finds a code beside.
  @Test(arguments: [
    ("", "'' names no module; write the path of a file, as './module.js', or a package's name"),
    ("?x", "'?x' names no module; write the path of a file"),
    ("//host/x.mjs", "'//host/x.mjs' is no path; a path in full begins with one '/'"),
    ("./", "'./' is a folder without an index file; name a file in it"),
    ("..", "'..' is a folder without an index file; name a file in it"),
    ("./folder/.", "'./folder/.' is a folder without an index file; name a file in it"),
    (".none", "there is no '.none' here"), ("./link.mjs", "'./link.mjs' is a link that leads nowhere"),
  ])
  func aNameThatNamesNoFileIsTold(_ name: String, _ says: String) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "folder/x.txt": "", "main.mjs": "\nimport '\(name)';",
      "call.mjs": """
      const tell = (error) => console.log(error.code, error.message);
      import('\(name)').catch(tell);
      const late = '\(name)'; import(late).catch(tell);
      """,
      "require.cjs": "try { require('\(name)') } catch (error) { console.log(error.code, error.message) }",
    ])
    let result = try runner.shell("ln -s none link.mjs; nbridge run main.mjs")
    #expect(result.errors.hasPrefix("main.mjs:2:8\nimport '\(name)';\n       ^\n\(says)"), "\(result.errors)")
    #expect(!result.errors.contains("Could not resolve") && !result.errors.contains("external"))
    let called = try runner.shell("nbridge run call.mjs; nbridge run require.cjs").output
    let lines = called.split(separator: "\n")
    #expect(lines.count == 3, "\(called)")
    // No name at all is a wrong argument of `require`, as in Node.
    let missing = says.hasPrefix("there is no") ? "Cannot find module '\(name)': \(says)" : says
    let required = name.isEmpty ? "ERR_INVALID_ARG_VALUE The argument 'id'" : "MODULE_NOT_FOUND \(missing)"
    let imported = "ERR_MODULE_NOT_FOUND \(says)"
    for (line, said) in zip(lines, [imported, imported, required]) {
      #expect(line.hasPrefix(said), "\(called)")
    }
  }

  static let nameCases: [Case] = [
    Case(
      name: "what stands behind ? or # makes another instance, as in a URL",
      files: [
        "main.mjs": """
        import './side.mjs?v=1'; import { x as a } from './side.mjs#a'; import { x as b } from './side.mjs';
        import { x as same } from './side.mjs#a'; import { meta } from './side.mjs?v=1';
        const c = await import('./side.mjs?t=' + 1), d = await import('./side.mjs?t=1');
        console.log(a === b, a === same, c === d, c.x === b, meta.url.endsWith('/side.mjs?v=1'),
          meta.filename.endsWith('/side.mjs'));
        """, "side.mjs": "console.log('ran'); export const x = {}; export const meta = import.meta;",
      ], run: "nbridge run main.mjs && nbridge run main.mjs",
      output: String(
        repeating: "ran\nran\nran\nran\nfalse true true false true true\n", count: 2)),
    Case(
      name: "a file that is called so is that file",
      files: ["main.mjs": "import { x } from './a?b.mjs'; console.log(x)", "a?b.mjs": "export const x = 1"],
      run: "nbridge run main.mjs", output: "1\n"),
    Case(
      name: "an import's name is a URL, where no file is called so",
      files: [
        "a%20b/main.mjs": """
        import { x } from './c%20d/x.mjs?1'; import { x as same } from '../a%2520b/c%20d/x.mjs?1'
        import { y } from './%41.mjs'; import { z } from './%42.mjs'
        console.log(x === same, y, z, await import('./no%20ne.mjs').catch((error) => error.code))
        """, "a%20b/c d/x.mjs": "export const x = {}", "a%20b/A.mjs": "export const y = 'decoded'",
        "a%20b/%42.mjs": "export const z = 'as it is'",
      ], run: "cd a%20b; nbridge run main.mjs && nbridge run main.mjs",
      output: String(repeating: "true decoded as it is ERR_MODULE_NOT_FOUND\n", count: 2)),
    Case(
      name: "a script that a link leads to is where it is",
      files: [
        "src/main.mjs": """
        import './x.mjs'; import process from 'node:process';
        const end = (path) => path.split('/').slice(-2).join('/');
        console.log(end(import.meta.url), end(process.argv[1]), import.meta.main);
        """, "src/x.mjs": "import './main.mjs'; console.log('x')",
        "src/typed.ts": "const a: string = 'typed'; console.log(a)",
        "src/c.cjs": "console.log(require('./d.cjs'), require.main === module)",
        "src/d.cjs": "module.exports = 7", "src/plain.js": "throw new Error('plain')",
        "src/in.js": "console.log('stdin')", "bin/x.mjs": "console.log('the wrong one')",
      ],
      run: """
        cd bin; ln -s ../src/main.mjs tool; ln -s ../src/main.mjs t.mjs; ln -s ../src dir; ln -s tool tool2
        ln -s ../src/typed.ts typed; ln -s ../src/c.cjs c; ln -s ../src/plain.js plain
        for f in tool t.mjs dir/main.mjs tool2 typed c; do nbridge run $f; done
        nbridge check tool && cd ../src
        ln -s plain.js other.js; nbridge run /dev/stdin < in.js; nbridge run other.js
        """,
      output: String(repeating: "x\nsrc/main.mjs src/main.mjs true\n", count: 4) + "typed\n7 true\nstdin\n",
      errors: ["plain.js:1:1"], status: 1),
    Case(
      name: "an import map's targets may have queries, and be URLs",
      files: [
        "app.json": """
        {"id":"x.y","imports":
        {"lib":"./b.js?q","lib/":"./sub/","u":"file:///none.js","h":"https://a.b/"}}
        """,
        "b.js": "export const v = 'b'", "sub/z.js": "export const v = 'z'",
        "main.mjs": """
        for (const name of ['lib', 'lib/z.js?1', 'lib/z.js', './b.js?' + 'x'.repeat(300), 'u', 'h'])
          await import(name).then((m) => console.log(m.v), (e) => console.log(e.message.slice(0, 30)));
        """,
      ], run: "nbridge run main.mjs",
      output: "b\nz\nz\nb\ncan't open '/none.js': No such\n'https://a.b/' can't be import\n"),
    Case(
      name: "URLs of files lead to them",
      files: [
        "main.mjs": """
        const { x } = await import(new URL('./a%20b.mjs', import.meta.url)); console.log(x);
        console.log((await import(new URL('./a%20b.mjs?2', import.meta.url))).x === x);
        for (const url of ['file://host/x.mjs', 'file:///a%2Fb.mjs', 'file:///none.mjs'])
          await import(url).catch((e) => console.log(e.code, e.message));
        """, "a b.mjs": "export const x = {}",
      ], run: "nbridge run main.mjs",
      output: """
        {}
        false
        ERR_MODULE_NOT_FOUND 'file://host/x.mjs' is no URL of a file here, as file:///folder/module.js is one
        ERR_MODULE_NOT_FOUND 'file:///a%2Fb.mjs' is no URL of a file here, as file:///folder/module.js is one
        ERR_MODULE_NOT_FOUND can't open '/none.mjs': No such file or directory

        """),
    Case(
      name: "what no file is is refused, not left out",
      files: ["main.mjs": "import y from 'https://example.com/x.mjs'; console.log(y)"],
      run: "nbridge run main.mjs",
      errors: ["main.mjs:1:15", "modules come from files, and nothing is loaded by 'https:'"], status: 1),
    Case(
      name: "attributes may begin a line",
      files: [
        "main.mjs": "import d from './o.json'\nwith { type: 'json' }\nconsole.log(d.a)",
        "o.json": #"{"a":1}"#,
      ],
      run: "nbridge run main.mjs", output: "1\n"),
    Case(
      name: "an attribute that is unknown is refused",
      files: ["main.mjs": "import d from './o.json' with { type: 'json', foo: 'bar' }", "o.json": "1"],
      run: "nbridge run main.mjs", errors: ["main.mjs:1:47", "no import attribute 'foo'"], status: 1),
    Case(
      name: "a JSON module exports its value alone",
      files: [
        "main.mjs": """
        import * as m from './o.json' with { type: 'json' }; console.log(Object.keys(m), m.default.a);
        import { a } from './o.json'; console.log(a);
        """, "o.json": "\u{FEFF}{\"a\":1}",
      ], run: "nbridge run main.mjs", output: "[ 'default' ] 1\n1\n"),
    Case(
      name: "no name of a JSON module but default can be imported",
      files: ["main.mjs": "import { a } from './o.json' with { type: 'json' };", "o.json": #"{"a":1}"#],
      run: "nbridge run main.mjs", errors: ["SyntaxError", "\"a\""], status: 1),
    Case(
      name: "a text that only the engine finds wrong is a SyntaxError with its place",
      files: [
        "main.mjs": """
        for (const f of ['a', 'b', 'c', 'd'])
          await import(`./${f}.mjs`).catch((e) => console.log(e.name, e.message.length > 10));
        """, "a.mjs": "1;\nvar s; function s(){}", "b.mjs": "export let v = /(/;",
        "c.mjs": "class C { x = await 1 }", "d.mjs": "export { 'x' };",
      ], run: "nbridge run main.mjs", output: String(repeating: "SyntaxError true\n", count: 4)),
    Case(
      name: "a wrong module's line is shown",
      files: ["main.mjs": "import './a.mjs'", "a.mjs": "export {};\nlet v = /(/;\nv;\n"],
      run: "nbridge run main.mjs",
      errors: ["a.mjs:2:1\nlet v = /(/;", "SyntaxError: Invalid regular expression"], status: 1),
    Case(
      name: "the options of import() are looked at as the language wants it",
      files: [
        "main.mjs": """
        const own = new Error('own');
        for (const options of [null, 5, { with: 5 }, { with: { type: 5 } }, { with: { foo: 'bar' } },
          { get with() { throw own } }, { with: { get type() { throw own } } }])
          await import('./a.mjs', options).then(() => console.log('fulfilled'),
            (e) => console.log(e === own ? 'own' : e.name));
        console.log((await import('./a.mjs', { with: Object.create({ type: 5 }, { foo: { value: 5 } }) })).x);
        """, "a.mjs": "export const x = 1",
      ], run: "nbridge run main.mjs",
      output: "TypeError\nTypeError\nTypeError\nTypeError\nTypeError\nown\nown\n1\n"),
    Case(
      name: "a module that awaits is rejected before those that need it",
      files: [
        "main.mjs": """
        const log = []; const b = import('./b.mjs'); const a = import('./a.mjs');
        b.catch(() => log.push('b')); a.catch(() => log.push('a'));
        await Promise.allSettled([a, b]); console.log(log.join());
        """, "a.mjs": "import './b.mjs'", "b.mjs": "await new Promise((_, no) => setTimeout(no, 5, 1))",
      ], run: "nbridge run main.mjs", output: "b,a\n"),
  ]
}
