// SPDX-License-Identifier: MIT
// `assert`: functions that throw an AssertionError, with the names of Node's and Deno's. Those with two values keep them, so
// that a report can show how they differ.
((host) => {
  "use strict";
  const { inspect, brief, own: ownPromise, outcomeOf, told } = host;
  const { missing, wrongType } = host.refusals;
  const { isSame, isStrictlyEqual, isEqual, contains, whyDifferent } = host.equality;
  const { RegExp, TypeError } = globalThis;
  const { defineProperty, getPrototypeOf, is, keys: keysOf } = Object;
  const { apply } = Reflect;
  const uncurry = (method) => (self, ...args) => apply(method, self, args);
  const { exec } = RegExp.prototype;
  const holdsText = uncurry(String.prototype.includes);
  const functionText = uncurry(Function.prototype.toString);

  /** Whether something in a text fits a pattern, by the engine's own search: what a pattern's methods say a file may change. */
  const matches = (text, pattern) => {
    const { lastIndex } = pattern;
    if (lastIndex !== 0) pattern.lastIndex = 0;
    try { return apply(exec, pattern, [text]) !== null; } finally {
      if (pattern.lastIndex !== lastIndex) pattern.lastIndex = lastIndex;
    }
  };
  /** A pattern, or its text. One that is not there would fit every text. */
  const patternOf = (value) => {
    if (value instanceof RegExp) return value;
    if (typeof value !== "string") throw wrongType("regexp", "an instance of RegExp", value);
    return new RegExp(value);
  };

  class AssertionError extends Error {
    /** Takes a message, or Node's options. */
    constructor(options) {
      super(typeof options === "object" && options !== null ? options.message : options);
      defineProperty(this, "name", { __proto__: null, value: "AssertionError", configurable: true, writable: true });
      defineProperty(this, "code", { __proto__: null, value: "ERR_ASSERTION", configurable: true, writable: true });
      if (typeof options !== "object" || options === null) return;
      for (const key of ["actual", "expected", "operator"]) {
        if (Object.hasOwn(options, key)) {
          defineProperty(this, key, { __proto__: null, value: options[key], configurable: true, writable: true });
        }
      }
    }
  }

  const check = (passed, message, own, values) => {
    if (passed) return;
    if (own instanceof Error) throw own;
    const text = own === undefined ? message() : `${own}`;
    throw new AssertionError(values === undefined ? text : { message: text, ...values });
  };

  const messageIn = (error) => `${error?.message ?? error}`;
  /** Whether an error is of a class, or a predicate is true of it: an answer that is neither true nor false is a slip. */
  const isOf = (error, expected) => {
    if (expected.prototype === undefined) {
      const answer = expected(error);
      if (typeof answer !== "boolean") throw new TypeError(`what judges an error must answer true or false, not ${brief(answer)}`);
      return answer;
    }
    if (error instanceof expected) return true;
    const isClass = expected === Error || expected.prototype instanceof Error || matches(functionText(expected), /^class\b/);
    return !isClass && expected(error) === true;
  };

  /** Whether an error has the members, as Node has it: patterns for texts, else the same all the way down. */
  const hasMembers = (error, expected) => {
    if (typeof error !== "object" && typeof error !== "function" || error === null) return false;
    const keys = keysOf(expected);
    if (expected instanceof Error) {
      keys[keys.length] = "name";
      keys[keys.length] = "message";
    } else if (keys.length === 0) {
      throw new TypeError("an empty object fits every error: name the members that it must have");
    }
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index];
      const wanted = expected[key];
      if (typeof error[key] === "string" && wanted instanceof RegExp && matches(error[key], wanted)) continue;
      if (!(key in error) || !isSame(error[key], wanted)) return false;
    }
    return true;
  };

  /** Whether an error is what was expected: nothing, a part of its message, a pattern, a class, members, a predicate. */
  const fits = (error, expected) => {
    if (expected === undefined) return true;
    if (typeof expected === "string") return holdsText(messageIn(error), expected);
    if (expected instanceof RegExp) return matches(messageIn(error), expected);
    if (typeof expected === "function") return isOf(error, expected);
    if (typeof expected !== "object" || expected === null) {
      throw new TypeError(`a text, a pattern, a class, members or a function is needed, not ${inspect(expected)}`);
    }
    return hasMembers(error, expected);
  };

  /** Messages, and those of the errors that they came of. */
  const haveSameMessages = (a, b) => a.message === b.message && (a.cause instanceof Error
    ? b.cause instanceof Error && haveSameMessages(a.cause, b.cause) : !(b.cause instanceof Error));
  /** The same for `toThrow`, as Jest has it: of an error only the message counts. */
  const fitsThrown = (error, expected) => {
    if (typeof expected !== "object" || expected === null || expected instanceof RegExp) return fits(error, expected);
    if (expected instanceof Error) return error instanceof Error && haveSameMessages(error, expected);
    if (keysOf(expected).length === 0 && getPrototypeOf(expected) === Object.prototype) {
      throw new TypeError("an empty object fits every error: name the members that it must have");
    }
    return contains(error, expected);
  };

  /** A text that is the message is one given in the wrong place: Node takes it for what is told when nothing is thrown. */
  const needClear = (error, expected) => {
    if (typeof expected !== "string" || (error !== expected && error?.message !== expected)) return;
    const told = typeof error === "object" && error !== null ? "error message" : "error";
    const ambiguous = new TypeError(
      `The "error/message" argument is ambiguous. The ${told} "${expected}" is identical to the message.`);
    defineProperty(ambiguous, "code",
      { __proto__: null, value: "ERR_AMBIGUOUS_ARGUMENT", configurable: true, writable: true, enumerable: true });
    throw ambiguous;
  };

  const needFunction = (body) => {
    if (typeof body !== "function") throw new TypeError(`a function is needed that may throw, not ${inspect(body)}`);
  };
  const thrownBy = (body) => { try { body(); } catch (error) { return { error: told(error) }; } return undefined; };
  const rejected = async (body) => {
    // What it throws at once is no rejection, and ends the test.
    const promise = typeof body === "function" ? body() : body;
    if (typeof promise?.then !== "function") throw new TypeError(`a promise is needed, not ${inspect(promise)}`);
    const { isRejected, error } = await outcomeOf(() => promise);
    return isRejected ? { __proto__: null, error } : undefined;
  };
  const rejectionOf = (body) => ownPromise(rejected(body));

  const shown = (error) => (error instanceof Error ? `${error.name}: ${error.message}` : inspect(error));
  const text = (value) => {
    if (typeof value !== "string") throw new TypeError(`a text is needed, not ${inspect(value)}`);
    return value;
  };

  /**
   * An assertion about two values. One that was left out, as a name that is misspelt, would be undefined, and so the same as
   * another that is not there: node:assert takes no fewer than two either.
   */
  const comparing = (name, judge) => ({
    [name](...given) {
      if (given.length < 2) throw missing('"actual" and "expected" arguments');
      return judge(given[0], given[1], given.length > 2 ? given[2] : undefined);
    },
  })[name];

  const assert = (value, message) => check(value, () => `${inspect(value)} is not truthy`, message);
  Object.assign(assert, {
    AssertionError,
    ok: assert,
    equal: comparing("equal", (a, b, message) => check(is(a, b), () => `${brief(a)} is not ${brief(b)}`, message,
      { actual: a, expected: b })),
    notEqual: comparing("notEqual", (a, b, message) => check(!is(a, b), () => `both are ${brief(a)}`, message)),
    deepEqual: comparing("deepEqual", (a, b, message) => check(isSame(a, b),
      () => `${brief(a)} is not the same as ${brief(b)}${whyDifferent()}`, message, { actual: a, expected: b })),
    notDeepEqual: comparing("notDeepEqual", (a, b, message) => check(!isSame(a, b), () => `both are ${brief(a)}`, message)),
    partialDeepStrictEqual: comparing("partialDeepStrictEqual", (a, b, message) => check(contains(a, b),
      () => `${brief(a)} does not have ${brief(b)}`, message, { actual: a, expected: b })),
    match: (a, pattern, message) => check(matches(text(a), patternOf(pattern)), () => `${inspect(a)} does not match ${pattern}`, message),
    doesNotMatch: (a, pattern, message) => check(!matches(text(a), patternOf(pattern)), () => `${inspect(a)} matches ${pattern}`, message),
    fail: (message = "failed") => check(false, () => message, message),
    throws: (body, expected, message) => {
      needFunction(body);
      const thrown = thrownBy(body);
      check(thrown !== undefined, () => "nothing was thrown", message);
      needClear(thrown.error, expected);
      check(fits(thrown.error, expected), () => `${shown(thrown.error)} was thrown, not ${inspect(expected)}`, message);
      return thrown.error;
    },
    doesNotThrow: (body, message) => {
      needFunction(body);
      const thrown = thrownBy(body);
      check(thrown === undefined, () => `${shown(thrown.error)} was thrown`, message);
    },
    ifError: (value) => { if (value !== null && value !== undefined) throw value; },
    rejects: (body, expected, message) => host.awaited("assert.rejects(...)", async () => {
      const thrown = await rejectionOf(body);
      check(thrown !== undefined, () => "it did not reject", message);
      needClear(thrown.error, expected);
      check(fits(thrown.error, expected), () => `it rejected with ${shown(thrown.error)}, not ${inspect(expected)}`, message);
      return thrown.error;
    }),
    doesNotReject: (body, message) => host.awaited("assert.doesNotReject(...)", async () => {
      const thrown = await rejectionOf(body);
      check(thrown === undefined, () => `it rejected with ${shown(thrown.error)}`, message);
    }),
  });
  assert.strictEqual = assert.equal;
  assert.notStrictEqual = assert.notEqual;
  assert.deepStrictEqual = assert.deepEqual;
  assert.notDeepStrictEqual = assert.notDeepEqual;
  assert.strict = assert;

  return { assert, AssertionError, check, fitsThrown, matches, thrownBy, rejectionOf, isStrictlyEqual, isEqual, contains, whyDifferent };
})
