// SPDX-License-Identifier: MIT
// The way to the native half of crypto.subtle: operations that answer later, to whom it is told.
((host) => {
  "use strict";
  const { DOMException, drop, filled, room, roomToFill, view } = host;

  /**
   * Has an operation done. `end.answer` gets what it makes, `end.fail` why there is nothing; neither throws. The native half
   * ends the list of what is given at the first undefined, where it takes a list.
   */
  const perform = (end, name, a, b, c, d, e, f, g, h, i) => {
    const done = (value, exception, message) => {
      if (exception === undefined) end.answer(value);
      else end.fail(new DOMException(message, exception));
    };
    host[name](done, a, b, c, d, e, f, g, h, i);
  };

  /** What an operation answers goes through `step`, which may fail, or go on with another one. */
  const chain = (end, step) => ({
    __proto__: null,
    answer(value) {
      try { step(value); } catch (error) { end.fail(error); }
    },
    fail: end.fail,
  });

  return { chain, drop, filled, perform, room, roomToFill, view };
})
