// SPDX-License-Identifier: MIT

import Testing

/// What `%s` makes of objects (Console standard, 2.2; Node shows those that have no text of their own).
@Suite struct ConsoleFormatTests {
  @Test(arguments: [
    ("{ toString() { return 'own' } }", "own"),
    ("new (class { toString() { return 'a class' } })()", "a class"),
    ("{ a: 1 }", "{ a: 1 }"), ("[1]", "[ 1 ]"), ("{ toString: 5 }", "{ toString: 5 }"),
    ("{ toString() { throw 1 } }", "{ toString: [Function: toString] }"),
    ("new Proxy({ a: 1 }, { get() { throw 1 } })", "{ a: 1 }"),
  ])
  func objectsTellTheirTextIfTheyHaveOne(_ value: String, _ text: String) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(["a.js": "console.log('%s', \(value))"])
    let result = try runner.shell("nbridge run a.js")
    #expect(result.output == text + "\n", "\(result)")
  }
}
