// SPDX-License-Identifier: MIT
// node:crypto's createHash and createHmac. Nothing that they were given is kept.
"use strict";

const { Buffer } = require("node:buffer");
const { Transform } = require("node:stream");
const { check, coded, invalidArgType } = require("node:internal/errors");
const { digest } = require("node:internal/native");

/** The digests that OpenSSL may have, by the names that are listed. */
const NAMES = [
  "RSA-MD5", "RSA-RIPEMD160", "RSA-SHA1", "RSA-SHA1-2", "RSA-SHA224", "RSA-SHA256", "RSA-SHA3-224", "RSA-SHA3-256",
  "RSA-SHA3-384", "RSA-SHA3-512", "RSA-SHA384", "RSA-SHA512", "RSA-SHA512/224", "RSA-SHA512/256", "RSA-SM3",
  "blake2b512", "blake2s256", "id-rsassa-pkcs1-v1_5-with-sha3-224", "id-rsassa-pkcs1-v1_5-with-sha3-256",
  "id-rsassa-pkcs1-v1_5-with-sha3-384", "id-rsassa-pkcs1-v1_5-with-sha3-512", "md5", "md5-sha1",
  "md5WithRSAEncryption", "ripemd", "ripemd160", "ripemd160WithRSA", "rmd160", "sha1", "sha1WithRSAEncryption",
  "sha224", "sha224WithRSAEncryption", "sha256", "sha256WithRSAEncryption", "sha3-224", "sha3-256", "sha3-384",
  "sha3-512", "sha384", "sha384WithRSAEncryption", "sha512", "sha512-224", "sha512-224WithRSAEncryption",
  "sha512-256", "sha512-256WithRSAEncryption", "sha512WithRSAEncryption", "shake128", "shake256", "sm3",
  "sm3WithRSAEncryption", "ssl3-md5", "ssl3-sha1",
];

/** A digest that has begun; undefined for a name that OpenSSL does not know. */
const begun = (name) => {
  if (typeof name !== "string") throw invalidArgType("algorithm", "string", name);
  try {
    return digest(name) ?? digest(name.toLowerCase().replace(/^(rsa-)?sha-(?=1$|\d{3}$)/, "$1sha"));
  } catch {
    throw coded(Error, "ERR_OSSL_EVP_UNSUPPORTED", "error:0308010C:digital envelope routines::unsupported");
  }
};

/** What was given, not copied. */
const bytesOf = (data, encoding, name) => {
  if (typeof data === "string") return Buffer.from(data, encoding === "buffer" ? "utf8" : encoding);
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  if (!ArrayBuffer.isView(data)) {
    throw invalidArgType(name, ["string", "Buffer", "TypedArray", "DataView"], data);
  }
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
};

// The native side pins what it reads, and who owns that may want to transfer it: so it reads this.
const scratch = new Uint8Array(64 * 1024);

/** Gives bytes to a digest. */
const feed = (sum, bytes) => {
  for (let at = 0; at < bytes.length; at += scratch.length) {
    const part = bytes.subarray(at, at + scratch.length);
    scratch.set(part);
    sum(scratch, part.length);
  }
  return sum;
};

const ended = (sum, size = sum.size) => Buffer.from(sum(size), "hex");
const shown = (bytes, encoding) => encoding === undefined || encoding === "buffer" ? bytes
  : bytes.toString(encoding);

class Digest extends Transform {
  #sum;
  #size;
  #isDone = false;
  /** What it came to: its stream's end asks for that, and digest() still may. */
  #bytes;

  constructor(sum, options, size = sum.size) {
    super(options ?? {});
    [this.#sum, this.#size] = [sum, size];
  }

  update(data, encoding) {
    this.#needOpen();
    feed(this.#sum, bytesOf(data, encoding, "data"));
    return this;
  }

  digest(encoding) {
    if (this.#isDone) return this.again(encoding);
    this.#isDone = true;
    return shown(this.#taken(), encoding);
  }

  #taken() {
    if (this.#bytes !== undefined) return this.kept(this.#bytes);
    this.#bytes = this.finished(ended(this.#sum, this.#size));
    return Buffer.from(this.#bytes);
  }

  /** The same digest, to be gone on with by itself. */
  copied() {
    this.#needOpen();
    return this.#sum();
  }

  #needOpen() { if (this.#bytes !== undefined) throw finalized(); }

  _transform(chunk, encoding, done) {
    this.update(chunk, encoding);
    done();
  }

  _flush(done) {
    this.push(this.#taken());
    done();
  }
}

const finalized = () => coded(Error, "ERR_CRYPTO_HASH_FINALIZED", "Digest already called");

/** How many bytes are asked for; a digest of one size gives no others. */
const sizeOf = (sum, options) => {
  const outputLength = options?.outputLength;
  if (outputLength === undefined) return sum.size;
  check.integer(outputLength, "options.outputLength", 0, 2 ** 31 - 1);
  if (outputLength === sum.size || sum.isExtendable) return outputLength;
  throw coded(Error, "ERR_OSSL_EVP_NOT_XOF_OR_INVALID_LENGTH",
    "error:030000B2:digital envelope routines::not XOF or invalid length");
};

class Hash extends Digest {
  constructor(algorithm, options = undefined, sum = begun(algorithm)) {
    if (sum === undefined) throw new Error("Digest method not supported");
    super(sum, options, sizeOf(sum, options));
  }
  finished(bytes) { return bytes; }
  kept(bytes) { return Buffer.from(bytes); }
  again() { throw finalized(); }
  copy(options) { return new Hash(undefined, options, this.copied()); }
}

class Hmac extends Digest {
  #outer;

  constructor(algorithm, key, options) {
    const sum = begun(algorithm);
    if (sum === undefined || sum.isExtendable) {
      throw coded(TypeError, "ERR_CRYPTO_INVALID_DIGEST", `Invalid digest: ${algorithm}`);
    }
    const bytes = bytesOf(key, "utf8", "key");
    const block = Buffer.alloc(sum.blockSize);
    block.set(bytes.length > block.length ? ended(feed(sum(), bytes)) : bytes);
    const padded = (byte) => feed(sum(), block.map((one) => one ^ byte));
    super(padded(0x36), options);
    this.#outer = padded(0x5C);
  }

  finished(bytes) { return ended(feed(this.#outer, bytes)); }
  /** As Node has it. */
  kept() { return Buffer.alloc(0); }
  /** As Node has it. */
  again(encoding) { return shown(Buffer.alloc(0), encoding); }
}

const createHash = (name, options) => new Hash(name, options);
const createHmac = (name, key, options) => new Hmac(name, key, options);

module.exports = { createHash, createHmac, Hash, Hmac, getHashes: () => NAMES.filter((name) => digest(name)),
  hash: (name, data, encoding = "hex") => createHash(name).update(data).digest(encoding) };
