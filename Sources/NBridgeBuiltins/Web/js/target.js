// SPDX-License-Identifier: MIT
// The global object as an event target: its methods, and `onerror` and its kin.
((host) => {
  "use strict";
  const { makeGlobalTarget } = host;
  const { defineProperties, getOwnPropertyDescriptors } = Object;
  const target = makeGlobalTarget();
  // Handlers are accessors: their descriptors are what is placed.
  return defineProperties(target, getOwnPropertyDescriptors(target.handlers));
})
