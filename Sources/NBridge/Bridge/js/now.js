// SPDX-License-Identifier: MIT
// Answers that are there at once, of hidden actions, too, for the runtime's own modules, which keep this from scripts.
// Part of `www/nbridge.js`: what it needs is handed to it, nothing is taken from the globals.
(() => {
  "use strict";
  // The loop may be late: this answer does not wait for it.
  const AT_ONCE = 2;
  return ({ registers, failure, errorOf, packed, begin, actionOf, valueOf, FAILURE, PENDING }) => (service, name, option) => {
    const found = actionOf(service, name, true);
    if (found.native === undefined || found.isWatch) throw failure("invalid_parameter", `${service}.${name} gives no answer at once`);
    const answer = begin(found.native, option === undefined ? undefined : packed(option), 0, AT_ONCE);
    const kind = registers[0];
    if (kind === FAILURE) throw errorOf(answer, undefined, found);
    if (kind === PENDING) throw failure("invalid_parameter", `${service}.${name} gives its answer later`);
    return valueOf(kind, answer);
  };
})
