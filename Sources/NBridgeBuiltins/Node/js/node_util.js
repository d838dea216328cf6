// SPDX-License-Identifier: MIT
// node:util.
"use strict";

const { coded, check, invalidArgType, invalidArgValue } = require("node:internal/errors");
const { inspect, without } = require("node:internal/inspect");
const { format, formatWithOptions } = require("node:internal/format");
const types = require("node:util/types");

const customPromisify = Symbol.for("nodejs.util.promisify.custom");

// The web's timers tell of no promises, and call back with no error.
const webTimers = new Map(["setTimeout", "setImmediate"].map((name) => [globalThis[name], name]));

const promisify = (original) => {
  check.function(original, "original");
  const timer = webTimers.get(original);
  const own = original[customPromisify] ?? (timer && require("node:timers/promises")[timer]);
  if (own !== undefined) {
    check.function(own, "util.promisify.custom");
    return Object.defineProperty(own, customPromisify, { value: own, configurable: true });
  }
  function fn(...args) {
    return new Promise((resolve, reject) => {
      Reflect.apply(original, this, [...args, (error, value) => error ? reject(error) : resolve(value)]);
    });
  }
  Object.setPrototypeOf(fn, Object.getPrototypeOf(original));
  Object.defineProperty(fn, customPromisify, { value: fn, configurable: true });
  return Object.defineProperties(fn, Object.getOwnPropertyDescriptors(original));
};
promisify.custom = customPromisify;

const callbackify = (original) => {
  check.function(original, "original");
  function callbackified(...args) {
    const done = args.pop();
    check.function(done, "last argument");
    const { nextTick } = require("node:process");
    Reflect.apply(original, this, args).then(
      (value) => nextTick(() => Reflect.apply(done, this, [null, value])),
      (reason) => {
        const error = reason ||
          coded(Error, "ERR_FALSY_VALUE_REJECTION", "Promise was rejected with falsy value", { reason });
        nextTick(() => Reflect.apply(done, this, [error]));
      });
  }
  const described = Object.getOwnPropertyDescriptors(original);
  if (typeof described.length.value === "number") described.length.value++;
  if (typeof described.name.value === "string") described.name.value += "Callbackified";
  return Object.defineProperties(callbackified, described);
};

const inherits = (constructor, parent) => {
  check.function(constructor, "ctor");
  check.function(parent, "superCtor");
  if (parent.prototype === undefined) throw invalidArgType("superCtor.prototype", "Object", parent.prototype);
  Object.defineProperty(constructor, "super_", { value: parent, writable: true, configurable: true });
  Object.setPrototypeOf(constructor.prototype, parent.prototype);
};

const told = new Set();
const deprecate = (fn, message, code) => {
  let isTold = false;
  function deprecated(...args) {
    if (!isTold && !(code !== undefined && told.has(code))) {
      isTold = true;
      told.add(code);
      require("node:process").emitWarning(message, "DeprecationWarning", code);
    }
    return new.target ? Reflect.construct(fn, args, new.target) : Reflect.apply(fn, this, args);
  }
  Object.setPrototypeOf(deprecated, fn);
  if (fn.prototype) deprecated.prototype = fn.prototype;
  return deprecated;
};

/** A log that is on when NODE_DEBUG names its section. */
const debuglog = (section, use) => {
  const names = `${require("node:process").env.NODE_DEBUG ?? ""}`.toUpperCase().split(",").map((name) =>
    name.trim());
  const enabled = names.some((name) =>
    new RegExp(`^${name.replace(/[|\\{}()[\]^$+?.]/g, "\\$&").replaceAll("*", ".*")}$`)
    .test(section.toUpperCase()) && name !== "");
  const log = (...args) => { if (enabled) console.error(`${section.toUpperCase()}: ${format(...args)}`); };
  Object.defineProperty(log, "enabled", { get: () => enabled, configurable: true, enumerable: true });
  use?.(log);
  return log;
};

