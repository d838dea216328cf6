// SPDX-License-Identifier: MIT
// node:assert. A program may replace every method there is, and must not come to judge itself: what judges
// was taken before, and lists are gone through by index, not by an iterator.
"use strict";

const { assign, give, intrinsics } = require("node:internal/own");
const { coded, check, invalidArgType, described } = require("node:internal/errors");
const { isDeepEqual, isDeepStrictEqual } = require("node:internal/equal");
const { inspect } = require("node:internal/inspect");
const { AssertionError } = require("node:internal/assertionerror");
const { intact, settling } = require("node:internal/native");

const { apply, is, isPrototypeOf, keys: keysOf } = intrinsics;
const { brands: { regex: isPattern }, functionText, isError } = intact();
const { own, outcomeOf, told } = settling();
const { exec } = RegExp.prototype;
const [ErrorOf, StringOf, errorPrototype] = [Error, String, Error.prototype];
/** As `pattern.test(text)`, by the engine's own pattern. */
const fits = (pattern, text) => apply(exec, pattern, [text]) !== null;
const isSomeError = (value) => isPrototypeOf(errorPrototype, value) || isError(value);
const isNaN = (value) => typeof value === "number" && value !== value;
/** An argument that was given; what is on Array.prototype is none. */
const at = (args, index) => index < args.length ? args[index] : undefined;

const fail = (options) => { throw options.message instanceof Error ? options.message
  : new AssertionError(options); };

const need = (count, given) => {
  if (given < count) throw coded(TypeError, "ERR_MISSING_ARGS",
    'The "actual" and "expected" arguments must be specified');
};

const truthy = (start, count, value, message) => {
  if (value) return;
  if (count === 0) {
    fail({ message: "No value argument passed to `assert.ok()`", actual: value, expected: true,
      operator: "==", stackStartFn: start, generatedMessage: true });
  }
  fail({ message, actual: value, expected: true, operator: "==", stackStartFn: start });
};

function ok(...args) { truthy(ok, args.length, at(args, 0), at(args, 1)); }
function assert(...args) { truthy(assert, args.length, at(args, 0), at(args, 1)); }

/** A comparison as an assertion. */
const comparing = (name, operator, holds) => {
  const assertion = { [name](...args) {
    need(2, args.length);
    const actual = at(args, 0), expected = at(args, 1), message = at(args, 2);
    if (!holds(actual, expected)) fail({ actual, expected, message, operator, stackStartFn: assertion });
  } }[name];
  return assertion;
};

const isLoose = (a, b) => a == b || (isNaN(a) && isNaN(b));
const comparisons = {
  equal: comparing("equal", "==", isLoose),
  notEqual: comparing("notEqual", "!=", (a, b) => !isLoose(a, b)),
  strictEqual: comparing("strictEqual", "strictEqual", is),
  notStrictEqual: comparing("notStrictEqual", "notStrictEqual", (a, b) => !is(a, b)),
  deepEqual: comparing("deepEqual", "deepEqual", isDeepEqual),
  notDeepEqual: comparing("notDeepEqual", "notDeepEqual", (a, b) => !isDeepEqual(a, b)),
  deepStrictEqual: comparing("deepStrictEqual", "deepStrictEqual", isDeepStrictEqual),
  notDeepStrictEqual: comparing("notDeepStrictEqual", "notDeepStrictEqual",
    (a, b) => !isDeepStrictEqual(a, b)),
};

const matching = (name, operator, wanted) => {
  const assertion = { [name](text, pattern, message) {
    if (!isPattern(pattern)) throw invalidArgType("regexp", "RegExp", pattern);
    const found = typeof text === "string" && fits(pattern, text);
    if (typeof text === "string" && found === wanted) return;
    const told = wanted ? "The input did not match" : "The input was expected to not match";
    const generated = typeof text !== "string"
      ? `The "string" argument must be of type string. Received ${described(text)}`
      : `${told} the regular expression ${inspect(pattern)}. Input:\n\n${inspect(text)}\n`;
    fail({ actual: text, expected: pattern, message: message ?? generated, operator, stackStartFn: assertion,
      generatedMessage: message === undefined });
  } }[name];
  return assertion;
};

