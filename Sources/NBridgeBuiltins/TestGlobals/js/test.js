// SPDX-License-Identifier: MIT
// The test runner of `nbridge test`. A file declares its tests while it runs; then they run one by one. Each step is told
// to the host, which decides what passed: a step that never comes is a test that did not run.
((host) => {
  "use strict";
  const { declare, begin, end, blame, attempt, settled, openCalls, now, setTimer, clearTimer, openTimers } = host;
  const { describe: describeError } = host.failures;
  const { expect, takeUnawaited } = host.expectations;
  const { assert } = host.assertions;
  const { makeMock } = host.mocks;
  const { Error, Map, Object, Promise, Set, TypeError } = globalThis;
  const { assign, defineProperty, freeze } = Object;
  const DEFAULT_LIMIT = 5000;
  /** In the place of a test's number: what fails the file. */
  const FILE = 0;

  // --- Declaring ------------------------------------------------------------------------------------------

  const makeSuite = (name, parent, mode) => ({
    name, parent, mode, items: [],
    hooks: { before: [], after: [], beforeEach: [], afterEach: [] },
  });
  const root = makeSuite("", null, "");
  let current = root;
  let hasOnly = false;
  /** Whether tests can still be declared. */
  let isOpen = true;

  const chain = (suite) => (suite === null ? [] : [...chain(suite.parent), suite]);
  const titleOf = (item) => [...chain(item.suite).map((suite) => suite.name), item.name].filter(Boolean).join(" > ");

  const read = (args) => {
    const [name, options, body] = typeof args[1] === "function" ? [args[0], args[2] ?? {}, args[1]] : args;
    if (typeof name !== "string" || name === "") throw new TypeError("a test needs a name: test('adds', () => { ... })");
    return { name, options: typeof options === "number" ? { timeout: options } : options ?? {}, body };
  };

  /** A test that is declared too late would never run, and whoever catches the error would not see that. */
  const needOpen = (what) => {
    if (isOpen) return;
    const error = new Error(`${what} came after the file had declared its tests, so it never runs; inside of a test use its `
      + "context: test('outer', async (t) => { await t.test('inner', ...) })");
    blame(FILE, ...describeError(error));
    throw error;
  };

  const limitOf = (options, name) => {
    const limit = options.timeout ?? DEFAULT_LIMIT;
    if (typeof limit === "number" && limit > 0) return limit;
    throw new TypeError(`the test '${name}' needs a timeout above 0, in milliseconds, not ${limit}`);
  };

  const addTest = (mode) => (...args) => {
    const { name, options, body } = read(args);
    needOpen(`test('${name}')`);
    if (mode !== "todo" && typeof body !== "function") throw new TypeError(`the test '${name}' needs a function`);
    const chosen = options.only ? "only" : options.skip ? "skip" : options.todo ? "todo" : mode;
    if (chosen === "only") hasOnly = true;
    const item = { name, body, mode: chosen, options, limit: limitOf(options, name), suite: current };
    item.title = titleOf(item);
    item.id = declare(item.title, new Error().stack, FILE);
    current.items.push(item);
  };

  const addSuite = (mode) => (...args) => {
    const { name, body } = read(args);
    needOpen(`describe('${name}')`);
    if (typeof body !== "function") throw new TypeError(`the suite '${name}' needs a function`);
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

  const withModes = (add) => assign(add(""), { only: add("only"), skip: add("skip"), todo: add("todo") });
  const hook = (name) => (body) => {
    if (typeof body !== "function") throw new TypeError(`${name} needs a function`);
    needOpen(name);
    current.hooks[name].push(body);
  };

  // --- Running one function -------------------------------------------------------------------------------

  /** The runner's own timers, which are no test's. */
  const limits = new Set();
  const setLimit = (reject, limit) => {
    const timer = setTimer(() => reject(new Error(`did not end within ${limit} ms`)), limit);
    limits.add(`${timer}`);
    return timer;
  };
  const clearLimit = (timer) => {
    limits.delete(`${timer}`);
    clearTimer(timer);
  };

  /** Ends the function that runs because it held the thread; the host calls it once the engine has stopped it. */
  let stopRunning;

  /**
   * Runs a function of the file in a turn of its own, so that what stops it does not stop the runner, and waits for it;
   * then for one more turn, in which rejections that it left behind are reported. Rejects with what it threw.
   */
  const run = async (body, limit, argument) => {
    let timer;
    try {
      await new Promise((resolve, reject) => {
        stopRunning = () => reject(new Error(`held the thread for more than ${limit} ms: it was stopped`));
        attempt(() => {
          timer = setLimit(reject, limit);
          (async () => body(argument))().then(resolve, reject);
        }, limit);
      });
    } finally {
      stopRunning = undefined;
      clearLimit(timer);
      await new Promise((resolve) => attempt(resolve, DEFAULT_LIMIT));
      settled();
    }
  };

  // --- A test ---------------------------------------------------------------------------------------------

  class Skipped extends Error {}

  /** What a test's function gets: `test("name", async (t) => ...)`. */
  class TestContext {
    #item;
    #state;
    constructor(item, state) {
      this.#item = item;
      this.#state = state;
      freeze(this);
    }
    /** The test's own name. */
    get name() { return this.#item.name; }
    /** The names of its suites and its own, joined by " > ". */
    get fullName() { return this.#item.title; }
    /** Replaced functions and clocks, put back when the test ends. */
    get mock() { return this.#state.mock; }
    /** Aborted when the test has ended, or its time is over. */
    get signal() { return (this.#state.abort ??= new AbortController()).signal; }
    /** Ends the test: it counts as skipped. */
    skip(reason = "") { throw new Skipped(reason); }
    /** Adds a line to the test's result. */
    diagnostic(text) { this.#state.notes.push(`${text}`); }
    /** Runs a function when the test has ended, whatever became of it; the last one first. */
    after(body) { this.#state.after.push(body); }
    /** Runs a part of the test as a test of its own. Await it. */
    test(...args) {
      const { name, options, body } = read(args);
      if (typeof body !== "function") throw new TypeError(`the test '${name}' needs a function`);
      const { suite } = this.#item;
      const item = { name, body, mode: options.skip ? "skip" : options.todo ? "todo" : "", options, suite, isPart: true };
      item.limit = limitOf(options, name);
      item.title = `${this.#item.title} > ${name}`;
      item.id = declare(item.title, new Error().stack, this.#item.id);
      return runPart(this.#state, item);
    }
    /** The same by Deno's name. */
    step(...args) { return this.test(...args); }
  }

  const newState = () => ({ errors: [], notes: [], after: [], parts: new Set(), mock: makeMock(), abort: undefined, skipped: undefined });

  const note = (state, error) => {
    if (error instanceof Skipped) state.skipped = error.message;
    else state.errors.push(describeError(error));
  };

  const tryOut = async (state, body) => { try { await body(); } catch (error) { note(state, error); } };

  /** A part runs inside of its test's turn: the test waits for it. */
  const runPart = async (outer, item) => {
    const state = newState();
    outer.parts.add(item);
    begin(item.id, true);
    const start = now();
    if (item.mode === "") {
      let timer;
      const late = new Promise((_, reject) => { timer = setLimit(reject, item.limit); });
      await tryOut(state, () => Promise.race([(async () => item.body(new TestContext(item, state)))(), late]));
      clearLimit(timer);
      await finish(state, (body) => body());
      if (state.errors.length > 0) outer.errors.push(describeError(new Error(`its part '${item.name}' failed`)));
    }
    outer.parts.delete(item);
    conclude(item, state, start);
  };

  /** What every test does at its end. */
  const finish = async (state, runHook) => {
    for (const body of state.after.reverse()) await tryOut(state, () => runHook(body));
    state.abort?.abort();
    for (const problem of state.mock.restore()) note(state, problem);
    for (const part of state.parts) note(state, new Error(`its part '${part.name}' was not awaited: await t.test(...)`));
  };

  const conclude = (item, state, start) => {
    const outcome = item.mode !== "" ? item.mode : state.errors.length > 0 ? "fail" : state.skipped !== undefined ? "skip" : "pass";
    for (const error of state.errors) blame(item.id, ...error);
    const notes = state.skipped ? [state.skipped, ...state.notes] : state.notes;
    end(item.id, outcome, now() - start, notes.join("\n"));
  };

  /** What stands against running a test: "skip", "todo", or "" for nothing. */
  const modeOf = (item) => {
    const modes = [...chain(item.suite).map((suite) => suite.mode), item.mode];
    if (modes.includes("skip")) return "skip";
    if (modes.includes("todo")) return "todo";
    return hasOnly && !modes.includes("only") ? "skip" : "";
  };

  /** What is open now: calls and watches of plugins, timers. */
  const open = () => new Map([...openCalls().map(({ id, text }) => [`call ${id}`, text]),
    ...openTimers().filter(({ id }) => !limits.has(id)).map(({ id, text }) => [`timer ${id}`, text])]);

  const runTest = async (item) => {
    if (!host.isChosen(item.id)) return undefined;
    const mode = modeOf(item);
    if (mode !== "") return end(item.id, mode, 0, "");
    const suites = chain(item.suite);
    const state = newState();
    const before = open();
    begin(item.id);
    const start = now();
    const runHook = (body) => run(body, item.limit, context);
    const context = new TestContext(item, state);
    for (const suite of suites) for (const body of suite.hooks.beforeEach) await tryOut(state, () => runHook(body));
    if (state.errors.length === 0 && state.skipped === undefined) await tryOut(state, () => runHook(item.body));
    await finish(state, runHook);
    for (const suite of suites.reverse()) for (const body of suite.hooks.afterEach) await tryOut(state, () => runHook(body));
    for (const line of takeUnawaited()) note(state, new Error(line));
    if (item.options.allowsLeaks) for (const [key] of open()) told.add(key);
    else noteLeaks(state, before);
    return conclude(item, state, start);
  };

  /** What was told already: a call that a test left open is still open at the file's end. */
  const told = new Set();

  /** What was opened since. Timers are cleared: they must not reach the next test. */
  const leaksSince = (before) => [...open()].filter(([key]) => !before.has(key) && !told.has(key)).map(([key, text]) => {
    told.add(key);
    if (key.startsWith("timer ")) clearTimer(+key.slice(6));
    return text;
  });

  const noteLeaks = (state, before) => {
    const left = leaksSince(before);
    if (left.length === 0) return;
    const error = new Error(`left open: ${left.join("; ")}`);
    defineProperty(error, "name", { __proto__: null, value: "Leak" });
    defineProperty(error, "stack", { __proto__: null, value: "" });
    note(state, error);
  };

  // --- A suite --------------------------------------------------------------------------------------------

  const runSuite = async (suite) => {
    let isReady = true;
    const tryHooks = async (name) => {
      for (const body of suite.hooks[name]) {
        try { await run(body, DEFAULT_LIMIT); } catch (error) {
          isReady = false;
          const [errorName, message, ...rest] = describeError(error);
          const title = [...chain(suite).map((one) => one.name), name].filter(Boolean).join(" > ");
          blame(FILE, errorName, `${title}: ${message}`, ...rest);
        }
      }
    };
    await tryHooks("before");
    if (isReady) {
      for (const item of suite.items) {
        if (host.isOver()) return;
        await (item.items ? runSuite(item) : runTest(item));
      }
    }
    await tryHooks("after");
  };

  const runAll = async () => {
    isOpen = false;
    // What the file itself left open is known to it; what its hooks leave open is not.
    const before = open();
    await runSuite(root);
    for (const line of takeUnawaited()) blame(FILE, ...describeError(new Error(line)));
    const left = leaksSince(before);
    if (left.length > 0) blame(FILE, "Leak", `the file's hooks left open: ${left.join("; ")}`, undefined, "", "");
    const timers = openTimers().filter(({ id }) => before.has(`timer ${id}`)).map(({ text }) => text);
    if (timers.length > 0) blame(FILE, "Leak", `the file left open: ${timers.join("; ")}`, undefined, "", "");
  };

  const test = withModes(addTest);
  return {
    globals: {
      test, it: test, describe: withModes(addSuite), assert, expect, mock: makeMock(),
      before: hook("before"), after: hook("after"), beforeAll: hook("before"), afterAll: hook("after"),
      beforeEach: hook("beforeEach"), afterEach: hook("afterEach"),
    },
    /** Runs what was declared. */
    run: runAll,
    /** Ends the function that holds the thread. */
    stop: () => stopRunning?.(),
  };
})
