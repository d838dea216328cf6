// SPDX-License-Identifier: MIT
// node:string_decoder: text from pieces of bytes, whatever character they are cut in.
"use strict";

const { coded, invalidArgType } = require("node:internal/errors");
const { normalized, toText } = require("node:internal/encodings");

/** How many bytes at the end begin a character that is not whole. */
const begun = {
  utf16le(bytes) {
    const odd = bytes.length % 2;
    const last = bytes.length - odd;
    const isHigh = last >= 2 && (bytes[last - 1] & 0xfc) === 0xd8;
    return odd + (isHigh ? 2 : 0);
  },
  base64: (bytes) => bytes.length % 3,
  base64url: (bytes) => bytes.length % 3,
};

function StringDecoder(name) {
  const encoding = normalized(name);
  if (encoding === undefined) throw coded(TypeError, "ERR_UNKNOWN_ENCODING",
    `Unknown encoding: ${String(name)}`);
  this.encoding = encoding;
  Object.defineProperty(this, "_state", { value: { rest: new Uint8Array(0), decoder: undefined },
    writable: true });
}

StringDecoder.prototype.write = function write(chunk) {
  if (typeof chunk === "string") return chunk;
  if (!ArrayBuffer.isView(chunk)) throw invalidArgType("buf", ["Buffer", "TypedArray", "DataView"], chunk);
  const bytes = new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  const state = this._state;
  if (this.encoding === "utf8") {
    state.decoder ??= new TextDecoder("utf-8", { ignoreBOM: true });
    return state.decoder.decode(bytes, { stream: true });
  }
  const count = begun[this.encoding];
  if (count === undefined) return toText[this.encoding](bytes);
  const whole = new Uint8Array(state.rest.length + bytes.length);
  whole.set(state.rest);
  whole.set(bytes, state.rest.length);
  const end = whole.length - count(whole);
  state.rest = whole.slice(end);
  return toText[this.encoding](whole.subarray(0, end));
};

StringDecoder.prototype.end = function end(chunk) {
  let text = chunk === undefined ? "" : this.write(chunk);
  const state = this._state;
  if (this.encoding === "utf8") text += state.decoder?.decode() ?? "";
  else if (state.rest.length > 0) text += toText[this.encoding](state.rest);
  this._state = { rest: new Uint8Array(0), decoder: undefined };
  return text;
};

StringDecoder.prototype.text = function text(chunk, offset) {
  return this.write(chunk.subarray(offset));
};

module.exports = { StringDecoder };
