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

  /// What no call and no timer shows: work on other threads, workers, and what is declared behind it.
  @Test(arguments: [
    "test('a', () => { crypto.subtle.digest('SHA-256', new Uint8Array(1e7)).then(() => { throw 1 }) })",
    "afterAll(() => { crypto.subtle.digest('SHA-1', new Uint8Array(9)).then(() => { throw 1 }) }); "
      + "test('a', () => {})",
    "test('a', () => { WebAssembly.compile(new Uint8Array([0, 1, 2])) })",
    "test('a', () => { navigator.locks.request('l', async () => { await null; throw 1 }) })",
    "test('a', () => {}); (async () => { await crypto.subtle.digest('SHA-1', new Uint8Array(3e7)); "
      + "test('late', () => {}) })()",
    "test('a', () => { new Worker('data:,throw 1') })",
    "test('a', () => { new Worker('data:,setTimeout(() => { throw 1 }, 300)') }); test('b', () => {})",
    "new Worker('data:,setTimeout(() => { throw 1 }, 300)'); test('a', () => {})",
    "import { Worker as W } from 'node:worker_threads'; "
      + "test('a', () => { new W('setTimeout(() => { throw 1 }, 200)', { eval: true }) })",
    "import { Readable } from 'node:stream'; test('a', async () => { for await (const x of Readable.from("
      + "(async function* () { yield 1; throw new Error('r') })())); })",
    "test('a', async () => { await assert.rejects(() => { throw new Error('at once') }) })",
    "test('a', async () => { await expect(() => { throw new Error('at once') }).rejects.toThrow() })",
  ])
  func whatFailsOutOfSightIsSeen(_ text: String) throws {
    let result = try CommandRunner.run(["a.test.mjs": text])
    #expect(result.status == 1 && !result.output.contains(" 0 failed"), "\(result)")
  }

  /// Threads end a moment after they were told to; what was let through holds nothing up.
  @Test(arguments: [
    "test('a', () => { new Worker('data:,0').terminate() })",
    "test('a', (t) => { const w = new Worker('data:,0'); t.after(() => w.terminate()) })",
    "const w = new Worker('data:,0'); test('a', () => {}); afterAll(() => w.terminate())",
    "test('a', async () => { const w = new Worker('data:,postMessage(1); close()'); "
      + "await new Promise((done) => { w.onmessage = done }) })",
    "import { Worker as W } from 'node:worker_threads'; test('a', async () => { const w = new W("
      + "\"require('node:worker_threads').parentPort.postMessage(1)\", { eval: true }); "
      + "await new Promise((done) => w.once('message', done)) })",
    "test('a', { allowsLeaks: true }, () => { new Worker('data:,setInterval(() => {}, 1000)') })",
    "const port = new MessageChannel().port1; port.onmessage = () => {}; test('a', () => {})",
    "import { setTimeout as set } from 'node:timers'; test('a', () => { set(() => {}, 1e5).unref() })",
    "import { setInterval as set } from 'node:timers'; set(() => {}, 1e3).unref(); test('a', () => {})",
    "import { setInterval as set } from 'node:timers'; "
      + "test('a', async () => { set(() => {}, 1).unref(); await new Promise((r) => set(r, 9).unref()) })",
  ])
  func whatIsPutInOrderIsGreen(_ text: String) throws {
    let result = try CommandRunner.run(["a.test.mjs": text])
    #expect(result.status == 0 && result.output.contains("1 passed"), "\(result)")
  }

  @Test(arguments: ["set(() => {}, 1e5)", "set(() => {}, 1e5).unref().ref()"])
  func aTimerThatHoldsTheProgramIsALeak(_ line: String) throws {
    let result = try CommandRunner.run([
      "a.test.mjs": "import { setTimeout as set } from 'node:timers'; test('a', () => { \(line) })"
    ])
    #expect(result.status == 1 && result.output.contains("left open: a setTimeout"), "\(result)")
  }

  /// Who declares it throws, and nobody catches that.
  @Test func aTestThatComesTooLateIsToldOnce() throws {
    let result = try CommandRunner.run([
      "a.test.mjs": """
      test('a', async () => {
        setTimeout(() => { test('late', () => {}) }, 5);
        await new Promise((done) => setTimeout(done, 50));
      });
      """
    ])
    #expect(result.status == 1 && result.output.contains("1 passed, 1 failed"), "\(result)")
    #expect(result.output.ranges(of: "came after the file had declared its tests").count == 1, "\(result)")
  }

  @Test(arguments: [
    ("for (;;);", "held the thread"), ("setTimeout(() => { throw new Error('late') }, 10)", "late|left open"),
    ("nbridge.documents.read('no-such-file')", "no-such-file|left open"),
  ])
  func whatComesOfWhatIsLateIsSeenToo(_ action: String, _ told: String) throws {
    let digest = "crypto.subtle.digest('SHA-1', new Uint8Array(9))"
    let result = try CommandRunner.run([
      "a.test.mjs": "test('a', () => { \(digest).then(() => { \(action) }) })"
    ])
    let isTold = told.split(separator: "|").contains { result.output.contains($0) }
    #expect(result.status == 1 && isTold, "\(result)")
    #expect(!result.output.contains("not caught: something that the file began"), "\(result)")
  }

  @Test(arguments: [
    "Boolean = function () {}", "Boolean = () => true", "Object.prototype.own = () => ({ pass: true })",
    "Array.prototype.map = () => []",
  ])
  func aReplacedFunctionJudgesNothing(_ change: String) throws {
    let result = try CommandRunner.run([
      "a.test.mjs": """
      test('a', () => { expect(1).toBe(2) }); test('b', () => { expect(1).not.toBe(1) });
      test('c', () => { setTimeout(() => {}, 1e5) }); test('d', () => { expect([1]).toEqual([2]) });
      \(change);
      """
    ])
    #expect(result.status == 1 && result.output.contains("0 passed, 4 failed"), "\(result)")
  }

  @Test func hooksAreForTestsThatRun() throws {
    let result = try CommandRunner.run(
      [
        "a.test.mjs": """
        describe.skip('s', () => { beforeAll(() => console.log('HOOK')); test('a', () => {}) });
        describe('t', () => { beforeAll(() => { throw new Error('no') }); test('b', () => {}) });
        describe('u', () => { beforeAll(() => console.log('mine')); test('chosen', () => {}) });
        """
      ], "nbridge test --filter chosen a.test.mjs")
    #expect(result.status == 0, "\(result)")
    #expect(result.output.contains("mine") && !result.output.contains("HOOK"), "\(result)")
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

  /// As Node's: a part that is to come runs, and so does a test of node:test.
  @Test func whatIsToComeRuns() throws {
    let result = try CommandRunner.run([
      "a.test.mjs": """
      import nodeTest from 'node:test';
      nodeTest.todo('a', () => { console.log('a runs'); throw new Error('x') });
      nodeTest('b', { todo: 'later' }, (t, done) => { console.log('b runs'); done(new Error('y')) });
      nodeTest.todo('c');
      nodeTest('d', async (t) => { await t.test('in', { todo: true }, () => { throw new Error('z') }) });
      nodeTest('e', { todo: true, skip: true }, () => { console.log('e runs') });
      """
    ])
    #expect(result.status == 0 && result.output.contains("a runs\nb runs\n"), "\(result)")
    #expect(!result.output.contains("e runs") && result.output.contains("Error: z"), "\(result)")
    #expect(result.output.hasSuffix("\n1 passed, 0 failed, 5 skipped\n"), "\(result)")
  }

  @Test(arguments: [
    "nodeTest('a', { signal: later() }, () => new Promise(() => {}))",
    "test('a', () => new Promise(() => {}), { signal: later() })",
    "describe('s', { signal: later() }, () => { test('a', () => new Promise(() => {})) })",
    "test('a', async (t) => { await t.test('in', { signal: later() }, () => new Promise(() => {})) })",
    "test('a', { signal: AbortSignal.abort(new Error('stop it')) }, () => { console.log('it runs') })",
    "test('a', async (t) => { await t.test('in', { signal: AbortSignal.abort(new Error('stop it')) }, "
      + "() => { console.log('it runs') }) })",
  ])
  func aTestWhoseSignalIsAbortedFails(_ text: String) throws {
    let later = """
      import nodeTest from 'node:test';
      const later = () => {
        const all = new AbortController(); setTimeout(() => all.abort(new Error('stop it')), 30);
        return all.signal;
      };
      """
    let result = try CommandRunner.run(["a.test.mjs": "\(later)\n\(text)"])
    #expect(result.status == 1 && result.output.contains("Error: stop it"), "\(result)")
    #expect(!result.output.contains("it runs") && !result.output.contains("left open"), "\(result)")
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
    "t.plan(1)", "t.assert.ok(1)", "t.beforeEach(() => {})", "t.afterEach(() => {})",
  ])
  func whatComesToATestThatHasEndedFailsTheFile(_ call: String) throws {
    let result = try CommandRunner.run([
      "a.test.mjs": """
      let late; test('a', (t) => { late = t }); test('b', () => { const t = late; try { \(call) } catch {} });
      """
    ])
    #expect(result.status == 1 && result.output.contains("came after the test 'a' had ended"), "\(result)")
  }

  @Test func whyATestIsLeftOutIsTold() throws {
    let files = [
      "a.test.mjs": """
      test('a', { skip: 'no #net' }, () => {}); test.todo('b'); test('c', { todo: 'later' }, () => {});
      describe('s', { skip: 'all of it' }, () => { test('d', () => {}) });
      test('e', async (t) => { await t.test('f', { skip: 'a part' }, () => {}) });
      """
    ]
    let lines = try CommandRunner.run(files)
    for text in ["- a\n      no #net\n", "      later\n", "- s > d\n      all of it\n", "      a part\n"] {
      #expect(lines.output.contains(text), "\(text): \(lines)")
    }
    let tap = try CommandRunner.run(files, "nbridge test --reporter tap")
    for text in ["a # SKIP no \\#net\n", "b # TODO\n", "c # TODO later\n", "d # SKIP all of it\n"] {
      #expect(tap.output.contains(text), "\(text): \(tap)")
    }
    let junit = try CommandRunner.run(files, "nbridge test --reporter junit")
    #expect(junit.output.contains("<skipped message=\"no #net\"/>"), "\(junit)")
    #expect(junit.output.contains("<skipped/>"), "\(junit)")
  }

  /// As in Node: hooks of the file and of suites run around parts, t.after() behind them all.
  @Test func hooksRunInNodesOrder() throws {
    let result = try CommandRunner.run([
      "a.test.mjs": """
      const ran = [], add = (name) => (t) => { ran.push(`${name} ${t.name}`) };
      beforeEach(add('root before')); afterEach(add('root after'));
      describe('s', () => {
        beforeEach(add('suite before')); afterEach(add('suite after'));
        test('a', async (t) => {
          t.beforeEach(add('t before')); t.afterEach(add('t after')); t.after(() => ran.push('end a'));
          await t.test('in', (t) => { t.after(() => ran.push('end in')); ran.push('part') });
        });
      });
      after(() => assert.deepEqual(ran, [
        'root before a', 'suite before a', 'root before in', 'suite before in', 't before in', 'part',
        't after in', 'suite after in', 'root after in', 'end in', 'suite after a', 'root after a', 'end a',
      ]));
      """
    ])
    #expect(result.status == 0 && result.output.contains(" passed, 0 failed\n"), "\(result)")
  }

  /// Parts that are begun at once run one behind the other.
  @Test func partsOfATestTakeTurns() throws {
    let result = try CommandRunner.run([
      "a.test.mjs": """
      const soon = (time) => new Promise((done) => setTimeout(done, time));
      test('a', async (t) => {
        const ran = [];
        const part = (name, time) => t.test(name, async () => {
          ran.push(`${name} begins`); await soon(time); ran.push(`${name} ends`);
        });
        await Promise.all([part('one', 20), part('two', 1)]);
        assert.deepEqual(ran, ['one begins', 'one ends', 'two begins', 'two ends']);
      });
      """
    ])
    #expect(result.status == 0 && result.output.contains(" passed, 0 failed\n"), "\(result)")
  }

  /// One that nobody awaited does not run when its test is over.
  @Test func aPartThatWaitsInVainDoesNotRun() throws {
    let result = try CommandRunner.run([
      "a.test.mjs": """
      test('a', async (t) => {
        t.test('one', () => new Promise((done) => setTimeout(done, 30)));
        t.test('two', () => { console.log('ran') });
      });
      test('b', () => new Promise((done) => setTimeout(done, 100)));
      """
    ])
    #expect(result.status == 1 && !result.output.contains("ran\n"), "\(result)")
    #expect(result.output.contains("its part 'two' was not awaited"), "\(result)")
  }

  @Test func whatIsPutBehindATestAtItsEndRuns() throws {
    let result = try CommandRunner.run([
      "a.test.mjs": """
      const ran = [];
      afterEach((t) => { t.after(() => ran.push('afterEach')) });
      test('a', (t) => { t.after(() => { ran.push(1); t.after(() => ran.push(2)) }) });
      test('b', () => assert.deepEqual(ran, ['afterEach', 1, 2]));
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
      "async () => { await nodeAssert.rejects(resolved()) }",
      "async () => { await nodeAssert.doesNotReject(rejected()) }",
      "async (t) => { await t.test('in', async () => { throw new Error('a') }) }",
    ]
    let tests = lies.enumerated().map { "test('lie \($0)', \($1));" }.joined(separator: "\n")
    let result = try CommandRunner.run([
      "a.test.mjs": """
      import nodeAssert from 'node:assert';
      const rejected = async () => { throw new Error('r') }, resolved = async () => 2;
      \(change);
      \(tests)
      describe('hooks', () => { beforeEach(async () => { throw new Error('h') }); test('lie', () => {}) });
      """
    ])
    #expect(result.status == 1 && result.output.contains("\n0 passed"), "\(result)")
  }
}
