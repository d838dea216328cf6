// SPDX-License-Identifier: MIT
// URLSearchParams and the application/x-www-form-urlencoded codec (WHATWG URL Standard).
//
// url.js needs the other three values this returns: createLinked and replaceList tie a URLSearchParams to
// the query of its URL, and percentDecode is shared with the host parser.
((host) => {
  "use strict";

  const { append, pairs, notCloneable } = host;
  // Taken when the file is loaded, so that scripts which later replace them do not change what URLs mean.
  const { TypeError, decodeURIComponent, encodeURIComponent, parseInt } = globalThis;
  const { apply, getOwnPropertyDescriptor, ownKeys } = Reflect;
  const { iterator: ITERATOR } = Symbol;
  const { fromCodePoint } = String;
  const arraySort = Array.prototype.sort;

  const REPLACEMENT = "\uFFFD";

  // The WebIDL conversion to USVString.
  const toUSVString = (value) => `${value}`.toWellFormed();

  const isObject = (value) => (typeof value === "object" ? value !== null : typeof value === "function");

  const requireArguments = (method, given, needed) =>
    pairs.requireArguments("URLSearchParams", method, given, needed);

  // Percent-decoding

  // UTF-8 decodes a run of %XX escapes that decodeURIComponent refuses, as the Encoding Standard asks: each
  // maximal part of a broken sequence becomes one U+FFFD.
  const decodeBrokenRun = (run) => {
    let out = "";
    let code = 0;
    let needed = 0;
    let lower = 0x80;
    let upper = 0xbf;
    for (let i = 1; i < run.length; i += 3) {
      const byte = parseInt(run.slice(i, i + 2), 16);
      if (needed > 0) {
        const continues = byte >= lower && byte <= upper;
        lower = 0x80;
        upper = 0xbf;
        if (continues) {
          code = (code << 6) | (byte & 0x3f);
          if (--needed === 0) out += fromCodePoint(code);
          continue;
        }
        // The sequence ends too early; this byte starts afresh below.
        needed = 0;
        out += REPLACEMENT;
      }
      if (byte < 0x80) {
        out += fromCodePoint(byte);
      } else if (byte < 0xc2 || byte > 0xf4) {
        out += REPLACEMENT;
      } else {
        needed = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
        code = byte & (0x3f >> needed);
        // Narrower bounds for the second byte keep out overlong forms, surrogates and values over U+10FFFF.
        if (byte === 0xe0) lower = 0xa0;
        else if (byte === 0xed) upper = 0x9f;
        else if (byte === 0xf0) lower = 0x90;
        else if (byte === 0xf4) upper = 0x8f;
      }
    }
    return needed > 0 ? out + REPLACEMENT : out;
  };

  const decodeRun = (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return decodeBrokenRun(run);
    }
  };

  const ESCAPE_RUN = /(?:%[\da-fA-F]{2})+/g;

  // Percent-decodes a well-formed string and UTF-8 decodes the result, keeping any byte order mark. Literal
  // characters can neither complete nor continue an escaped sequence, so each run of escapes stands alone.
  const percentDecode = (text) => {
    if (text.indexOf("%") < 0) return text;
    try {
      return decodeURIComponent(text);
    } catch {
      return text.replace(ESCAPE_RUN, decodeRun);
    }
  };

  // application/x-www-form-urlencoded. A list holds names and values in turn: [name, value, name, ...].

  const decodeComponent = (text) => percentDecode(text.indexOf("+") < 0 ? text : text.replaceAll("+", " "));

  const parseInto = (list, input) => {
    const escaped = input.indexOf("%") >= 0 || input.indexOf("+") >= 0;
    let equals = -1;
    for (let start = 0, end = 0; start < input.length; start = end + 1) {
      end = input.indexOf("&", start);
      if (end < 0) end = input.length;
      if (end === start) continue;
      // Search again only once the last "=" found is behind us: "a&a&a..." would take quadratic time.
      if (equals < start) {
        equals = input.indexOf("=", start);
        if (equals < 0) equals = input.length;
      }
      const name = input.slice(start, equals < end ? equals : end);
      const value = equals < end ? input.slice(equals + 1, end) : "";
      append(list, escaped ? decodeComponent(name) : name);
      append(list, escaped ? decodeComponent(value) : value);
    }
  };

  const UNESCAPED = /^[\w*.-]*$/;

  // What each ASCII character is written as; null for itself.
  const ESCAPES = [];
  for (let code = 0; code < 0x80; code++) {
    const hex = code.toString(16).toUpperCase();
    append(ESCAPES, UNESCAPED.test(fromCodePoint(code)) ? null : (code < 0x10 ? "%0" : "%") + hex);
  }
  ESCAPES[0x20] = "+";

  const escapeComponent = (text) => {
    let out = "";
    let done = 0;
    for (let i = 0, end; i < text.length; i = end) {
      const code = text.charCodeAt(i);
      end = i + 1;
      if (code < 0x80 && ESCAPES[code] === null) continue;
      // Other scripts come in runs, and a surrogate pair must not be cut in two.
      if (code >= 0x80) while (end < text.length && text.charCodeAt(end) >= 0x80) end++;
      const escaped = code < 0x80 ? ESCAPES[code] : encodeURIComponent(text.slice(i, end));
      out += text.slice(done, i) + escaped;
      done = end;
    }
    return out + text.slice(done);
  };

  const encodeComponent = (text) => (UNESCAPED.test(text) ? text : escapeComponent(text));

  const serialize = (list) => {
    let out = "";
    for (let i = 0; i < list.length; i += 2) {
      if (i > 0) out += "&";
      out += encodeComponent(list[i]) + "=" + encodeComponent(list[i + 1]);
    }
    return out;
  };

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
      const text = toUSVString(init);
      parseInto(list, text[0] === "?" ? text.slice(1) : text);
      return;
    }
    const method = init[ITERATOR];
    if (method === undefined || method === null) fillFromRecord(list, init);
    else if (typeof method === "function") fillFromSequence(list, init, method);
    else throw new TypeError("URLSearchParams: the argument's Symbol.iterator is not a function");
  };

  let createLinked;
  let replaceList;
  let listOf;
  let isParams;

  class URLSearchParams {
    // Always the same array: iterators hold it, and a conversion may run script that changes it half-way.
    #list = [];
    // The URL's update steps: called with the new query after each change, when there is a URL.
    #update = null;

    static {
      listOf = (params) => params.#list;
      isParams = (object) => #list in object;
      notCloneable(isParams);
      host.showsPairs("URLSearchParams", listOf, isParams);
      createLinked = (query, update) => {
        const params = new URLSearchParams();
        parseInto(params.#list, query);
        params.#update = update;
        return params;
      };
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
      const update = this.#update;
      if (update !== null) update(serialize(this.#list));
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
    URLSearchParams, createLinked, replaceList, percentDecode,
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
