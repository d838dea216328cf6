// SPDX-License-Identifier: MIT

import Testing

/// What stands in a snapshot: what `toEqual` looks at, and no place of the file's.
@Suite struct SnapshotTextTests {
  /// A value that is kept, another that must not pass for it, and what stands in the file.
  @Test(arguments: [
    ("{ get a() { return 1 } }", "{ get a() { return 2 } }", "a: 1"),
    ("{ get a() { return 1 }, set a(v) {} }", "{ get a() { return 2 }, set a(v) {} }", "a: 1"),
    ("{ get a() { return { b: 1 } } }", "{ get a() { return { b: 2 } } }", "b: 1"),
    (
      "{ get a() { throw new Error('x') } }", "{ get a() { throw new Error('y') } }",
      "a: [Getter] threw [Error: x]"
    ),
    ("Object.defineProperty([], 0, { get: () => 1, enumerable: true })", "[2]", "1"),
    ("new Error('x')", "new Error('y')", "[Error: x]"),
    ("new Error('x')", "new TypeError('x')", "[Error: x]"),
    (
      "Object.assign(new Error('x'), { code: 'A' })", "Object.assign(new Error('x'), { code: 'B' })",
      "code: 'A'"
    ),
    ("new Error('x', { cause: new Error('y') })", "new Error('x', { cause: new Error('z') })", "[Error: y]"),
    ("new AggregateError([new Error('y')], 'x')", "new AggregateError([new Error('z')], 'x')", "[Error: y]"),
  ])
  func aChangedValueIsAnother(_ value: String, _ other: String, _ text: String) throws {
    for method in ["toMatchSnapshot", "toMatchInlineSnapshot"] {
      let runner = try CommandRunner()
      defer { runner.remove() }
      try runner.write([
        "a.test.mjs": "test('a', () => {\n  const v = \(value);\n  expect(v).\(method)();\n});\n"
      ])
      let kept = try runner.shell("nbridge test -u; cat __snapshots__/* a.test.mjs")
      #expect(kept.output.contains("1 snapshot written") && kept.output.contains(text), "\(kept)")
      #expect(!kept.output.contains("    at "), "\(kept)")
      // Further down it is the same value.
      let moved = try runner.shell("sed -i '1i // One line more.' a.test.mjs; nbridge test")
      #expect(moved.status == 0, "\(moved)")
      try runner.write(["v.mjs": "export const V = \(other);"])
      let changed = try runner.shell(
        """
        sed -i 's/  const v = .*/  const v = V;/; 1i import { V } from "./v.mjs";' a.test.mjs; nbridge test
        """)
      #expect(changed.status == 1 && changed.output.contains("not the"), "\(changed)")
    }
  }

  /// Members that differ from run to run stand there by their matchers, and must fit them.
  @Test func matchersStandInThePlacesOfWhatTheyFit() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let test = { (id: String, name: String) in
      """
      test('a', () => {
        const members = { id: expect.any(Number), in: { at: expect.closeTo(1) } };
        expect({ id: \(id), in: { at: 1, b: 2 }, name: '\(name)' }).toMatchSnapshot(members, 'user');
      });
      """
    }
    try runner.write(["a.test.mjs": test("Math.random()", "n")])
    let kept = try runner.shell("nbridge test -u; cat __snapshots__/*")
    #expect(kept.output.contains("\n# a: user\n") && kept.output.contains("id: Any<Number>"), "\(kept)")
    #expect(kept.output.contains("at: NumberCloseTo 1 (2 digits)"), "\(kept)")
    #expect(kept.output.contains("b: 2") && kept.output.contains("name: 'n'"), "\(kept)")
    let again = try runner.shell("nbridge test")
    #expect(again.status == 0, "\(again)")
    for (id, name) in [("'x'", "n"), ("1", "other")] {
      try runner.write(["a.test.mjs": test(id, name)])
      let changed = try runner.shell("nbridge test")
      #expect(changed.status == 1, "\(changed)")
    }
  }

  @Test(arguments: [
    "toMatchSnapshot({ id: expect.any(String) })", "toMatchSnapshot({ id: expect.any(String) }, 'name')",
    "toMatchSnapshot({ other: expect.anything() })", "toMatchSnapshot(expect.any(Object))",
    "toMatchSnapshot(null)", "toMatchSnapshot(5)", "toMatchSnapshot('a', 'b')", "toMatchSnapshot({}, {})",
    "toMatchInlineSnapshot({ id: expect.any(String) })", "toMatchInlineSnapshot(undefined, 'x')",
  ])
  func whatDoesNotFitIsWrittenNowhere(_ call: String) throws {
    let result = try CommandRunner.run(
      ["a.test.mjs": "test('a', () => { expect({ id: 5 }).\(call) })"], "nbridge test -u; ls")
    #expect(result.output.contains("0 passed, 1 failed"), "\(result)")
    #expect(!result.output.contains("__snapshots__\n"), "\(result)")
  }

  /// A text that says nothing of what the value holds would pass for every other.
  @Test(arguments: [
    ("new Intl.Locale('en')", "x.toString()"), ("new Intl.NumberFormat('en')", "x.resolvedOptions()"),
    ("new Blob(['a'])", "await x.text()"), ("new Response('a')", "await x.text()"),
    ("new WebAssembly.Global({ value: 'i32' }, 1)", "what can be read of them"),
    ("(function* () {})()", "[...x]"),
    ("[1].values()", "[...x]"), ("new Headers({ a: '1' }).entries()", "[...x]"),
    ("Promise.resolve(1)", "await x"), ("new WeakMap()", "what can be read of them"),
    ("{ a: [new Map([[1, new Blob(['a'])]])] }", "await x.text()"),
  ])
  func whatNoTextTellsIsRefused(_ value: String, _ instead: String) throws {
    for method in ["toMatchSnapshot", "toMatchInlineSnapshot"] {
      let result = try CommandRunner.run(
        ["a.test.mjs": "test('a', () => { const v = \(value); expect(v).\(method)() })"],
        "nbridge test -u")
      #expect(result.status == 1 && result.output.contains("does not tell what it holds"), "\(result)")
      #expect(result.output.contains(instead), "\(result)")
    }
  }

  @Test(arguments: [
    "new URL('a:1')", "new Headers({ a: '1' })", "new Map([[1, 2]]).entries()", "new DOMException('a')",
    "new Response(null)", "new Uint8Array([1])", "new Date(0)", "(function () { return arguments })(1)",
    "new EventTarget()", "[() => {}, /a/, Object(1), new Proxy({}, {})]", "{ a: new (class A { #b = 1 })() }",
  ])
  func whatATextTellsIsTaken(_ value: String) throws {
    let result = try CommandRunner.run(
      ["a.test.mjs": "test('a', () => { const v = \(value); expect(v).toMatchSnapshot() })"],
      "nbridge test -u")
    #expect(result.status == 0 && result.output.contains("1 snapshot written"), "\(result)")
  }
}
