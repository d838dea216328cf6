// SPDX-License-Identifier: MIT
// Lists that a page's setter for an index, on Array.prototype or Object.prototype, does not reach.
(() => {
  "use strict";
  const { defineProperty } = Object;
  const { prototype } = Array;

  /** Adds an item at the end of a list. (To ask with `in` is much faster than to define.) */
  const append = (list, item) => {
    const at = list.length;
    if (at in prototype) {
      defineProperty(list, at, { __proto__: null, value: item, writable: true, enumerable: true, configurable: true });
    } else {
      list[at] = item;
    }
  };

  return { append };
})
