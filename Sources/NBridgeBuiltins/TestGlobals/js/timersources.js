// SPDX-License-Identifier: MIT
// Who sets the timers of node:timers: `own`, the program's; and in `sources`, for each kind that a test's clock has taken over,
// `{ set(body, delay), clear(id) }`. `unheld` has the numbers of those of the program's that were unref'ed.
((host) => {
  const { setTimeout: set, clearTimeout: clear, hold } = host.timers;
  return { own: { __proto__: null, set, clear, hold }, sources: { __proto__: null }, unheld: { __proto__: null } };
})
