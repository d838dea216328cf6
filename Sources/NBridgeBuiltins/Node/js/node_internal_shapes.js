// SPDX-License-Identifier: MIT
// What util.inspect shows of each kind of object: `only` (a text that stands for it when it has no keys), or
// a base and braces, the keys to list, and `entries`, which puts what is no key into the list.
"use strict";

const types = require("node:util/types");
const { joined } = require("node:internal/layout");
const { contents, errors, restOf } = require("node:internal/native");

const { contentsOf } = contents();

const plural = (count, word) => `${count} more ${word}${count > 1 ? "s" : ""}`;
const getterOf = (owner, name) => Object.getOwnPropertyDescriptor(owner, name).get;
const mapSize = getterOf(Map.prototype, "size");
const setSize = getterOf(Set.prototype, "size");
const typedLength = getterOf(Object.getPrototypeOf(Uint8Array.prototype), "length");

const limited = (context, items, count, one) => {
  const most = Math.min(Math.max(0, context.maxArrayLength), count);
  for (let at = 0; at < most; at++) items.push(one(at));
  if (count > most) items.push(`... ${plural(count - most, "item")}`);
  return count > most;
};

const NEAR = 10000;
/** Finds the next element of a list behind a hole; its length where none comes. */
const findNext = (value) => {
  let indices;
  return (from) => {
    const near = Math.min(value.length, from + NEAR);
    for (let at = from; at < near; at++) if (Object.hasOwn(value, at)) return at;
    if (near === value.length) return near;
    // So wide a hole is one of a list with few elements, most of the time.
    indices ??= Object.keys(value).filter((key) => /^\d+$/.test(key));
    return Math.min(value.length, Number(indices.find((key) => Number(key) >= near) ?? value.length));
  };
};

const holes = (context, value, items, depth, { show, property }) => {
  const nextOf = findNext(value);
  let at = 0;
  const most = Math.min(Math.max(0, context.maxArrayLength), value.length);
  while (at < value.length && items.length < most) {
    if (Object.hasOwn(value, at)) {
      const found = Object.getOwnPropertyDescriptor(value, at);
      items.push("value" in found ? show(context, found.value, depth)
        : property(context, value, `${at}`, depth - 1).replace(/^'\d+': /, ""));
      at++;
      continue;
    }
    const next = nextOf(at);
    items.push(context.stylize(`<${next - at} empty item${next - at > 1 ? "s" : ""}>`, "undefined"));
    at = next;
  }
  if (at < value.length) items.push(`... ${plural(value.length - at, "item")}`);
  return at < value.length;
};

