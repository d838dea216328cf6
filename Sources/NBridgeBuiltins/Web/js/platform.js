// SPDX-License-Identifier: MIT
// The web's interfaces whose objects structuredClone must refuse: each adds how it knows its own when it is loaded.
((host) => {
  "use strict";
  const { append } = host;
  const tests = [];
  return {
    /** Adds a test, which must not throw for any object. */
    notCloneable(test) { append(tests, test); },

    isNotCloneable(object) {
      for (let i = 0; i < tests.length; i++) if (tests[i](object)) return true;
      return false;
    },
  };
})
