// SPDX-License-Identifier: MIT
// AsyncDisposableStack (ECMA-262 proposal Explicit Resource Management, 12.4): the engine's own refuses what has
// [Symbol.dispose] alone, and leaves an error unhandled where two come.
((host) => {
  "use strict";
  const { scope, declareInterface, notCloneable } = host;
  const { ReferenceError, TypeError } = globalThis;
  const { defineProperty, getOwnPropertyDescriptor } = Object;
  const { apply } = Reflect;
  const { asyncDispose, toStringTag } = Symbol;

  const needFunction = (value, name) => {
    if (typeof value !== "function") throw new TypeError(`AsyncDisposableStack.${name} needs a function`);
  };

  class AsyncDisposableStack {
    /** What it lets go of; undefined once it did. */
    #scope = scope("what AsyncDisposableStack.use takes");

    static {
      notCloneable((object) => #scope in object);
    }

    #open() {
      if (this.#scope === undefined) throw new ReferenceError("this AsyncDisposableStack has let go of all that it had");
      return this.#scope;
    }

    get disposed() { return this.#scope === undefined; }

    use(value) { return this.#open().addAsync(value); }

    adopt(value, onDispose) {
      const open = this.#open();
      needFunction(onDispose, "adopt");
      open.addAsync({ __proto__: null, [asyncDispose]: () => apply(onDispose, undefined, [value]) });
      return value;
    }

    defer(onDispose) {
      const open = this.#open();
      needFunction(onDispose, "defer");
      open.addAsync({ __proto__: null, [asyncDispose]: () => apply(onDispose, undefined, []) });
    }

    move() {
      const moved = new AsyncDisposableStack();
      moved.#scope = this.#open();
      this.#scope = undefined;
      return moved;
    }

    // What it is called on that is no such stack is a rejection, too.
    async disposeAsync() {
      const open = this.#scope;
      if (open === undefined) return;
      this.#scope = undefined;
      await open.endAsync();
    }
  }
  const { prototype } = AsyncDisposableStack;
  const { value: method } = getOwnPropertyDescriptor(prototype, "disposeAsync");
  defineProperty(prototype, asyncDispose,
    { __proto__: null, value: method, writable: true, configurable: true, enumerable: false });
  defineProperty(prototype, toStringTag, { __proto__: null, value: "AsyncDisposableStack", configurable: true });
  declareInterface(AsyncDisposableStack, "AsyncDisposableStack");

  return { AsyncDisposableStack };
})
