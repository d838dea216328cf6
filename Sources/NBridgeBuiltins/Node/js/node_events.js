// SPDX-License-Identifier: MIT
// node:events.
"use strict";

const { assign } = require("node:internal/own");
const { coded, invalidArgType, outOfRange, check, abortError } = require("node:internal/errors");

const captures = Symbol.for("nodejs.rejection");
const errorMonitor = Symbol("events.errorMonitor");
const kCapture = Symbol("kCapture");
let defaultMaxListeners = 10;
let captureRejections = false;

const slice = Function.prototype.call.bind(Array.prototype.slice);
const need = (listener) => check.function(listener, "listener");
const isTarget = (emitter) => typeof emitter?.addEventListener === "function";

// A function and no class: programs call it on objects of their own, `EventEmitter.call(this)`.
function EventEmitter(options) { EventEmitter.init.call(this, options); }

EventEmitter.init = function init(options) {
  if (this._events === undefined || this._events === Object.getPrototypeOf(this)._events) {
    this._events = { __proto__: null };
    this._eventsCount = 0;
  }
  this._maxListeners ||= undefined;
  if (options?.captureRejections !== undefined) {
    check.boolean(options.captureRejections, "options.captureRejections");
    this[kCapture] = options.captureRejections;
  } else if (captureRejections) {
    this[kCapture] = true;
  }
};

EventEmitter.prototype._events = undefined;
EventEmitter.prototype._eventsCount = 0;
EventEmitter.prototype._maxListeners = undefined;
Object.defineProperty(EventEmitter.prototype, kCapture, { value: false, writable: true });

/** The listeners of a name. */
const listOf = (emitter, name) => {
  const held = emitter._events?.[name];
  if (held === undefined) return [];
  return typeof held === "function" ? [held] : held;
};

const warn = (emitter, name, list) => {
  list.warned = true;
  const kind = emitter.constructor?.name ?? "EventEmitter";
  const warning = new Error(
    `Possible EventEmitter memory leak detected. ${list.length} ${String(name)} listeners ` +
    `added to [${kind}]. Use emitter.setMaxListeners() to increase limit`);
  Object.assign(warning, { emitter, type: name, count: list.length });
  warning.name = "MaxListenersExceededWarning";
  require("node:process").emitWarning(warning);
};

/** Where the last listener is that was added as this one; -1 for nowhere. */
const placeOf = (list, listener) => {
  let at = list.length - 1;
  while (at >= 0 && list[at] !== listener && list[at].listener !== listener) at--;
  return at;
};

const add = (emitter, name, listener, atStart) => {
  need(listener);
  let events = emitter._events;
  if (events === undefined) {
    events = emitter._events = { __proto__: null };
    emitter._eventsCount = 0;
  } else if (events.newListener !== undefined) {
    emitter.emit("newListener", name, listener.listener ?? listener);
    events = emitter._events;
  }
  const held = events[name];
  if (held === undefined) {
    events[name] = listener;
    emitter._eventsCount++;
    return emitter;
  }
  const list = typeof held === "function" ? events[name] = [held] : held;
  if (atStart) list.unshift(listener);
  else list.push(listener);
  const most = emitter.getMaxListeners();
  if (most > 0 && list.length > most && !list.warned) warn(emitter, name, list);
  return emitter;
};

const onceOf = (emitter, name, listener) => {
  need(listener);
  let fired = false;
  const wrapper = function (...args) {
    if (fired) return undefined;
    emitter.removeListener(name, wrapper);
    fired = true;
    return listener.apply(emitter, args);
  };
  wrapper.listener = listener;
  return wrapper;
};

const unhandled = (emitter, args) => {
  const error = args[0];
  if (error instanceof Error) throw error;
  let shown;
  try { shown = require("node:util").inspect(error); } catch { shown = error; }
  throw coded(Error, "ERR_UNHANDLED_ERROR", `Unhandled error. (${shown})`, { context: error });
};

const capture = (emitter, result, name, args) => {
  result.then?.(undefined, (error) => require("node:process").nextTick(() => {
    if (typeof emitter[captures] === "function") emitter[captures](error, name, ...args);
    else {
      // A rejection of an "error" listener must not come back to it.
      const before = emitter[kCapture];
      try {
        emitter[kCapture] = false;
        emitter.emit("error", error);
      } finally {
        emitter[kCapture] = before;
      }
    }
  }));
};

