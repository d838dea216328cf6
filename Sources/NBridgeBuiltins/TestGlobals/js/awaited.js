// SPDX-License-Identifier: MIT
// Promises of assertions. One that a test does not await says nothing about the test, so it is told which were not.
(() => {
  "use strict";
  const { Promise } = globalThis;
  const { defineProperty } = Object;
  // A plain assignment would run a setter that a file has put on Array.prototype.
  const add = (list, item) => {
    defineProperty(list, list.length, { __proto__: null, value: item, writable: true, enumerable: true, configurable: true });
  };
  const then = Function.prototype.call.bind(Promise.prototype.then);
  /** What was begun since it was last told, in its order, with whether it is awaited. */
  let begun = [];

  /**
   * Runs an assertion. Answers what works as a promise, and notes when `await`, `return`, `then` or `Promise.all` takes it:
   * no Promise, because the engine awaits a real one without calling anything of its.
   */
  const awaited = (name, body) => {
    const promise = body();
    const entry = { name, isAwaited: false };
    add(begun, entry);
    then(promise, undefined, () => {}); // It is reported as not awaited, not as a rejection.
    const take = (onFulfilled, onRejected) => {
      entry.isAwaited = true;
      return then(promise, onFulfilled, onRejected);
    };
    return {
      __proto__: Promise.prototype,
      then: take,
      catch: (onRejected) => take(undefined, onRejected),
      // The engine's own would call a `then` that a file may have replaced.
      finally: (body) => take(
        async (value) => {
          await body();
          return value;
        },
        async (error) => {
          await body();
          throw error;
        }),
    };
  };

  /** What was not awaited, a line each; it is forgotten. */
  const takeUnawaited = () => {
    const lines = [];
    for (let index = 0; index < begun.length; index++) {
      const { name, isAwaited } = begun[index];
      if (!isAwaited) add(lines, `${name} was not awaited, so it checked nothing: put await before it`);
    }
    begun = [];
    return lines;
  };

  return { awaited, takeUnawaited };
})
