// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import JSEngine

/// Runs a script in a context.
func js(_ context: JSContext, _ source: String) throws -> JSValue {
  try context.evaluate(source, url: "test.js")
}

/// Values as Swift sees them.
@Suite struct ValueTests {
  struct Seen: Equatable {
    var isUndefined = false, isNullish = false, isObject = false, isString = false, bool = false
    var number = Double.nan
    var integer = 0
    var string: String?
    var display: String?
  }

  static let table: [(source: String, seen: Seen)] = [
    ("undefined", Seen(isUndefined: true, isNullish: true, display: "undefined")),
    ("null", Seen(isNullish: true, number: 0, display: "null")),
    ("true", Seen(bool: true, number: 1, integer: 1, display: "true")),
    ("false", Seen(number: 0, display: "false")),
    ("0", Seen(number: 0, display: "0")), ("-0", Seen(number: 0, display: "0")),
    ("1.9", Seen(bool: true, number: 1.9, integer: 1, display: "1.9")),
    ("-1.9", Seen(bool: true, number: -1.9, integer: -1, display: "-1.9")), ("NaN", Seen(display: "NaN")),
    ("Infinity", Seen(bool: true, number: .infinity, integer: .max, display: "Infinity")),
    ("-Infinity", Seen(bool: true, number: -.infinity, integer: .min, display: "-Infinity")),
    ("1e300", Seen(bool: true, number: 1e300, integer: .max, display: "1e+300")),
    (
      "9007199254740993",
      Seen(
        bool: true, number: 9_007_199_254_740_992, integer: 9_007_199_254_740_992, display: "9007199254740992"
      )
    ),
    ("''", Seen(isString: true, number: 0, string: "", display: "")),
    ("' 12 '", Seen(isString: true, bool: true, number: 12, integer: 12, string: " 12 ", display: " 12 ")),
    ("'x'", Seen(isString: true, bool: true, string: "x", display: "x")),
    ("({})", Seen(isObject: true, bool: true, display: "[object Object]")),
    ("[1,2]", Seen(isObject: true, bool: true, display: "1,2")),
    ("(function f() {})", Seen(isObject: true, bool: true, display: "function f() {}")),
    ("new String('s')", Seen(isObject: true, bool: true, display: "s")), ("Symbol('s')", Seen(bool: true)),
    ("12n", Seen(bool: true, display: "12")),
    ("({ toString() { throw 1 } })", Seen(isObject: true, bool: true)),
    ("Object.create(null)", Seen(isObject: true, bool: true)),
  ]

  @Test(arguments: table)
  func everyKindIsToldApart(_ source: String, _ seen: Seen) async throws {
    try await onEngineThread { context throws in
      let value = try js(context, source)
      #expect(value.isUndefined == seen.isUndefined)
      #expect(value.isNullish == seen.isNullish)
      #expect(value.isObject == seen.isObject)
      #expect(value.isString == seen.isString)
      #expect(value.bool == seen.bool)
      if source != "12n" {
        #expect(value.number == seen.number || value.number.isNaN && seen.number.isNaN)
        #expect(value.integer == seen.integer)
      }
      #expect(value.string == seen.string)
      #expect(value.displayString == seen.display)
    }
  }

  /// To read a number or a truth runs no code of the script's.
  @Test func readingRunsNothing() async throws {
    try await onEngineThread { context throws in
      let trap = try js(
        context,
        "globalThis.ran = 0; ({ valueOf() { ran++; return 5 }, toString() { ran++; return '7' }, [Symbol."
          + "toPrimitive]() { ran++; return 1 } })"
      )
      #expect(trap.number.isNaN)
      #expect(trap.bool)
      #expect(trap.string == nil)
      #expect(!trap.readUTF8 { _ in Issue.record("it is no string") })
      #expect(try js(context, "ran").number == 0)
    }
  }

