// SPDX-License-Identifier: MIT
// What URLSearchParams, FormData and Headers have in common: a list of names and values in turn, and Web IDL's pair iterators
// (Web IDL, section 3.7.9) over it.
((host) => {
  "use strict";
  const { append: add, declareInterface } = host;
  const { TypeError } = globalThis;
  const { apply, defineProperty, getPrototypeOf, ownKeys, setPrototypeOf } = Reflect;
  const uncurry = (method) => Function.prototype.call.bind(method);
  const get = uncurry(WeakMap.prototype.get), set = uncurry(WeakMap.prototype.set);
  /** How names were written, by their lists. */
  const spellings = new WeakMap();
  const spellingOf = (list) => get(spellings, list), setSpelling = (list, known) => set(spellings, list, known);
  const { iterator: ITERATOR, toStringTag: TAG } = Symbol;
  const IteratorPrototype = getPrototypeOf(getPrototypeOf([][ITERATOR]()));

  /** Where the first pair of a name is; -1 when there is none. */
  const indexOf = (list, name) => {
    for (let i = 0; i < list.length; i += 2) if (list[i] === name) return i;
    return -1;
  };

  const append = (list, name, value) => {
    add(list, name);
    add(list, value);
  };

  /** The value of the first pair; null when there is none. */
  const first = (list, name) => {
    const index = indexOf(list, name);
    return index < 0 ? null : list[index + 1];
  };

  const all = (list, name) => {
    const values = [];
    for (let i = 0; i < list.length; i += 2) if (list[i] === name) add(values, list[i + 1]);
    return values;
  };

  const copy = (list) => {
    const other = [];
    for (let i = 0; i < list.length; i++) add(other, list[i]);
    const known = spellingOf(list);
    if (known !== undefined) setSpelling(other, { __proto__: null, ...known });
    return other;
  };

  /** Keeps how the first of a name was written, which `name` is in small letters; before it is added. */
  const spell = (list, name, written) => {
    let known = spellingOf(list);
    if ((written === name && known === undefined) || indexOf(list, name) >= 0) return;
    if (known === undefined) setSpelling(list, known = { __proto__: null });
    known[name] = written;
  };

  /** How a name was written. */
  const spelled = (list, name) => spellingOf(list)?.[name] ?? name;

  /** Takes the pairs of a name out, from `start` on; only those of one value, when one is given. */
  const remove = (list, name, value = undefined, start = 0) => {
    let kept = start;
    for (let i = start; i < list.length; i += 2) {
      if (list[i] === name && (value === undefined || list[i + 1] === value)) continue;
      list[kept++] = list[i];
      list[kept++] = list[i + 1];
    }
    list.length = kept;
  };

  /** Gives the first pair of a name another value, and takes the others out; or adds one at the end. */
  const replace = (list, name, value) => {
    const index = indexOf(list, name);
    if (index < 0) return append(list, name, value);
    list[index + 1] = value;
    remove(list, name, undefined, index + 2);
  };

  // --- Interfaces -----------------------------------------------------------------------------------------

  const NAMES = 0;
  const VALUES = 1;
  const PAIRS = 2;

  /** Iterators read the live list, so that they see what is added or removed while they run. */
  const makeIterator = (className, listOf) => {
    class PairIterator {
      #object;
      #kind;
      #index = 0;

      constructor(object, kind) {
        listOf(object);
        this.#object = object;
        this.#kind = kind;
      }

      next() {
        const list = listOf(this.#object);
        const index = this.#index;
        if (index >= list.length) return { value: undefined, done: true };
        this.#index = index + 2;
        const value = this.#kind === PAIRS ? [list[index], list[index + 1]] : list[index + this.#kind];
        return { value, done: false };
      }
    }
    delete PairIterator.prototype.constructor;
    setPrototypeOf(PairIterator.prototype, IteratorPrototype);
    defineProperty(PairIterator.prototype, "next", { __proto__: null, enumerable: true });
    defineProperty(PairIterator.prototype, TAG, { __proto__: null, value: `${className} Iterator`, configurable: true });
    // Two of them can't be told apart by what they show.
    declareInterface(PairIterator, `${className} Iterator`);
    return PairIterator;
  };

  /**
   * Makes a class iterable, and its members what Web IDL wants: enumerable. `listOf`, which may answer another list when
   * the object has changed, throws for other objects.
   */
  const finish = (Class, listOf) => {
    const { name: className, prototype } = Class;
    const PairIterator = makeIterator(className, listOf);
    const methods = {
      entries() { return new PairIterator(this, PAIRS); },
      forEach(callback, thisArg = undefined) {
        let list = listOf(this);
        requireArguments(className, "forEach", arguments.length, 1);
        if (typeof callback !== "function") {
          throw new TypeError(`${className}.forEach: the callback is not a function`);
        }
        for (let i = 0; i < list.length; i += 2, list = listOf(this)) apply(callback, thisArg, [list[i + 1], list[i], this]);
      },
      keys() { return new PairIterator(this, NAMES); },
      values() { return new PairIterator(this, VALUES); },
    };
    for (const name of ownKeys(methods)) {
      defineProperty(prototype, name, { __proto__: null, value: methods[name], writable: true, configurable: true });
    }
    for (const name of ownKeys(prototype)) {
      if (name !== "constructor") defineProperty(prototype, name, { __proto__: null, enumerable: true });
    }
    defineProperty(prototype, TAG, { __proto__: null, value: className, configurable: true });
    defineProperty(prototype, ITERATOR, { __proto__: null, value: methods.entries, writable: true, configurable: true });
  };

  const requireArguments = (className, method, given, needed) => {
    if (given >= needed) return;
    const count = needed > 1 ? `${needed} arguments` : "an argument";
    throw new TypeError(`${className}.${method} needs ${count}, got ${given}`);
  };

  return { indexOf, append, first, all, copy, spell, spelled, remove, replace, finish, requireArguments };
})
