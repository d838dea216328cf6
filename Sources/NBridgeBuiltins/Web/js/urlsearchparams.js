// SPDX-License-Identifier: MIT
// URLSearchParams (WHATWG URL Standard).
//
// url.js needs three of the values this returns: createLinked, replaceList and queryOf tie a URLSearchParams to the query of
// its URL. host.texts is what urltexts.js returns.
((host) => {
  "use strict";

  const { append, pairs, notCloneable } = host;
  const { parseInto, serialize, wellFormed, withoutMark } = host.texts;
  // Taken when the file is loaded, so that scripts which later replace them do not change what URLs mean.
  const { TypeError } = globalThis;
  const { apply, getOwnPropertyDescriptor, ownKeys } = Reflect;
  const { iterator: ITERATOR } = Symbol;
  const arraySort = Array.prototype.sort;

  // The WebIDL conversion to USVString. The template stands here, so that what it throws is a TypeError of the script's.
  const toUSVString = (value) => wellFormed(`${value}`);

  const isObject = (value) => (typeof value === "object" ? value !== null : typeof value === "function");

  const requireArguments = (method, given, needed) =>
    pairs.requireArguments("URLSearchParams", method, given, needed);

  // Conversion of the constructor's argument

  // Reads an iterable as a WebIDL sequence does: without closing the iterator when a conversion throws.
  const readSequence = (iterable, method, convert) => {
    const iterator = apply(method, iterable, []);
    if (!isObject(iterator)) throw new TypeError("URLSearchParams: the iterator is not an object");
    const next = iterator.next;
    const items = [];
    for (;;) {
      const result = apply(next, iterator, []);
      if (!isObject(result)) throw new TypeError("URLSearchParams: the iterator result is not an object");
      if (result.done) return items;
      append(items, convert(result.value));
    }
  };

  const readPair = (item) => {
    const method = isObject(item) ? item[ITERATOR] : undefined;
    if (typeof method === "function") return readSequence(item, method, toUSVString);
    throw new TypeError("URLSearchParams: each item must be a [name, value] pair");
  };

  const fillFromSequence = (list, init, method) => {
    const pairs = readSequence(init, method, readPair);
    for (let i = 0; i < pairs.length; i++) {
      const pair = pairs[i];
      if (pair.length !== 2) {
        throw new TypeError(`URLSearchParams: a [name, value] pair holds ${pair.length} strings`);
      }
      append(list, pair[0]);
      append(list, pair[1]);
    }
  };

  const fillFromRecord = (list, init) => {
    const keys = ownKeys(init);
    let mayRepeat = false;
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i];
      const property = getOwnPropertyDescriptor(init, key);
      if (property === undefined || !property.enumerable) continue;
      const name = toUSVString(key);
      const value = toUSVString(init[key]);
      // Keys are unique until lone surrogates are replaced; then the last value wins, in the first's place.
      if (name !== key) mayRepeat = true;
      const known = mayRepeat ? pairs.indexOf(list, name) : -1;
      if (known >= 0) {
        list[known + 1] = value;
      } else {
        pairs.append(list, name, value);
      }
    }
  };

  const fill = (list, init) => {
    if (!isObject(init)) {
      parseInto(list, withoutMark(toUSVString(init), "?"));
      return;
    }
    const method = init[ITERATOR];
    if (method === undefined || method === null) fillFromRecord(list, init);
    else if (typeof method === "function") fillFromSequence(list, init, method);
    else throw new TypeError("URLSearchParams: the argument's Symbol.iterator is not a function");
  };

  let createLinked;
  let replaceList;
  let queryOf;
  let listOf;
  let isParams;

  class URLSearchParams {
    // Always the same array: iterators hold it, and a conversion may run script that changes it half-way.
    #list = [];
    // Tells the URL, when there is one, of each change: it takes the query when it needs it.
    #note = null;

    static {
      listOf = (params) => params.#list;
      isParams = (object) => #list in object;
      notCloneable(isParams);
      host.showsPairs("URLSearchParams", listOf, isParams);
      createLinked = (query, note) => {
        const params = new URLSearchParams();
        parseInto(params.#list, query);
        params.#note = note;
        return params;
      };
      queryOf = (params) => serialize(params.#list);
      // What a URL calls when its own query was set: this must not call back.
      replaceList = (params, query) => {
        params.#list.length = 0;
        parseInto(params.#list, query);
      };
    }

    constructor(init = "") {
      fill(this.#list, init);
    }

    #changed() {
      const note = this.#note;
      if (note !== null) note();
    }

    get size() {
      return this.#list.length / 2;
    }

    append(name, value) {
      const list = this.#list;
      requireArguments("append", arguments.length, 2);
      name = toUSVString(name);
      pairs.append(list, name, toUSVString(value));
      this.#changed();
    }

    delete(name, value = undefined) {
      const list = this.#list;
      requireArguments("delete", arguments.length, 1);
      name = toUSVString(name);
      pairs.remove(list, name, value === undefined ? undefined : toUSVString(value));
      this.#changed();
    }

    get(name) {
      const list = this.#list;
      requireArguments("get", arguments.length, 1);
      return pairs.first(list, toUSVString(name));
    }

    getAll(name) {
      const list = this.#list;
      requireArguments("getAll", arguments.length, 1);
      return pairs.all(list, toUSVString(name));
    }

    has(name, value = undefined) {
      const list = this.#list;
      requireArguments("has", arguments.length, 1);
      name = toUSVString(name);
      if (value === undefined) return pairs.indexOf(list, name) >= 0;
      value = toUSVString(value);
      for (let i = 0; i < list.length; i += 2) if (list[i] === name && list[i + 1] === value) return true;
      return false;
    }

    set(name, value) {
      const list = this.#list;
      requireArguments("set", arguments.length, 2);
      name = toUSVString(name);
      pairs.replace(list, name, toUSVString(value));
      this.#changed();
    }

    sort() {
      const list = this.#list;
      const pairs = [];
      for (let i = 0; i < list.length; i += 2) append(pairs, { name: list[i], value: list[i + 1] });
      // "<" compares strings by code unit, and the engine's sort is stable: both as the standard asks.
      apply(arraySort, pairs, [(a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)]);
      for (let i = 0; i < pairs.length; i++) {
        list[2 * i] = pairs[i].name;
        list[2 * i + 1] = pairs[i].value;
      }
      this.#changed();
    }

    toString() {
      return serialize(this.#list);
    }
  }
  pairs.finish(URLSearchParams, listOf);

  return {
    URLSearchParams, createLinked, replaceList, queryOf,
    /** For bodies of requests: what an object would send, undefined for anything else; and a list of what one says. */
    internals: {
      textOf: (value) => (isObject(value) && isParams(value) ? serialize(listOf(value)) : undefined),
      listOfText(text) {
        const list = [];
        parseInto(list, text);
        return list;
      },
    },
  };
})
