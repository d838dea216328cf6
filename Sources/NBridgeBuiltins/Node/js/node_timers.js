// SPDX-License-Identifier: MIT
// node:timers: timers as objects. One that was unref'ed does not keep the program alive, and a test may leave it behind.
"use strict";

const { check } = require("node:internal/errors");

const { timerSources } = require("node:internal/native");

/** Numbers above are of a test's clock. */
const LAST_OWN = 2 ** 40;
const { own, sources, unheld } = timerSources();
/** Who sets timers of a kind: a test's clock, or the program's. */
const sourceOf = (kind) => sources[kind] ?? own;
const customPromisify = Symbol.for("nodejs.util.promisify.custom");

/** Node's bounds: what is no delay is a millisecond. */
const delayOf = (delay) => delay >= 1 && delay <= 2 ** 31 - 1 ? Math.trunc(delay) : 1;

/** Timers whose number somebody has asked for, known weakly: the web's clearTimeout tells nobody here which it has cleared. */
const numbered = new Map();
let room = 1000;
const number = (timer, id) => {
  numbered.set(id, new WeakRef(timer));
  if (numbered.size < room) return;
  for (const [id, timer] of numbered) if (timer.deref() === undefined) numbered.delete(id);
  room = Math.max(1000, numbered.size * 2);
};

class Timeout {
  #callback;
  #args;
  #delay;
  #kind;
  #source;
  #id;
  #isRef = true;
  #isClosed = false;
  /** The number that it had when somebody asked: each time that it is set its source gives another. */
  #number;

  constructor(callback, delay, args, kind) {
    check.function(callback, "callback");
    [this.#callback, this.#delay, this.#args, this.#kind] = [callback, delayOf(Number(delay)), args, kind];
    // One that repeats stays with who set it first.
    this.#source = sourceOf(kind);
    this.#arm();
  }

  #arm() {
    const fire = () => {
      this.#forget();
      if (this.#kind === "setInterval") this.#arm();
      else numbered.delete(this.#number);
      this.#callback(...this.#args);
    };
    const { set } = this.#source;
    this.#id = this.#kind === "setImmediate" ? set(fire) : set(fire, this.#delay);
    this.#tellHeld();
  }
  #disarm() {
    if (this.#id !== undefined) this.#source.clear(this.#id);
    this.#forget();
  }
  #forget() {
    if (this.#source === own) delete unheld[this.#id];
    this.#id = undefined;
  }
  #tellHeld() {
    if (this.#id === undefined || this.#source !== own) return;
    own.hold(this.#id, this.#isRef);
    if (this.#isRef) delete unheld[this.#id];
    else unheld[this.#id] = true;
  }
  #hold(isRef) {
    this.#isRef = isRef;
    this.#tellHeld();
    return this;
  }

  ref() { return this.#hold(true); }
  unref() { return this.#hold(false); }
  hasRef() { return this.#isRef; }
  refresh() {
    if (this.#isClosed) return this;
    this.#disarm();
    this.#arm();
    if (this.#number !== undefined) number(this, this.#number);
    return this;
  }
  close() {
    this.#isClosed = true;
    numbered.delete(this.#number);
    this.#disarm();
    return this;
  }
  /** A number that the web's clearTimeout takes too, until it is set again. */
  [Symbol.toPrimitive]() {
    if (this.#number === undefined && this.#id !== undefined) number(this, this.#number = this.#id);
    return this.#number ?? 0;
  }
}
if (Symbol.dispose) Timeout.prototype[Symbol.dispose] = function dispose() { this.close(); };

class Immediate extends Timeout {
  constructor(callback, args) { super(callback, 0, args, "setImmediate"); }
}

const stop = (timer) => {
  if (timer instanceof Timeout) timer.close();
  else if (timer !== null && timer !== undefined) stopNumber(Number(timer));
};
const stopNumber = (number) => {
  const timer = numbered.get(number)?.deref();
  if (timer === undefined) (number > LAST_OWN ? sourceOf("setTimeout") : own).clear(number);
  else timer.close();
};

const timers = {
  setTimeout: (callback, delay, ...args) => new Timeout(callback, delay, args, "setTimeout"),
  setInterval: (callback, delay, ...args) => new Timeout(callback, delay, args, "setInterval"),
  setImmediate: (callback, ...args) => new Immediate(callback, args),
  clearTimeout: stop, clearInterval: stop, clearImmediate: stop,
  get promises() { return require("node:timers/promises"); },
};
for (const name of ["setTimeout", "setImmediate"]) {
  Object.defineProperty(timers[name], customPromisify, { get: () => timers.promises[name] });
}

module.exports = timers;
