// SPDX-License-Identifier: MIT
// Bytes, numbers and refusals of crypto.subtle (Web IDL, 3.2 and 3.3), whatever scripts make of their prototypes.
((host) => {
  "use strict";
  const { DOMException, native } = host;
  const { TypeError } = globalThis;
  const { getOwnPropertyDescriptor, getPrototypeOf } = Object;
  const { isView } = ArrayBuffer;
  const { clz32, trunc } = Math;
  const { toStringTag } = Symbol;
  const Bytes = Uint8Array;

  const uncurry = (method) => Function.prototype.call.bind(method);
  const getterOf = (prototype, name) => uncurry(getOwnPropertyDescriptor(prototype, name).get);
  const typed = getPrototypeOf(Bytes.prototype);
  const fields = (prototype) => ({
    bufferOf: getterOf(prototype, "buffer"), offsetOf: getterOf(prototype, "byteOffset"),
    lengthOf: getterOf(prototype, "byteLength"),
  });
  const TYPED = fields(typed);
  const DATA = fields(DataView.prototype);
  const { bufferOf, lengthOf, offsetOf } = TYPED;
  const nameOf = getterOf(typed, toStringTag);
  const bufferLength = getterOf(ArrayBuffer.prototype, "byteLength");
  const isResizable = getterOf(ArrayBuffer.prototype, "resizable");
  const setBytes = uncurry(typed.set);
  const fillWith = uncurry(typed.fill);
  const transfer = uncurry(ArrayBuffer.prototype.transfer);
  const LARGE = 65536, OVERLAPPED = 4 << 20, PIECE = 1 << 20;

  const refuse = (name, message) => new DOMException(message, name);
  const isObject = (value) => (typeof value === "object" ? value !== null : typeof value === "function");
  const isBuffer = (value) => { try { bufferLength(value); return true; } catch { return false; } };
  const fieldsOf = (view) => (nameOf(view) === undefined ? DATA : TYPED);

  /** Whether a value is a BufferSource, if not one that is taken. */
  const isSource = (value) => isObject(value) && (isView(value) || isBuffer(value));

  /** A BufferSource without [AllowShared] and [AllowResizable]. Its bytes are read later. */
  const toSource = (value, what) => {
    if (!isSource(value)) throw new TypeError(`${what} must be an ArrayBuffer or a view of one`);
    const buffer = isView(value) ? fieldsOf(value).bufferOf(value) : value;
    if (isBuffer(buffer) && !isResizable(buffer)) return value;
    throw new TypeError(`${what} must be of a buffer that is neither shared nor resizable`);
  };

  /** A view of its bytes; of none where the buffer was detached. */
  const viewOf = (source) => {
    try {
      if (!isView(source)) return new Bytes(source);
      const { bufferOf, offsetOf, lengthOf } = fieldsOf(source);
      return new Bytes(bufferOf(source), offsetOf(source), lengthOf(source));
    } catch {
      return new Bytes(0);
    }
  };

  /** Bytes that the native half takes: a copy, which no script can reach and which is wiped when it goes. */
  const hold = (bytes) => {
    const size = lengthOf(bytes);
    const box = native.room(size);
    if (size > 0) fill(native.view(box), bytes, size);
    return { __proto__: null, box, size };
  };

  const fill = (view, bytes, size) => {
    setBytes(view, bytes);
    // A view keeps the memory until the engine collects it, which may be long, unless its buffer is detached.
    if (size > LARGE) transfer(bufferOf(view), 0);
  };

  /** Holds bytes of our own, and wipes where they lay: the engine does not. */
  const take = (bytes) => {
    const held = hold(bytes);
    fillWith(bytes, 0);
    return held;
  };

  /** Lets go of a message: the native half has taken it, or never will. */
  const drop = (held) => native.drop(held.box);

  const copyOf = (source) => hold(viewOf(source));

  /**
   * The same for what is read from its begin to its end, once: `steps` gives the message to an operation that begins to read
   * while the rest is copied, which takes a quarter of the time that the reading does.
   */
  const overlapped = (source, steps) => {
    const bytes = viewOf(source), size = lengthOf(bytes);
    if (size < OVERLAPPED) return withMessage(hold(bytes), steps);
    const message = { __proto__: null, box: native.roomToFill(size), size };
    withMessage(message, (message) => {
      steps(message);
      try { fillInPieces(message, bytes); } finally { native.filled(message.box, size); }
    });
  };

  const fillInPieces = ({ box, size }, bytes) => {
    const view = native.view(box), to = bufferOf(view), from = bufferOf(bytes), start = offsetOf(bytes);
    for (let at = 0; at < size; at += PIECE) {
      const count = size - at < PIECE ? size - at : PIECE;
      setBytes(new Bytes(to, at, count), new Bytes(from, start + at, count));
      native.filled(box, at + count);
    }
    transfer(to, 0);
  };

  /** What is done with a message; it is let go of at once, since what works on it has it. */
  const withMessage = (message, steps) => {
    try { steps(message); } finally { drop(message); }
  };
  /** For our own eyes: what is written there is written to what is held. */
  const peek = (held) => native.view(held.box);
  /** A copy for scripts, in memory that is wiped when it goes, as that of all which the native half answers. */
  const giveOut = (bytes) => peek(hold(bytes));
  /** What scripts are given. */
  const toBuffer = (bytes) => bufferOf(bytes);

  /** [EnforceRange], from 0 to `most`. */
  const toNumber = (value, most, what) => {
    const number = +value;
    const whole = trunc(number) + 0;
    if (whole >= 0 && whole <= most) return whole;
    throw new TypeError(`${what} must be a number from 0 to ${most}`);
  };

  /** `unsigned long`, modulo 2 to the 32. */
  const toLong = (value) => +value >>> 0;

  /** A BigInteger: a Uint8Array, the highest byte first. */
  const toBigInteger = (value, what) => {
    if (!isObject(value) || !isView(value) || nameOf(value) !== "Uint8Array") {
      throw new TypeError(`${what} must be a Uint8Array`);
    }
    return toSource(value, what);
  };

  /** The first so many bits of some bytes; zeros behind them fill the last byte. */
  const firstBits = (bytes, bits) => {
    const size = trunc((bits + 7) / 8);
    const cut = giveOut(new Bytes(bufferOf(bytes), TYPED.offsetOf(bytes), size));
    if (bits % 8 !== 0) cut[size - 1] &= 0xFF << (8 - bits % 8);
    return cut;
  };

  /** How many bits a number has, its highest byte first. */
  const bitLength = (bytes) => {
    const size = lengthOf(bytes);
    for (let i = 0; i < size; i++) {
      if (bytes[i] !== 0) return (size - i) * 8 - clz32(bytes[i]) + 24;
    }
    return 0;
  };

  return {
    bitLength, copyOf, drop, firstBits, giveOut, hold, isObject, isSource, lengthOf, overlapped, peek, refuse, take, toBigInteger,
    toBuffer, toLong, toNumber, toSource, withMessage,
  };
})
