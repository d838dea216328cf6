// SPDX-License-Identifier: MIT
// NodeList, HTMLCollection and other lists that a document gives (DOM standard, 4.2.10): live ones, which find their
// members anew when something has changed, and fixed ones.
((host) => {
  "use strict";
  const { finish } = host.idl;
  const { weakGet, weakSet, define, descriptorOf, create, get, hasOwn, setPrototypeOf, ownKeys, indexOf } = host.intrinsics;
  const { TypeError } = globalThis;
  const { set } = Reflect;
  const lists = Array.prototype, { iterator: ITERATOR } = Symbol;
  const known = new WeakMap();

  /**
   * Counts what changed in any tree: `any` all of it, `shape` elements that came or went, and ids. `moved` has these elements;
   * null where nobody asked since there were too many.
   */
  const changes = { __proto__: null, any: 0, shape: 0, moved: null };
  const noteShape = (element) => {
    changes.shape++;
    const { moved } = changes;
    if (moved === null) return;
    if (moved.length < 1000) moved[moved.length] = element;
    else changes.moved = null;
  };

  const uncurry = (method) => Function.prototype.call.bind(method);
  const exec = uncurry(RegExp.prototype.exec), lowerAll = uncurry(String.prototype.toLowerCase);
  const upperAll = uncurry(String.prototype.toUpperCase);
  /** With small letters for those of ASCII, and no others (Infra, 4.6). */
  const lower = (text) => ofASCII(text, lowerAll);
  const upper = (text) => ofASCII(text, upperAll);
  const ofASCII = (text, change) => {
    if (exec(/[^\0-\x7f]/, text) === null) return change(text);
    let result = "";
    for (let i = 0; i < text.length; i++) result += text[i] < "\x80" ? change(text[i]) : text[i];
    return result;
  };
  /** What CSS says without its comments. */
  const withoutComments = (text) => {
    if (indexOf(text, "/*") < 0) return text;
    let result = "", quote = "";
    for (let at = 0; at < text.length; at++) {
      const here = text[at];
      if (quote === "" && here === "/" && text[at + 1] === "*") {
        const end = indexOf(text, "*/", at + 2);
        if (end < 0) return result;
        at = end + 1;
        continue;
      }
      result += here;
      if (here === "\\") result += text[++at] ?? "";
      else if (quote !== "") quote = here === quote ? "" : quote;
      else if (here === "\"" || here === "'") quote = here;
    }
    return result;
  };

  /** A list of our own, which no setter of a script's on a prototype reaches. */
  const makeList = () => setPrototypeOf([], null);

  const itemsOf = (list) => {
    const state = weakGet(known, list);
    if (state === undefined) throw new TypeError("this is not a list of a document's");
    if (state.find !== null && state.seen !== changes.any) {
      state.seen = changes.any;
      state.items = state.find();
    }
    return state.items;
  };
  const itemAt = (list, at) => {
    const items = itemsOf(list);
    return at < items.length ? items[at] : undefined;
  };

  /** The place that a property's name stands for; -1 for none. */
  const placeOf = (name) => {
    if (typeof name !== "string") return -1;
    const number = name >>> 0;
    return `${number}` === name ? number : -1;
  };

  const named = (list, name) => {
    const { nameOf, group } = weakGet(known, list);
    if (nameOf === null || typeof name !== "string" || name === "") return undefined;
    const items = itemsOf(list), found = makeList();
    for (let i = 0; i < items.length; i++) if (nameOf(items[i], name)) found[found.length] = items[i];
    return found.length > 1 && group !== null ? group(found) : found.length > 0 ? found[0] : undefined;
  };

  // Members stand under their numbers, and those of a collection under their names, too.
  const handler = {
    __proto__: null,
    get(list, name, receiver) {
      const at = placeOf(name);
      if (at >= 0) return itemAt(list, at);
      return name in list ? get(list, name, receiver) : named(list, name);
    },
    set(list, name, value, receiver) {
      const at = placeOf(name);
      if (at < 0) return set(list, name, value, name in list ? receiver : list);
      const { put } = weakGet(known, list);
      if (put === null) return false;
      put(at, value);
      return true;
    },
    has: (list, name) => (placeOf(name) >= 0 ? placeOf(name) < itemsOf(list).length : name in list || named(list, name) !== undefined),
    deleteProperty: (list, name) => placeOf(name) < 0 && delete list[name],
    ownKeys(list) {
      const keys = [], own = ownKeys(list), { length } = itemsOf(list);
      for (let i = 0; i < length; i++) keys[i] = `${i}`;
      for (let i = 0; i < own.length; i++) keys[length + i] = own[i];
      return keys;
    },
    getOwnPropertyDescriptor(list, name) {
      const at = placeOf(name);
      if (at < 0) return descriptorOf(list, name);
      const value = itemAt(list, at);
      return value === undefined ? undefined : { __proto__: null, value, writable: false, enumerable: true, configurable: true };
    },
  };

  const make = ({ prototype }, find, items, nameOf = null, group = null) => {
    const list = create(prototype);
    const proxy = new Proxy(list, handler);
    const state = { __proto__: null, find, items, nameOf, group, put: null, seen: -1 };
    weakSet(known, list, state);
    weakSet(known, proxy, state);
    return proxy;
  };

  const refuse = () => { throw new TypeError("Illegal constructor"); };
  const iteration = ["values", "keys", "entries", "forEach"];
  /** What each of the lists has: a length, `item` and the ways to go through it. */
  const complete = (type, name, members = []) => {
    const all = [], own = ["length", "item", ...members];
    for (let i = 0; i < own.length; i++) if (hasOwn(type.prototype, own[i])) all[all.length] = own[i];
    // As in the standard, these are the functions of arrays.
    if (name === "NodeList" || name === "DOMTokenList") {
      for (let i = 0; i < iteration.length; i++) {
        define(type.prototype, iteration[i], { __proto__: null, value: lists[iteration[i]], writable: true, configurable: true });
        all[all.length] = iteration[i];
      }
    }
    define(type.prototype, ITERATOR, { __proto__: null, value: lists[ITERATOR], writable: true, configurable: true });
    finish(type, name, all);
    host.showsFields(type, name, ["length"], (value) => weakGet(known, value) !== undefined);
  };

  class NodeList {
    constructor() { refuse(); }
    get length() { return itemsOf(this).length; }
    item(at) { return itemAt(this, at >>> 0) ?? null; }
  }
  complete(NodeList, "NodeList");

  class HTMLCollection {
    constructor() { refuse(); }
    get length() { return itemsOf(this).length; }
    item(at) { return itemAt(this, at >>> 0) ?? null; }
    namedItem(name) { itemsOf(this); return named(this, `${name}`) ?? null; }
  }
  complete(HTMLCollection, "HTMLCollection", ["namedItem"]);

  return {
    NodeList, HTMLCollection, changes, complete, itemAt, itemsOf, lower, upper, withoutComments, makeList, noteShape, placeOf, refuse,
    /**
     * A list that `find` makes anew when something has changed. `nameOf` says whether a member is found by a name, `group`
     * what stands for several of one name.
     */
    live: (type, find, nameOf, group) => make(type, find, makeList(), nameOf, group),
    /** Has members of a list set under their numbers. */
    takes(list, put) { weakGet(known, list).put = put; },
    fixed: (items, type = NodeList) => make(type, null, items),
    isList: (value) => weakGet(known, value) !== undefined,
  };
})
