// SPDX-License-Identifier: MIT
// The numbers that buffers read and write: integers of 1 to 8 bytes, floats and doubles, in both orders of
// bytes.
"use strict";

const { assign } = require("node:internal/own");
const { coded, invalidArgType, outOfRange } = require("node:internal/errors");

/** Where a number of `size` bytes may stand. */
const checkPlace = (buffer, offset, size) => {
  if (typeof offset !== "number") throw invalidArgType("offset", "number", offset);
  if (!Number.isInteger(offset)) throw outOfRange("offset", "an integer", offset);
  const most = buffer.length - size;
  if (most < 0) throw coded(RangeError, "ERR_BUFFER_OUT_OF_BOUNDS",
    "Attempt to access memory outside buffer bounds");
  if (offset < 0 || offset > most) throw outOfRange("offset", `>= 0 and <= ${most}`, offset);
};

const checkSize = (size) => {
  if (typeof size !== "number") throw invalidArgType("byteLength", "number", size);
  if (!Number.isInteger(size)) throw outOfRange("byteLength", "an integer", size);
  if (size < 1 || size > 6) throw outOfRange("byteLength", ">= 1 and <= 6", size);
};

const checkValue = (value, size, signed, name = "value") => {
  const bits = size * 8;
  const [least, most] = signed ? [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1] : [0, 2 ** bits - 1];
  if (value >= least && value <= most) return;
  if (!(value > most || value < least)) return; // Not a number: written as 0.
  let range = `>= ${least} and <= ${most}`;
  if (size > 4) range = signed ? `>= -(2 ** ${bits - 1}) and < 2 ** ${bits - 1}` : `>= 0 and < 2 ** ${bits}`;
  throw outOfRange(name, range, value);
};

const read = (buffer, offset, size, little, signed) => {
  checkPlace(buffer, offset, size);
  let value = 0;
  for (let at = 0; at < size; at++) value = value * 256 + buffer[little ? offset + size - 1 - at : offset +
    at];
  return signed && value >= 2 ** (size * 8 - 1) ? value - 2 ** (size * 8) : value;
};

const write = (buffer, value, offset, size, little, signed) => {
  const number = +value;
  checkValue(number, size, signed);
  checkPlace(buffer, offset, size);
  let rest = Math.trunc(number) || 0;
  if (rest < 0) rest += 2 ** (size * 8);
  for (let at = 0; at < size; at++) {
    buffer[little ? offset + at : offset + size - 1 - at] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  return offset + size;
};

const view = (buffer) => new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);

const methods = {};
const orders = [["LE", true], ["BE", false]];
for (const [order, little] of orders) {
  for (const [kind, signed] of [["UInt", false], ["Int", true]]) {
    for (const size of [2, 4]) {
      const name = `${kind}${size * 8}${order}`;
      methods[`read${name}`] = function (offset = 0) { return read(this, offset, size, little, signed); };
      methods[`write${name}`] = function (value, offset = 0) { return write(this, value, offset, size, little,
        signed); };
    }
    methods[`read${kind}${order}`] = function (offset, size) {
      if (offset === undefined) throw invalidArgType("offset", "number", offset);
      checkSize(size);
      return read(this, offset, size, little, signed);
    };
    methods[`write${kind}${order}`] = function (value, offset, size) {
      checkSize(size);
      return write(this, value, offset, size, little, signed);
    };
    const big = `Big${kind}64`;
    const [least, most] = signed ? [-(2n ** 63n), 2n ** 63n] : [0n, 2n ** 64n];
    methods[`read${big}${order}`] = function (offset = 0) {
      checkPlace(this, offset, 8);
      return view(this)[`get${kind === "UInt" ? "BigUint64" : "BigInt64"}`](offset, little);
    };
    methods[`write${big}${order}`] = function (value, offset = 0) {
      if (typeof value !== "bigint") throw invalidArgType("value", "bigint", value);
      if (value < least || value >= most) {
        throw outOfRange("value", signed ? ">= -(2n ** 63n) and < 2n ** 63n" : ">= 0n and < 2n ** 64n",
          value);
      }
      checkPlace(this, offset, 8);
      view(this)[`set${kind === "UInt" ? "BigUint64" : "BigInt64"}`](offset, value, little);
      return offset + 8;
    };
  }
  for (const [kind, size, type] of [["Float", 4, "Float32"], ["Double", 8, "Float64"]]) {
    methods[`read${kind}${order}`] = function (offset = 0) {
      checkPlace(this, offset, size);
      return view(this)[`get${type}`](offset, little);
    };
    methods[`write${kind}${order}`] = function (value, offset = 0) {
      checkPlace(this, offset, size);
      view(this)[`set${type}`](offset, +value, little);
      return offset + size;
    };
  }
}
for (const [kind, signed] of [["UInt8", false], ["Int8", true]]) {
  methods[`read${kind}`] = function (offset = 0) { return read(this, offset, 1, true, signed); };
  methods[`write${kind}`] = function (value, offset = 0) { return write(this, value, offset, 1, true,
    signed); };
}
for (const name of Object.keys(methods)) if (name.includes("UInt")) methods[name.replace("UInt",
  "Uint")] = methods[name];

/** Exchanges the bytes of each group of `size`. */
const swap = (size) => function () {
  if (this.length % size !== 0) {
    throw coded(RangeError, "ERR_INVALID_BUFFER_SIZE", `Buffer size must be a multiple of ${size * 8}-bits`);
  }
  for (let at = 0; at < this.length; at += size) this.subarray(at, at + size).reverse();
  return this;
};
assign(methods, { swap16: swap(2), swap32: swap(4), swap64: swap(8) });

module.exports = { methods };
