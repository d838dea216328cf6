// SPDX-License-Identifier: MIT
// Random programs at the bridge: values of every kind, prototypes and builtins that are not what they were,
// getters that call, abort and throw. Whatever a program does, no call throws in its caller's face, every
// call settles, and no value comes back as another one.
import NBridge
import NBridgePlugin

/// Answers at once, later, never before its end, and with events.
struct FuzzPlugin: Plugin {
  static let manifest = PluginManifest(service: "fuzz", version: "1.0.0", help: "For the fuzzer.")
  struct Anything: Codable { var value: Value }

  var body: PluginBody {
    Immediate("echo", "Gives back any value.") { (options: Anything, call) in options.value }
    Action("soon", "The same from an action.") { (options: Anything, call) async in options.value }
    Action("late", "The same after others ran.") { (options: Anything, call) async in
      await Task.yield()
      return options.value
    }
    Detached("away", "The same from another thread.") { (options: Anything, call) in options.value }
    Action("wait", "Answers when it is cancelled.") { (call) async throws -> Int in
      try await Task.sleep(for: .seconds(1000))
      return 1
    }
    Watch("values", "The value three times.") { (options: Anything, call) in
      AsyncStream<Value> { continuation in
        for _ in 0..<3 { continuation.yield(options.value) }
        continuation.finish()
      }
    }
  }
}

