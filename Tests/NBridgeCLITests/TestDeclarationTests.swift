// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Tests that are declared from tables, that are to fail, and what a file of tests prints.
@Suite struct TestDeclarationTests {
  private func run(_ script: String, _ line: String = "nbridge test") throws -> CommandRunner.Result {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(["a.test.js": script])
    return try runner.shell(line)
  }

  @Test func tablesDeclareATestForEachRow() throws {
    let result = try run(
      """
      test.each([[1, 2, 3], [2, 2, 4]])('%i + %i = %i (%#)', (a, b, sum) => expect(a + b).toBe(sum));
      test.each(['x', 'y'])('one %s', (value) => expect(['x', 'y']).toContain(value));
      test.each([{ a: 1, b: { c: 'd' } }])('$a $b.c $# $none', ({ a }) => expect(a).toBe(1));
      test.each`
        a    | b    | sum
        ${1} | ${1} | ${2}
        ${2} | ${3} | ${5}
      `('$a and $b give $sum', ({ a, b, sum }) => expect(a + b).toBe(sum));
      test.each([[1]])('context %d', (a, t) => expect(t.name).toBe('context 1'));
      test.each([[1, 2]])('rest', (...args) => expect(args).toEqual([1, 2]));
      test.each([[null, { a: 1 }, 'q', 1.5]])('%s %j %p %d %%', () => {});
      describe.each([['s'], ['t']])('suite %s', (name) => { test('in', () => expect(name).toHaveLength(1)) });
      test.skip.each([[1]])('left out %d', () => { throw 1 });
      test.concurrent.each([[1]])('at once %d', async () => {});
      test.each([[1]])('wrong', (a) => expect(a).toBe(2));
      """)
    let lines = result.output.split(separator: "\n").filter { $0.hasPrefix("  ✓") || $0.hasPrefix("  -") }
    #expect(
      lines == [
        "  ✓ 1 + 2 = 3 (0)", "  ✓ 2 + 2 = 4 (1)", "  ✓ one x", "  ✓ one y", "  ✓ 1 d 0 $none",
        "  ✓ 1 and 1 give 2", "  ✓ 2 and 3 give 5", "  ✓ context 1", "  ✓ rest",
        "  ✓ null {\"a\":1} 'q' 1.5 %", "  ✓ suite s > in", "  ✓ suite t > in", "  - left out 1",
        "  ✓ at once 1",
      ], "\(result)")
    #expect(result.status == 1 && result.output.hasSuffix("\n13 passed, 1 failed, 1 skipped\n"), "\(result)")
  }

  /// A table that would declare nothing.
  @Test(arguments: [
    ("test.each([])('a', () => {})", "nothing would run"),
    ("test.each(5)('a', () => {})", "nothing would run"),
    ("test.each`a | b\n${1}`('a', () => {})", "a table has a line of names"),
    ("test.each([[1]])('a', (a, t, done) => {})", "3 parameters"),
    ("describe.each([[1]])('a', (a, b) => { test('b', () => {}) })", "2 parameters"),
  ])
  func aTableWithoutRowsFails(_ script: String, _ says: String) throws {
    let result = try run(script)
    #expect(result.status == 1 && (result.output + result.errors).contains(says), "\(result)")
  }

  /// A table of which nothing runs, beside a test that passes.
  @Test(arguments: [
    ("test.each([[1], [2]])", "test.each(...) is a table without tests"),
    ("describe.each([1])", "describe.each(...) is a table without tests"),
    ("test.skip.each`a\n${1}`", "test.each(...) is a table without tests"),
    ("try { describe.each([])('a', () => {}) } catch {}", "describe.each(...) threw"),
    ("try { test.each(5)('a', () => {}) } catch {}", "test.each(...) threw"),
    ("try { test.each([1])('a') } catch {}", "test.each(...) threw"),
    ("try { test.each([1])(() => {}) } catch {}", "needs a title"),
    ("describe('s', () => { try { test.each([1])('a') } catch {} })", "s > test.each(...) threw"),
  ])
  func aTableThatDeclaresNothingFails(_ script: String, _ says: String) throws {
    let result = try run("\(script);\ntest('passes', () => {})")
    #expect(result.status == 1 && result.output.contains(says), "\(result)")
    #expect(result.output.components(separatedBy: says).count <= 3, "told once, and at the end: \(result)")
  }

  /// `only` that leaves tests out, and selects none that runs.
  @Test(arguments: [
    "describe.only('a', () => {}); test('x', () => { throw 1 })",
    "describe.only('a', () => { test.skip('b', () => {}) }); test('x', () => {})",
    "describe.skip('a', () => { test.only('b', () => {}) }); describe('c', () => { test('x', () => {}) })",
  ])
  func onlyThatSelectsNothingFails(_ script: String) throws {
    let result = try run(script)
    #expect(result.status == 1 && result.output.contains("'only' leaves tests out"), "\(result)")
  }

  @Test func onlyBesideAFilterThatLeavesItOutFails() throws {
    let script = "test.only('a', () => {}); test('b', () => { throw 1 })"
    let result = try run(script, "nbridge test --filter b")
    #expect(result.status == 1 && result.output.contains("'only' leaves tests out"), "\(result)")
    #expect(try run(script).status == 0)
  }

  @Test func optionsOfASuiteHoldForItsTests() throws {
    let result = try run(
      """
      const late = () => new Promise((done) => setTimeout(done, 500));
      describe('short', { timeout: 20 }, () => {
        test('a', late);
        describe('inner', () => { test('b', late); test('c', late, 5000) });
      });
      describe('left', () => { test('d', () => { throw 1 }) }, { skip: true });
      describe('some day', { todo: true }, () => { test('e', () => { throw 1 }) });
      """)
    let failed = result.output.components(separatedBy: "did not end within 20 ms").count - 1
    #expect(failed == 2 && result.output.hasSuffix("\n1 passed, 2 failed, 2 skipped\n"), "\(result)")
  }

  @Test func whatIsToFailPassesWhenItFails() throws {
    let result = try run(
      """
      test.failing('one', () => { throw new Error('x') });
      test.failing.each([[1]])('%d', async () => { await Promise.reject(new Error('x')) });
      test.failing('three', () => {});
      test.failing('four', (t) => t.skip());
      """)
    #expect(result.status == 1 && result.output.hasSuffix("\n2 passed, 1 failed, 1 skipped\n"), "\(result)")
    #expect(result.output.contains("  ✗ three\n      Error: it was to fail, and did not"), "\(result)")
  }

  /// A file that passes may have printed why it does.
  @Test func whatAFileThatPassesPrintsIsShown() throws {
    let script = "console.log('seen'); test('a', () => { console.error('told') })"
    let result = try run(script)
    #expect(result.output.hasPrefix("a.test.js\nseen\ntold\n  ✓ a\n"), "\(result)")
    let dots = try run(script, "nbridge test --reporter dots")
    #expect(dots.output.hasPrefix("✓\na.test.js\nseen\ntold\n"), "\(dots)")
    let tap = try run(script, "nbridge test --reporter tap")
    #expect(tap.output.contains("ok 1 - a\n# seen\n# told\n1..1\n"), "\(tap)")
    let junit = try run(script, "nbridge test --reporter junit")
    #expect(junit.output.contains("<system-out>seen\ntold\n</system-out>"), "\(junit)")
  }
}
