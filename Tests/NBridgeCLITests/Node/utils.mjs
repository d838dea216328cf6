// What node:util, node:assert, node:querystring and node:string_decoder do beside showing values.
import assert from "node:assert";
import querystring from "node:querystring";
import { StringDecoder } from "node:string_decoder";
import util, { parseArgs, promisify, callbackify, inherits, types, isDeepStrictEqual,
  styleText } from "node:util";

const attempt = (action) => {
  try { return JSON.stringify(action()); } catch (
    error) { return `${error.name} ${error.code}: ${error.message}`; }
};
console.log(await promisify((a, done) => done(null, a + 1))(1),
  await promisify((done) => done(new Error("no")))().catch((e) => e.message));
await new Promise((resolve) => callbackify(async (a) => a * 2)(4,
  (error, value) => { console.log(error, value); resolve(); }));
await new Promise((resolve) =>
  callbackify(async () => { throw null; })((error) => { console.log(error.code); resolve(); }));
function Child() {}
function Parent() {}
inherits(Child, Parent);
console.log(new Child() instanceof Parent, Child.super_ === Parent);
const kinds = [new Map(), new Set(), new Date(), /x/, new Uint8Array(1), new ArrayBuffer(1), async () => {},
  Promise.resolve(),
  new Error("e"), Object(1), [], {}, null, "s"];
for (const kind of kinds) {
  console.log(Object.keys(types).filter((name) => !/isExternal|isProxy|isKeyObject|isCryptoKey/.test(name) &&
    types[name](kind)).join());
}
const equals = [1, "1", 0, -0, NaN, null, undefined, [], [1], { a: 1 }, { a: "1" }, new Date(0), /a/,
  new Map([[{ a: 1 }, 2]]),
  new Map([[{ a: 1 }, 3]]), new Set([[1], [2]]), new Set([[2], [1]]), new Error("a"), new Uint8Array([1]),
    Object(1), [undefined], Array(1)];
for (const a of equals) {
  const copy = a instanceof Map ? new Map([[{ a: 1 }, 2]]) : structuredClone(a);
  console.log(isDeepStrictEqual(a, copy), equals.map((b) => {
    try { assert.deepEqual(a, b); return +isDeepStrictEqual(a, b) + 1; } catch { return 0; }
  }).join(""));
}
const options = { f: { type: "boolean", short: "f" }, s: { type: "string", short: "s" },
  m: { type: "string", multiple: true },
  d: { type: "string", default: "dd" } };
for (const args of [[], ["-f"], ["-sx"], ["-fs", "x"], ["--m", "1", "--m=2"], ["--", "-f"], ["a"], ["--x"],
  ["--f=1"], ["-s"], ["--s", "-f"]]) {
  console.log(attempt(() => parseArgs({ args, options })),
    attempt(() => parseArgs({ args, options, strict: false, tokens: true })));
}
console.log(JSON.stringify(styleText(["red", "bold"], "x")),
  util.stripVTControlCharacters("\u001b[31mred\u001b[0m"));
const fails = [
  () => assert.equal(1, 2), () => assert.strictEqual("hello", "world!!!"),
    () => assert.strictEqual({ a: 1 }, { a: 1 }),
  () => assert.deepStrictEqual({ a: 1, b: [1, 2] }, { a: 1, b: [1, 3] }), () => assert.notStrictEqual(1, 1),
    () => assert.fail("x"),
  () => assert.throws(() => {}), () => assert.throws(() => { throw new Error("boo"); }, /bar/),
    () => assert.match("abc", /x/),
  () => assert.throws(() => { throw new Error("boo"); }, TypeError), () => assert.ok(0, "told"),
    () => assert.ifError(new Error("z")),
  () => assert.doesNotThrow(() => { throw new Error("q"); }), () => assert.strict.equal(1, "1"),
];
for (const fail of fails) console.log(attempt(fail));
await assert.rejects(Promise.reject(new TypeError("t")), TypeError);
for (const text of ["a=1&a=2", "a", "=b", "a=%20+b", "a=%zz", "__proto__=1", "a=%C3"]) console.log(text,
  querystring.parse(text));
console.log(querystring.stringify({ a: [1, "x y"], b: null, c: true, d: {}, e: "&=" }));
for (const name of ["utf8", "utf16le", "base64", "hex"]) {
  const decoder = new StringDecoder(name);
  console.log(name, [0xe2, 0x82, 0xac, 0x61, 0xf0,
    0x9f].map((byte) => decoder.write(Uint8Array.of(byte))).join("") + decoder.end());
}
