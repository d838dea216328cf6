// SPDX-License-Identifier: MIT
// What a file of tests declares: suites, which know those that they are in, and what a declaration's arguments say.
((host) => {
  "use strict";
  const { inspect } = host;
  const { Object, TypeError } = globalThis;
  const { defineProperty } = Object;
  const { apply, ownKeys } = Reflect;
  const uncurry = (method) => (self, ...args) => apply(method, self, args);
  const join = uncurry(Array.prototype.join);
  // A plain assignment would run a setter that a file has put on Array.prototype.
  const add = (list, item) => {
    defineProperty(list, list.length, { __proto__: null, value: item, writable: true, enumerable: true, configurable: true });
  };
  const each = (list, body) => { for (let index = 0; index < list.length; index++) body(list[index]); };
  const DEFAULT_LIMIT = 5000;

  /** `limit` is that of its tests, in milliseconds. */
  const makeSuite = (name, parent, mode, limit = DEFAULT_LIMIT) => ({
    name, parent, mode, limit, items: [],
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

  const read = (args) => {
    const isBodySecond = typeof args[1] === "function";
    const name = args[0];
    const options = args[isBodySecond ? 2 : 1];
    const body = args[isBodySecond ? 1 : 2];
    if (typeof name !== "string" || name === "") throw new TypeError("a test needs a name: test('adds', () => { ... })");
    return { name, options: typeof options === "number" ? { __proto__: null, timeout: options } : ownOptions(options ?? {}), body };
  };

  const limitOf = (options, name, suite) => {
    const limit = options.timeout ?? suite.limit;
    if (typeof limit === "number" && limit > 0) return limit;
    throw new TypeError(`'${name}' needs a timeout above 0, in milliseconds, not ${inspect(limit)}`);
  };

  /** What options say of a test or a suite; else what the declaration itself says: `only`, `skip`, `todo` or "". */
  const modeIn = (options, mode) => options.only ? "only" : options.skip ? "skip" : options.todo ? "todo" : mode;

  return { add, each, makeSuite, chain, titleIn, read, limitOf, modeIn, DEFAULT_LIMIT };
})
