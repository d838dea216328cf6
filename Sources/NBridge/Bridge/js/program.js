// SPDX-License-Identifier: MIT
// What plugins' own scripts may know of the program; scripts never get it. Loaded with the first plugin that has such a script. Part of
// `www/nbridge.js`: what it needs is handed to it, nothing is taken from the globals.
(() => {
  "use strict";
  return ({ intrinsics, host, bare, peek, invalid, mocks }) => {
    const { keys, isArray, freeze, then } = intrinsics;
    const ignore = () => {};

    const endings = bare([]);
    const lastCalls = () => {
      const problems = bare([]);
      for (let index = 0; index < endings.length; index++) {
        try {
          const told = endings[index]() ?? [];
          for (let at = 0; at < told.length; at++) problems[problems.length] = told[at];
        } catch (error) { problems[problems.length] = `at the end: ${peek(error, "message")}`; }
      }
      return problems;
    };
    return freeze({
      __proto__: null,
      atEnd(ending) {
        endings[endings.length] = ending;
        if (endings.length === 1) host.atEnd(lastCalls);
      },
      after: (milliseconds, body) => host.after(milliseconds, body),
      now: () => host.now(),
      guard(isOn) { host.guard(isOn); },
      begun: () => host.begun(),
      /** Whether a file answers instead of native code. */
      isMocked: (service, name) => mocks?.find(service, name) !== undefined,
      settings: (service) => host.settings(service),
      /** A library of the runtime's own. */
      part: (name) => host.part(name),
      place: (frame) => host.place(frame),
      /**
       * What a method of a plugin's own script was given, by these names alone; one that is misspelt must not be passed over. What an object
       * inherits, as from an Object.prototype that somebody has written to, nobody asked for.
       */
      option(option, names, what = "option") {
        const own = { __proto__: null };
        if (option === undefined) return own;
        if (typeof option !== "object" || option === null || isArray(option)) throw invalid(what, `must be an object, as { ${names[0]}: ... }`);
        const given = keys(option);
        for (let index = 0; index < given.length; index++) {
          let isKnown = false;
          for (let at = 0; at < names.length; at++) if (names[at] === given[index]) isKnown = true;
          if (!isKnown) throw invalid(what, host.unknownOption(given[index], ...names));
          own[given[index]] = option[given[index]];
        }
        return own;
      },
      /** What the bridge took of the engine before any code of a script ran. */
      intrinsics: freeze(host.intrinsics),
      /** Lets go of a promise: its failure is told elsewhere. */
      ignore(promise) { then(promise, undefined, ignore); },
    });
  };
})