const functionText = (value, { name }, tag) => {
  const source = Function.prototype.toString.call(value);
  if (/^class\b/.test(source) && source.endsWith("}")) {
    const own = Object.hasOwn(value, "name") && value.name ? value.name : "(anonymous)";
    const parent = Object.getPrototypeOf(value)?.name;
    const extended = parent ? ` extends ${parent}` : Object.getPrototypeOf(value) === null
      ? " extends [null prototype]" : "";
    const other = name !== "Function" && name !== null ? ` [${name}]` : "";
    return `[class ${own}${other}${tag !== "" && name !== tag ? ` [${tag}]` : ""}${extended}]`;
  }
  let kind = types.isGeneratorFunction(value) ? "GeneratorFunction" : "Function";
  if (types.isAsyncFunction(value)) kind = `Async${kind}`;
  else if (/^\[object Async/.test(Object.prototype.toString.call(value))) kind = `Async${kind}`;
  const title = typeof value.name === "string" && value.name !== "" ? `: ${value.name}` : " (anonymous)";
  const nulled = name === null ? " (null prototype)" : "";
  const other = name !== null && name !== kind && name !== "Function" ? ` ${name}` : "";
  return `[${kind}${nulled}${title}]${other}${tag !== "" && name !== tag ? ` [${tag}]` : ""}`;
};

/** A line of the engine's own stacks, which are no text for people. */
const FRAME = /^(?!\s*at )(?:.*@)?(?:\[native code\]|\[wasm code\]|.+:\d+:\d+)$/m;

/** A class that gives its errors no name is told with the name that they have. */
const classed = (value, whole, name) => {
  const kind = value.name;
  if (name === null || typeof kind !== "string" || !kind.endsWith("Error") || name === kind ||
    Object.hasOwn(value, "name") || !whole.startsWith(kind) || !/^(?:[:\n]|$)/.test(whole.slice(kind.length))) return whole;
  return `${name.includes(kind) ? name : `${name} [${kind}]`}${whole.slice(kind.length)}`;
};

const errorText = (context, value, keys, className) => {
  let stack;
  try { stack = value.stack; } catch { stack = undefined; }
  let heading;
  try { heading = Error.prototype.toString.call(value); } catch { heading = "Error"; }
  // Engines differ: V8's stack begins with the error's own line, JavaScriptCore's has frames alone.
  let whole = typeof stack === "string" && stack !== "" ? stack : "";
  const message = typeof value.message === "string" ? value.message : "";
  if (whole === "" || (!whole.startsWith(heading) && FRAME.test(whole))) {
    // As console tells them: the author's, in the author's files.
    const { framesOf, makersOf } = errors();
    const frames = framesOf(whole, makersOf(value));
    const coded = typeof value.code === "string" && value.code.startsWith("ERR_");
    whole = `${coded ? `${value.name} [${value.code}]: ${message}` : heading}${frames === "" ? "" : `\n${frames}`}`;
  }
  whole = classed(value, whole, className.name);
  for (const key of ["name", "message", "stack"]) {
    const at = keys.indexOf(key);
    if (at >= 0 && typeof value[key] === "string" && whole.includes(value[key])) keys.splice(at, 1);
  }
  if (Object.hasOwn(value, "cause") && !keys.includes("cause")) keys.push("cause");
  if (Array.isArray(value.errors) && Object.hasOwn(value, "errors") && !keys.includes("errors")) keys.push(
    "errors");
  // A SuppressedError is nothing without its two.
  if (Object.hasOwn(value, "error") && Object.hasOwn(value, "suppressed")) {
    for (const key of ["error", "suppressed"]) if (!keys.includes(key)) keys.push(key);
  }
  if (!/\n {4}at /.test(whole)) whole = `[${whole}]`;
  return context.indent === 0 ? whole : whole.replaceAll("\n", `\n${" ".repeat(context.indent)}`);
};

const boxText = (context, value, keys, { name, }, tag) => {
  const kinds = [["Number", types.isNumberObject], ["String", types.isStringObject],
    ["Boolean", types.isBooleanObject],
    ["BigInt", types.isBigIntObject], ["Symbol", types.isSymbolObject]];
  const [kind] = kinds.find(([, test]) => test(value));
  const held = globalThis[kind].prototype.valueOf.call(value);
  if (kind === "String") keys.splice(0, keys.length, ...keys.filter((key) => !/^\d+$/.test(String(key)) &&
    key !== "length"));
  const other = name === null ? " (null prototype)" : name !== kind ? ` (${name})` : "";
  const marked = tag !== "" && tag !== name ? ` [${tag}]` : "";
  return { kind, held, heading: `[${kind}${other}`, marked, tone: kind.toLowerCase() };
};

const shapeOf = (context, value, depth, tools) => {
  const { show, primitive, classOf, prefixOf, tagOf, keysOf, isIndex } = tools;
  const { stylize } = context;
  const known = classOf(value, context, depth);
  const tag = tagOf(value, known.name);
  const keys = keysOf(value, context);
  const list = (fallback, size, entries) => ({
    isList: true, keys: keys.filter((key) => !isIndex(key) && !(key === "length" && !context.showHidden)),
    braces: [`${prefixOf(known, tag, fallback, `(${size})`)}[`, "]"], entries, label: known.name ??
      `${fallback}: null prototype`,
  });
  const braced = (fallback, size, entries) => ({
    only: size === 0 ? `${prefixOf(known, tag, fallback, "(0)")}{}` : undefined, keys,
      braces: [`${prefixOf(known, tag, fallback, size === undefined ? "" : `(${size})`)}{`, "}"], entries,
    label: prefixOf(known, tag, fallback).trim(),
  });
  if (Array.isArray(value)) {
    const isPlain = known.name === "Array" && tag === "";
    const shape = list("Array", value.length, (items, deeper) => holes(context, value, items, deeper, tools));
    if (isPlain) shape.braces[0] = "[";
    if (value.length === 0 && shape.keys.length === 0) return { only: `${shape.braces[0]}]`, keys: [] };
    return shape;
  }
  if (types.isSet(value)) {
    return braced("Set", setSize.call(value), (items, deeper) => {
      const given = Set.prototype.values.call(value);
      return limited(context, items, setSize.call(value), () => show(context, given.next().value, deeper));
    });
  }
  if (types.isMap(value)) {
    return braced("Map", mapSize.call(value), (items, deeper) => {
      const given = Map.prototype.entries.call(value);
      return limited(context, items, mapSize.call(value), () => {
        const [key, held] = given.next().value;
        return `${show(context, key, deeper)} => ${show(context, held, deeper)}`;
      });
    });
  }
  if (types.isTypedArray(value)) {
    const count = typedLength.call(value);
    const kind = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype),
      Symbol.toStringTag).get.call(value);
    const shape = list(kind, count,
      (items) => limited(context, items, count, (at) => primitive(context, value[at])));
    if (count === 0 && shape.keys.length === 0) return { only: `${shape.braces[0]}]`, keys: [] };
    return shape;
  }
  if (types.isMapIterator(value) || types.isSetIterator(value)) {
    return iterator(context, restOf(value), tag, keys, tools);
  }
  return otherShape(context, value, keys, known, tag, depth, tools, braced);
};

