// SPDX-License-Identifier: MIT
// Members of an object's own: an assignment would meet what a script has frozen in the prototypes behind it.
"use strict";

const give = (target, name, value) =>
  Object.defineProperty(target, name,
    { __proto__: null, value, writable: true, enumerable: true, configurable: true });

/** As Object.assign, without a look at what the target inherits. */
const assign = (target, ...sources) => {
  for (const source of sources) {
    for (const name of Reflect.ownKeys(source)) {
      if (Object.prototype.propertyIsEnumerable.call(source, name)) give(target, name, source[name]);
    }
  }
  return target;
};

/** What the engine has of its own, taken before a script ran; methods take `this` as their first argument. */
const { intrinsics } = require;

module.exports = { assign, give, intrinsics };