/// Makes a program of bytes: each takes one turn of the grammar.
struct ProgramMaker {
  private var bytes: ArraySlice<UInt8>
  private var depth = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = Array(bytes)[...] }

  private mutating func choose(_ count: Int) -> Int { Int(bytes.popFirst() ?? 0) % count }
  private mutating func one(of list: [String]) -> String { list[choose(list.count)] }

  mutating func program() -> String {
    var lines: [String] = []
    while !bytes.isEmpty, lines.count < 60 { lines.append(statement()) }
    return lines.joined(separator: "\n")
  }

  private static let names = [
    "then", "toJSON", "constructor", "0", "1", "length", "slot", "resolve", "reject", "get", "set", "value",
    "aborted", "signal",
    "timeout", "$nb", "forget", "watch", "action", "site", "native", "__proto__", "kind", "retainCallback",
    "holdsOpen", "code",
    "message", "cause", "details", "reason", "addEventListener", "removeEventListener", "next", "done",
    "return", "byteLength",
    "buffer", "resizable", "name", "stack",
  ]
  private static let prototypes = [
    "Object.prototype", "Array.prototype", "Function.prototype", "Promise.prototype", "Map.prototype",
    "Set.prototype",
    "Date.prototype", "String.prototype", "Number.prototype", "Uint8Array.prototype", "ArrayBuffer.prototype",
    "Error.prototype",
    "WeakMap.prototype", "RegExp.prototype",
    """
    Object.getPrototypeOf(Uint8Array.prototype)
    """, "Symbol.prototype", "BigInt.prototype",
    """
    Object.getPrototypeOf(async function* () {}).prototype
    """, "AbortSignal.prototype", "EventTarget.prototype",
  ]
  private static let builtins = [
    "Object.keys", "Object.defineProperty", "Reflect.apply", "Reflect.defineProperty", "JSON.parse",
    "JSON.stringify",
    "Array.isArray", "ArrayBuffer.isView", "Promise.resolve", "Promise.reject", "Object.freeze",
    "Object.getPrototypeOf",
    "Object.setPrototypeOf", "Math.min", "Math.ceil", "Array.prototype[Symbol.iterator]",
    "Function.prototype.call",
    "Function.prototype.apply", "Function.prototype.bind", "Promise.prototype.then", "Map.prototype.get",
    "Map.prototype.set",
    "Set.prototype.add", "String.prototype.indexOf", "Array.prototype.push", "Array.prototype.map",
    "Symbol.iterator",
    "globalThis.Promise", "globalThis.Map", "globalThis.Error", "globalThis.Uint8Array", "globalThis.Object",
    "globalThis.Array",
  ]
  private static let scalars = [
    "undefined", "null", "true", "0", "-0", "NaN", "1e308", "-1.5", "9007199254740993", "7n",
    """
    -170141183460469231731687303715884105728n
    """,
    "''", "'a'", "'\\ud800'", "'\\u0000'", "'$nb'", "Symbol()", "Symbol.iterator", "() => 1", "class {}",
    "new Date(0)", "new Date(NaN)",
    "new Error('e')", "Promise.resolve(1)", "/r/g", "new WeakMap()", "globalThis", "Object(Symbol())",
    "Object(1n)", "new String('s')",
    "new Number(-0)",
    """
    (function () { return arguments })(1, 2)
    """, "[, , 1]", "Object.create(null)", "new Array(1000)", "shared()",
    "resizable()", "detached()", "memory()", "revoked()", "cyclic()", "deep()", "nbridge", "bytes(10)",
    "bytes(5000)", "bytes(0)",
  ]

  private mutating func value() -> String {
    depth += 1
    defer { depth -= 1 }
    if depth > 5 { return one(of: Self.scalars) }
    switch choose(22) {
    case 0...7: return one(of: Self.scalars)
    case 8: return "[\(value()), \(value())]"
    case 9: return "{ a: \(value()), \(key()): \(value()) }".inParentheses
    case 10: return "({ get \(key())() { \(statement()); return \(value()) } })"
    case 11: return "new Map([[\(value()), \(value())]])"
    case 12: return "new Set([\(value()), \(value())])"
    case 13: return "new Proxy(\(object()), { \(trap())() { \(statement()); return \(value()) } })"
    case 14: return "({ toJSON() { \(statement()); return \(value()) } })"
    case 15:
      return """
        Object.setPrototypeOf(\(object()),
          \(one(of: ["null", "[]", "{}", "Date.prototype", "Map.prototype", "new Uint8Array(2)"])))
        """
    case 16: return "new \(view())(bytes(\(8 * choose(4))).buffer)"
    case 17: return "new \(view())(resizable(), 0, 1)"
    case 18:
      return """
        Object.defineProperty(\(object()), '\(key())', { get() { \(statement()); return \(value()) }, \
        enumerable: \(choose(2) == 0) })
        """
    case 19: return "Object.freeze(\(object()))"
    case 20:
      return """
        Object.assign(\(one(of: ["[1]", "bytes(9)", "new Date(1)", "() => 2", "new Map()"])),
          { \(key()): \(value()) })
        """
    default:
      return """
        new (class X extends \
        \(one(of: ["Array", "Map", "Date", "Uint8Array", "Object", "Promise", "ArrayBuffer"])) { })(2)
        """
    }
  }

  private mutating func key() -> String {
    let name = one(of: Self.names)
    return name == "__proto__" ? "['__proto__']" : name
  }
  private mutating func object() -> String {
    one(
      of: ["{}", "[1]", "{ a: 1 }", "bytes(3)", "new Map()"]).inParentheses
  }
  private mutating func view() -> String {
    one(of: [
      "Uint8Array", "Int8Array", "Uint8ClampedArray", "Uint16Array", "Float32Array", "Float64Array",
      "BigInt64Array", "DataView",
    ])
  }
  private mutating func trap() -> String {
    one(of: [
      "get", "has", "ownKeys", "getPrototypeOf", "getOwnPropertyDescriptor", "defineProperty", "set",
      "apply",
    ])
  }

  private mutating func control() -> String {
    switch choose(12) {
    case 0...4: "undefined"
    case 5: "{ timeout: \(one(of: ["1", "5", "NaN", "-1", "1e9", "{}"])) }"
    case 6: "{ signal: abort.signal }"
    case 7: "{ get signal() { \(statement()); return \(one(of: ["abort.signal", "{}", "null"])) } }"
    case 8:
      """
      { signal: { aborted: false, addEventListener() { \(statement()) }, removeEventListener() { throw 1 } } }
      """
    case 9: "revoked()"
    case 10: value()
    default: "{ timeout: 3, signal: AbortSignal.timeout(2), holdsOpen: false }"
    }
  }

  private mutating func statement() -> String {
    depth += 1
    defer { depth -= 1 }
    if depth > 6 { return "" }
    switch choose(16) {
    case 0...5:
      let action = one(of: ["echo", "soon", "late", "away", "echo", "values"])
      return "go(() => [nb, 'fuzz', '\(action)', { value: \(value()) }, \(control())]);"
    case 6: return "go(() => [nb, 'fuzz', 'wait', undefined, { timeout: 2 }]);"
    case 7: return "go(() => [nb, \(value()), \(value()), \(value()), \(control())]);"
    case 8: return "try { \(one(of: Self.prototypes)).\(one(of: ["x", "y"])) = \(value()) } catch {}"
    case 9:
      return "try { Object.defineProperty(\(one(of: Self.prototypes)), '\(one(of: Self.names))', "
        + "{ get() { \(statement()); return \(value()) }, set(v) { caught = v; }, configurable: true }) } "
        + "catch {}"
    case 10:
      return """
        try { \(one(of: Self.builtins)) = \
        \(one(of: ["undefined", "() => { throw 1 }", "() => 1", "function () { return this }"])) } catch {}
        """
    case 11: return "try { delete \(one(of: Self.prototypes))['\(one(of: Self.names))'] } catch {}"
    case 12: return "try { abort.abort(\(value())) } catch {}"
    case 13: return "try { given = given.transfer ? given.transfer() : given } catch {}"
    case 14: return "try { caught.\(one(of: Self.names)) = \(value()) } catch {}"
    default: return "try { throw \(value()) } catch {}"
    }
  }
}

