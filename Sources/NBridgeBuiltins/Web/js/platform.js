// SPDX-License-Identifier: MIT
// Objects that structuredClone must refuse: those of the web's interfaces, and those that the engine makes for programs.
((host) => {
  "use strict";
  const { append, isInterface, isProxy, Table } = host;
  const { getPrototypeOf } = Object;
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

  /** Deeper lies no interface. */
  const DEPTH = 16;

  const inherits = (object) => {
    let at = getPrototypeOf(object);
    for (let i = 0; i < DEPTH && at !== null && !isProxy(at); i++) {
      if (isInterface(at) || isOfEngine(at)) return true;
      at = getPrototypeOf(at);
    }
    return false;
  };

  return {
    /** Adds a test, which must not throw for any object, for those whose prototype a script may have changed. */
    notCloneable(test) { append(tests, test); },

    /** Whether it is of an interface, or the engine's; those that can be copied are asked about before. */
    isNotCloneable(object) {
      for (let i = 0; i < tests.length; i++) if (tests[i](object)) return true;
      return inherits(object);
    },
  };
})
