// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// How `node:process` hears of the end of a program, as Node 20.20 tells it.
@Suite struct ProcessEndTests {
  @Test func beforeTheEndMoreWorkCanBeBegun() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "main.mjs": """
      import process from 'node:process';
      let left = 2;
      process.on('beforeExit', (code) => {
        console.log('empty', code);
        if (left-- > 0) setTimeout(() => console.log('more', left), 1);
        else process.exitCode = 5;
      });
      process.on('exit', (code) => console.log('exit', code));
      setTimeout(() => console.log('first'), 1);
      """
    ])
    let output = "first\nempty 0\nmore 1\nempty 0\nmore 0\nempty 0\nexit 5\n"
    let result = try runner.shell("nbridge run --record run.rec main.mjs")
    #expect(result.output == output && result.status == 5, "\(result.output)\(result.errors)")
    let replayed = try runner.shell("nbridge run --replay run.rec main.mjs")
    #expect(replayed.output == output && replayed.status == 5, "\(replayed.output)\(replayed.errors)")
  }

  @Test(arguments: [
    ("exit", "", 3), ("throw", "", 1), ("listener", "", 1), ("inside", "", 7), ("await", "never\n", 13),
    ("heard", "heard Error: y\nnever\n", 1),
  ])
  func itIsNotToldWhereTheProgramIsEnded(_ word: String, _ output: String, _ status: Int) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "main.mjs": """
      import process from 'node:process';
      process.on('beforeExit', () => console.log('never'));
      const fail = () => { throw new Error('y') };
      switch (process.argv[2]) {
      case 'exit': process.exit(3);
      case 'throw': setTimeout(fail, 1); break;
      case 'listener': process.prependListener('beforeExit', fail); break;
      case 'inside': process.prependListener('beforeExit', () => process.exit(7)); break;
      case 'await': await new Promise(() => {}); break;
      case 'heard':
        addEventListener('error', (event) => {
          event.preventDefault();
          console.log('heard', String(event.error));
          setTimeout(() => { process.exitCode = 1 });
        });
        process.once('beforeExit', () => {});
        process.prependOnceListener('beforeExit', fail);
      }
      """
    ])
    let result = try runner.shell("nbridge run main.mjs \(word)")
    #expect(result.output == output && Int(result.status) == status, "\(result.output)\(result.errors)")
  }

  @Test func memoryIsTold() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "main.mjs": """
      import process from 'node:process';
      const { rss, heapTotal, heapUsed, external, arrayBuffers } = process.memoryUsage();
      const kept = new Uint8Array(50e6).fill(1);
      console.log(rss > 5e6, heapTotal > 1e4, heapUsed > 0, external >= 0, arrayBuffers >= 0,
        process.memoryUsage.rss() - rss > 40e6, kept.length);
      """
    ])
    let output = "true true true true true true 50000000\n"
    let result = try runner.shell(
      "nbridge run --record run.rec main.mjs && nbridge run --replay run.rec main.mjs")
    #expect(result.output == output + output && result.status == 0, "\(result.output)\(result.errors)")
  }

  /// The status that a file of tests ends with counts, whoever sets it and when.
  @Test(arguments: [
    ("process.exitCode = 3", "status 3"), ("process.on('exit', () => { process.exitCode = 3 })", "status 3"),
    ("process.on('exit', () => process.exit(4))", "status 4"),
    ("process.on('exit', () => { throw new Error('too late') })", "too late"),
    ("process.on('exit', (code) => { Object.prototype.exitCode = 0; process.exitCode = 3 })", "status 3"),
  ])
  func theStatusOfAFileOfTestsCounts(_ line: String, says: String) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(["a.test.mjs": "import process from 'node:process'; test('t', () => {}); \(line);"])
    let result = try runner.shell("nbridge test")
    #expect(result.status == 1 && result.output.contains(says), "\(result.output)\(result.errors)")
    #expect(result.output.contains("1 passed, 1 failed"), "\(result.output)")
  }
}
