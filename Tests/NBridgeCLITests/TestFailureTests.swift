// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// What a failure tells: as much as the report of an uncaught error.
@Suite struct TestFailureTests {
  /// The second line of a file, where a value is thrown that has no stack.
  @Test(arguments: [
    "throw 1;", "throw { code: 5 };", "Promise.reject('no');", "throw 'text';", "throw null;",
    "setTimeout(() => { throw { a: 1 } }, 1);",
  ])
  func whatIsNoErrorHasAPlace(_ line: String) throws {
    let files = [
      "a.test.mjs": "test('a', async () => {\n  \(line)\n  await new Promise((r) => setTimeout(r, 20));\n});",
      "hook.test.mjs": "beforeEach(() => {\n  \(line)\n}); test('a', () => {});",
    ]
    // A timer of a hook would be ended, and told as left open.
    for name in files.keys.sorted() where !(name == "hook.test.mjs" && line.hasPrefix("setTimeout")) {
      let result = try CommandRunner.run(files, "nbridge test \(name)")
      #expect(result.status == 1 && result.output.contains("at \(name):2:"), "\(line): \(result)")
    }
  }

  @Test(arguments: [
    ("new Error('outer', { cause: new TypeError('inner') })", "caused by: TypeError: inner"),
    ("new Error('outer', { cause: 'why' })", "caused by: 'why'"),
    (
      "new AggregateError([new Error('first'), new TypeError('second')], 'all')",
      "error 2 of 2: TypeError: second"
    ),
    ("new SuppressedError(new Error('second'), new TypeError('first'))", "suppressed: TypeError: first"),
    ("new SuppressedError(new Error('second'), 'first')", "error: Error: second"),
    ("Object.assign(new Error('p'), { code: 'X', detail: { a: 1 } })", "{ detail: { a: 1 } }"),
  ])
  func whatBelongsToAnErrorIsTold(_ error: String, _ told: String) throws {
    for line in ["throw \(error)", "Promise.reject(\(error))"] {
      for reporter in ["lines", "dots", "tap", "junit"] {
        let result = try CommandRunner.run(
          ["a.test.mjs": "test('a', () => { \(line) });"], "nbridge test --reporter \(reporter)")
        let text = result.output.replacingOccurrences(of: "&apos;", with: "'")
        #expect(result.status == 1 && text.contains(told), "\(line), \(reporter): \(result)")
      }
    }
  }

  @Test func aMisspeltNameIsToldWithTheNearestOne() throws {
    let result = try CommandRunner.run(["a.test.mjs": "test('a', () => { nbridge.documnts.get('x') })"])
    #expect(result.status == 1, "\(result)")
    #expect(
      result.output.contains("nbridge has no 'documnts'; did you mean 'documents'?"), "\(result)")
  }

  /// What an assertion compared is shown once.
  @Test func anAssertionsValuesAreNoProperties() throws {
    let result = try CommandRunner.run([
      "a.test.mjs": "import node from 'node:assert'; test('a', () => { node.strictEqual(1, 2) });"
    ])
    #expect(result.status == 1 && !result.output.contains("generatedMessage"), "\(result)")
  }
}
