// SPDX-License-Identifier: MIT

import Testing

/// How tests end: what a test says of itself does not hide what failed, and what comes too late is told.
@Suite struct TestEndTests {
  @Test(arguments: [
    "test('a', (t) => { t.skip('x'); throw new Error('y') })",
    "test('a', async (t) => { t.skip('x'); await t.test('in', () => { throw new Error('y') }) })",
    "test('a', async (t) => { await t.test('in', (t) => { t.skip('x'); throw new Error('y') }) })",
    "test('a', (t) => { t.after(() => { throw new Error('y') }); t.skip('x') })",
    "afterEach((t) => { throw new Error('y') }); test('a', (t) => t.skip('x'))",
    "test('a', (t) => { t.skip('x'); Promise.reject(new Error('y')) })",
  ])
  func aTestThatSkipsItselfAndFailsHasFailed(_ text: String) throws {
    let result = try CommandRunner.run(["a.test.mjs": text])
    #expect(result.status == 1 && result.output.contains(/Error: .*y/), "\(result)")
  }

  @Test func whatIsToComeMayFail() throws {
    let result = try CommandRunner.run([
      "a.test.mjs": """
      test('a', (t) => { t.todo('soon'); throw new Error('y') });
      test('b', async (t) => { await t.test('in', (t) => { t.todo(); throw new Error('z') }) });
      test('c', (t) => t.skip('no screen'));
      """
    ])
    #expect(result.status == 0 && result.output.contains("Error: y"), "\(result)")
  }

  @Test(arguments: [
    "test('a', { timeout: 20 }, () => { busy(200) })",
    "test('a', async (t) => { await t.test('in', { timeout: 20 }, () => { busy(200) }) })",
    "test('a', { timeout: 20 }, async () => { await 1; busy(200) })",
    "test('a', { timeout: 20 }, () => ({ then(done) { busy(200); done() } }))",
  ])
  func aTestThatTookLongerThanItMayHasFailed(_ text: String) throws {
    let busy = "const busy = (ms) => { const end = Date.now() + ms; while (Date.now() < end); };"
    let result = try CommandRunner.run(["a.test.mjs": "\(busy) \(text)"])
    #expect(result.status == 1 && result.output.contains("its limit is 20 ms"), "\(result)")
  }

  @Test(arguments: [
    "t.after(() => {})", "t.skip()", "t.todo()", "t.diagnostic('x')", "t.mock", "t.test('b', () => {})",
  ])
  func whatComesToATestThatHasEndedFailsTheFile(_ call: String) throws {
    let result = try CommandRunner.run([
      "a.test.mjs": """
      let late; test('a', (t) => { late = t }); test('b', () => { const t = late; try { \(call) } catch {} });
      """
    ])
    #expect(result.status == 1 && result.output.contains("came after the test 'a' had ended"), "\(result)")
  }

  @Test func whatIsPutBehindATestAtItsEndRuns() throws {
    let result = try CommandRunner.run([
      "a.test.mjs": """
      const ran = [];
      afterEach((t) => { t.after(() => ran.push('afterEach')) });
      test('a', (t) => { t.after(() => { ran.push(1); t.after(() => ran.push(2)) }) });
      test('b', () => assert.deepEqual(ran, [1, 2, 'afterEach']));
      """
    ])
    #expect(result.status == 0, "\(result)")
  }

  @Test(arguments: [
    "process.on('beforeExit', () => { throw new Error('late') })",
    "process.on('beforeExit', async () => { throw new Error('late') })",
    "process.on('exit', () => { throw new Error('late') })",
  ])
  func whatIsThrownAtTheEndFailsTheFile(_ line: String) throws {
    let result = try CommandRunner.run([
      "a.test.mjs": "import process from 'node:process'; \(line); test('a', () => {})"
    ])
    #expect(result.status == 1 && result.output.contains("late"), "\(result)")
  }

  static let replaced = [
    "Promise.prototype.then = function (ok) { return ok() }", "Promise.prototype.then = () => {}",
    "Promise.prototype.then = function (ok) { ok(); return this }; Promise.prototype.constructor = class {}",
    "Promise.prototype.catch = Promise.prototype.finally = function () { return this }",
    "Promise.resolve = Promise.reject = Promise.all = () => ({ then: (ok) => ok() })",
    "class P { constructor(f) { f(() => {}, () => {}) } } "
      + "Object.defineProperty(Promise, Symbol.species, { value: P })",
    "globalThis.Promise = class { then(ok) { ok() } }", "Object.prototype.then = (ok) => ok()",
  ]

  @Test(arguments: replaced) func promisesAreJudgedByTheEngine(_ change: String) throws {
    let lies = [
      "async () => { throw new Error('a') }", "() => (async () => { throw new Error('a') })()",
      "async () => { await null; throw new Error('a') }",
      "async () => { await expect(rejected()).resolves.toBe(1) }",
      "async () => { await expect(resolved()).rejects.toThrow() }",
      "async () => { await assert.rejects(resolved()) }",
      "async () => { await assert.doesNotReject(rejected()) }",
      "async (t) => { await t.test('in', async () => { throw new Error('a') }) }",
    ]
    let tests = lies.enumerated().map { "test('lie \($0)', \($1));" }.joined(separator: "\n")
    let result = try CommandRunner.run([
      "a.test.mjs": """
      const rejected = async () => { throw new Error('r') }, resolved = async () => 2;
      \(change);
      \(tests)
      describe('hooks', () => { beforeEach(async () => { throw new Error('h') }); test('lie', () => {}) });
      """
    ])
    #expect(result.status == 1 && result.output.contains("\n0 passed"), "\(result)")
  }
}
