// SPDX-License-Identifier: MIT
// navigator.locks (Web Locks API): locks by name among what one program and its workers do at once. Other programs have their own.
((host) => {
  "use strict";
  const { append, finish, hold, isObject, native, need, task, DOMException, Table } = host;
  const { slice, keyOf } = host.texts;
  const { TypeError } = globalThis;
  const { fromCharCode } = String;
  const PromiseOf = Promise;
  const uncurry = (method) => Function.prototype.call.bind(method);
  const react = uncurry(Promise.prototype.then);

  const refusal = (message, name) => new DOMException(`LockManager.request: ${message}`, name);

  // --- Requests and what they got -------------------------------------------------------------------------

  /** The name that a key of texts.keyOf() stands for. */
  const nameOf = (key) => {
    if (key[0] === "t") return slice(key, 1);
    let name = "", unit = 0;
    for (let i = 1; i < key.length; i++) {
      if (key[i] !== ",") unit = unit * 10 + +key[i];
      else {
        name += fromCharCode(unit);
        unit = 0;
      }
    }
    return name;
  };

  // A request: { number, key, name, mode, callback, signal, step, resolve, reject }. One that is granted is held by the same
  // record.
  const requests = new Table();
  let last = 0;

  /** The names for which the program goes on: it waits, and what other engines do may be the end of that. */
  const holding = new Table();

  /** To be called whenever this engine's requests of a name change, or those who have others. */
  const look = (key) => {
    const waits = native.waitsAmongOthers(key);
    if (waits === (holding.get(key) === true)) return;
    if (waits) holding.set(key, true);
    else holding.delete(key);
    hold(waits ? 1 : -1);
  };

  /** Does what the table says of this engine's requests. */
  const hear = () => {
    for (let event = native.next(); event !== 0; event = native.next()) {
      if (typeof event === "string") {
        look(event);
        continue;
      }
      const request = requests.get(event < 0 ? -event : event);
      // Nobody wants it any more.
      if (request === undefined) continue;
      look(request.key);
      if (event > 0) {
        task(() => begin(request));
      } else {
        requests.delete(request.number);
        request.reject(refusal(`another request stole the lock '${request.name}'`, "AbortError"));
      }
    }
  };
  native.open(hear);

  /** It is over, and others may have their turn. One that was stolen is over already. */
  const release = (request) => {
    if (requests.get(request.number) !== request) return;
    requests.delete(request.number);
    native.leave(request.number, request.key);
    look(request.key);
    hear();
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

  const follow = (request) => {
    request.step = () => {
      request.reject(host.signals.reason(request.signal));
      release(request);
    };
    host.signals.addStep(request.signal, request.step);
  };

  // As LockTable.Way has them.
  const WAIT = 0, ONLY_IF_FREE = 1, STEAL = 2;

  const enter = (request, { ifAvailable, signal, steal }) => {
    if (signal !== undefined) follow(request);
    requests.set(request.number, request);
    const way = steal ? STEAL : ifAvailable ? ONLY_IF_FREE : WAIT;
    if (!native.enter(request.number, request.key, request.mode === "exclusive", way)) {
      requests.delete(request.number);
      return task(() => react(called(request.callback, null), request.resolve, request.reject));
    }
    hear();
    look(request.key);
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

  const infosOf = (list) => {
    const infos = [];
    for (let i = 0; i < list.length; i += 3) append(infos, { clientId: list[i + 2], mode: list[i + 1], name: nameOf(list[i]) });
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
          __proto__: null, number: ++last, key: keyOf(text), name: text, mode: given.mode,
          callback: toCallback(count > 2 ? callback : options), signal: given.signal, step: undefined, resolve, reject,
        };
        const problem = problemOf(text, given);
        if (problem === undefined) enter(request, given);
        else reject(problem);
      });
    }

    query() {
      return new PromiseOf((resolve) => {
        this.#isReal;
        const { 0: held, 1: pending } = native.all();
        const found = { held: infosOf(held), pending: infosOf(pending) };
        // A task of its own (Web Locks, "query()"), also so that a loop over it lets timers in.
        task(() => resolve(found));
      });
    }
  }
  finish(LockManager, "LockManager", ["request", "query"]);

  return { Lock, LockManager, manager: new LockManager(MAKE) };
})
