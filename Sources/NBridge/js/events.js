// SPDX-License-Identifier: MIT
// Event, EventTarget, AbortController, AbortSignal (DOM standard, sections 2 and 3) and DOMException (Web IDL, 2.8.1).
((host) => {
  "use strict";
  const { fail, delay } = host;
  let inner, abort, addAbortStep;
  const { defineProperty, defineProperties } = Object;

  const tag = (type, name) =>
    defineProperty(type.prototype, Symbol.toStringTag, { value: name, configurable: true });
  const enumerate = (type, names) => {
    for (const name of names) {
      const found = Object.getOwnPropertyDescriptor(type.prototype, name);
      defineProperty(type.prototype, name, { ...found, enumerable: true });
    }
  };
  const constants = (type, values) => {
    for (const [name, value] of Object.entries(values)) {
      const fixed = { value, enumerable: true, writable: false, configurable: false };
      defineProperty(type, name, fixed);
      defineProperty(type.prototype, name, fixed);
    }
  };

  // --- DOMException ---------------------------------------------------------------------------------------

  const CODES = {
    IndexSizeError: 1, HierarchyRequestError: 3, WrongDocumentError: 4, InvalidCharacterError: 5,
    NoModificationAllowedError: 7, NotFoundError: 8, NotSupportedError: 9, InUseAttributeError: 10,
    InvalidStateError: 11, SyntaxError: 12, InvalidModificationError: 13, NamespaceError: 14,
    InvalidAccessError: 15, TypeMismatchError: 17, SecurityError: 18, NetworkError: 19, AbortError: 20,
    URLMismatchError: 21, QuotaExceededError: 22, TimeoutError: 23, InvalidNodeTypeError: 24, DataCloneError: 25,
  };

  class DOMException {
    #name;
    #message;
    constructor(message = "", options = "Error") {
      const isObject = typeof options === "object" && options !== null;
      this.#message = `${message}`;
      this.#name = isObject ? `${options.name ?? "Error"}` : `${options}`;
      if (isObject && "cause" in options) {
        defineProperty(this, "cause", { value: options.cause, writable: true, configurable: true });
      }
      const { stack } = new Error();
      const own = stack.split("\n").filter((line) => !line.includes("@nbridge:")).join("\n");
      defineProperty(this, "stack", { value: own, writable: true, configurable: true });
    }
    get name() { return this.#name; }
    get message() { return this.#message; }
    get code() { return CODES[this.#name] ?? 0; }
  }
  Object.setPrototypeOf(DOMException.prototype, Error.prototype);
  enumerate(DOMException, ["name", "message", "code"]);
  tag(DOMException, "DOMException");
  constants(DOMException, {
    INDEX_SIZE_ERR: 1, DOMSTRING_SIZE_ERR: 2, HIERARCHY_REQUEST_ERR: 3, WRONG_DOCUMENT_ERR: 4,
    INVALID_CHARACTER_ERR: 5, NO_DATA_ALLOWED_ERR: 6, NO_MODIFICATION_ALLOWED_ERR: 7, NOT_FOUND_ERR: 8,
    NOT_SUPPORTED_ERR: 9, INUSE_ATTRIBUTE_ERR: 10, INVALID_STATE_ERR: 11, SYNTAX_ERR: 12,
    INVALID_MODIFICATION_ERR: 13, NAMESPACE_ERR: 14, INVALID_ACCESS_ERR: 15, VALIDATION_ERR: 16,
    TYPE_MISMATCH_ERR: 17, SECURITY_ERR: 18, NETWORK_ERR: 19, ABORT_ERR: 20, URL_MISMATCH_ERR: 21,
    QUOTA_EXCEEDED_ERR: 22, TIMEOUT_ERR: 23, INVALID_NODE_TYPE_ERR: 24, DATA_CLONE_ERR: 25,
  });

  // --- Event ----------------------------------------------------------------------------------------------

  const origin = host.now();

  class Event {
    #type;
    #bubbles;
    #cancelable;
    #composed;
    #time = host.now() - origin;
    // What dispatch changes; read by EventTarget through the static block below.
    #target = null;
    #current = null;
    #phase = 0;
    #dispatching = false;
    #stopped = false;
    #stoppedNow = false;
    #canceled = false;
    #passive = false;
    #trusted = false;

    static { // Only EventTarget and AbortSignal get at these.
      inner = {
        begin(event, target) {
          event.#dispatching = true;
          event.#target = event.#current = target;
          event.#phase = 2;
        },
        end(event) {
          event.#dispatching = event.#stopped = event.#stoppedNow = false;
          event.#current = null;
          event.#phase = 0;
        },
        isDispatching: (event) => event.#dispatching,
        isStopped: (event) => event.#stoppedNow,
        setPassive(event, passive) { event.#passive = passive; },
        trust(event) { event.#trusted = true; },
        isEvent: (value) => typeof value === "object" && value !== null && #type in value,
      };
    }

    constructor(type, init = undefined) {
      if (arguments.length === 0) throw new TypeError("Event needs a type");
      this.#type = `${type}`;
      const options = dictionary(init, "Event");
      this.#bubbles = Boolean(options.bubbles);
      this.#cancelable = Boolean(options.cancelable);
      this.#composed = Boolean(options.composed);
      defineProperty(this, "isTrusted", { get: () => this.#trusted, enumerable: true });
    }
    get type() { return this.#type; }
    get target() { return this.#target; }
    get srcElement() { return this.#target; }
    get currentTarget() { return this.#current; }
    composedPath() { return this.#current === null ? [] : [this.#current]; }
    get eventPhase() { return this.#phase; }
    stopPropagation() { this.#stopped = true; }
    get cancelBubble() { return this.#stopped; }
    set cancelBubble(value) { if (value) this.#stopped = true; }
    stopImmediatePropagation() { this.#stopped = this.#stoppedNow = true; }
    get bubbles() { return this.#bubbles; }
    get cancelable() { return this.#cancelable; }
    get returnValue() { return !this.#canceled; }
    set returnValue(value) { if (!value) this.preventDefault(); }
    preventDefault() { if (this.#cancelable && !this.#passive) this.#canceled = true; }
    get defaultPrevented() { return this.#canceled; }
    get composed() { return this.#composed; }
    get timeStamp() { return this.#time; }
    initEvent(type, bubbles = false, cancelable = false) {
      if (arguments.length === 0) throw new TypeError("initEvent needs a type");
      if (this.#dispatching) return;
      this.#type = `${type}`;
      this.#bubbles = Boolean(bubbles);
      this.#cancelable = Boolean(cancelable);
      this.#canceled = this.#stopped = this.#stoppedNow = false;
      this.#target = null;
      this.#trusted = false;
    }
  }
  enumerate(Event, ["type", "target", "srcElement", "currentTarget", "composedPath", "eventPhase",
    "stopPropagation", "cancelBubble", "stopImmediatePropagation", "bubbles", "cancelable", "returnValue",
    "preventDefault", "defaultPrevented", "composed", "timeStamp", "initEvent"]);
  tag(Event, "Event");
  constants(Event, { NONE: 0, CAPTURING_PHASE: 1, AT_TARGET: 2, BUBBLING_PHASE: 3 });

  class CustomEvent extends Event {
    #detail;
    constructor(type, init = undefined) {
      if (arguments.length === 0) throw new TypeError("CustomEvent needs a type");
      super(type, init);
      this.#detail = dictionary(init, "CustomEvent").detail ?? null;
    }
    get detail() { return this.#detail; }
    initCustomEvent(type, bubbles = false, cancelable = false, detail = null) {
      if (arguments.length === 0) throw new TypeError("initCustomEvent needs a type");
      if (inner.isDispatching(this)) return;
      this.initEvent(type, bubbles, cancelable);
      this.#detail = detail;
    }
  }
  enumerate(CustomEvent, ["detail", "initCustomEvent"]);
  tag(CustomEvent, "CustomEvent");

  // --- EventTarget ----------------------------------------------------------------------------------------

  class EventTarget {
    #listeners = new Map();

    addEventListener(type, callback, options = undefined) {
      if (arguments.length < 2) throw new TypeError("addEventListener needs a type and a callback");
      const name = `${type}`;
      checkCallback(callback);
      const { capture, once, passive, signal } = flatten(options);
      if (signal?.aborted || callback === null || callback === undefined) return;
      const target = this ?? globalThis;
      let list = target.#listeners.get(name);
      if (list === undefined) target.#listeners.set(name, list = []);
      if (list.some((entry) => entry.callback === callback && entry.capture === capture)) return;
      const entry = { callback, capture, once, passive, removed: false };
      list.push(entry);
      if (signal !== undefined) addAbortStep(signal, () => target.removeEventListener(name, callback, { capture }));
    }

    removeEventListener(type, callback, options = undefined) {
      if (arguments.length < 2) throw new TypeError("removeEventListener needs a type and a callback");
      checkCallback(callback);
      const capture = typeof options === "object" && options !== null ? Boolean(options.capture) : Boolean(options);
      const list = (this ?? globalThis).#listeners.get(`${type}`);
      const index = list?.findIndex((entry) => entry.callback === callback && entry.capture === capture) ?? -1;
      if (index < 0) return;
      list[index].removed = true;
      list.splice(index, 1);
    }

    dispatchEvent(event) {
      if (!inner.isEvent(event)) throw new TypeError("dispatchEvent needs an Event");
      if (inner.isDispatching(event)) {
        throw new DOMException("the event is already being dispatched", "InvalidStateError");
      }
      (this ?? globalThis).#fire(event);
      return !event.defaultPrevented;
    }

    #fire(event) {
      inner.begin(event, this);
      const list = this.#listeners.get(event.type) ?? [];
      const ordered = [...list.filter((entry) => entry.capture), ...list.filter((entry) => !entry.capture)];
      for (const entry of ordered) {
        if (inner.isStopped(event)) break;
        if (entry.removed) continue;
        if (entry.once) this.removeEventListener(event.type, entry.callback, { capture: entry.capture });
        inner.setPassive(event, entry.passive);
        try {
          if (typeof entry.callback === "function") entry.callback.call(this, event);
          else entry.callback.handleEvent(event);
        } catch (error) {
          fail(error);
        }
        inner.setPassive(event, false);
      }
      inner.end(event);
    }
  }
  enumerate(EventTarget, ["addEventListener", "removeEventListener", "dispatchEvent"]);
  tag(EventTarget, "EventTarget");

  const checkCallback = (callback) => {
    if (callback !== null && callback !== undefined && typeof callback !== "function"
      && typeof callback !== "object") throw new TypeError("a listener must be a function or an object");
  };

  const flatten = (options) => {
    if (typeof options !== "object" || options === null) {
      return { capture: Boolean(options), once: false, passive: false, signal: undefined };
    }
    const { signal } = options;
    if (signal !== undefined && !(signal instanceof AbortSignal)) {
      throw new TypeError("the option 'signal' must be an AbortSignal");
    }
    return {
      capture: Boolean(options.capture), once: Boolean(options.once), passive: Boolean(options.passive), signal,
    };
  };

  function dictionary(value, name) {
    if (value === undefined || value === null) return {};
    if (typeof value !== "object" && typeof value !== "function") {
      throw new TypeError(`the second argument of ${name} must be an object`);
    }
    return value;
  }

  // --- Aborting -------------------------------------------------------------------------------------------

  const MAKE = Symbol("make");

  class AbortSignal extends EventTarget {
    #aborted = false;
    #reason = undefined;
    #steps = [];
    #handler = null;
    #dependents = new Set();
    #sources = new Set();

    constructor(key) {
      if (key !== MAKE) throw new TypeError("Illegal constructor");
      super();
    }

    static abort(reason = new DOMException("This operation was aborted", "AbortError")) {
      const signal = new AbortSignal(MAKE);
      signal.#aborted = true;
      signal.#reason = reason;
      return signal;
    }

    static timeout(milliseconds) {
      const time = Number(milliseconds);
      if (!Number.isFinite(time) || time < 0 || time > Number.MAX_SAFE_INTEGER) {
        throw new TypeError("AbortSignal.timeout needs a number of milliseconds from 0 to 2^53 - 1");
      }
      const signal = new AbortSignal(MAKE);
      delay(Math.trunc(time), () => abort(signal, new DOMException("The operation timed out", "TimeoutError")));
      return signal;
    }

    static any(signals) {
      const result = new AbortSignal(MAKE);
      const list = [...signals];
      for (const signal of list) {
        if (!(signal instanceof AbortSignal)) throw new TypeError("AbortSignal.any needs AbortSignals");
      }
      for (const signal of list) {
        if (signal.#aborted) {
          result.#aborted = true;
          result.#reason = signal.#reason;
          return result;
        }
      }
      for (const signal of list) {
        const sources = signal.#sources.size > 0 ? signal.#sources : [signal];
        for (const source of sources) {
          result.#sources.add(source);
          source.#dependents.add(result);
        }
      }
      return result;
    }

    static {
      abort = (signal, reason) => {
        if (signal.#aborted) return;
        const due = [signal];
        signal.#aborted = true;
        signal.#reason = reason;
        for (const dependent of signal.#dependents) {
          if (dependent.#aborted) continue;
          dependent.#aborted = true;
          dependent.#reason = reason;
          due.push(dependent);
        }
        for (const one of due) one.#run();
      };
      addAbortStep = (signal, step) => signal.#steps.push(step);
    }

    #run() {
      const steps = this.#steps;
      this.#steps = [];
      for (const step of steps) step();
      const event = new Event("abort");
      inner.trust(event);
      this.dispatchEvent(event);
    }

    get aborted() { return this.#aborted; }
    get reason() { return this.#reason; }
    throwIfAborted() { if (this.#aborted) throw this.#reason; }
    get onabort() { return this.#handler; }
    set onabort(value) {
      const next = typeof value === "function" || (typeof value === "object" && value !== null) ? value : null;
      if (this.#handler === null && next !== null) this.addEventListener("abort", this.#call);
      if (this.#handler !== null && next === null) this.removeEventListener("abort", this.#call);
      this.#handler = next;
    }
    #call = (event) => { if (typeof this.#handler === "function") this.#handler.call(this, event); };
  }
  enumerate(AbortSignal, ["aborted", "reason", "throwIfAborted", "onabort"]);
  tag(AbortSignal, "AbortSignal");
  for (const name of ["abort", "timeout", "any"]) {
    defineProperty(AbortSignal, name, { enumerable: true });
  }

  class AbortController {
    #signal = new AbortSignal(MAKE);
    get signal() { return this.#signal; }
    abort(reason = new DOMException("This operation was aborted", "AbortError")) { abort(this.#signal, reason); }
  }
  enumerate(AbortController, ["signal", "abort"]);
  tag(AbortController, "AbortController");
  defineProperties(AbortController.prototype.abort, { length: { value: 0 } });


  return { Event, CustomEvent, EventTarget, AbortController, AbortSignal, DOMException };
})
