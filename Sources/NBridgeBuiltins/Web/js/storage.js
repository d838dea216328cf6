// SPDX-License-Identifier: MIT
// Storage and sessionStorage (HTML standard, section 12.2). A Storage is a proxy, for its items are its properties, too
// (Web IDL, 3.9, "legacy platform objects"); what keeps the items is an area: { length, keys(), key(index),
// get, set, remove, clear }.
((host) => {
  "use strict";
  const { append, finish, need, DOMException } = host;
  const { TypeError } = globalThis;
  const { defineProperty, deleteProperty, get, getOwnPropertyDescriptor, has, ownKeys, set } = Reflect;
  const ProxyOf = Proxy;
  const uncurry = (method) => Function.prototype.call.bind(method);

  /** So many UTF-16 units the keys and values of an area may have. */
  const LIMIT = 5 << 20;

  const toWellFormed = uncurry(String.prototype.toWellFormed);

  const refuseFull = (key) => {
    throw new DOMException(`Storage: there is no room for the item '${toWellFormed(key)}': all items together may have ` +
      `${LIMIT} characters; remove some first`, "QuotaExceededError");
  };

  // --- Items in memory ------------------------------------------------------------------------------------

  /** A Map that works whatever a script does to Map.prototype. */
  class Items extends Map {
    // The one that is there without asks the iterator of arrays.
    constructor() { super(); }
  }
  for (const name of ["get", "set", "has", "delete", "clear", "keys"]) {
    defineProperty(Items.prototype, name, { __proto__: null, value: Map.prototype[name] });
  }
  const sizeOf = uncurry(getOwnPropertyDescriptor(Map.prototype, "size").get);
  const nextOf = uncurry(new Map().keys().next);

  class MemoryArea {
    #items = new Items();
    #size = 0;
    /** As long as no key comes or goes. */
    #keys = null;

    get length() { return sizeOf(this.#items); }

    keys() {
      if (this.#keys !== null) return this.#keys;
      const list = [];
      const iterator = this.#items.keys();
      for (let step = nextOf(iterator); !step.done; step = nextOf(iterator)) append(list, step.value);
      return this.#keys = list;
    }

    key(index) {
      const list = this.keys();
      return index < list.length ? list[index] : null;
    }

    get(key) { return this.#items.get(key) ?? null; }

    set(key, value) {
      const old = this.#items.get(key);
      const size = this.#size + value.length - (old === undefined ? -key.length : old.length);
      if (size > LIMIT) refuseFull(key);
      if (old === undefined) this.#keys = null;
      this.#items.set(key, value);
      this.#size = size;
    }

    remove(key) {
      const old = this.#items.get(key);
      if (old === undefined) return;
      this.#items.delete(key);
      this.#size -= key.length + old.length;
      this.#keys = null;
    }

    clear() {
      this.#items.clear();
      this.#size = 0;
      this.#keys = null;
    }
  }

  // --- The interface --------------------------------------------------------------------------------------

  // Puts a private field on a proxy: a class constructor may return any object.
  const Existing = function (object) { return object; };
  let areaOf, isStorage;
  class Areas extends Existing {
    #area;
    constructor(proxy, area) {
      super(proxy);
      this.#area = area;
    }
    static {
      isStorage = (value) => typeof value === "object" && value !== null && #area in value;
      areaOf = (value) => {
        if (isStorage(value)) return value.#area;
        throw new TypeError("this is not a Storage");
      };
    }
  }

  const MAKE = Symbol("make");

  class Storage {
    constructor() { if (arguments[0] !== MAKE) throw new TypeError("Illegal constructor"); }

    get length() { return areaOf(this).length; }

    key(index) {
      const area = areaOf(this);
      need(arguments.length, 1, "Storage.key");
      return area.key(+index >>> 0);
    }

    getItem(key) {
      const area = areaOf(this);
      need(arguments.length, 1, "Storage.getItem");
      return area.get(`${key}`);
    }

    setItem(key, value) {
      const area = areaOf(this);
      need(arguments.length, 2, "Storage.setItem");
      const name = `${key}`;
      area.set(name, `${value}`);
    }

    removeItem(key) {
      const area = areaOf(this);
      need(arguments.length, 1, "Storage.removeItem");
      area.remove(`${key}`);
    }

    clear() { areaOf(this).clear(); }
  }
  finish(Storage, "Storage", ["length", "key", "getItem", "setItem", "removeItem", "clear"]);

  /** An item is no property where the object or what it inherits from has one of that name. */
  const itemOf = (area, target, name) => (typeof name !== "string" || has(target, name) ? null : area.get(name));

  const handlerOf = (area, proxyOf) => ({
    __proto__: null,

    get(target, name, receiver) { return itemOf(area, target, name) ?? get(target, name, receiver); },

    set(target, name, value, receiver) {
      if (typeof name !== "string" || receiver !== proxyOf()) return set(target, name, value, receiver);
      area.set(name, `${value}`);
      return true;
    },

    has(target, name) { return has(target, name) || itemOf(area, target, name) !== null; },

    deleteProperty(target, name) {
      if (itemOf(area, target, name) === null) return deleteProperty(target, name);
      area.remove(name);
      return true;
    },

    defineProperty(target, name, descriptor) {
      if (typeof name !== "string") return defineProperty(target, name, descriptor);
      // What the engine hands over has own members alone.
      if (getOwnPropertyDescriptor(descriptor, "value") === undefined) return false;
      area.set(name, `${descriptor.value}`);
      return true;
    },

    getOwnPropertyDescriptor(target, name) {
      const value = itemOf(area, target, name);
      if (value === null) return getOwnPropertyDescriptor(target, name);
      return { __proto__: null, value, writable: true, enumerable: true, configurable: true };
    },

    ownKeys(target) {
      const names = [];
      const list = area.keys();
      for (let i = 0; i < list.length; i++) if (!has(target, list[i])) append(names, list[i]);
      const others = ownKeys(target);
      for (let i = 0; i < others.length; i++) append(names, others[i]);
      return names;
    },

    preventExtensions() { return false; },
  });

  const makeStorage = (area) => {
    const target = new Storage(MAKE);
    const proxy = new ProxyOf(target, handlerOf(area, () => proxy));
    new Areas(proxy, area);
    new Areas(target, area); // What shows values looks behind proxies; no script gets there.
    return proxy;
  };

  /** The items of a Storage in turn: names and values. */
  const pairsOf = (storage) => {
    const area = areaOf(storage);
    const list = area.keys();
    const pairs = [];
    for (let i = 0; i < list.length; i++) {
      append(pairs, list[i]);
      append(pairs, area.get(list[i]));
    }
    return pairs;
  };
  host.showsPairs("Storage", pairsOf, isStorage);
  host.notCloneable(isStorage);

  return { Storage, sessionStorage: makeStorage(new MemoryArea()), internals: { makeStorage, isStorage, refuseFull, LIMIT } };
})
