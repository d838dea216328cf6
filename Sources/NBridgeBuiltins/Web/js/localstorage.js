// SPDX-License-Identifier: MIT
// localStorage (HTML standard, section 12.2.3): the items of the app, which its processes share and which outlive them.
//
// Native code keeps UTF-8. It answers "=" and what it found, "!" and why it could not, or undefined for nothing.
((host) => {
  "use strict";
  const { makeStorage, refuseFull, LIMIT } = host.storage;
  const { DOMException } = host;
  const { parse, stringify } = JSON;
  const { defineProperty } = Object;
  const uncurry = (method) => Function.prototype.call.bind(method);
  const isWellFormed = uncurry(String.prototype.isWellFormed);
  const slice = uncurry(String.prototype.slice);

  // A text with half of a surrogate pair is kept as JSON, which has words for it, behind what no character is.
  const MARK = "\uFFFF";
  const toKept = (text) => (isWellFormed(text) && text[0] !== MARK ? text : MARK + stringify(text));
  const fromKept = (text) => (text[0] === MARK ? parse(slice(text, 1)) : text);

  const answer = (text) => {
    if (text === undefined) return null;
    if (text[0] === "!") throw new DOMException(`localStorage: ${slice(text, 1)}`, "UnknownError");
    return slice(text, 1);
  };

  const area = {
    __proto__: null,
    get length() { return +answer(host.count()); },

    keys() {
      const list = parse(answer(host.keys()));
      for (let i = 0; i < list.length; i++) list[i] = fromKept(list[i]);
      return list;
    },

    key(index) {
      const found = answer(host.key(index));
      return found === null ? null : fromKept(found);
    },

    get(key) {
      const found = answer(host.read(toKept(key)));
      return found === null ? null : fromKept(found);
    },

    set(key, value) {
      const isKept = answer(host.write(toKept(key), toKept(value), key.length + value.length, LIMIT));
      if (isKept === "full") refuseFull(key);
    },

    remove(key) { answer(host.remove(toKept(key))); },
    clear() { answer(host.clear()); },
  };

  const globalObject = globalThis;
  let made;
  const library = {
    get localStorage() {
      const denial = host.denial();
      if (denial !== undefined) throw new DOMException(`localStorage: ${denial}`, "SecurityError");
      return made ??= makeStorage(area);
    },
    set localStorage(value) {
      // A script's own, as of any global.
      defineProperty(globalObject, "localStorage",
        { __proto__: null, value, writable: true, enumerable: true, configurable: true });
    },
  };
  return library;
})
