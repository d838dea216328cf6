// SPDX-License-Identifier: MIT
// node:timers: timers as objects. All of them keep the program alive: `unref` is remembered and no more.
"use strict";

const { check } = require("node:internal/errors");

const { setTimeout: set, clearTimeout: clear } = globalThis;
const customPromisify = Symbol.for("nodejs.util.promisify.custom");

/** Node's bounds: what is no delay is a millisecond. */
const delayOf = (delay) => delay >= 1 && delay <= 2 ** 31 - 1 ? Math.trunc(delay) : 1;

class Timeout {
  #callback;
  #args;
  #delay;
  #repeats;
  #id;
  #isRef = true;

  constructor(callback, delay, args, repeats) {
    check.function(callback, "callback");
    [this.#callback, this.#delay, this.#args, this.#repeats] = [callback, delayOf(Number(delay)), args,
      repeats];
    this.#arm();
  }

  #arm() {
    this.#id = set(() => {
      this.#id = undefined;
      if (this.#repeats) this.#arm();
      this.#callback(...this.#args);
    }, this.#delay);
  }

  ref() { this.#isRef = true; return this; }
  unref() { this.#isRef = false; return this; }
  hasRef() { return this.#isRef; }
  refresh() {
    clear(this.#id);
    this.#arm();
    return this;
  }
  close() {
    clear(this.#id);
    this.#id = undefined;
    return this;
  }
  /** A number that the web's clearTimeout takes too. */
  [Symbol.toPrimitive]() { return this.#id ?? 0; }
}
if (Symbol.dispose) Timeout.prototype[Symbol.dispose] = function dispose() { this.close(); };

class Immediate extends Timeout {
  constructor(callback, args) { super(callback, 0, args, false); }
}

const stop = (timer) => {
  if (timer instanceof Timeout) timer.close();
  else if (timer !== null && timer !== undefined) clear(Number(timer));
};

const timers = {
  setTimeout: (callback, delay, ...args) => new Timeout(callback, delay, args, false),
  setInterval: (callback, delay, ...args) => new Timeout(callback, delay, args, true),
  setImmediate: (callback, ...args) => new Immediate(callback, args),
  clearTimeout: stop, clearInterval: stop, clearImmediate: stop,
  get promises() { return require("node:timers/promises"); },
};
for (const name of ["setTimeout", "setImmediate"]) {
  Object.defineProperty(timers[name], customPromisify, { get: () => timers.promises[name] });
}

module.exports = timers;