extension String {
  fileprivate var inParentheses: String { "(\(self))" }
}

/// The start of each program, which takes what it needs before the program changes anything. Each call's
/// promise is counted when it is made and when it settles.
private let prelude = """
  const { apply } = Reflect, { then } = Promise.prototype, { isPrototypeOf } = Object.prototype,
    { log } = console;
  const PromiseOf = Promise, PromisePrototype = Promise.prototype, get = Object.getPrototypeOf,
    nb = nbridge.callToNative;
  const asyncIterator = Symbol.asyncIterator, AbortControllerOf = AbortController, timer = setTimeout;
  let made = 0, settled = 0, caught, given = new ArrayBuffer(6000), abort = new AbortControllerOf(),
    left = 200;
  const bytes = (n) => new Uint8Array(n).fill(3), shared = () => new SharedArrayBuffer(8),
    resizable = () => new ArrayBuffer(16, { maxByteLength: 64 });
  const detached = () => { const b = new ArrayBuffer(8); b.transfer(); return b; };
  const memory = () => new Uint8Array(new WebAssembly.Memory({ initial: 1 }).buffer, 0, 6000);
  const revoked = () => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy; };
  const cyclic = () => { const a = {}; a.a = a; return a; };
  const deep = () => { let a = 1; for (let i = 0; i < 600; i++) a = { a }; return a; };
  // Made by the bridge in an async function or by `new Promise`: with the engine's prototype in either case.
  const follow = (promise) => { made++; apply(then, promise, [() => { settled++; }, () => { settled++; }]); };
  const drain = (watch) => {
    const { next } = watch;
    const step = () => { const p = apply(next, watch, []); made++;
      apply(then, p, [(s) => { settled++; if (!s.done) step(); }, () => { settled++; }]); };
    step();
  };
  const go = (make) => {
    if (left-- <= 0) return;
    let args;
    try { args = make(); } catch { return; }
    let answer;
    try { answer = apply(args[0], undefined, [args[1], args[2], args[3], args[4]]); } catch (error) { \
  log("THREW", `${typeof error}`); return; }
    try {
      if (typeof answer === "object" && answer !== null && typeof answer.next === "function" &&
        answer.stop) drain(answer); else follow(answer);
    } catch (error) { log("ODD", `${typeof error}`); }
  };
  timer(() => { log("settled", made === settled, made > 0 || "none"); }, 100000);

  """

/// What libFuzzer calls: the bytes choose a program.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  var maker = ProgramMaker(UnsafeBufferPointer(start: start, count: count))
  let script = prelude + maker.program()
  let output = Said()
  var options = RuntimeOptions()
  options.output = output
  options.clock = VirtualClock()
  options.checksLeaks = true
  options.isClassic = true
  options.container = "/nonexistent"
  do {
    _ = try Runtime(options, plugins: [FuzzPlugin()]).run(.text(script, url: "fuzz.js"))
  } catch { preconditionFailure("\(error)") }
  // A program may end itself early; what it was answered until then is right all the same.
  if output.text.contains("THREW") || output.text.contains("settled false")
    || output.text.contains("left open")
  {
    print(script)
    print(output.text)
    preconditionFailure("the bridge broke a promise")
  }
  return 0
}
