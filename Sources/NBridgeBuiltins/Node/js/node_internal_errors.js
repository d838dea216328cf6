// SPDX-License-Identifier: MIT
// Errors with the codes and texts of Node's documentation, "Errors": programs look at the code.
"use strict";

const described = (value) => {
  if (value == null) return `${value}`;
  if (typeof value === "function") return value.name ? `function ${value.name}` : "function ";
  if (typeof value === "object") {
    const name = value.constructor?.name;
    return name ? `an instance of ${name}` : require("node:util").inspect(value, { depth: -1 });
  }
  let shown = require("node:util").inspect(value, { colors: false });
  if (shown.length > 28) shown = `${shown.slice(0, 25)}...`;
  return `type ${typeof value} (${shown})`;
};

/** An error whose text names its code, as in `TypeError [ERR_X]: ...`; its name stays. */
const coded = (Base, code, message, more) => {
  const error = new Base(message);
  const heading = `${error.name}: ${message}`;
  const marked = `${error.name} [${code}]: ${message}`;
  const stack = typeof error.stack === "string" ? error.stack : "";
  const fixed = stack.startsWith(heading) ? marked + stack.slice(heading.length) : stack;
  const hidden = { configurable: true, writable: true, enumerable: false };
  Object.defineProperty(error, "stack", { ...hidden, value: fixed });
  Object.defineProperty(error, "toString",
    { ...hidden, value() { return `${this.name} [${code}]: ${this.message}`; } });
  error.code = code;
  return more === undefined ? error : Object.assign(error, more);
};

/** "of type string", "an instance of Buffer or URL", or both, as in Node's texts. */
const listed = (expected) => {
  const names = [].concat(expected);
  let types = names.filter((name) => /^[a-z]/.test(name) || name === "Object" || name === "Function");
  types = types.map((name) => name.toLowerCase());
  const instances = names.filter((name) => /^[A-Z]/.test(name) && name !== "Object" && name !== "Function");
  if (instances.length > 0 && types.includes("object")) {
    types = types.filter((name) => name !== "object");
    instances.push("Object");
  }
  const joined = (list) => list.length < 3 ? list.join(" or ")
    : `${list.slice(0, -1).join(", ")}, or ${list.at(-1)}`;
  const parts = [];
  if (types.length > 0) parts.push(`${types.length > 1 ? "one of type" : "of type"} ${joined(types)}`);
  if (instances.length > 0) parts.push(`an instance of ${joined(instances)}`);
  return parts.join(" or ");
};

const invalidArgType = (name, expected, value) => {
  const what = name.endsWith(" argument") ? `The ${name}`
    : `The "${name}" ${name.includes(".") ? "property" : "argument"}`;
  return coded(TypeError, "ERR_INVALID_ARG_TYPE",
    `${what} must be ${listed(expected)}. Received ${described(value)}`);
};

const invalidArgValue = (name, value, reason = "is invalid") => {
  let shown = require("node:util").inspect(value);
  if (shown.length > 128) shown = `${shown.slice(0, 128)}...`;
  const kind = name.includes(".") ? "property" : "argument";
  return coded(TypeError, "ERR_INVALID_ARG_VALUE", `The ${kind} '${name}' ${reason}. Received ${shown}`);
};

const grouped = (digits) => digits.replace(/\B(?=(\d{3})+$)/g, "_");

const outOfRange = (name, range, value) => {
  const isLarge = (Number.isInteger(value) && Math.abs(value) > 2 ** 32) || (typeof value === "bigint" &&
    (value > 2n ** 32n || value < -(2n ** 32n)));
  let shown = isLarge ? grouped(`${value}`) : require("node:util").inspect(value);
  if (isLarge && typeof value === "bigint") shown += "n";
  return coded(RangeError, "ERR_OUT_OF_RANGE",
    `The value of "${name}" is out of range. It must be ${range}. Received ${shown}`);
};

/** What nBridge can't do: thrown by the call, so that a package that never makes it can be imported. */
const missing = (what, instead) =>
  coded(Error, "ERR_NBRIDGE_MISSING", `nbridge has no ${what}${instead ? `; ${instead}` : ""}`);

const check = {
  string(value, name) { if (typeof value !== "string") throw invalidArgType(name, "string", value); },
  function(value, name) { if (typeof value !== "function") throw invalidArgType(name, "function", value); },
  boolean(value, name) { if (typeof value !== "boolean") throw invalidArgType(name, "boolean", value); },
  object(value, name) {
    if (value === null || typeof value !== "object" || Array.isArray(value)) throw invalidArgType(name,
      "Object", value);
  },
  number(value, name, least = -Infinity, most = Infinity) {
    if (typeof value !== "number") throw invalidArgType(name, "number", value);
    if (!(value >= least && value <= most)) {
      const range = [least > -Infinity ? `>= ${least}` : "", most < Infinity ? `<= ${most}`
        : ""].filter(Boolean);
      throw outOfRange(name, range.join(" && "), value);
    }
  },
  integer(value, name, least = Number.MIN_SAFE_INTEGER, most = Number.MAX_SAFE_INTEGER) {
    if (typeof value !== "number") throw invalidArgType(name, "number", value);
    if (!Number.isInteger(value)) throw outOfRange(name, "an integer", value);
    if (value < least || value > most) throw outOfRange(name, `>= ${least} && <= ${most}`, value);
  },
};

const abortError = (signal) => {
  const error = coded(Error, "ABORT_ERR", "The operation was aborted");
  error.name = "AbortError";
  if (signal?.reason !== undefined) {
    Object.defineProperty(error, "cause", { value: signal.reason, configurable: true, writable: true });
  }
  return error;
};

module.exports = { coded, described, invalidArgType, invalidArgValue, outOfRange, missing, check,
  abortError };