const isClass = (value) => typeof value === "function" && value.prototype !== undefined &&
  (isPrototypeOf(ErrorOf, value) || value === ErrorOf || fits(/^class\b/, functionText(value)));

/** Whether what was thrown is what was expected; throws what tells why it is not. */
const checkThrown = (thrown, expected, message, start) => {
  const differs = (told) => fail({
    actual: thrown, expected, message: message ?? told, operator: start.name, stackStartFn: start,
      generatedMessage: message === undefined,
  });
  if (isPattern(expected)) {
    if (fits(expected, StringOf(thrown))) return;
    const input = inspect(StringOf(thrown));
    differs(`The input did not match the regular expression ${inspect(expected)}. Input:\n\n${input}\n`);
  } else if (typeof expected === "object" && expected !== null) {
    checkMembers(thrown, expected, message, start);
  } else if (typeof expected === "function") {
    if (expected.prototype !== undefined && thrown instanceof expected) return;
    if (isClass(expected)) {
      const name = thrown?.constructor?.name;
      differs(`The error is expected to be an instance of "${expected.name}". Received ` +
        (name ? `"${name}"${thrown?.message ? `\n\nError message:\n\n${thrown.message}` : ""}`
        : `"${inspect(thrown)}"`));
    }
    const verdict = apply(expected, {}, [thrown]);
    if (verdict !== true) {
      const name = expected.name ? `"${expected.name}" ` : "";
      differs(`The ${name}validation function is expected to return "true". ` +
        `Received ${inspect(verdict)}\n\nCaught error:\n\n${thrown}`);
    }
  }
};

/** What is compared of an error: the members that are asked for. A pattern that fits is the text. */
class Comparison {
  constructor(value, keys, thrown) {
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index];
      if (!(key in value)) continue;
      const isFitting = typeof thrown?.[key] === "string" && isPattern(value[key]) &&
        fits(value[key], thrown[key]);
      this[key] = isFitting ? thrown[key] : value[key];
    }
  }
}

const checkMembers = (thrown, expected, message, start) => {
  const differs = (actual, wanted) => {
    if (message !== undefined) {
      fail({ actual: thrown, expected, message, operator: start.name, stackStartFn: start });
    }
    const error = new AssertionError({ actual, expected: wanted, operator: "deepStrictEqual",
      stackStartFn: start });
    throw assign(error, { actual: thrown, expected, operator: start.name });
  };
  if (typeof thrown !== "object" || thrown === null) differs(thrown, expected);
  const keys = keysOf(expected);
  if (isSomeError(expected)) {
    give(keys, keys.length, "name");
    give(keys, keys.length, "message");
  } else if (keys.length === 0) {
    throw coded(TypeError, "ERR_INVALID_ARG_VALUE",
      `The argument 'error' may not be an empty object. Received ${inspect(expected)}`);
  }
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index];
    if (typeof thrown[key] === "string" && isPattern(expected[key]) &&
      fits(expected[key], thrown[key])) continue;
    if (!(key in thrown) || !isDeepStrictEqual(thrown[key], expected[key])) {
      differs(new Comparison(thrown, keys), new Comparison(expected, keys, thrown));
    }
  }
};

/** A text that is the message of what was thrown is one in the wrong place. */
const needClear = (thrown, text) => {
  const isError = typeof thrown === "object" && thrown !== null;
  if ((isError ? thrown.message : thrown) !== text) return;
  const kind = isError ? "error message" : "error";
  throw coded(TypeError, "ERR_AMBIGUOUS_ARGUMENT", 'The "error/message" argument is ambiguous. ' +
    `The ${kind} "${text}" is identical to the message.`);
};

const arranged = (given) => typeof at(given, 0) === "string" ? { expected: undefined, message: at(given, 0) }
  : { expected: at(given, 0), message: at(given, 1) };

