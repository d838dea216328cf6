// SPDX-License-Identifier: MIT
// The encodings of node:buffer: bytes to text and back. They never throw for odd texts: what is no digit
// ends a hexadecimal text, and is passed over in base64.
"use strict";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

const NAMES = {
  __proto__: null, utf8: "utf8", "utf-8": "utf8", ucs2: "utf16le", "ucs-2": "utf16le", utf16le: "utf16le",
  "utf-16le": "utf16le", latin1: "latin1", binary: "latin1", base64: "base64", base64url: "base64url",
    hex: "hex",
  ascii: "ascii",
};

/** An encoding by the name that the rest of the code knows; undefined for what is none. */
const normalized = (name) => {
  if (name === undefined || name === null || name === "") return "utf8";
  return typeof name === "string" ? NAMES[name] ?? NAMES[name.toLowerCase()] : undefined;
};

/** Text of single characters, in pieces that a call can take. */
const fromCodes = (codes) => {
  let text = "";
  for (let at = 0; at < codes.length; at += 8192) text += String.fromCharCode.apply(null,
    codes.subarray(at, at + 8192));
  return text;
};

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
const digit = (code) => code >= 48 && code <= 57 ? code - 48 : code >= 97 && code <= 102 ? code - 87
  : code >= 65 && code <= 70 ? code - 55 : -1;

const hexBytes = (text) => {
  const bytes = new Uint8Array(text.length >> 1);
  for (let at = 0; at < bytes.length; at++) {
    const [high, low] = [digit(text.charCodeAt(2 * at)), digit(text.charCodeAt(2 * at + 1))];
    if (high < 0 || low < 0) return bytes.subarray(0, at);
    bytes[at] = high * 16 + low;
  }
  return bytes;
};

const VALUES = new Int8Array(128).fill(-1);
for (const [value, character] of [...`${ALPHABET}+/`].entries()) VALUES[character.charCodeAt(0)] = value;
VALUES[45] = 62;
VALUES[95] = 63;

const base64Bytes = (text) => {
  const bytes = new Uint8Array(Math.ceil(text.length * 3 / 4));
  let [count, held, bits] = [0, 0, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 61) break;
    const value = code < 128 ? VALUES[code] : -1;
    if (value < 0) continue;
    held = (held << 6 | value) & 0xffffff;
    bits += 6;
    if (bits >= 8) bytes[count++] = held >> (bits -= 8) & 255;
  }
  return bytes.subarray(0, count);
};

const base64Text = (bytes, last, pads) => {
  const digits = ALPHABET + last;
  const pieces = [];
  for (let at = 0; at < bytes.length; at += 3) {
    const rest = bytes.length - at;
    const held = bytes[at] << 16 | (bytes[at + 1] ?? 0) << 8 | (bytes[at + 2] ?? 0);
    pieces.push(digits[held >> 18], digits[held >> 12 & 63]);
    if (rest > 1) pieces.push(digits[held >> 6 & 63]);
    if (rest > 2) pieces.push(digits[held & 63]);
    if (rest < 3 && pads) pieces.push(rest === 1 ? "==" : "=");
  }
  return pieces.join("");
};

const latin1Bytes = (text) => {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
};

const utf16Bytes = (text) => {
  const bytes = new Uint8Array(text.length * 2);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    bytes[2 * at] = code & 255;
    bytes[2 * at + 1] = code >> 8;
  }
  return bytes;
};

const utf16Text = (bytes) => {
  const codes = new Uint16Array(bytes.length >> 1);
  for (let at = 0; at < codes.length; at++) codes[at] = bytes[2 * at] | bytes[2 * at + 1] << 8;
  return fromCodes(codes);
};

const toBytes = {
  utf8: (text) => encoder.encode(text),
  utf16le: utf16Bytes, latin1: latin1Bytes, ascii: latin1Bytes, hex: hexBytes, base64: base64Bytes,
    base64url: base64Bytes,
};

const toText = {
  utf8: (bytes) => decoder.decode(bytes),
  utf16le: utf16Text, latin1: fromCodes,
  ascii: (bytes) => fromCodes(bytes.map((byte) => byte & 127)),
  hex: (bytes) => Array.from(bytes, (byte) => HEX[byte]).join(""),
  base64: (bytes) => base64Text(bytes, "+/", true),
  base64url: (bytes) => base64Text(bytes, "-_", false),
};

/** How many bytes a text takes, without making them where that is known. */
const byteLength = (text, encoding) => {
  switch (encoding) {
    case "utf16le": return text.length * 2;
    case "latin1": case "ascii": return text.length;
    case "hex": return text.length >>> 1;
    case "base64": case "base64url": {
      let length = text.length;
      if (text.endsWith("=")) length -= text.at(-2) === "=" ? 2 : 1;
      return length * 3 >>> 2;
    }
    default: return encoder.encode(text).length;
  }
};

module.exports = { normalized, toBytes, toText, byteLength };
