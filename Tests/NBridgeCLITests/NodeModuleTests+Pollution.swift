// SPDX-License-Identifier: MIT

import Testing

/// What a script makes of its prototypes is not to break what it imports later.
extension NodeModuleTests {
  private static let names = """
    ["assert", "assert/strict", "buffer", "child_process", "console", "constants", "crypto",
      "diagnostics_channel", "events", "fs", "fs/promises", "module", "os", "path", "perf_hooks", "process",
      "punycode", "querystring", "readline", "readline/promises", "stream", "stream/promises",
      "string_decoder", "timers", "timers/promises", "tty", "url", "util", "util/types"]
    """

  @Test(arguments: [
    """
    for (const kind of [Object, Function, Array, String, Number, Boolean, Date, RegExp, Error, TypeError,
      RangeError, Promise, Map, Set, WeakMap, WeakSet, Symbol, Uint8Array, ArrayBuffer, DataView, EventTarget,
      Event, URL, TextDecoder, AbortSignal]) Object.freeze(kind.prototype);
    Object.freeze(Object.getPrototypeOf(Uint8Array.prototype));
    """,
    "Object.defineProperty(Array.prototype, 0, { set() { throw 'mine' }, configurable: true });",
    "Array.prototype.push = () => { throw 'mine' };", "String.prototype.split = () => { throw 'mine' };",
    "Object.assign = () => { throw 'mine' };", "Array.prototype.map = () => { throw 'mine' };",
    "Object.entries = Object.keys = () => { throw 'mine' };", "Array.from = () => { throw 'mine' };",
    "Object.getPrototypeOf = Object.defineProperty = () => { throw 'mine' };",
    "Function.prototype.call = Function.prototype.bind = () => { throw 'mine' };",
    "Object.defineProperty(Object.prototype, 'get', { get() { throw 'mine' }, configurable: true });",
  ])
  func aModuleOfTheRuntimeLoads(_ pollution: String) throws {
    let result = try run(
      """
      const names = \(Self.names);
      \(pollution)
      let text = "";
      for (let at = 0; at < names.length; at++) {
        try { await import("node:" + names[at]); } catch (error) { text += `${names[at]}: ${error}\\n`; }
      }
      for (const name of ["./own.mjs", "./own.cjs"]) {
        try { text += (await import(name)).default; } catch (error) { text += `${name}: ${error}\\n`; }
      }
      try {
        text += (await import("./own.json", { with: { type: "json" } })).default.a;
      } catch (error) { text += `${error}`; }
      console.log(text);
      """)
    #expect(result == "123\n")
  }

  @Test func pathsAreJoinedWithoutTheScriptsIterators() throws {
    let result = try run(
      """
      Array.prototype[Symbol.iterator] = function* () {};
      Array.prototype.filter = Array.prototype.join = String.prototype.slice = () => { throw "mine" };
      const path = await import("node:path");
      console.log(path.join("a", "b", "..", "c"));
      console.log(path.resolve("/a", "./b/"));
      console.log(path.relative("/a/b", "/a/c/d"));
      console.log(path.basename("/a/b.js", ".js") + path.extname("x.ts") + path.dirname("/q/r"));
      const { Buffer } = await import("node:buffer");
      console.log(typeof Buffer.prototype.readUInt8);
      """)
    #expect(result == "a/c\n/a/b\n../c/d\nb.ts/q\nfunction\n")
  }

  /// No text names the module, and all is replaced that a script can replace before it asks.
  @Test func aModuleOfAMadeUpNameLoadsBehindReplacedMethods() throws {
    let result = try run(
      """
      const { getOwnPropertyDescriptor: own, defineProperty: define, getPrototypeOf } = Object;
      const { ownKeys } = Reflect, print = console.log, Failure = Error, found = [];
      const names = \(Self.names);
      for (const target of [Array, Array.prototype, String.prototype, RegExp.prototype, Map.prototype,
        Set.prototype, Object, Function.prototype, getPrototypeOf([].values()), JSON, Symbol]) {
        for (const name of ownKeys(target)) {
          const old = own(target, name);
          if (!old.configurable || typeof old.value !== "function" || name === "constructor") continue;
          found.push({ target, name, old });
        }
      }
      const value = () => { throw new Failure("mine") };
      const other = { __proto__: null, value, writable: true, configurable: true };
      let text = "";
      for (let at = 0; at < names.length; at++) {
        const name = "no" + "de:" + names[at];
        for (let i = 0; i < found.length; i++) define(found[i].target, found[i].name, other);
        let error;
        try { await import(name); } catch (thrown) { error = thrown; }
        for (let i = 0; i < found.length; i++) define(found[i].target, found[i].name, found[i].old);
        if (error) text += `${name}: ${error.message}\\n`;
      }
      print(text + "done");
      """)
    #expect(result == "done\n")
  }

  /// What it has changed is the script's all the same, when the module has loaded.
  @Test func theScriptKeepsWhatItHasChanged() throws {
    let result = try run(
      """
      const mine = () => "mine";
      Array.prototype.push = Object.assign = mine; Object.prototype.extra = 5;
      Object.defineProperty(Array.prototype, "map", { get: () => mine, configurable: true });
      await import("node:buffer");
      console.log([].push(1), Object.assign({}), ({}).extra, [].map());
      console.log(typeof Object.getOwnPropertyDescriptor(Array.prototype, "map").get);
      """)
    #expect(result == "mine mine 5 mine\nfunction\n")
  }

  private func run(_ text: String) throws -> String {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "main.mjs": text, "own.mjs": "export default 1", "own.cjs": "module.exports = 2",
      "own.json": #"{"a": 3}"#,
    ])
    let result = try runner.shell("nbridge run main.mjs")
    return result.output + result.errors
  }
}