const call = (emitter, listener, name, args) => {
  const result = listener.apply(emitter, args);
  if (emitter[kCapture] && result != null) capture(emitter, result, name, args);
};

const methods = {
  setMaxListeners(count) {
    check.number(count, "setMaxListeners", 0);
    this._maxListeners = count;
    return this;
  },
  getMaxListeners() { return this._maxListeners ?? defaultMaxListeners; },
  emit(name, ...args) {
    const events = this._events;
    if (name === "error") {
      if (events?.[errorMonitor] !== undefined) this.emit(errorMonitor, ...args);
      if (events?.error === undefined) unhandled(this, args);
    }
    const held = events?.[name];
    if (held === undefined) return false;
    if (typeof held === "function") {
      call(this, held, name, args);
      return true;
    }
    // It asks those who were there when it began.
    const list = slice(held);
    for (let i = 0; i < list.length; i++) call(this, list[i], name, args);
    return true;
  },
  addListener(name, listener) { return add(this, name, listener, false); },
  prependListener(name, listener) { return add(this, name, listener, true); },
  once(name, listener) { return this.on(name, onceOf(this, name, listener)); },
  prependOnceListener(name, listener) { return this.prependListener(name, onceOf(this, name, listener)); },
  removeListener(name, listener) {
    need(listener);
    const held = this._events?.[name];
    if (held === undefined) return this;
    if (typeof held === "function") {
      if (held !== listener && held.listener !== listener) return this;
      delete this._events[name];
      this._eventsCount--;
      if (this._events.removeListener !== undefined) this.emit("removeListener", name, held.listener ?? listener);
      return this;
    }
    const at = placeOf(held, listener);
    if (at < 0) return this;
    held.splice(at, 1);
    if (held.length === 1) this._events[name] = held[0];
    if (this._events.removeListener !== undefined) this.emit("removeListener", name, listener);
    return this;
  },
  removeAllListeners(...names) {
    if (this._events === undefined) return this;
    if (this._events.removeListener === undefined) {
      if (names.length === 0) {
        this._events = { __proto__: null };
        this._eventsCount = 0;
      } else if (this._events[names[0]] !== undefined) {
        delete this._events[names[0]];
        this._eventsCount--;
      }
      return this;
    }
    if (names.length === 0) {
      for (const name of Reflect.ownKeys(this._events)) if (
        name !== "removeListener") this.removeAllListeners(name);
      this.removeAllListeners("removeListener");
      this._events = { __proto__: null };
      this._eventsCount = 0;
    } else {
      const held = this._events[names[0]];
      if (typeof held === "function") this.removeListener(names[0], held);
      else for (let at = (held?.length ?? 0) - 1; at >= 0; at--) this.removeListener(names[0], held[at]);
    }
    return this;
  },
  listeners(name) { return listOf(this, name).map((listener) => listener.listener ?? listener); },
  rawListeners(name) { return [...listOf(this, name)]; },
  listenerCount(name, listener) {
    const list = listOf(this, name);
    if (listener == null) return list.length;
    return list.filter((one) => one === listener || one.listener === listener).length;
  },
  eventNames() { return this._eventsCount > 0 ? Reflect.ownKeys(this._events) : []; },
};
assign(EventEmitter.prototype, methods);
EventEmitter.prototype.on = EventEmitter.prototype.addListener;
EventEmitter.prototype.off = EventEmitter.prototype.removeListener;

const listen = (emitter, name, listener, options) => {
  if (typeof emitter.on === "function") {
    if (options?.once) emitter.once(name, listener);
    else emitter.on(name, listener);
    return () => emitter.removeListener(name, listener);
  }
  if (!isTarget(emitter)) throw invalidArgType("emitter", "EventEmitter", emitter);
  emitter.addEventListener(name, listener, options);
  return () => emitter.removeEventListener(name, listener);
};

