import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { Readable } from "node:stream";
import { Buffer } from "node:buffer";
import process from "node:process";

for (const name of ["md5", "sha1", "sha256", "sha384", "SHA512", "RSA-SHA256", "sha224", "sha512-256", "SHA3-256", "blake2b512",
  "ripemd160", "sm3"]) {
  console.log(name, createHash(name).update("").digest("hex"));
  console.log(name, createHash(name).update("a").update(new Uint8Array([1, 2, 3])).digest("base64"));
  console.log(name, createHmac(name, "key").update("The quick brown fox").digest("hex"));
  console.log(name, createHmac(name, Buffer.alloc(200, 7)).update("x").digest("base64url"));
}
const hash = createHash("sha256").update("caf\u00e9");
const copy = hash.copy();
console.log(hash.digest().toString("hex") === copy.digest("hex"), hash.digest.length >= 0);
for (const wrong of [() => hash.digest(), () => hash.update("x"), () => createHash("sha1").update(1),
  () => createHmac("none", "k"), () => createHash(1)]) {
  try { wrong(); } catch (error) { console.log(error.name, error.code); }
}
console.log(createHash("sha1").update("caf\u00e9", "latin1").digest("hex"));
const streamed = Readable.from(["one", "two"]).pipe(createHash("md5"));
for await (const bytes of streamed) console.log(bytes.toString("hex"));
console.log(timingSafeEqual(createHash("md5").update("a").digest(), createHash("md5").update("a").digest()));
const half = createHash("sha512").update("a");
const [one, other] = [half.copy(), half.copy().update("b")];
console.log(half.update("b").digest("hex") === other.digest("hex"), one.digest("base64"));
try { half.copy(); } catch (error) { console.log(error.code); }
const keyed = createHmac("sha256", "k").update("x");
console.log(keyed.digest("hex"), JSON.stringify([keyed.digest("hex"), keyed.digest()]));
try { keyed.update("y"); } catch (error) { console.log(error.code); }
// What was given may change, or go, afterwards.
const given = new Uint8Array(200000).fill(7), whole = createHash("sha1").update(given);
given.fill(8);
console.log(structuredClone(given.buffer, { transfer: [given.buffer] }).byteLength, given.length,
  whole.update(new DataView(new ArrayBuffer(9), 2, 5)).update(new Uint16Array([1, 2])).digest("hex"));
// A stream of any length takes no more memory.
const piece = Buffer.alloc(1 << 20, "nbridge"), long = createHash("md5"), longKeyed = createHmac("md5", "k");
const before = process.memoryUsage().rss;
for (let count = 0; count < 256; count++) [long, longKeyed].forEach((sum) => sum.update(piece));
console.log(process.memoryUsage().rss - before < 64 << 20, long.digest("hex"), longKeyed.digest("hex"));
// As many bytes as are asked for, where a digest gives them.
console.log(createHash("shake256", { outputLength: 70 }).update("a").digest("hex"), createHash("shake128").digest("hex"),
  createHash("shake128", { outputLength: 0 }).digest("hex"), createHash("sha1", { outputLength: 20 }).digest("hex"));
for (const wrong of [() => createHash("sha1", { outputLength: 8 }), () => createHash("no such")]) {
  try { wrong(); } catch (error) { console.log(error.name, error.code); }
}

// A stream's end takes no digest away.
{
  const { pipeline } = await import("node:stream/promises");
  const { Readable } = await import("node:stream");
  const soon = () => new Promise((done) => setTimeout(done, 5));
  const hash = createHash("sha256");
  await pipeline(Readable.from(["abc"]), hash);
  console.log(hash.digest("hex"), hash.read().toString("hex"));
  try { hash.digest(); } catch (error) { console.log(error.code); }
  const told = createHash("md5");
  told.on("finish", () => console.log("finish", told.digest("base64")));
  told.end("abc");
  await soon();
  const both = createHash("md5").update("abc");
  console.log(both.digest("hex"));
  both.end();
  await soon();
  console.log(both.read().toString("hex"));
  const keyed = createHmac("sha256", "k");
  await pipeline(Readable.from(["abc"]), keyed);
  console.log([keyed.digest("hex"), keyed.read().toString("hex")]);
  const done = createHmac("md5", "k").update("abc");
  console.log(done.digest("hex"));
  done.end();
  await soon();
  console.log(done.read());
}
