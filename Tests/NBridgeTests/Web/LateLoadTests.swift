// SPDX-License-Identifier: MIT

import NBridgePlugin
import NBridgeTesting
import Testing

/// A library that is loaded when a script has replaced what it uses of the engine finds the engine's own.
/// No name of a library stands in these scripts: one that did would be loaded before them.
@Suite struct LateLoadTests {
  /// Replaces all functions of the engine's prototypes and namespaces by such as throw, and globals, too.
  private static let replacing = """
    const { apply, ownKeys } = Reflect, { defineProperty: define, getOwnPropertyDescriptor: own } = Object;
    const Failure = Error, lists = Array.prototype, print = console.log;
    const room = new Uint8Array(9);
    const instead = (name) => () => { throw new Failure(`replaced ${name}`) };
    const replace = () => {
      const types = [Array, ArrayBuffer, BigInt, Boolean, DataView, Date, Function, Map, Number, Promise,
        RegExp, Set, String, Symbol, Uint8Array, WeakMap, WeakRef, WeakSet,
        Object.getPrototypeOf(Uint8Array)];
      const targets = [Error, JSON, Math, Object, Reflect, Object.prototype];
      for (const type of types) targets.push(type, type.prototype);
      targets.push(Object.getPrototypeOf([].values()), Object.getPrototypeOf(new Map().keys()));
      const found = [];
      for (const target of targets) for (const name of ownKeys(target)) found.push({ target, name });
      for (let i = 0; i < found.length; i++) {
        const { target, name } = found[i], old = own(target, name);
        if (!old.configurable || name === "constructor" || name === "species") continue;
        if (target === Promise && typeof name === "symbol") continue;
        const other = instead(typeof name === "symbol" ? "a symbol's" : name);
        if (old.get) define(target, name, { __proto__: null, get: other, configurable: true });
        else if (typeof old.value === "function")
          define(target, name, { __proto__: null, value: other, writable: true, configurable: true });
      }
      const globals = ["Array", "ArrayBuffer", "Date", "Function", "JSON", "Map", "Math", "Number", "Promise",
        "RangeError", "Reflect", "RegExp", "Set", "String", "Symbol", "TypeError", "Uint8Array", "WeakMap"];
      for (let i = 0; i < globals.length; i++)
        define(globalThis, globals[i], { __proto__: null, value: instead(globals[i]), configurable: true });
      define(Object.prototype, "value", { __proto__: null, get: instead("value"), configurable: true });
      define(lists, 0, { __proto__: null, set: instead("an index"), configurable: true });
    };
    """

  static let uses: [(script: String, output: String)] = [
    (
      """
      const url = new (of('U', 'RL'))('http://[::1]:80/%7E/../x y?q=\\u00e4#z'); url.host = 'EXAMPLE.org:81';
      url.searchParams.append('k', 'a b'); says = url.href
      """, "http://example.org:81/x%20y?q=%C3%A4&k=a+b#z"
    ),
    ("const p = new (of('U', 'RLSearchParams'))('b=%20+&a=1'); p.sort(); says = `${p}`", "a=1&b=++"),
    ("says = new (of('U', 'RLPattern'))({ pathname: '/a/:b' }).test('http://x/a/c')", "true"),
    ("const h = new (of('H', 'eaders'))({ 'A-b': 'c' }); h.append('a-b', 'd'); says = h.get('a-B')", "c, d"),
    ("says = new (of('R', 'equest'))('http://x.y/../z').url", "http://x.y/z"),
    ("says = new (of('R', 'esponse'))('text').status", "200"),
    ("says = of('a', 'tob')(of('b', 'toa')('abc'))", "abc"),
    ("const c = new (of('A', 'bortController'))(); c.abort(); says = c.signal.aborted", "true"),
    ("const f = new (of('F', 'ormData'))(); f.append('a', 'b'); says = f.get('a')", "b"),
    ("says = new (of('T', 'extDecoder'))(' UTF-16LE ').encoding", "utf-16le"),
    ("says = new (of('T', 'extEncoder'))().encodeInto('abc', room).written", "3"),
    (
      """
      const t = new (of('E', 'ventTarget'))(); t.addEventListener('x', () => { says = 'heard' });
      t.dispatchEvent(new (of('E', 'vent'))('x'))
      """, "heard"
    ),
    ("says = of('s', 'tructuredClone')({ a: 1n }).a", "1"),
    ("says = new (of('D', 'OMException'))('', 'AbortError').code", "20"),
    ("says = new (of('C', 'ompressionStream'))('gzip') !== undefined", "true"),
    ("says = typeof of('c', 'rypto').subtle.digest", "function"),
    ("const s = of('s', 'essionStorage'); s.setItem('a', 'b'); says = s.getItem('a')", "b"),
    ("says = typeof of('n', 'avigator').locks.request", "function"),
    ("says = typeof new (of('M', 'essageChannel'))().port1.postMessage", "function"),
    (
      "says = typeof of('f', 'etch') + typeof of('W', 'ebSocket') + typeof of('E', 'ventSource')",
      "functionfunctionfunction"
    ),
  ]

  @Test(arguments: uses)
  func aLibraryFindsTheEnginesOwnFunctions(_ use: (script: String, output: String)) async {
    let result = await ScriptHarness(plugins: []).run(
      """
      \(Self.replacing)
      let says; const of = (first, rest) => globalThis[first + rest]; replace();
      \(use.script); delete lists[0]; print(`${says}`)
      """)
    #expect(result.output == use.output + "\n", "\(result.errors)")
  }

