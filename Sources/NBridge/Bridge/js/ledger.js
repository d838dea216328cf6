// SPDX-License-Identifier: MIT
// What the bridge tells of a program: the calls that wait, and the names that it looked for in vain. Loaded when somebody asks for
// either. Part of `www/nbridge.js`: what it needs is handed to it, nothing is taken from the globals.
(() => {
  "use strict";
  return ({ intrinsics, waiting, bare, peek, userFrames }) => {
    const { apply, indexOf, keys, slice } = intrinsics;
    /** How many names are noted that an object lacks: a script may look for names without end. */
    const LIMIT = 32;

    return {
      __proto__: null,

      /** The calls that wait and where they were made. */
      describeWaiting() {
        const list = bare([]);
        for (let slot = 0; slot < waiting.length; slot++) {
          const entry = waiting[slot];
          if (entry === undefined) continue;
          const frames = userFrames(peek(entry.site, "stack")), end = indexOf(frames, "\n");
          list[list.length] = { __proto__: null, slot, site: end < 0 ? frames : slice(frames, 0, end) };
        }
        return list;
      },

      /** Notes, once, that `object`, which scripts call `owner`, has no `name`. */
      note(misses, host, object, owner, name) {
        if (misses.count === LIMIT || misses.names[name]) return;
        misses.count++;
        misses.names[name] = true;
        const names = keys(object), told = bare([owner, name]);
        for (let index = 0; index < names.length; index++) told[told.length] = names[index];
        apply(host.missed, undefined, told);
      },
    };
  };
})
