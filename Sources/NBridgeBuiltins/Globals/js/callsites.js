// SPDX-License-Identifier: MIT
// `Error.prepareStackTrace`, as packages for Node set it to see their callers: once it is set, Error.captureStackTrace hands it
// the frames as objects. The engine itself asks no such function: the stack of an error that is thrown stays a text.
((host) => {
  "use strict";
  const { Error, apply, defineProperty, indexOf, lastIndexOf, slice, startsWith, descriptorOf } = host.intrinsics;
  const capture = Error.captureStackTrace;

  class CallSite {
    #name;
    #file;
    #line;
    #column;
    constructor(name, file, line, column) { [this.#name, this.#file, this.#line, this.#column] = [name, file, line, column]; }
    getFunctionName() { return this.#name === "" ? null : this.#name; }
    getFileName() { return this.#file; }
    getScriptNameOrSourceURL() { return this.#file; }
    getLineNumber() { return this.#line; }
    getColumnNumber() { return this.#column; }
    getEvalOrigin() { return undefined; }
    getFunction() { return undefined; }
    getThis() { return undefined; }
    getTypeName() { return null; }
    getMethodName() { return null; }
    getPromiseIndex() { return null; }
    isAsync() { return false; }
    isConstructor() { return false; }
    isEval() { return startsWith(this.#name, "eval code"); }
    isNative() { return false; }
    isPromiseAll() { return false; }
    isToplevel() { return this.#name === "" || startsWith(this.#name, "module code"); }
    toString() {
      const place = `${this.#file}:${this.#line}:${this.#column}`;
      return this.#name === "" ? place : `${this.#name} (${place})`;
    }
  }

  /** A frame as the engine writes it, `name@file:line:column`; undefined for one of the runtime's or the engine's own. */
  const siteOf = (text) => {
    const at = indexOf(text, "@");
    const place = slice(text, at + 1);
    const column = lastIndexOf(place, ":"), line = lastIndexOf(slice(place, 0, column), ":");
    if (at < 0 || line <= 0 || startsWith(place, "nbridge:")) return undefined;
    return new CallSite(slice(text, 0, at), slice(place, 0, line), +slice(place, line + 1, column), +slice(place, column + 1));
  };

  const sitesIn = (stack) => {
    const sites = [];
    for (let start = 0; start <= stack.length;) {
      const newline = indexOf(stack, "\n", start);
      const end = newline < 0 ? stack.length : newline;
      const site = siteOf(slice(stack, start, end));
      if (site !== undefined) defineProperty(sites, sites.length, { __proto__: null, value: site, writable: true, enumerable: true, configurable: true });
      start = end + 1;
    }
    return sites;
  };

  function captureStackTrace(target, above) {
    apply(capture, Error, [target, above]);
    const prepare = Error.prepareStackTrace;
    const stack = descriptorOf(target, "stack")?.value;
    if (typeof prepare !== "function" || typeof stack !== "string") return;
    const value = apply(prepare, Error, [target, sitesIn(stack)]);
    defineProperty(target, "stack", { __proto__: null, value, writable: true, configurable: true });
  }

  const own = (name, value) => defineProperty(Error, name, { __proto__: null, value, writable: true, configurable: true });

  /** Waits for a program to set the function: until then nothing is another one's. */
  const watch = () => {
    if (descriptorOf(Error, "prepareStackTrace") !== undefined || typeof capture !== "function") return;
    defineProperty(Error, "prepareStackTrace", {
      __proto__: null, configurable: true, get: () => undefined,
      set(value) {
        own("prepareStackTrace", value);
        if (Error.captureStackTrace === capture) own("captureStackTrace", captureStackTrace);
      },
    });
  };

  return { make: () => ({ __proto__: null, watch }) };
})
