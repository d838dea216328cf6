// SPDX-License-Identifier: MIT
// util.inspect: any value as text. Getters run only with the option `getters`; what a proxy's traps throw is
// caught.
"use strict";

const types = require("node:util/types");
const { check } = require("node:internal/errors");
const { joined, quoted, number, without } = require("node:internal/layout");

const custom = Symbol.for("nodejs.util.inspect.custom");
const colors = {
  __proto__: null, reset: [0, 0], bold: [1, 22], dim: [2, 22], italic: [3, 23], underline: [4, 24],
    blink: [5, 25],
  inverse: [7, 27], hidden: [8, 28], strikethrough: [9, 29], doubleunderline: [21, 24], overlined: [53, 55],
  framed: [51, 54],
};
["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"].forEach((name, index) => {
  const large = name[0].toUpperCase() + name.slice(1);
  colors[name] = [30 + index, 39];
  colors[`bg${large}`] = [40 + index, 49];
  colors[`${name}Bright`] = [90 + index, 39];
  colors[`bg${large}Bright`] = [100 + index, 49];
});
const aliases = {
  gray: "blackBright", grey: "blackBright", bgGray: "bgBlackBright", bgGrey: "bgBlackBright", faint: "dim",
  crossedout: "strikethrough", strikeThrough: "strikethrough", crossedOut: "strikethrough", conceal: "hidden",
  swapColors: "inverse", swapcolors: "inverse", doubleUnderline: "doubleunderline",
};
for (const [name, of] of Object.entries(aliases)) colors[name] = colors[of];
const styles = {
  __proto__: null, special: "cyan", number: "yellow", bigint: "yellow", boolean: "yellow", undefined: "grey",
  null: "bold", string: "green", symbol: "green", date: "magenta", regexp: "red", module: "underline",
};
const defaults = {
  showHidden: false, depth: 2, colors: false, customInspect: true, showProxy: false, maxArrayLength: 100,
  maxStringLength: 10000, breakLength: 80, compact: 3, sorted: false, getters: false, numericSeparator: false,
};

// More levels than that could end the engine's stack.
const MOST_LEVELS = 1000;

const plain = (text) => text;
const coloured = (text, kind) => {
  const codes = colors[styles[kind]];
  return codes === undefined ? text : `\u001b[${codes[0]}m${text}\u001b[${codes[1]}m`;
};

const isIdentifier = (key) => /^[A-Za-z_][A-Za-z_0-9]*$/.test(key);
const isIndex = (key) => typeof key === "string" && /^(0|[1-9]\d{0,9})$/.test(key) &&
  Number(key) < 2 ** 32 - 1;
const attempt = (action, otherwise) => { try { return action(); } catch { return otherwise; } };

/** The class of a value; null when nothing on its prototype chain has a constructor. */
const classOf = (value, context, depth) => {
  let steps = 0;
  for (let object = value; object !== null; object = Object.getPrototypeOf(object)) {
    const found = Object.getOwnPropertyDescriptor(object, "constructor");
    if (typeof found?.value === "function" && found.value.name !== "" &&
      attempt(() => value instanceof found.value, false)) {
      return { name: `${found.value.name}`, isOwn: steps === 0 };
    }
    steps++;
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype === null) return { name: null };
  return { name: null, complex: show({ ...context, customInspect: false, depth: -1 }, prototype, depth) };
};

/** What stands before the braces: class, tag and size. */
const prefixOf = ({ name, complex }, tag, fallback, size = "") => {
  const mark = tag !== "" && name !== tag ? `[${tag}] ` : "";
  if (name !== null) return `${name}${size} ${mark}`;
  if (complex !== undefined) return `${fallback}${size} <${complex}> ${mark}`;
  return `[${fallback}${size}: null prototype] ${mark}`;
};

/** One that is listed among the keys is not told twice. */
const tagOf = (value, className) => {
  const key = Symbol.toStringTag;
  if (attempt(() => Object.prototype.propertyIsEnumerable.call(value, key), false)) return "";
  const tag = attempt(() => value[key], "");
  if (typeof tag !== "string" || tag === "" || tag === className) return "";
  return tag;
};

// The engine can't tell the names beside a million elements without making a million texts: of a long list
// those are looked for that the language itself puts there.
const SHORT = 1000;
const BESIDE = ["index", "input", "groups", "indices", "raw"];
const lengthOf = (value) => types.isTypedArray(value) ? value.length
  : Object.getOwnPropertyDescriptor(value, "length")?.value;
const isLong = (value, context) => lengthOf(value) > Math.max(SHORT, context.maxArrayLength) &&
  (Array.isArray(value) || types.isTypedArray(value) || types.isStringObject(value));

