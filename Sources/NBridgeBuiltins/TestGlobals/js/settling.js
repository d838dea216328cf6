// SPDX-License-Identifier: MIT
// What promises settle to, by the engine's own measure: a file of tests may put other functions in the place of those that
// promises have, and is not to judge itself with them.
((host) => {
  "use strict";
  const { told } = host;
  const { Object, Promise } = globalThis;
  const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf } = Object;
  const { prototype } = Promise;
  const { apply } = Reflect;
  const { then } = prototype;

  /** A promise that `await` takes as it is: of one with another constructor it would call `then`. */
  const own = (promise) => defineProperty(promise, "constructor", { __proto__: null, value: Promise });
  const makeOwn = (body) => own(new Promise(body));

  /** Whether a value has the `then` of all promises, whatever that is by now, and none of its own or of its class. */
  const hasCommonThen = (value) => {
    for (let at = value; at !== null; at = getPrototypeOf(at)) {
      if (at === prototype) return true;
      if (getOwnPropertyDescriptor(at, "then") !== undefined) return false;
    }
    return false;
  };

  /** Calls one of the two once a value is settled: at once for one that is no promise, and nothing like it. */
  const follow = (value, onFulfilled, onRejected) => {
    try {
      if ((typeof value !== "object" && typeof value !== "function") || value === null) return onFulfilled(value);
      const method = hasCommonThen(value) ? then : value.then;
      if (typeof method !== "function") return onFulfilled(value);
      return apply(method, value, [onFulfilled, onRejected]);
    } catch (error) {
      return onRejected(error);
    }
  };

  /** What a function's answer settles to, or what it throws: `{ value }` or `{ error }`, in a promise that does not reject. */
  const outcomeOf = (body) => makeOwn((resolve) => {
    const fail = (error) => resolve({ __proto__: null, isRejected: true, error: told(error) });
    let value;
    try { value = body(); } catch (error) { return fail(error); }
    return follow(value, (value) => resolve({ __proto__: null, isRejected: false, value }), fail);
  });

  /** Waits for a function's answer, and forgets what it is; rejects with what the function threw. */
  const ended = (body) => makeOwn((resolve, reject) => {
    let value;
    try { value = body(); } catch (error) { return reject(error); }
    return follow(value, () => resolve(), reject);
  });

  return { own, makeOwn, follow, outcomeOf, ended, told };
})