/** An iterator of a Map or a Set. What only claims to be one shows nothing. */
const iterator = (context, rest, tag, keys, { show }) => {
  const { kind = tag, isPairs = false, items: left } = rest ?? {};
  const label = `Object [${tag}]`;
  if (left?.length === 0 && keys.length === 0) return { only: `[${kind}] {  }`, keys, label };
  return { keys, braces: [`[${kind}] {`, "}"], label, entries(items, deeper) {
    if (left === undefined) return items.push(context.stylize("<items unknown>", "special"));
    const pair = (at) => {
      const both = [show(context, left[at][0], deeper), show(context, left[at][1], deeper)];
      const levels = context.current - deeper + 1;
      return joined(both, { base: "", braces: ["[", "]"], isList: false, levels }, context);
    };
    return limited(context, items, left.length, isPairs ? pair : (at) => show(context, left[at], deeper));
  } };
};

const otherShape = (context, value, keys, known, tag, depth, tools, braced) => {
  const { show, primitive, prefixOf } = tools;
  const { stylize } = context;
  // With keys beside it, the text has no colour.
  const single = (base, kind) =>
    ({ only: kind === undefined ? base : stylize(base, kind), base, braces: ["{", "}"], keys,
      label: known.name ?? "Object" });
  if (types.isArgumentsObject(value)) return { keys, braces: ["[Arguments] {", "}"], label: "Object" };
  if (typeof value === "function") {
    return single(functionText(value, known, tag), "special");
  }
  if (types.isRegExp(value)) {
    const prefix = known.name === "RegExp" ? "" : prefixOf(known, tag, "RegExp");
    // However deep it lies, its text is shown.
    if (depth > (context.depth ?? Infinity)) keys.length = 0;
    return single(prefix + RegExp.prototype.toString.call(value), "regexp");
  }
  if (types.isDate(value)) {
    const time = Date.prototype.getTime.call(value);
    const prefix = known.name === "Date" ? "" : prefixOf(known, tag, "Date");
    return single(prefix + (Number.isNaN(time) ? "Invalid Date" : new Date(time).toISOString()), "date");
  }
  if (types.isNativeError(value)) return single(errorText(context, value, keys, known));
  if (types.isAnyArrayBuffer(value)) {
    const kind = types.isArrayBuffer(value) ? "ArrayBuffer" : "SharedArrayBuffer";
    return braced(kind, undefined, (items) => {
      let bytes;
      try {
        bytes = new Uint8Array(value);
      } catch { // Its bytes went elsewhere.
        return items.push("(detached)", `byteLength: ${primitive(context, 0)}`);
      }
      const most = Math.min(Math.max(0, context.maxArrayLength), bytes.length);
      let hex = Array.from(bytes.subarray(0, most), (byte) => byte.toString(16).padStart(2, "0")).join(" ");
      if (bytes.length > most) hex += ` ... ${plural(bytes.length - most, "byte")}`;
      items.push(`${stylize("[Uint8Contents]", "special")}: <${hex}>`,
        `byteLength: ${primitive(context, value.byteLength)}`);
    });
  }
  if (types.isDataView(value)) {
    return braced("DataView", undefined, (items, deeper) => {
      for (const key of ["byteLength", "byteOffset", "buffer"]) items.push(
        `${key}: ${show(context, value[key], deeper)}`);
    });
  }
  if (types.isPromise(value)) return braced("Promise", undefined,
    (items) => { items.push(stylize("<state unknown>", "special")); });
  if (types.isWeakSet(value)) return braced("WeakSet", undefined,
    (items) => { items.push(stylize("<items unknown>", "special")); });
  if (types.isWeakMap(value)) return braced("WeakMap", undefined,
    (items) => { items.push(stylize("<items unknown>", "special")); });
  if (types.isBoxedPrimitive(value)) {
    const { heading, marked, held, tone } = boxText(context, value, keys, known, tag);
    const shown = primitive({ ...context, stylize: (text) => text }, held);
    return single(`${heading}: ${shown}]${marked}`, tone);
  }
  if (types.isModuleNamespaceObject(value)) {
    return { keys, braces: ["[Module: null prototype] {", "}"], label: "Module" };
  }
  const held = heldShape(context, value, keys, tools, braced);
  if (held !== undefined) return held;
  const isPlain = known.name === "Object" && tag === "";
  const shape = { keys, braces: [isPlain ? "{" : `${prefixOf(known, tag, "Object")}{`, "}"],
    label: isPlain ? "Object" : prefixOf(known, tag, "Object").trim() };
  return keys.length === 0 ? { ...shape, only: `${shape.braces[0]}}` } : shape;
};

/** An object of the web's, which keeps what it holds in private fields; undefined for any other. */
const heldShape = (context, value, keys, { show }, braced) => {
  let kind, found;
  try {
    kind = value[Symbol.toStringTag];
    found = contentsOf(kind, value);
  } catch { /* It shows what any object does. */ }
  if (found === undefined) return undefined;
  const { list, isPairs } = found;
  // The own getter that every event has says what it is only when it runs.
  const isTrusted = keys.indexOf("isTrusted");
  if (isTrusted >= 0) keys.splice(isTrusted, 1);
  const shape = braced(kind, undefined, (items, deeper) => limited(context, items, list.length / 2, (at) => {
    const shown = show(context, list[2 * at + 1], deeper);
    return isPairs ? `${show(context, list[2 * at], deeper)} => ${shown}` : `${list[2 * at]}: ${shown}`;
  }));
  return list.length === 0 && keys.length === 0 ? { ...shape, only: `${shape.braces[0]}}` } : shape;
};

module.exports = { shapeOf };
