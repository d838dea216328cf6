// SPDX-License-Identifier: MIT
// navigator.locks (Web Locks API): locks by name among what one program does at once. Other programs have their own.
((host) => {
  "use strict";
  const { append, finish, isObject, need, task, DOMException } = host;
  const { TypeError } = globalThis;
  const PromiseOf = Promise;
  const uncurry = (method) => Function.prototype.call.bind(method);
  const react = uncurry(Promise.prototype.then);

  const refusal = (message, name) => new DOMException(`LockManager.request: ${message}`, name);

  // --- Lists ----------------------------------------------------------------------------------------------

  const without = (list, item) => {
    const kept = [];
    for (let i = 0; i < list.length; i++) if (list[i] !== item) append(kept, list[i]);
    return kept;
  };

  const after = (first, list) => {
    const whole = [];
    append(whole, first);
    for (let i = 0; i < list.length; i++) append(whole, list[i]);
    return whole;
  };

  // --- Requests and what they got -------------------------------------------------------------------------

  // A request: { name, mode, callback, signal, step, resolve, reject }. One that is granted is held by the same record.
  let pending = [];
  let held = [];

  /** Whether no lock of the name is in a request's way. */
  const isFree = ({ name, mode }) => {
    for (let i = 0; i < held.length; i++) {
      if (held[i].name === name && (mode === "exclusive" || held[i].mode === "exclusive")) return false;
    }
    return true;
  };

  const hasPending = (name) => {
    for (let i = 0; i < pending.length; i++) if (pending[i].name === name) return true;
    return false;
  };

  /** Grants what the first requests of a name ask for, in their turn. */
  const grantNext = (name) => {
    for (let i = 0; i < pending.length; i++) {
      const request = pending[i];
      if (request.name !== name) continue;
      if (!isFree(request)) return;
      pending = without(pending, request);
      i--;
      append(held, request);
      task(() => begin(request));
    }
  };

  const isHeld = (request) => {
    for (let i = 0; i < held.length; i++) if (held[i] === request) return true;
    return false;
  };

  const release = (request) => {
    if (!isHeld(request)) return; // It was stolen.
    held = without(held, request);
    grantNext(request.name);
  };

  /** A promise of what the callback answers. */
  const called = (callback, lock) => new PromiseOf((resolve) => resolve(callback(lock)));

  const begin = (request) => {
    const { callback, signal, resolve, reject } = request;
    if (signal !== undefined) {
      if (host.signals.isAborted(signal)) return release(request);
      host.signals.removeStep(signal, request.step);
    }
    react(called(callback, makeLock(request)), (value) => {
      release(request);
      resolve(value);
    }, (error) => {
      release(request);
      reject(error);
    });
  };

  const steal = (name) => {
    for (let i = 0; i < held.length; i++) {
      if (held[i].name === name) held[i].reject(refusal(`another request stole the lock '${name}'`, "AbortError"));
    }
    const kept = [];
    for (let i = 0; i < held.length; i++) if (held[i].name !== name) append(kept, held[i]);
    held = kept;
  };

  const follow = (request) => {
    request.step = () => {
      pending = without(pending, request);
      request.reject(host.signals.reason(request.signal));
      grantNext(request.name);
    };
    host.signals.addStep(request.signal, request.step);
  };

  const enter = (request, options) => {
    if (options.signal !== undefined) follow(request);
    if (options.steal) {
      steal(request.name);
      pending = after(request, pending);
    } else if (options.ifAvailable && (hasPending(request.name) || !isFree(request))) {
      return task(() => react(called(request.callback, null), request.resolve, request.reject));
    } else {
      append(pending, request);
    }
    grantNext(request.name);
  };

  // --- Arguments ------------------------------------------------------------------------------------------

  const DEFAULTS = { __proto__: null, ifAvailable: false, mode: "exclusive", signal: undefined, steal: false };

  const toMode = (value) => {
    const mode = value === undefined ? "exclusive" : `${value}`;
    if (mode === "exclusive" || mode === "shared") return mode;
    throw new TypeError(`LockManager.request: the mode is "exclusive" or "shared", not "${mode}"`);
  };

  const toOptions = (value) => {
    if (value === undefined || value === null) return DEFAULTS;
    if (!isObject(value)) throw new TypeError("LockManager.request: the options must be an object");
    const ifAvailable = !!value.ifAvailable;
    const mode = toMode(value.mode);
    const { signal } = value;
    if (signal !== undefined && !host.signals.isSignal(signal)) {
      throw new TypeError("LockManager.request: the option 'signal' must be an AbortSignal");
    }
    return { __proto__: null, ifAvailable, mode, signal, steal: !!value.steal };
  };

  const toCallback = (value) => {
    if (typeof value === "function") return value;
    throw new TypeError("LockManager.request needs a function as its last argument: it has the lock as long as it runs");
  };

  /** Why a request is refused; undefined for one that may be made. */
  const problemOf = (name, { ifAvailable, mode, signal, steal: steals }) => {
    const refused = (message) => refusal(message, "NotSupportedError");
    if (name[0] === "-") return refused(`names that begin with '-', as "${name}", are kept for later`);
    if (steals && ifAvailable) return refused("'steal' and 'ifAvailable' exclude each other");
    if (steals && mode === "shared") return refused("only an exclusive lock can be stolen");
    if (signal !== undefined && (steals || ifAvailable)) return refused("with a 'signal' goes neither 'steal' nor 'ifAvailable'");
    return signal !== undefined && host.signals.isAborted(signal) ? host.signals.reason(signal) : undefined;
  };

  // --- Interfaces -----------------------------------------------------------------------------------------

  const MAKE = Symbol("make");
  const requireKey = (key) => { if (key !== MAKE) throw new TypeError("Illegal constructor"); };

  class Lock {
    #request;
    constructor() {
      requireKey(arguments[0]);
      this.#request = arguments[1];
    }
    static isLock(value) { return isObject(value) && #request in value; }
    get name() { return this.#request.name; }
    get mode() { return this.#request.mode; }
  }
  const { isLock } = Lock;
  delete Lock.isLock;
  const makeLock = (request) => new Lock(MAKE, request);
  finish(Lock, "Lock", ["name", "mode"]);
  host.showsFields(Lock, "Lock", ["name", "mode"], isLock);
  host.notCloneable(isLock);

  const infosOf = (requests) => {
    const infos = [];
    for (let i = 0; i < requests.length; i++) {
      append(infos, { clientId: "this program", mode: requests[i].mode, name: requests[i].name });
    }
    return infos;
  };

  class LockManager {
    #isReal = true;
    constructor() { requireKey(arguments[0]); }

    request(name, options, callback = undefined) {
      const count = arguments.length;
      return new PromiseOf((resolve, reject) => {
        this.#isReal;
        need(count, 2, "LockManager.request");
        const text = `${name}`;
        const given = toOptions(count > 2 ? options : undefined);
        const request = {
          __proto__: null, name: text, mode: given.mode, callback: toCallback(count > 2 ? callback : options),
          signal: given.signal, step: undefined, resolve, reject,
        };
        const problem = problemOf(text, given);
        if (problem === undefined) enter(request, given);
        else reject(problem);
      });
    }

    query() {
      return new PromiseOf((resolve) => {
        this.#isReal;
        resolve({ held: infosOf(held), pending: infosOf(pending) });
      });
    }
  }
  finish(LockManager, "LockManager", ["request", "query"]);

  return { Lock, LockManager, manager: new LockManager(MAKE) };
})
