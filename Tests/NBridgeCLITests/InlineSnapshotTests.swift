// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// `toMatchInlineSnapshot`: a value's text stands in the call, and `nbridge test -u` writes it there.
@Suite struct InlineSnapshotTests {
  private func withFile(
    _ name: String, _ text: String, _ body: (CommandRunner, () throws -> String) throws -> Void
  ) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([name: text])
    try body(runner) {
      // Foundation's own reading drops a byte-order mark.
      String(decoding: try Data(contentsOf: URL(fileURLWithPath: runner.folder + "/" + name)), as: UTF8.self)
    }
  }

  /// A text without a literal, and what `-u` makes of it; then all passes.
  private func isWritten(
    _ text: String, _ expected: String, in name: String = "a.test.js", count: Int = 1
  ) throws {
    try withFile(name, text) { runner, now in
      let missing = try runner.shell("nbridge test")
      #expect(missing.status == 1 && missing.output.contains("there is no inline snapshot of"), "\(missing)")
      #expect(try now().utf8.elementsEqual(text.utf8))
      let written = try runner.shell("nbridge test -u")
      let counted = "\(count) snapshot\(count == 1 ? "" : "s") written"
      #expect(written.status == 0 && written.output.contains(counted), "\(written)")
      let made = try now()
      #expect(made.utf8.elementsEqual(expected.utf8), "\(made)")
      let again = try runner.shell("nbridge test && nbridge test -u")
      #expect(again.status == 0 && !again.output.contains("written"), "\(again)")
      #expect(try now().utf8.elementsEqual(expected.utf8))
    }
  }

  @Test func valuesStandWhereTheyAreCompared() throws {
    try isWritten(
      """
      test('a', async () => {
        expect(1).toMatchInlineSnapshot(); expect([2])
            . toMatchInlineSnapshot ( /* none yet */ );
      \tif (true) expect({ a: 'x' }).toMatchInlineSnapshot(``);
        await expect(Promise.resolve(3)).resolves.toMatchInlineSnapshot("old",);
        expect(() => { throw new Error('no') }).toThrowErrorMatchingInlineSnapshot();
        await expect(Promise.reject(new Error('never'))).rejects.toThrowErrorMatchingInlineSnapshot();
      })
      """,
      """
      test('a', async () => {
        expect(1).toMatchInlineSnapshot(`1`); expect([2])
            . toMatchInlineSnapshot ( /* none yet */ `
              [
                2
              ]
            `);
      \tif (true) expect({ a: 'x' }).toMatchInlineSnapshot(`
      \t\t{
      \t\t  a: 'x'
      \t\t}
      \t`);
        await expect(Promise.resolve(3)).resolves.toMatchInlineSnapshot(`3`,);
        expect(() => { throw new Error('no') }).toThrowErrorMatchingInlineSnapshot(`no`);
        await expect(Promise.reject(new Error('never'))).rejects.toThrowErrorMatchingInlineSnapshot(`never`);
      })
      """, count: 6)
  }

  @Test func membersStandBeforeTheText() throws {
    try isWritten(
      """
      const user = () => ({ id: Math.random(), at: { n: [1] }, name: 'Ada' });
      test('a', () => {
        expect(user()).toMatchInlineSnapshot({ id: expect.any(Number) });
        expect({ t: Date.now() }).toMatchInlineSnapshot({ t: expect.any(Number) /* , */ },);
        expect({ a: 1 }).toMatchInlineSnapshot({ a: expect.closeTo(1, `${1}`.length) }, "old");
      })
      """,
      """
      const user = () => ({ id: Math.random(), at: { n: [1] }, name: 'Ada' });
      test('a', () => {
        expect(user()).toMatchInlineSnapshot({ id: expect.any(Number) }, `
          {
            at: {
              n: [
                1
              ]
            },
            id: Any<Number>,
            name: 'Ada'
          }
        `);
        expect({ t: Date.now() }).toMatchInlineSnapshot({ t: expect.any(Number) /* , */ },`
          {
            t: Any<Number>
          }
        `);
        expect({ a: 1 }).toMatchInlineSnapshot({ a: expect.closeTo(1, `${1}`.length) }, `
          {
            a: NumberCloseTo 1 (1 digits)
          }
        `);
      })
      """, count: 3)
    let wrong = try CommandRunner.run([
      "a.test.js": "test('a', () => expect({ a: '1' }).toMatchInlineSnapshot({ a: expect.any(Number) }, ``))"
    ])
    #expect(wrong.status == 1 && wrong.output.contains("to have the members"), "\(wrong)")
  }

  /// A text as JavaScript, and its literal.
  @Test(arguments: [
    ("'`${a}` $ {b} $'", "`\\`\\${a}\\` $ {b} $`"), ("'\\\\n'", "`\\\\n`"), ("''", "``"), ("'$'", "`$`"),
    ("'\\r\\u0000\\t\\u2028\\ufeff\\u{1F600}'", "`\\r\\u{0}\t\\u{2028}\\u{feff}😀`"),
    ("' \\n'", "`\n     \n\n  `"), ("'\\n  a\\n\\n b\\n'", "`\n\n      a\n\n     b\n\n  `"),
    ("'e\\u0301\\n \\u0301'", "`\n    e\u{301}\n     \u{301}\n  `"),
  ])
  func whatALiteralWouldMeanOtherwiseIsEscaped(_ value: String, _ literal: String) throws {
    let thrower = "const f = () => { throw new Error(\(value)) };\n"
    let text = thrower + "test('a', () => {\n  expect(f).toThrowErrorMatchingInlineSnapshot();\n});\n"
    try isWritten(text, text.replacingOccurrences(of: "Snapshot()", with: "Snapshot(\(literal))"))
  }

  @Test func aStringHasItsQuotesAndIsNoNumber() throws {
    try isWritten(
      "test('a', () => { expect('5').toMatchInlineSnapshot() });",
      "test('a', () => { expect('5').toMatchInlineSnapshot(`\"5\"`) });")
    for (value, kept) in [("5", "\"5\""), ("'5'", "5"), ("undefined", "\"undefined\""), ("NaN", "\"NaN\"")] {
      let text = "test('a', () => { expect(\(value)).toMatchInlineSnapshot(`\(kept)`) });"
      try withFile("a.test.js", text) { runner, _ in
        let result = try runner.shell("nbridge test")
        #expect(result.status == 1)
      }
    }
  }

  @Test func typesDoNotMoveTheCalls() throws {
    let text = """
      interface A { toMatchInlineSnapshot(): void }
      const one = <T,>(x: T): T => x as T; type B = typeof one;
      test('ä😀', () => { const s: string = '😀'; expect(one<string>(s)!).toMatchInlineSnapshot(); });
      enum E { a = 1 }
      test('b', () => { for (const i of [1, 1] as number[]) {
        expect(i).toMatchInlineSnapshot(); expect(E.a as any).toMatchInlineSnapshot();
      } });
      """
    try isWritten(
      text,
      """
      interface A { toMatchInlineSnapshot(): void }
      const one = <T,>(x: T): T => x as T; type B = typeof one;
      test('ä😀', () => { const s: string = '😀'; expect(one<string>(s)!).toMatchInlineSnapshot(`"😀"`); });
      enum E { a = 1 }
      test('b', () => { for (const i of [1, 1] as number[]) {
        expect(i).toMatchInlineSnapshot(`1`); expect(E.a as any).toMatchInlineSnapshot(`1`);
      } });
      """, in: "a.test.ts", count: 3)
  }

  @Test func marksAndLineEndsAndTheModeStay() throws {
    try withFile(
      "a.test.js",
      "\u{FEFF}#!/usr/bin/env nbridge\r\ntest('a', () => {\r\n"
        + "  expect([1]).toMatchInlineSnapshot()\r\n});\r\n"
    ) { runner, now in
      let result = try runner.shell(
        """
        chmod 0751 a.test.js; nbridge test -u && nbridge test; stat -c %a a.test.js
        ls -A | grep -c '^.nbridge'
        """)
      #expect(result.output.hasSuffix("\n1 passed, 0 failed\n751\n0\n"), "\(result)")
      let expected =
        "\u{FEFF}#!/usr/bin/env nbridge\r\ntest('a', () => {\r\n  expect([1]).toMatchInlineSnapshot(`\r\n"
        + "    [\r\n      1\r\n    ]\r\n  `)\r\n});\r\n"
      let made = try now()
      #expect(made.utf8.elementsEqual(expected.utf8), "\(made)")
    }
  }

  @Test func differentValuesOfOneCallAreRefused() throws {
    let text = "test('a', () => { for (const i of [1, 2]) expect(i).toMatchInlineSnapshot() });"
    try withFile("a.test.js", text) { runner, now in
      let result = try runner.shell("nbridge test -u")
      #expect(result.status == 1 && result.output.contains("runs several times with different values"))
      #expect(try now() == text)
    }
  }

  @Test func aTextThatDiffersFailsAndShowsHow() throws {
    let text = "test('a', () => { expect({ a: 1 }).toMatchInlineSnapshot(`\n  {\n    a: 2\n  }\n`) })"
    try withFile("a.test.js", text) { runner, now in
      let result = try runner.shell("CI=1 nbridge test")
      #expect(result.status == 1 && result.output.contains("      -   a: 2\n      +   a: 1\n"), "\(result)")
      #expect(try now() == text)
    }
  }

  /// A file can't tell one half of a character from another, so nothing is compared by one.
  @Test(arguments: [
    "expect('\\ud800').toMatchInlineSnapshot(`\\ud801`)",
    "expect('\\ufffd').toMatchInlineSnapshot(`\\ud801`)",
    "expect('\\ud800').toMatchInlineSnapshot(`\\ufffd`)",
    "expect('\\ud800').toMatchInlineSnapshot()", "expect('\\ud800').toMatchSnapshot()",
    "expect('a').toMatchSnapshot('\\ud800')",
    "expect(() => { throw Error('\\ud800') }).toThrowErrorMatchingInlineSnapshot(`\\ud801`)",
    "String.prototype.isWellFormed = () => true; expect('\\ud800').toMatchInlineSnapshot(`\\ud801`)",
  ])
  func halfACharacterIsNoSnapshot(_ call: String) throws {
    let text = "test('a', () => { \(call) })"
    try withFile("a.test.js", text) { runner, now in
      for option in ["", "-u"] {
        let result = try runner.shell("nbridge test \(option); ls -d __snap*")
        #expect(result.output.contains("half a character") && !result.output.contains("__snap"), "\(result)")
        #expect(result.output.contains("0 passed, 1 failed"))
      }
      #expect(try now() == text)
    }
  }

  /// Snapshots are compared by their bytes, beside the file, too.
  @Test func twoWaysToWriteACharacterAreTwoTexts() throws {
    try withFile("a.test.js", "test('a', () => expect('e\\u0301').toMatchSnapshot())") { runner, _ in
      let result = try runner.shell(
        """
        nbridge test -u && sed -i 's/e.u0301/\\\\u00e9/' a.test.js && ! nbridge test &&
          nbridge test -u && nbridge test
        """)
      #expect(result.status == 0 && result.output.contains("not the snapshot"), "\(result)")
      #expect(result.output.split(separator: "\n").filter { $0 == "1 snapshot written" }.count == 2)
    }
  }

  /// Each way: what the file does to itself or is called by, and what is said.
  @Test(arguments: [
    ("expect(1)['toMatchInlineSnapshot']()", ":", "by another way than as expect(value)"),
    ("const m = expect(1).toMatchInlineSnapshot; m()", ":", "by another way than as expect(value)"),
    ("const t = '2'; expect(1).toMatchInlineSnapshot(t)", ":", "one text that stands there as a literal"),
    ("expect(1).toMatchInlineSnapshot(`${2}`)", ":", "one text that stands there as a literal"),
    ("expect(1).toMatchInlineSnapshot(2)", ":", "takes the text that it compares with"),
    ("eval('expect(1).toMatchInlineSnapshot()')", ":", "by another way than as expect(value)"),
    ("await change(); expect(1).toMatchInlineSnapshot()", ":", "was changed while its tests ran"),
    ("expect(1).toMatchInlineSnapshot()", "mkdir o; mv a.test.js o/b.js; ln -s o/b.js $1", "it is a link"),
    (
      "expect(1).toMatchInlineSnapshot()",
      "mkdir -p node_modules/p; mv a.test.js node_modules/p; set node_modules/p/a.test.js", "in node_modules"
    ),
  ])
  func noOtherPlaceIsWrittenTo(_ body: String, _ before: String, _ says: String) throws {
    let script = """
      import { execFile } from 'node:child_process';
      const change = () => new Promise((done) => execFile('sh', ['-c', 'printf // >> a.test.js'], done));
      test('a', async () => { \(body) })
      """
    try withFile("a.test.js", script) { runner, _ in
      let files = "find . -name '*.js' -type f -exec cat {} +"
      let result = try runner.shell(
        """
        set a.test.js; \(before); nbridge test -u \(TestRunAttackTests.mayRunShells) $1; echo status $?
        \(files); find . -name '.nbridge-*'
        """)
      #expect(result.output.contains(says), "\(result)")
      #expect(result.output.contains("status 1\n"))
      let rest = script + (body.hasPrefix("await change") ? "//" : "")
      #expect(result.output.hasSuffix("status 1\n" + rest), "\(result)")
    }
  }

  @Test func aFileOutsideOfTheRunIsNotWrittenTo() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let helper = "export const check = (e) => e.toMatchInlineSnapshot();"
    try runner.write([
      "out/helper.mjs": helper,
      "in/a.test.mjs": "import { check } from '../out/helper.mjs'; test('a', () => check(expect(1)))",
    ])
    let result = try runner.shell("cd in; nbridge test -u; cat ../out/helper.mjs")
    #expect(result.output.contains("it lies outside of the folders of this run"), "\(result)")
    #expect(result.output.hasSuffix("\n" + helper))
    let above = try runner.shell("nbridge test -u && cat out/helper.mjs")
    #expect(above.output.hasSuffix("e.toMatchInlineSnapshot(`1`);"), "\(above)")
  }

  /// What was left out by a filter keeps its text, inside of the file and beside it.
  @Test func aRunOfSomeTestsWritesTheirs() throws {
    let text = """
      test('one', () => { expect(1).toMatchSnapshot(); expect(1).toMatchInlineSnapshot(`0`) });
      test('two', () => { expect(2).toMatchSnapshot(); expect(2).toMatchInlineSnapshot(`0`) });
      """
    try withFile("a.test.js", text) { runner, now in
      let some = try runner.shell(
        """
        nbridge test -u -f one; nbridge test -f one && ! nbridge test -f two && \
        nbridge test -u -f two && nbridge test
        """)
      #expect(some.status == 0, "\(some)")
      let rest = try now()
      #expect(rest.contains("expect(1).toMatchInlineSnapshot(`1`)"), "\(rest)")
      #expect(rest.contains("expect(2).toMatchInlineSnapshot(`2`)"), "\(rest)")
    }
  }
}
