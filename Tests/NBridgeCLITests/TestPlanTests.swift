// SPDX-License-Identifier: MIT

import Testing

/// What a test says it will do: its plan, the options that it has, the hooks of its parts.
@Suite struct TestPlanTests {
  private static func run(_ body: String) throws -> CommandRunner.Result {
    try CommandRunner.run(["a.test.mjs": "import nodeTest from 'node:test'; \(body)"])
  }

  @Test(arguments: [
    ("{ plan: 3 }, () => {}", "plan expected 3 assertions but received 0"),
    ("{ plan: 1 }, () => { assert.ok(1) }", "plan expected 1 assertions but received 0"),
    ("(t) => { t.plan(1); t.assert.ok(1); t.assert.ok(1) }", "plan expected 1 assertions but received 2"),
    ("(t) => { t.plan(1); t.plan(1); t.assert.ok(1) }", "cannot set plan more than once"),
    ("{ plan: 1 }, (t) => { t.plan(1); t.assert.ok(1) }", "cannot set plan more than once"),
    ("(t) => { t.plan('x') }", "[ERR_INVALID_ARG_TYPE]"), ("(t) => { t.plan(-1) }", "[ERR_OUT_OF_RANGE]"),
    ("(t) => { t.plan(1, { wait: true }) }", "takes a count alone"),
    ("async (t) => { t.plan(1); await t.test('in', () => {}); await t.test('on', () => {}) }", "received 2"),
    (
      "async (t) => { await t.test('in', { plan: 2 }, (t) => t.assert.ok(1)) }",
      "plan expected 2 assertions but received 1"
    ),
    ("(t) => { t.assert.strictEqual(1, 2) }", "AssertionError"),
    ("(t) => { t.before(() => {}) }", "t.before() is not here"),
    ("(t) => { t.runOnly(true) }", "t.runOnly() is not here"),
    ("async (t) => { t.beforeEach(() => { throw Error('hook') }); await t.test('in', () => {}) }", "hook"),
    ("async (t) => { t.afterEach(() => { throw Error('hook') }); await t.test('in', () => {}) }", "hook"),
  ])
  func aPlanThatIsNotKeptFails(_ rest: String, _ told: String) throws {
    for name in ["nodeTest", "test"] {
      let result = try Self.run("\(name)('a', \(rest));")
      #expect(result.status == 1 && result.output.contains(told), "\(name): \(result)")
    }
  }

  @Test(arguments: [
    "{ plan: 2 }, (t) => { t.assert.ok(1); t.assert.strictEqual(1, 1) }", "{ plan: 0 }, () => {}",
    "async (t) => { t.plan(2); t.assert.ok(1); await t.test('in', () => {}) }",
    "(t) => { t.plan(2); try { t.assert.ok(0) } catch {} t.assert.ok(1) }",
    "async (t) => { t.plan(1); await t.assert.rejects(Promise.reject(new Error('a'))) }",
    "{ concurrency: 2, signal: undefined, only: false }, () => {}",
  ])
  func aPlanThatIsKeptPasses(_ rest: String) throws {
    let result = try Self.run("nodeTest('a', \(rest)); test('b', \(rest));")
    #expect(result.status == 0 && result.output.contains("0 failed"), "\(result)")
  }

  /// With node:test they are those of node:assert, which compares loosely.
  @Test func theAssertionsAreNodes() throws {
    let result = try Self.run("nodeTest('a', { plan: 1 }, (t) => { t.assert.equal(1, '1') })")
    #expect(result.status == 0, "\(result)")
  }

