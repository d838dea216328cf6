// SPDX-License-Identifier: MIT
// The test runner of `nbridge test`: test, describe, hooks, assert, expect. Tests are collected while the file runs and
// run afterwards, one by one; each is told to the host as it ends, with what it left open.
((host) => {
  "use strict";
  const { report, inspect, openCalls, now, filter, setTimer, clearTimer } = host;
  const { defineProperty, getPrototypeOf, is } = Object;
  const { isArray } = Array;
  const { ownKeys } = Reflect;

  // --- Collecting -----------------------------------------------------------------------------------------

  const makeSuite = (name, parent, mode) => ({
    name, parent, mode, items: [],
    hooks: { before: [], after: [], beforeEach: [], afterEach: [] },
  });
  const root = makeSuite("", null, "");
  let current = root;
  let hasOnly = false;
  const DEFAULT_LIMIT = 5000;

  const read = (args) => {
    const [name, options, body] = typeof args[1] === "function" ? [args[0], args[2] ?? {}, args[1]] : args;
    if (typeof name !== "string" || name === "") throw new TypeError("a test needs a name: test('adds', () => { ... })");
    return { name, options: typeof options === "number" ? { timeout: options } : options ?? {}, body };
  };

  const addTest = (mode) => (...args) => {
    const { name, options, body } = read(args);
    if (mode !== "todo" && typeof body !== "function") throw new TypeError(`the test '${name}' needs a function`);
    const chosen = options.only ? "only" : options.skip ? "skip" : options.todo ? "todo" : mode;
    if (chosen === "only") hasOnly = true;
    current.items.push({ name, body, mode: chosen, limit: options.timeout ?? DEFAULT_LIMIT, suite: current });
  };

  const addSuite = (mode) => (...args) => {
    const { name, body } = read(args);
    const suite = makeSuite(name, current, mode);
    if (mode === "only") hasOnly = true;
    current.items.push(suite);
    current = suite;
    try {
      const result = body();
      if (typeof result?.then === "function") throw new TypeError(`describe '${name}' must not be async`);
    } finally {
      current = suite.parent;
    }
  };

  const withModes = (add) => Object.assign(add(""), { only: add("only"), skip: add("skip"), todo: add("todo") });
  const test = withModes(addTest);
  const describe = withModes(addSuite);
  const hook = (name) => (body) => {
    if (typeof body !== "function") throw new TypeError(`${name} needs a function`);
    current.hooks[name].push(body);
  };

  // --- Running --------------------------------------------------------------------------------------------

  const chain = (suite) => (suite === null ? [] : [...chain(suite.parent), suite]);
  const titleOf = (item) => [...chain(item.suite).map((suite) => suite.name), item.name].filter(Boolean).join(" > ");

  const limited = async (body, limit) => {
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimer(() => reject(new Error(`did not end within ${limit} ms`)), limit);
    });
    try { await Promise.race([(async () => body())(), late]); } finally { clearTimer(timer); }
  };

  /** What stands against running a test: "skip", "todo", "" for nothing, null for not chosen. */
  const modeOf = (item, title) => {
    const modes = [...chain(item.suite).map((suite) => suite.mode), item.mode];
    if (filter !== undefined && !title.includes(filter)) return null;
    if (modes.includes("skip")) return "skip";
    if (modes.includes("todo")) return "todo";
    return hasOnly && !modes.includes("only") ? "skip" : "";
  };

  const describeError = (error) => (typeof error === "object" && error !== null
    ? { name: `${error.name ?? "Error"}`, message: `${error.message ?? ""}`, code: error.code, stack: `${error.stack ?? ""}` }
    : { name: "Error", message: `${inspect(error)} was thrown`, stack: "" });

  const runTest = async (item) => {
    const title = titleOf(item);
    const mode = modeOf(item, title);
    if (mode === null) return;
    if (mode !== "") return report({ title, outcome: mode });
    const suites = chain(item.suite);
    const start = now();
    const before = new Set(openCalls().map(({ id }) => id));
    let error;
    const attempt = async (body) => {
      try { await limited(body, item.limit); } catch (thrown) { error ??= describeError(thrown); }
    };
    for (const suite of suites) for (const body of suite.hooks.beforeEach) await attempt(body);
    if (error === undefined) await attempt(item.body);
    for (const suite of suites.reverse()) for (const body of suite.hooks.afterEach) await attempt(body);
    const left = openCalls().filter(({ id }) => !before.has(id)).map(({ text }) => text);
    if (error === undefined && left.length > 0) {
      error = { name: "Leak", message: `left open: ${left.join("; ")}`, stack: "" };
    }
    report({ title, outcome: error === undefined ? "pass" : "fail", milliseconds: now() - start, error });
  };

  const runSuite = async (suite) => {
    let error;
    const attempt = async (name) => {
      for (const body of suite.hooks[name]) {
        try { await limited(body, DEFAULT_LIMIT); } catch (thrown) { error ??= { ...describeError(thrown), hook: name }; }
      }
    };
    await attempt("before");
    if (error === undefined) for (const item of suite.items) await (item.items ? runSuite(item) : runTest(item));
    await attempt("after");
    if (error !== undefined) {
      const title = [...chain(suite).map((one) => one.name), error.hook].filter(Boolean).join(" > ");
      report({ title, outcome: "fail", milliseconds: 0, error });
    }
  };

  // --- Comparing ------------------------------------------------------------------------------------------

  /** Same structure: own enumerable members, prototypes, the contents of Map, Set, Date, bytes, errors. */
  const same = (a, b, seen = new Map()) => {
    if (is(a, b)) return true;
    if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
    if (getPrototypeOf(a) !== getPrototypeOf(b)) return false;
    if (seen.get(a) === b) return true;
    seen.set(a, b);
    if (a instanceof Date) return is(+a, +b);
    if (a instanceof RegExp) return `${a}` === `${b}`;
    if (a instanceof ArrayBuffer) return same(new Uint8Array(a), new Uint8Array(b), seen);
    if (a instanceof Map) {
      return a.size === b.size && [...a].every(([key, value]) => b.has(key) && same(value, b.get(key), seen));
    }
    if (a instanceof Set) {
      return a.size === b.size && [...a].every((value) => b.has(value) || [...b].some((other) => same(value, other, seen)));
    }
    if (a instanceof Error && (a.message !== b.message || a.name !== b.name)) return false;
    if (isArray(a) && a.length !== b.length) return false;
    const keys = enumerable(a);
    return keys.length === enumerable(b).length
      && keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key], seen));
  };
  const enumerable = (object) => ownKeys(object).filter((key) => Object.prototype.propertyIsEnumerable.call(object, key));

  /** Whether `pattern`'s members are in `value`. */
  const contains = (value, pattern) => (typeof pattern === "object" && pattern !== null && typeof value === "object"
    && value !== null ? enumerable(pattern).every((key) => key in value && contains(value[key], pattern[key]))
    : same(value, pattern));

  /** Whether an error is what was expected: nothing, a part of its message, a pattern, a class, members, a predicate. */
  const fits = (error, expected) => {
    if (expected === undefined) return true;
    if (typeof expected === "string") return `${error?.message ?? error}`.includes(expected);
    if (expected instanceof RegExp) return expected.test(`${error?.message ?? error}`);
    if (typeof expected === "function") {
      return expected.prototype !== undefined && error instanceof expected
        || (!(expected.prototype instanceof Error) && expected !== Error && expected(error) === true);
    }
    return contains(error, expected);
  };

  // --- assert ---------------------------------------------------------------------------------------------

  class AssertionError extends Error {
    constructor(message) {
      super(message);
      defineProperty(this, "name", { __proto__: null, value: "AssertionError", configurable: true, writable: true });
    }
  }
  const check = (passed, message, own) => {
    if (passed) return;
    if (own instanceof Error) throw own;
    throw new AssertionError(own === undefined ? message() : `${own}`);
  };
  const thrownBy = (body) => { try { body(); } catch (error) { return { error }; } return undefined; };
  const rejectionOf = async (body) => {
    try { await (typeof body === "function" ? body() : body); } catch (error) { return { error }; }
    return undefined;
  };

  const assert = (value, message) => check(value, () => `${inspect(value)} is not truthy`, message);
  Object.assign(assert, {
    AssertionError,
    ok: assert,
    equal: (a, b, message) => check(is(a, b), () => `${inspect(a)} is not ${inspect(b)}`, message),
    notEqual: (a, b, message) => check(!is(a, b), () => `both are ${inspect(a)}`, message),
    deepEqual: (a, b, message) => check(same(a, b), () => `not the same:\n  ${inspect(a)}\n  ${inspect(b)}`, message),
    notDeepEqual: (a, b, message) => check(!same(a, b), () => `both are ${inspect(a)}`, message),
    match: (text, pattern, message) => check(pattern.test(text), () => `${inspect(text)} does not match ${pattern}`, message),
    fail: (message = "failed") => check(false, () => message, message),
    throws: (body, expected, message) => {
      const thrown = thrownBy(body);
      check(thrown !== undefined, () => "nothing was thrown", message);
      check(fits(thrown.error, expected), () => `${inspect(thrown.error)} was thrown, not ${inspect(expected)}`, message);
      return thrown.error;
    },
    rejects: async (body, expected, message) => {
      const thrown = await rejectionOf(body);
      check(thrown !== undefined, () => "it did not reject", message);
      check(fits(thrown.error, expected), () => `it rejected with ${inspect(thrown.error)}, not ${inspect(expected)}`, message);
      return thrown.error;
    },
  });
  assert.strictEqual = assert.equal;
  assert.deepStrictEqual = assert.deepEqual;

  // --- expect ---------------------------------------------------------------------------------------------

  const MATCHERS = {
    toBe: { passes: is, says: "to be" },
    toEqual: { passes: (a, b) => same(a, b), says: "to equal" },
    toStrictEqual: { passes: (a, b) => same(a, b), says: "to equal" },
    toMatchObject: { passes: contains, says: "to have the members" },
    toBeTruthy: { passes: (a) => Boolean(a), says: "to be truthy" },
    toBeFalsy: { passes: (a) => !a, says: "to be falsy" },
    toBeNull: { passes: (a) => a === null, says: "to be null" },
    toBeUndefined: { passes: (a) => a === undefined, says: "to be undefined" },
    toBeDefined: { passes: (a) => a !== undefined, says: "to be defined" },
    toBeNaN: { passes: (a) => is(a, NaN), says: "to be NaN" },
    toBeInstanceOf: { passes: (a, b) => a instanceof b, says: "to be an instance of" },
    toBeGreaterThan: { passes: (a, b) => a > b, says: "to be greater than" },
    toBeGreaterThanOrEqual: { passes: (a, b) => a >= b, says: "to be at least" },
    toBeLessThan: { passes: (a, b) => a < b, says: "to be less than" },
    toBeLessThanOrEqual: { passes: (a, b) => a <= b, says: "to be at most" },
    toBeCloseTo: { passes: (a, b, digits = 2) => Math.abs(a - b) < 10 ** -digits / 2, says: "to be close to" },
    toContain: { passes: (a, b) => (typeof a === "string" ? a.includes(b) : [...a].includes(b)), says: "to contain" },
    toContainEqual: { passes: (a, b) => [...a].some((one) => same(one, b)), says: "to contain" },
    toHaveLength: { passes: (a, b) => a?.length === b, says: "to have the length" },
    toHaveProperty: {
      passes: (a, path, ...value) => {
        const keys = isArray(path) ? path : `${path}`.split(".");
        let at = a;
        for (const key of keys) {
          if (at === null || at === undefined || !(key in Object(at))) return false;
          at = at[key];
        }
        return value.length === 0 || same(at, value[0]);
      },
      says: "to have the property",
    },
    toMatch: { passes: (a, b) => (typeof b === "string" ? a.includes(b) : b.test(a)), says: "to match" },
    toThrow: {
      passes: (a, b) => {
        const thrown = typeof a === "function" ? thrownBy(a) : { error: a };
        return thrown !== undefined && fits(thrown.error, b);
      },
      says: "to throw",
    },
  };

  const matchersFor = (value, negated) => {
    const matchers = {};
    for (const [name, { passes, says }] of Object.entries(MATCHERS)) {
      matchers[name] = (...args) => check(passes(value, ...args) !== negated, () => {
        const what = args.map((arg) => ` ${inspect(arg)}`).join(",");
        return `expected ${inspect(value)} ${negated ? "not " : ""}${says}${what}`;
      });
    }
    return matchers;
  };

  /** The same matchers, for what a promise settles to. */
  const later = (settle, negated) => {
    const matchers = {};
    for (const name of Object.keys(MATCHERS)) {
      matchers[name] = async (...args) => matchersFor(await settle(), negated)[name](...args);
    }
    return matchers;
  };

  const expect = (value) => {
    const resolved = async () => (typeof value === "function" ? value() : value);
    const rejected = async () => {
      const thrown = await rejectionOf(value);
      check(thrown !== undefined, () => "expected a rejection; it resolved");
      return thrown.error;
    };
    return {
      ...matchersFor(value, false), not: matchersFor(value, true),
      resolves: { ...later(resolved, false), not: later(resolved, true) },
      rejects: { ...later(rejected, false), not: later(rejected, true) },
    };
  };

  return {
    globals: {
      test, it: test, describe, assert, expect,
      before: hook("before"), after: hook("after"), beforeAll: hook("before"), afterAll: hook("after"),
      beforeEach: hook("beforeEach"), afterEach: hook("afterEach"),
    },
    /** Runs what was collected. */
    run: () => runSuite(root),
  };
})
