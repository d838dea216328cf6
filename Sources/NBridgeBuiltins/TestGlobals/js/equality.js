// SPDX-License-Identifier: MIT
// Whether two values have the same structure. `isSame` is strict: prototypes, holes and undefined members count (Node's
// assert.deepStrictEqual); `isEqual` looks at the contents only (Jest's toEqual).
((host) => {
  "use strict";
  const {
    brands, dateTime, bufferLength, viewBuffer, viewLength, viewOffset, typedTag, typedLength, getPrototypeOf, isArray,
    numberValue, stringValue, booleanValue, symbolValue, bigintValue, isError, regexSource, regexFlags,
  } = host.primordials;
  const { DataView, Map, Object, Set, Uint8Array, URL } = globalThis;
  const { is, hasOwn } = Object;
  const { ownKeys } = Reflect;
  const isEnumerable = Function.prototype.call.bind(Object.prototype.propertyIsEnumerable);
  const UNBOXING = [["number", numberValue], ["string", stringValue], ["boolean", booleanValue], ["symbol", symbolValue],
    ["bigint", bigintValue]];

  const enumerable = (object) => ownKeys(object).filter((key) => isEnumerable(object, key));
  const bytesOf = (view) => new Uint8Array(viewBuffer(view), viewOffset(view), viewLength(view));
  const isMatcher = (value) => typeof value?.asymmetricMatch === "function";
  const flagsOf = (regex) => regexFlags.map(([get, flag]) => (get(regex) ? flag : "")).join("");

  class Comparison {
    #isStrict;
    /** Pairs that are being compared: a pair that comes again inside of itself is the same so far. */
    #open = new Map();
    constructor(isStrict) { this.#isStrict = isStrict; }

    same(a, b) {
      if (isMatcher(b)) return b.asymmetricMatch(a) === true;
      if (isMatcher(a)) return a.asymmetricMatch(b) === true;
      if (is(a, b)) return true;
      if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
      if (this.#isStrict && getPrototypeOf(a) !== getPrototypeOf(b)) return false;
      const partners = this.#open.get(a) ?? new Set();
      if (partners.has(b)) return true;
      partners.add(b);
      this.#open.set(a, partners);
      const answer = this.#contents(a, b) && this.#members(a, b);
      partners.delete(b);
      return answer;
    }

    /** What is not in members: inner slots, by what the value is, not by what it says it is. */
    #contents(a, b) {
      for (const [brand, valueOf] of UNBOXING) {
        if (brands[brand](a) !== brands[brand](b)) return false;
        if (brands[brand](a) && !is(valueOf(a), valueOf(b))) return false;
      }
      for (const brand of ["date", "map", "set", "buffer", "view"]) if (brands[brand](a) !== brands[brand](b)) return false;
      if (isArray(a) !== isArray(b) || isError(a) !== isError(b) || typedTag(a) !== typedTag(b)) return false;
      // Two that can't be looked into are the same only if they are one.
      for (const brand of ["weakMap", "weakSet", "weakRef"]) if (brands[brand](a) || brands[brand](b)) return false;
      if (host.isPromise(a) || host.isPromise(b)) return false;
      if (brands.date(a)) return is(dateTime(a), dateTime(b));
      if (brands.map(a)) return this.#maps(a, b);
      if (brands.set(a)) return this.#sets(a, b);
      if (brands.buffer(a)) return this.#bytes(new Uint8Array(a), new Uint8Array(b));
      if (brands.view(a)) return this.#bytes(bytesOf(a), bytesOf(b));
      if (typedTag(a) !== undefined) return this.#numbers(a, b);
      if (isError(a)) return this.#errors(a, b);
      if (isArray(a)) return a.length === b.length;
      if (a instanceof URL || b instanceof URL) return `${a.href}` === `${b.href}`;
      if (brands.regex(a) !== brands.regex(b)) return false;
      return !brands.regex(a)
        || (regexSource(a) === regexSource(b) && flagsOf(a) === flagsOf(b) && a.lastIndex === b.lastIndex);
    }

    #bytes(a, b) { return a.length === b.length && a.every((byte, index) => byte === b[index]); }

    #numbers(a, b) {
      const length = typedLength(a);
      if (length !== typedLength(b)) return false;
      for (let index = 0; index < length; index++) if (!is(a[index], b[index])) return false;
      return true;
    }

    #errors(a, b) {
      return a.message === b.message && a.name === b.name && this.same(a.cause, b.cause) && this.same(a.errors, b.errors);
    }

    #maps(a, b) {
      if (a.size !== b.size) return false;
      const left = new Map(b);
      const rest = [];
      for (const [key, value] of a) {
        if (left.has(key) && this.same(value, left.get(key))) left.delete(key);
        else rest.push([key, value]);
      }
      return this.#pairUp(rest, [...left], (one, other) => this.same(one[0], other[0]) && this.same(one[1], other[1]));
    }

    #sets(a, b) {
      if (a.size !== b.size) return false;
      const left = new Set(b);
      const rest = [...a].filter((value) => !left.delete(value));
      return this.#pairUp(rest, [...left], (one, other) => this.same(one, other));
    }

    /** Whether each of `ones` has a partner of its own. Matchers may fit many, so pairs are exchanged where needed. */
    #pairUp(ones, others, fits) {
      const partner = new Map();
      const find = (one, tried) => others.some((other, index) => {
        if (tried.has(index) || !fits(ones[one], other)) return false;
        tried.add(index);
        if (partner.has(index) && !find(partner.get(index), tried)) return false;
        partner.set(index, one);
        return true;
      });
      return ones.every((_, index) => find(index, new Set()));
    }

    #members(a, b) {
      // The elements of typed arrays were compared; as keys they would be a million texts.
      if (typedTag(a) !== undefined) return true;
      const keysOf = (object) => (this.#isStrict ? enumerable(object)
        : enumerable(object).filter((key) => object[key] !== undefined));
      const keys = keysOf(a);
      return keys.length === keysOf(b).length && keys.every((key) => hasOwn(b, key) && this.same(a[key], b[key]));
    }
  }

  const isSame = (a, b) => new Comparison(true).same(a, b);
  const isEqual = (a, b) => new Comparison(false).same(a, b);

  /** Whether `pattern`'s members are in `value`. */
  const contains = (value, pattern, open = new Set()) => {
    if (typeof pattern !== "object" || pattern === null || typeof value !== "object" || value === null || isMatcher(pattern)) {
      return isEqual(value, pattern);
    }
    if (isArray(pattern) && (!isArray(value) || value.length !== pattern.length)) return false;
    for (const brand of ["date", "map", "set", "buffer", "regex"]) if (brands[brand](pattern)) return isEqual(value, pattern);
    if (open.has(pattern)) return true;
    open.add(pattern);
    const answer = enumerable(pattern).every((key) => key in value && contains(value[key], pattern[key], open));
    open.delete(pattern);
    return answer;
  };

  return { isSame, isEqual, contains };
})