  /// A plugin with a script of its own, which takes what it needs while it loads.
  struct Taking: Plugin {
    static let manifest = PluginManifest(
      service: "taking", version: "1.0.0",
      script: PluginScript(
        source: """
          (facade) => {
            const { assign, keys } = Object, { parse } = JSON, [first] = [1].map((one) => one + 1);
            facade.told = () => `${keys(assign({ a: 1 }, parse('{"b":2}'))).length} ${first}`;
          }
          """, members: "told(): string;"))
    var body: PluginBody { Immediate("a", "A.") { call in 1 } }
  }

  @Test func aPluginsScriptFindsThemToo() async {
    let result = await ScriptHarness(plugins: [Taking()]).run(
      """
      \(Self.replacing)
      replace(); const says = nbridge.taking.told(); delete lists[0]; print(says);
      """)
    #expect(result.output == "2 2\n", "\(result.errors)")
  }

  /// A script that names no prototype and not the global object, but assigns to what is the engine's.
  @Test(arguments: ["Promise = 5", "Map= null", "Promise\n=\n5"])
  func anAssignmentIsNoHindrance(_ assignment: String) async {
    let result = await ScriptHarness(plugins: []).run(
      "\(assignment); console.log(await navigator.locks.request('a', () => 7))")
    #expect(result.output == "7\n", "\(result.errors)")
  }

  @Test func whatAScriptHasReplacedStaysReplaced() async {
    let result = await ScriptHarness(plugins: []).run(
      """
      const mine = () => 'mine'; String.prototype.slice = mine; JSON.parse = mine; globalThis.Map = mine;
      Object.defineProperty(Object.prototype, 'get', { value: 7, configurable: true });
      delete WeakMap.prototype.get; delete Array.prototype.map;
      new globalThis['U' + 'RL']('http://a.b/'); new globalThis['H' + 'eaders']();
      console.log(String.prototype.slice === mine, JSON.parse === mine, Map === mine, ({}).get,
        'get' in WeakMap.prototype && WeakMap.prototype.get !== 7, 'map' in Array.prototype)
      """)
    #expect(result.output == "true true true 7 false false\n", "\(result.errors)")
  }

  @Test func aReplacedMemberOfAClassIsNotWhatAnotherLibraryCalls() async {
    let result = await ScriptHarness(plugins: []).run(
      """
      const URL = globalThis['U' + 'RL'];
      Object.defineProperty(URL.prototype, 'href', { get() { return 'http://other/' }, configurable: true });
      URL.parse = () => null;
      console.log(new globalThis['R' + 'equest']('http://a.b/').url)
      """)
    #expect(result.output == "http://a.b/\n", "\(result.errors)")
  }

  /// Libraries whose classes are there share what they need of them, whatever a script does to the classes.
  @Test func noLibraryLooksForItsNeedsOnTheClassesOfAnother() async {
    let result = await ScriptHarness(plugins: []).run(
      """
      const stolen = () => { throw new Error('stolen') };
      const members = [[Blob, 'type'], [File, 'name'], [File, 'lastModified'], [DOMException, 'name'],
        [AbortController, 'signal'], [TextDecoder, 'fatal'], [TextDecoder, 'encoding']];
      for (const [type, name] of members) Object.defineProperty(type.prototype, name, { get: stolen });
      Event.prototype.initEvent = TextDecoder.prototype.decode = AbortSignal.any = stolen;
      const of = (first, rest) => globalThis[first + rest];
      const form = new (of('Form', 'Data'))(); form.set('a', new Blob(['x']));
      console.log(of('structured', 'Clone')(new DOMException('said', 'AbortError')).message,
        new (of('Error', 'Event'))('error').type, new (of('Req', 'uest'))('http://a.b/').signal.aborted,
        new (of('Text', 'DecoderStream'))('utf-16le').encoding, form.get('a').size);
      """)
    #expect(result.output == "said error false utf-16le 1\n", "\(result.errors)")
  }

  /// What a script put on a prototype is there afterwards, in its order, also where it closed the prototype.
  @Test(arguments: ["", "Object.preventExtensions(Object.prototype);", "Object.freeze(Array.prototype);"])
  func whatAScriptAddedStaysAsItWas(_ closing: String) async {
    let result = await ScriptHarness(plugins: []).run(
      """
      const names = ["zA", "zB", "zC"];
      for (const name of names) { Object.prototype[name] = name; Array.prototype[name] = name; }
      String.prototype.trim = function () { return "mine"; };
      \(closing)
      const of = (first, rest) => globalThis[first + rest];
      new (of("U", "RL"))("http://a.b/");
      const found = [];
      for (const name in {}) found.push(name);
      console.log(found.join(), Object.keys(Array.prototype).join(), "".trim());
      """)
    #expect(result.output == "zA,zB,zC zA,zB,zC mine\n", "\(result.errors)")
  }

  @Test func anErrorOfALibraryIsOfTheScriptsOwnKind() async {
    let result = await ScriptHarness(plugins: []).run(
      """
      for (const wrong of ['no address', Symbol('x')]) {
        try { new URL(wrong) } catch (e) { console.log(e instanceof TypeError) }
        try { console.log(`${new URLSearchParams(wrong)}`) } catch (e) { console.log(e instanceof TypeError) }
      }
      """)
    #expect(result.output == "true\nno+address=\ntrue\ntrue\n", "\(result.errors)")
  }
}
