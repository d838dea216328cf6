// SPDX-License-Identifier: MIT

import Testing

/// What Node's modules refuse, and what they make of their options, as Node 20 does.
@Suite struct NodeOptionTests {
  private static let value = "ERR_INVALID_ARG_VALUE"
  private static let type = "ERR_INVALID_ARG_TYPE"
  private static let range = "ERR_OUT_OF_RANGE"

  @Test(arguments: [
    ("fs.readFile('f', { flag: 'q' })", value), ("fs.readFile('f', { flag: 'w' })", "EBADF"),
    ("fs.readFile('f', { flag: 'a' })", "EBADF"), ("fs.readFile('f', { flag: 'ax+' })", "EEXIST"),
    ("fs.readFile('f', { flag: 1.5 })", range), ("fs.readFile('f', 5)", type),
    ("fs.readFile('f', 'nope')", value),
    ("fs.readFile('f', { encoding: 5 })", value), ("fs.readFile('f', { signal: 5 })", type),
    ("fs.readFile('f', { flag: 'rs', encoding: 'utf8' })", "abc"),
    ("fs.readFile('f', { flag: 0, encoding: 'utf8' })", "abc"),
    ("fs.readFile('new', { flag: 'a+' }).then(async (t) => `${t}${(await fs.stat('new')).size}`)", "0"),
    ("fs.readFile('f', { flag: 'w' }).catch(() => fs.readFile('f', 'utf8'))", "abc"),
    ("fs.readFile('none', { flag: 'r+' })", "ENOENT"),
    ("fs.writeFile('f', 'Z', { flag: 'q' })", value), ("fs.writeFile('f', 'Z', { flag: 'r' })", "EBADF"),
    ("fs.writeFile('f', 'Z', 5)", type), ("fs.writeFile('f', 'Z', 'nope')", value),
    ("fs.writeFile('f', 'Z', { flush: 1 })", type), ("fs.appendFile('f', 'Z', 'nope')", value),
    ("fs.writeFile('f', 'Z', { flag: 'a+' }).then(() => fs.readFile('f', 'utf8'))", "abcZ"),
    ("fs.writeFile('f', 'Z', { flag: 'as' }).then(() => fs.readFile('f', 'utf8'))", "abcZ"),
    ("fs.writeFile('f', 'Z', { flag: 'w+' }).then(() => fs.readFile('f', 'utf8'))", "Z"),
    ("fs.writeFile('f', 'Z', { flag: 'ax+' })", "EEXIST"),
    ("fs.access('f', 99)", range), ("fs.access('f', -1)", range), ("fs.access('f', '4')", type),
    ("fs.access('f', 1)", "EACCES"), ("fs.access('f', 6)", "undefined"),
    ("fs.readdir('.', 5)", type), ("fs.readdir('.', 'nope')", value), ("fs.realpath('f', 5)", type),
    ("fs.mkdtemp('d-', 'nope')", value), ("fs.truncate('f', '2')", type), ("fs.truncate('f', 1.5)", range),
    ("fs.truncate('f', -1).then(() => fs.readFile('f', 'utf8'))", ""),
    (
      "fs.lstat('f', { bigint: true }).then((s) => [s.size, s.mtimeNs / 1000000n === s.mtimeMs, s.isFile()])",
      "3,true,true"
    ),
    ("fs.stat('f', { bigint: true }).then((s) => typeof s.mode)", "bigint"),
    ("(async () => callbacks.readFile('f'))().catch((e) => e.message.slice(-9))", "undefined"),
    ("(async () => callbacks.writeFile('f', 'x'))().catch((e) => e.message.slice(-9))", "undefined"),
  ])
  func optionsOfFilesAreLookedAt(_ line: String, _ answer: String) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "s.mjs": """
      import fs from 'node:fs/promises'; import callbacks from 'node:fs';
      await fs.writeFile('f', 'abc');
      console.log(await (async () => \(line))().then(String, (error) => error.code));
      """
    ])
    let result = try runner.shell("nbridge run --container c s.mjs")
    #expect(result.output == answer + "\n" && result.errors == "", "\(result)")
  }

  @Test(arguments: [
    ("require('')", value), ("require(1)", type), ("require()", type), ("require.resolve(1)", type),
    ("require.resolve.paths(1)", type), ("module.require(1)", type),
    ("require('node:nope')", "ERR_UNKNOWN_BUILTIN_MODULE"),
    ("import('node:' + 'nope')", "ERR_UNKNOWN_BUILTIN_MODULE"),
    ("require.resolve('node:nope')", "MODULE_NOT_FOUND"), ("require('nope')", "MODULE_NOT_FOUND"),
    ("require('node:child_process').spawn('true', 'x')", type + " args"),
    ("require('node:child_process').execFile('true', 5)", type + " args"),
    ("require('node:child_process').spawn('true', [], 'x')", type + " options"),
  ])
  func namesAndArgumentsAreLookedAt(_ line: String, _ code: String) throws {
    let result = try CommandRunner.run(
      [
        "a.cjs": """
        (async () => \(line))().catch(({ code, message }) =>
          console.log(code + (/ "(?:args|options)"/.exec(message)?.[0].replaceAll('"', '') ?? '')));
        """
      ], "nbridge run a.cjs")
    #expect(result.output == code + "\n", "\(result)")
  }

  @Test func anImportRunsNoGetterOfWhatIsCommonJS() throws {
    let result = try CommandRunner.run(
      [
        "a.cjs": "module.exports = { get b() { console.log('ran'); return 1 }, c: 2 };",
        "a.mjs": """
        import a, { c } from './a.cjs'; import * as all from './a.cjs';
        const later = await import('./a.cjs');
        console.log(c, 'b' in all, later.default === a); console.log(a.b);
        """,
      ], "nbridge run a.mjs")
    #expect(result.output == "2 true true\nran\n1\n", "\(result)")
  }

  @Test func theProgramKnowsWhoStartedIt() throws {
    let result = try CommandRunner.run(
      ["a.mjs": "import process from 'node:process'; console.log(process.ppid)"],
      #"sh -c 'echo $$; "$NBRIDGE" run a.mjs; true'"#)
    let lines = result.output.split(separator: "\n")
    #expect(lines.count == 2 && lines.first == lines.last, "\(result)")
  }

  @Test func aStdinThatWasClosedIsEmpty() throws {
    let result = try CommandRunner.run(
      [
        "a.mjs": """
        import process from 'node:process'; let text = '';
        for await (const chunk of process.stdin) text += chunk;
        console.log([text]);
        """
      ], "nbridge run a.mjs <&-")
    #expect(result.output == "[ '' ]\n" && result.status == 0, "\(result)")
  }

  @Test(arguments: [
    ("new URL('http://a/?b=c')", "searchParams: URLSearchParams { 'b' => 'c' }"),
    ("new URLSearchParams('a=1')", "URLSearchParams { 'a' => '1' }"),
    ("new URLSearchParams()", "URLSearchParams {}"),
    ("{ u: { u: { u: { u: new URL('http://a/') } } } }", "{ u: { u: { u: [Object] } } }"),
    ("new AbortController()", "AbortController { signal: AbortSignal { aborted: false } }"),
    ("new Blob(['a'])", "Blob { size: 1, type: '' }"),
    ("Object.assign(new Error('m'), { stack: 'S\\n   at custom' })", "[S\n   at custom]"),
    ("{ [Symbol.toStringTag]: 'A' }", "{ [Symbol(Symbol.toStringTag)]: 'A' }"),
  ])
  func inspectShowsWhatObjectsHold(_ value: String, _ shown: String) throws {
    let result = try CommandRunner.run(
      ["a.mjs": "import { inspect } from 'node:util'; console.log(inspect(\(value)))"], "nbridge run a.mjs")
    #expect(result.output.contains(shown), "\(result)")
  }
}
