// SPDX-License-Identifier: MIT
// The global object of a worker (HTML standard, sections 10.2.1 and 10.3): loaded before its script.
((host) => {
  "use strict";
  const { append, EventTarget, links, makeGlobalTarget, native } = host;
  const { finish, globalTarget, need, watch } = host.events;
  const { makePipe, enable, listen, post } = host.messaging;
  const { TypeError, String: StringOf, Error: ErrorOf } = globalThis;
  const isError = ErrorOf.isError ?? ((value) => value instanceof ErrorOf);
  const { defineProperty, getOwnPropertyDescriptor, getOwnPropertyDescriptors, hasOwn } = Object;
  const { bind, call } = Function.prototype;
  const addListener = bind.call(call, EventTarget.prototype.addEventListener);
  const startsWith = bind.call(call, String.prototype.startsWith);
  const ownNames = Object.keys;
  const isObject = (value) => typeof value === "object" && value !== null;
  const globalObject = globalThis;
  const { hasInstance } = Symbol;

  const pipe = links.adopt(makePipe(), native.link);
  pipe.owner = globalTarget;
  const given = native.hasData ? links.takeNow(pipe) : undefined;

  // What comes before the first listener waits for it: a script that awaits at its top loses nothing.
  watch(globalTarget, (type, count) => {
    if (type !== "message") return;
    listen(pipe, count);
    if (count > 0) enable(pipe);
  });

  const place = (name, value, enumerable = false) =>
    defineProperty(globalObject, name, { __proto__: null, value, writable: true, configurable: true, enumerable });

  // --- Members --------------------------------------------------------------------------------------------

  const { handlers } = makeGlobalTarget(["message", "messageerror"]);
  const accessors = getOwnPropertyDescriptors(handlers);
  for (const name of ["onmessage", "onmessageerror"]) {
    defineProperty(globalObject, name, { __proto__: null, ...accessors[name], enumerable: true });
  }

  const { postMessage, close, importScripts } = {
    postMessage(message, options = undefined) {
      need(arguments.length, 1, "postMessage");
      post(null, pipe.link === 0 ? null : pipe, message, options);
    },
    close() { native.close(); },
    importScripts(...urls) {
      if (native.isModule) throw new TypeError("importScripts: this worker is a module; use import");
      const addresses = [], { URL } = host, { hrefOf } = host.urls;
      for (let i = 0; i < urls.length; i++) append(addresses, hrefOf(new URL(StringOf(urls[i]), native.location)));
      for (let i = 0; i < addresses.length; i++) {
        const address = addresses[i];
        const thrown = native.importScript(startsWith(address, "blob:") ? host.blobURLs.carried(address) : address);
        if (thrown !== undefined) throw thrown[0];
      }
    },
  };
  place("postMessage", postMessage, true);
  place("close", close, true);
  place("importScripts", importScripts, true);
  place("name", native.name, true);
  // These are of windows only (HTML standard, sections 12.2.2 and 12.2.3).
  delete globalObject.localStorage;
  delete globalObject.sessionStorage;

  // --- Interfaces -----------------------------------------------------------------------------------------

  const scope = (name, parent) => {
    const type = { [name]: class extends parent {
      constructor() { throw new TypeError("Illegal constructor"); }
      static [hasInstance](value) { return value === globalObject; }
    } }[name];
    finish(type, name, []);
    place(name, type);
    return type;
  };
  scope("DedicatedWorkerGlobalScope", scope("WorkerGlobalScope", EventTarget));

  // Most workers never ask: what knows URLs takes longer to load than all else here.
  let parts = null;
  const partsNow = () => (parts ??= host.urls.locationOf(new host.URL(native.location)));
  class WorkerLocation {
    constructor() { throw new TypeError("Illegal constructor"); }
    toString() { return this.href; }
  }
  for (const name of ["href", "origin", "protocol", "host", "hostname", "port", "pathname", "search", "hash"]) {
    defineProperty(WorkerLocation.prototype, name,
      { __proto__: null, get: () => partsNow()[name], enumerable: true, configurable: true });
  }
  finish(WorkerLocation, "WorkerLocation", ["toString"]);
  place("WorkerLocation", WorkerLocation);
  const location = Object.create(WorkerLocation.prototype);
  defineProperty(globalObject, "location",
    { __proto__: null, get: () => location, set: undefined, enumerable: true, configurable: true });

  // --- Faults ---------------------------------------------------------------------------------------------

  /** A copy of an error leaves out its own properties: they come beside it, as far as they can be copied. */
  const ownOf = (error, copied) => {
    const own = [];
    const found = isObject(error) ? getOwnPropertyDescriptors(error) : { __proto__: null };
    for (const name of ownNames(found)) {
      const { enumerable, value } = found[name];
      // What AggregateError gathers is not enumerable, and of no copy either.
      if (!enumerable && name !== "errors" || typeof value === "function") continue;
      try { append(own, [name, copied(value), enumerable]); } catch { /* It can't be copied. */ }
    }
    return own;
  };

  /** Tells who made this worker, which is one of node:worker_threads, of what it may end by. */
  const tellOfFaults = (port) => {
    const send = bind.call(port.postMessage, port);
    const copied = globalThis.structuredClone;
    const tell = (error) => {
      try {
        const name = isObject(error) ? error.name : undefined;
        const frames = isObject(error) ? host.linesOf(error) : "";
        const rest = { name, own: ownOf(error, copied), frames };
        try { send({ value: error, ...rest }); } catch (problem) {
          // What an error holds, as its cause, may be what can't be copied.
          if (!isError(error)) throw problem;
          send({ value: new ErrorOf(error.message), ...rest });
        }
      } catch { /* The maker knows the text of what can't be copied. */ }
    };
    const hear = (type, member) => addListener(globalTarget, type, (event) => { tell(event[member]); });
    hear("error", "error");
    hear("unhandledrejection", "reason");
  };
  if (native.hasData && given !== undefined) tellOfFaults(given.message.faults);

  return {
    /** For node:worker_threads: what the worker was given, and its number. */
    internals: { __proto__: null, given, number: native.number },

    /** The script has run, as far as it does not await: a function of its own may be the handler. */
    begun() {
      const found = getOwnPropertyDescriptor(globalObject, "onmessage");
      // The member's own place is none: an inherited `value` would be a script's.
      if (found === undefined || !hasOwn(found, "value") || typeof found.value !== "function") return;
      listen(pipe, 1);
      enable(pipe);
    },
  };
})
