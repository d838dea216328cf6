// SPDX-License-Identifier: MIT
// node:crypto: randomness and digests. Digests of files: nbridge.documents.hash.
"use strict";

const { check, coded, missing, outOfRange } = require("node:internal/errors");

const { crypto } = globalThis;
// What getRandomValues takes at once (Web Cryptography, 10.1.1).
const MOST = 65536;

const fillBytes = (bytes) => {
  for (let at = 0; at < bytes.length; at += MOST) crypto.getRandomValues(bytes.subarray(at, at + MOST));
};

const randomFillSync = (target, offset = 0, size = undefined) => {
  const bytes = ArrayBuffer.isView(target) ? new Uint8Array(target.buffer, target.byteOffset,
    target.byteLength) : new Uint8Array(target);
  check.integer(offset, "offset", 0, bytes.length);
  const count = size ?? bytes.length - offset;
  check.integer(count, "size", 0, bytes.length - offset);
  fillBytes(bytes.subarray(offset, offset + count));
  return target;
};

const later = (action, done) => {
  check.function(done, "callback");
  require("node:process").nextTick(() => done(null, action()));
};

const randomBytes = (size, done) => {
  check.integer(size, "size", 0, 2 ** 31 - 1);
  const make = () => randomFillSync(require("node:buffer").Buffer.alloc(size));
  return done === undefined ? make() : later(make, done);
};

const randomInt = (least, most, done) => {
  if (most === undefined || typeof most === "function") [least, most, done] = [0, least, most];
  check.integer(least, "min");
  check.integer(most, "max");
  const range = most - least;
  if (!(range > 0)) throw outOfRange("max", `greater than the value of "min" (${least})`, most);
  if (range >= 2 ** 48) throw outOfRange("max - min", "<= 281474976710655", range);
  const make = () => {
    // Six bytes; those above the last whole multiple would make some numbers likelier.
    const last = 2 ** 48 - (2 ** 48 % range);
    for (;;) {
      const bytes = new Uint8Array(6);
      fillBytes(bytes);
      const value = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
      if (value < last) return least + (value % range);
    }
  };
  return done === undefined ? make() : later(make, done);
};

const timingSafeEqual = (a, b) => {
  if (a.byteLength !== b.byteLength) {
    throw coded(RangeError, "ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH",
      "Input buffers must have the same byte length");
  }
  const bytes = (value) => ArrayBuffer.isView(value) ? new Uint8Array(value.buffer, value.byteOffset,
    value.byteLength) : new Uint8Array(value);
  const [left, right] = [bytes(a), bytes(b)];
  let differs = 0;
  for (let at = 0; at < left.length; at++) differs |= left[at] ^ right[at];
  return differs === 0;
};

module.exports = {
  randomBytes, pseudoRandomBytes: randomBytes, prng: randomBytes, rng: randomBytes, randomFillSync, randomInt,
    timingSafeEqual,
  randomFill(target, ...rest) {
    const done = rest.pop();
    later(() => randomFillSync(target, ...rest), done);
  },
  randomUUID: () => crypto.randomUUID(), getRandomValues: (bytes) => crypto.getRandomValues(bytes),
  webcrypto: crypto, get subtle() { return crypto.subtle; }, constants: {}, getCiphers: () => [], getCurves: () => [],
};
for (const name of ["createHash", "createHmac", "getHashes", "hash"]) {
  module.exports[name] = (...given) => require("node:internal/hash")[name](...given);
}
for (const name of ["Hash", "Hmac"]) {
  Object.defineProperty(module.exports, name, { enumerable: true, configurable: true,
    get: () => require("node:internal/hash")[name] });
}
for (const name of ["createCipheriv", "createDecipheriv", "createSign", "createVerify",
  "createDiffieHellman", "createECDH", "createPrivateKey", "createPublicKey", "createSecretKey",
    "generateKeyPair",
  "generateKeyPairSync", "hkdf", "hkdfSync", "pbkdf2", "pbkdf2Sync", "scrypt", "scryptSync", "sign",
    "verify"]) {
  module.exports[name] = () => { throw missing(`crypto.${name}()`); };
}