const styleText = (style, text, options = {}) => {
  check.string(text, "text");
  let [open, close] = ["", ""];
  for (const name of [].concat(style)) {
    const codes = inspect.colors[name];
    if (codes === undefined) {
      const names = Object.keys(inspect.colors).map((known) => `'${known}'`).join(", ");
      throw invalidArgValue("format", name, `must be one of: ${names}`);
    }
    open += `\u001b[${codes[0]}m`;
    close = `\u001b[${codes[1]}m${close}`;
  }
  return options.validateStream === true && options.stream?.isTTY === false ? text : open + text + close;
};

const parseEnv = (content) => {
  check.string(content, "content");
  const found = {};
  const name = /^[ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*=[ \t]*/;
  const value = /("(?:\\"|[^"])*"|'[^']*'|`[^`]*`|[^\r\n#]*)?[ \t]*(?:#.*)?$/;
  const lines = new RegExp(name.source + value.source, "gm");
  for (const [, key, raw = ""] of content.replace(/\r\n?/g, "\n").matchAll(lines)) {
    const value = raw.trim();
    const quote = /^(["'`])([\s\S]*)\1$/.exec(value);
    found[key] = quote === null ? value : quote[1] === '"' ? quote[2].replace(/\\n/g, "\n") : quote[2];
  }
  return found;
};

/** The texts of errors, by name. */
const systemErrors = () => require("node:internal/systemerrors").texts;

/** The names of Linux's errors, by number. */
const errorNames = () => {
  const names = new Map();
  const texts = systemErrors();
  for (const [name, number] of Object.entries(require("node:os").constants.errno)) {
    // Of two names for one number the one that has a text.
    if (!names.has(-number) || name in texts) names.set(-number, name);
  }
  return names;
};

const isPrimitive = (value) => value === null || (typeof value !== "object" && typeof value !== "function");

module.exports = {
  inspect, format, formatWithOptions, types, promisify, callbackify, inherits, deprecate, debuglog,
    debug: debuglog,
  styleText, parseEnv,
  get parseArgs() { return require("node:internal/parseargs").parseArgs; },
  stripVTControlCharacters(text) {
    check.string(text, "str");
    return without(text);
  },
  isDeepStrictEqual: (a, b) => require("node:internal/equal").isDeepStrictEqual(a, b),
  toUSVString: (text) => `${text}`.toWellFormed(),
  getSystemErrorName(number) {
    check.integer(number, "err");
    return errorNames().get(number) ?? `Unknown system error ${number}`;
  },
  getSystemErrorMap() {
    const texts = systemErrors();
    return new Map([...errorNames()].map(([number, name]) => [number, [name, texts[name] ?? name]]));
  },
  async aborted(signal) {
    if (typeof signal?.aborted !== "boolean") throw invalidArgType("signal", "AbortSignal", signal);
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve,
      { once: true }));
  },
  transferableAbortController: () => new AbortController(),
  transferableAbortSignal: (signal) => signal,
  TextEncoder: globalThis.TextEncoder, TextDecoder: globalThis.TextDecoder,
  _extend(target, source) { return source !== null && typeof source === "object"
    ? Object.assign(target, source) : target; },
  log: (...args) => console.log(`${new Date().toTimeString().slice(0, 8)} - ${format(...args)}`),
  isArray: Array.isArray,
  isBoolean: (value) => typeof value === "boolean",
  isBuffer: (value) => require("node:buffer").Buffer.isBuffer(value),
  isDate: types.isDate, isRegExp: types.isRegExp,
  isError: (value) => types.isNativeError(value) || value instanceof Error,
  isFunction: (value) => typeof value === "function",
  isNull: (value) => value === null,
  isNullOrUndefined: (value) => value == null,
  isNumber: (value) => typeof value === "number",
  isObject: (value) => value !== null && typeof value === "object",
  isPrimitive,
  isString: (value) => typeof value === "string",
  isSymbol: (value) => typeof value === "symbol",
  isUndefined: (value) => value === undefined,
  _errnoException: (number, call) => Object.assign(new Error(`${call} ${errorNames().get(number)}`),
    { errno: number, code: errorNames().get(number), syscall: call }),
};
