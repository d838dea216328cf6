// SPDX-License-Identifier: MIT

import NBridge
import NBridgeTesting
import Testing

/// Errors that do harm when they are looked at, and scripts that change what looks at them.
@Suite(.timeLimit(.minutes(2))) struct ErrorAttacks {
  /// None of their code runs: no getter, no trap, no method.
  @Test(arguments: [
    (
      "throw { get stack() { for (;;); }, get message() { for (;;); } }",
      "Uncaught { stack: [Getter], message: [Getter] }\n"
    ),
    (
      """
      const e = new Error('m');
      for (const name of ['stack', 'cause', 'line', 'code', 'details', 'errors', 'name']) {
        Object.defineProperty(e, name, { get() { for (;;); } });
      }
      queueMicrotask(() => { throw e });
      """, "Error: m\n"
    ),
    ("Error.prototype.toString = () => { throw 1 }; throw new Error('a')", "Error: a\n"),
    (
      "const e = new Error('m'); e.cause = new Error('f', { cause: e }); throw e",
      "  caused by: Error: m (told above)\n"
    ),
    (
      "const a = new AggregateError([]); a.errors = [a, 5]; throw a",
      "  error 1 of 2: AggregateError (told above)\n"
    ),
    ("throw Object.freeze(new Error('frozen'))", "Error: frozen\n"),
    ("throw new Error('x'.repeat(1 << 20))", "... 1038583 more bytes\n"),
    ("const e = new Error('g'); e.stack = 'f@a:1:1\\n'.repeat(1e5); throw e", "Error: g\n    at f (a:1:1)\n"),
    ("const e = new Error('g'); e.stack = 'garbage'.repeat(1e5); throw e", "Error: g\n"),
    ("const e = new Error('g'); e.stack = { toString() { for (;;); } }; throw e", "Error: g\n"),
    (
      "let e = new Error('0'); for (let i = 1; i < 1e5; i++) e = new Error(`${i}`, { cause: e }); throw e",
      "  caused by: Error: 99990\n"
    ),
    (
      "Object.prototype.cause = new Error('p'); Object.prototype.get = 5; throw new Error('own')",
      "Error: own\n"
    ),
    ("(function f() { f() })()", "RangeError: Maximum call stack size exceeded.\n"),
    (
      "throw Object.assign(new Error('e'), { [Symbol('s')]: 1, n: { get g() { for (;;); } } })",
      "{ n: { g: [Getter] }, [Symbol(s)]: 1 }\n"
    ),
    (
      "throw Object.assign(new Error('e'), { details: { toJSON() { for (;;); } } })",
      "  details: { toJSON: [Function: toJSON] }\n"
    ),
    (
      "const e = new Error('\\u001b[31m\\ud800'); e.code = '\\u001b[2J'; throw e",
      "\\x1B[31m\u{FFFD} [\\x1B[2J]\n"
    ),
  ])
  func nothingOfTheErrorRuns(_ script: String, _ told: String) async {
    let result = await ScriptHarness(plugins: []).run(script)
    #expect(result.errors.contains(told) && result.status == .failure, "\(result.errors.prefix(2000))")
  }

  @Test(arguments: [
    "e.stack = 5", "e.stack = 'f@a:1:1\\n'.repeat(1e5)",
    "Object.defineProperty(e, 'stack', { get() { for (;;); } })",
    "e.cause = e", "e.errors = [e, e]", "e.name = { toString() { for (;;); } }", "e.message = Symbol()",
    "Object.setPrototypeOf(e, new Proxy({}, { get() { for (;;); } }))", "Object.setPrototypeOf(e, null)",
    "e = new Proxy(e, { get() { for (;;); }, getPrototypeOf() { for (;;); } })", "Object.freeze(e)",
    "for (let i = 0; i < 1e5; i++) e = new Error('n', { cause: e })",
    "e.constructor = new Proxy(Error, { get() { for (;;); } })", "e.constructor = { name: 5 }",
  ])
  func consoleShowsIt(_ change: String) async {
    let result = await ScriptHarness(plugins: []).run(
      "let e = new Error('m'); \(change); console.log(e); console.log('over')")
    #expect(result.output.hasSuffix("over\n") && result.status == .success, "\(result.errors.prefix(2000))")
  }

  static let shows = """
    console.log('a', { a: [1, "it's"], m: map, s: 'x\\ny' });
    console.log('%s %d %j %o', { b: 1 }, 5, [1], [2]); console.table([{ a: 1 }]);
    console.error(new Error('shown'));
    console.group('g'); console.log('in\\ner'); console.trace('t'); console.groupEnd();
    console.assert(false, 5, {});
    console.count(); console.dir({ c: url }); console.log([error, other]); console.timeLog('none');
    """
  static let values = """
    const map = new Map([[1, { k: 2 }]]), url = new Date(0), error = new Error('e', { cause: 5 });
    const other = Object.assign(new TypeError('o'), { code: 5 });
    """

  /// What a script does to the engine's prototypes changes nothing of what console prints.
  @Test(arguments: [
    "Array.prototype[Symbol.iterator] = () => { throw 1 }", "String.prototype.replace = () => { throw 1 }",
    "Array.prototype.push = function () {}", "Array.prototype.join = Array.prototype.map = () => 'bad'",
    "Object.prototype.get = Object.prototype.value = () => 5", "RegExp.prototype.exec = () => { throw 1 }",
    "Object.keys = Object.getOwnPropertyNames = Reflect.apply = () => { throw 1 }",
    "Map.prototype.get = Map.prototype.has = Set.prototype.has = () => { throw 1 }",
    "Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => { throw 1 }",
    "Error.stackTraceLimit = 100; Error.prototype.toString = () => { throw 1 }",
    "Number.prototype.toFixed = Number.prototype.toString = () => { throw 1 }",
    "JSON.stringify = Math.max = Math.min = Math.floor = () => { throw 1 }",
    "String.prototype.split = String.prototype.slice = () => '!'",
    "String.prototype.includes = String.prototype.indexOf = String.prototype.startsWith = () => '!'",
    "globalThis.Object = globalThis.Array = globalThis.Map = globalThis.Math = globalThis.JSON = undefined",
  ])
  func consolePrintsAsBefore(_ change: String) async {
    // On the same line, so that the places are the same.
    let plain = await ScriptHarness(plugins: []).run("\(Self.values)\n0;\n\(Self.shows)")
    let changed = await ScriptHarness(plugins: []).run("\(Self.values)\n\(change);\n\(Self.shows)")
    #expect(plain.status == .success && plain.output.contains("Map(1) { 1 => { k: 2 } }"), "\(plain.errors)")
    #expect(changed.output == plain.output)
    #expect(changed.errors == plain.errors)
  }

  /// Every method of every prototype, so that none is relied on that is not taken in time.
  @Test func noMethodThatAScriptReplacesIsAsked() async {
    let result = await ScriptHarness(plugins: []).run(
      """
      \(Self.values)
      const types = [Array, String, RegExp, Map, Set, WeakMap, Function, Object, Number, Symbol, Error];
      const { ownKeys } = Reflect, { getOwnPropertyDescriptor, defineProperty } = Object;
      const fail = () => { throw 1 };
      for (let i = 0; i < types.length; i++) {
        const { prototype } = types[i], names = ownKeys(prototype);
        for (let j = 0; j < names.length; j++) {
          const found = getOwnPropertyDescriptor(prototype, names[j]);
          if (names[j] === 'constructor' || typeof found.value !== 'function') continue;
          if (!found.configurable) continue;
          defineProperty(prototype, names[j], { value: fail, configurable: true, writable: true });
        }
      }
      \(Self.shows)
      console.log('over');
      """)
    #expect(result.output.hasSuffix("over\n") && result.status == .success, "\(result.errors)")
  }
}
