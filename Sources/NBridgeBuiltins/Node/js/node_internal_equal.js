// SPDX-License-Identifier: MIT
// Whether two values are the same all the way down: node:assert's deepEqual (loose) and deepStrictEqual.
"use strict";

const types = require("node:util/types");

const isObject = (value) => value !== null && typeof value === "object";
const sameLoosely = (a, b) => a == b || (Number.isNaN(a) && Number.isNaN(b));
const enumerable = (value) => Object.getOwnPropertySymbols(value)
  .filter((key) => Object.prototype.propertyIsEnumerable.call(value, key));

/** The kind of a built-in object, of which both must be. */
const KINDS = [
  [Array.isArray, "array"], [types.isTypedArray, "typed"], [types.isDate, "date"], [types.isRegExp, "regexp"],
  [types.isNativeError, "error"], [types.isSet, "set"], [types.isMap, "map"],
    [types.isAnyArrayBuffer, "buffer"],
  [types.isDataView, "view"], [types.isBoxedPrimitive, "boxed"], [types.isPromise, "identity"],
  [types.isWeakMap, "identity"], [types.isWeakSet, "identity"],
];
const kindOf = (value) => Object.getPrototypeOf(value) === Object.prototype ? "plain"
  : KINDS.find(([test]) => test(value))?.[1] ?? "plain";

/** What objects of the web hold, which keep it in private fields; of a Blob nobody can tell at once. */
const fields = (...names) => (value) => names.map((name) => value[name]);
const HELD = {
  __proto__: null, URL: fields("href"), URLSearchParams: (value) => [...value], FormData: (value) => [...value],
  Event: fields("type", "bubbles", "cancelable", "composed"), CustomEvent: fields("type", "cancelable", "detail"),
  MessageEvent: fields("type", "data"), AbortSignal: fields("aborted", "reason"), AbortController: fields("signal"),
  TextDecoder: fields("encoding", "fatal", "ignoreBOM"), Blob: () => [{}, Symbol()], File: () => [{}, Symbol()],
};
const heldBy = (value) => {
  const tag = value[Symbol.toStringTag];
  const isOne = typeof tag === "string" && tag in HELD && value instanceof globalThis[tag];
  try { return isOne ? HELD[tag](value) : undefined; } catch { return undefined; }
};

const bytesOf = (value) => ArrayBuffer.isView(value)
  ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : new Uint8Array(value);

const FRACTIONS = /^Float/;

class Comparison {
  #strict;
  /** Pairs that are being compared: a pair inside of itself is as equal as the rest of it. */
  #open = [];

  constructor(strict) { this.#strict = strict; }

  equal(a, b) {
    if (a === b) return a !== 0 || !this.#strict || Object.is(a, b);
    if (this.#strict) {
      if (!isObject(a) || !isObject(b)) return typeof a === "number" && Number.isNaN(a) && Number.isNaN(b);
      if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
    } else if (!isObject(a) || !isObject(b)) {
      return !isObject(a) && !isObject(b) && typeof a !== "function" && sameLoosely(a, b);
    }
    if (Object.prototype.toString.call(a) !== Object.prototype.toString.call(b)) return false;
    const kind = kindOf(a);
    if (kind !== kindOf(b) || kind === "identity") return false;
    return this.#sameHeld(a, b, kind) && this.#sameKeys(a, b, kind) && this.#sameInside(a, b, kind);
  }

  /** What is neither a key nor an entry. */
  #sameHeld(a, b, kind) {
    switch (kind) {
      case "array": return a.length === b.length;
      case "date": return Object.is(Date.prototype.getTime.call(a), Date.prototype.getTime.call(b));
      case "regexp": return a.source === b.source && a.flags === b.flags && a.lastIndex === b.lastIndex;
      case "error":
        return a.message === b.message && a.name === b.name &&
          this.#sameHidden(a, b, "cause") && this.#sameHidden(a, b, "errors");
      case "typed": return this.#sameNumbers(a, b);
      case "buffer": case "view": return this.#sameBytes(bytesOf(a), bytesOf(b));
      case "set": case "map": return a.size === b.size;
      case "boxed": return Object.is(a.valueOf(), b.valueOf());
      default: return this.#sameFields(heldBy(a), heldBy(b));
    }
  }

  /** What is no key of an error where the engine puts it there; one that is a key is compared as such. */
  #sameHidden(a, b, key) {
    const [isOwn, isOther] = [Object.hasOwn(a, key), Object.hasOwn(b, key)];
    return isOwn === isOther && (!isOwn || this.equal(a[key], b[key]));
  }

  #sameFields(a, b) { return a === undefined || b === undefined ? a === b : this.equal(a, b); }

  #sameNumbers(a, b) {
    if (a.length !== b.length) return false;
    // Loosely, the two zeros of fractions are one.
    if (this.#strict || !FRACTIONS.test(a[Symbol.toStringTag])) return this.#sameBytes(bytesOf(a), bytesOf(b));
    const same = (x, y) => x === y;
    for (let at = 0; at < a.length; at++) if (!same(a[at], b[at])) return false;
    return true;
  }

  #sameBytes(a, b) {
    if (a.length !== b.length) return false;
    for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
    return true;
  }

  #keys(value, kind) {
    if (kind !== "typed") return Object.keys(value);
    // The elements were compared; names beside a million of them can't be had without a million texts.
    return value.length > 1000 ? [] : Object.keys(value).filter((key) => !/^\d+$/.test(key));
  }

  #sameKeys(a, b, kind) {
    const [keys, others] = [this.#keys(a, kind), this.#keys(b, kind)];
    if (keys.length !== others.length ||
      !keys.every((key) => Object.prototype.propertyIsEnumerable.call(b, key))) return false;
    if (!this.#strict) return true;
    const symbols = enumerable(a);
    return symbols.length === enumerable(b).length &&
      symbols.every((key) => Object.prototype.propertyIsEnumerable.call(b, key));
  }

  #sameInside(a, b, kind) {
    if (this.#open.some((pair) => pair[0] === a && pair[1] === b)) return true;
    this.#open.push([a, b]);
    try {
      const keys = [...this.#keys(a, kind), ...(this.#strict ? enumerable(a) : [])];
      if (!keys.every((key) => this.equal(a[key], b[key]))) return false;
      if (kind === "set") return this.#sameMembers([...a], b);
      return kind !== "map" || this.#samePairs([...a], b);
    } finally {
      this.#open.pop();
    }
  }

  /** Each member of one has its like in the other; likes are used once. */
  #sameMembers(members, other) {
    const left = new Set(other);
    const rest = members.filter((member) => !left.delete(member));
    return rest.every((member) => {
      if (this.#strict && !isObject(member)) return false;
      for (const one of left) if (this.equal(member, one)) return left.delete(one);
      return false;
    });
  }

  #samePairs(pairs, other) {
    const left = new Map(other);
    const rest = pairs.filter(([key, value]) => {
      if (!left.has(key) || !this.equal(value, left.get(key))) return true;
      left.delete(key);
      return false;
    });
    return rest.every(([key, value]) => {
      if (this.#strict && !isObject(key)) return false;
      for (const [otherKey, otherValue] of left) {
        if (this.equal(key, otherKey) && this.equal(value, otherValue)) return left.delete(otherKey);
      }
      return false;
    });
  }
}

module.exports = {
  isDeepEqual: (a, b) => new Comparison(false).equal(a, b),
  isDeepStrictEqual: (a, b) => new Comparison(true).equal(a, b),
};
