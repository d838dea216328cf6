// SPDX-License-Identifier: MIT
// Functions that keep their calls, in the place of others or by themselves, and clocks that a test turns by hand; with the
// names of Node's `mock`.
((host) => {
  "use strict";
  const { inspect } = host;
  const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf } = Object;
  const { apply, construct } = Reflect;

  const uncurry = (method) => (self, ...args) => apply(method, self, args);
  const has = uncurry(WeakSet.prototype.has);
  const note = uncurry(WeakSet.prototype.add);
  const mocks = new WeakSet();
  /** Calls that came to their end: one that throws undefined has no error either. */
  const returned = new WeakSet();

  const makeFunction = (original, implementation, calls, self) => {
    const queue = new Map();
    const state = {
      calls,
      callCount: () => calls.length,
      resetCalls: () => { calls.length = 0; },
      mockImplementation: (body) => { implementation = body; },
      /** Another body for one call, the next or the one with this number, from 0. */
      mockImplementationOnce: (body, at = calls.length) => { queue.set(at, body); },
      restore: () => { implementation = original; queue.clear(); },
    };
    const mocked = function (...args) {
      const number = calls.length;
      const body = queue.get(number) ?? implementation;
      queue.delete(number);
      const call = { arguments: args, this: this, target: new.target, result: undefined, error: undefined, stack: new Error() };
      calls.push(call);
      try {
        call.result = new.target === undefined ? apply(body, this, args)
          : construct(body, args, new.target === mocked ? body : new.target);
        note(returned, call);
        return call.result;
      } catch (error) {
        call.error = error;
        throw error;
      }
    };
    defineProperty(mocked, "name", { __proto__: null, value: original.name || "mock", configurable: true });
    defineProperty(mocked, "length", { __proto__: null, value: original.length, configurable: true });
    defineProperty(mocked, "mock", { __proto__: null, value: state });
    note(mocks, mocked);
    return mocked;
  };

  const findProperty = (object, name) => {
    for (let at = object; at !== null && at !== undefined; at = getPrototypeOf(at)) {
      const found = getOwnPropertyDescriptor(at, name);
      if (found !== undefined) return found;
    }
    return undefined;
  };

  // --- Clocks ---------------------------------------------------------------------------------------------

  class Clock {
    #now = 0;
    #last = 0;
    #timers = new Map();
    constructor(now) { this.#now = now; }
    get now() { return this.#now; }

    set(body, delay, args, repeats) {
      const wait = Math.max(repeats ? 1 : 0, Math.trunc(+delay) || 0);
      this.#timers.set(++this.#last, { body, args, wait, repeats, due: this.#now + wait });
      return this.#last;
    }
    clear(id) { this.#timers.delete(id); }

    /** The timer that is due first; of two, the one that was set first. */
    #next() {
      let found;
      for (const [id, timer] of this.#timers) if (found === undefined || timer.due < found.timer.due) found = { id, timer };
      return found;
    }
    /** Moves to a time, and runs on the way what is due by then. */
    moveTo(time) {
      for (let next = this.#next(); next !== undefined && next.timer.due <= time; next = this.#next()) {
        this.#now = Math.max(this.#now, next.timer.due);
        this.#fire(next);
      }
      this.#now = Math.max(this.#now, time);
    }
    #fire({ id, timer }) {
      if (timer.repeats) timer.due += timer.wait; else this.#timers.delete(id);
      timer.body(...timer.args);
    }
    /** Runs what is set, up to the last one that is set now. */
    runAll() {
      const last = [...this.#timers.values()].reduce((latest, { due }) => Math.max(latest, due), this.#now);
      this.moveTo(last);
    }
    jumpTo(time) { this.#now = time; }
  }

  const APIS = ["setTimeout", "setInterval", "Date"];

  /** Puts a clock in the place of the program's: `enable`, `tick`, `runAll`, `setTime`, `reset`. */
  const makeTimers = (replace) => {
    let clock;
    let undo = [];
    const need = () => {
      if (clock === undefined) throw new Error("the clock is the program's own: call mock.timers.enable() first");
      return clock;
    };
    const dateOf = (RealDate) => {
      const MockDate = function (...args) {
        const values = args.length === 0 ? [clock.now] : args;
        return new.target === undefined ? new RealDate(clock.now).toString()
          : construct(RealDate, values, new.target === MockDate ? RealDate : new.target);
      };
      Object.setPrototypeOf(MockDate, RealDate);
      MockDate.prototype = RealDate.prototype;
      MockDate.now = () => clock.now;
      return MockDate;
    };
    const timers = {
      enable({ apis = APIS, now = 0 } = {}) {
        if (clock !== undefined) throw new Error("the clock is a mock already: call mock.timers.reset() first");
        for (const api of apis) if (!APIS.includes(api)) throw new TypeError(`there is no clock in '${api}': ${APIS.join(", ")}`);
        clock = new Clock(+now);
        const set = (repeats) => (body, delay = 0, ...args) => clock.set(body, delay, args, repeats);
        const clear = (id) => clock.clear(id);
        const parts = {
          setTimeout: { setTimeout: set(false), clearTimeout: clear },
          setInterval: { setInterval: set(true), clearInterval: clear },
          Date: { Date: dateOf(globalThis.Date) },
        };
        undo = apis.flatMap((api) => Object.entries(parts[api]).map(([name, value]) => replace(globalThis, name, { value })));
      },
      /** Moves the clock, in milliseconds, and runs what is due. */
      tick(milliseconds = 1) {
        if (!(milliseconds >= 0)) throw new TypeError(`the clock goes forward: ${inspect(milliseconds)} is no time`);
        need().moveTo(clock.now + milliseconds);
      },
      runAll() { need().runAll(); },
      /** Sets the date, and runs nothing. */
      setTime(milliseconds) { need().jumpTo(milliseconds); },
      reset() {
        for (const back of undo.reverse()) back();
        undo = [];
        clock = undefined;
      },
    };
    return timers;
  };

  // --- A tracker ------------------------------------------------------------------------------------------

  /** What replaces, and puts back: one for each test, and a global one. */
  const makeMock = () => {
    const undo = [];
    const replace = (object, name, value) => {
      const own = getOwnPropertyDescriptor(object, name);
      defineProperty(object, name, { __proto__: null, configurable: true, writable: true, enumerable: own?.enumerable ?? true, ...value });
      const back = () => { if (own === undefined) delete object[name]; else defineProperty(object, name, own); };
      undo.push(back);
      return back;
    };
    const timers = makeTimers((object, name, { value }) => {
      const own = getOwnPropertyDescriptor(object, name);
      defineProperty(object, name, { __proto__: null, configurable: true, writable: true, enumerable: own?.enumerable ?? false, value });
      return () => defineProperty(object, name, own);
    });
    const needFunction = (object, name) => {
      const value = object?.[name];
      if (typeof value !== "function") throw new TypeError(`'${String(name)}' is no method to replace: it is ${inspect(value)}`);
      return value;
    };
    const mock = {
      fn: (original = function mock() {}, implementation = original) => makeFunction(original, implementation, []),
      method(object, name, implementation) {
        const original = needFunction(object, name);
        const mocked = makeFunction(original, implementation ?? original, []);
        const back = replace(object, name, { value: mocked });
        const { restore } = mocked.mock;
        mocked.mock.restore = () => { restore(); back(); };
        return mocked;
      },
      getter(object, name, implementation) {
        const found = findProperty(object, name);
        const original = found?.get ?? (() => found?.value);
        const mocked = makeFunction(original, implementation ?? original, []);
        const own = getOwnPropertyDescriptor(object, name);
        defineProperty(object, name, { __proto__: null, configurable: true, enumerable: own?.enumerable ?? true, get: mocked, set: found?.set });
        undo.push(() => { if (own === undefined) delete object[name]; else defineProperty(object, name, own); });
        return mocked;
      },
      timers,
      /** Puts everything back. Answers what went wrong. */
      restore() {
        const problems = [];
        timers.reset();
        for (const back of undo.splice(0).reverse()) try { back(); } catch (error) { problems.push(error); }
        return problems;
      },
      restoreAll: () => { mock.restore(); },
      reset: () => { mock.restore(); },
    };
    return mock;
  };

  const isMock = (value) => typeof value === "function" && has(mocks, value);
  const hasReturned = (call) => has(returned, call);
  return { makeMock, isMock, hasReturned };
})
