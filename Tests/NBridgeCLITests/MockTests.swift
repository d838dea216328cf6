// SPDX-License-Identifier: MIT

import Testing

/// What `mock` makes of functions, properties and clocks, by Node's measure.
@Suite struct MockTests {
  @Test(arguments: [
    "const f = mock.fn(() => 1, () => 2, { times: 1 }); same([f(), f(), f.mock.callCount()], [2, 1, 2])",
    "const f = mock.fn(() => 1, () => 2, { times: 2 }); same([f(), f(), f()], [2, 2, 1])",
    "const f = mock.fn(() => 1, () => 2, { times: Infinity }); same([f(), f()], [2, 2])",
    "const f = mock.fn((a) => a, { times: 1 }); same([f(1), f(2), f.length], [1, 2, 1])",
    "const f = mock.fn({ times: 1 }); same([f(), f()], [undefined, undefined])",
    """
    const f = mock.fn(() => 1, () => 2, { times: 2 }); f.mock.mockImplementationOnce(() => 9);
    same([f(), f(), f()], [9, 2, 1])
    """,
    """
    const o = { m: () => 1 }, real = o.m;
    const m = mock.method(o, 'm', () => 2, { times: 1 });
    same([o.m(), o.m(), m.mock.callCount()], [2, 1, 1]); same(o.m === real, true)
    """,
    "const o = { m: () => 1 }; mock.method(o, 'm', { times: 1 }); "
      + "same([o.m(), o.m(), o.m.mock], [1, 1, undefined])",
    "class A { m() { return 1 } } const a = new A(); mock.method(a, 'm', () => 2, { times: 1 }); "
      + "same([a.m(), a.m(), Object.hasOwn(a, 'm')], [2, 1, false])",
    "const o = { get g() { return 1 } }; mock.getter(o, 'g', () => 7, { times: 1 }); "
      + "same([o.g, o.g], [7, 1])",
    """
    const o = { set s(v) { this.q = v } };
    const s = mock.setter(o, 's', function (v) { this.w = v }, { times: 1 });
    o.s = 3; o.s = 4; same([o.w, o.q, s.mock.calls[0].arguments], [3, 4, [3]])
    """,
    """
    const o = { get g() { return 1 } }; const g = mock.method(o, 'g', () => 7, { getter: true });
    same(o.g, 7); g.mock.restore(); same(o.g, 1)
    """,
    "class A { x = 1 } A.s = 4; const f = mock.fn(A); "
      + "same([new f() instanceof f, f.s, f.name], [true, 4, 'A'])",
    "const s = Symbol(); const o = { [s]: () => 1 }; mock.method(o, s, () => 2); same(o[s](), 2); "
      + "mock.restoreAll(); same(o[s](), 1)",
    "Object.prototype.times = 1; const f = mock.fn(() => 1, () => 2); same([f(), f()], [2, 2]); "
      + "delete Object.prototype.times",
    "Array.prototype.push = () => 0; const f = mock.fn(); f(); expect(f).toHaveBeenCalledTimes(1)",
    """
    const l = []; mock.timers.enable({ apis: ['setImmediate', 'setTimeout'] });
    setTimeout(() => l.push('timeout'), 0); setImmediate((...a) => l.push(...a), 1, 2);
    clearImmediate(setImmediate(() => l.push('no'))); same(l, []);
    mock.timers.tick(0); same(l, [1, 2, 'timeout']);
    mock.timers.reset(); same(typeof setImmediate, 'undefined')
    """,
    "mock.timers.enable({ now: new Date(5) }); same(Date.now(), 5)",
  ])
  func behavesAsNodes(_ line: String) throws {
    let result = try Self.run(line)
    #expect(result.status == 0, "\(result)")
  }

  /// A failure tells what the mock was called with.
  @Test(arguments: [
    ("expect(f).toHaveBeenCalledWith(3)", "it was called 2 times:\n"),
    ("expect(f).toHaveBeenCalledWith(3)", "1. with 1, 'a'\n"),
    ("expect(f).toHaveBeenLastCalledWith(3)", "2. with { b: [ 2 ] }"),
    ("expect(f).toHaveBeenNthCalledWith(1, 2)", "1. with 1, 'a'"),
    ("expect(f).not.toHaveBeenCalled()", "1. with"), ("expect(f).toHaveBeenCalledTimes(3)", "2. with"),
    ("expect(g).toHaveBeenCalledWith(1)", "it was not called"),
    ("expect(f).toHaveReturnedWith(5)", "1. returned 'r'"), ("expect(h).toHaveReturned()", "1. threw 'no'"),
    ("expect(g).toBeCalled()", "it was not called"), ("f(); expect(f).toBeCalledWith(0)", "3. with nothing"),
    ("for (; n < 12; n++) f(); expect(f).toBeCalledWith(0)", "4 more"),
  ])
  func aFailureTellsTheCalls(_ line: String, _ told: String) throws {
    let result = try Self.run(
      """
      let n = 0; const f = mock.fn(() => 'r'), g = mock.fn(), h = mock.fn(() => { throw 'no' });
      f(1, 'a'); f({ b: [2] }); try { h() } catch {}
      \(line)
      """)
    #expect(result.status == 1 && result.output.contains(told), "\(result)")
  }

