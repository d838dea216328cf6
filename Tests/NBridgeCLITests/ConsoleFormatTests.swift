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

  /// A hundred elements are shown of each: the others cost nothing. All of them took 12 s.
  @Test(arguments: [
    "new Uint8Array(1e7)", "Array(2e6).fill(1)", "Array(1e7)", "new Uint8Array(1e7).buffer",
    "new Set(Array(2e6).keys())",
  ])
  func aLargeValueCostsWhatIsShownOfIt(_ value: String) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "a.mjs": """
      import { inspect } from 'node:util';
      const value = \(value); console.log({}); inspect({});
      const start = performance.now();
      console.log(value); const shown = inspect(value);
      console.log(shown.length < 5000, performance.now() - start < 400);
      """
    ])
    let result = try runner.shell("nbridge run a.mjs")
    #expect(result.status == 0 && result.output.hasSuffix("\ntrue true\n"), "\(result)")
  }

  /// What is too deep for the engine's stack is cut, and no error of the program's.
  @Test func whatIsVeryDeepIsCut() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "a.js": """
      let list = [], object = {}, set = new Set(), error = new Error('e');
      for (let level = 0; level < 20000; level++) {
        list = [list]; object = { object }; set = new Set([set]); error = new Error('e', { cause: error });
      }
      for (const value of [list, object, set, error]) {
        console.dir(value, { depth: null }); console.log(value);
      }
      console.log('%o', list); console.log('done');
      """
    ])
    let result = try runner.shell("nbridge run a.js | grep -v '^ *[\\[{]*$' | tail -n 1")
    #expect(result.output == "done\n" && result.errors == "", "\(result.errors.prefix(500))")
  }

  /// What a script's own text does is done to it only.
  @Test func whatSaysItselfReachesNoPrototypeOfOurs() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "a.js": """
      const custom = Symbol.for('nodejs.util.inspect.custom');
      console.log({ [custom]: (depth, options, inspect) => [options, options.stylize, inspect]
        .map((one) => Object.getPrototypeOf(one)).join() });
      console.log({ get [custom]() { throw 1 } });
      """
    ])
    let result = try runner.shell("nbridge run a.js")
    #expect(
      result.output == ",,\n{ [Symbol(nodejs.util.inspect.custom)]: [Getter] }\n", "\(result)")
  }
}
