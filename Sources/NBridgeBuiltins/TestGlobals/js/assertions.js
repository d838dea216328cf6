// SPDX-License-Identifier: MIT
// `assert`: functions that throw an AssertionError, with the names of Node's and Deno's. Those with two values keep them, so
// that a report can show how they differ.
((host) => {
  "use strict";
  const { inspect, brief } = host;
  const { isSame, isStrictlyEqual, isEqual, contains } = host.equality;
  const { defineProperty, is } = Object;

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

  /** Whether an error is what was expected: nothing, a part of its message, a pattern, a class, members, a predicate. */
  const fits = (error, expected) => {
    if (expected === undefined) return true;
    if (typeof expected === "string") return `${error?.message ?? error}`.includes(expected);
    if (expected instanceof RegExp) return `${error?.message ?? error}`.search(expected) >= 0;
    if (typeof expected === "function") {
      return expected.prototype !== undefined && error instanceof expected
        || (!(expected.prototype instanceof Error) && expected !== Error && expected(error) === true);
    }
    if (expected instanceof Error) return error instanceof Error && error.message === expected.message;
    return contains(error, expected);
  };

  const needFunction = (body) => {
    if (typeof body !== "function") throw new TypeError(`a function is needed that may throw, not ${inspect(body)}`);
  };
  const thrownBy = (body) => { try { body(); } catch (error) { return { error }; } return undefined; };
  const rejectionOf = async (body) => {
    let promise = body;
    if (typeof body === "function") {
      try { promise = body(); } catch (error) { return { error }; }
    }
    if (typeof promise?.then !== "function") throw new TypeError(`a promise is needed, not ${inspect(promise)}`);
    try { await promise; } catch (error) { return { error }; }
    return undefined;
  };

  const shown = (error) => (error instanceof Error ? `${error.name}: ${error.message}` : inspect(error));
  const text = (value) => {
    if (typeof value !== "string") throw new TypeError(`a text is needed, not ${inspect(value)}`);
    return value;
  };

  const assert = (value, message) => check(value, () => `${inspect(value)} is not truthy`, message);
  Object.assign(assert, {
    AssertionError,
    ok: assert,
    equal: (a, b, message) => check(is(a, b), () => `${brief(a)} is not ${brief(b)}`, message, { actual: a, expected: b }),
    notEqual: (a, b, message) => check(!is(a, b), () => `both are ${brief(a)}`, message),
    deepEqual: (a, b, message) => check(isSame(a, b), () => `${brief(a)} is not the same as ${brief(b)}`, message,
      { actual: a, expected: b }),
    notDeepEqual: (a, b, message) => check(!isSame(a, b), () => `both are ${brief(a)}`, message),
    partialDeepStrictEqual: (a, b, message) => check(contains(a, b), () => `${brief(a)} does not have ${brief(b)}`, message,
      { actual: a, expected: b }),
    match: (a, pattern, message) => check(text(a).search(pattern) >= 0, () => `${inspect(a)} does not match ${pattern}`, message),
    doesNotMatch: (a, pattern, message) => check(text(a).search(pattern) < 0, () => `${inspect(a)} matches ${pattern}`, message),
    fail: (message = "failed") => check(false, () => message, message),
    throws: (body, expected, message) => {
      needFunction(body);
      const thrown = thrownBy(body);
      check(thrown !== undefined, () => "nothing was thrown", message);
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

  return { assert, AssertionError, check, fits, thrownBy, rejectionOf, isStrictlyEqual, isEqual, contains };
})