/** What is expected of `thrown`, and the message: any other kind of value would expect nothing. */
const expectation = (thrown, given) => {
  const expected = at(given, 0);
  const isText = typeof expected === "string";
  const isOther = expected !== undefined && expected !== null && typeof expected !== "object" &&
    typeof expected !== "function";
  if (isText ? given.length > 1 : isOther) {
    throw invalidArgType("error", ["Object", "Error", "Function", "RegExp"], expected);
  }
  if (isText && thrown !== undefined) needClear(thrown.error, expected);
  return arranged(given);
};

const missing = (expected, message, start, kind) => {
  const name = typeof expected === "function" && expected.name ? ` (${expected.name})` : "";
  fail({ actual: undefined, expected, operator: start.name, stackStartFn: start,
    message: message instanceof Error ? message
    : `Missing expected ${kind}${name}${message ? `: ${message}` : "."}` });
};

function throws(action, ...rest) {
  check.function(action, "fn");
  let thrown;
  try {
    action();
  } catch (error) { thrown = { error: told(error) }; }
  const { expected, message } = expectation(thrown, rest);
  if (thrown === undefined) missing(expected, message, throws, "exception");
  else checkThrown(thrown.error, expected, message, throws);
}

const unwanted = (error, given, start, kind) => {
  const { expected, message } = arranged(given);
  if (expected !== undefined && !(isPattern(expected) ? fits(expected, StringOf(error))
    : error instanceof expected)) throw error;
  fail({ actual: error, expected, operator: start.name, stackStartFn: start,
    message: `Got unwanted ${kind}${message ? `: ${message}` : "."}\nActual message: "${error?.message}"` });
};

function doesNotThrow(action, ...rest) {
  check.function(action, "fn");
  try {
    action();
  } catch (error) { unwanted(error, rest, doesNotThrow, "exception"); }
}

const promiseOf = (given) => {
  const promise = typeof given === "function" ? given() : given;
  if (typeof promise?.then === "function") return promise;
  if (typeof given !== "function") throw invalidArgType("promiseFn", ["function", "Promise"], given);
  throw coded(TypeError, "ERR_INVALID_RETURN_VALUE",
    'Expected instance of Promise to be returned from the "promiseFn" ' +
    `function but got ${described(promise)}.`);
};

/** What a promise was rejected with, as `{ error }`. */
const rejectionOf = async (given) => {
  const promise = promiseOf(given);
  const outcome = await outcomeOf(() => promise);
  return outcome.isRejected ? { __proto__: null, error: outcome.error } : undefined;
};

const demandRejection = async (given, rest) => {
  const thrown = await own(rejectionOf(given));
  const { expected, message } = expectation(thrown, rest);
  if (thrown === undefined) missing(expected, message, rejects, "rejection");
  else checkThrown(thrown.error, expected, message, rejects);
};
const refuseRejection = async (given, rest) => {
  const thrown = await own(rejectionOf(given));
  if (thrown !== undefined) unwanted(thrown.error, rest, doesNotReject, "rejection");
};
function rejects(given, ...rest) { return own(demandRejection(given, rest)); }
function doesNotReject(given, ...rest) { return own(refuseRejection(given, rest)); }

assign(assert, {
  AssertionError, ok, ...comparisons, throws, rejects, doesNotThrow, doesNotReject,
  match: matching("match", "match", true), doesNotMatch: matching("doesNotMatch", "doesNotMatch", false),
  fail(message = "Failed") {
    if (message instanceof Error) throw message;
    fail({ message, operator: "fail", stackStartFn: assert.fail, generatedMessage: message === "Failed" });
  },
  ifError(value) {
    if (value === null || value === undefined) return;
    const told = typeof value === "object" && typeof value.message === "string"
      ? value.message || value.constructor?.name : inspect(value);
    fail({ actual: value, expected: null, operator: "ifError",
      message: `ifError got unwanted exception: ${told}`, generatedMessage: false,
      stackStartFn: assert.ifError });
  },
});

function strict(...args) { truthy(strict, args.length, at(args, 0), at(args, 1)); }
assert.strict = assign(strict, assert, {
  equal: assert.strictEqual, notEqual: assert.notStrictEqual,
  deepEqual: assert.deepStrictEqual, notDeepEqual: assert.notDeepStrictEqual,
});
strict.strict = strict;

module.exports = assert;
