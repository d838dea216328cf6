// SPDX-License-Identifier: MIT

import Testing

/// Modules that ask for each other, modules that fail, and scripts that change what modules are made with.
extension ModuleTests {
  private static func output(_ files: [String: String], _ name: String = "main.mjs") throws -> String {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(files)
    let result = try runner.shell("nbridge run \(name); nbridge run \(name)")
    return result.output + result.errors
  }

  /// The second run finds its modules linked.
  private static func twice(_ text: String) -> String { text + "\n" + text + "\n" }

  /// A script may ask for a module that asks for it: it gets what is there.
  @Test func aCircleByRequireGivesFunctionsBeforeTheyRan() throws {
    let files = [
      "main.mjs": "import './a.cjs'; export function f() { return g() } import { g } from './g.mjs'",
      "g.mjs": "export function g() { return 'g' }",
      "a.cjs": "const name = './main.mjs'; console.log(require(name).f())",
    ]
    #expect(try Self.output(files) == Self.twice("g"))
  }

  /// In a circle, one that awaits has its functions and variables before it runs, too; and what runs does so
  /// in the language's order.
  @Test func aCircleWithAnAwaitGivesFunctionsBeforeTheyRan() throws {
    let files = [
      "main.mjs": """
      import './first.mjs'; import './b.mjs'; import './last.mjs'
      export var p = 1; export function q() { return 'q' }
      export default function () { return 'd' }
      export const late = 2
      console.log('main begins'); await null; console.log('main ends')
      const twin = await import('./twin.mjs'); console.log(twin.value)
      """, "first.mjs": "console.log('first')", "last.mjs": "console.log('last')",
      "b.mjs": """
      import d, { p, q, late } from './main.mjs'
      console.log(p, q(), d())
      try { late } catch (error) { console.log(error.name) }
      """,
      "twin.mjs": "import './other.mjs'; await 0; export const value = 3; export function f() { return 4 }",
      "other.mjs": "import { f } from './twin.mjs'; console.log(f()); await f()",
    ]
    let all = "first\nundefined q d\nReferenceError\nlast\nmain begins\nmain ends\n4\n3"
    #expect(try Self.output(files) == Self.twice(all))
  }

  /// What runs beside a circle does not overtake it.
  @Test func aCircleWithAnAwaitBeginsInItsTurn() throws {
    let files = [
      "main.mjs": "import './a.mjs'; import './c.mjs'; console.log('main')",
      "a.mjs": "import './b.mjs'; export function f() {} console.log('a'); await null; console.log('a ends')",
      "b.mjs": "import { f } from './a.mjs'; f(); console.log('b')", "c.mjs": "console.log('c')",
    ]
    #expect(try Self.output(files) == Self.twice("b\na\nc\na ends\nmain"))
  }

  @Test func aModuleThatFailedWhileAnotherAskedForItFailsEveryTime() throws {
    let files = [
      "main.mjs": """
      for (const name of ['./x.mjs', './p.mjs', './x.mjs']) {
        console.log(await import(name).then(() => 'came', (error) => error.message))
      }
      """, "x.mjs": "import './p.mjs'", "p.mjs": "import './y.cjs'; throw new Error('p')",
      "y.cjs": "require('./p.mjs')",
    ]
    #expect(try Self.output(files) == Self.twice("p\np\np"))
  }

  /// Node gives its modules all that a CommonJS module exports, by whatever way they ask.
  @Test func aDefaultIsOneValueByEveryWay() throws {
    let files = [
      "main.mjs": """
      import c, * as B from './b.cjs'; import * as ns from './again.mjs'
      const others = [B.default, ns.c, ns.d, (await import('./b.cjs')).default]
      console.log(others.every((other) => other === c), c.default)
      """, "again.mjs": "import c from './b.cjs'; export { c }; export { default as d } from './b.cjs'",
      "b.cjs": "exports.__esModule = true; exports.default = 8",
    ]
    #expect(try Self.output(files) == Self.twice("true 8"))
  }

  @Test(arguments: [
    "Array.prototype[Symbol.iterator] = function* () {}", "Object.prototype.get = () => 1",
    "Object.prototype.configurable = true", "Object.prototype.name = 'x'",
  ])
  func namespacesAreWhatTheyAreWhateverAScriptChanged(_ change: String) throws {
    let files = [
      "main.mjs": """
      import './change.mjs'; import * as ns from './ns.mjs'
      console.log(Object.keys(ns) + '', Object.getOwnPropertyDescriptor(ns, 'a').value, ns.default)
      """, "change.mjs": change, "ns.mjs": "export const a = 1; export default 2",
    ]
    #expect(try Self.output(files) == Self.twice("a,default 1 2"))
  }

  @Test func whoAskedForAFileIsItsParent() throws {
    let files = [
      "main.cjs": """
      if (!module.parent) console.log('main', module.paths[0].endsWith('/node_modules'))
      const kid = require('./kid.cjs')
      console.log(kid.parent === module, module.children.length, Object.keys(kid).includes('parent'))
      """, "kid.cjs": "module.exports = module; if (!module.parent) console.log('never')",
    ]
    #expect(try Self.output(files, "main.cjs") == Self.twice("main true\ntrue 1 false"))
  }

  @Test func anEntryCalledCJSIsCommonJS() throws {
    let files = ["a.cjs": "exports.x = 1; console.log(module.exports)"]
    #expect(try Self.output(files, "a.cjs") == Self.twice("{ x: 1 }"))
  }
}
