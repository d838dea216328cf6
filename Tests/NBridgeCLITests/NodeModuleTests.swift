// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Node's own modules in programs of modules, as packages import them.
@Suite struct NodeModuleTests {
  typealias Case = ModuleTests.Case

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

  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Node/"

  /// What is in `NAME.out` was printed by Node 20.20.
  @Test(arguments: [
    "paths", "inspects", "utils", "buffers", "urls", "emitters", "listeners",
    "shown", "faults", "files", "statuses",
    "digests", "subtle", "threads", "streams", "streams2", "streams3", "streams4",
    "gaps", "errors", "smalls",
  ])
  func printsWhatNodePrints(_ name: String) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let program = try String(contentsOfFile: Self.folder + name + ".mjs", encoding: .utf8)
    let expected = try String(contentsOfFile: Self.folder + name + ".out", encoding: .utf8)
    try runner.write([name + ".mjs": program])
    let result = try runner.shell("nbridge run \(name).mjs")
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
    let wanted = expected.split(separator: "\n", omittingEmptySubsequences: false)
    for (line, other) in zip(lines, wanted) where line != other {
      Issue.record("it prints\n\(line)\nand Node\n\(other)")
      break
    }
    #expect(lines.count == wanted.count)
  }

  private static let processes =
    "process.*,process.env:FOO,process.env:MINE,process.run:/usr/bin,process.run:/bin"

  /// Streams, children, lines and signals; the output is Node's, as above.
  @Test func processesDoWhatNodesDo() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let program = try String(contentsOfFile: Self.folder + "processes.mjs", encoding: .utf8)
    let expected = try String(contentsOfFile: Self.folder + "processes.out", encoding: .utf8)
    try runner.write(["processes.mjs": program, "in": "l1\nl2\nl3\nl4\nl5"])
    let result = try runner.shell(
      "FOO=bar MINE= nbridge run --timeout 60 --permissions '\(Self.processes)' processes.mjs a b < in")
    #expect(result.errors == "" && result.status == 4, "\(result.errors)")
    let (lines, wanted) = (result.output.split(separator: "\n"), expected.split(separator: "\n"))
    for (line, other) in zip(lines, wanted) where line != other {
      Issue.record("it prints\n\(line.prefix(200))\nand Node\n\(other.prefix(200))")
    }
    #expect(lines.count == wanted.count)
  }

  /// Starting one is an answer at once, which does not wait for a loop that is late.
  @Test func childrenStartHoweverLateTheLoopIs() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "main.mjs": """
      import { spawn } from "node:child_process";
      const codes = [];
      for (let i = 0; i < 40; i++) {
        for (const end = performance.now() + 5; performance.now() < end;);
        await null;
        codes.push(new Promise((done) => spawn("true").on("close", done)));
      }
      console.log((await Promise.all(codes)).join(""));
      """
    ])
    let result = try runner.shell("nbridge run --permissions '\(Self.processes)' main.mjs")
    #expect(result.output == String(repeating: "0", count: 40) + "\n", "\(result)")
  }

  /// What is not permitted is not there, or says what to add.
  @Test func processesKeepTheirPermissions() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "main.mjs": """
      import { execFile } from 'node:child_process'; import { promisify } from 'node:util';
      import process from 'node:process';
      console.log(process.env.HOME, process.env.FOO, Object.keys(process.env), process.stdout.isTTY);
      process.stdout.write('printed\\n');
      for (const program of ['/usr/bin/true', '/usr/bin/false']) {
        const error = await promisify(execFile)(program).catch((error) => error);
        console.log(error.code, /process.run:\\/usr\\/bin\\/true/.test(error.message));
      }
      """
    ])
    let list = "process.env:FOO,process.env,process.run:/usr/bin/false"
    let result = try runner.shell("FOO=bar nbridge run --permissions \(list) main.mjs")
    #expect(
      result.output == "undefined bar [] undefined\nprinted\nEACCES true\n1 false\n", "\(result.errors)")
  }

  /// An error that nobody hears is no rejection, nor is what a listener throws.
  @Test func whatNobodyHearsOfAChildIsAnUncaughtError() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "main.mjs": """
      import { exec, spawn } from 'node:child_process';
      for (const call of [() => spawn('a\\0b'), () => spawn('true', ['x', 'a\\0b']), () => exec('a\\0b'),
        () => spawn('true', { cwd: 'a\\0b' }), () => spawn('true', { env: { A: 'a\\0b' } })]) {
        try { call(); } catch ({ name, code, message }) { console.log(name, code, message); }
      }
      spawn('no-such-program');
      """,
      "exit.mjs": """
      import { spawn } from 'node:child_process';
      spawn('/bin/true').on('exit', () => { throw new Error('mine'); });
      """,
    ])
    let said = "must be a string without null bytes. Received 'a\\x00b'"
    let result = try runner.shell("nbridge run main.mjs")
    #expect(
      result.output == """
        TypeError ERR_INVALID_ARG_VALUE The argument 'file' \(said)
        TypeError ERR_INVALID_ARG_VALUE The argument 'args[1]' \(said)
        TypeError ERR_INVALID_ARG_VALUE The argument 'command' \(said)
        TypeError ERR_INVALID_ARG_VALUE The property 'options.cwd' \
        \(said.replacing("a string", with: "a string, Uint8Array, or URL"))
        TypeError ERR_INVALID_ARG_VALUE The property 'options.env['A']' \(said)

        """)
    #expect(result.errors.contains("Error: spawn no-such-program ENOENT"), "\(result.errors)")
    let thrown = try runner.shell("nbridge run --permissions process.run:/usr/bin,process.run:/bin exit.mjs")
    #expect(thrown.errors.contains("\nError: mine\n"), "\(thrown.errors)")
    for one in [result, thrown] {
      #expect(one.status == 1 && !one.errors.contains("Unhandled rejection"), "\(one.errors)")
    }
  }

  @Test func aModuleOfTheRuntimeStartsNoProcessTheSecondTime() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(["main.mjs": "import { join } from 'node:path'; console.log(join('a', '..', 'b'));"])
    #expect(try runner.shell("nbridge run main.mjs").output == "b\n")
    #expect(try runner.shell("PATH=/nowhere; nbridge run main.mjs").output == "b\n")
  }

  /// `process.cwd()` is told to a bundle when it is made: one of another folder is another.
  @Test func theWorkingFolderIsThatOfTheRun() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "main.mjs": "import p from 'process'; console.log(p.cwd().split('/').pop(), p.argv[2])",
      "sub/x.js": "",
    ])
    #expect(try runner.shell("cd sub; nbridge run ../main.mjs 7").output == "sub 7\n")
    #expect(try runner.shell("mkdir other; cd other; nbridge run ../main.mjs").output == "other undefined\n")
  }

  /// Only what a list of permissions names is reached through `node:fs`.
  @Test func filesKeepTheirPermissions() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "main.mjs": """
      import fs from 'node:fs/promises';
      const tell = (error) => error.code;
      console.log(await fs.writeFile('a.txt', 'x').catch(tell), await fs.readFile('a.txt').catch(tell));
      for (const path of ['../../../etc/passwd', '/etc/passwd']) {
        console.log(await fs.readFile(path).catch(tell));
      }
      """
    ])
    let read = try runner.shell("nbridge run --permissions documents.read main.mjs")
    #expect(read.output == "EACCES ENOENT\nEACCES\nEACCES\n", "\(read.errors)")
  }
}