/** A promise of the arguments of the next event; an "error" before it rejects. */
async function once(emitter, name, options = {}) {
  const { signal } = options;
  if (signal?.aborted) throw abortError(signal);
  return new Promise((resolve, reject) => {
    const stops = [];
    const settle = (by) => (...args) => {
      for (const stop of stops) stop();
      by(args);
    };
    stops.push(listen(emitter, name, settle(resolve), { once: true }));
    if (name !== "error" && typeof emitter.once === "function") {
      stops.push(listen(emitter, "error", settle(([error]) => reject(error)), { once: true }));
    }
    if (signal) stops.push(listen(signal, "abort", settle(() => reject(abortError(signal))), { once: true }));
  });
}

/** The events of a name, one by one. */
function on(emitter, name, options = {}) {
  const { signal } = options;
  if (signal?.aborted) throw abortError(signal);
  const [events, waiting, stops] = [[], [], []];
  let failure;
  let isDone = false;
  const finish = () => {
    isDone = true;
    for (const stop of stops.splice(0)) stop();
    for (const { resolve } of waiting.splice(0)) resolve({ value: undefined, done: true });
    return Promise.resolve({ value: undefined, done: true });
  };
  const fail = (error) => {
    const next = waiting.shift();
    if (next) next.reject(error);
    else failure = { error };
    finish();
  };
  stops.push(listen(emitter, name, (...args) => {
    const next = waiting.shift();
    if (next) next.resolve({ value: args, done: false });
    else events.push(args);
  }));
  if (name !== "error" && typeof emitter.on === "function") stops.push(listen(emitter, "error", fail));
  for (const end of options.close ?? []) stops.push(listen(emitter, end, finish));
  if (signal) stops.push(listen(signal, "abort", () => fail(abortError(signal)), { once: true }));
  return {
    next() {
      if (events.length > 0) return Promise.resolve({ value: events.shift(), done: false });
      if (failure) {
        const { error } = failure;
        failure = undefined;
        return Promise.reject(error);
      }
      if (isDone) return Promise.resolve({ value: undefined, done: true });
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    },
    return: finish,
    throw(error) {
      if (!(error instanceof Error)) throw invalidArgType("EventEmitter.AsyncIterator", "Error", error);
      fail(error);
    },
    [Symbol.asyncIterator]() { return this; },
  };
}

const setMaxListeners = (count = defaultMaxListeners, ...targets) => {
  check.number(count, "setMaxListeners", 0);
  if (targets.length === 0) defaultMaxListeners = count;
  // The web's targets have no limit.
  for (const target of targets) {
    if (typeof target.setMaxListeners === "function") target.setMaxListeners(count);
    else if (!isTarget(target)) throw invalidArgType("eventTargets", ["EventEmitter", "EventTarget"], target);
  }
};

const addAbortListener = (signal, listener) => {
  if (typeof signal?.aborted !== "boolean") throw invalidArgType("signal", "AbortSignal", signal);
  need(listener);
  if (signal.aborted) queueMicrotask(() => listener());
  else signal.addEventListener("abort", listener, { once: true });
  const stop = () => signal.removeEventListener("abort", listener);
  return Symbol.dispose ? { [Symbol.dispose]: stop } : { stop };
};

assign(EventEmitter, {
  EventEmitter, once, on, errorMonitor, captureRejectionSymbol: captures, setMaxListeners, addAbortListener,
  usingDomains: false,
  listenerCount: (emitter, name) =>
    typeof emitter.listenerCount === "function" ? emitter.listenerCount(name) : listOf(emitter, name).length,
  getEventListeners: (emitter, name) => typeof emitter.listeners === "function" ? emitter.listeners(name)
    : [],
  getMaxListeners: (emitter) => emitter.getMaxListeners?.() ?? defaultMaxListeners,
});
Object.defineProperties(EventEmitter, {
  defaultMaxListeners: {
    enumerable: true,
    get: () => defaultMaxListeners,
    set(count) {
      if (typeof count !== "number" || !(count >= 0)) throw outOfRange("defaultMaxListeners",
        "a non-negative number", count);
      defaultMaxListeners = count;
    },
  },
  captureRejections: {
    enumerable: true,
    get: () => captureRejections,
    set(value) {
      check.boolean(value, "EventEmitter.captureRejections");
      captureRejections = value;
    },
  },
});

module.exports = EventEmitter;
