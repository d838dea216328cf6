// SPDX-License-Identifier: MIT
// What a test's function gets, `t`, and what is known of a test while it runs.
((host) => {
  "use strict";
  const { add, each, read, limitOf, planOf, signalOf, reasonIn, hooksOf } = host.suites;
  const { newPlan, setPlan, countedBy } = host.plans;
  const { needBody } = host.bodies;
  const { makeMock } = host.mocks;
  const { Error, Object, TypeError } = globalThis;
  const { freeze } = Object;
  const { apply } = Reflect;

  /**
   * What is known of a test that runs, or of a part of `outer`: `mode` is "skip" for one that does not, `plan` how
   * many assertions it is to make.
   */
  const newState = (mode, plan, outer) => ({
    mode, outer, plan: newPlan(plan), assert: undefined, beforeEach: [], afterEach: [], errors: [], notes: [],
    after: [], parts: [], lastPart: undefined, mock: makeMock(), abort: undefined, skipped: undefined, todo: undefined, isOver: false,
    /** Whether a test that is to fail did: what stands behind that did not run. */
    isCut: false,
  });

  /** The hooks of the tests that a part is in, the outermost first. */
  const partHooks = (state, name) => {
    const hooks = state === undefined ? [] : partHooks(state.outer, name);
    if (state !== undefined) each(state[name], (body) => add(hooks, body));
    return hooks;
  };

  /** The same with those of the suites, which are the outermost, as they run. */
  const hooksOfPart = (outer, item, name) => {
    const own = partHooks(outer, name);
    const hooks = name === "beforeEach" ? hooksOf(item, name) : [];
    for (let at = 0; at < own.length; at++) add(hooks, own[name === "beforeEach" ? at : own.length - 1 - at]);
    if (name === "afterEach") each(hooksOf(item, name), (body) => add(hooks, body));
    return hooks;
  };

  /**
   * The class of `t`. `declare` notes a part and answers its number, `runPart` runs it; `note` takes errors of a test, and
   * `blameFile` those that no test can be blamed for.
   */
  const makeContexts = ({ declare, note, runPart, blameFile }) => {
    /** What comes to a test that has ended would be lost, and whoever catches the error would not see that. */
    const needRunning = ({ isOver }, { title }, what) => {
      if (!isOver) return;
      const error = new Error(`${what} came after the test '${title}' had ended: await what calls it`);
      blameFile(error);
      throw error;
    };

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
      get mock() {
        needRunning(this.#state, this.#item, "t.mock");
        return this.#state.mock;
      }
      /** Aborted when the test has ended, or its time is over. */
      get signal() { return (this.#state.abort ??= new AbortController()).signal; }
      /** The test counts as skipped, if nothing of it fails; it does not end here, as in Node. */
      skip(reason = "") {
        needRunning(this.#state, this.#item, "t.skip()");
        this.#state.skipped = `${reason}`;
      }
      /** The test counts as one to come, whatever fails in it. */
      todo(reason = "") {
        needRunning(this.#state, this.#item, "t.todo()");
        this.#state.todo = `${reason}`;
      }
      /** Adds a line to the test's result. */
      diagnostic(text) {
        needRunning(this.#state, this.#item, "t.diagnostic()");
        add(this.#state.notes, `${text}`);
      }
      /** Runs a function when the test has ended, whatever became of it; the last one first. */
      after(body) {
        needBody("t.after()", body);
        needRunning(this.#state, this.#item, "t.after()");
        add(this.#state.after, body);
      }
      /** How many assertions of `t.assert`, and parts, the test is to make. */
      plan(...given) {
        needRunning(this.#state, this.#item, "t.plan()");
        setPlan(this.#state.plan, given);
      }
      /** The assertions that a plan counts. */
      get assert() {
        return this.#state.assert ??= countedBy(this.#state.plan, (what) => needRunning(this.#state, this.#item, what));
      }
      /** Runs a function with the context of each part, before it; those of the outer tests first. */
      beforeEach(body) { this.#addHook("beforeEach", body); }
      /** The same behind each part; those of the outer tests last. */
      afterEach(body) { this.#addHook("afterEach", body); }
      #addHook(name, body) {
        needBody(`t.${name}()`, body);
        needRunning(this.#state, this.#item, `t.${name}()`);
        add(this.#state[name], body);
      }
      /** The test runs already: what is to be before its parts stands before them. */
      before() {
        throw new TypeError("t.before() is not here, since the test runs already: do it at once, before the first await t.test(...)");
      }
      /** Parts run one by one, all of them. */
      runOnly() {
        throw new TypeError("t.runOnly() is not here: all parts of a test run; { skip: true } leaves one out");
      }
      /** Runs a part of the test as a test of its own. Await it. */
      test(...args) {
        needRunning(this.#state, this.#item, "t.test()");
        let item;
        // Who catches this would not see that a part does not run.
        try { item = this.#part(args); } catch (error) {
          note(this.#state, error);
          throw error;
        }
        this.#state.plan.made++;
        item.id = declare(item.title, new Error().stack, this.#item.id);
        return runPart(this.#state, item);
      }
      #part(args) {
        const { name, options, body } = read(args);
        needBody(`the test '${name}'`, body);
        const { suite } = this.#item;
        const item = { name, body, mode: options.skip ? "skip" : "", options, suite, isPart: true };
        // As Node's, one that is to come runs, and may fail.
        if (options.todo) item.todo = reasonIn(options, "todo");
        item.limit = limitOf(options, name, suite);
        item.plan = planOf(options, name);
        item.signal = signalOf(options, name, this.#item);
        item.reason = reasonIn(options, item.mode);
        item.title = `${this.#item.title} > ${name}`;
        return item;
      }
      /** The same by Deno's name. */
      step(...args) { return apply(this.test, this, args); }
    }
    return TestContext;
  };

  return { newState, makeContexts, hooksOfPart };
})
