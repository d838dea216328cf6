// SPDX-License-Identifier: MIT
// Whether two values are the same all the way down: node:assert's deepEqual (loose) and deepStrictEqual. A
// program may replace every method there is, and must not come to judge itself: what is called was taken
// before, and lists are gone through by index.
"use strict";

const { intrinsics } = require("node:internal/own");
const { contents, engineObjects, intact, interfaces, isOrdinary } = require("node:internal/native");

const {
  Map, Set, Uint8Array, apply, getPrototypeOf, hasOwn, inherit, is, isArray, isPrototypeOf, isView,
  keys: keysOf, mapDelete, mapGet, mapSet, prototypes, setAdd, setDelete, sharedLength, textOf, toStringTag,
  typedBuffer, typedLength: bytesIn, typedOffset, viewBuffer, viewLength, viewOffset,
} = intrinsics;
const {
  bigintValue, booleanValue, brands, dateTime, getOwnPropertySymbols, isError, mapEntries, mapSize, nextOf,
  nextOfSet, numberValue, regexFlags, regexSource, setSize, setValues, stringValue, symbolValue, typedLength,
  typedTag,
} = intact();
const { contentsIn } = contents();
// Of another global object, so that it may be late.
let readSlots;
const slotsOf = (value) => (readSlots ??= engineObjects().slotsOf)(value);
const { propertyIsEnumerable } = Object.prototype;
const isEnumerable = (value, key) => apply(propertyIsEnumerable, value, [key]);

const isObject = (value) => value !== null && typeof value === "object";
const isNaN = (value) => typeof value === "number" && value !== value;
const sameLoosely = (a, b) => a == b || (isNaN(a) && isNaN(b));

/** A list on whose prototype no program has put a setter for a number. */
const bare = () => {
  const list = [];
  inherit(list, null);
  return list;
};
const all = (list, holds) => {
  for (let at = 0; at < list.length; at++) if (!holds(list[at])) return false;
  return true;
};
/** What an iterator of a Map or a Set gives. */
const drained = (iterator, next) => {
  const list = bare();
  for (let step = next(iterator); !step.done; step = next(iterator)) list[list.length] = step.value;
  return list;
};
const enumerable = (value) => {
  const symbols = getOwnPropertySymbols(value);
  const list = bare();
  for (let at = 0; at < symbols.length; at++) {
    if (isEnumerable(value, symbols[at])) list[list.length] = symbols[at];
  }
  return list;
};

const isShared = (value) => {
  try { return sharedLength !== undefined && sharedLength(value) >= 0; } catch { return false; }
};

/** The kind of a built-in object, of which both must be: by what it is, whatever it says. */
const kindOf = (value) => {
  if (isOrdinary(value)) return kindOfPlain(value);
  if (isArray(value)) return "array";
  if (isView(value)) return typedTag(value) === undefined ? "view" : "typed";
  if (brands.date(value)) return "date";
  if (brands.regex(value)) return "regexp";
  if (isError(value)) return "error";
  if (brands.set(value)) return "set";
  if (brands.map(value)) return "map";
  if (brands.buffer(value) || isShared(value)) return "buffer";
  if (unboxed(value) !== undefined) return "boxed";
  const isOne = isPrototypeOf(prototypes.Promise, value) || brands.weakMap(value) || brands.weakSet(value);
  return isOne ? "identity" : kindOfSlots(value) ?? kindOfPlain(value);
};

/** Of what the engine made, that of some can be read: their formats and locales. */
const kindOfSlots = (value) => {
  const slots = slotsOf(value);
  return slots === undefined ? undefined : slots.list === undefined ? "identity" : "slots";
};

/** Of what the web's interfaces hold, that of some can be read; of others two are the same only if they are one. */
const kindOfPlain = (value) => {
  const name = (interfaceOf ??= interfaces().interfaceOf)(value);
  return name === undefined || READABLE[name] === true || HELD[name] !== undefined ? "plain" : "identity";
};
let interfaceOf;
const READABLE = { __proto__: null, EventTarget: true };

const unboxed = (value) => {
  if (brands.number(value)) return { value: numberValue(value) };
  if (brands.string(value)) return { value: stringValue(value) };
  if (brands.boolean(value)) return { value: booleanValue(value) };
  if (brands.bigint(value)) return { value: bigintValue(value) };
  return brands.symbol(value) ? { value: symbolValue(value) } : undefined;
};

