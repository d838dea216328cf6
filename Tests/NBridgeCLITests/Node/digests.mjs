import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { Readable } from "node:stream";
import { Buffer } from "node:buffer";

for (const name of ["md5", "sha1", "sha256", "sha384", "SHA512", "RSA-SHA256"]) {
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
