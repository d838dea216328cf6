// SPDX-License-Identifier: MIT
// ErrorEvent, PromiseRejectionEvent, MessageEvent and the reports of uncaught errors (HTML standard,
// "Runtime script errors", "Unhandled promise rejections", "The MessageEvent interface").
((host) => {
  "use strict";
  const { Event, fail, internals, judge = () => undefined, isEnding = () => false } = host;
  const { create, finish, fire, globalTarget, isDispatching, isObject } = internals;
  const { initEvent, isEvent, need, toDictionary, toSequence } = internals;
  const { TypeError } = globalThis;
  const { freeze, getOwnPropertyDescriptor, getPrototypeOf, hasOwn } = Object;
  const { apply } = Reflect;
  const { bind, call } = Function.prototype;
  const uncurry = (method) => bind.call(call, method);
  const toWellFormed = uncurry(String.prototype.toWellFormed);
  const StringOf = String;
  const isError = Error.isError ?? ((value) => value instanceof Error);
  const globalObject = globalThis;

  const toText = (value) => (value === undefined ? "" : `${value}`);
  const toUnsigned = (value) => (value === undefined ? 0 : +value >>> 0);

  // --- Errors ---------------------------------------------------------------------------------------------

  class ErrorEvent extends Event {
    #message;
    #filename;
    #lineno;
    #colno;
    #error;
    constructor(type, init = undefined) {
      need(arguments.length, 1, "ErrorEvent");
      super(type, init);
      const options = toDictionary(init, "an event");
      this.#colno = toUnsigned(options.colno);
      this.#error = options.error;
      this.#filename = toWellFormed(toText(options.filename));
      this.#lineno = toUnsigned(options.lineno);
      this.#message = toText(options.message);
    }
    get message() { return this.#message; }
    get filename() { return this.#filename; }
    get lineno() { return this.#lineno; }
    get colno() { return this.#colno; }
    get error() { return this.#error; }
    /** What onerror of the global object is called with. */
    static argumentsOf(event) {
      if (!(#error in event)) return null;
      return [event.#message, event.#filename, event.#lineno, event.#colno, event.#error];
    }
  }
  internals.connectErrors(ErrorEvent.argumentsOf);
  delete ErrorEvent.argumentsOf;
  finish(ErrorEvent, "ErrorEvent", ["message", "filename", "lineno", "colno", "error"]);
  const shown = ["type", "message", "filename", "lineno", "colno", "error"];
  host.showsFields(ErrorEvent, "ErrorEvent", shown, isEvent);

  class PromiseRejectionEvent extends Event {
    #promise;
    #reason;
    constructor(type, init) {
      need(arguments.length, 2, "PromiseRejectionEvent");
      super(type, init);
      const options = toDictionary(init, "an event");
      this.#promise = options.promise;
      if (!isObject(this.#promise)) throw new TypeError("the option 'promise' must be a promise");
      this.#reason = options.reason;
    }
    get promise() { return this.#promise; }
    get reason() { return this.#reason; }
  }
  finish(PromiseRejectionEvent, "PromiseRejectionEvent", ["promise", "reason"]);
  host.showsFields(PromiseRejectionEvent, "PromiseRejectionEvent", ["type", "promise", "reason"], isEvent);

  // --- Messages -------------------------------------------------------------------------------------------

  const isPort = (value) => isObject(value) && host.messaging.isPort(value);
  const toPort = (value) => {
    if (!isPort(value)) throw new TypeError("the ports must be MessagePorts");
    return value;
  };
  const toSource = (value) => {
    if (value === undefined || value === null) return null;
    if (value !== globalObject && !isPort(value)) throw new TypeError("the source must be a MessagePort");
    return value;
  };
  const toPorts = (value) => freeze(value === undefined ? [] : toSequence(value, "the ports", toPort));

  class MessageEvent extends Event {
    #data;
    #lastEventId;
    #origin;
    #ports;
    #source;
    constructor(type, init = undefined) {
      need(arguments.length, 1, "MessageEvent");
      super(type, init);
      const { data = null, lastEventId, origin, ports, source } = toDictionary(init, "an event");
      this.#set(data, origin, lastEventId, source, ports);
    }
    #set(data, origin, lastEventId, source, ports) {
      this.#data = data;
      this.#lastEventId = toText(lastEventId);
      this.#origin = toWellFormed(toText(origin));
      this.#ports = toPorts(ports);
      this.#source = toSource(source);
    }
    get data() { return this.#data; }
    get origin() { return this.#origin; }
    get lastEventId() { return this.#lastEventId; }
    get source() { return this.#source; }
    get ports() { return this.#ports; }
    initMessageEvent(type, bubbles = false, cancelable = false, data = null, origin = "", lastEventId = "",
      source = null, ports = []) {
      need(arguments.length, 1, "initMessageEvent");
      const name = `${type}`;
      if (isDispatching(this)) return;
      this.#set(data, origin, lastEventId, source, ports);
      apply(initEvent, this, [name, bubbles, cancelable]);
    }
    /** A message that arrived: its data may be undefined, which the constructor takes for null. */
    static deliver(target, type, data, ports) {
      const event = create(MessageEvent, type, null);
      event.#data = data;
      event.#ports = freeze(ports);
      return fire(target, event);
    }
  }
  const { deliver } = MessageEvent;
  delete MessageEvent.deliver;
  finish(MessageEvent, "MessageEvent",
    ["data", "origin", "lastEventId", "source", "ports", "initMessageEvent"]);
  host.showsFields(MessageEvent, "MessageEvent", ["type", "data"], isEvent);

  // --- Uncaught errors ------------------------------------------------------------------------------------

  /** A text that an error has or inherits; getters are not asked, which might not come back. */
  const ownText = (error, name) => {
    for (let at = error, level = 0; at !== null && level < 32; at = getPrototypeOf(at), level++) {
      const found = getOwnPropertyDescriptor(at, name);
      if (found === undefined) continue;
      if (!hasOwn(found, "value")) return host.describeDOMException(error)?.[name] ?? "";
      return typeof found.value === "string" ? found.value : "";
    }
    return "";
  };

  const errorText = (error) => {
    const name = ownText(error, "name"), message = ownText(error, "message");
    return name === "" || message === "" ? name + message : `${name}: ${message}`;
  };

  const textOf = (value) => {
    try { return isError(value) ? errorText(value) : StringOf(value); } catch { return ""; }
  };

  /** The first frame of the script's own; what failed to parse has none, but knows its place. */
  const placeOf = (error) => {
    const own = (name) => {
      const found = getOwnPropertyDescriptor(error, name);
      return found !== undefined && hasOwn(found, "value") ? found.value : undefined;
    };
    const found = host.placeOf(own("stack"));
    if (found !== undefined) return { filename: found[0], lineno: found[1], colno: found[2] };
    const filename = own("sourceURL");
    return typeof filename === "string" ? { filename, lineno: own("line"), colno: own("column") } : null;
  };

  let isReporting = false;

  /** HTML, "report an exception", up to telling the developer: answers whether a script handled it. */
  const reportException = (error) => {
    if (isReporting || isEnding()) return false; // A handler that throws is not asked about its own error.
    isReporting = true;
    try {
      const place = isError(error) ? placeOf(error) : null;
      const init = { cancelable: true, message: textOf(error), ...place, error };
      return !fire(globalTarget, create(ErrorEvent, "error", init));
    } finally {
      isReporting = false;
    }
  };

  /** The same for what was reported to another engine; answers whether a script handled it. */
  const announce = (init) => {
    if (isReporting || isEnding()) return false;
    isReporting = true;
    try {
      return !fire(globalTarget, create(ErrorEvent, "error", init));
    } finally {
      isReporting = false;
    }
  };

  /** Asks the script about a rejection; answers whether it handled it. */
  const reportRejection = (promise, reason) => {
    if (isEnding()) return false;
    const init = { cancelable: true, promise, reason };
    return !fire(globalTarget, create(PromiseRejectionEvent, "unhandledrejection", init));
  };

  const report = (error) => {
    // The runner of a file of tests hears of it before the file's handlers, which then decide nothing.
    const isJudged = judge(error);
    const isHandled = reportException(error);
    if (!(isJudged ?? isHandled)) fail(error);
  };

  const { reportError } = {
    reportError(error) {
      need(arguments.length, 1, "reportError");
      report(error);
    },
  };

  return {
    ErrorEvent, PromiseRejectionEvent, MessageEvent, reportException, reportRejection, reportError, report,
    /** For messaging.js and worker.js. */
    internals: { announce, deliver },
  };
})
