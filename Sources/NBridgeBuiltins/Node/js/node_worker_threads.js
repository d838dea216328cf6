// SPDX-License-Identifier: MIT
// node:worker_threads, over the web's Worker and MessagePort: their events with the names and values that Node gives
// them.
"use strict";

const EventEmitter = require("node:events");
const { pathToFileURL } = require("node:url");
const { ownWorker, receiveNow, workers } = require("node:internal/native");
const { coded, invalidArgType, check, missing } = require("node:internal/errors");

const { MessageChannel, MessagePort, BroadcastChannel } = globalThis;
const own = ownWorker();
const environment = new Map(own?.given?.message?.environment);
/** From the numbers of workers to their objects, so that one lives that nobody keeps. */
const running = new Map();

// --- Ports ------------------------------------------------------------------------------------------------

/** Gives a target of the web the methods of an emitter; `valueOf` makes of an event what a listener gets. */
const emitting = (prototype, valueOf) => {
  const wrappers = new WeakMap();
  const remove = (target, name, list, at) => {
    if (at >= 0) target.removeEventListener(name, list.splice(at, 1)[0].wrapper);
  };
  const wrapped = (target, name, listener, once) => {
    check.function(listener, "listener");
    const known = wrappers.get(target) ?? wrappers.set(target, new Map()).get(target);
    const list = known.get(name) ?? known.set(name, []).get(name);
    const wrapper = (event) => {
      if (once) remove(target, name, list, list.indexOf(entry));
      listener.call(target, ...valueOf(event));
    };
    const entry = { listener, wrapper };
    list.push(entry);
    target.addEventListener(name, wrapper);
    if (name === "message") target.start?.();
    return target;
  };
  const methods = {
    on(name, listener) { return wrapped(this, name, listener, false); },
    once(name, listener) { return wrapped(this, name, listener, true); },
    off(name, listener) {
      const list = wrappers.get(this)?.get(name) ?? [];
      remove(this, name, list, list.findLastIndex((entry) => entry.listener === listener));
      return this;
    },
    emit(name, value) {
      return this.dispatchEvent(new MessageEvent(name, { data: value }));
    },
    ref() {},
    unref() {},
  };
  methods.addListener = methods.on;
  methods.removeListener = methods.off;
  for (const name of Object.keys(methods)) {
    if (name in prototype) continue;
    Object.defineProperty(prototype, name,
      { __proto__: null, value: methods[name], writable: true, configurable: true, enumerable: false });
  }
};

const messageValue = (event) => (event.type === "message" || event.type === "messageerror" ? [event.data] : []);
emitting(MessagePort.prototype, messageValue);

/** The worker's end of the channel to its maker, which is its global object. */
class ParentPort extends EventTarget {
  constructor() { super(); }
  postMessage(value, transfer) { globalThis.postMessage(value, transfer); }
  start() {}
  close() { globalThis.close(); }
  addEventListener(...args) { globalThis.addEventListener(...args); }
  removeEventListener(...args) { globalThis.removeEventListener(...args); }
  dispatchEvent(event) { return globalThis.dispatchEvent(event); }
  get onmessage() { return globalThis.onmessage; }
  set onmessage(value) { globalThis.onmessage = value; }
  get onmessageerror() { return globalThis.onmessageerror; }
  set onmessageerror(value) { globalThis.onmessageerror = value; }
}
emitting(ParentPort.prototype, messageValue);

// --- Workers ----------------------------------------------------------------------------------------------

const addressOf = (file, isText) => {
  if (isText) return `data:text/javascript,${encodeURIComponent(`${file}`)}`;
  if (file instanceof URL) return file.href;
  if (typeof file !== "string") throw invalidArgType("filename", ["string", "URL"], file);
  if (/^(file|data):/.test(file)) {
    throw coded(TypeError, "ERR_WORKER_PATH",
      `The worker script or module filename must be an absolute path or a relative path starting with './' or '../'. ` +
      `Wrap file:// URLs with \`new URL\`. Received "${file}"`);
  }
  if (!/^(\/|\.\.?\/)/.test(file)) {
    throw coded(TypeError, "ERR_WORKER_PATH",
      `The worker script or module filename must be an absolute path or a relative path starting with './' or '../'. ` +
      `Received "${file}"`);
  }
  return pathToFileURL(file).href;
};

/** What Node can give a worker and nBridge can't. */
const refused = ["argv", "execArgv", "env", "stdin"];

