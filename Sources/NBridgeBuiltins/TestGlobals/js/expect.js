// SPDX-License-Identifier: MIT
// `expect(value).toBe(...)`: Jest's matchers, over the assertions.
((host) => {
  "use strict";
  const { inspect, brief, awaited, takeUnawaited, snapshot, inlineSnapshot } = host;
  const { Error, TypeError } = globalThis;
  const { allLines } = host.failures;
  const { AssertionError, check, fits, thrownBy, rejectionOf, isStrictlyEqual, isEqual, contains } = host.assertions;
  const { Matching } = host;
  const { is, keys: keysOf } = Object;
  const { isArray } = Array;
  const { apply } = Reflect;
  // A file of tests may replace them.
  const uncurry = (method) => (self, ...args) => apply(method, self, args);
  const some = uncurry(Array.prototype.some);
  const every = uncurry(Array.prototype.every);
  const concat = uncurry(Array.prototype.concat);
  const includes = uncurry(Array.prototype.includes);
  const listOf = Array.from.bind(Array);
  const isWellFormed = uncurry(String.prototype.isWellFormed);

  /** Reads `a.b[0]`, or a list of keys. */
  const follow = (value, path) => {
    const keys = isArray(path) ? path : `${path}`.replace(/\[(\d+)\]/g, ".$1").split(".");
    let at = value;
    for (const key of keys) {
      if (at === null || at === undefined || !(key in Object(at))) return undefined;
      at = at[key];
    }
    return { value: at };
  };

  const mockOf = (value) => {
    if (!isArray(value?.mock?.calls)) throw new TypeError(`a mock.fn() is needed, not ${inspect(value)}`);
    return value.mock;
  };
  const number = (value) => {
    if (typeof value !== "number" && typeof value !== "bigint") throw new TypeError(`a number is needed, not ${inspect(value)}`);
    return value;
  };
  const sameZero = (a, b) => a === b || is(a, b);
  const calledWith = (call, args) => isEqual(call?.arguments ?? [], args) && call !== undefined;

  const MATCHERS = {
    toBe: { passes: is, says: "to be", compares: true },
    toEqual: { passes: isEqual, says: "to equal", compares: true },
    toStrictEqual: { passes: isStrictlyEqual, says: "to equal, with types,", compares: true },
    toMatchObject: { passes: (a, b) => contains(a, b), says: "to have the members", compares: true },
    toBeTruthy: { passes: (a) => Boolean(a), says: "to be truthy" },
    toBeFalsy: { passes: (a) => !a, says: "to be falsy" },
    toBeNull: { passes: (a) => a === null, says: "to be null" },
    toBeUndefined: { passes: (a) => a === undefined, says: "to be undefined" },
    toBeDefined: { passes: (a) => a !== undefined, says: "to be defined" },
    toBeNaN: { passes: (a) => is(a, NaN), says: "to be NaN" },
    toBeTypeOf: { passes: (a, b) => typeof a === b, says: "to be of the type" },
    toBeInstanceOf: { passes: (a, b) => a instanceof b, says: "to be an instance of" },
    toBeGreaterThan: { passes: (a, b) => number(a) > number(b), says: "to be greater than" },
    toBeGreaterThanOrEqual: { passes: (a, b) => number(a) >= number(b), says: "to be at least" },
    toBeLessThan: { passes: (a, b) => number(a) < number(b), says: "to be less than" },
    toBeLessThanOrEqual: { passes: (a, b) => number(a) <= number(b), says: "to be at most" },
    toBeCloseTo: {
      passes: (a, b, digits = 2) => is(number(a), number(b)) || Math.abs(a - b) < 10 ** -digits / 2, says: "to be close to",
    },
    toContain: { passes: (a, b) => (typeof a === "string" ? a.includes(b) : some(listOf(a), (one) => sameZero(one, b))), says: "to contain" },
    toContainEqual: { passes: (a, b) => some(listOf(a), (one) => isEqual(one, b)), says: "to contain" },
    toHaveLength: {
      passes(a, b) {
        if (typeof b !== "number") throw new TypeError(`toHaveLength needs a number, not ${inspect(b)}`);
        return a?.length === b;
      },
      says: "to have the length",
    },
    toHaveProperty: {
      passes: (a, path, ...value) => {
        const found = follow(a, path);
        return found !== undefined && (value.length === 0 || isEqual(found.value, value[0]));
      },
      says: "to have the property",
    },
    toMatch: { passes: (a, b) => (typeof b === "string" ? a.includes(b) : a.search(b) >= 0), says: "to match" },
    toThrow: {
      passes: (a, b) => {
        const thrown = typeof a === "function" ? thrownBy(a) : undefined;
        return thrown !== undefined && fits(thrown.error, b);
      },
      says: "to throw",
      needs: (a) => { if (typeof a !== "function") throw new TypeError(`toThrow needs a function, not ${inspect(a)}`); },
    },
    toHaveBeenCalled: { passes: (a) => mockOf(a).calls.length > 0, says: "to have been called" },
    toHaveBeenCalledTimes: { passes: (a, b) => mockOf(a).calls.length === b, says: "to have been called, times:" },
    toHaveBeenCalledWith: {
      passes: (a, ...args) => some(mockOf(a).calls, (call) => calledWith(call, args)), says: "to have been called with",
    },
    toHaveBeenLastCalledWith: {
      passes: (a, ...args) => calledWith(mockOf(a).calls.at(-1), args), says: "to have been called last with",
    },
    toHaveBeenNthCalledWith: {
      passes: (a, nth, ...args) => calledWith(mockOf(a).calls[nth - 1], args), says: "to have been called, the nth time, with",
    },
    toHaveReturned: {
      passes: (a) => some(mockOf(a).calls, ({ error }) => error === undefined), says: "to have returned",
    },
    toHaveReturnedWith: {
      passes: (a, b) => some(mockOf(a).calls, ({ error, result }) => error === undefined && isEqual(result, b)),
      says: "to have returned",
    },
  };
  const ALIASES = {
    toThrowError: "toThrow", toBeCalled: "toHaveBeenCalled", toBeCalledTimes: "toHaveBeenCalledTimes",
    toBeCalledWith: "toHaveBeenCalledWith", lastCalledWith: "toHaveBeenLastCalledWith",
    nthCalledWith: "toHaveBeenNthCalledWith", toReturn: "toHaveReturned", toReturnWith: "toHaveReturnedWith",
  };
  for (const [alias, name] of Object.entries(ALIASES)) MATCHERS[alias] = MATCHERS[name];

  const compare = (found, text, what) => {
    const kept = found[0];
    if (kept === true) return;
    if (kept === undefined) {
      throw new AssertionError(`there is no ${what} '${found[1]}' yet: --update-snapshots writes it. It is:\n${text}`);
    }
    throw new AssertionError({
      message: `not the ${what} '${found[1]}'; if it is right as it is now, --update-snapshots writes it`,
      actual: text.includes("\n") ? text : `${text}\n`, expected: kept.includes("\n") ? kept : `${kept}\n`,
    });
  };

  const messageOf = (value, name) => {
    if (typeof value !== "function") throw new TypeError(`${name} needs a function, not ${inspect(value)}`);
    const thrown = thrownBy(value);
    check(thrown !== undefined, () => "nothing was thrown");
    return `${thrown.error?.message ?? thrown.error}`;
  };

  /** In a file, all halves of characters are the same. */
  const whole = (text) => {
    check(isWellFormed(text), () => "a snapshot can't hold half a character (a lone surrogate), as this text has:\n"
      + `${inspect(text)}\nuse toBe(), or take the snapshot of JSON.stringify(value)`);
    return text;
  };

  /** Strings in quotes: "5" is another value than 5. */
  const linesOf = (value) => (typeof value === "string" ? `"${value}"` : allLines(value));

  /** With a text that is kept in a file. */
  const besideText = (made, hint = "") => {
    const text = whole(made);
    compare(snapshot(text, whole(`${hint}`)), text, "snapshot");
  };
  const beside = (value, hint) => besideText(linesOf(value), hint);
  const besideThrown = (name) => (value, hint) => besideText(messageOf(value, name), hint);

  /** With the text that stands in the call itself: `stack` leads to that. */
  const inside = (name, textOf) => (value, kept, stack) => {
    if (kept !== undefined && typeof kept !== "string") {
      throw new TypeError(`${name} takes the text that it compares with, or nothing, not ${inspect(kept)}`);
    }
    const text = whole(textOf(value, name));
    if (kept !== undefined) whole(kept);
    compare(inlineSnapshot(text, kept, name, stack), text, "inline snapshot of");
  };

  /** What has no opposite. */
  const SNAPSHOTS = {
    toMatchSnapshot: beside,
    toThrowErrorMatchingSnapshot: besideThrown("toThrowErrorMatchingSnapshot"),
    toMatchInlineSnapshot: inside("toMatchInlineSnapshot", linesOf),
    toThrowErrorMatchingInlineSnapshot: inside("toThrowErrorMatchingInlineSnapshot", messageOf),
  };
  const SNAPSHOT_NAMES = keysOf(SNAPSHOTS);
  const OF_THROWN = ["toThrow", "toThrowError", "toThrowErrorMatchingSnapshot", "toThrowErrorMatchingInlineSnapshot"];

  const matchersFor = (value, negated, stack) => {
    const matchers = {};
    const names = keysOf(MATCHERS);
    for (let index = 0; index < names.length; index++) {
      const name = names[index];
      const { passes, says, compares, needs } = MATCHERS[name];
      matchers[name] = (...args) => {
        needs?.(value);
        const values = compares && !negated ? { actual: value, expected: args[0] } : undefined;
        check(Boolean(apply(passes, undefined, concat([value], args))) !== negated, () => {
          const what = args.map((arg) => ` ${brief(arg)}`).join(",");
          return `expected ${brief(value)} ${negated ? "not " : ""}${says}${what}`;
        }, undefined, values);
      };
    }
    for (let index = 0; !negated && index < SNAPSHOT_NAMES.length; index++) {
      const name = SNAPSHOT_NAMES[index];
      matchers[name] = (given) => SNAPSHOTS[name](value, given, stack ?? new Error().stack);
    }
    return matchers;
  };

  /** The same matchers, for what a promise settles to. */
  const later = (path, settle, negated) => {
    const matchers = {};
    const names = negated ? keysOf(MATCHERS) : concat(keysOf(MATCHERS), SNAPSHOT_NAMES);
    for (let index = 0; index < names.length; index++) {
      const name = names[index];
      matchers[name] = (...args) => {
        const { stack } = new Error();
        return awaited(`expect(...).${path}.${name}(...)`, async () => {
          const settled = await settle();
          // A rejection's matcher for what was thrown looks at the error itself.
          const value = path.startsWith("rejects") && includes(OF_THROWN, name) ? () => { throw settled; } : settled;
          return apply(matchersFor(value, negated, stack)[name], undefined, args);
        });
      };
    }
    return matchers;
  };

  const expect = (value) => {
    const promised = () => {
      const promise = typeof value === "function" ? value() : value;
      if (typeof promise?.then !== "function") throw new TypeError(`a promise is needed, not ${inspect(promise)}`);
      return promise;
    };
    const resolved = async () => promised();
    const rejected = async () => {
      const thrown = await rejectionOf(value);
      check(thrown !== undefined, () => "expected a rejection; it resolved");
      return thrown.error;
    };
    return {
      ...matchersFor(value, false), not: matchersFor(value, true),
      resolves: { ...later("resolves", resolved, false), not: later("resolves.not", resolved, true) },
      rejects: { ...later("rejects", rejected, false), not: later("rejects.not", rejected, true) },
    };
  };

  // --- Matchers in the place of values --------------------------------------------------------------------

  const matching = (says, value, fits) => new Matching(
    value === undefined ? says : `${says} ${typeof value === "function" ? value.name : inspect(value)}`, fits);
  const PRIMITIVES = new Map([[Number, "number"], [String, "string"], [Boolean, "boolean"], [BigInt, "bigint"],
    [Symbol, "symbol"], [Function, "function"]]);
  const isObject = (value) => typeof value === "object" && value !== null;

  Object.assign(expect, {
    anything: () => matching("anything", undefined, (a) => a !== null && a !== undefined),
    any: (type) => matching("any", type, (a) => typeof a === PRIMITIVES.get(type) || a instanceof type
      || (type === Object && isObject(a))),
    objectContaining: (members) => matching("an object with", members, (a) => isObject(a) && contains(a, members)),
    arrayContaining: (list) => matching("a list with", list,
      (a) => isArray(a) && every(list, (one) => some(a, (other) => isEqual(other, one)))),
    stringContaining: (text) => matching("a text with", text, (a) => typeof a === "string" && a.includes(text)),
    stringMatching: (pattern) => matching("a text that matches", pattern,
      (a) => typeof a === "string" && (typeof pattern === "string" ? a.includes(pattern) : a.search(pattern) >= 0)),
    closeTo: (value, digits = 2) => matching("close to", value,
      (a) => typeof a === "number" && MATCHERS.toBeCloseTo.passes(a, value, digits)),
    /** Fails the test where it is reached. */
    unreachable: (message = "this must not be reached") => check(false, () => message),
  });
  /** Adds matchers, by Jest's shape: `{ toBeEven(value) { return { pass, message: () => "..." } } }`. */
  expect.extend = (more) => {
    for (const [name, matcher] of Object.entries(more)) {
      MATCHERS[name] = {
        passes: (value, ...args) => {
          const { pass } = matcher.call({ equals: isEqual }, value, ...args);
          if (typeof pass !== "boolean") throw new TypeError(`the matcher '${name}' must answer { pass, message }`);
          return pass;
        },
        says: name,
      };
    }
  };

  return { expect, takeUnawaited };
})
