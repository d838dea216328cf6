// SPDX-License-Identifier: MIT
// Answers that were there while the loop was late, behind enough others that wait for it: they are told after those.
// Part of `www/nbridge.js`: what it needs is handed to it, nothing is taken from the globals.
(() => {
  "use strict";
  return ({ intrinsics: { Error, Promise }, bare, settleOne, FAILURE }) => {
    let entries = bare([]), count = 0;
    return {
      __proto__: null,

      /** A promise of an answer that waits here; who may end that before is handed its entry. */
      promise: (action, kind, answer, watch) => new Promise((resolve, reject) => {
        const site = kind === FAILURE || watch !== undefined ? new Error() : undefined;
        const entry = entries[entries.length] = { resolve, reject, action, kind, answer, site, forget: undefined, isOver: false };
        watch?.(entry);
      }),

      /** Those that others wait before are handed over: who comes now is behind the next. */
      mark() { count = entries.length; },

      /** Settles all up to the mark, in their order. */
      settle() {
        const told = entries, end = count;
        entries = bare([]);
        count = 0;
        for (let index = end; index < told.length; index++) entries[index - end] = told[index];
        for (let index = 0; index < end; index++) {
          const entry = told[index], { kind, answer, isOver } = entry;
          entry.isOver = true;
          settleOne(isOver ? undefined : entry, kind, answer);
        }
      },
    };
  };
})
