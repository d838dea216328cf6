// SPDX-License-Identifier: MIT
// node:crypto's createHash and createHmac: what was given is kept until the digest is asked for.
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

const bytesOf = (data, encoding, name) => {
  if (typeof data === "string") return Buffer.from(data, encoding === "buffer" ? "utf8" : encoding);
  if (data instanceof ArrayBuffer) return Buffer.from(data.slice(0));
  if (!ArrayBuffer.isView(data)) {
    throw invalidArgType(name, ["string", "Buffer", "TypedArray", "DataView"], data);
  }
  // Its owner may change it before the digest is asked for.
  return Buffer.from(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
};

const digestOf = (algorithm, parts) => Buffer.from(digest(algorithm, Buffer.concat(parts)), "hex");
const shown = (bytes, encoding) => encoding === undefined || encoding === "buffer" ? bytes
  : bytes.toString(encoding);

class Digest extends Transform {
  #algorithm;
  #parts = [];
  #isDone = false;

  constructor(algorithm, parts = []) {
    super();
    [this.#algorithm, this.#parts] = [algorithm, parts];
  }

  update(data, encoding) {
    this.#needOpen();
    this.#parts.push(bytesOf(data, encoding, "data"));
    return this;
  }

  digest(encoding) {
    this.#needOpen();
    this.#isDone = true;
    return shown(this.finished(this.#algorithm, this.#parts), encoding);
  }

  copied(make) {
    this.#needOpen();
    return make(this.#algorithm, [...this.#parts]);
  }

  #needOpen() {
    if (this.#isDone) throw coded(Error, "ERR_CRYPTO_HASH_FINALIZED", "Digest already called");
  }

  _transform(chunk, encoding, done) {
    this.update(chunk, encoding);
    done();
  }

  _flush(done) {
    this.push(this.digest());
    done();
  }
}

class Hash extends Digest {
  finished(algorithm, parts) { return digestOf(algorithm, parts); }
  copy() { return this.copied((algorithm, parts) => new Hash(algorithm, parts)); }
}

class Hmac extends Digest {
  #key;

  constructor(algorithm, key) {
    super(algorithm);
    const bytes = bytesOf(key, "utf8", "key");
    this.#key = Buffer.alloc(BLOCKS[algorithm]);
    (bytes.length > this.#key.length ? digestOf(algorithm, [bytes]) : bytes).copy(this.#key);
  }

  finished(algorithm, parts) {
    const padded = (byte) => this.#key.map((one) => one ^ byte);
    return digestOf(algorithm, [padded(0x5C), digestOf(algorithm, [padded(0x36), ...parts])]);
  }
}

const createHash = (name) => {
  const algorithm = known(name);
  if (algorithm === undefined) {
    throw coded(Error, "ERR_OSSL_EVP_UNSUPPORTED", "error:0308010C:digital envelope routines::unsupported");
  }
  return new Hash(algorithm);
};
const createHmac = (name, key) => {
  const algorithm = known(name);
  if (algorithm === undefined) {
    throw coded(TypeError, "ERR_CRYPTO_INVALID_DIGEST", `Invalid digest: ${name}`);
  }
  return new Hmac(algorithm, key);
};

module.exports = { createHash, createHmac, Hash, Hmac, getHashes: () => Object.keys(BLOCKS),
  hash: (name, data, encoding = "hex") => createHash(name).update(data).digest(encoding) };
