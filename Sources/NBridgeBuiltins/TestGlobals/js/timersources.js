// SPDX-License-Identifier: MIT
// Who sets the timers of node:timers: for each kind that a test's clock has taken over, `{ set(body, delay), clear(id) }`;
// nothing for what is the program's own.
(() => ({ sources: { __proto__: null } }))
