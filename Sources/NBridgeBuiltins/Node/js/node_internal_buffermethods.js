// SPDX-License-Identifier: MIT
// The methods of buffers beside those for numbers.
"use strict";

const { give } = require("node:internal/own");
const { check, invalidArgType, invalidArgValue, outOfRange } = require("node:internal/errors");
const { toBytes, toText, normalized } = require("node:internal/encodings");

/** How long a buffer may be. */
const LONGEST = 2 ** 32;

module.exports = ({ Buffer, over, order, encodingOf, isBytes }) => {
  const needBytes = (value, name) => { if (!isBytes(value)) throw invalidArgType(name,
    ["Buffer", "Uint8Array"], value); };

  /** A position within `length`, whatever was given. */
  const clamped = (value, length, otherwise) => {
    if (value === undefined) return otherwise;
    const number = Math.trunc(Number(value)) || 0;
    return number < 0 ? 0 : Math.min(number, length);
  };

  /** As much of a text's bytes as there is room for; no character is written in part. */
  const put = (buffer, text, offset, room, encoding) => {
    let bytes = toBytes[encoding](text);
    if (bytes.length > room) {
      let end = room;
      if (encoding === "utf8") while (end > 0 && (bytes[end] & 0xc0) === 0x80) end--;
      if (encoding === "utf16le") end -= end % 2;
      bytes = bytes.subarray(0, end);
    }
    buffer.set(bytes, offset);
    return bytes.length;
  };

  const write = (buffer, text, offset, length, encoding) => {
    check.string(text, "string");
    if (typeof offset === "string") [offset, encoding] = [undefined, offset];
    else if (typeof length === "string") [length, encoding] = [undefined, length];
    else if (offset === undefined) [length,
      encoding] = []; // Node's way: without an offset the rest does not count.
    const start = offset ?? 0;
    check.integer(start, "offset", 0, buffer.length);
    const rest = buffer.length - start;
    if (length !== undefined) check.integer(length, "length", 0, buffer.length);
    return put(buffer, text, start, Math.min(length ?? rest, rest), encodingOf(encoding));
  };

  const fill = (buffer, value, start, end, encoding) => {
    if (typeof start === "string") [start, encoding] = [undefined, start];
    else if (typeof end === "string") [end, encoding] = [undefined, end];
    if (typeof value !== "string") encoding = undefined;
    else if (encoding !== undefined && typeof encoding !== "string") {
      throw invalidArgType("encoding", "string", encoding);
    }
    const name = encodingOf(encoding);
    // Node's way: without a start no end counts, and behind the end there is nothing to fill.
    if (start !== undefined) check.integer(start, "offset", 0, LONGEST);
    const [from, to] = start === undefined ? [0, buffer.length] : [start, end ?? buffer.length];
    if (start !== undefined && end !== undefined) check.integer(end, "end", 0, buffer.length);
    if (from >= to) return buffer;
    const pattern = typeof value === "string" ? toBytes[name](value)
      : ArrayBuffer.isView(value) ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
      : undefined;
    if (pattern === undefined || value === "") {
      Uint8Array.prototype.fill.call(buffer, typeof value === "boolean" ? +value : Number(value) & 255, from,
        to);
      return buffer;
    }
    if (pattern.length === 0) throw invalidArgValue("value", value);
    for (let at = from; at < to; at++) buffer[at] = pattern[(at - from) % pattern.length];
    return buffer;
  };

  /** Where `wanted` is found, looking forward or back from an offset; -1 without it. */
  const find = (buffer, wanted, offset, encoding, forward) => {
    if (typeof offset === "string") [offset, encoding] = [undefined, offset];
    let at = Number(offset);
    if (Number.isNaN(at)) at = forward ? 0 : buffer.length;
    else at = Math.trunc(Math.max(-0x80000000, Math.min(0x7fffffff, at)));
    if (at < 0) at += buffer.length;
    if (typeof wanted === "number") {
      const byte = wanted & 255;
      if (at < 0 && !forward) return -1;
      return forward ? Uint8Array.prototype.indexOf.call(buffer, byte, Math.max(0, at))
        : Uint8Array.prototype.lastIndexOf.call(buffer, byte, Math.min(at, buffer.length - 1));
    }
    const bytes = typeof wanted === "string" ? toBytes[encodingOf(encoding)](wanted) : wanted;
    if (!isBytes(bytes)) throw invalidArgType("value", ["number", "string", "Buffer", "Uint8Array"], wanted);
    const isWide = normalized(encoding) === "utf16le";
    return search(buffer, bytes, at, forward, isWide ? 2 : 1);
  };

  const search = (buffer, bytes, from, forward, step) => {
    const last = buffer.length - bytes.length;
    if (bytes.length === 0) return Math.min(Math.max(from, 0), buffer.length);
    let at = forward ? Math.max(0, from) : Math.min(from, last);
    for (; forward ? at <= last : at >= 0; at += forward ? 1 : -1) {
      if (step === 2 && at % 2 !== 0) continue;
      let same = 0;
      while (same < bytes.length && buffer[at + same] === bytes[same]) same++;
      if (same === bytes.length) return at;
    }
    return -1;
  };

  const methods = {
    toString(encoding, start, end) {
      if (arguments.length === 0) return toText.utf8(this);
      const from = start === undefined ? 0 : clamped(start, this.length, 0);
      const to = clamped(end, this.length, this.length);
      return to <= from ? (encodingOf(encoding), "")
        : toText[encodingOf(encoding)](Uint8Array.prototype.subarray.call(this, from, to));
    },
    toJSON() { return { type: "Buffer", data: Array.from(this) }; },
    write(text, offset, length, encoding) { return write(this, text, offset, length, encoding); },
    fill(value, start, end, encoding) { return fill(this, value, start, end, encoding); },
    equals(other) {
      needBytes(other, "otherBuffer");
      return this === other || (this.length === other.length && order(this, other) === 0);
    },
    compare(target, targetStart = 0, targetEnd = target?.length, start = 0, end = this.length) {
      needBytes(target, "target");
      check.integer(targetStart, "targetStart", 0);
      check.integer(targetEnd, "targetEnd", 0, target.length);
      check.integer(start, "sourceStart", 0);
      check.integer(end, "sourceEnd", 0, this.length);
      const part = (bytes, from, to) => from >= to ? [] : bytes.subarray(from, to);
      return order(part(this, start, end), part(target, targetStart, targetEnd));
    },
    copy(target, targetStart = 0, start = 0, end = this.length) {
      needBytes(target, "target");
      const whole = (value) => Number.isNaN(Number(value)) ? 0 : Math.trunc(Number(value));
      const [to, from] = [whole(targetStart), whole(start)];
      if (to < 0) throw outOfRange("targetStart", ">= 0", to);
      if (from < 0 || from > this.length) throw outOfRange("sourceStart", `>= 0 && <= ${this.length}`, from);
      if (whole(end) < 0) throw outOfRange("sourceEnd", ">= 0", whole(end));
      if (to >= target.length || from >= whole(end)) return 0;
      const part = Uint8Array.prototype.subarray.call(this, from,
        Math.min(whole(end), from + target.length - to));
      target.set(part, to);
      return part.length;
    },
    subarray(start, end) { return over(Uint8Array.prototype.subarray.call(new Uint8Array(this.buffer,
      this.byteOffset, this.byteLength), start, end)); },
    slice(start, end) { return this.subarray(start, end); },
    indexOf(value, offset, encoding) { return find(this, value, offset, encoding, true); },
    lastIndexOf(value, offset, encoding) { return find(this, value, offset, encoding, false); },
    includes(value, offset, encoding) { return find(this, value, offset, encoding, true) !== -1; },
  };
  give(methods, "toLocaleString", methods.toString);
  for (const name of ["utf8", "utf16le", "latin1", "ascii", "hex", "base64", "base64url"]) {
    const called = { utf16le: "ucs2" }[name] ?? name;
    methods[`${called}Slice`] = function (start, end) { return this.toString(name, start, end); };
    methods[`${called}Write`] = function (text, offset, length) { return this.write(text, offset, length,
      name); };
  }

  const transcode = (source, from, to) => {
    needBytes(source, "source");
    const [input, output] = [encodingOf(from), encodingOf(to)];
    const text = toText[input](source);
    if (output !== "ascii" && output !== "latin1") return over(toBytes[output](text));
    const most = output === "ascii" ? 127 : 255;
    return Buffer.from([...text].map((character) => character.codePointAt(0) > most ? 63
      : character.codePointAt(0)));
  };

  return { methods, transcode };
};
