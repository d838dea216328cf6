// SPDX-License-Identifier: MIT
// node:buffer.
"use strict";

const { coded, check, invalidArgType, outOfRange } = require("node:internal/errors");
const { normalized, toBytes, byteLength } = require("node:internal/encodings");
const numbers = require("node:internal/numbers");

const MOST = 2 ** 32;
const custom = Symbol.for("nodejs.util.inspect.custom");

const encodingOf = (name) => {
  const encoding = normalized(name);
  if (encoding === undefined) throw coded(TypeError, "ERR_UNKNOWN_ENCODING",
    `Unknown encoding: ${String(name)}`);
  return encoding;
};

const checkSize = (size) => {
  if (typeof size !== "number") throw invalidArgType("size", "number", size);
  if (!(size >= 0 && size <= MOST)) throw outOfRange("size", `>= 0 && <= ${MOST}`, size);
};

const isBytes = (value) => value instanceof Uint8Array;
const isBuffer = (value) => value instanceof Buffer;
const isMemory = (value) => value instanceof ArrayBuffer ||
  (typeof SharedArrayBuffer !== "undefined" && value instanceof SharedArrayBuffer);

/** The same memory as a Buffer. */
const over = (bytes) => new FastBuffer(bytes.buffer, bytes.byteOffset, bytes.byteLength);

class FastBuffer extends Uint8Array {
  // The one that is there without asks the iterator of arrays.
  constructor(source, offset, length) { super(source, offset, length); }
}

// A function that needs no `new`: older programs call `Buffer(10)`.
function Buffer(value, encodingOrOffset, length) {
  if (typeof value === "number") {
    if (typeof encodingOrOffset === "string") throw invalidArgType("string", "string", value);
    return Buffer.alloc(value);
  }
  return Buffer.from(value, encodingOrOffset, length);
}
// A bundle may call it otherwise.
Object.defineProperty(Buffer, "name", { value: "Buffer", configurable: true });
Object.setPrototypeOf(Buffer, Uint8Array);
Buffer.prototype = FastBuffer.prototype;
Object.defineProperty(Buffer.prototype, "constructor", { value: Buffer, writable: true, configurable: true });
Object.defineProperty(Buffer, Symbol.species, { configurable: true, get: () => FastBuffer });

const fromMemory = (memory, offset, length) => {
  const start = offset === undefined ? 0 : Number(offset) || 0;
  const most = memory.byteLength - start;
  if (most < 0) throw coded(RangeError, "ERR_BUFFER_OUT_OF_BOUNDS", '"offset" is outside of buffer bounds');
  if (length === undefined) return new FastBuffer(memory, start, most);
  const count = Number(length) > 0 ? Number(length) : 0;
  if (count > most) throw coded(RangeError, "ERR_BUFFER_OUT_OF_BOUNDS",
    '"length" is outside of buffer bounds');
  return new FastBuffer(memory, start, count);
};

const fromList = (list) => {
  const buffer = new FastBuffer(list.length > 0 ? Math.trunc(list.length) || 0 : 0);
  for (let at = 0; at < buffer.length; at++) buffer[at] = list[at];
  return buffer;
};

/** What an object that is neither memory nor bytes holds. */
const fromObject = (value) => {
  if (value.length !== undefined || isMemory(value.buffer)) {
    return typeof value.length === "number" ? fromList(value) : new FastBuffer(0);
  }
  return value.type === "Buffer" && Array.isArray(value.data) ? fromList(value.data) : undefined;
};

const EXPECTED = ["string", "Buffer", "ArrayBuffer"];

Buffer.from = (value, encodingOrOffset, length) => {
  if (typeof value === "string") {
    const encoding = typeof encodingOrOffset === "string" ? encodingOf(encodingOrOffset) : "utf8";
    return over(toBytes[encoding](value));
  }
  if (value !== null && typeof value === "object") {
    if (isMemory(value)) return fromMemory(value, encodingOrOffset, length);
    const held = value.valueOf?.();
    if (held != null && held !== value && (typeof held === "string" || typeof held === "object")) {
      return Buffer.from(held, encodingOrOffset, length);
    }
    const found = fromObject(value);
    if (found !== undefined) return found;
    const primitive = value[Symbol.toPrimitive]?.("string");
    if (typeof primitive === "string") return Buffer.from(primitive, encodingOrOffset);
  }
  const { described } = require("node:internal/errors");
  throw coded(TypeError, "ERR_INVALID_ARG_TYPE",
    "The first argument must be of type string or an instance of Buffer, " +
    `ArrayBuffer, or Array or an Array-like Object. Received ${described(value)}`);
};

