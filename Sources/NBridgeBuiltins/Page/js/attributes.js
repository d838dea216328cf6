// SPDX-License-Identifier: MIT
// What attributes are shown as: classes as a list, `data-` attributes and the declarations of `style` as objects.
((host) => {
  "use strict";
  const { DOMException } = host;
  const { complete, itemAt, itemsOf, live, lower, makeList, refuse, withoutComments } = host.lists;
  const { Table } = host.idl;
  const { indexOf, slice, endsWith, weakGet, weakSet, get, mapForEach, create, startsWith } = host.intrinsics;
  const { TypeError } = globalThis;
  const uncurry = (method) => Function.prototype.call.bind(method);
  const trim = uncurry(String.prototype.trim), upper = uncurry(String.prototype.toUpperCase);
  const exec = uncurry(RegExp.prototype.exec);

  const isSpace = (character) => character === " " || character === "\n" || character === "\t" || character === "\r" || character === "\f";

  // --- Classes (DOM standard, 7.1) --------------------------------------------------------------------------------

  /** The words of a text, each once. */
  const tokens = (text) => {
    const list = makeList(), seen = new Table();
    for (let at = 0; at < text.length;) {
      while (at < text.length && isSpace(text[at])) at++;
      const start = at;
      while (at < text.length && !isSpace(text[at])) at++;
      const word = slice(text, start, at);
      if (word === "" || seen.has(word)) continue;
      seen.set(word, true);
      list[list.length] = word;
    }
    return list;
  };
  const joined = (list) => {
    let text = "";
    for (let i = 0; i < list.length; i++) text += i === 0 ? list[i] : ` ${list[i]}`;
    return text;
  };
  const toToken = (value) => {
    const token = `${value}`;
    if (token === "") throw new DOMException("a class has a name", "SyntaxError");
    for (let i = 0; i < token.length; i++) {
      if (isSpace(token[i])) throw new DOMException(`'${token}' is no class: it has space in it`, "InvalidCharacterError");
    }
    return token;
  };

  /** From a list to what reads and writes its attribute. */
  const sources = new WeakMap();
  const sourceOf = (list) => {
    const found = weakGet(sources, list);
    if (found === undefined) throw new TypeError("this is not a DOMTokenList");
    return found;
  };
  const has = (items, token) => {
    for (let i = 0; i < items.length; i++) if (items[i] === token) return true;
    return false;
  };
  /** Writes the words without one, and with another at its place or the end. */
  const change = (list, old, added) => {
    const items = itemsOf(list), changed = makeList();
    // Each is there once already.
    let isIn = added === null;
    for (let i = 0; i < items.length; i++) {
      const token = items[i] === old ? added : items[i];
      if (token === null || (token === added && isIn)) continue;
      if (token === added) isIn = true;
      changed[changed.length] = token;
    }
    if (!isIn) changed[changed.length] = added;
    sourceOf(list).write(changed);
  };

  class DOMTokenList {
    constructor() { refuse(); }
    get length() { return itemsOf(this).length; }
    item(at) { return itemAt(this, at >>> 0) ?? null; }
    contains(token) { return has(itemsOf(this), `${token}`); }
    add(...list) {
      for (let i = 0; i < list.length; i++) toToken(list[i]);
      for (let i = 0; i < list.length; i++) change(this, null, toToken(list[i]));
    }
    remove(...list) {
      for (let i = 0; i < list.length; i++) toToken(list[i]);
      for (let i = 0; i < list.length; i++) if (has(itemsOf(this), toToken(list[i]))) change(this, toToken(list[i]), null);
    }
    toggle(value, force = undefined) {
      const token = toToken(value), isThere = has(itemsOf(this), token);
      const isWanted = force === undefined ? !isThere : !!force;
      if (isWanted && !isThere) change(this, null, token);
      if (!isWanted && isThere) change(this, token, null);
      return isWanted;
    }
    replace(old, added) {
      const token = toToken(old), other = toToken(added);
      if (!has(itemsOf(this), token)) return false;
      change(this, token, other);
      return true;
    }
    get value() { return sourceOf(this).read(); }
    set value(text) { sourceOf(this).writeText(`${text}`); }
    toString() { return sourceOf(this).read(); }
  }
  complete(DOMTokenList, "DOMTokenList", ["contains", "add", "remove", "toggle", "replace", "value", "toString"]);

  const makeTokens = (read, write) => {
    // The words of the last text, which what else changes leaves as they are.
    let words = makeList(), text = "";
    const list = live(DOMTokenList, () => {
      const now = read();
      if (now !== text) words = tokens(text = now);
      return words;
    });
    const writeWords = (changed) => {
      const made = joined(changed);
      write(made);
      if (read() !== made) return;
      words = changed;
      text = made;
    };
    weakSet(sources, list, { __proto__: null, read, write: writeWords, writeText: write });
    return list;
  };

  // --- Names in two manners -----------------------------------------------------------------------------------------

  /** `fontSize` as `font-size`. */
  const withDashes = (name) => {
    let text = "";
    for (let i = 0; i < name.length; i++) text += name[i] >= "A" && name[i] <= "Z" ? `-${lower(name[i])}` : name[i];
    return text;
  };
  const withHumps = (name) => {
    let text = "";
    for (let i = 0; i < name.length; i++) {
      const isHump = name[i] === "-" && i + 1 < name.length && name[i + 1] >= "a" && name[i + 1] <= "z";
      text += isHump ? upper(name[++i]) : name[i];
    }
    return text;
  };

  // --- data- (HTML, 3.2.6.6) ------------------------------------------------------------------------------------------

  class DOMStringMap { constructor() { refuse(); } }
  host.idl.finish(DOMStringMap, "DOMStringMap", []);
  const toDataName = (name) => {
    if (exec(/-[a-z]/, name) !== null) throw new DOMException(`dataset has no '${name}': write it with humps`, "SyntaxError");
    if (exec(/[\t\n\f\r \0/=>]/, name) !== null) throw new DOMException(`'data-${name}' is no name of an attribute`, "InvalidCharacterError");
    return `data-${withDashes(name)}`;
  };
  /** `own`: get, set, remove, names of an element's attributes. */
  const makeData = (own) => new Proxy(create(DOMStringMap.prototype), {
    __proto__: null,
    get(map, name, receiver) {
      const value = typeof name === "string" ? own.get(`data-${withDashes(name)}`) : null;
      return value ?? get(map, name, receiver);
    },
    set(_, name, value) {
      if (typeof name !== "string") return false;
      own.set(toDataName(name), `${value}`);
      return true;
    },
    has: (map, name) => (typeof name === "string" && own.get(`data-${withDashes(name)}`) !== null) || name in map,
    deleteProperty(_, name) {
      if (typeof name === "string") own.remove(`data-${withDashes(name)}`);
      return true;
    },
    ownKeys() {
      const names = own.names(), found = [];
      for (let i = 0; i < names.length; i++) if (startsWith(names[i], "data-")) found[found.length] = withHumps(slice(names[i], 5));
      return found;
    },
    getOwnPropertyDescriptor(_, name) {
      const value = typeof name === "string" ? own.get(`data-${withDashes(name)}`) : null;
      return value === null ? undefined : { __proto__: null, value, writable: true, enumerable: true, configurable: true };
    },
    defineProperty(_, name, { value }) {
      own.set(toDataName(name), `${value}`);
      return true;
    },
  });

  // --- style: what the attribute declares, and nothing that follows from it -----------------------------------------------

  /** Where a declaration ends: at a semicolon outside of quotes and brackets. */
  const endOf = (text, from) => {
    let quote = "", depth = 0;
    for (let at = from; at < text.length; at++) {
      const here = text[at];
      if (here === "\\") at++;
      else if (quote !== "") quote = here === quote ? "" : quote;
      else if (here === "\"" || here === "'") quote = here;
      else if (here === "(") depth++;
      else if (here === ")") depth--;
      else if (here === ";" && depth <= 0) return at;
    }
    return text.length;
  };
  const declarations = (written) => {
    const table = new Table(), text = withoutComments(written);
    for (let at = 0; at < text.length;) {
      const end = endOf(text, at);
      const part = slice(text, at, end), colon = indexOf(part, ":");
      at = end + 1;
      if (colon < 0) continue;
      const name = trim(slice(part, 0, colon)), value = trim(slice(part, colon + 1));
      if (name !== "" && value !== "") table.set(startsWith(name, "--") ? name : lower(name), value);
    }
    return table;
  };
  const written = (table) => {
    let text = "";
    mapForEach(table, (value, name) => { text += `${text === "" ? "" : " "}${name}: ${value};`; });
    return text;
  };
  /** Where a value's mark begins; -1 without one. */
  const important = (value) => {
    if (!endsWith(lower(value), "important")) return -1;
    let at = value.length - 9;
    while (at > 0 && isSpace(value[at - 1])) at--;
    if (value[--at] !== "!") return -1;
    while (at > 0 && isSpace(value[at - 1])) at--;
    return at;
  };
  const named = (name) => {
    if (name === "cssFloat") return "float";
    return startsWith(name, "webkit") || startsWith(name, "moz") ? `-${withDashes(name)}` : withDashes(name);
  };

  let styles;
  class CSSStyleDeclaration {
    #read;
    #write;
    // What the last text declares.
    #text = "";
    #declared = new Table();
    #names = null;
    static { styles = { isOne: (value) => #read in value }; }
    constructor(key, read, write) {
      if (key !== styles) refuse();
      this.#read = read;
      this.#write = write;
    }
    #table() {
      const text = this.#read();
      if (text !== this.#text) this.#keep(text, declarations(text));
      return this.#declared;
    }
    #keep(text, table) {
      this.#text = text;
      this.#declared = table;
      this.#names = null;
    }
    #change(table) {
      const text = written(table);
      this.#keep(text, table);
      this.#write(text);
    }
    get cssText() { return written(this.#table()); }
    set cssText(text) { this.#write(written(declarations(`${text}`))); }
    get length() { return this.#table().size; }
    item(at) {
      const table = this.#table();
      if (this.#names === null) {
        const names = this.#names = makeList();
        mapForEach(table, (_, name) => { names[names.length] = name; });
      }
      return this.#names[at >>> 0] ?? "";
    }
    getPropertyValue(name) {
      const value = this.#table().get(lower(`${name}`)) ?? this.#table().get(`${name}`) ?? "";
      const mark = important(value);
      return mark < 0 ? value : slice(value, 0, mark);
    }
    getPropertyPriority(name) { return important(this.#table().get(lower(`${name}`)) ?? "") < 0 ? "" : "important"; }
    setProperty(name, value, priority = "") {
      const key = startsWith(`${name}`, "--") ? `${name}` : lower(`${name}`);
      const text = value === null ? "" : trim(`${value}`), table = this.#table();
      // What would end the declaration is no value.
      if (key === "" || endOf(text, 0) < text.length || (priority !== "" && lower(`${priority}`) !== "important")) return;
      if (text === "") table.delete(key);
      else table.set(key, priority === "" ? text : `${text} !important`);
      this.#change(table);
    }
    removeProperty(name) {
      const old = this.getPropertyValue(name), table = this.#table();
      if (table.delete(lower(`${name}`)) || table.delete(`${name}`)) this.#change(table);
      return old;
    }
  }
  host.idl.finish(CSSStyleDeclaration, "CSSStyleDeclaration", ["cssText", "length", "item", "getPropertyValue",
    "getPropertyPriority", "setProperty", "removeProperty"]);
  host.showsFields(CSSStyleDeclaration, "CSSStyleDeclaration", ["cssText"], styles.isOne);
  const { getPropertyValue, setProperty } = CSSStyleDeclaration.prototype;
  const { apply } = host.intrinsics;

  /** An object with a member for every property: nobody here knows which there are, or what values they take. */
  const makeStyle = (read, write) => {
    const style = new CSSStyleDeclaration(styles, read, write);
    return new Proxy(style, {
      __proto__: null,
      get(target, name) {
        if (typeof name !== "string" || name in target) {
          const value = get(target, name, target);
          return typeof value === "function" && name !== "constructor" ? (...list) => apply(value, target, list) : value;
        }
        return apply(getPropertyValue, target, [named(name)]);
      },
      set(target, name, value) {
        if (typeof name !== "string") return false;
        if (name === "cssText") target.cssText = value;
        else apply(setProperty, target, [named(name), value]);
        return true;
      },
      has: (target, name) => name in target || (typeof name === "string" && exec(/^[a-zA-Z-]+$/, name) !== null),
    });
  };

  return { DOMTokenList, DOMStringMap, CSSStyleDeclaration, tokens, makeTokens, makeData, makeStyle };
})
