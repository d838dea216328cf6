// SPDX-License-Identifier: MIT
// FinalizationRegistry, of which what a callback throws is reported, as HTML's HostEnqueueFinalizationRegistryCleanupJob
// has it: the engine prints it in words of its own, and leaves the other callbacks of that round. Placed before the first
// script that names it.
((host) => {
  "use strict";
  const { report, isOver } = host;
  const { FinalizationRegistry: Native, TypeError } = globalThis;
  const { apply, construct } = Reflect;
  const { defineProperty } = Object;
  const { prototype } = Native;

  const reporting = (cleanup) => (held) => {
    try {
      if (!isOver()) apply(cleanup, undefined, [held]);
    } catch (error) {
      try { report(error); } catch { /* Nothing native answers a program that has ended. */ }
    }
  };

  function FinalizationRegistry(cleanup) {
    if (new.target === undefined) throw new TypeError("FinalizationRegistry is made with new");
    return construct(Native, [typeof cleanup === "function" ? reporting(cleanup) : cleanup], new.target);
  }
  const place = (object, name, value) =>
    defineProperty(object, name, { __proto__: null, value, writable: true, configurable: true, enumerable: false });
  defineProperty(FinalizationRegistry, "prototype", { __proto__: null, value: prototype, writable: false });
  place(prototype, "constructor", FinalizationRegistry);
  place(globalThis, "FinalizationRegistry", FinalizationRegistry);
})
