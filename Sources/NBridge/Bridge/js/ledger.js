// SPDX-License-Identifier: MIT
// What the bridge tells of a program: the calls that wait, the names that it looked for in vain, and how it wrote what was wrong.
// Loaded when somebody asks. Part of `www/nbridge.js`: what it needs is handed to it, nothing is taken from the globals.
(() => {
  "use strict";
  return ({ intrinsics, waiting, bare, peek, userFrames }) => {
    const { apply, define, indexOf, keys, slice } = intrinsics;
    /** How many names are noted that an object lacks: a script may look for names without end. */
    const LIMIT = 32;

    const isPartOfName = (text, at) => {
      const unit = at < text.length ? text[at] : "";
      return (unit >= "a" && unit <= "z") || (unit >= "A" && unit <= "Z") || (unit >= "0" && unit <= "9") || unit === "_";
    };

    /** A message that calls what stood at its own place by its name alone: `key`, not `option.key`. */
    const renamed = (message, names) => {
      if (typeof message !== "string") return message;
      let text = "", done = 0;
      for (let at = indexOf(message, "option.", 0); at >= 0; at = indexOf(message, "option.", at + 1)) {
        for (let index = 0; index < names.length; index++) {
          const start = at + 7, end = start + names[index].length;
          if (slice(message, start, end) !== names[index] || isPartOfName(message, end) || (at > 0 && isPartOfName(message, at - 1))) continue;
          text += slice(message, done, at);
          done = start;
          break;
        }
      }
      return text + slice(message, done);
    };

    return {
      __proto__: null, renamed,

      /** The same in an error of ours. */
      rename(error, names) {
        define(error, "message",
          { __proto__: null, value: renamed(peek(error, "message"), names), writable: true, enumerable: false, configurable: true });
      },

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
