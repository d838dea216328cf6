// SPDX-License-Identifier: MIT

import Testing

/// Packages that were written for Node, unchanged, from Debian's folder of them.
@Suite struct NodePackageTests {
  struct Case: Sendable, CustomTestStringConvertible {
    /// The package, then what it needs.
    let packages: String
    let program: String
    let output: String
    var testDescription: String { packages.split(separator: " ").first.map(String.init) ?? packages }
  }

  @Test(arguments: cases)
  func runs(_ test: Case) throws {
    try run(test, "nbridge run main.mjs")
  }

  /// What is on the command line, and in the program's streams.
  @Test func commandsAndStreamsAreTheProcesss() throws {
    let test = Case(
      packages: """
        commander readable-stream inherits string_decoder util-deprecate safe-buffer core-util-is isarray \
        process-nextick-args
        """,
      program: """
        import process from "node:process";
        import { Command } from "commander"; import { Transform } from "readable-stream";
        const program = new Command("tool").exitOverride();
        program.command("raise <word>").option("-e, --end <text>").action((word, { end }) => {
          const transform = (chunk, encoding, done) => done(null, `${chunk}`.toUpperCase() + end);
          process.stdout.write(`${word}: `);
          process.stdin.pipe(new Transform({ transform })).pipe(process.stdout);
        });
        program.parse();
        """, output: "it: HI!\n")
    try run(test, "printf hi | nbridge run main.mjs raise it --end '!\n'")
  }

