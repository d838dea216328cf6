// SPDX-License-Identifier: MIT
// node:crypto's createHash and createHmac. Nothing that they were given is kept.
"use strict";

const { Buffer } = require("node:buffer");
const { Transform } = require("node:stream");
const { coded, invalidArgType } = require("node:internal/errors");
const { digest } = require("node:internal/native");

/** How many bytes a block has, by which an HMAC pads its key (RFC 2104). */
const BLOCKS = { __proto__: null, md5: 64, sha1: 64, sha256: 64, sha384: 128, sha512: 128 };
const known = (name) => {
  if (typeof name !== "string") throw invalidArgType("algorithm", "string", name);
  const plain = name.toLowerCase().replace(/^rsa-/, "").replace(/^sha-/, "sha");
  return plain in BLOCKS ? plain : undefined;
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

const ended = (sum) => Buffer.from(sum(), "hex");
const shown = (bytes, encoding) => encoding === undefined || encoding === "buffer" ? bytes
  : bytes.toString(encoding);

class Digest extends Transform {
  #sum;
  #isDone = false;

  constructor(sum) {
    super();
    this.#sum = sum;
  }

  update(data, encoding) {
    this.#needOpen();
    feed(this.#sum, bytesOf(data, encoding, "data"));
    return this;
  }

  digest(encoding) {
    if (this.#isDone) return this.again(encoding);
    this.#isDone = true;
    return shown(this.finished(ended(this.#sum)), encoding);
  }

  /** The same digest, to be gone on with by itself. */
  copied() {
    this.#needOpen();
    return this.#sum(true);
  }

  #needOpen() { if (this.#isDone) throw finalized(); }

  _transform(chunk, encoding, done) {
    this.update(chunk, encoding);
    done();
  }

  _flush(done) {
    this.push(this.digest());
    done();
  }
}

const finalized = () => coded(Error, "ERR_CRYPTO_HASH_FINALIZED", "Digest already called");

class Hash extends Digest {
  constructor(algorithm, sum = begun(algorithm)) { super(sum); }
  finished(bytes) { return bytes; }
  again() { throw finalized(); }
  copy() { return new Hash(undefined, this.copied()); }
}

class Hmac extends Digest {
  #outer;

  constructor(algorithm, key) {
    const bytes = bytesOf(key, "utf8", "key");
    const block = Buffer.alloc(BLOCKS[algorithm]);
    block.set(bytes.length > block.length ? ended(feed(digest(algorithm), bytes)) : bytes);
    const padded = (byte) => feed(digest(algorithm), block.map((one) => one ^ byte));
    super(padded(0x36));
    this.#outer = padded(0x5C);
  }

  finished(bytes) { return ended(feed(this.#outer, bytes)); }
  /** As Node has it. */
  again(encoding) { return shown(Buffer.alloc(0), encoding); }
}

const begun = (name) => {
  const algorithm = known(name);
  if (algorithm !== undefined) return digest(algorithm);
  throw coded(Error, "ERR_OSSL_EVP_UNSUPPORTED", "error:0308010C:digital envelope routines::unsupported");
};

const createHash = (name) => new Hash(name);
const createHmac = (name, key) => {
  const algorithm = known(name);
  if (algorithm === undefined) {
    throw coded(TypeError, "ERR_CRYPTO_INVALID_DIGEST", `Invalid digest: ${name}`);
  }
  return new Hmac(algorithm, key);
};

module.exports = { createHash, createHmac, Hash, Hmac, getHashes: () => Object.keys(BLOCKS),
  hash: (name, data, encoding = "hex") => createHash(name).update(data).digest(encoding) };
