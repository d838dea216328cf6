// Values cross whole, in a program and in a page.
const show = (value) => {
  if (value instanceof Map) return `Map(${[...value].map(([k, v]) => `${show(k)}=${show(v)}`)})`;
  if (value instanceof Set) return `Set(${[...value].map(show)})`;
  if (value instanceof Date) return `Date(${value.getTime()})`;
  if (ArrayBuffer.isView(value)) return `${value.constructor.name}(${[...value].slice(0, 4)})`;
  if (value instanceof ArrayBuffer) return `ArrayBuffer(${value.byteLength})`;
  if (Array.isArray(value)) return `[${value.map(show)}]`;
  if (typeof value === "object" && value !== null) return `{${Object.keys(value).map((k) => `${k}:${show(value[k])}`)}}`;
  return Object.is(value, -0) ? "-0" : `${typeof value}:${String(value)}`;
};
const values = [
  true, 0, -0, 1.5, NaN, -Infinity, 2n ** 62n, "", "h\u00e9 \u{1F600} \u0000", "x".repeat(100_000).length, null, new Date(86400000), [1, [2, []]],
  { a: 1, $nb: "b", nested: { c: [undefined] } }, new Map([[1, "a"], ["k", new Set([1n])]]), new Set(["a", { b: 1 }]),
  new Uint8Array([1, 2, 3]), new Float64Array([1.5, -2]), new ArrayBuffer(8), new BigInt64Array([5n]), new Uint8Array(1_000_000).fill(9),
];
for (const value of values) {
  await nbridge.preference.set("value", value);
  console.log(show(await nbridge.preference.get("value")));
}
const circle = {};
circle.self = circle;
for (const wrong of [() => 1, Symbol("s"), circle, { deep: { f() {} } }, "\uD800"]) {
  await nbridge.preference.set("value", wrong).catch((error) => console.log(`${error.code}: ${error.message}`));
}
await Promise.all(Array.from({ length: 500 }, async (_, index) => {
  await nbridge.preference.set(`key${index}`, { index, text: "t".repeat(index) });
  const back = await nbridge.preference.get(`key${index}`);
  if (back.index !== index || back.text.length !== index) console.log(`mixed: ${index}`);
}));
console.log("end");