Buffer.alloc = (size, fill, encoding) => {
  checkSize(size);
  const buffer = new FastBuffer(size);
  return fill === undefined || fill === 0 || size === 0 ? buffer : buffer.fill(fill, encoding);
};
// No memory is handed out that held something else before.
Buffer.allocUnsafe = Buffer.allocUnsafeSlow = (size) => Buffer.alloc(size);
Buffer.of = (...bytes) => fromList(bytes);
Buffer.isBuffer = isBuffer;
Buffer.isEncoding = (name) => typeof name === "string" && name !== "" && normalized(name) !== undefined;
Buffer.poolSize = 8192;

Buffer.byteLength = (value, encoding) => {
  if (typeof value === "string") return byteLength(value, normalized(encoding) ?? "utf8");
  if (ArrayBuffer.isView(value) || isMemory(value)) return value.byteLength;
  throw invalidArgType("string", EXPECTED, value);
};

Buffer.concat = (list, total) => {
  if (!Array.isArray(list)) throw invalidArgType("list", "Array", list);
  list.forEach((part, at) => { if (!isBytes(part)) throw invalidArgType(`list[${at}]`,
    ["Buffer", "Uint8Array"], part); });
  if (total !== undefined) check.integer(total, "length", 0);
  const buffer = Buffer.alloc(total ?? list.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of list) {
    if (at >= buffer.length) break;
    const rest = buffer.length - at;
    buffer.set(part.length > rest ? part.subarray(0, rest) : part, at);
    at += part.length;
  }
  return buffer;
};

const order = (a, b) => {
  const shared = Math.min(a.length, b.length);
  for (let at = 0; at < shared; at++) if (a[at] !== b[at]) return a[at] < b[at] ? -1 : 1;
  return Math.sign(a.length - b.length);
};

Buffer.compare = (a, b) => {
  if (!isBytes(a)) throw invalidArgType("buf1", ["Buffer", "Uint8Array"], a);
  if (!isBytes(b)) throw invalidArgType("buf2", ["Buffer", "Uint8Array"], b);
  return order(a, b);
};

Buffer.copyBytesFrom = (source, offset = 0, length = source.length - offset) => {
  if (!ArrayBuffer.isView(source) || source.length === undefined) throw invalidArgType("view", "TypedArray",
    source);
  const part = source.slice(offset, offset + length);
  return over(new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
};

const { methods, transcode } = require("node:internal/buffermethods")({ Buffer, over, order, encodingOf,
  isBytes });
for (const [name, value] of Object.entries({ ...numbers.methods, ...methods })) {
  Object.defineProperty(Buffer.prototype, name,
    { value, writable: true, configurable: true, enumerable: true });
}
Object.defineProperties(Buffer.prototype, {
  parent: { enumerable: true, get() { return isBuffer(this) ? this.buffer : undefined; } },
  offset: { enumerable: true, get() { return isBuffer(this) ? this.byteOffset : undefined; } },
});

Buffer.prototype[custom] = function (depth, options) {
  const most = module.exports.INSPECT_MAX_BYTES;
  let shown = this.hexSlice(0, most).replace(/(..)(?=.)/g, "$1 ");
  const more = this.length - most;
  if (more > 0) shown += ` ... ${more} more byte${more > 1 ? "s" : ""}`;
  // Names beside a million bytes can't be had without a million texts.
  const keys = this.length > 1000 ? [] : Object.keys(this).filter((key) => !/^\d+$/.test(key));
  const { inspect } = require("node:util");
  const rest = keys.map((key) => `${key}: ${inspect(this[key], options)}`);
  const name = this.constructor?.name ?? "Buffer";
  return `<${name} ${[shown, ...rest].filter(Boolean).join(", ")}>`;
};
Buffer.prototype.inspect = Buffer.prototype[custom];

const sizeLimits = { MAX_LENGTH: MOST, MAX_STRING_LENGTH: 2 ** 31 - 1 };
const bytesOf = (input) => {
  if (isMemory(input)) return new Uint8Array(input);
  if (!ArrayBuffer.isView(input)) throw invalidArgType("input", ["ArrayBuffer", "Buffer", "TypedArray"],
    input);
  return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
};

module.exports = {
  Buffer, transcode,
  SlowBuffer: (size) => Buffer.alloc(size),
  kMaxLength: MOST, kStringMaxLength: sizeLimits.MAX_STRING_LENGTH, constants: sizeLimits,
    INSPECT_MAX_BYTES: 50,
  isAscii: (input) => bytesOf(input).every((byte) => byte < 128),
  isUtf8(input) {
    try { return new TextDecoder("utf-8",
      { fatal: true }).decode(bytesOf(input)) !== undefined; } catch { return false; }
  },
  atob: globalThis.atob, btoa: globalThis.btoa, Blob: globalThis.Blob, File: globalThis.File,
  resolveObjectURL: () => undefined,
};
