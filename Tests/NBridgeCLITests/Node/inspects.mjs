// util.inspect and util.format of all kinds of values.
import util from "node:util";

class A {
  constructor() { this.x = 1; }
  get hidden() { return 2; }
}
class B extends A {}
class Shown {
  [util.inspect.custom](depth, options,
    inspect) { return `Shown<${depth}> ${inspect({ deep: [[1]] }, options)}`; }
}
class Tagged { get [Symbol.toStringTag]() { return "tag"; } }
const cycle = { name: "c", list: [] };
cycle.self = cycle;
cycle.list.push(cycle, { cycle });
const sparse = [1, , 3, , ,];
sparse.key = 2;
const accessors = { get a() { return { b: 1 }; }, set b(value) {}, get c() { throw new Error("no"); },
  set c(value) {} };
const wide = Array.from({ length: 120 }, (_, at) => at);
const values = [
  1, -0, "it's", "a 'b' \"c\"", "\n\u0001\u007f", "\ud800", 10n, true, null, undefined, Symbol("s"), [], {},
    [1, "a"],
  { a: { b: { c: { d: 1 } } } }, [[[[1]]]], new A(), new B(), new Shown(), { s: new Shown() }, new Tagged(),
    Object.create(null),
  Object.assign(Object.create(null), { a: 1 }), cycle, sparse, accessors, () => {}, function named() {},
    async () => {},
  function* gen() {}, class {}, class X extends A {}, new Map([["a", 1], [{ b: 1 }, new Map()]]),
    new Set([1, [2]]),
  new Date(0), new Date(NaN), /a\/b/gi, new Uint8Array(3), new ArrayBuffer(4),
    new DataView(new ArrayBuffer(2)),
  new Number(3), new String("abc"), Object(Symbol("q")), { "a-b": 1, 2: 3, [Symbol("k")]: 4 }, wide,
    wide.map((at) => `item${at}`),
  ["x".repeat(100)], { long: "b".repeat(90), lines: "c\n".repeat(20) }, [{ a: 1, b: 2 }, { a: 3, b: 4 }],
    [, "a"],
  new Proxy({ a: 1 }, {}), new Proxy([1], {}), { ["__proto__"]: 1 }, Object.assign(new Date(0), { k: 1 }),
  new (class Foo extends Map {})([[1, 2]]), [1.5, 22.25, 100.125, 3, 4, 5, 6, 7], Array(5),
    { u: undefined, f() {} },
];
const all = [undefined, { depth: 0 }, { colors: true }, { compact: false }, { breakLength: 40 },
  { getters: true },
  { sorted: true }, { maxArrayLength: 2, maxStringLength: 3 }, { numericSeparator: true, depth: null }];
for (const options of all) {
  console.log("---", JSON.stringify(options));
  values.forEach((value, at) => { if (!(options?.numericSeparator && Object.is(value, -0))) console.log(at,
    util.inspect(value, options)); });
}
const formats = [
  [], ["a"], ["%s", 1], ["%s %s", 1], ["%d", "42"], ["%d", {}], ["%i", 4.7], ["%f", "1.5x"], ["%j", { a: 1 }],
    ["%j", cycle],
  ["%O", { a: { b: { c: { d: 1 } } } }], ["%c", "css"], ["%%", 1], ["100%", 1], ["%s", null],
    ["%s", Symbol("a")], ["%s", 5n],
  ["%s", { toString() { return "T"; } }], ["%s", [1, [2]]], ["%s", new A()], ["%s", () => 1], [1, "a"],
    [{ a: 1 }, "b"], ["%x", 1],
];
for (const values of formats) console.log(JSON.stringify(util.format(...values)));
