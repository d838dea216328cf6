// SPDX-License-Identifier: MIT
// What inspect.js and format.js see of a value without touching it, and the text of what they saw.
((host) => {
  "use strict";
  const { Object, Symbol, WeakMap } = globalThis;
  const { defineProperty } = Object;
  const { proxyTarget, promiseState } = host;
  const { apply, descriptorOf, functionText, getPrototypeOf, isArray, isError } = host.primordials;
  /** What the script's own objects inherit: this script has others. */
  const prototype = getPrototypeOf(host.object);

  // --- Text -----------------------------------------------------------------------------------------------

  const ESCAPES = { "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", "\\": "\\\\" };
  const escapeUnit = (unit) => ESCAPES[unit] ?? (unit.charCodeAt(0) < 0x100
    ? `\\x${unit.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`
    : `\\u${unit.charCodeAt(0).toString(16).toUpperCase()}`);

  /** A name, which must not steer a terminal. */
  const withoutControls = (text) => text.replace(/[\x00-\x1f\x7f-\x9f]/g, escapeUnit);
  const quote = (text) => {
    const mark = !text.includes("'") ? "'" : !text.includes('"') ? '"' : !text.includes("`") && !text.includes("${")
      ? "`" : "'";
    let escaped = text.replace(/[\x00-\x1f\x7f-\x9f\\]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, escapeUnit);
    if (mark === "'") escaped = escaped.replaceAll("'", "\\'");
    return mark + escaped + mark;
  };

  const isIdentifier = (key) => /^[a-zA-Z_][a-zA-Z_0-9]*$/.test(key);
  const isIndex = (key) => typeof key === "string" && /^(0|[1-9]\d*)$/.test(key);
  const plural = (count) => (count === 1 ? "" : "s");

  /** How many columns a text takes, colour codes left out. */
  const widthOf = (text) => {
    if (/^[\x20-\x7e]*$/.test(text)) return text.length;
    let width = 0;
    for (const character of text.replace(/\u001b\[\d+m/g, "")) {
      const code = character.codePointAt(0);
      if (code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x300 && code <= 0x36f) || code === 0x200d
        || (code >= 0xfe00 && code <= 0xfe0f)) continue;
      width += (code >= 0x1100 && code <= 0x115f) || (code >= 0x2e80 && code <= 0xa4cf) || (code >= 0xac00 && code <= 0xd7a3)
        || (code >= 0xf900 && code <= 0xfaff) || (code >= 0xfe30 && code <= 0xfe6f) || (code >= 0xff00 && code <= 0xff60)
        || (code >= 0xffe0 && code <= 0xffe6) || (code >= 0x1f300 && code <= 0x1faff) || code >= 0x20000 ? 2 : 1;
    }
    return width;
  };

  // --- Looking without touching ---------------------------------------------------------------------------

  /** A data property anywhere on the prototype chain; undefined at a getter or a proxy. */
  const dataOf = (object, key) => {
    for (let at = object; at !== null && at !== undefined; at = getPrototypeOf(at)) {
      if (proxyTarget(at) !== undefined) return undefined;
      const found = descriptorOf(at, key);
      if (found !== undefined) return found.value;
    }
    return undefined;
  };

  /** Whether a property, or a proxy that might have it, is on the prototype chain. */
  const hasOnChain = (object, key) => {
    for (let at = object; at !== null && at !== undefined; at = getPrototypeOf(at)) {
      if (proxyTarget(at) !== undefined || descriptorOf(at, key) !== undefined) return true;
    }
    return false;
  };

  /**
   * Whether it is an object as `{}` makes them, which most are: asking for each kind of inner slot costs ten times as
   * much as all the rest. A Map, Set, buffer or promise whose prototype a script set to this one passes for it.
   */
  const isPlain = (object) => {
    if (typeof object === "function" || isArray(object) || getPrototypeOf(object) !== prototype) return false;
    const { toStringTag } = Symbol;
    if (descriptorOf(object, toStringTag) !== undefined || descriptorOf(object, "constructor") !== undefined) return false;
    return descriptorOf(prototype, toStringTag) === undefined && apply(objectText, object, []) === "[object Object]"
      && !isError(object);
  };
  const objectText = Object.prototype.toString;

  const constructorName = (object) => {
    for (let at = object, level = 0; at !== null; at = getPrototypeOf(at), level++) {
      if (proxyTarget(at) !== undefined) return "Object";
      const found = descriptorOf(at, "constructor");
      const made = found?.value;
      if (typeof made === "function" && proxyTarget(made) === undefined) {
        const name = descriptorOf(made, "name")?.value;
        if (typeof name === "string" && name !== "" && isInstance(object, made)) return name;
      }
      if (level > 100) break;
    }
    return null;
  };

  const isInstance = (object, type) => {
    const wanted = descriptorOf(type, "prototype")?.value;
    // A class's own prototype is none of its instances.
    for (let at = getPrototypeOf(object); at !== null; at = getPrototypeOf(at)) {
      if (at === wanted) return true;
      if (proxyTarget(at) !== undefined) return false;
    }
    return false;
  };

  const tagOf = (object, name) => {
    if (descriptorOf(object, Symbol.toStringTag)?.enumerable) return "";
    const tag = tagIn(object);
    return typeof tag === "string" && tag !== "" && tag !== name ? withoutControls(tag) : "";
  };
  /** A class gives its objects their tag by a getter, mostly: the one that runs. */
  const tagIn = (object) => {
    for (let at = object; at !== null; at = getPrototypeOf(at)) {
      if (proxyTarget(at) !== undefined) return undefined;
      const found = descriptorOf(at, Symbol.toStringTag);
      if (found === undefined) continue;
      try { return found.get === undefined ? found.value : apply(found.get, object, []); } catch { return undefined; }
    }
    return undefined;
  };

  /** What a function is shown as; `name` is that of its constructor. */
  const labelOf = (value, name) => {
    const text = functionText(value);
    const own = descriptorOf(value, "name")?.value;
    const label = typeof own === "string" && own !== "" ? withoutControls(own) : "(anonymous)";
    if (text.startsWith("class") && text.endsWith("}")) {
      const parent = getPrototypeOf(value);
      const parentName = typeof parent === "function" && proxyTarget(parent) === undefined ? descriptorOf(parent, "name")?.value : "";
      return `[class ${label}${parentName ? ` extends ${parentName}` : parent === null ? " extends null" : ""}]`;
    }
    const kind = name === null ? "Function (null prototype)" : name === "Function" || name === "AsyncFunction"
      || name === "GeneratorFunction" || name === "AsyncGeneratorFunction" ? name : "Function";
    return label === "(anonymous)" ? `[${kind} (anonymous)]` : `[${kind}: ${label}]`;
  };

  // A module's namespace is a proxy that no script made: what it shows are its exports.
  const namespaces = new WeakMap();
  const { get, set } = WeakMap.prototype;
  const noteNamespace = (shape, members) => { apply(set, namespaces, [shape, members]); };

  /** The exports of the namespace with a proxy's target, as data; undefined for any other target. */
  const exportsOf = (shape) => {
    const members = apply(get, namespaces, [shape]);
    if (members === undefined) return undefined;
    const shown = { __proto__: null };
    for (const name in members) {
      try { shown[name] = members[name]; } catch { shown[name] = Symbol("uninitialized"); }
    }
    return defineProperty(shown, Symbol.toStringTag, { __proto__: null, value: "Module" });
  };

  return {
    noteNamespace, exportsOf, proxyTarget, promiseState, withoutControls, quote, isIdentifier, isIndex, isPlain, plural, widthOf, dataOf,
    hasOnChain, constructorName, tagOf, labelOf,
  };
})
