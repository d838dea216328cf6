// SPDX-License-Identifier: MIT
// util.format: printf-like texts.
"use strict";

const { inspect } = require("node:internal/inspect");
const { number } = require("node:internal/layout");
const { invalidArgType } = require("node:internal/errors");

/** Whether an object's own class says how it is a string: built-in ones are shown by inspect. */
const hasOwnText = (value) => {
  if (typeof value.toString !== "function") return false;
  if (Object.hasOwn(value, "toString") || typeof value[Symbol.toPrimitive] === "function" &&
    !(value instanceof Date)) return true;
  for (let object = value; object !== null; object = Object.getPrototypeOf(object)) {
    if (!Object.hasOwn(object, "toString")) continue;
    const maker = Object.getOwnPropertyDescriptor(object, "constructor")?.value;
    return !(typeof maker === "function" && globalThis[maker.name] === maker);
  }
  return false;
};

const asString = (value, options) => {
  if (typeof value === "number") return number(value, options.numericSeparator);
  if (typeof value === "bigint") return `${value}n`;
  if (value === null || typeof value !== "object" || hasOwnText(value)) return String(value);
  return inspect(value, { ...options, depth: 0, colors: false, compact: 3 });
};

const asNumber = (value, options, parse) => {
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "symbol" || (parse !== Number && value !== null && typeof value === "object" &&
    parse === parseInt)) return "NaN";
  return number(parse(value), options.numericSeparator);
};

/** What the engine says of a circle: nothing else that a `toJSON` throws is one. */
const circle = (() => {
  const value = {};
  value.value = value;
  try { return JSON.stringify(value); } catch (error) { return error.message; }
})();

const asJSON = (value) => {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error?.name === "TypeError" && error.message === circle) return "[Circular]";
    throw error;
  }
};

const one = (kind, value, options) => {
  switch (kind) {
    case "s": return asString(value, options);
    case "d": return typeof value === "object" && value !== null
      ? number(Number(value), options.numericSeparator) : asNumber(value, options, Number);
    case "i": return asNumber(value, options, parseInt);
    case "f": return typeof value === "symbol" ? "NaN" : number(parseFloat(value), options.numericSeparator);
    case "j": return asJSON(value);
    case "O": return inspect(value, options);
    case "o": return inspect(value, { ...options, showHidden: true, showProxy: true, depth: 4 });
    default: return "";
  }
};

const formatWithOptions = (options, ...values) => {
  if (options === null || typeof options !== "object") throw invalidArgType("inspectOptions", "object",
    options);
  const rest = [...values];
  let text = "";
  let isFirst = true;
  if (typeof rest[0] === "string") {
    text = rest.shift();
    isFirst = false;
    if (rest.length > 0) {
      text = text.replace(/%([sdifjOoc%])/g, (mark, kind) => {
        if (kind === "%") return "%";
        return rest.length === 0 ? mark : one(kind, rest.shift(), options);
      });
    }
  }
  for (const value of rest) {
    text += (isFirst ? "" : " ") + (typeof value === "string" ? value : inspect(value, options));
    isFirst = false;
  }
  return text;
};

module.exports = { formatWithOptions, format: (...values) => formatWithOptions({}, ...values) };
