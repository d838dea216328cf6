// SPDX-License-Identifier: MIT
// Clocks that a test turns by hand, in the place of the program's; with the names of Node's `mock.timers`.
((host) => {
  "use strict";
  const { sources } = host;
  const { wrongType, wrongValue, wrongState, needNumber, needObject } = host.refusals;
  const { construct } = Reflect;
  const { isArray } = Array;

  class Clock {
    #now = 0;
    // Not a number of the program's own timers: those of the runner are among them.
    #last = 2 ** 40;
    #timers = new Map();
    constructor(now) { this.#now = now; }
    get now() { return this.#now; }

    set(body, delay, args, repeats) {
      const wait = Math.max(repeats ? 1 : 0, Math.trunc(+delay) || 0);
      return this.#add({ body, args, wait, repeats, due: this.#now + wait });
    }
    /** It comes before all timers that are due. */
    setImmediate(body, args) { return this.#add({ body, args, wait: 0, repeats: false, due: -Infinity }); }
    #add(timer) {
      this.#timers.set(++this.#last, timer);
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

  const APIS = ["setTimeout", "setInterval", "setImmediate", "Date"];
  const dateTime = Function.prototype.call.bind(Date.prototype.getTime);

  const apisOf = (apis = APIS) => {
    if (!isArray(apis)) throw wrongType("options.apis", "an instance of Array", apis);
    apis.forEach((api, index) => {
      if (typeof api !== "string") throw wrongType(`options.apis[${index}]`, "of type string", api);
      if (!APIS.includes(api)) throw wrongValue("options.apis", `option ${api} is not supported, but ${APIS.join(", ")}`, api);
    });
    return apis;
  };

  /** A time of the clock's, which is no number below 0 and has a date. */
  const timeOf = (value, name) => {
    needNumber(value, name);
    if (!(value >= 0)) throw wrongValue(name, "must be a time of 0 or more, in milliseconds", value);
    return value;
  };
  const startOf = (now) => {
    if (typeof now !== "object" || now === null) return timeOf(now ?? 0, "now");
    let time;
    try { time = dateTime(now); } catch { throw wrongType("now", "of type number or an instance of Date", now); }
    return timeOf(time, "now");
  };

  /**
   * Puts a clock in the place of the program's: `enable`, `tick`, `runAll`, `setTime`, `reset`.
   * `replace(object, name, value)` answers what puts it back.
   */
  const makeTimers = (replace) => {
    let clock;
    let undo = [];
    const need = () => {
      if (clock === undefined) throw wrongState("the clock is the program's own: call mock.timers.enable() first");
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
      enable(options = {}) {
        if (clock !== undefined) throw wrongState("the clock is a mock already: call mock.timers.reset() first");
        needObject(options, "options");
        const apis = apisOf(options.apis);
        clock = new Clock(startOf(options.now));
        const mine = clock;
        const set = (repeats) => (body, delay = 0, ...args) => mine.set(body, delay, args, repeats);
        const clear = (id) => mine.clear(id);
        const parts = {
          setTimeout: { setTimeout: set(false), clearTimeout: clear },
          setInterval: { setInterval: set(true), clearInterval: clear },
          setImmediate: { setImmediate: (body, ...args) => mine.setImmediate(body, args), clearImmediate: clear },
          Date: { Date: dateOf(globalThis.Date) },
        };
        undo = apis.flatMap((api) => Object.entries(parts[api]).map(([name, value]) => replace(globalThis, name, value)));
        for (const api of apis) if (api !== "Date") {
          const before = sources[api];
          undo.push(() => { sources[api] = before; });
          // Who repeats sets each one anew.
          sources[api] = { set: api === "setInterval" ? set(false) : parts[api][api], clear };
        }
      },
      /** Moves the clock, in milliseconds, and runs what is due. */
      tick(milliseconds = 1) {
        need();
        clock.moveTo(clock.now + timeOf(milliseconds, "time"));
      },
      runAll() { need().runAll(); },
      /** Sets the date, and runs nothing. */
      setTime(milliseconds) { need().jumpTo(timeOf(milliseconds, "time")); },
      reset() {
        for (const back of undo.reverse()) back();
        undo = [];
        clock = undefined;
      },
    };
    return timers;
  };

  return { makeTimers };
})
