// SPDX-License-Identifier: MIT
// Runs at every start: puts the runtime's globals in place, each loaded when it is first touched.
((host) => {
  "use strict";
  const { load, globals, exit, exposeBridge } = host;
  const { defineProperty, getOwnPropertyDescriptor, setPrototypeOf } = Object;
  const { apply } = Reflect;
  const PromiseOf = Promise;
  const { then } = Promise.prototype;

  // A descriptor inherits nothing: what scripts put into Object.prototype would be part of it.
  const place = (name, value) =>
    defineProperty(globalThis, name, { __proto__: null, value, writable: true, configurable: true, enumerable: false });

  const own = (object, name) => {
    const found = getOwnPropertyDescriptor(object, name);
    return found && setPrototypeOf(found, null);
  };

  const lazy = (script, names) => {
    const install = () => {
      const library = load(script);
      for (let index = 0; index < names.length; index++) {
        const name = names[index];
        if (own(globalThis, name)?.get?.script !== script) continue;
        const found = own(library, name);
        if (found.get === undefined) place(name, found.value);
        else defineProperty(globalThis, name, found);
      }
      return library;
    };
    for (const name of names) {
      const get = () => {
        install();
        return globalThis[name];
      };
      get.script = script;
      defineProperty(globalThis, name,
        { __proto__: null, get, set: (value) => place(name, value), configurable: true, enumerable: false });
    }
  };

  // As `module global global;module global`.
  const entries = globals.split(";");
  for (let index = 0; index < entries.length; index++) {
    const [script, ...names] = entries[index].split(" ");
    lazy(script, names);
  }
  place("self", globalThis);

  let intrinsics, bridge;
  const prepare = () => { intrinsics ??= load("intrinsics"); };
  const nativeBridge = () => {
    prepare();
    if (bridge === undefined) exposeBridge((made) => { bridge = made; }, intrinsics);
    return bridge;
  };
  defineProperty(globalThis, "nbridge", {
    configurable: true, enumerable: false,
    get() {
      const made = nativeBridge();
      place("nbridge", made);
      return made;
    },
    set(value) { place("nbridge", value); },
  });
  place("exit", exit);
  if (host.seed !== undefined) load("seed")(host.seed);

  return {
    nativeBridge,

    /** Takes what the bridge needs of the engine. Called before the first script that has anything in it. */
    prepare,

    /** A member that is asked for when it is read. */
    laterMember(object, name, get) { defineProperty(object, name, { __proto__: null, get: () => get(), configurable: true }); },

    /** Tells how a script that awaits at its top ended. */
    follow(promise, settled, failed) { apply(then, promise, [settled, failed]); },

    /** The engine compiles WebAssembly on threads that the loop can't see, and of bytes alone. */
    holdWhile(hold) {
      const streaming = {
        compileStreaming(source) { return load("wasmstreaming").compileStreaming(source); },
        instantiateStreaming(source, imports = undefined) { return load("wasmstreaming").instantiateStreaming(source, imports); },
      };
      for (const name of ["compileStreaming", "instantiateStreaming"]) {
        if (own(WebAssembly, name) !== undefined) continue;
        defineProperty(WebAssembly, name, { __proto__: null, value: streaming[name], writable: true, configurable: true, enumerable: true });
      }
      for (const name of ["compile", "instantiate"]) {
        const native = WebAssembly[name];
        if (native.isHeld) continue;
        const held = { [name](...args) {
          const promise = apply(native, this, args);
          hold(true);
          // One of its own: what rejects that one has nobody's handler yet.
          return new PromiseOf((resolve, reject) => {
            const end = (settle) => (value) => {
              hold(false);
              settle(value);
            };
            apply(then, promise, [end(resolve), end(reject)]);
          });
        } }[name];
        defineProperty(held, "isHeld", { __proto__: null, value: true });
        defineProperty(WebAssembly, name, { __proto__: null, value: held, writable: true, configurable: true, enumerable: true });
      }
    },
  };
})
