// SPDX-License-Identifier: MIT
// node:querystring, the older of Node's two readers of queries.
"use strict";

const { coded } = require("node:internal/errors");

const escape = (text) => {
  let plain = text;
  if (typeof plain !== "string") plain = typeof plain === "object" ? String(plain) : `${plain}`;
  if (!plain.isWellFormed()) throw coded(URIError, "ERR_INVALID_URI", "URI malformed");
  return encodeURIComponent(plain);
};

const digit = (code) => code >= 48 && code <= 57 ? code - 48 : code >= 65 && code <= 70 ? code - 55
  : code >= 97 && code <= 102 ? code - 87 : -1;

/** Escapes as bytes; what is no escape stays. */
const unescapeBuffer = (text, decodesSpaces) => {
  const bytes = new TextEncoder().encode(text);
  let count = 0;
  for (let at = 0; at < bytes.length; at++) {
    let byte = bytes[at];
    const [high, low] = byte === 37 ? [digit(bytes[at + 1]), digit(bytes[at + 2])] : [-1, -1];
    if (byte === 43 && decodesSpaces) byte = 32;
    if (high >= 0 && low >= 0) {
      byte = high * 16 + low;
      at += 2;
    }
    bytes[count++] = byte;
  }
  return require("node:buffer").Buffer.from(bytes.buffer, 0, count);
};

const unescape = (text, decodesSpaces) => {
  try { return decodeURIComponent(text); } catch { return unescapeBuffer(text, decodesSpaces).toString(); }
};

const plainOf = (value) => {
  switch (typeof value) {
    case "string": return value;
    case "number": return Number.isFinite(value) ? `${value}` : "";
    case "bigint": case "boolean": return `${value}`;
    default: return "";
  }
};

const stringify = (object, separator, equals, options) => {
  const [sep, eq] = [separator || "&", equals || "="];
  if (object === null || typeof object !== "object") return "";
  const encode = typeof options?.encodeURIComponent === "function" ? options.encodeURIComponent
    : exported.escape;
  const text = (value) => { const plain = plainOf(value); return plain === "" ? "" : encode(plain); };
  return Object.keys(object).flatMap((key) => [].concat(object[key]).map((value) => text(key) + eq +
    text(value))).join(sep);
};

const parse = (query, separator, equals, options) => {
  const found = { __proto__: null };
  if (typeof query !== "string" || query === "") return found;
  const [sep, eq] = [separator ? `${separator}` : "&", equals ? `${equals}` : "="];
  const most = typeof options?.maxKeys === "number" ? options.maxKeys : 1000;
  const decode = typeof options?.decodeURIComponent === "function" ? options.decodeURIComponent
    : exported.unescape;
  const text = (raw) => {
    const spaced = raw.replaceAll("+", " ");
    if (decode === unescape && !spaced.includes("%")) return spaced;
    try { return decode(spaced); } catch { return unescape(spaced, true); }
  };
  let parts = query.split(sep).filter((part) => part !== "");
  if (most > 0) parts = parts.slice(0, most);
  for (const part of parts) {
    const at = part.indexOf(eq);
    const key = text(at < 0 ? part : part.slice(0, at));
    const value = at < 0 ? "" : text(part.slice(at + eq.length));
    if (!(key in found)) found[key] = value;
    else if (Array.isArray(found[key])) found[key].push(value);
    else found[key] = [found[key], value];
  }
  return found;
};

const exported = { escape, unescape, unescapeBuffer, stringify, encode: stringify, parse, decode: parse };
module.exports = exported;