const flagsOf = (pattern) => {
  let flags = "";
  for (let at = 0; at < regexFlags.length; at++) if (regexFlags[at][0](pattern)) flags += regexFlags[at][1];
  return flags;
};

/** What objects of the web hold, which keep it in private fields; of a body nobody can tell at once. */
const HELD = {
  __proto__: null, URL: ["URL"], URLSearchParams: ["URLSearchParams"], FormData: ["FormData"],
  Event: ["Event"], CustomEvent: ["CustomEvent"], MessageEvent: ["MessageEvent"], ErrorEvent: ["ErrorEvent"],
  PromiseRejectionEvent: ["PromiseRejectionEvent"], AbortSignal: ["AbortSignal"],
  AbortController: ["AbortController"], TextDecoder: ["TextDecoder"], PerformanceMark: ["PerformanceMark"],
  PerformanceMeasure: ["PerformanceMeasure"], PerformanceEntry: ["PerformanceEntry"], Blob: ["Blob"],
  File: ["File"], Headers: ["Headers"], CloseEvent: ["CloseEvent"], ProgressEvent: ["ProgressEvent"],
  StorageEvent: ["StorageEvent"], URLPattern: ["URLPattern"], Request: ["Request"], Response: ["Response"],
  CountQueuingStrategy: ["CountQueuingStrategy"], ByteLengthQueuingStrategy: ["ByteLengthQueuingStrategy"],
};
const heldBy = (value) => {
  const tag = value[toStringTag];
  const tags = typeof tag === "string" ? HELD[tag] : undefined;
  return tags === undefined ? undefined : contentsIn(tags, value);
};

const bytesOf = (value) => {
  if (!isView(value)) return new Uint8Array(value);
  return typedTag(value) === undefined
    ? new Uint8Array(viewBuffer(value), viewOffset(value), viewLength(value))
    : new Uint8Array(typedBuffer(value), typedOffset(value), bytesIn(value));
};

const isFraction = (value) => {
  const tag = typedTag(value);
  return tag === "Float16Array" || tag === "Float32Array" || tag === "Float64Array";
};

/** Whether a key of a typed array is a number of one of its elements. */
const isIndex = (key) => {
  for (let at = 0; at < key.length; at++) if (key[at] < "0" || key[at] > "9") return false;
  return key.length > 0;
};

const keysIn = (value, kind) => {
  if (kind !== "typed") return keysOf(value);
  const names = bare();
  // The elements were compared; names beside a million of them can't be had without a million texts.
  if (typedLength(value) > 1000) return names;
  const keys = keysOf(value);
  for (let at = 0; at < keys.length; at++) if (!isIndex(keys[at])) names[names.length] = keys[at];
  return names;
};

class Comparison {
  #strict;
  /** Pairs that are being compared: a pair inside of itself is as equal as the rest of it. */
  #open = null;

  constructor(strict) { this.#strict = strict; }

  equal(a, b) {
    if (a === b) return a !== 0 || !this.#strict || is(a, b);
    if (this.#strict) {
      if (!isObject(a) || !isObject(b)) return isNaN(a) && isNaN(b);
      if (getPrototypeOf(a) !== getPrototypeOf(b)) return false;
    } else if (!isObject(a) || !isObject(b)) {
      return !isObject(a) && !isObject(b) && typeof a !== "function" && sameLoosely(a, b);
    }
    if (textOf(a) !== textOf(b)) return false;
    const kind = kindOf(a);
    if (kind !== kindOf(b) || kind === "identity") return false;
    return this.#sameHeld(a, b, kind) && this.#sameMembers(a, b, kind);
  }

  /** What is neither a key nor an entry. */
  #sameHeld(a, b, kind) {
    switch (kind) {
      case "array": return a.length === b.length;
      case "date": return is(dateTime(a), dateTime(b));
      case "regexp":
        return regexSource(a) === regexSource(b) && flagsOf(a) === flagsOf(b) && a.lastIndex === b.lastIndex;
      case "error":
        return a.message === b.message && a.name === b.name &&
          this.#sameHidden(a, b, "cause") && this.#sameHidden(a, b, "errors") &&
          this.#sameHidden(a, b, "error") && this.#sameHidden(a, b, "suppressed");
      case "typed": return this.#sameNumbers(a, b);
      case "buffer": case "view": return this.#sameBytes(bytesOf(a), bytesOf(b));
      case "set": return setSize(a) === setSize(b);
      case "map": return mapSize(a) === mapSize(b);
      case "slots": return this.#sameFields(slotsOf(a), slotsOf(b));
      case "boxed": return is(unboxed(a)?.value, unboxed(b)?.value);
      default: return this.#sameFields(heldBy(a), heldBy(b));
    }
  }

