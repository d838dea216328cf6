// SPDX-License-Identifier: MIT
// Node's plans: how many assertions of `t.assert` and parts a test is to make, and what `t.assert` is.
((host) => {
  "use strict";
  const { own, nodes } = host;
  const { needCount } = host.refusals;
  const { Error, Object, TypeError } = globalThis;
  const { defineProperty, keys: keysOf } = Object;
  const { apply } = Reflect;
  /** What `t.assert` leaves out, as Node does: what is no assertion. */
  const LEFT_OUT = { __proto__: null, AssertionError: true, Assert: true, CallTracker: true, strict: true };

  /** What is known of a test's plan: `wanted` is undefined for one without. */
  const newPlan = (wanted) => ({ wanted, made: 0 });

  const setPlan = (plan, given) => {
    if (given.length > 1) throw new TypeError("t.plan(count) takes a count alone: it does not wait for what comes later");
    needCount(given[0], "count", 0);
    if (plan.wanted !== undefined) throw new Error("cannot set plan more than once");
    plan.wanted = given[0];
  };

  /** What a test is short of, or has too much, as Node says it; "" for nothing. */
  const shortOf = ({ wanted, made }) =>
    (wanted === undefined || wanted === made ? "" : `plan expected ${wanted} assertions but received ${made}`);

  /** The assertions, of node:assert where the file has node:test, each of which is counted before it is made. */
  const countedBy = (plan, needRunning) => {
    const from = nodes.assert ?? own;
    const counted = {};
    const names = keysOf(from);
    for (let at = 0; at < names.length; at++) {
      const name = names[at];
      const method = from[name];
      if (typeof method !== "function" || LEFT_OUT[name] === true) continue;
      defineProperty(counted, name, {
        __proto__: null, writable: true, enumerable: true, configurable: true,
        value: (...args) => {
          needRunning(`t.assert.${name}()`);
          plan.made++;
          return apply(method, from, args);
        },
      });
    }
    return counted;
  };

  return { newPlan, setPlan, shortOf, countedBy };
})
