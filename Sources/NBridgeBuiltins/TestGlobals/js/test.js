// SPDX-License-Identifier: MIT
// The test runner of `nbridge test`. A file declares its tests while it runs; then they run one by one. Each step is told
// to the host, which decides what passed: a step that never comes is a test that did not run. The file may replace every
// method there is, so loops go by index and what is called was taken before.
((host) => {
  "use strict";
  const { declare, begin, end, blame, attempt, settled, now, inspect } = host;
  const { setLimit, clearLimit, open, forgive, leaksSince, leaksOfFile, awaitWorkers } = host.leaks;
  const { describe: describeError } = host.failures;
  const { expect, takeUnawaited, takeCount } = host.expectations;
  const { assert } = host.assertions;
  const { makeMock } = host.mocks;
  const { newState, makeContexts, hooksOfPart } = host.contexts;
  const { shortOf } = host.plans;
  const { own, makeOwn, follow, ended } = host.settling;
  const { needBody } = host.bodies;
  const { add, each, makeSuite, titleIn, read, limitOf, planOf, signalOf, modeIn, modeUnder, selectionIn } = host.suites;
  const { reasonIn, reasonOf, hooksOf, DEFAULT_LIMIT } = host.suites;
  const { eachOf } = host.tables;
  const { Error, Object: { assign, is }, TypeError, Reflect: { apply }, Math: { ceil } } = globalThis;
  const uncurry = (method) => (self, ...args) => apply(method, self, args);
  const join = uncurry(Array.prototype.join);
  /** In the place of a test's number: what fails the file. */
  const FILE = 0;

  // --- Declaring ------------------------------------------------------------------------------------------

  const root = makeSuite("", null, "");
  let current = root;
  let hasOnly = false;
  /** Whether tests can still be declared. */
  let isOpen = true;

  /** Blames an error to a test, or to the file. */
  const blameError = (number, { name, message, code, stack, difference, thrown }) => {
    blame(number, name, message, code, stack, difference, thrown !== undefined, thrown?.value);
  };

  /** An error as it is told, behind what it is of. */
  const titled = (error, title) => {
    const described = describeError(error);
    described.message = `${title}: ${described.message}`;
    return described;
  };

  /** A test that is declared too late would never run, and whoever catches the error would not see that. */
  const needOpen = (what) => {
    if (isOpen) return;
    const error = new Error(`${what} came after the file had declared its tests, so it never runs; inside of a test use its `
      + "context: test('outer', async (t) => { await t.test('inner', ...) })");
    blameError(FILE, describeError(error));
    throw error;
  };

  /** Errors of declarations, which leave something out whoever catches them: told when the file got to its end all the same. */
  const faults = [];
  /** What was thrown last, and how many declarations are in each other at the moment. */
  let lastFault, depth = 0;

  /** Declares something; what it throws is kept, and once only on its way out of the suites that it is in. */
  const declaring = (title, body) => {
    depth++;
    try { return body(); } catch (error) {
      if (isOpen && !(lastFault?.isOnItsWay && is(lastFault.error, error))) add(faults, titled(error, title()));
      lastFault = { error, isOnItsWay: depth > 1 };
      throw error;
    } finally { depth--; }
  };

  const titleOf = (what, name) => () => `${what} '${titleIn(current, typeof name === "string" ? name : inspect(name))}' threw`;

  const addTest = (mode, isToFail = false) => (...args) => declaring(titleOf("the declaration of", args[0]), () => {
    const { name, options, body } = read(args);
    needOpen(`test('${name}')`);
    if (mode !== "todo" || body !== undefined) needBody(`the test '${name}'`, body);
    const chosen = modeIn(options, mode);
    if (chosen === "only") hasOnly = true;
    const item = { name, body, mode: chosen, options, limit: limitOf(options, name, current), suite: current, isToFail };
    item.plan = planOf(options, name);
    item.signal = signalOf(options, name, current);
    item.reason = reasonIn(options, chosen);
    item.title = titleIn(current, name);
    item.id = declare(item.title, new Error().stack, FILE);
    add(current.items, item);
  });

  const addSuite = (mode) => (...args) => declaring(titleOf("describe", args[0]), () => {
    const { name, options, body } = read(args, true);
    if (mode === "todo" && body === undefined) return addTest("todo")(...args); // It has no tests yet, and is one.
    needOpen(`describe('${name}')`);
    needBody(`the suite '${name}'`, body);
    const chosen = modeIn(options, mode);
    const suite = makeSuite(name, current, chosen, limitOf(options, name, current), reasonIn(options, chosen));
    suite.signal = signalOf(options, name, current);
    if (suite.mode === "only") hasOnly = true;
    add(current.items, suite);
    current = suite;
    try {
      const result = body();
      if (typeof result?.then === "function") throw new TypeError(`describe '${name}' must not be async`);
    } finally {
      current = suite.parent;
    }
  });

  /** Tables that were given no title and function: nothing of them runs. */
  const tables = [];
  /** What `.each` is: its two calls are declarations, the first of which waits for the second. */
  const withEach = (declare, what) => {
    const name = `${what}.each(...)`;
    const step = (body) => declaring(() => `${titleIn(current, name)} threw`, body);
    const take = eachOf(declare, what, what !== "describe");
    const begin = (table, ...values) => step(() => {
      needOpen(name);
      const declareRows = take(table, values);
      const use = { isUsed: false, error: new TypeError(`${name} is a table without tests: call what it answers, ${name}("title", f)`) };
      add(tables, use);
      return (title, ...rest) => step(() => {
        use.isUsed = true;
        declareRows(title, rest);
      });
    });
    return assign(declare, { each: begin });
  };
  const withModes = (add, what) => assign(withEach(add(""), what), {
    only: withEach(add("only"), what), skip: withEach(add("skip"), what), todo: add("todo"),
  });
  const hook = (name) => (body) => declaring(() => `the declaration of ${titleIn(current, name)} threw`, () => {
    needBody(name, body);
    needOpen(name);
    add(current.hooks[name], body);
  });

  // --- Running one function -------------------------------------------------------------------------------

  /** Ends the function that runs because it held the thread; the host calls it once the engine has stopped it. */
  let stopRunning;

  /** Runs a function of the file. What came to its end too late has failed, though it held up the timer that says so. */
  const settleWithin = (limit, body, resolve, reject) => {
    const start = now();
    follow(ended(body), () => {
      const spent = ceil(now() - start);
      return spent > limit ? reject(new Error(`took ${spent} ms, and its limit is ${limit} ms`)) : resolve();
    }, reject);
  };

  /**
   * Runs a function of the file in a turn of its own, so that what stops it does not stop the runner, and waits for it;
   * then for one more turn, in which rejections that it left behind are reported. Rejects with what it threw.
   */
  const run = async (body, limit, argument, signal) => {
    let timer;
    try {
      await makeOwn((resolve, reject) => {
        stopRunning = () => reject(new Error(`held the thread for more than ${limit} ms: it was stopped`));
        attempt(() => {
          timer = setLimit(reject, limit, signal);
          settleWithin(limit, () => body(argument), resolve, reject);
        }, limit);
      });
    } finally {
      stopRunning = undefined;
      clearLimit(timer);
      await makeOwn((resolve) => attempt(resolve, DEFAULT_LIMIT));
      settled();
    }
  };

  // --- A test ---------------------------------------------------------------------------------------------

  const TestContext = makeContexts({
    declare, note: (state, error) => note(state, error), runPart: (outer, item) => runPart(outer, item),
    blameFile: (error) => blameError(FILE, describeError(error)),
  });

  /** Notes an error of a test, and once only: what declares a part notes what it throws, which may be caught. */
  const note = (state, error) => {
    let isKnown = false;
    each(state.errors, ({ thrown }) => { isKnown ||= typeof error === "object" && thrown !== undefined && is(thrown.value, error); });
    if (!isKnown) add(state.errors, describeError(error));
  };

  const tryOut = async (state, body) => { try { await ended(body); } catch (error) { note(state, error); } };

  /** Notes that a test did not do what it planned. What ended it before its time is told already. */
  const judgePlan = (state) => {
    const short = shortOf(state.plan);
    if (short !== "" && state.errors.length === 0 && state.skipped === undefined && !state.isCut) note(state, new Error(short));
  };

  const judgeParts = (state) => each(state.parts, (part) => {
    if (!part.isOver && !part.isTold) note(state, new Error(`its part '${part.name}' was not awaited: await t.test(...)`));
    part.isTold = true;
  });

  /** Runs a function of a part, or a hook of the test that it is in. */
  const runInPart = async (state, item, context, body) => {
    let timer;
    await own(tryOut(state, () => makeOwn((resolve, reject) => {
      timer = setLimit(reject, item.limit, item.signal);
      settleWithin(item.limit, () => body(context), resolve, reject);
    })));
    clearLimit(timer);
  };

  /** A part runs inside of its test's turn: the test waits for it. Parts of one test run one behind the other, as Node's. */
  const runPart = async (outer, item) => {
    const part = { name: item.name, isOver: false, isTold: false };
    add(outer.parts, part);
    const before = outer.lastPart;
    let leave;
    outer.lastPart = makeOwn((resolve) => { leave = resolve; });
    try {
      if (before !== undefined) await before;
      // One that nobody awaited: it counts as not run.
      if (!outer.isOver) await own(runPartInTurn(outer, item, part));
    } finally { leave(); }
  };

  const runPartInTurn = async (outer, item, part) => {
    const state = newState(item.mode, item.plan, outer);
    if (item.mode !== "") state.skipped = item.reason;
    state.todo = item.todo;
    begin(item.id, true);
    const start = now();
    if (item.mode === "") {
      const context = new TestContext(item, state);
      if (item.signal?.aborted) note(state, item.signal.reason);
      const before = hooksOfPart(outer, item, "beforeEach");
      for (let at = 0; at < before.length; at++) await own(runInPart(state, item, context, before[at]));
      if (state.errors.length === 0 && state.skipped === undefined) {
        await own(runInPart(state, item, context, item.body));
        judgePlan(state);
        judgeParts(state);
      }
      const after = hooksOfPart(outer, item, "afterEach");
      for (let at = 0; at < after.length; at++) await own(runInPart(state, item, context, after[at]));
      await own(finish(state, (body) => body(context)));
      if (state.errors.length > 0 && state.todo === undefined) note(outer, new Error(`its part '${item.name}' failed`));
    }
    part.isOver = true;
    conclude(item, state, start);
  };

  /** Runs what t.after took, and what that leaves there. */
  const runAfter = async (state, runHook) => {
    while (state.after.length > 0) {
      const body = state.after[state.after.length - 1];
      state.after.length--;
      await own(tryOut(state, () => runHook(body)));
    }
  };

  /** What every test does at its end. */
  const finish = async (state, runHook) => {
    await own(runAfter(state, runHook));
    state.abort?.abort();
    each(state.mock.restore(), (problem) => note(state, problem));
    judgeParts(state);
  };

  const conclude = (item, state, start) => {
    const { mode, errors, skipped, todo } = state;
    const outcome = mode !== "" ? mode : todo !== undefined ? "todo" : errors.length > 0 ? "fail" : skipped !== undefined ? "skip" : "pass";
    state.isOver = true;
    const notes = [];
    each([todo, skipped], (reason) => { if (reason) add(notes, reason); });
    each(errors, (error) => {
      if (todo === undefined) blameError(item.id, error);
      else add(notes, `${error.name}: ${error.message}`);
    });
    each(state.notes, (text) => add(notes, text));
    end(item.id, outcome, now() - start, join(notes, "\n"), !state.isCut);
  };

  /** What stands against running a test: "skip", "todo", or "" for nothing. */
  const modeOf = (item) => modeUnder(item, hasOnly);

  const leaveOut = (item, mode) => end(item.id, mode, 0, reasonOf(item, mode), false);
  const leak = (message) => ({ name: "Leak", message, code: undefined, stack: "", difference: "" });

  /** The body of a test that is to fail does what the others must not. */
  const runBody = async (state, item, runHook) => {
    if (!item.isToFail) return void await own(tryOut(state, () => runHook(item.body)));
    try { await own(runHook(item.body)); } catch {
      state.isCut = true;
      return undefined;
    }
    if (state.skipped === undefined) note(state, new Error("it was to fail, and did not: take .failing away"));
    return undefined;
  };

  const runTest = async (item) => {
    if (!host.isChosen(item.id)) return undefined;
    const mode = modeOf(item);
    if (mode !== "") return leaveOut(item, mode);
    const state = newState("", item.plan);
    const context = new TestContext(item, state);
    const before = open();
    begin(item.id);
    takeCount();
    const start = now();
    const runHook = (body) => run(body, item.limit, context, item.signal);
    if (item.signal?.aborted) note(state, item.signal.reason);
    const runHooks = async (hooks) => { for (let at = 0; at < hooks.length; at++) await own(tryOut(state, () => runHook(hooks[at]))); };
    await own(runHooks(hooksOf(item, "beforeEach")));
    if (state.errors.length === 0 && state.skipped === undefined) {
      await own(runBody(state, item, runHook));
      judgePlan(state);
      judgeParts(state);
    }
    await own(runHooks(hooksOf(item, "afterEach")));
    await own(finish(state, runHook));
    each(takeUnawaited(), (line) => note(state, new Error(line)));
    const short = takeCount();
    if (short !== "" && state.errors.length === 0 && state.skipped === undefined) note(state, new Error(short));
    await own(awaitWorkers(before));
    if (item.options?.allowsLeaks) forgive();
    const left = leaksSince(before);
    if (left !== "") add(state.errors, leak(`left open: ${left}`));
    return conclude(item, state, start);
  };

  // --- A suite --------------------------------------------------------------------------------------------

  /** Runs hooks of a suite; answers whether all went well. */
  const runHooks = async (suite, name) => {
    const hooks = suite.hooks[name];
    let isWell = true;
    for (let at = 0; at < hooks.length; at++) {
      try { await own(run(hooks[at], DEFAULT_LIMIT)); } catch (error) {
        isWell = false;
        blameError(FILE, titled(error, titleIn(suite, name)));
      }
    }
    return isWell;
  };

  /** Whether a test in it is to run: hooks are for these. */
  const hasWork = (suite) => {
    for (let at = 0; at < suite.items.length; at++) {
      const item = suite.items[at];
      if (item.items ? hasWork(item) : host.isChosen(item.id) && modeOf(item) === "") return true;
    }
    return false;
  };

  /** Tells of tests that do not run. */
  const passOver = (suite) => {
    for (let at = 0; at < suite.items.length; at++) {
      const item = suite.items[at];
      if (item.items) passOver(item);
      else if (host.isChosen(item.id)) leaveOut(item, modeOf(item));
    }
  };

  const runSuite = async (suite) => {
    if (suite !== root && !hasWork(suite)) return passOver(suite);
    const isReady = await own(runHooks(suite, "before"));
    for (let at = 0; isReady && at < suite.items.length && !host.isOver(); at++) {
      const item = suite.items[at];
      await own(item.items ? runSuite(item) : runTest(item));
    }
    await own(runHooks(suite, "after"));
  };

  const runAll = async () => {
    isOpen = false;
    each(faults, (fault) => blameError(FILE, fault));
    each(tables, ({ isUsed, error }) => { if (!isUsed) blameError(FILE, describeError(error)); });
    if (hasOnly && selectionIn(root, ({ id }) => host.isChosen(id)) === "none") {
      blameError(FILE, describeError(new Error("'only' leaves tests out here, and none that is left runs: take it away")));
    }
    // What the file opened while it ran is open before any hook or test is.
    const before = open();
    await own(runSuite(root));
    each(takeUnawaited(), (line) => blameError(FILE, describeError(new Error(line))));
    await own(awaitWorkers({ __proto__: null }));
    const left = leaksSince(before);
    if (left !== "") blameError(FILE, leak(`the file's hooks left open: ${left}`));
    each(leaksOfFile(before), (text) => blameError(FILE, leak(`the file left open: ${text}`)));
  };

  const test = withModes(addTest, "test");
  test.failing = withEach(addTest("", true), "test");
  // One by one, too: what they may do at once is up to the file.
  test.concurrent = withModes(addTest, "test");
  return {
    globals: {
      test, it: test, describe: withModes(addSuite, "describe"), assert, expect, mock: makeMock(),
      before: hook("before"), after: hook("after"), beforeAll: hook("before"), afterAll: hook("after"),
      beforeEach: hook("beforeEach"), afterEach: hook("afterEach"),
    },
    /** Runs what was declared. */
    run: runAll,
    /** Ends the function that holds the thread. */
    stop: () => stopRunning?.(),
  };
})
