// Buffers of odd inputs, in all encodings, and the numbers in them.
import { Buffer } from "node:buffer";

const shown = (value) => value instanceof Uint8Array ? `<${Array.from(value).join()}>`
  : typeof value === "bigint" ? `${value}n`
  : typeof value === "string" ? JSON.stringify(value) : String(value);
const attempt = (action) => { try { return shown(action()); } catch (error) { return error.name; } };
const encodings = [undefined, "utf8", "hex", "base64", "base64url", "latin1", "ascii", "utf16le", "nope",
  null];
for (const text of ["", "abc", "\u{1f600}x", "\ud800", "a\xe9\xff", "00ff", "0g", "YWJj", "YW Jj", "YQ==",
  "_-8", "a=b"]) {
  for (const encoding of encodings) {
    console.log(JSON.stringify(text), encoding, attempt(() => Buffer.from(text, encoding)),
      attempt(() => Buffer.byteLength(text, encoding)));
  }
}
for (const name of ["utf8", "hex", "base64", "base64url", "latin1", "ascii", "ucs2"]) {
  console.log(name, attempt(() => Buffer.from([0xe2, 0x82, 0xac, 0xff, 0x41, 0xfb]).toString(name)));
}
const odd = [undefined, null, 5, NaN, Symbol("x"), () => {}, {}, [], [1, 256, -1, "7", "x", 1.9],
  { length: 2, 0: 5, 1: 6 }, { length: "3" },
  { length: -1 }, { type: "Buffer", data: [1, 2] }, new String("str"), new Date(0), new Uint16Array([1, 300]),
    new ArrayBuffer(3),
  { valueOf() { return "vo"; } }, { [Symbol.toPrimitive]() { return "tp"; } }, Object.create(null), new Map(),
    10n, new Proxy([1, 2], {})];
odd.forEach((value, at) => console.log(at, attempt(() => Buffer.from(value)),
  attempt(() => Buffer.alloc(value)), attempt(() => Buffer.concat(value)),
  Buffer.isBuffer(value), attempt(() => Buffer.from("abc").equals(value)),
    attempt(() => Buffer.from("abc").subarray(value))));
const numbers = [0, -1, 127, 128, 255, 256, 65535, -32769, 2 ** 31, 2 ** 32, 1.5, NaN, "5", 5n, 2n ** 63n];
const names = Object.keys(Buffer.prototype).filter((name) =>
  /^write(U?Int|Big|Float|Double)/.test(name)).sort();
for (const name of names) {
  for (const number of numbers.filter((one) => name.includes("Big") === (typeof one === "bigint"))) {
    console.log(name, String(number), attempt(() => {
      const buffer = Buffer.alloc(9);
      const end = /Int(LE|BE)$/.test(name) ? buffer[name](number, 1, 3) : buffer[name](number, 1);
      const read = name.replace("write", "read");
      const back = /Int(LE|BE)$/.test(name) ? buffer[read](1, 3) : buffer[read](1);
      return `${end} ${Array.from(buffer)} ${back}`;
    }));
  }
}
for (const wanted of ["", "b", "abcabc", "x", 98, Buffer.from("ca")]) {
  for (const from of [undefined, 0, 3, 7, -1, NaN]) {
    const buffer = Buffer.from("abcabc");
    console.log(String(wanted), from, buffer.indexOf(wanted, from), buffer.lastIndexOf(wanted, from),
      buffer.includes(wanted, from));
  }
}
const shared = Buffer.from("abc");
shared.slice(1)[0] = 90;
console.log(shared.toString(), JSON.stringify(shared), [...shared.entries()].join(), shared.constructor.name,
  shared instanceof Uint8Array,
  shared.map((byte) => byte + 1) instanceof Buffer, Buffer.compare(Buffer.from("a"), Buffer.from("b")),
    Buffer.alloc(5).fill("ab").toString(),
  Buffer.concat([Buffer.from("abc"), Buffer.from("d")], 2).toString(),
    Buffer.from([1, 2, 3, 4]).swap16().toString("hex"));
