// SPDX-License-Identifier: MIT
// What a file of tests declares: suites, which know those that they are in, and what a declaration's arguments say.
((host) => {
  "use strict";
  const { inspect } = host;
  const { Object, TypeError } = globalThis;
  const { defineProperty } = Object;
  const { min } = Math;
  const { isSafeInteger } = Number;
  const { apply, ownKeys } = Reflect;
  const uncurry = (method) => (self, ...args) => apply(method, self, args);
  const join = uncurry(Array.prototype.join);
  const includes = uncurry(Array.prototype.includes);
  // A plain assignment would run a setter that a file has put on Array.prototype.
  const add = (list, item) => {
    defineProperty(list, list.length, { __proto__: null, value: item, writable: true, enumerable: true, configurable: true });
  };
  const each = (list, body) => { for (let index = 0; index < list.length; index++) body(list[index]); };
  const DEFAULT_LIMIT = 5000;

  /** `limit` is that of its tests, in milliseconds; `reason` says why it is skipped, or to come. */
  const makeSuite = (name, parent, mode, limit = DEFAULT_LIMIT, reason = "") => ({
    name, parent, mode, limit, reason, items: [],
    hooks: { before: [], after: [], beforeEach: [], afterEach: [] },
  });

  /** The suites that a suite is in, the outermost first, and itself. */
  const chain = (suite) => {
    const list = suite === null ? [] : chain(suite.parent);
    if (suite !== null) add(list, suite);
    return list;
  };
  /** The names of suites, and `name`, joined by " > ". */
  const titleIn = (suite, name) => {
    const names = [];
    each(chain(suite), (one) => { if (one.name !== "") add(names, one.name); });
    add(names, name);
    return join(names, " > ");
  };

  /** Options that were given: one on Object.prototype must not skip a test. */
  const ownOptions = (given) => {
    const options = { __proto__: null };
    each(ownKeys(given), (key) => { options[key] = given[key]; });
    return options;
  };

  const OPTIONS = ["timeout", "skip", "todo", "only", "allowsLeaks", "concurrency", "plan", "signal"];

  /** In how many letters two words differ. */
  const distance = (a, b) => {
    let row = [];
    for (let at = 0; at <= b.length; at++) row[at] = at;
    for (let i = 1; i <= a.length; i++) {
      const next = [i];
      for (let at = 1; at <= b.length; at++) {
        next[at] = min(row[at] + 1, next[at - 1] + 1, row[at - 1] + (a[i - 1] === b[at - 1] ? 0 : 1));
      }
      row = next;
    }
    return row[b.length];
  };
  /** The option that a wrong one was meant to be; undefined where none is like it. */
  const nearest = (word) => {
    let best, least = 3;
    each(OPTIONS, (option) => {
      const far = distance(word, option);
      if (far >= least || far >= option.length / 2) return;
      best = option;
      least = far;
    });
    return best;
  };

  /** An option that does nothing would be one that was meant. */
  const needKnown = (options, name, isSuite) => each(ownKeys(options), (key) => {
    if (key === "plan" && isSuite) throw new TypeError(`'${name}' is a suite, and a plan is for a test`);
    if (includes(OPTIONS, key)) return;
    const meant = typeof key === "string" ? nearest(key) : undefined;
    throw new TypeError(`'${name}' has the option ${inspect(key)}, and there is none of that name: ${
      meant === undefined ? `there are ${join(OPTIONS, ", ")}` : `did you mean '${meant}'?`}`);
  });

  /** How many assertions a test is to make; undefined where it may make any number. */
  const planOf = ({ plan }, name) => {
    if (plan === undefined || isSafeInteger(plan) && plan >= 0) return plan;
    throw new TypeError(`'${name}' needs a plan of 0 or more assertions, a whole number, not ${inspect(plan)}`);
  };

  const read = (args, isSuite = false) => {
    const isBodySecond = typeof args[1] === "function";
    const name = args[0];
    const options = args[isBodySecond ? 2 : 1];
    const body = args[isBodySecond ? 1 : 2];
    if (typeof name !== "string" || name === "") throw new TypeError("a test needs a name: test('adds', () => { ... })");
    const given = typeof options === "number" ? { __proto__: null, timeout: options } : ownOptions(options ?? {});
    needKnown(given, name, isSuite);
    return { name, options: given, body };
  };

  const limitOf = (options, name, suite) => {
    const limit = options.timeout ?? suite.limit;
    if (typeof limit === "number" && limit > 0) return limit;
    throw new TypeError(`'${name}' needs a timeout above 0, in milliseconds, not ${inspect(limit)}`);
  };

  /** The AbortSignal that ends a test; without one that of the suite, or of the test, that it is in. */
  const signalOf = ({ signal }, name, outer) => {
    if (signal === undefined) return outer.signal;
    if (typeof signal?.aborted === "boolean" && typeof signal.addEventListener === "function") return signal;
    throw new TypeError(`'${name}' needs an AbortSignal as its signal, not ${inspect(signal)}`);
  };

  /** What options say of a test or a suite; else what the declaration itself says: `only`, `skip`, `todo` or "". */
  const modeIn = (options, mode) => options.only ? "only" : options.skip ? "skip" : options.todo ? "todo" : mode;

  /** The text that options give for a mode, `{ skip: "why" }`; "" for none. */
  const reasonIn = (options, mode) => (typeof options[mode] === "string" ? options[mode] : "");
  /** Why a test does not run: what the outermost suite says that has the mode, else what it says itself. */
  const reasonOf = (item, mode) => {
    let found = "";
    each(chain(item.suite), (suite) => { if (found === "" && suite.mode === mode) found = suite.reason; });
    return found === "" && item.mode === mode ? item.reason : found;
  };

  /** The hooks of all suites that a test is in, as they run. */
  const hooksOf = (item, name) => {
    const suites = chain(item.suite);
    const hooks = [];
    for (let at = 0; at < suites.length; at++) {
      const suite = suites[name === "afterEach" ? suites.length - 1 - at : at];
      each(suite.hooks[name], (hook) => add(hooks, hook));
    }
    return hooks;
  };

  /** What stands against running a test, of which some are `only`: "skip", "todo", or "" for nothing. */
  const modeUnder = (item, hasOnly) => {
    const modes = [];
    each(chain(item.suite), (suite) => add(modes, suite.mode));
    add(modes, item.mode);
    if (includes(modes, "skip")) return "skip";
    if (includes(modes, "todo")) return "todo";
    return hasOnly && !includes(modes, "only") ? "skip" : "";
  };

  /** What `only` makes of the chosen tests in a suite: "some" run, "none" does though others would; "" for neither. */
  const selectionIn = (suite, isChosen) => {
    let found = "";
    for (let at = 0; at < suite.items.length && found !== "some"; at++) {
      const item = suite.items[at];
      if (item.items) found = selectionIn(item, isChosen) || found;
      else if (isChosen(item) && modeUnder(item, false) === "") found = modeUnder(item, true) === "" ? "some" : "none";
    }
    return found;
  };

  return { add, each, makeSuite, chain, titleIn, read, limitOf, planOf, signalOf, modeIn, modeUnder, selectionIn, reasonIn, reasonOf, hooksOf,
    DEFAULT_LIMIT };
})
