// SPDX-License-Identifier: MIT
// The matchers of `expect`: of each whether a value passes, what it says, and what it needs of the value and of its own
// arguments. What a matcher can't judge it throws for, before it looks: a "no" would pass behind `.not`.
((host) => {
  "use strict";
  const { brief } = host;
  const { Number, Object, RegExp, TypeError } = globalThis;
  const { fitsThrown, matches, thrownBy, isStrictlyEqual, isEqual, contains } = host.assertions;
  const { isMock, hasReturned } = host.mocks;
  const { is, defineProperty: define } = Object;
  const { isArray } = Array;
  const { apply } = Reflect;
  const { isSafeInteger } = Number;
  const { abs } = Math;
  const { iterator } = Symbol;
  // A file of tests may replace them.
  const uncurry = (method) => (self, ...args) => apply(method, self, args);
  const includes = uncurry(Array.prototype.includes);
  const holdsText = uncurry(String.prototype.includes);
  const listOf = Array.from.bind(Array);

  const any = (list, holds) => {
    for (let index = 0; index < list.length; index++) if (holds(list[index])) return true;
    return false;
  };

  const isDigit = (unit) => unit >= "0" && unit <= "9";
  /** Where the number in brackets ends that begins at a place; -1 for none. */
  const endOfIndex = (path, start) => {
    let end = start + 1;
    while (end < path.length && isDigit(path[end])) end++;
    return end > start + 1 && path[end] === "]" ? end : -1;
  };
  /** The keys of `a.b[0]`. */
  const keysOf = (path) => {
    const keys = [""];
    for (let at = 0; at < path.length; at++) {
      const end = path[at] === "[" ? endOfIndex(path, at) : -1;
      if (path[at] !== "." && end < 0) {
        keys[keys.length - 1] += path[at];
      } else {
        define(keys, keys.length, { __proto__: null, value: "", writable: true });
        for (; at + 1 < end; at++) keys[keys.length - 1] += path[at + 1];
        if (end >= 0) at = end;
      }
    }
    return keys;
  };

  /** Reads `a.b[0]`, or a list of keys. */
  const follow = (value, path) => {
    const keys = isArray(path) ? path : keysOf(`${path}`);
    let at = value;
    for (let index = 0; index < keys.length; index++) {
      if (at === null || at === undefined || !(keys[index] in Object(at))) return undefined;
      at = at[keys[index]];
    }
    return { value: at };
  };

  // --- What they need -------------------------------------------------------------------------------------

  const need = (holds, name, what, value) => {
    if (!holds) throw new TypeError(`${name} needs ${what}, not ${brief(value)}`);
  };
  const needMock = (value, args, name) => need(isMock(value), name, "a mock.fn()", value);
  const isNumber = (value) => typeof value === "number" || typeof value === "bigint";
  const needNumbers = (value, args, name) => {
    need(isNumber(value), name, "a number", value);
    need(isNumber(args[0]), name, "a number to compare with", args[0]);
  };
  const needCount = (least) => (value, args, name) => {
    needMock(value, args, name);
    need(isSafeInteger(args[0]) && args[0] >= least, name, `a whole number of ${least} or more`, args[0]);
  };
  const isPattern = (value) => typeof value === "string" || value instanceof RegExp;
  const isSet = (value) => value !== null && value !== undefined;
  const isList = (value) => isSet(value) && typeof value !== "function"
    && (typeof value[iterator] === "function" || isSafeInteger(value.length));
  const needList = (value, args, name) => need(isList(value), name, "a text, a list or what gives items", value);
  const isObject = (value) => typeof value === "object" && value !== null;
  const TYPES = ["string", "number", "bigint", "boolean", "symbol", "undefined", "object", "function"];

  const itemsOf = (value) => (isArray(value) ? value : listOf(value));
  const callsOf = (value) => value.mock.calls;
  const callAt = (value, index) => callsOf(value)[index];
  const calledWith = (call, args) => call !== undefined && isEqual(call.arguments, args);
  const returned = (call, value) => call !== undefined && hasReturned(call) && isEqual(call.result, value);
  const returns = (value) => {
    let count = 0;
    any(callsOf(value), (call) => { if (hasReturned(call)) count++; });
    return count;
  };
  // --- What a failure tells of a mock's calls -------------------------------------------------------------

  const MOST_CALLS = 10;
  const argumentsOf = (call) => {
    const args = call.arguments;
    let text = args.length === 0 ? "nothing" : "";
    for (let at = 0; at < args.length; at++) text += `${at === 0 ? "" : ", "}${brief(args[at])}`;
    return `with ${text}`;
  };
  const outcomeIn = (call) => (hasReturned(call) ? `returned ${brief(call.result)}` : `threw ${brief(call.error)}`);
  const listed = (tell) => (value) => {
    const calls = callsOf(value);
    if (calls.length === 0) return "\nit was not called";
    let text = `\nit was called ${calls.length === 1 ? "once" : `${calls.length} times`}:`;
    for (let at = 0; at < calls.length && at < MOST_CALLS; at++) text += `\n  ${at + 1}. ${tell(calls[at])}`;
    return calls.length > MOST_CALLS ? `${text}\n  ... ${calls.length - MOST_CALLS} more` : text;
  };
  const tellsCalls = listed(argumentsOf);
  const tellsOutcomes = listed(outcomeIn);

  const isClose = (a, b, digits = 2) => a === b || abs(a - b) < 10 ** -digits / 2;

  // --- The matchers ---------------------------------------------------------------------------------------

  // `isAlone`: it takes no argument, and one that is given would be ignored. `compares`: a report shows both values.
  // `explains`: two that look the same may differ. `tells`: what a report says of the value beside that.
  const MATCHERS = {
    toBe: { passes: is, says: "to be", compares: true },
    toEqual: { passes: isEqual, says: "to equal", compares: true, explains: true },
    toStrictEqual: { passes: isStrictlyEqual, says: "to equal, with types,", compares: true, explains: true },
    toMatchObject: {
      passes: (a, b) => contains(a, b), says: "to have the members", compares: true,
      needs: (value, args, name) => {
        need(isObject(value), name, "an object", value);
        need(isObject(args[0]), name, "an object to compare with", args[0]);
      },
    },
    toBeTruthy: { passes: (a) => !!a, says: "to be truthy", isAlone: true },
    toBeFalsy: { passes: (a) => !a, says: "to be falsy", isAlone: true },
    toBeNull: { passes: (a) => a === null, says: "to be null", isAlone: true },
    toBeUndefined: { passes: (a) => a === undefined, says: "to be undefined", isAlone: true },
    toBeDefined: { passes: (a) => a !== undefined, says: "to be defined", isAlone: true },
    toBeNaN: { passes: (a) => is(a, NaN), says: "to be NaN", isAlone: true },
    toBeTypeOf: {
      passes: (a, b) => typeof a === b, says: "to be of the type",
      needs: (value, args, name) => need(includes(TYPES, args[0]), name, "the name of a type", args[0]),
    },
    toBeInstanceOf: {
      passes: (a, b) => a instanceof b, says: "to be an instance of",
      needs: (value, args, name) => need(typeof args[0] === "function", name, "a class", args[0]),
    },
    toBeGreaterThan: { passes: (a, b) => a > b, says: "to be greater than", needs: needNumbers },
    toBeGreaterThanOrEqual: { passes: (a, b) => a >= b, says: "to be at least", needs: needNumbers },
    toBeLessThan: { passes: (a, b) => a < b, says: "to be less than", needs: needNumbers },
    toBeLessThanOrEqual: { passes: (a, b) => a <= b, says: "to be at most", needs: needNumbers },
    toBeCloseTo: {
      passes: isClose, says: "to be close to",
      needs: (value, args, name) => {
        need(typeof value === "number", name, "a number", value);
        need(typeof args[0] === "number", name, "a number to compare with", args[0]);
        need(args[1] === undefined || isSafeInteger(args[1]), name, "a whole number of digits", args[1]);
      },
    },
    toContain: {
      passes: (a, b) => (typeof a === "string" ? holdsText(a, b) : any(itemsOf(a), (one) => one === b || is(one, b))),
      says: "to contain",
      needs: (value, args, name) => {
        needList(value, args, name);
        need(typeof value !== "string" || typeof args[0] === "string", name, "a text to look for in a text", args[0]);
      },
    },
    toContainEqual: { passes: (a, b) => any(itemsOf(a), (one) => isEqual(one, b)), says: "to contain", needs: needList },
    toHaveLength: {
      passes: (a, b) => a.length === b, says: "to have the length",
      needs: (value, args, name) => {
        need(isSafeInteger(args[0]) && args[0] >= 0, name, "a number, whole and of 0 or more", args[0]);
        need(typeof value?.length === "number", name, "a value with a length", value);
      },
    },
    toHaveProperty: {
      passes: (a, path, ...value) => {
        const found = follow(a, path);
        return found !== undefined && (value.length === 0 || isEqual(found.value, value[0]));
      },
      says: "to have the property",
      needs: (value, args, name) => {
        need(isSet(value), name, "an object", value);
        need(typeof args[0] === "string" || (isArray(args[0]) && args[0].length > 0), name,
          "a path: a text or a list of keys", args[0]);
      },
    },
    toMatch: {
      passes: (a, b) => (typeof b === "string" ? holdsText(a, b) : matches(a, b)), says: "to match",
      needs: (value, args, name) => {
        need(typeof value === "string", name, "a text", value);
        need(isPattern(args[0]), name, "a text or a pattern", args[0]);
      },
    },
    toThrow: {
      passes: (a, b) => {
        const thrown = thrownBy(a);
        return thrown !== undefined && fitsThrown(thrown.error, b);
      },
      says: "to throw",
      needs: (value, args, name) => {
        need(typeof value === "function", name, "a function", value);
        const wanted = args[0];
        need(wanted === undefined || isPattern(wanted) || typeof wanted === "function" || isObject(wanted), name,
          "nothing, a text, a pattern, a class or an error", wanted);
      },
    },
    toHaveBeenCalled: {
      passes: (a) => callsOf(a).length > 0, says: "to have been called", isAlone: true, needs: needMock, tells: tellsCalls,
    },
    toHaveBeenCalledTimes: {
      passes: (a, b) => callsOf(a).length === b, says: "to have been called, times:", needs: needCount(0), tells: tellsCalls,
    },
    toHaveBeenCalledWith: {
      passes: (a, ...args) => any(callsOf(a), (call) => calledWith(call, args)), says: "to have been called with",
      needs: needMock, tells: tellsCalls,
    },
    toHaveBeenLastCalledWith: {
      passes: (a, ...args) => calledWith(callAt(a, callsOf(a).length - 1), args), says: "to have been called last with",
      needs: needMock, tells: tellsCalls,
    },
    toHaveBeenNthCalledWith: {
      passes: (a, nth, ...args) => calledWith(callAt(a, nth - 1), args), says: "to have been called, the nth time, with",
      needs: needCount(1), tells: tellsCalls,
    },
    toHaveReturned: { passes: (a) => returns(a) > 0, says: "to have returned", isAlone: true, needs: needMock, tells: tellsOutcomes },
    toHaveReturnedTimes: {
      passes: (a, b) => returns(a) === b, says: "to have returned, times:", needs: needCount(0), tells: tellsOutcomes,
    },
    toHaveReturnedWith: {
      passes: (a, b) => any(callsOf(a), (call) => returned(call, b)), says: "to have returned", needs: needMock, tells: tellsOutcomes,
    },
    toHaveLastReturnedWith: {
      passes: (a, b) => returned(callAt(a, callsOf(a).length - 1), b), says: "to have returned last", needs: needMock,
      tells: tellsOutcomes,
    },
    toHaveNthReturnedWith: {
      passes: (a, nth, b) => returned(callAt(a, nth - 1), b), says: "to have returned, the nth time,", needs: needCount(1),
      tells: tellsOutcomes,
    },
  };
  const ALIASES = {
    toThrowError: "toThrow", toBeCalled: "toHaveBeenCalled", toBeCalledTimes: "toHaveBeenCalledTimes",
    toBeCalledWith: "toHaveBeenCalledWith", lastCalledWith: "toHaveBeenLastCalledWith",
    nthCalledWith: "toHaveBeenNthCalledWith", toReturn: "toHaveReturned", toReturnTimes: "toHaveReturnedTimes",
    toReturnWith: "toHaveReturnedWith", lastReturnedWith: "toHaveLastReturnedWith",
    nthReturnedWith: "toHaveNthReturnedWith",
  };
  for (const [alias, name] of Object.entries(ALIASES)) MATCHERS[alias] = MATCHERS[name];

  return { MATCHERS, isClose };
})
