// SPDX-License-Identifier: MIT
// FormData (XMLHttpRequest standard, section 4). What a form holds, its page says.
((host) => {
  "use strict";
  const { File, pairs, notCloneable } = host;
  const { TypeError } = globalThis;
  const { iterator: ITERATOR } = Symbol;

  const uncurry = (method) => Function.prototype.call.bind(method);
  const { isBlob, isFile, nameOf, timeOf, typeOf } = host.blobs;
  const toWellFormed = uncurry(String.prototype.toWellFormed);

  const isObject = (value) => typeof value === "object" && value !== null;

  const toUSVString = (value) => toWellFormed(`${value}`);

  const requireArguments = (method, given, needed) => pairs.requireArguments("FormData", method, given, needed);

  // --- Entries --------------------------------------------------------------------------------------------

  /** A list of one thing. Going through an array would run what a script has put in its prototypes. */
  const only = (value) => ({
    [ITERATOR]() {
      let done = true;
      return { next: () => ({ done: done = !done, value }) };
    },
  });

  const NOTHING = { [ITERATOR]: () => ({ next: () => ({ done: true, value: undefined }) }) };
  const BYTES = { __proto__: null, type: "application/octet-stream" };

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

  // --- FormData -------------------------------------------------------------------------------------------

  let listOf, isForm;

  class FormData {
    // Names and values in turn. Always the same array: iterators hold it.
    #list = [];

    static {
      isForm = (object) => #list in object;
      notCloneable(isForm);
      listOf = (data) => data.#list;
      host.showsPairs("FormData", listOf, isForm);
    }

    constructor(form = undefined) {
      if (form === undefined) return;
      const entries = host.entryList(form, arguments[1] ?? null);
      for (let i = 0; i < entries.length; i += 2) {
        // Nobody chose a file.
        pairs.append(this.#list, toUSVString(entries[i]), entries[i + 1] === null ? new File(NOTHING, "", BYTES) : toUSVString(entries[i + 1]));
      }
    }

    append(name, value) {
      const list = this.#list;
      requireArguments("append", arguments.length, 2);
      name = toUSVString(name);
      pairs.append(list, name, toEntryValue("append", arguments));
    }

    delete(name) {
      const list = this.#list;
      requireArguments("delete", arguments.length, 1);
      pairs.remove(list, toUSVString(name));
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

    has(name) {
      const list = this.#list;
      requireArguments("has", arguments.length, 1);
      return pairs.indexOf(list, toUSVString(name)) >= 0;
    }

    /** In the place of the first entry with the name, or at the end. */
    set(name, value) {
      const list = this.#list;
      requireArguments("set", arguments.length, 2);
      name = toUSVString(name);
      pairs.replace(list, name, toEntryValue("set", arguments));
    }
  }
  pairs.finish(FormData, listOf);

  /** A form's names and values in turn, which no script gets; undefined for anything else. */
  const entriesOf = (value) => (isObject(value) && isForm(value) ? listOf(value) : undefined);
  const fromList = (list) => {
    const data = new FormData();
    for (let i = 0; i < list.length; i += 2) pairs.append(listOf(data), list[i], list[i + 1]);
    return data;
  };
  return { FormData, internals: { entriesOf, fromList, append: FormData.prototype.append } };
})
