// SPDX-License-Identifier: MIT
// Headers (Fetch standard, 5.1), without the names that browsers forbid: here no page's origin is to be kept from others.
((host) => {
  "use strict";
  const { append, declareInterface, pairs, texts, notCloneable } = host;
  const { lower, isToken, indexIn, toByteString, trimmed } = texts;
  const { TypeError } = globalThis;
  const { apply, getOwnPropertyDescriptor, ownKeys } = Reflect;
  const { iterator: ITERATOR } = Symbol;
  const uncurry = (method) => Function.prototype.call.bind(method);
  const sort = uncurry(Array.prototype.sort);

  const isObject = (value) => (typeof value === "object" ? value !== null : typeof value === "function");

  // --- Names and values -----------------------------------------------------------------------------------

  // Those that are asked for most: nothing about them needs to be looked at.
  const KNOWN = { __proto__: null };
  for (const name of ["accept", "accept-encoding", "accept-language", "authorization", "cache-control", "connection", "content-encoding",
    "content-length", "content-type", "cookie", "date", "etag", "host", "if-none-match", "last-modified", "location", "origin", "range",
    "referer", "server", "set-cookie", "upgrade", "user-agent", "vary"]) KNOWN[name] = true;

  /** How the name that was checked last was written. */
  let written = "";

  const toName = (value, what) => {
    if (typeof value === "string" && KNOWN[value] === true) return written = value;
    const name = toByteString(value, `${what}: the name`);
    if (!isToken(name)) throw new TypeError(`${what}: "${name}" is no name of a header`);
    written = name;
    return lower(name);
  };

  const toValue = (value, what) => {
    const text = trimmed(toByteString(value, `${what}: the value`));
    if (indexIn(text, "\0") >= 0 || indexIn(text, "\r") >= 0 || indexIn(text, "\n") >= 0) {
      throw new TypeError(`${what}: the value has a line's end or a NUL in it`);
    }
    return text;
  };

  // --- What a list is filled with -------------------------------------------------------------------------

  const readSequence = (iterable, method, convert) => {
    const iterator = apply(method, iterable, []);
    if (!isObject(iterator)) throw new TypeError("Headers: the iterator is not an object");
    const { next } = iterator;
    const items = [];
    for (;;) {
      const result = apply(next, iterator, []);
      if (!isObject(result)) throw new TypeError("Headers: the iterator result is not an object");
      if (result.done) return items;
      append(items, convert(result.value));
    }
  };

  const toText = (value) => toByteString(value, "Headers: a name or value");

  const readPair = (item) => {
    const method = isObject(item) ? item[ITERATOR] : undefined;
    if (typeof method !== "function") throw new TypeError("Headers: each item must be a [name, value] pair");
    const pair = readSequence(item, method, toText);
    if (pair.length !== 2) throw new TypeError(`Headers: a [name, value] pair holds ${pair.length} strings`);
    return pair;
  };

  /** Names and values in turn, of a sequence of pairs or a record. */
  const readInit = (init) => {
    const list = [];
    if (!isObject(init)) throw new TypeError("Headers: a list of pairs is needed, or an object of names and values");
    const method = init[ITERATOR];
    if (method !== undefined && method !== null) {
      if (typeof method !== "function") throw new TypeError("Headers: the argument's Symbol.iterator is not a function");
      const given = readSequence(init, method, readPair);
      for (let i = 0; i < given.length; i++) pairs.append(list, given[i][0], given[i][1]);
      return list;
    }
    const keys = ownKeys(init);
    for (let i = 0; i < keys.length; i++) {
      const found = getOwnPropertyDescriptor(init, keys[i]);
      if (found === undefined || !found.enumerable) continue;
      if (typeof keys[i] === "symbol") throw new TypeError("Headers: a symbol is no name of a header");
      const name = toText(keys[i]);
      pairs.append(list, name, toText(init[keys[i]]));
    }
    return list;
  };

  // --- Headers --------------------------------------------------------------------------------------------

  /** "Sort and combine": cookies that are set stay apart. */
  const sortedPairs = (list) => {
    const found = { __proto__: null }, names = [];
    for (let i = 0; i < list.length; i += 2) {
      const name = list[i];
      if (found[name] === undefined) append(names, name);
      if (name === "set-cookie") append(found[name] ??= [], list[i + 1]);
      else found[name] = found[name] === undefined ? list[i + 1] : `${found[name]}, ${list[i + 1]}`;
    }
    sort(names, (a, b) => (a < b ? -1 : a > b ? 1 : 0));
    const sorted = [];
    for (let i = 0; i < names.length; i++) {
      const name = names[i];
      if (name !== "set-cookie") pairs.append(sorted, name, found[name]);
      else for (let at = 0; at < found[name].length; at++) pairs.append(sorted, name, found[name][at]);
    }
    return sorted;
  };

  const combined = (list, name, separator = ", ") => {
    let value = null;
    for (let i = 0; i < list.length; i += 2) {
      if (list[i] === name) value = value === null ? list[i + 1] : value + separator + list[i + 1];
    }
    return value;
  };

  const fill = (list, given) => {
    for (let i = 0; i < given.length; i += 2) {
      // Both are texts here: no code of the script's runs between.
      const name = toName(given[i], "Headers");
      pairs.spell(list, name, written);
      pairs.append(list, name, toValue(given[i + 1], "Headers"));
    }
    return list;
  };

  const requireArguments = (method, given, needed) => pairs.requireArguments("Headers", method, given, needed);
  const MAKE = Symbol("make");
  let listOf, sortedOf, isHeaders, seal;

  class Headers {
    // Names in small letters and values in turn; a request or response shares it.
    #list = [];
    #sorted = null;
    #isImmutable = false;

    static {
      isHeaders = (value) => isObject(value) && #list in value;
      listOf = (headers) => headers.#list;
      sortedOf = (headers) => headers.#sorted ??= sortedPairs(headers.#list);
      seal = (headers) => { headers.#isImmutable = true; };
      notCloneable(isHeaders);
      host.showsPairs("Headers", sortedOf, isHeaders);
    }

    constructor(init = undefined) {
      if (init === MAKE) {
        this.#list = arguments[1];
        return;
      }
      if (init !== undefined) fill(this.#list, readInit(init));
    }

    #change(what) {
      if (this.#isImmutable) throw new TypeError(`${what}: these headers can't be changed; make new Headers of them`);
      this.#sorted = null;
    }

    append(name, value) {
      const list = this.#list;
      requireArguments("append", arguments.length, 2);
      const checked = toName(name, "Headers.append"), spelling = written, text = toValue(value, "Headers.append");
      this.#change("Headers.append");
      pairs.spell(list, checked, spelling);
      pairs.append(list, checked, text);
    }

    delete(name) {
      const list = this.#list;
      requireArguments("delete", arguments.length, 1);
      const checked = toName(name, "Headers.delete");
      this.#change("Headers.delete");
      pairs.remove(list, checked);
    }

    get(name) {
      const list = this.#list;
      requireArguments("get", arguments.length, 1);
      return combined(list, toName(name, "Headers.get"));
    }

    getSetCookie() { return pairs.all(this.#list, "set-cookie"); }

    has(name) {
      const list = this.#list;
      requireArguments("has", arguments.length, 1);
      return pairs.indexOf(list, toName(name, "Headers.has")) >= 0;
    }

    set(name, value) {
      const list = this.#list;
      requireArguments("set", arguments.length, 2);
      const checked = toName(name, "Headers.set"), spelling = written, text = toValue(value, "Headers.set");
      this.#change("Headers.set");
      pairs.spell(list, checked, spelling);
      pairs.replace(list, checked, text);
    }
  }
  pairs.finish(Headers, sortedOf);
  declareInterface(Headers, "Headers");
  const entries = Headers.prototype[ITERATOR];

  return {
    Headers,
    headersInternals: {
      isHeaders, listOf, combined,
      /** Headers over a list, which they share. */
      over: (list) => new Headers(MAKE, list),
      /** No script changes them any more. */
      seal,
      /** What a script gave: names and values in turn, checked. */
      toList: (init) => {
        if (isHeaders(init) && init[ITERATOR] === entries) return pairs.copy(listOf(init));
        return fill([], readInit(init));
      },
    },
  };
})
