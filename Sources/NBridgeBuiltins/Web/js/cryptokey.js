// SPDX-License-Identifier: MIT
// CryptoKey (Web Cryptography, section 13). What is secret of a key lies in memory of the native half; no member shows it.
((host) => {
  "use strict";
  const { append, clone, finish, showsFields } = host;
  const { TypeError } = globalThis;
  const Bytes = Uint8Array;
  const USAGES = ["encrypt", "decrypt", "sign", "verify", "deriveKey", "deriveBits", "wrapKey", "unwrapKey"];
  const secret = {};

  /** An object for scripts, which they may change: what the key does follows what it was made with. */
  const shownAlgorithm = ({ name, length, hash, namedCurve, modulusLength, publicExponent }) => {
    if (modulusLength !== undefined) {
      return { name, modulusLength, publicExponent: new Bytes(publicExponent), hash: { name: hash } };
    }
    if (namedCurve !== undefined) return { name, namedCurve };
    if (hash !== undefined) return { name, hash: { name: hash }, length };
    return length === undefined ? { name } : { name, length };
  };

  const copyList = (list) => {
    const copy = [];
    for (let i = 0; i < list.length; i++) append(copy, list[i]);
    return copy;
  };

  let isKey, slotsOf;

  class CryptoKey {
    #slots;
    #algorithm;
    #usages;
    static {
      isKey = (value) => typeof value === "object" && value !== null && #slots in value;
      slotsOf = (key) => key.#slots;
    }

    constructor() {
      if (arguments[0] !== secret) throw new TypeError("CryptoKey: use crypto.subtle.generateKey or importKey");
      this.#slots = arguments[1];
    }

    get type() { return this.#slots.type; }
    get extractable() { return this.#slots.extractable; }
    get algorithm() { return this.#algorithm ??= shownAlgorithm(this.#slots.algorithm); }
    get usages() { return this.#usages ??= copyList(this.#slots.usages); }
  }
  const SHOWN = ["type", "extractable", "algorithm", "usages"];
  finish(CryptoKey, "CryptoKey", SHOWN);
  showsFields(CryptoKey, "CryptoKey", SHOWN, isKey);

  /** A key: `material` is what the native half knows of it. Its slots never change. */
  const make = (type, extractable, algorithm, usages, material) =>
    new CryptoKey(secret, { __proto__: null, type, extractable, algorithm, usages, material });

  // For other engines: what is secret goes along as what it is, a box that no script sees.
  const writeList = (list, write) => {
    write(list.length);
    for (let i = 0; i < list.length; i++) write(list[i]);
  };
  const readList = (read) => {
    const list = [];
    for (let left = read(); left > 0; left--) append(list, read());
    return list;
  };
  // A list would be read by the iterator that a script may have put there.
  const readBytes = (read) => {
    const count = read(), bytes = new Bytes(count);
    for (let i = 0; i < count; i++) bytes[i] = read();
    return bytes;
  };
  const wire = {
    name: "cryptokey",
    pack({ type, extractable, algorithm, usages, material }, { write, thing }) {
      const { name, length, hash, namedCurve, modulusLength, publicExponent } = algorithm;
      write(type);
      write(extractable);
      write(name);
      write(length);
      write(hash);
      write(namedCurve);
      write(modulusLength);
      writeList(publicExponent ?? [], write);
      writeList(usages, write);
      if (type === "secret") write(material.size);
      thing(type === "secret" ? material.box : material);
    },
    unpack({ read, thing }) {
      const type = read(), extractable = read();
      const algorithm = { __proto__: null, name: read(), length: read(), hash: read(), namedCurve: read(), modulusLength: read() };
      algorithm.publicExponent = readBytes(read);
      const usages = readList(read), size = type === "secret" ? read() : undefined, box = thing();
      if (box === undefined) throw new TypeError("the message has no such key");
      const material = type === "secret" ? { __proto__: null, box, size } : box;
      return { __proto__: null, type, extractable, algorithm, usages, material };
    },
  };

  clone.addType({ __proto__: null, is: isKey, serialize: slotsOf, deserialize: (slots) => new CryptoKey(secret, slots), wire });

  const includes = (list, item) => {
    for (let i = 0; i < list.length; i++) if (list[i] === item) return true;
    return false;
  };

  /** "Normalized value": in the standard's order, each once. */
  const ordered = (usages) => {
    const list = [];
    for (let i = 0; i < USAGES.length; i++) if (includes(usages, USAGES[i])) append(list, USAGES[i]);
    return list;
  };

  /** Those of a list that are among others. */
  const among = (usages, allowed) => {
    const list = [];
    for (let i = 0; i < usages.length; i++) if (includes(allowed, usages[i])) append(list, usages[i]);
    return list;
  };

  return { CryptoKey, internals: { USAGES, among, copyList, includes, isKey, make, ordered, slotsOf } };
})
