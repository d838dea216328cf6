// SPDX-License-Identifier: MIT
// crypto.getRandomValues and crypto.randomUUID (Web Cryptography API, section 10; RFC 9562, section 5.4).
((host) => {
  "use strict";
  const { declareInterface, fillRandom, DOMException } = host;
  const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf } = Object;
  const { isView } = ArrayBuffer;
  const TypeErrorOf = TypeError;
  const Bytes = Uint8Array;
  // A view may be of a subclass that has its own idea of these.
  const uncurry = (method) => Function.prototype.call.bind(method);
  const typed = getPrototypeOf(Bytes.prototype);
  const typeOf = uncurry(getOwnPropertyDescriptor(typed, Symbol.toStringTag).get);
  const getterOf = (name) => uncurry(getOwnPropertyDescriptor(typed, name).get);
  const lengthOf = getterOf("byteLength"), bufferOf = getterOf("buffer"), offsetOf = getterOf("byteOffset");
  const isResizable = uncurry(getOwnPropertyDescriptor(ArrayBuffer.prototype, "resizable").get);
  const isFixed = (buffer) => { try { return !isResizable(buffer); } catch { return false; } };
  const fill = uncurry(typed.fill), set = uncurry(typed.set);

  const INTEGERS = {
    __proto__: null, Int8Array: true, Uint8Array: true, Uint8ClampedArray: true, Int16Array: true,
    Uint16Array: true, Int32Array: true, Uint32Array: true, BigInt64Array: true, BigUint64Array: true,
  };
  const QUOTA = 65536;

  const fillChecked = (array) => {
    if (!isView(array)) throw new TypeErrorOf("crypto.getRandomValues: the argument must be a typed array");
    if (INTEGERS[typeOf(array)] === undefined) {
      throw new DOMException("crypto.getRandomValues: an array of integers is needed", "TypeMismatchError");
    }
    const length = lengthOf(array);
    if (length > QUOTA) {
      const message = `crypto.getRandomValues: ${length} bytes at once are too many; ${QUOTA} are the most`;
      throw new DOMException(message, "QuotaExceededError");
    }
    // Web IDL: an ArrayBufferView without [AllowShared] and [AllowResizable].
    if (!isFixed(bufferOf(array))) {
      throw new TypeErrorOf("crypto.getRandomValues: the buffer must be neither shared nor resizable");
    }
    if (length > 0) {
      // Of our own: the engine lets no script transfer a buffer that native code has written to.
      const made = new Bytes(length);
      fillRandom(made);
      set(new Bytes(bufferOf(array), offsetOf(array), length), made);
      fill(made, 0);
    }
    return array;
  };

  // Random bytes for 128 UUIDs at a time: asking the system costs more than writing one down.
  const POOL = 2048;
  const pool = new Bytes(POOL);
  let next = POOL;

  const HEX = [];
  for (let byte = 0; byte < 256; byte++) HEX[byte] = (byte < 16 ? "0" : "") + byte.toString(16);

  const refill = () => {
    fillRandom(pool);
    next = 0;
  };

  const makeUUID = () => {
    if (next === POOL) refill();
    const at = next;
    next += 16;
    const text = HEX[pool[at]] + HEX[pool[at + 1]] + HEX[pool[at + 2]] + HEX[pool[at + 3]] +
      "-" + HEX[pool[at + 4]] + HEX[pool[at + 5]] +
      "-" + HEX[pool[at + 6] & 0x0F | 0x40] + HEX[pool[at + 7]] +
      "-" + HEX[pool[at + 8] & 0x3F | 0x80] + HEX[pool[at + 9]] +
      "-" + HEX[pool[at + 10]] + HEX[pool[at + 11]] + HEX[pool[at + 12]] +
      HEX[pool[at + 13]] + HEX[pool[at + 14]] + HEX[pool[at + 15]];
    fill(pool, 0, at, next);  // a UUID may be a secret
    return text;
  };

  const secret = {};

  class Crypto {
    #isCrypto = true;

    constructor() {
      if (arguments[0] !== secret) throw new TypeErrorOf("Crypto: use globalThis.crypto");
    }

    getRandomValues(array) {
      this.#isCrypto;
      if (arguments.length === 0) throw new TypeErrorOf("crypto.getRandomValues: an argument is needed");
      return fillChecked(array);
    }

    get subtle() {
      this.#isCrypto;
      return host.subtle;
    }

    randomUUID() {
      this.#isCrypto;
      return makeUUID();
    }
  }
  for (const name of ["getRandomValues", "subtle", "randomUUID"]) {
    const found = getOwnPropertyDescriptor(Crypto.prototype, name);
    defineProperty(Crypto.prototype, name, { __proto__: null, ...found, enumerable: true });
  }
  defineProperty(Crypto.prototype, Symbol.toStringTag, { __proto__: null, value: "Crypto", configurable: true });
  declareInterface(Crypto, "Crypto");

  return { crypto: new Crypto(secret), Crypto };
})
