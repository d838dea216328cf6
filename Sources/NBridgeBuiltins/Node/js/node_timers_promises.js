// SPDX-License-Identifier: MIT
// node:timers/promises.
"use strict";

const { abortError, check, invalidArgType } = require("node:internal/errors");
const timers = require("node:timers");

const checked = (options) => {
  check.object(options, "options");
  const { signal } = options;
  if (signal !== undefined && typeof signal?.aborted !== "boolean") throw invalidArgType("options.signal",
    "AbortSignal", signal);
  return signal;
};

/** With `ref: false` the program does not wait for it. */
const held = (timer, { ref }) => ref === false ? timer.unref() : timer;

/** A promise that a timer settles, or an abort before it. */
const waiting = (arm, value, signal) => new Promise((resolve, reject) => {
  if (signal?.aborted) {
    reject(abortError(signal));
    return;
  }
  const abort = () => {
    timer.close();
    reject(abortError(signal));
  };
  const timer = arm(() => {
    signal?.removeEventListener("abort", abort);
    resolve(value);
  });
  signal?.addEventListener("abort", abort, { once: true });
});

const setTimeout = async (delay, value, options = {}) =>
  waiting((done) => held(timers.setTimeout(done, delay), options), value, checked(options));
const setImmediate = async (value, options = {}) => waiting((done) => held(timers.setImmediate(done), options), value,
  checked(options));

async function* setInterval(delay, value, options = {}) {
  const signal = checked(options);
  if (signal?.aborted) throw abortError(signal);
  let due = 0;
  let wake;
  const timer = held(timers.setInterval(() => {
    due++;
    wake?.();
  }, delay), options);
  const abort = () => wake?.();
  signal?.addEventListener("abort", abort, { once: true });
  try {
    for (;;) {
      if (due === 0) await new Promise((resolve) => { wake = resolve; });
      if (signal?.aborted) throw abortError(signal);
      for (; due > 0; due--) yield value;
    }
  } finally {
    timer.close();
    signal?.removeEventListener("abort", abort);
  }
}

module.exports = {
  setTimeout, setImmediate, setInterval,
  scheduler: { wait: (delay, options) => setTimeout(delay, undefined, options), yield: () => setImmediate() },
};
