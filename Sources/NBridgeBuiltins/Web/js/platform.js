// SPDX-License-Identifier: MIT
// The web's interfaces whose objects structuredClone must refuse: each adds how it knows its own when it is loaded.
(() => {
  "use strict";
  const tests = [];
  return {
    /** Adds a test, which must not throw for any object. */
    notCloneable(test) { tests[tests.length] = test; },

    isNotCloneable(object) {
      for (let i = 0; i < tests.length; i++) if (tests[i](object)) return true;
      return false;
    },
  };
})