  private func run(_ test: Case, _ line: String) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    // Copies, since a package behind a link would look for others beside the file itself.
    let copied = try runner.shell(
      """
      mkdir node_modules; for name in \(test.packages); do
        cp -rL "/usr/share/nodejs/$name" node_modules/ || exit 1; done
      """)
    guard copied.status == 0 else {
      Issue.record("\(copied.errors)there is no such package: run make setup EXTRA=... of TEST_PACKAGES")
      return
    }
    try runner.write(["main.mjs": test.program])
    let result = try runner.shell(line)
    #expect(result.output == test.output, "\(result.errors)")
    #expect(result.errors == "" && result.status == 0)
  }

  static let cases: [Case] = [
    Case(
      packages: """
        express debug ms methods array-flatten parseurl path-to-regexp setprototypeof utils-merge depd
        """,
      program: """
        import Router from "express/lib/router/index.js";
        const router = Router();
        router.use((request, response, next) => { request.seen = "seen"; next(); });
        router.get("/user/:id", ({ params, seen }, { say }) => say(`user ${params.id} ${seen}`));
        router.post("/x", (request, response, next) => next(new Error("no")));
        router.use((error, request, { say }, next) => say(`failed: ${error.message}`));
        for (const [method, url] of [["GET", "/user/5"], ["POST", "/x"], ["GET", "/none"]]) {
          const ask = (say) => router({ method, url, headers: {} }, { say }, () => say("none"));
          console.log(await new Promise(ask));
        }
        """,
      output: "user 5 seen\nfailed: no\nnone\n"),
    Case(
      packages: "commander",
      program: """
        import { Command } from "commander";
        const program = new Command().exitOverride();
        program.configureOutput({ writeErr: (text) => console.log(text.trim()) });
        program.name("tool").version("1.2.3").option("-f, --flag <n>", "a flag", "0")
          .argument("<file>", "a file").action((file, option) => console.log(file, option));
        program.parse(["x.txt", "-f", "7"], { from: "user" });
        try { program.parse(["--bogus"], { from: "user" }); } catch (error) { console.log(error.code); }
        console.log(program.helpInformation().split("\\n")[0]);
        """,
      output: """
        x.txt { flag: '7' }
        error: unknown option '--bogus'
        commander.unknownOption
        Usage: tool [options] <file>

        """),
    Case(
      packages: """
        yargs yargs-parser y18n escalade get-caller-file require-directory cliui string-width strip-ansi \
        wrap-ansi ansi-regex ansi-styles color-convert color-name emoji-regex is-fullwidth-code-point
        """,
      program: """
        import yargs from "yargs";
        const tool = yargs(["build", "--port=80", "-v", "a"]).scriptName("tool").locale("en")
          .exitProcess(false)
          .command("build [dir]", "builds", (build) => build.option("port", { type: "number" }))
          .option("v", { alias: "verbose", type: "boolean" });
        const { port, v, verbose, _, dir } = tool.parse();
        console.log(port, v, verbose, _, dir);
        tool.parse(["--help"], {}, (error, argv, text) => console.log(text.split("\\n")[0]));
        """, output: "80 true true [ 'build' ] a\ntool [command]\n"),
    Case(
      packages: "chalk",
      program: """
        import { Chalk } from "chalk"; const chalk = new Chalk({ level: 3 });
        console.log(JSON.stringify(chalk.red.bold("x") + chalk.hex("#123456")("y")));
        """,
      output: #"""
        "\u001b[31m\u001b[1mx\u001b[22m\u001b[39m\u001b[38;2;18;52;86my\u001b[39m"

        """#),
    Case(
      packages: "ajv fast-deep-equal fast-json-stable-stringify json-schema-traverse uri-js",
      program: """
        import Ajv from "ajv";
        const check = new Ajv({ allErrors: true }).compile({ type: "object", required: ["a"],
          properties: { a: { type: "integer", minimum: 2 }, u: { type: "string", pattern: "^x" } } });
        console.log(check({ a: 3, u: "xy" }), check({ a: 1, u: "q" }), check.errors.length);
        """, output: "true false 2\n"),
    Case(
      packages: "semver lru-cache yallist",
      program: """
        import semver from "semver";
        const { satisfies, inc, coerce } = semver;
        console.log(satisfies("1.2.3", "^1.0.0"), inc("1.2.3", "minor"), coerce("v2").version);
        """, output: "true 1.3.0 2.0.0\n"),
    // It ends: its promises use Node's process, not a channel that holds the program open.
    Case(
      packages: "core-js-pure",
      program: """
        import "core-js-pure"; import Promise from "core-js-pure/es/promise/index.js";
        Promise.resolve(1).then(console.log); console.log("in");
        """, output: "in\n1\n"),
    Case(
      packages: "minimist",
      program: """
        import minimist from "minimist"; console.log(minimist(["-a", "--b=1", "c", "--no-d", "--", "e"]));
        """, output: "{ _: [ 'c', 'e' ], a: true, b: 1, d: false }\n"),
    Case(
      packages: "lodash",
      program: """
        import _ from "lodash";
        console.log(_.chunk([1, 2, 3], 2), _.template("hi <%= n %>")({ n: 5 }));
        console.log(_.cloneDeep(new Map([[1, { a: 1 }]])));
        """, output: "[ [ 1, 2 ], [ 3 ] ] hi 5\nMap(1) { 1 => { a: 1 } }\n"),
    Case(
      packages: "uuid",
      program: """
        import { v4, v5, validate } from "uuid"; console.log(validate(v4()), v5("a", v5.URL));
        """, output: "true e1407479-3136-56c0-9908-bb02fb0339e2\n"),
    Case(
      packages: "async",
      program: """
        import async from "async";
        async.mapLimit([1, 2, 3], 2, (one, done) => done(null, one * 2), (error, all) => console.log(all));
        const steps = [(done) => done(null, 1), (a, done) => done(null, a + 1)];
        async.waterfall(steps, (error, b) => console.log(error, b));
        """, output: "[ 2, 4, 6 ]\nnull 2\n"),
    Case(
      packages: "debug ms",
      program: """
        import debug from "debug"; import ms from "ms";
        console.log(debug.humanize(90000), ms("2 days"));
        """, output: "2m 172800000\n"),
    Case(
      packages: "minimatch brace-expansion balanced-match",
      program: """
        import match from "minimatch";
        console.log(match("a/b.js", "**/*.js"), match("x.a", "x.{a,b}"), match("x.c", "x.{a,b}"));
        """, output: "true true false\n"),
    Case(
      packages: "mime mime-types mime-db",
      program: """
        import mime from "mime"; import types from "mime-types";
        console.log(mime.getType("a.png"), mime.getExtension("text/html"), types.contentType("a.json"));
        """, output: "image/png html application/json; charset=utf-8\n"),
    Case(
      packages: "qs side-channel get-intrinsic call-bind object-inspect has-symbols has function-bind",
      program: """
        import qs from "qs";
        console.log(qs.parse("a[b][]=1&a[b][]=2&c=%20x"), qs.stringify({ a: [1, { b: "c d" }] }));
        """, output: "{ a: { b: [ '1', '2' ] }, c: ' x' } a%5B0%5D=1&a%5B1%5D%5Bb%5D=c%20d\n"),
    Case(
      packages: "marked",
      program: """
        import { marked } from "marked"; console.log(marked.parse("# T\\n\\n*a* `b`").replace(/ id="t"/, ""));
        """, output: "<h1>T</h1>\n<p><em>a</em> <code>b</code></p>\n\n"),
    Case(
      packages: "js-yaml argparse",
      program: """
        import yaml from "js-yaml";
        const text = "a: 1\\nb:\\n - x\\n - !!binary aGk=\\n";
        console.log(yaml.load(text), yaml.dump({ a: [1, { b: "c: d" }] }));
        """, output: "{ a: 1, b: [ 'x', Uint8Array(2) [ 104, 105 ] ] } a:\n  - 1\n  - b: 'c: d'\n\n"),
    Case(
      packages: "ini",
      program: """
        import ini from "ini";
        console.log(ini.parse("a=1\\n[s]\\nb[]=2\\nb[]=3").s.b, ini.stringify({ s: { b: true } }));
        """, output: "[ '2', '3' ] [s]\nb=true\n\n"),
    Case(
      packages: "json5 clone escape-string-regexp strip-ansi ansi-regex inherits bytes cookie camelcase",
      program: """
        import JSON5 from "json5"; import clone from "clone"; import escape from "escape-string-regexp";
        import strip from "strip-ansi"; import inherits from "inherits"; import bytes from "bytes";
        import cookie from "cookie"; import camel from "camelcase";
        function A() {} function B() {} inherits(B, A);
        console.log(JSON5.parse("{a:1,/*c*/b:'x'}"), clone({ a: [1] }), escape("a.b*"),
          strip("\\u001b[31mx\\u001b[0m"), new B() instanceof A, bytes("1kb"),
          cookie.parse("a=1; b=%20").b === " ", camel("foo-bar"));
        """, output: "{ a: 1, b: 'x' } { a: [ 1 ] } a\\.b\\* x true 1024 true fooBar\n"),
    Case(
      packages: "iconv-lite safer-buffer",
      program: """
        import iconv from "iconv-lite";
        const encoded = iconv.encode("\\uc548\\ub155", "euc-kr");
        console.log(iconv.decode(encoded, "euc-kr"), iconv.encode("\\xe9", "latin1")[0]);
        """, output: "\u{c548}\u{b155} 233\n"),
    Case(
      packages: """
        readable-stream inherits string_decoder util-deprecate safe-buffer core-util-is isarray \
        process-nextick-args
        """,
      program: """
        import stream from "readable-stream";
        const transform = (chunk, encoding, done) => done(null, `${chunk}`.toUpperCase());
        const upper = new stream.Transform({ transform });
        upper.on("data", (chunk) => console.log(String(chunk))); upper.end("hi");
        """, output: "HI\n"),
    Case(
      packages: "picomatch micromatch braces fill-range to-regex-range is-number",
      program: """
        import match from "micromatch";
        console.log(match(["a.js", "b.md"], "*.js"), match.isMatch("a/b/c.js", "a/**/*.js"));
        """, output: "[ 'a.js' ] true\n"),
  ]
}