  /// Those of node:timers go by a test's clock, too, and by the program's again after it.
  @Test func nodesOwnTimersAreMocked() throws {
    let result = try CommandRunner.run([
      "a.test.mjs": """
      import * as timers from 'node:timers';
      import { setTimeout as wait } from 'node:timers/promises';
      test('a', async ({ mock }) => {
        const seen = [];
        mock.timers.enable();
        timers.setTimeout(() => seen.push(1), 50);
        const every = timers.setInterval(() => seen.push(2), 40);
        timers.setImmediate(() => seen.push(3));
        const four = wait(60, 4).then((value) => seen.push(value));
        timers.clearTimeout(timers.setTimeout(() => seen.push(5), 9));
        mock.timers.tick(1);
        assert.deepEqual(seen, [3]);
        mock.timers.tick(80);
        timers.clearInterval(every);
        await four;
        mock.timers.tick(1000);
        assert.deepEqual(seen, [3, 2, 1, 2, 4]);
        mock.timers.reset();
        await wait(1);
        mock.timers.enable({ apis: ['Date'] });
        await wait(1);
      });
      """
    ])
    #expect(result.status == 0, "\(result)")
  }

  private static let type = "ERR_INVALID_ARG_TYPE"
  private static let value = "ERR_INVALID_ARG_VALUE"
  private static let range = "ERR_OUT_OF_RANGE"
  private static let state = "ERR_INVALID_STATE"

  @Test(arguments: [
    ("mock.fn(1)", type), ("mock.fn(null)", type), ("mock.fn(() => 1, 2)", type),
    ("mock.fn(() => 1, () => 1, 3)", type), ("mock.fn(() => 1, { times: '1' })", type),
    ("mock.fn(() => 1, { times: 0 })", range), ("mock.fn(() => 1, () => 1, { times: 1.5 })", range),
    ("mock.method(1, 'm')", type), ("mock.method(o, 1)", type), ("mock.method(o, 'm', 5)", type),
    ("mock.method(o, 'x')", value), ("mock.method(o, 'none')", value),
    ("mock.method(o, 'm', { times: 0 })", range),
    ("mock.method(o, 'm', () => 1, { getter: 1 })", type),
    ("mock.method(o, 'g', { getter: true, setter: true })", value),
    ("mock.getter(o, 'g', { getter: false })", value), ("mock.getter(o, 'g', { setter: true })", value),
    ("mock.setter(o, 'm')", value), ("mock.getter(o, 'x')", value), ("mock.getter(o, 'g', 5)", type),
    ("mock.fn().mock.mockImplementation(1)", type), ("mock.fn().mock.mockImplementationOnce(1)", type),
    ("const f = mock.fn(); f(); f.mock.mockImplementationOnce(() => 1, 0)", range),
    ("t.tick()", state), ("t.runAll()", state), ("t.setTime(1)", state), ("t.enable(); t.enable()", state),
    ("t.enable({ now: 'x' })", type), ("t.enable({ now: 1n })", type), ("t.enable({ now: {} })", type),
    ("t.enable({ now: NaN })", value), ("t.enable({ now: -1 })", value), ("t.enable({ apis: ['x'] })", value),
    ("t.enable({ apis: 'x' })", type), ("t.enable({ apis: [1] })", type),
    ("t.enable(); t.tick(-1)", value), ("t.enable(); t.setTime('x')", type),
    ("t.enable(); t.tick('x')", type),
  ])
  func refusesWhatItCannotTake(_ line: String, _ code: String) throws {
    let result = try Self.run(
      """
      const t = mock.timers, o = { m() {}, x: 5, get g() { return 1 }, set g(v) {} };
      let code; try { \(line) } catch (error) { code = error.code }
      t.reset(); same(code, '\(code)')
      """)
    #expect(result.status == 0, "\(result)")
  }

  private static func run(_ line: String) throws -> CommandRunner.Result {
    try CommandRunner.run([
      "a.test.mjs": """
      const same = (a, b) => assert.deepEqual(a, b);
      test('a', (context) => { const { mock } = context; \(line) });
      """
    ])
  }
}
