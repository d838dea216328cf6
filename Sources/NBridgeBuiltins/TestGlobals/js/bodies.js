// SPDX-License-Identifier: MIT
// What a test's function may be.
(() => {
  "use strict";
  const { Object, TypeError } = globalThis;
  const { getPrototypeOf } = Object;
  const GENERATORS = [getPrototypeOf(function* () {}), getPrototypeOf(async function* () {})];

  /** A function that would not run, or would call what nobody gives it, passes whatever is in it. */
  const needBody = (what, body, most = 1) => {
    if (typeof body !== "function") throw new TypeError(`${what} needs a function`);
    const kind = getPrototypeOf(body);
    if (kind === GENERATORS[0] || kind === GENERATORS[1]) {
      throw new TypeError(`${what} has a generator for a function, and nothing of that would run; an async function may await`);
    }
    if (body.length > most) {
      const given = most === 1 ? "its context only" : `${most} values only`;
      throw new TypeError(`${what} has a function of ${body.length} parameters, and gets ${given}; `
        + "what calls back when it is done returns a promise here");
    }
  };

  return { needBody };
})