const keysOf = (value, context) => {
  const symbols = Object.getOwnPropertySymbols(value);
  if (isLong(value, context)) {
    const has = context.showHidden ? (key) => Object.hasOwn(value, key)
      : (key) => Object.prototype.propertyIsEnumerable.call(value, key);
    return [...["length", ...BESIDE], ...symbols].filter(has);
  }
  if (context.showHidden) return [...Object.getOwnPropertyNames(value), ...symbols];
  return [...Object.keys(value),
    ...symbols.filter((key) => Object.prototype.propertyIsEnumerable.call(value, key))];
};

const primitive = (context, value) => {
  const { stylize } = context;
  switch (typeof value) {
    case "string": return text(context, value);
    case "number": return stylize(number(value, context.numericSeparator), "number");
    case "bigint": {
      const digits = `${value}`;
      return stylize(`${context.numericSeparator ? digits.replace(/\B(?=(\d{3})+$)/g, "_") : digits}n`,
        "bigint");
    }
    case "boolean": return stylize(`${value}`, "boolean");
    case "undefined": return stylize("undefined", "undefined");
    case "symbol": return stylize(symbolText(value), "symbol");
    default: return stylize("null", "null");
  }
};

const symbolText = (symbol) => Symbol.prototype.toString.call(symbol).replace(/[\x00-\x1f\x27\x5c\x7f-\x9f]/g,
  (character) =>
  character === "'" ? "'" : quoted(character).slice(1, -1));

const text = (context, value) => {
  let [shown, rest] = [value, ""];
  const most = context.maxStringLength ?? Infinity;
  if (shown.length > most) {
    const more = shown.length - most;
    shown = shown.slice(0, Math.max(0, most));
    rest = `... ${more} more character${more > 1 ? "s" : ""}`;
  }
  const { stylize } = context;
  if (context.compact !== true && shown.length > 16 &&
    shown.length > context.breakLength - context.indent - 4) {
    return shown.split(/(?<=\n)/).map((line) => stylize(quoted(line), "string"))
      .join(` +\n${" ".repeat(context.indent + 2)}`) + rest;
  }
  return stylize(quoted(shown), "string") + rest;
};

const show = (context, value, depth, isTyped = false) => {
  if (value === null || (typeof value !== "object" && typeof value !== "function")) return primitive(context,
    value);
  if (context.customInspect) {
    const found = customText(context, value, depth);
    if (found !== undefined) return found;
  }
  if (context.seen.includes(value)) {
    if (!context.circular.has(value)) context.circular.set(value, context.circular.size + 1);
    return context.stylize(`[Circular *${context.circular.get(value)}]`, "special");
  }
  if (context.seen.length >= MOST_LEVELS) return context.stylize(
    "[Object: Inspection interrupted prematurely]", "special");
  return object(context, value, depth, isTyped);
};

const customText = (context, value, depth) => {
  const method = attempt(() => value[custom]);
  if (typeof method !== "function" || method === inspect) return undefined;
  if (Object.getOwnPropertyDescriptor(value, "constructor")?.value?.prototype === value) return undefined;
  const { seen, circular, indent, current, budget, stylize, ...rest } = context;
  const left = context.depth === null ? null : context.depth - depth;
  const shown = method.call(value, left, { ...rest, stylize }, inspect);
  if (shown === value) return undefined;
  if (shown === null || typeof shown !== "object") {
    return typeof shown === "string" ? shown.replaceAll("\n", `\n${" ".repeat(context.indent)}`)
      : show(context, shown, depth);
  }
  return show(context, shown, depth);
};

/**
 * An object, or why it can't be looked at: what a proxy's traps throw is no reason to show nothing at all.
 */
const object = (context, value, depth, isTyped) => {
  let shape;
  try {
    shape = require("node:internal/shapes").shapeOf(context, value, depth, tools);
    return laidOut(context, value, depth, isTyped, shape);
  } catch (error) {
    if (shape !== undefined) throw error;
    return context.stylize(`[Object: <Inspection threw (${error?.message})>]`, "special");
  }
};