  @Test(
    arguments: [
      ("({ a: [1, 'x', null, true], b: undefined })", #"{"a":[1,"x",null,true]}"#), ("'é\\n'", #""é\n""#),
      ("1.5", "1.5"), ("NaN", "null"), ("undefined", nil),
      ("(() => 1)", nil), ("(() => { const a = {}; a.a = a; return a })()", nil),
      ("({ toJSON() { return 'own' } })", #""own""#),
      ("({ toJSON() { throw 1 } })", nil), ("1n", nil), ("'\\ud800'", #""\ud800""#),
      ("new Date(0)", #""1970-01-01T00:00:00.000Z""#),
    ] as [(String, String?)])
  func jsonIsWrittenWhereThereIsSome(_ source: String, _ expected: String?) async throws {
    try await onEngineThread { context throws in #expect(try js(context, source).json == expected) }
  }

  @Test func sameIsTheSameObject() async throws {
    try await onEngineThread { context throws in
      let (one, other) = (try js(context, "globalThis.o = {}; o"), try js(context, "o"))
      #expect(one.isSame(as: other))
      #expect(!one.isSame(as: try js(context, "({})")))
      #expect(!context.make(1).isSame(as: context.make(1)))
      #expect(!context.make("a").isSame(as: context.make("a")))
    }
  }

  @Test func numbersCrossToTheBit() async throws {
    try await onEngineThread { context throws in
      let check = try js(context, "(a, text) => Object.is(a, Number(text))")
      for number in [
        0.0, -0.0, 1.5, -1e300, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity, -.infinity, .nan,
        0x1p53,
      ] {
        let text =
          number.isNaN ? "NaN" : number.isInfinite ? (number < 0 ? "-Infinity" : "Infinity") : "\(number)"
        #expect(try context.call(check, context.make(number), context.make(text)).bool)
      }
      #expect(try js(context, "-0").number.sign == .minus)
      #expect(try js(context, "-(2 ** 31)").integer == -(1 << 31))
      #expect(try js(context, "2 ** 53").integer == 1 << 53)
      #expect(try js(context, "9e18").integer == .max)
      #expect(try js(context, "-9e18").integer == .min)
      #expect(try js(context, "8.9e18").integer == 8_900_000_000_000_000_000)
    }
  }
}

/// Properties, from outside.
@Suite struct PropertyTests {
  @Test func propertiesAreRead() async throws {
    try await onEngineThread { context throws in
      let object = try js(
        context,
        "({ a: 1, 'é漢': 'x', '': 2, 0: 'zero', __proto__: { inherited: 3 }, get g() { return this.a + 1 }"
          + ", get t() { throw 1 } })"
      )
      #expect(object["a"].number == 1)
      #expect(object["é漢"].string == "x")
      #expect(object[""].number == 2)
      #expect(object["0"].string == "zero")
      #expect(object["inherited"].number == 3)
      #expect(object["g"].number == 2)
      #expect(object["t"].isUndefined)
      #expect(object["none"].isUndefined)
      #expect(context.make("text")["length"].isUndefined)
      #expect(context.undefined["x"].isUndefined)
      #expect(try js(context, "[5, 6]")["1"].number == 6)
      #expect(try js(context, "[5, 6]")["length"].number == 2)
    }
  }

  @Test func propertiesAreSet() async throws {
    try await onEngineThread { context throws in
      let object = context.makeObject()
      context.set(object, "a", context.make(1))
      context.set(object, "é\u{0}x", context.make("v"))
      context.set(object, "a", context.make(2))
      context.setGlobal("o", object)
      #expect(try js(context, "JSON.stringify(Object.entries(o))").string == #"[["a",2],["é\u0000x","v"]]"#)
      // A setter that throws, and a frozen object, change nothing and do no harm.
      let odd = try js(context, "({ set a(v) { throw 1 }, get a() { return 'kept' } })")
      context.set(odd, "a", context.make(1))
      #expect(odd["a"].string == "kept")
      let frozen = try js(context, "Object.freeze({ a: 1 })")
      context.set(frozen, "a", context.make(2))
      #expect(frozen["a"].number == 1)
      #expect(try js(context, "1 + 1").number == 2)
    }
  }

  @Test func bareObjectsInheritNothing() async throws {
    try await onEngineThread { context throws in
      try js(context, "Object.prototype.injected = 1").isNullish ? () : ()
      #expect(context.makeObject()["injected"].number == 1)
      #expect(context.makeBareObject()["injected"].isUndefined)
      context.setGlobal("bare", context.makeBareObject())
      #expect(try js(context, "Object.getPrototypeOf(bare) === null").bool)
    }
  }

  /// Arrays are made whole: nothing on a prototype is run.
  @Test func arraysAreMadeWithoutTheScripts() async throws {
    try await onEngineThread { context throws in
      _ = try js(
        context,
        "globalThis.ran = 0; Object.defineProperty(Array.prototype, 0, { set() { ran++ }, get() { return "
          + "'trap' }, configurable: true })"
      )
      let array = context.makeArray(count: 3) { context.make(Double($0) * 10) }
      context.setGlobal("made", array)
      #expect(try js(context, "JSON.stringify(made) + ran").string == "[0,10,20]0")
      #expect(context.makeArray(count: 0) { _ in context.undefined }["length"].number == 0)
      let many = context.makeArray(count: 20_000) { context.make("item \($0)") }
      context.collectGarbage()
      #expect(many["19999"].string == "item 19999")
    }
  }

  @Test func proxiesAreSeenThrough() async throws {
    try await onEngineThread { context throws in
      let inner = try js(
        context,
        "globalThis.t = { a: 1 }; globalThis.p = new Proxy(t, { get() { return 'trapped' } }); new "
          + "Proxy(p, {})"
      )
      #expect(inner["a"].string == "trapped")
      let once = try #require(inner.proxyTarget)
      #expect(once.isSame(as: try js(context, "p")))
      #expect(once.proxyTarget?.isSame(as: try js(context, "t")) == true)
      #expect(once.proxyTarget?.proxyTarget == nil)
      #expect(context.make(1).proxyTarget == nil)
    }
  }
}