/** Gives a copy what of an error is not copied: its name, where it was thrown, and properties of its own. */
const restored = ({ value, name, own, frames }, { text, error }) => {
  if (!(value instanceof Error)) return value;
  const put = (key, content, enumerable) => Object.defineProperty(value, key,
    { __proto__: null, value: content, writable: true, configurable: true, enumerable });
  if (typeof name === "string" && name !== value.name) put("name", name, false);
  put("stack", frames === "" ? error.stack : `${text}\n${frames}`, false);
  for (const [key, content, enumerable] of own) put(key, content, enumerable);
  return value;
};

/** Whether what a worker told of is what it failed with, of which only a text is known. */
const isThat = (value, text) => {
  if (value instanceof Error) return text.includes(value.message);
  if (typeof value === "bigint") return text === `${value}n`;
  return (typeof value === "object" && value !== null) || text === String(value);
};

const TYPES = { __proto__: null, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };

/** An error of which only a text is known, as "TypeError: m" or, of a class without a name, "Own [TypeError]: m". */
const told = (text) => {
  const [head, own, name = own] = /^(\w*Error|\w+ \[(\w*Error)\]): /.exec(text) ?? ["", ""];
  const error = new (TYPES[name] ?? Error)(text.slice(head.length));
  if (name !== "" && error.name !== name) error.name = name;
  return error;
};

class Worker extends EventEmitter {
  #worker;
  // Where it tells of what nobody there took: the last is what it ended with.
  #faults;
  #exits = [];
  #status;
  // What it failed with, which is told behind its messages.
  #error;

  constructor(file, options = {}) {
    super();
    check.object(options, "options");
    for (const name of refused) {
      if (options[name] !== undefined && options[name] !== false) throw missing(`option '${name}' of a Worker`);
    }
    const { port1, port2 } = new MessageChannel();
    this.#faults = port1;
    const message = { workerData: options.workerData, environment: [...environment], faults: port2 };
    const { worker, number } = workers().start(addressOf(file, options.eval === true), { name: options.name ?? "" },
      message, [...(options.transferList ?? []), port2], (status) => this.#end(status));
    this.#worker = worker;
    this.threadId = number;
    running.set(number, this);
    worker.onmessage = (event) => this.emit("message", event.data);
    worker.onmessageerror = () => this.emit("messageerror", new Error("the message could not be read"));
    worker.onerror = (event) => {
      event.preventDefault();
      if (this.#error !== undefined) return;
      const { message: text, filename, lineno, colno } = event;
      const error = told(text);
      if (filename !== "") error.stack = `${text}\n    at ${filename}:${lineno}:${colno}`;
      this.#error = { text, error };
    };
    queueMicrotask(() => this.emit("online"));
  }

  /** What it failed with, as far as that could be copied. */
  #fault() {
    const { text } = this.#error;
    let last;
    for (let next; (next = receiveNow(this.#faults)) !== undefined;) last = next.message;
    return last !== undefined && isThat(last.value, text) ? restored(last, this.#error) : this.#error.error;
  }

  #end(status) {
    running.delete(this.threadId);
    this.threadId = -1;
    this.#status = this.#error === undefined ? status : 1;
    try {
      if (this.#error !== undefined) this.emit("error", this.#fault());
    } finally {
      this.#faults.close();
      for (const done of this.#exits) done(this.#status);
      this.emit("exit", this.#status);
    }
  }

  postMessage(value, transfer) { this.#worker.postMessage(value, transfer); }

  terminate() {
    if (this.#status !== undefined) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#exits.push(resolve);
      this.#worker.terminate();
    });
  }

  ref() {}
  unref() {}
  get resourceLimits() { return {}; }
}

const SHARE_ENV = Symbol.for("nodejs.worker_threads.SHARE_ENV");

module.exports = {
  isMainThread: own === undefined, threadId: own?.number ?? 0, parentPort: own === undefined ? null : new ParentPort(),
  workerData: own?.given?.message?.workerData ?? null, resourceLimits: {}, SHARE_ENV,
  Worker, MessageChannel, MessagePort, BroadcastChannel,
  receiveMessageOnPort(port) {
    if (!(port instanceof MessagePort)) throw invalidArgType("port", "MessagePort", port);
    return receiveNow(port);
  },
  getEnvironmentData: (key) => environment.get(key),
  setEnvironmentData(key, value) {
    if (value === undefined) environment.delete(key);
    else environment.set(key, value);
  },
  markAsUntransferable() { throw missing("worker_threads.markAsUntransferable()"); },
  moveMessagePortToContext() { throw missing("worker_threads.moveMessagePortToContext()"); },
  postMessageToThread() { throw missing("worker_threads.postMessageToThread()"); },
};
