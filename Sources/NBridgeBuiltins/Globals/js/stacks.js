// SPDX-License-Identifier: MIT
// What `error.stack` is in an author's text (StackReads): by a key of its own, the title and the author's frames, as console shows
// them; by "stack", what it was, of what is no error, or has a stack that a script wrote.
((host) => {
  "use strict";
  const { define, descriptorOf, getPrototypeOf, isError } = host.intrinsics;
  const prototype = globalThis.Error.prototype;
  const KEY = Symbol("stack");

  const hasEngineStack = (value) => {
    if (!isError(value)) return false;
    const stack = descriptorOf(value, "stack")?.value;
    return typeof stack === "string" && stack !== "" && host.isEngines(stack);
  };

  const told = (error) => {
    const head = host.headOf(error), lines = host.linesOf(error);
    return lines === "" ? head : `${head}\n${lines}`;
  };

  const isThere = define(prototype, KEY, {
    __proto__: null, configurable: false, enumerable: false,
    get() { return hasEngineStack(this) ? told(this) : this.stack; },
    set(value) { define(this, "stack", { __proto__: null, value, writable: true, configurable: true, enumerable: false }); },
  });

  /** The key by which an author's `.stack` of a value is read. */
  const keyOf = (value) => {
    if (!isThere || !hasEngineStack(value)) return "stack";
    let at = getPrototypeOf(value);
    for (let level = 0; level < 64 && at !== null; level++, at = getPrototypeOf(at)) if (at === prototype) return KEY;
    return "stack";
  };
  define(globalThis, "\u01c3stackOf_", { __proto__: null, value: keyOf });
  return keyOf;
})