  /** What is no key of an error where the engine puts it there; one that is a key is compared as such. */
  #sameHidden(a, b, key) {
    const isOwn = hasOwn(a, key);
    return isOwn === hasOwn(b, key) && (!isOwn || this.equal(a[key], b[key]));
  }

  #sameFields(a, b) {
    if (a === undefined || b === undefined) return a === b;
    if (a.list === undefined || b.list === undefined) return false;
    if (a.tag !== b.tag || a.list.length !== b.list.length) return false;
    for (let at = 0; at < a.list.length; at++) {
      // When an event was made says nothing of what it is.
      if (at > 0 && a.list[at - 1] === "timeStamp") continue;
      if (!this.equal(a.list[at], b.list[at])) return false;
    }
    return true;
  }

  #sameNumbers(a, b) {
    const length = typedLength(a);
    if (length !== typedLength(b)) return false;
    // Loosely, the two zeros of fractions are one.
    if (this.#strict || !isFraction(a)) return this.#sameBytes(bytesOf(a), bytesOf(b));
    for (let at = 0; at < length; at++) if (a[at] !== b[at]) return false;
    return true;
  }

  #sameBytes(a, b) {
    const length = bytesIn(a);
    if (length !== bytesIn(b)) return false;
    for (let at = 0; at < length; at++) if (a[at] !== b[at]) return false;
    return true;
  }

  #sameMembers(a, b, kind) {
    const keys = keysIn(a, kind);
    const isIn = (key) => isEnumerable(b, key);
    if (keys.length !== keysIn(b, kind).length || !all(keys, isIn)) return false;
    const symbols = this.#strict ? enumerable(a) : undefined;
    if (symbols !== undefined) {
      if (symbols.length !== enumerable(b).length || !all(symbols, isIn)) return false;
    }
    for (let at = this.#open; at !== null; at = at.outer) if (at.a === a && at.b === b) return true;
    this.#open = { __proto__: null, a, b, outer: this.#open };
    try {
      const isSame = (key) => this.equal(a[key], b[key]);
      if (!all(keys, isSame) || symbols !== undefined && !all(symbols, isSame)) return false;
      if (kind === "set") return this.#sameItems(a, b);
      return kind !== "map" || this.#samePairs(a, b);
    } finally {
      this.#open = this.#open.outer;
    }
  }

  /** Each member of one has its like in the other; likes are used once. */
  #sameItems(a, b) {
    const left = new Set();
    const others = drained(setValues(b), nextOfSet);
    for (let at = 0; at < others.length; at++) setAdd(left, others[at]);
    const rest = bare();
    all(drained(setValues(a), nextOfSet), (member) => {
      if (!setDelete(left, member)) rest[rest.length] = member;
      return true;
    });
    return all(rest, (member) => {
      if (this.#strict && !isObject(member)) return false;
      for (let step, items = setValues(left); !(step = nextOfSet(items)).done;) {
        if (this.equal(member, step.value)) return setDelete(left, step.value);
      }
      return false;
    });
  }

  #samePairs(a, b) {
    const left = new Map();
    const others = drained(mapEntries(b), nextOf);
    for (let at = 0; at < others.length; at++) mapSet(left, others[at][0], others[at]);
    const rest = bare();
    all(drained(mapEntries(a), nextOf), (pair) => {
      const other = mapGet(left, pair[0]);
      if (other !== undefined && this.equal(pair[1], other[1])) mapDelete(left, pair[0]);
      else rest[rest.length] = pair;
      return true;
    });
    return all(rest, (pair) => {
      if (this.#strict && !isObject(pair[0])) return false;
      for (let step, pairs = mapEntries(left); !(step = nextOf(pairs)).done;) {
        const other = step.value[1];
        if (this.equal(pair[0], other[0]) && this.equal(pair[1], other[1])) return mapDelete(left, other[0]);
      }
      return false;
    });
  }
}

module.exports = {
  isDeepEqual: (a, b) => new Comparison(false).equal(a, b),
  isDeepStrictEqual: (a, b) => new Comparison(true).equal(a, b),
};
