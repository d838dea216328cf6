// SPDX-License-Identifier: MIT
// Objects that structuredClone must refuse: those of the web's interfaces, and those that the engine makes for programs.
((host) => {
  "use strict";
  const { append, isInterface, Table } = host;
  const { Intl } = globalThis, Stack = globalThis.DisposableStack;
  const tests = [];

  // By their prototypes; made when one is first asked for.
  const FORMATS = [
    "Collator", "DateTimeFormat", "DisplayNames", "DurationFormat", "ListFormat", "Locale", "NumberFormat", "PluralRules",
    "RelativeTimeFormat", "Segmenter",
  ];
  let engines;
  const isOfEngine = (prototype) => {
    if (engines === undefined) {
      engines = new Table();
      for (let i = 0; i < FORMATS.length; i++) {
        const made = Intl[FORMATS[i]];
        if (typeof made === "function") engines.set(made.prototype, true);
      }
      if (Stack !== undefined) engines.set(Stack.prototype, true);
    }
    return engines.has(prototype);
  };

  return {
    /** Adds a test, which must not throw for any object, for those whose prototype a script may have changed. */
    notCloneable(test) { append(tests, test); },

    isNotCloneable(object) {
      for (let i = 0; i < tests.length; i++) if (tests[i](object)) return true;
      return false;
    },

    /** Whether what inherits from a prototype, and is of no kind that can be copied, is of an interface or the engine's. */
    isPlatform: (prototype) => isInterface(prototype) || isOfEngine(prototype),
  };
})
