// SPDX-License-Identifier: MIT
// The units of a string, whatever a script does to String.prototype.
(() => {
  "use strict";
  const { create, defineProperty } = Object;
  const { call } = Function.prototype;
  const { charCodeAt } = String.prototype;

  // As `call.bind(charCodeAt)`, but the engine compiles it into the caller: a bound function is several times slower.
  const { read } = { __proto__: create(null, { at: { __proto__: null, value: charCodeAt } }), read(index) { return super.at(index); } };
  defineProperty(read, "call", { __proto__: null, value: call });

  /** The unit at an index; NaN behind the end. */
  const unitAt = (text, index) => read.call(text, index);

  return { unitAt };
})
