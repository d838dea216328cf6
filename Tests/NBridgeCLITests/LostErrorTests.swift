// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Errors in a file of tests that nobody caught where they arose, whatever handlers the file has for them.
@Suite struct LostErrorTests {
  static let handlers = [
    "import process from 'node:process'; process.on('uncaughtException', () => {}); "
      + "process.on('unhandledRejection', () => {});",
    "addEventListener('error', (e) => e.preventDefault()); "
      + "addEventListener('unhandledrejection', (e) => e.preventDefault());",
    "globalThis.onerror = () => true; globalThis.onunhandledrejection = (e) => e.preventDefault();",
    "addEventListener('error', (e) => { e.preventDefault(); e.stopImmediatePropagation(); throw 1 });",
  ]

  /// The call that names what is not there has its place, though the error comes later.
  @Test(arguments: [
    ("a.js", "\nimport('./nope.js')", "a.js:2:"), ("a.mjs", "\nawait import('./nope.js')", "a.mjs:2:"),
    ("a.mjs", "\nfunction f() {\n  return import('./nope.js')\n}\nf()", "a.mjs:3:"),
    ("a.cjs", "\nimport('nope')", "a.cjs:2:"),
  ])
  func aModuleThatIsMissingIsToldWithTheCall(_ name: String, _ script: String, _ place: String) throws {
    let result = try CommandRunner.run([name: script], "nbridge \(name)")
    #expect(result.status == 1 && result.errors.hasPrefix(place), "\(result)")
    #expect(result.errors.contains("[ERR_MODULE_NOT_FOUND]\n    at "), "\(result)")
    let caught = script.replacingOccurrences(of: "}\nf()", with: "}\nf().catch((e) => console.log(e))")
    guard caught != script else { return }
    let shown = try CommandRunner.run([name: caught], "nbridge \(name)")
    #expect(shown.output.contains("at f (\(place)"), "\(shown)")
  }

  @Test(arguments: handlers) func noHandlerOfTheFileHidesALostError(_ handler: String) throws {
    let later = "await new Promise((done) => setTimeout(done, 20))"
    let result = try CommandRunner.run([
      "a.test.mjs": """
      \(handler)
      test('timer', async () => { setTimeout(() => { throw new Error('late') }, 1); \(later) });
      test('rejection', async () => { Promise.reject(new Error('lost')); \(later) });
      test('listener', () => {
        const target = new EventTarget();
        target.addEventListener('x', () => { throw new Error('inside') });
        target.dispatchEvent(new Event('x'));
      });
      test('good', () => {});
      """
    ])
    #expect(result.status == 1 && result.output.contains("\n1 passed, 3 failed\n"), "\(result)")
    for text in [
      "an error that was not caught: late", "a rejection that was not handled: lost",
      "an error that was not caught: inside",
    ] { #expect(result.output.contains(text), "\(result)") }
  }

  @Test(arguments: handlers) func norOneOfWhenTheFileDeclaresItsTests(_ handler: String) throws {
    let result = try CommandRunner.run([
      "a.test.mjs": """
      \(handler)
      setTimeout(() => { throw new Error('early') }, 1); await new Promise((done) => setTimeout(done, 20));
      test('good', () => {});
      """
    ])
    let told = "the file ended with status 1 before it had declared its tests"
    #expect(result.status == 1 && result.output.contains(told), "\(result)")
  }
}