  @Test func hooksOfATestRunAroundItsParts() throws {
    let result = try Self.run(
      """
      const ran = [];
      nodeTest('a', async (t) => {
        t.beforeEach((part) => { ran.push(`before ${part.name}`) });
        t.afterEach((part) => { ran.push(`after ${part.name}`) });
        await t.test('one', () => { ran.push('one') });
        await t.test('two', async (t) => {
          t.afterEach(() => { ran.push('inner') });
          await t.test('three', () => { ran.push('three') });
        });
      });
      test('b', () => expect(ran.join()).toBe('before one,one,after one,before two,before three,three,'
        + 'inner,after three,after two'));
      """)
    #expect(result.status == 0 && result.output.contains("0 failed"), "\(result)")
  }

  @Test(arguments: [
    ("{ timout: 5 }", "'timout', and there is none of that name: did you mean 'timeout'?"),
    ("{ skp: true }", "did you mean 'skip'?"), ("{ ony: true }", "did you mean 'only'?"),
    ("{ allowLeaks: true }", "did you mean 'allowsLeaks'?"), ("{ retries: 2 }", "there are timeout, skip,"),
    ("{ signal: 5 }", "needs an AbortSignal as its signal, not 5"),
    ("{ plan: -1 }", "a plan of 0 or more assertions"), ("{ plan: '1' }", "a plan of 0 or more assertions"),
  ])
  func anOptionThatDoesNothingIsAnError(_ option: String, _ told: String) throws {
    for line in [
      "nodeTest('a', \(option), () => {})", "test('a', () => {}, \(option))",
      "test('b', async (t) => { await t.test('a', \(option), () => {}) })",
      "try { test('a', \(option), () => {}) } catch {} test('b', () => {})",
      "test('b', async (t) => { try { await t.test('a', \(option), () => {}) } catch {} })",
    ] {
      let result = try Self.run(line)
      let text = result.output + result.errors
      #expect(result.status == 1 && text.contains(told), "\(line): \(result)")
    }
  }

  @Test func aSuiteHasNoPlan() throws {
    let result = try Self.run("describe('a', { plan: 1 }, () => { test('b', () => {}) })")
    let text = result.output + result.errors
    #expect(result.status == 1 && text.contains("a plan is for a test"), "\(result)")
  }

  /// What node:test takes beside what the runner's own functions do.
  @Test func nodesArgumentsAreTaken() throws {
    let result = try CommandRunner.run([
      "a.test.mjs": """
      import test, { describe, it, beforeEach, suite } from 'node:test';
      let hooks = 0;
      beforeEach((t, done) => { setTimeout(() => { hooks++; done() }, 1) });
      test(function named() {}); test(() => {}); test({ timeout: 500 }, () => {});
      test.skip('left out'); it('left out, too', { skip: true }); describe.skip('suite left out');
      test('calls back', (t, done) => { setTimeout(done, 1) });
      it('fails', (t, done) => { setTimeout(() => done(new Error('told back')), 1) });
      test('both', async (t, done) => { done() });
      test('twice', async (t) => { await new Promise((r) => setTimeout(r, 1)) });
      test.each([[1]])('row %d', (n) => {}); suite(() => { test('in', () => {}) });
      test('hooks ran', (t) => { t.assert.ok(hooks > 5) });
      """
    ])
    #expect(result.status == 1 && result.output.hasSuffix("8 passed, 2 failed, 2 skipped\n"), "\(result)")
    for text in ["✓ named", "✓ <anonymous>", "Error: told back", "also returned a Promise"] {
      #expect(result.output.contains(text), "\(text): \(result)")
    }
  }

  @Test func oneOfNodesWithoutAFunctionPasses() throws {
    let result = try Self.run("nodeTest('a'); nodeTest('b', { timeout: 500 }); nodeTest('c', () => {})")
    #expect(result.status == 0 && result.output.contains("3 passed, 0 failed"), "\(result)")
  }

  /// A callback that comes twice.
  @Test func aSecondCallbackFails() throws {
    let result = try Self.run(
      "nodeTest('a', (t, done) => { done(); setTimeout(done, 1) });"
        + "nodeTest('b', () => new Promise((r) => setTimeout(r, 50)))")
    #expect(result.status == 1, "\(result)")
  }
}
