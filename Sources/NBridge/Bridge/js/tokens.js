// SPDX-License-Identifier: MIT
// What the facades of services get that a page defines: the actions that their scripts hold are tokens, and an object of a script's own
// making is none. Loaded with the first. Part of `www/nbridge.js`: what it needs is handed to it, nothing is taken from the globals.
(() => {
  "use strict";
  return ({ intrinsics, invalid, rejected, actionOf, call, watch }) => {
    const { WeakMap, freeze, weakGet, weakSet } = intrinsics;
    const known = new WeakMap();

    const found = (token) => {
      const action = typeof token === "object" && token !== null ? weakGet(known, token) : undefined;
      if (action === undefined) throw invalid("action", "must be one that action(name) gave");
      return action;
    };

    return {
      __proto__: null,
      action(service, name) {
        const action = actionOf(service, name, false);
        const token = freeze({ __proto__: null, service, name });
        weakSet(known, token, action);
        return token;
      },
      call(token, option, control) {
        let action;
        try { action = found(token); } catch (error) { return rejected(error); }
        return call(action, option, control);
      },
      watch: (token, option, callback, control) => watch(found(token), option, callback, control),
    };
  };
})
