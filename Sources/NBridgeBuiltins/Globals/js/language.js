// SPDX-License-Identifier: MIT
// What stands for syntax that the engine does not know: blocks with `using` (ECMA-262 proposal Explicit
// Resource Management), and classes with decorators (ECMA-262 proposal Decorators, stage 3). LoweredText
// writes the calls.
((host) => {
  "use strict";
  const { defineProperty, freeze } = Object;
  const { apply } = Reflect;
  const { dispose, asyncDispose } = Symbol;
  const { TypeError, SuppressedError, Promise } = globalThis;

  const isObject = (value) => typeof value === "object" && value !== null || typeof value === "function";

  /** GetDisposeMethod: an asynchronous one may stand for by the other, which is not waited for. */
  const methodOf = (value, isAsync) => {
    let method;
    if (isAsync) method = value[asyncDispose];
    if (method !== undefined && method !== null) return method;
    const found = value[dispose];
    if (!isAsync || typeof found !== "function") return found;
    return function () { apply(found, this, []); };
  };

  /** A block's resources, in a chain: the last is let go of first. */
  class Scope {
    #last = null;
    #what;
    #error;
    #hasError = false;

    constructor(what) { this.#what = what; }

    #add(value, isAsync) {
      if (value === null || value === undefined) {
        if (isAsync) {
          this.#last = { __proto__: null, value: undefined, method: undefined, isAsync, before: this.#last };
        }
        return value;
      }
      if (!isObject(value)) throw new TypeError(`${this.#what} is an object, null or undefined`);
      const method = methodOf(value, isAsync);
      if (typeof method !== "function") {
        throw new TypeError(`${this.#what} has no method ` +
          (isAsync ? "[Symbol.asyncDispose] or [Symbol.dispose]" : "[Symbol.dispose]"));
      }
      this.#last = { __proto__: null, value, method, isAsync, before: this.#last };
      return value;
    }

    add(value) { return this.#add(value, false); }
    addAsync(value) { return this.#add(value, true); }

    /** The block ended with an error. */
    fail(error) {
      this.#error = error;
      this.#hasError = true;
    }

    #failToo(error) {
      this.#error = this.#hasError ? new SuppressedError(error, this.#error) : error;
      this.#hasError = true;
    }

    end() {
      while (this.#last !== null) {
        const { value, method, before } = this.#last;
        this.#last = before;
        try { apply(method, value, []); } catch (error) { this.#failToo(error); }
      }
      if (this.#hasError) throw this.#error;
    }

    async endAsync() {
      let mustWait = false, hasWaited = false;
      while (this.#last !== null) {
        const { value, method, isAsync, before } = this.#last;
        this.#last = before;
        // What is null is waited for once (DisposeResources, 3.d).
        if (!isAsync && mustWait && !hasWaited) {
          mustWait = false;
          await undefined;
        }
        if (method === undefined) {
          mustWait = true;
          continue;
        }
        try {
          const result = apply(method, value, []);
          if (isAsync) {
            hasWaited = true;
            await result;
          }
        } catch (error) { this.#failToo(error); }
      }
      if (mustWait && !hasWaited) await undefined;
      if (this.#hasError) throw this.#error;
    }
  }

  let receiver;
  const library = {
    __proto__: null,

    /** The resources of a block, or of what gives them by another name. */
    scope: (what = "what 'using' declares") => new Scope(what),

    /** A class with decorators: `make` answers it, and is given what its parts ask. */
    define(decorators, name, make) {
      const state = host.makeState(decorators, name);
      make(state);
      return state.finish();
    },

    /** The same, where the class's head awaits. */
    async defineAsync(decorators, name, make) {
      const state = host.makeState(decorators, name);
      await make(state);
      return state.finish();
    },

    /** Keeps what a decorator is a member of, to be the `this` of its call. */
    keep(object) { return receiver = object; },
    kept() {
      const object = receiver;
      receiver = undefined;
      return object;
    },
  };
  defineProperty(globalThis, "\u01c3lang_", { __proto__: null, value: freeze(library) });
  return library;
})
