// SPDX-License-Identifier: MIT
// node:assert.
"use strict";

const { assign } = require("node:internal/own");
const { coded, check, invalidArgType, described } = require("node:internal/errors");
const { isDeepEqual, isDeepStrictEqual } = require("node:internal/equal");
const { inspect } = require("node:internal/inspect");
const { AssertionError } = require("node:internal/assertionerror");

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

function ok(...args) { truthy(ok, args.length, ...args); }
function assert(...args) { truthy(assert, args.length, ...args); }

/** A comparison as an assertion. */
const comparing = (name, operator, holds) => {
  const assertion = { [name](...args) {
    need(2, args.length);
    const [actual, expected, message] = args;
    if (!holds(actual, expected)) fail({ actual, expected, message, operator, stackStartFn: assertion });
  } }[name];
  return assertion;
};

const isLoose = (a, b) => a == b || (Number.isNaN(a) && Number.isNaN(b));
const comparisons = {
  equal: comparing("equal", "==", isLoose),
  notEqual: comparing("notEqual", "!=", (a, b) => !isLoose(a, b)),
  strictEqual: comparing("strictEqual", "strictEqual", Object.is),
  notStrictEqual: comparing("notStrictEqual", "notStrictEqual", (a, b) => !Object.is(a, b)),
  deepEqual: comparing("deepEqual", "deepEqual", isDeepEqual),
  notDeepEqual: comparing("notDeepEqual", "notDeepEqual", (a, b) => !isDeepEqual(a, b)),
  deepStrictEqual: comparing("deepStrictEqual", "deepStrictEqual", isDeepStrictEqual),
  notDeepStrictEqual: comparing("notDeepStrictEqual", "notDeepStrictEqual",
    (a, b) => !isDeepStrictEqual(a, b)),
};

const matching = (name, operator, wanted) => {
  const assertion = { [name](text, pattern, message) {
    if (!(pattern instanceof RegExp)) throw invalidArgType("regexp", "RegExp", pattern);
    const found = typeof text === "string" && pattern.test(text);
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
  (Error.isPrototypeOf(value) || value === Error || /^class\b/.test(Function.prototype.toString.call(value)));

/** Whether what was thrown is what was expected; throws what tells why it is not. */
const checkThrown = (thrown, expected, message, start) => {
  const differs = (told) => fail({
    actual: thrown, expected, message: message ?? told, operator: start.name, stackStartFn: start,
      generatedMessage: message === undefined,
  });
  if (expected instanceof RegExp) {
    if (expected.test(String(thrown))) return;
    const input = inspect(String(thrown));
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
    const verdict = Reflect.apply(expected, {}, [thrown]);
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
    for (const key of keys) {
      if (!(key in value)) continue;
      const fits = typeof thrown?.[key] === "string" && value[key] instanceof RegExp &&
        value[key].test(thrown[key]);
      this[key] = fits ? thrown[key] : value[key];
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
    throw Object.assign(error, { actual: thrown, expected, operator: start.name });
  };
  if (typeof thrown !== "object" || thrown === null) differs(thrown, expected);
  const keys = Object.keys(expected);
  if (expected instanceof Error) keys.push("name", "message");
  else if (keys.length === 0) {
    throw coded(TypeError, "ERR_INVALID_ARG_VALUE",
      `The argument 'error' may not be an empty object. Received ${inspect(expected)}`);
  }
  for (const key of keys) {
    if (typeof thrown[key] === "string" && expected[key] instanceof RegExp &&
      expected[key].test(thrown[key])) continue;
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

const arranged = (expected, message) => typeof expected === "string" ? [undefined, expected]
  : [expected, message];

/** What is expected of `thrown`, and the message: any other kind of value would expect nothing. */
const expectation = (thrown, given) => {
  const [expected] = given;
  const isText = typeof expected === "string";
  const isOther = expected !== undefined && expected !== null && typeof expected !== "object" &&
    typeof expected !== "function";
  if (isText ? given.length > 1 : isOther) {
    throw invalidArgType("error", ["Object", "Error", "Function", "RegExp"], expected);
  }
  if (isText && thrown !== undefined) needClear(thrown.error, expected);
  return arranged(...given);
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
  } catch (error) { thrown = { error }; }
  const [expected, message] = expectation(thrown, rest);
  if (thrown === undefined) missing(expected, message, throws, "exception");
  else checkThrown(thrown.error, expected, message, throws);
}

const unwanted = (error, expected, message, start, kind) => {
  if (expected !== undefined && !(expected instanceof RegExp ? expected.test(String(error))
    : error instanceof expected)) throw error;
  fail({ actual: error, expected, operator: start.name, stackStartFn: start,
    message: `Got unwanted ${kind}${message ? `: ${message}` : "."}\nActual message: "${error?.message}"` });
};

function doesNotThrow(action, ...rest) {
  check.function(action, "fn");
  try {
    action();
  } catch (error) { unwanted(error, ...arranged(...rest), doesNotThrow, "exception"); }
}

const promiseOf = (given) => {
  const promise = typeof given === "function" ? given() : given;
  if (typeof promise?.then === "function") return promise;
  if (typeof given !== "function") throw invalidArgType("promiseFn", ["function", "Promise"], given);
  throw coded(TypeError, "ERR_INVALID_RETURN_VALUE",
    'Expected instance of Promise to be returned from the "promiseFn" ' +
    `function but got ${described(promise)}.`);
};

async function rejects(given, ...rest) {
  const promise = promiseOf(given);
  let thrown;
  try {
    await promise;
  } catch (error) { thrown = { error }; }
  const [expected, message] = expectation(thrown, rest);
  if (thrown === undefined) missing(expected, message, rejects, "rejection");
  else checkThrown(thrown.error, expected, message, rejects);
}

async function doesNotReject(given, ...rest) {
  const promise = promiseOf(given);
  try {
    await promise;
  } catch (error) { unwanted(error, ...arranged(...rest), doesNotReject, "rejection"); }
}

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

function strict(...args) { truthy(strict, args.length, ...args); }
assert.strict = assign(strict, assert, {
  equal: assert.strictEqual, notEqual: assert.notStrictEqual,
  deepEqual: assert.deepStrictEqual, notDeepEqual: assert.notDeepStrictEqual,
});
strict.strict = strict;

module.exports = assert;
