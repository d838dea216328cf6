// SPDX-License-Identifier: MIT
// Whether two values have the same structure. `isSame` is strict: prototypes, holes and undefined members count (Node's
// assert.deepStrictEqual); `isEqual` looks at the contents only (Jest's toEqual); `isStrictlyEqual` is strict (Jest's
// toStrictEqual). Jest's two also compare what iterables give, and so use up what can be gone through once. A file of tests
// may replace every method there is: loops go by index, and what is called was taken before.
((host) => {
  "use strict";
  const {
    brands, dateTime, viewBuffer, viewLength, viewOffset, typedTag, typedLength, getPrototypeOf, isArray, apply,
    numberValue, stringValue, booleanValue, symbolValue, bigintValue, isError, regexSource, regexFlags, mapEntries, mapSize,
    setValues, setSize, nextOf, nextOfSet,
  } = host.primordials;
  const { Map, Object, Set, TypeError, Uint8Array } = globalThis;
  const { is, hasOwn } = Object;
  const { ownKeys } = Reflect;
  const { iterator, toStringTag } = Symbol;
  const uncurry = (method) => (self, ...args) => apply(method, self, args);
  const isEnumerable = uncurry(Object.prototype.propertyIsEnumerable);
  const mapGet = uncurry(Map.prototype.get);
  const mapSet = uncurry(Map.prototype.set);
  const mapDelete = uncurry(Map.prototype.delete);
  const mapHas = uncurry(Map.prototype.has);
  const setHas = uncurry(Set.prototype.has);
  const setAdd = uncurry(Set.prototype.add);
  const setDelete = uncurry(Set.prototype.delete);
  const textOf = uncurry(Object.prototype.toString);
  const isArguments = (value) => value[toStringTag] === undefined && textOf(value) === "[object Arguments]";
  /** Beside so many elements of a typed array no names are looked for. */
  const MOST_NAMED = 1000;
  const isIndex = (key) => {
    if (typeof key !== "string") return false;
    for (let at = 0; at < key.length; at++) if (key[at] < "0" || key[at] > "9") return false;
    return key.length > 0;
  };
  const UNBOXED = ["number", "string", "boolean", "symbol", "bigint"];
  const UNBOXING = [numberValue, stringValue, booleanValue, symbolValue, bigintValue];
  const CONTAINERS = ["date", "map", "set", "buffer", "view", "regex"];
  const CLOSED = ["weakMap", "weakSet", "weakRef"];
  // What inherits comes before what it inherits from.
  const HOLDING = ["URL", "URLSearchParams", "FormData", "CustomEvent", "MessageEvent", "ErrorEvent", "PromiseRejectionEvent",
    "CloseEvent", "ProgressEvent", "StorageEvent", "Event", "AbortSignal", "AbortController", "TextDecoder", "PerformanceMark",
    "PerformanceMeasure", "PerformanceEntry", "File", "Blob", "Request", "Response", "URLPattern", "CountQueuingStrategy",
    "ByteLengthQueuingStrategy"];
  const ASYNC_GENERATOR = getPrototypeOf(async function* () {}).prototype;

  const includes = (list, wanted) => {
    for (let index = 0; index < list.length; index++) if (list[index] === wanted) return true;
    return false;
  };
  const all = (list, holds) => {
    for (let index = 0; index < list.length; index++) if (!holds(list[index], index)) return false;
    return true;
  };
  const enumerable = (object, isWanted = () => true) => {
    const keys = ownKeys(object);
    let count = 0;
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index];
      if (isEnumerable(object, key) && isWanted(key)) keys[count++] = key;
    }
    keys.length = count;
    return keys;
  };
  /** What an iterator of a Map or Set gives, as a list. */
  const drained = (iterator, next) => {
    const list = [];
    for (let step = next(iterator); !step.done; step = next(iterator)) list[list.length] = step.value;
    return list;
  };
  const flagsOf = (regex) => {
    let flags = "";
    for (let index = 0; index < regexFlags.length; index++) if (regexFlags[index][0](regex)) flags += regexFlags[index][1];
    return flags;
  };

  /** Stands in the place of a value and says which fit. What only looks like one is none. */
  class Matching {
    #fits;
    #name;
    constructor(text, fits, name) {
      this.expects = text;
      this.#fits = fits;
      this.#name = name;
    }
    /** What stands for it in a snapshot. */
    static nameOf(matching) { return matching.#name; }
    static is(value) { return typeof value === "object" && value !== null && #fits in value; }
    static fits(matching, value) { return !!matching.#fits(value); }
    /** By this name Jest's have it, for matchers of a program's own. */
    asymmetricMatch(value) { return !!this.#fits(value); }
    toString() { return this.expects; }
  }
  const { is: isMatching, fits: fitsMatching } = Matching;

  class Comparison {
    #isStrict;
    /** Pairs that are being compared: a pair that comes again inside of itself is the same so far. */
    #open = new Map();
    #iterates;
    /** The kind of the two that are not the same because they are not one; "" for none. */
    closed = "";
    constructor(isStrict, iterates) {
      this.#isStrict = isStrict;
      this.#iterates = iterates;
    }

    same(a, b) {
      if (isMatching(b)) return fitsMatching(b, a);
      if (isMatching(a)) return fitsMatching(a, b);
      if (this.#iterates) {
        // What stands for values by Jest's shape.
        if (standsForValues(b)) return answerOf(b, a);
        if (standsForValues(a)) return answerOf(a, b);
      }
      if (is(a, b)) return true;
      if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
      if (this.#isStrict && getPrototypeOf(a) !== getPrototypeOf(b)) return false;
      const partners = mapGet(this.#open, a) ?? new Set();
      if (setHas(partners, b)) return true;
      setAdd(partners, b);
      mapSet(this.#open, a, partners);
      const gives = this.#iterates && isIterable(a) && isIterable(b);
      const answer = this.#contents(a, b, gives) && this.#members(a, b, gives);
      setDelete(partners, b);
      return answer;
    }

    /** What is not in members: inner slots, by what the value is, not by what it says it is. */
    #contents(a, b, gives) {
      // Most objects have none; to try what throws for which would take a millisecond.
      if (isArray(a) && isArray(b)) return a.length === b.length;
      if (host.isOrdinary(a) && host.isOrdinary(b)) return this.#fields(a, b, gives) && (!gives || this.#yields(a, b));
      const isUnboxedSame = (brand, index) => brands[brand](a) === brands[brand](b)
        && (!brands[brand](a) || is(UNBOXING[index](a), UNBOXING[index](b)));
      if (!all(UNBOXED, isUnboxedSame)) return false;
      if (!all(CONTAINERS, (brand) => brands[brand](a) === brands[brand](b))) return false;
      if (isArguments(a) !== isArguments(b)) return false;
      if (isArray(a) !== isArray(b) || isError(a) !== isError(b) || typedTag(a) !== typedTag(b)) return false;
      // Two that can't be looked into are the same only if they are one.
      if (!all(CLOSED, (brand) => !brands[brand](a) && !brands[brand](b))) return this.#refuse("WeakMap, WeakSet or WeakRef");
      if (host.isPromise(a) || host.isPromise(b)) return this.#refuse("Promise");
      if (brands.date(a)) return is(dateTime(a), dateTime(b));
      if (brands.map(a)) return this.#maps(a, b);
      if (brands.set(a)) return this.#sets(a, b);
      if (brands.buffer(a)) return this.#bytes(new Uint8Array(a), new Uint8Array(b));
      if (brands.view(a)) return this.#bytes(bytesOf(a), bytesOf(b));
      if (typedTag(a) !== undefined) return this.#bytes(a, b);
      if (isError(a)) return this.#errors(a, b);
      if (brands.regex(a)) return regexSource(a) === regexSource(b) && flagsOf(a) === flagsOf(b) && a.lastIndex === b.lastIndex;
      return (gives || this.#slots(a, b)) && this.#fields(a, b, gives) && (!gives || this.#yields(a, b));
    }

    #refuse(kind) {
      this.closed = kind;
      return false;
    }

    /** What else the engine keeps in its objects. */
    #slots(a, b) {
      const one = slotsIn(a), other = slotsIn(b);
      if (one === undefined || other === undefined) return one === other;
      if (one.tag !== other.tag) return false;
      if (one.list === undefined || other.list === undefined) return this.#refuse(one.tag);
      return all(one.list, (item, index) => this.same(item, other.list[index]));
    }

    /** Whether both give the same, one after the other. */
    #yields(a, b) {
      if (a.constructor !== b.constructor) return false;
      const one = a[iterator](), other = b[iterator]();
      for (;;) {
        const step = one.next(), next = other.next();
        if (step.done || next.done) return !step.done === !next.done;
        if (this.same(step.value, next.value)) continue;
        one.return?.();
        other.return?.();
        return false;
      }
    }

    /** What objects of the web keep in private fields: two of a kind that nobody can look into are the same only if they are one. */
    #fields(a, b, gives) {
      const kind = host.interfaceOf(a);
      if (kind !== host.interfaceOf(b)) return false;
      // What it gives tells all of an iterator.
      if (gives && isIteratorKind(kind)) return true;
      if (kind === "Headers") return this.#iterates || this.#yields(a, b);
      if (kind !== undefined && kind !== "EventTarget" && !includes(HOLDING, kind)) return this.#refuse(kind);
      const one = host.contentsIn(HOLDING, a), other = host.contentsIn(HOLDING, b);
      if (one === undefined || other === undefined) return one === other;
      if (one.list === undefined || other.list === undefined) return this.#refuse(one.tag);
      return one.tag === other.tag && one.list.length === other.list.length
        && all(one.list, (item, index) => one.list[index - 1] === "timeStamp" || this.same(item, other.list[index]));
    }

    #bytes(a, b) {
      const length = typedLength(a);
      if (length !== typedLength(b)) return false;
      for (let index = 0; index < length; index++) if (!is(a[index], b[index])) return false;
      return true;
    }

    #errors(a, b) {
      return a.message === b.message && a.name === b.name && this.same(a.cause, b.cause) && this.same(a.errors, b.errors)
        && this.same(a.error, b.error) && this.same(a.suppressed, b.suppressed);
    }

    #maps(a, b) {
      if (mapSize(a) !== mapSize(b)) return false;
      const left = new Map();
      all(drained(mapEntries(b), nextOf), (entry) => mapSet(left, entry[0], entry[1]));
      const rest = [];
      all(drained(mapEntries(a), nextOf), (entry) => {
        if (mapHas(left, entry[0]) && this.same(entry[1], mapGet(left, entry[0]))) mapDelete(left, entry[0]);
        else rest[rest.length] = entry;
        return true;
      });
      return this.#pairUp(rest, drained(mapEntries(left), nextOf),
        (one, other) => this.same(one[0], other[0]) && this.same(one[1], other[1]));
    }

    #sets(a, b) {
      if (setSize(a) !== setSize(b)) return false;
      const left = new Set();
      all(drained(setValues(b), nextOfSet), (value) => setAdd(left, value));
      const rest = [];
      all(drained(setValues(a), nextOfSet), (value) => {
        if (!setDelete(left, value)) rest[rest.length] = value;
        return true;
      });
      return this.#pairUp(rest, drained(setValues(left), nextOfSet), (one, other) => this.same(one, other));
    }

    /** Whether each of `ones` has a partner of its own. Matchers may fit many, so pairs are exchanged where needed. */
    #pairUp(ones, others, fits) {
      const partner = new Map();
      const find = (one, tried) => !all(others, (other, index) => {
        if (setHas(tried, index) || !fits(ones[one], other)) return true;
        setAdd(tried, index);
        if (mapHas(partner, index) && !find(mapGet(partner, index), tried)) return true;
        mapSet(partner, index, one);
        return false;
      });
      return all(ones, (_, index) => find(index, new Set()));
    }

    #members(a, b, gives) {
      // The elements of typed arrays were compared; as keys they would be a million texts.
      if (typedTag(a) !== undefined && typedLength(a) > MOST_NAMED) return true;
      const isElement = typedTag(a) === undefined ? () => false : isIndex;
      // Jest looks at what an error says, not at what else was put on it.
      if (this.#iterates && isError(a)) return true;
      // Of two that give the same it does not matter how.
      const keysOf = (object) => enumerable(object,
        (key) => (this.#isStrict || object[key] !== undefined) && !(gives && key === iterator) && !isElement(key));
      const keys = keysOf(a);
      return keys.length === keysOf(b).length && all(keys, (key) => hasOwn(b, key) && this.same(a[key], b[key]));
    }
  }

  const OWNERS = [Object.prototype, Array.prototype, Error.prototype, Map.prototype, Set.prototype, Function.prototype];
  /** Whether an object or its class has Jest's `asymmetricMatch`: one on a prototype of the engine's makes none of all. */
  const standsForValues = (value) => {
    if (typeof value !== "object" || value === null || typeof value.asymmetricMatch !== "function") return false;
    for (let at = value; at !== null; at = getPrototypeOf(at)) {
      if (hasOwn(at, "asymmetricMatch")) return all(OWNERS, (owner) => owner !== at);
    }
    return true;
  };
  /** What such an object answers of a value. A promise is no answer: it would count as yes, whatever comes of it. */
  const answerOf = (matcher, value) => {
    const answer = matcher.asymmetricMatch(value);
    if (typeof answer?.then !== "function") return !!answer;
    throw new TypeError("asymmetricMatch answered a promise, and is to answer true or false at once; "
      + "await what it looks at before, or give expect.extend a matcher that answers a promise");
  };
  const isIterable = (value) => typeof value[iterator] === "function";
  const bytesOf = (view) => new Uint8Array(viewBuffer(view), viewOffset(view), viewLength(view));

  /** The engine's slots of a value, beside those of the kinds that have their own rules. */
  const slotsIn = (value) => {
    if (isArray(value) || host.isOrdinary(value)) return undefined;
    if (!all(UNBOXED, (brand) => !brands[brand](value))) return undefined;
    for (let at = value; at !== null; at = getPrototypeOf(at)) {
      if (at === ASYNC_GENERATOR) return { tag: "AsyncGenerator", list: undefined };
    }
    return host.slotsOf(value);
  };

  /** The kind of two that the last comparison could not look into; "" where that was not why they differ. */
  let lastClosed = "";
  const compare = (comparison, a, b) => {
    const answer = comparison.same(a, b);
    lastClosed = answer ? "" : comparison.closed;
    return answer;
  };
  const isSame = (a, b) => compare(new Comparison(true, false), a, b);
  const isStrictlyEqual = (a, b) => compare(new Comparison(true, true), a, b);
  const isEqual = (a, b) => compare(new Comparison(false, true), a, b);

  const INSTEAD = {
    __proto__: null, Promise: "what it settles to, await x", FileReader: "its result",
    Request: "its url and method, and await x.text()", Response: "its status, and await x.text()",
    ReadableStream: "what it gives, await Array.fromAsync(x)", AsyncGenerator: "what it gives, await Array.fromAsync(x)",
    Generator: "what it gives, [...x]", "Intl.Segments": "what it gives, [...x]", "Iterator Helper": "what it gives, [...x]",
    Blob: "its size and type, and await x.text()", File: "its name and type, and await x.text()",
    "Intl.Locale": "its text, x.toString()",
  };
  const endsWith = uncurry(String.prototype.endsWith);
  const startsWith = uncurry(String.prototype.startsWith);
  const isIteratorKind = (kind) => kind !== undefined && endsWith(kind, " Iterator");
  /** What there is to look at of an object of a kind that nobody can look into. */
  const insteadOf = (kind) => INSTEAD[kind] ?? (isIteratorKind(kind) ? "what it gives, [...x]"
    : startsWith(kind, "Intl.") ? "what x.resolvedOptions() answers" : "what can be read of them");
  /** Why the last two that were compared differ where no report of their members can show it: a line; "" for nothing. */
  const whyDifferent = () => {
    if (lastClosed === "") return "";
    return `\ntwo of the kind ${lastClosed} are the same only if they are one: nobody can tell at once what they hold; compare ${
      insteadOf(lastClosed)}`;
  };

  // Of the engine's and the web's objects, those of which a text tells all.
  const TOLD = ["Map Iterator", "Set Iterator", "EventTarget", "DOMException", "TextEncoder"];
  const BODIES = ["File", "Blob", "Request", "Response"];
  /** The kind of an object of which a text does not tell what it holds; undefined for all others. */
  const hiddenKind = (value) => {
    if (typeof value !== "object" || value === null || isArray(value) || isError(value)) return undefined;
    if (!host.isOrdinary(value)) {
      if (!all(CONTAINERS, (brand) => !brands[brand](value)) || typedTag(value) !== undefined || brands.weakRef(value)) return undefined;
      if (brands.weakMap(value)) return "WeakMap";
      if (brands.weakSet(value)) return "WeakSet";
      if (host.isPromise(value)) return "Promise";
      const slots = slotsIn(value);
      if (slots !== undefined) return includes(TOLD, slots.tag) ? undefined : slots.tag;
    }
    const held = host.contentsIn(BODIES, value);
    // Without a body, a request or a response shows all that it has.
    if (held !== undefined) return held.list === undefined || held.tag === "Blob" || held.tag === "File" ? held.tag : undefined;
    const kind = host.interfaceOf(value);
    if (kind === undefined || includes(TOLD, kind)) return undefined;
    return host.contentsOf(value[toStringTag], value) === undefined ? kind : undefined;
  };
  /** Why a text can't stand for an object; undefined where it can. */
  const hiddenIn = (value) => {
    const kind = hiddenKind(value);
    return kind === undefined ? undefined
      : `the text of a value of the kind ${kind} does not tell what it holds, and would stay as it is; take ${insteadOf(kind)}`;
  };

  /** Whether it holds more than its members tell. */
  const isClosed = (value) => !all(UNBOXED, (brand) => !brands[brand](value)) || isError(value)
    || !all(CONTAINERS, (brand) => !brands[brand](value)) || !all(CLOSED, (brand) => !brands[brand](value))
    || host.isPromise(value) || host.contentsIn(HOLDING, value) !== undefined || isInterface(host.interfaceOf(value))
    || slotsIn(value) !== undefined;
  const isInterface = (name) => name !== undefined && name !== "EventTarget";

  /** Whether `pattern`'s members are in `value`; `open` has the pairs that are being compared. */
  const contains = (value, pattern, open = new Map()) => {
    if (typeof pattern !== "object" || pattern === null || typeof value !== "object" || value === null
      || isMatching(pattern) || standsForValues(pattern)) {
      return isEqual(value, pattern);
    }
    if (isArray(pattern) && (!isArray(value) || value.length !== pattern.length)) return false;
    if (isClosed(pattern)) return isEqual(value, pattern);
    if (!isArray(pattern) && isIterable(pattern) && isIterable(value)) return isEqual(value, pattern);
    const partners = mapGet(open, pattern) ?? new Set();
    if (setHas(partners, value)) return true;
    setAdd(partners, value);
    mapSet(open, pattern, partners);
    const answer = all(enumerable(pattern), (key) => key in value && contains(value[key], pattern[key], open))
      && (!isArray(pattern) || all(pattern, (item, index) => item !== undefined || value[index] === undefined));
    setDelete(partners, value);
    return answer;
  };

  return { isSame, isStrictlyEqual, isEqual, contains, Matching, isClosed, standsForValues, hiddenIn, whyDifferent };
})
