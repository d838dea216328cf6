// SPDX-License-Identifier: MIT
// What `error.stack` is in an author's text (StackReads): the title and the author's frames, as console shows them. Undefined
// for what is no error, or has a stack that a script wrote.
((host) => {
  "use strict";
  const { define, descriptorOf, isError } = host.intrinsics;

  const stackOf = (error) => {
    if (!isError(error)) return undefined;
    const stack = descriptorOf(error, "stack")?.value;
    if (typeof stack !== "string" || stack === "" || host.ownStackOf(error) !== "") return undefined;
    const lines = host.linesOf(error);
    return lines === "" ? host.headOf(error) : `${host.headOf(error)}\n${lines}`;
  };
  define(globalThis, "\u01c3stackOf_", { __proto__: null, value: stackOf });
  return stackOf;
})
