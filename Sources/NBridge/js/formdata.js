// SPDX-License-Identifier: MIT
// FormData (XMLHttpRequest standard, section 4), without forms: there is no document to take one from.
((host) => {
  "use strict";
  const { Blob, File, clone } = host;
  const { TypeError } = globalThis;
  const { apply, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, setPrototypeOf } = Reflect;
  const { iterator: ITERATOR, toStringTag: TAG } = Symbol;
  const IteratorPrototype = getPrototypeOf(getPrototypeOf([][ITERATOR]()));

  const uncurry = (method) => Function.prototype.call.bind(method);
  const getter = (prototype, name) => uncurry(getOwnPropertyDescriptor(prototype, name).get);
  const typeOf = getter(Blob.prototype, "type");
  const nameOf = getter(File.prototype, "name");
  const timeOf = getter(File.prototype, "lastModified");
  const toWellFormed = uncurry(String.prototype.toWellFormed);

  const isObject = (value) => typeof value === "object" && value !== null;

  /** Whether an object has the private fields that a getter reads: else that throws. */
  const brand = (read) => (value) => {
    if (!isObject(value)) return false;
    try { read(value); return true; } catch { return false; }
  };
  const isBlob = brand(typeOf);
  const isFile = brand(nameOf);

  const toUSVString = (value) => toWellFormed(`${value}`);

  const requireArguments = (method, given, needed) => {
    if (given >= needed) return;
    throw new TypeError(`FormData.${method} needs ${needed > 1 ? `${needed} arguments` : "an argument"}`);
  };

  // --- Entries --------------------------------------------------------------------------------------------

  /** A list of one thing. Going through an array would run what a script has put in its prototypes. */
  const only = (value) => ({
    [ITERATOR]() {
      let done = true;
      return { next: () => ({ done: done = !done, value }) };
    },
  });

  /** The same bytes under a name. The standard doesn't tell the time: a File keeps the one it has. */
  const renamed = (blob, name) => {
    const lastModified = isFile(blob) ? timeOf(blob) : undefined;
    return new File(only(blob), name, { __proto__: null, type: typeOf(blob), lastModified });
  };

  /** "Create an entry": every Blob becomes a File. */
  const toFile = (blob, filename) => {
    if (filename !== undefined) return renamed(blob, filename);
    return isFile(blob) ? blob : renamed(blob, "blob");
  };

  /** Converts the value that `append` or `set` got. A third argument is only for a Blob, even undefined. */
  const toEntryValue = (method, args) => {
    const value = args[1];
    if (isBlob(value)) return toFile(value, args[2] === undefined ? undefined : toUSVString(args[2]));
    if (args.length < 3) return toUSVString(value);
    throw new TypeError(`FormData.${method}: only a Blob can have a file name`);
  };

  const indexOfName = (list, name) => {
    for (let i = 0; i < list.length; i += 2) if (list[i] === name) return i;
    return -1;
  };

  // --- Interfaces -----------------------------------------------------------------------------------------

  const NAMES = 0;
  const VALUES = 1;
  const PAIRS = 2;

  /** Reads the live list, to see what is added or removed while it runs. */
  class EntryIterator {
    #list;
    #kind;
    #index = 0;

    constructor(list, kind) {
      this.#list = list;
      this.#kind = kind;
    }

    next() {
      const list = this.#list;
      const index = this.#index;
      if (index >= list.length) return { value: undefined, done: true };
      this.#index = index + 2;
      const value = this.#kind === PAIRS ? [list[index], list[index + 1]] : list[index + this.#kind];
      return { value, done: false };
    }
  }

  let isFormData;

  class FormData {
    // Names and values in turn. Always the same array: iterators hold it.
    #list = [];

    static {
      isFormData = (value) => isObject(value) && #list in value;
    }

    constructor(form = undefined) {
      if (form !== undefined) throw new TypeError("FormData: there are no forms here");
      const submitter = arguments[1] ?? null;
      if (submitter !== null) throw new TypeError("FormData: there are no submitters here");
    }

    append(name, value) {
      const list = this.#list;
      requireArguments("append", arguments.length, 2);
      name = toUSVString(name);
      value = toEntryValue("append", arguments);
      list[list.length] = name;
      list[list.length] = value;
    }

    delete(name) {
      const list = this.#list;
      requireArguments("delete", arguments.length, 1);
      name = toUSVString(name);
      let kept = 0;
      for (let i = 0; i < list.length; i += 2) {
        if (list[i] === name) continue;
        list[kept++] = list[i];
        list[kept++] = list[i + 1];
      }
      list.length = kept;
    }

    get(name) {
      const list = this.#list;
      requireArguments("get", arguments.length, 1);
      const index = indexOfName(list, toUSVString(name));
      return index < 0 ? null : list[index + 1];
    }

    getAll(name) {
      const list = this.#list;
      requireArguments("getAll", arguments.length, 1);
      name = toUSVString(name);
      const values = [];
      for (let i = 0; i < list.length; i += 2) if (list[i] === name) values[values.length] = list[i + 1];
      return values;
    }

    has(name) {
      const list = this.#list;
      requireArguments("has", arguments.length, 1);
      return indexOfName(list, toUSVString(name)) >= 0;
    }

    /** In the place of the first entry with the name, or at the end. */
    set(name, value) {
      const list = this.#list;
      requireArguments("set", arguments.length, 2);
      name = toUSVString(name);
      value = toEntryValue("set", arguments);
      const first = indexOfName(list, name);
      if (first < 0) {
        list[list.length] = name;
        list[list.length] = value;
        return;
      }
      list[first + 1] = value;
      let kept = first + 2;
      for (let i = kept; i < list.length; i += 2) {
        if (list[i] === name) continue;
        list[kept++] = list[i];
        list[kept++] = list[i + 1];
      }
      list.length = kept;
    }

    entries() { return new EntryIterator(this.#list, PAIRS); }

    forEach(callback, thisArg = undefined) {
      const list = this.#list;
      requireArguments("forEach", arguments.length, 1);
      if (typeof callback !== "function") {
        throw new TypeError("FormData.forEach: the callback is not a function");
      }
      for (let i = 0; i < list.length; i += 2) apply(callback, thisArg, [list[i + 1], list[i], this]);
    }

    keys() { return new EntryIterator(this.#list, NAMES); }
    values() { return new EntryIterator(this.#list, VALUES); }
  }

  const members = ["append", "delete", "get", "getAll", "has", "set", "entries", "forEach", "keys", "values"];
  for (const name of members) defineProperty(FormData.prototype, name, { enumerable: true });
  defineProperty(FormData.prototype, TAG, { value: "FormData", configurable: true });
  const iterate = { value: FormData.prototype.entries, writable: true, configurable: true };
  defineProperty(FormData.prototype, ITERATOR, iterate);

  delete EntryIterator.prototype.constructor;
  setPrototypeOf(EntryIterator.prototype, IteratorPrototype);
  defineProperty(EntryIterator.prototype, "next", { enumerable: true });
  defineProperty(EntryIterator.prototype, TAG, { value: "FormData Iterator", configurable: true });

  // Not serializable: structuredClone would take one for a plain object if it weren't told.
  clone?.addType({ is: isFormData });

  return { FormData };
})