const laidOut = (context, value, depth, isTyped, shape) => {
  const { base = "", braces, keys, entries, isList = false } = shape;
  if (shape.only !== undefined && keys.length === 0) return shape.only;
  if (depth > (context.depth ?? Infinity)) {
    const label = (shape.label ?? (Array.isArray(value) ? "Array" : "Object"));
    return context.stylize(`[${label}]`, "special");
  }
  context.seen.push(value);
  context.current = depth;
  const items = [];
  let hasMore = false;
  const outer = context.indent;
  try {
    if (entries !== undefined) {
      context.indent = outer + 2;
      hasMore = entries(items, depth + 1) === true;
      context.indent = outer;
    }
    for (const key of keys) items.push(property(context, value, key, depth, isList));
  } finally {
    context.indent = outer;
    context.seen.pop();
  }
  let lead = base;
  const [open, close] = braces;
  let opening = open;
  const mark = context.circular.get(value);
  if (mark !== undefined) {
    const reference = context.stylize(`<ref *${mark}>`, "special");
    if (context.compact === true) opening = `${reference} ${open}`;
    else lead = lead === "" ? reference : `${reference} ${lead}`;
  }
  if (context.sorted) {
    const by = typeof context.sorted === "function" ? context.sorted : undefined;
    if (isList) items.splice(items.length - keys.length, keys.length,
      ...items.slice(items.length - keys.length).sort(by));
    else items.sort(by);
  }
  if (items.length === 0 && shape.only === undefined) return `${lead ? `${lead} ` : ""}${opening}${close}`;
  const isNumeric = isList && (isTyped || types.isTypedArray(value) || (Array.isArray(value) &&
    value.slice(0, items.length - (hasMore ? 1 : 0)).every((item) => typeof item === "number" ||
    typeof item === "bigint")));
  const layout = { base: lead, braces: [opening, close], isList, hasMore, isNumeric,
    levels: context.current - depth };
  const result = joined(items, layout, context);
  // A tree that is wide at every level would take forever: what is too long goes less deep.
  context.budget -= result.length;
  if (context.budget < 0 && context.depth !== -1) context.depth = -1;
  return result;
};

/** `name: value`, or the value alone in a list. */
const property = (context, value, key, depth, isList) => {
  const found = attempt(() => Object.getOwnPropertyDescriptor(value, key)) ??
    { value: attempt(() => value[key]), enumerable: true };
  const { stylize } = context;
  let shown;
  if ("value" in found) {
    const wider = context.compact !== true || isList ? 2 : 3;
    context.indent += wider;
    shown = show(context, found.value, depth + 1);
    context.indent -= wider;
  } else if (found.get !== undefined) {
    shown = getter(context, value, found, depth);
  } else {
    shown = found.set !== undefined ? stylize("[Setter]", "special") : stylize("undefined", "undefined");
  }
  let name;
  if (typeof key === "symbol") name = `[${stylize(symbolText(key), "symbol")}]`;
  else if (key === "__proto__") name = "['__proto__']";
  else if (isIdentifier(key)) name = stylize(key, "name");
  else name = stylize(quoted(key), "string");
  if (found.enumerable === false) name = `[${typeof key === "symbol" ? name.slice(1, -1) : key}]`;
  return `${name}: ${shown}`;
};

const getter = (context, value, found, depth) => {
  const label = found.set !== undefined ? "Getter/Setter" : "Getter";
  const { getters, stylize } = context;
  if (!getters || (getters === "get" && found.set !== undefined) ||
    (getters === "set" && found.set === undefined)) {
    return stylize(`[${label}]`, "special");
  }
  try {
    const held = found.get.call(value);
    context.indent += 2;
    const shown = show(context, held, depth + 1);
    context.indent -= 2;
    if (held === null || typeof held !== "object") {
      return `${stylize(`[${label}:`, "special")} ${shown}${stylize("]", "special")}`;
    }
    return `${stylize(`[${label}]`, "special")} ${shown}`;
  } catch (error) {
    return stylize(`[${label}: <Inspection threw (${error?.message})>]`, "special");
  }
};

const tools = { show, primitive, classOf, prefixOf, tagOf, keysOf, isIndex, property };

/** Any value as text; options as Node's documentation lists them. */
function inspect(value, options, ...older) {
  const context = { ...defaults, seen: [], circular: new Map(), indent: 0, current: 0, budget: 2 ** 27,
    stylize: plain };
  // The old order: showHidden, depth, colors.
  if (typeof options === "boolean" || options === undefined || options === null) {
    if (options !== undefined) context.showHidden = options;
    if (older[0] !== undefined) context.depth = older[0];
    if (older[1] !== undefined) context.colors = older[1];
  } else if (typeof options === "object") {
    for (const [key, given] of Object.entries(options)) {
      if (key in defaults || key === "stylize" || key === "userOptions") context[key] = given;
    }
    for (const key in defaults) if (context[key] === undefined) context[key] = defaults[key];
  }
  if (context.colors && context.stylize === plain) context.stylize = coloured;
  if (context.maxArrayLength === null) context.maxArrayLength = Infinity;
  if (context.maxStringLength === null) context.maxStringLength = Infinity;
  return show(context, value, 0);
}

inspect.custom = custom;
inspect.colors = colors;
inspect.styles = styles;
Object.defineProperty(inspect, "defaultOptions", {
  get: () => defaults,
  set(options) {
    check.object(options, "options");
    Object.assign(defaults, options);
  },
});

module.exports = { inspect, without };
