// SPDX-License-Identifier: MIT
// What inspect.js shows of the web's objects, which keep what they hold in private fields: each interface names its
// getters here when it is made, before a script can replace them. The name in Symbol.toStringTag finds them; that an
// object bears it is no proof, so that a getter that refuses the object decides.
(() => {
  "use strict";
  const { getOwnPropertyDescriptor, getPrototypeOf, setPrototypeOf } = Object;
  const { apply } = Reflect;
  const readers = { __proto__: null };
  const compared = { __proto__: null };

  const getterOf = (prototype, name) => {
    for (let at = prototype; at !== null; at = getPrototypeOf(at)) {
      const found = getOwnPropertyDescriptor(at, name);
      if (found !== undefined) return found.get;
    }
    return undefined;
  };

  /**
   * Objects of `type`, whose tag is `tag`, show these attributes; one that is undefined is left out. `isOne` says what
   * may be one: most objects are none, and to have a getter throw for each takes its time.
   */
  const showsFields = (type, tag, names, isOne) => { readers[tag] = fieldsOf(type, names, isOne); };

  /** Objects of `type` are told apart by these attributes, but show none. */
  const comparesFields = (type, tag, names, isOne) => { compared[tag] = fieldsOf(type, names, isOne); };

  /**
   * Objects with this tag are the same if `listOf` gives the same for both, in turn; where it gives undefined, they are the
   * same only if they are one. What they show is another matter.
   */
  const compares = (tag, listOf, isOne) => {
    compared[tag] = (value) => (isOne(value) ? { list: listOf(value), isPairs: false } : undefined);
  };

  /** What reads these attributes of an object. */
  const fieldsOf = (type, names, isOne) => {
    // Lists without a prototype, on which a script may have put a setter for a number.
    const getters = setPrototypeOf([], null);
    for (let i = 0; i < names.length; i++) getters[i] = getterOf(type.prototype, names[i]);
    return (value) => {
      if (!isOne(value)) return undefined;
      const list = setPrototypeOf([], null);
      for (let i = 0; i < names.length; i++) {
        const field = apply(getters[i], value, []);
        if (field === undefined) continue;
        list[list.length] = names[i];
        list[list.length] = field;
      }
      return { list, isPairs: false };
    };
  };

  /** Objects with this tag show names and values: `listOf` gives them in turn. */
  const showsPairs = (tag, listOf, isOne) => {
    readers[tag] = (value) => (isOne(value) ? { list: listOf(value), isPairs: true } : undefined);
  };

  /** What an object with a tag holds: `list` of names and values in turn; undefined where nobody knows. */
  const contentsOf = (tag, value) => {
    const read = typeof tag === "string" ? readers[tag] : undefined;
    if (read === undefined) return undefined;
    try { return read(value); } catch { return undefined; }
  };

  /**
   * What an object of one of the kinds is compared by, by what it is and not by its tag; undefined for an object of none.
   * Without a `list`, it is the same as itself only.
   */
  const contentsIn = (tags, value) => {
    for (let i = 0; i < tags.length; i++) {
      const read = compared[tags[i]] ?? readers[tags[i]];
      if (read === undefined) continue;
      try {
        const found = read(value);
        if (found !== undefined) return { tag: tags[i], list: found.list };
      } catch { /* It is none of these. */ }
    }
    return undefined;
  };

  return { showsFields, comparesFields, compares, fieldsOf, showsPairs, contentsOf, contentsIn };
})
