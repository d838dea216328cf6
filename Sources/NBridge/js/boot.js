// SPDX-License-Identifier: MIT
// Runs at every start: puts the runtime's globals in place, each loaded when it is first touched.
((host) => {
  "use strict";
  const { load, exit, exposeBridge } = host;
  const { defineProperty } = Object;

  const place = (name, value) =>
    defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });

  const lazy = (script, names) => {
    const install = () => {
      const library = load(script);
      for (const name of names) {
        if (Object.getOwnPropertyDescriptor(globalThis, name)?.get?.script === script) place(name, library[name]);
      }
      return library;
    };
    for (const name of names) {
      const get = () => install()[name];
      get.script = script;
      defineProperty(globalThis, name,
        { get, set: (value) => place(name, value), configurable: true, enumerable: false });
    }
  };

  lazy("console", ["console"]);
  lazy("timers", ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "queueMicrotask"]);
  lazy("events", ["Event", "CustomEvent", "EventTarget", "AbortController", "AbortSignal", "DOMException"]);
  lazy("dialogs", ["alert", "confirm", "prompt"]);
  lazy("page", ["window", "document", "nBridge", "addEventListener", "removeEventListener", "dispatchEvent"]);

  let bridge;
  const nativeBridge = () => {
    if (bridge === undefined) exposeBridge((made) => { bridge = made; });
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

  /** What modules get for a name that is not there when they are put together. */
  const requireNothing = (name) => {
    throw new TypeError(`can't import '${name}': its name is made at run time, and modules are put together before`);
  };

  return {
    nativeBridge,

    /** Runs a script that awaits at its top, and tells how it ended; in one entry, before its microtasks run. */
    follow(main, marker, settled, failed) { main(marker, requireNothing).then(settled, failed); },

    /** The engine compiles WebAssembly on threads that the loop can't see. */
    holdWhile(hold) {
      for (const name of ["compile", "instantiate"]) {
        const native = WebAssembly[name];
        if (native.isHeld) continue;
        const held = { [name](...args) {
          const promise = native.apply(this, args);
          hold(true);
          promise.then(() => hold(false), () => hold(false));
          return promise;
        } }[name];
        defineProperty(held, "isHeld", { value: true });
        defineProperty(WebAssembly, name, { value: held, writable: true, configurable: true, enumerable: true });
      }
    },
  };
})
