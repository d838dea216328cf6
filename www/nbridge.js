// SPDX-License-Identifier: MIT
//
// nBridge: calls native plugins. Every call is a promise, every watch an async iterable.
//
//   nbridge.app.appInfo().then(info => alert(info.name), error => alert(error));
//   for await (const change of nbridge.preference.watch()) console.log(change.key);
//
// This file is the script's half of the bridge; Sources/NBridge/Bridge is the other. They meet in `host`: a
// native function for each action, a mailbox of numbers that both read, and one function that takes replies.
"use strict";

(() => {
  // Loaded by a page that already has its bridge: that one stays.
  if (globalThis.__nbridgeHost === undefined && globalThis.nbridge !== undefined) return;
  const host = globalThis.__nbridgeHost ?? absentHost();
  delete globalThis.__nbridgeHost;

  // What the bridge needs is taken now: a script may change its globals as it likes.
  const { Array, ArrayBuffer, BigInt, DataView, Date, Error, Map, Math, Number, Object, Promise, Set, String, Symbol,
    Uint8Array } = globalThis;
  const { parse, stringify } = globalThis.JSON;
  const { isArray } = Array;
  const { isView } = ArrayBuffer;
  const { defineProperty, getPrototypeOf, keys, prototype: objectPrototype } = Object;
  const { asyncIterator } = Symbol;
  const PromiseOf = Promise;
  const resolved = Promise.resolve.bind(Promise);
  const rejected = async (error) => { throw error; };

  // --- Errors ---------------------------------------------------------------------------------------------

  /** What a call rejects with: `code` for programs, `message` for people. */
  class BridgeError extends Error {
    constructor(code, message, facts = {}) {
      super(message, "cause" in facts ? { cause: facts.cause } : undefined);
      this.code = code;
      if (facts.service !== undefined) this.service = facts.service;
      if (facts.action !== undefined) this.action = facts.action;
      if (facts.details !== undefined) this.details = facts.details;
      const frames = userFrames((facts.site ?? this).stack);
      defineProperty(this, "stack", { value: frames, writable: true, configurable: true });
    }
  }
  defineProperty(BridgeError.prototype, "name", { value: "BridgeError", writable: true, configurable: true });

  /** A stack without the bridge's own frames. */
  const userFrames = (stack) =>
    (stack ?? "").split("\n").filter((line) => !line.includes("@nbridge:") && line !== "").join("\n");

  const errorOf = (text, site) => {
    const facts = revive(parse(text));
    return new BridgeError(facts.code, facts.message, { ...facts, site });
  };

  // --- Values ---------------------------------------------------------------------------------------------
  // JSON text carries what JSON has. What it lacks travels tagged, as {"$nb":[tag, ...]}: see WireTag.swift.

  const TAG = "$nb";
  const DEPTH = 512;
  const TEXT = 64 * 1024 * 1024;

  /** Whether `value` is plain JSON as it stands. Reads it once, makes nothing. */
  const isPlain = (value, depth) => {
    switch (typeof value) {
      case "string":
      case "boolean":
        return true;
      case "number":
        return value - value === 0 && (value !== 0 || 1 / value > 0);
      case "object": {
        if (value === null) return true;
        if (depth === 0) return false;
        if (isArray(value)) {
          for (let index = 0; index < value.length; index++) {
            if (!isPlain(value[index], depth - 1)) return false;
          }
          return true;
        }
        const prototype = getPrototypeOf(value);
        if (prototype !== objectPrototype && prototype !== null) return false;
        for (const key in value) {
          if (key === TAG || key === "toJSON" || !isPlain(value[key], depth - 1)) return false;
        }
        return true;
      }
      default:
        return false;
    }
  };

  const invalid = (path, reason, cause) =>
    new BridgeError("invalid_parameter", `${path} ${reason}`, cause === undefined ? {} : { cause });

  /** Makes the tagged twin of a value that is not plain, or says what can't cross and where it stands. */
  class Tagger {
    bytes = [];
    #open = new Set();

    tag(value, path, depth) {
      switch (typeof value) {
        case "string":
          if (value.length > TEXT) throw invalid(path, `is a string of ${value.length} units; the limit is ${TEXT}`);
          return value;
        case "boolean":
          return value;
        case "number":
          if (value - value !== 0 || (value === 0 && 1 / value < 0)) {
            return { [TAG]: ["n", value === 0 ? "-0" : `${value}`] };
          }
          return value;
        case "undefined":
          return { [TAG]: ["u"] };
        case "bigint":
          return { [TAG]: ["i", `${value}`] };
        case "function":
          throw invalid(path, "is a function, which can't cross the bridge");
        case "symbol":
          throw invalid(path, "is a symbol, which can't cross the bridge");
      }
      if (value === null) return null;
      if (depth === 0) throw invalid(shorten(path), `is nested deeper than ${DEPTH}`);
      if (this.#open.has(value)) throw invalid(path, "contains itself (a cycle)");
      this.#open.add(value);
      const tagged = this.#object(value, path, depth - 1);
      this.#open.delete(value);
      return tagged;
    }

    #object(value, path, depth) {
      if (isArray(value)) return this.#array(value, path, depth);
      if (isView(value)) return this.#view(value.buffer, value, path);
      if (value instanceof ArrayBuffer) return this.#view(value, value, path);
      if (value instanceof Date) return { [TAG]: ["d", Number.isNaN(+value) ? null : +value] };
      if (value instanceof Map) {
        return { [TAG]: ["m", this.#array([...value], path, depth)] };
      }
      if (value instanceof Set) return { [TAG]: ["s", this.#array([...value], path, depth)] };
      if (value instanceof Number || value instanceof String || value instanceof Boolean) {
        return this.tag(value.valueOf(), path, depth + 1);
      }
      if (value instanceof Promise) throw invalid(path, "is a Promise; await it first");
      const toJSON = this.#read(value, "toJSON", path);
      if (typeof toJSON === "function") return this.tag(toJSON.call(value), path, depth);
      return this.#members(value, path, depth);
    }

    #array(value, path, depth) {
      const tagged = [];
      for (let index = 0; index < value.length; index++) {
        tagged.push(this.tag(this.#read(value, index, path), `${path}[${index}]`, depth));
      }
      return tagged;
    }

    #members(value, path, depth) {
      const tagged = {};
      let names;
      try { names = keys(value); } catch (cause) { throw invalid(path, "can't be listed", cause); }
      for (const name of names) {
        const member = this.tag(this.#read(value, name, path), `${path}.${name}`, depth);
        defineProperty(tagged, name, { value: member, writable: true, enumerable: true, configurable: true });
      }
      return TAG in tagged ? { [TAG]: ["o", tagged] } : tagged;
    }

    #view(buffer, value, path) {
      if (buffer.detached) throw invalid(path, "is a detached buffer");
      // A buffer that can shrink, or that threads share, is copied: native code reads the others in place.
      const fixed = !buffer.resizable && (typeof SharedArrayBuffer === "undefined"
        || !(buffer instanceof SharedArrayBuffer));
      // The C API knows no DataView.
      const plain = value instanceof DataView
        ? new Uint8Array(buffer, value.byteOffset, value.byteLength) : value;
      this.bytes.push(fixed ? plain : plain.slice(0));
      const kind = value === buffer ? "ArrayBuffer" : value.constructor?.name ?? "Uint8Array";
      return { [TAG]: ["b", this.bytes.length - 1, kind] };
    }

    #read(value, name, path) {
      try {
        return value[name];
      } catch (cause) {
        throw invalid(typeof name === "number" ? `${path}[${name}]` : `${path}.${name}`,
          "can't be read: its getter threw", cause);
      }
    }
  }

  const shorten = (path) => (path.length > 80 ? `${path.slice(0, 60)}...` : path);

  const VIEWS = {
    Int8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array,
    BigInt64Array, BigUint64Array, DataView,
  };

  /** Undoes tagging, in place. */
  const revive = (value, bytes) => {
    if (typeof value !== "object" || value === null) return value;
    if (isArray(value)) {
      for (let index = 0; index < value.length; index++) {
        const member = value[index];
        if (typeof member === "object" && member !== null) value[index] = revive(member, bytes);
      }
      return value;
    }
    const tag = value[TAG];
    if (tag !== undefined && isArray(tag)) return untag(tag, bytes);
    for (const key in value) {
      const member = value[key];
      if (typeof member === "object" && member !== null) {
        if (key === "__proto__") {
          defineProperty(value, key,
            { value: revive(member, bytes), writable: true, enumerable: true, configurable: true });
        } else {
          value[key] = revive(member, bytes);
        }
      }
    }
    return value;
  };

  const untag = ([tag, payload, kind], bytes) => {
    switch (tag) {
      case "u": return undefined;
      case "n": return payload === "-0" ? -0 : Number(payload);
      case "i": return BigInt(payload);
      case "d": return new Date(payload === null ? NaN : payload);
      case "m": return new Map(revive(payload, bytes));
      case "s": return new Set(revive(payload, bytes));
      case "o": {
        for (const key in payload) payload[key] = revive(payload[key], bytes);
        return payload;
      }
      case "b": return viewOf(bytes[payload + 1], kind);
      default: return undefined;
    }
  };

  const viewOf = (array, kind) => {
    if (kind === "Uint8Array") return array;
    const { buffer, byteOffset, byteLength } = array;
    if (kind === "ArrayBuffer") {
      return byteLength === buffer.byteLength ? buffer : buffer.slice(byteOffset, byteOffset + byteLength);
    }
    const View = VIEWS[kind];
    if (View === undefined) return array;
    return new View(buffer, byteOffset, byteLength / (View.BYTES_PER_ELEMENT ?? 1));
  };

  // --- Calls ----------------------------------------------------------------------------------------------

  const { mailbox } = host;
  // How an answer is handed over: see ReplyKind in Reply.swift.
  const VALUE = 0, TEXTUAL = 1, TAGGED = 2, PENDING = 3, FAILURE = 4, MIXED = 5, EVENTS = 6, MIXED_EVENTS = 8;

  /** The calls that wait, by slot. */
  const waiting = [];

  const valueOf = (kind, answer) => {
    switch (kind) {
      case VALUE: return answer;
      case TEXTUAL: return parse(answer);
      case TAGGED: return revive(parse(answer));
      default: return revive(parse(answer[0]), answer);
    }
  };

  /** Runs the native function with `option` packed. Throws for what can't cross. */
  const run = (native, option) => {
    if (option === undefined) return native();
    let text;
    try {
      if (isPlain(option, DEPTH)) text = stringify(option);
    } catch { /* A getter or a proxy threw: said with its path below. */ }
    if (text !== undefined && text.length <= TEXT) return native(text);
    const tagger = new Tagger();
    const tagged = tagger.tag(option, "option", DEPTH);
    text = stringify(tagged);
    if (text.length > TEXT) throw invalid("option", `is ${text.length} units of text; the limit is ${TEXT}`);
    return native(text, ...tagger.bytes);
  };

  /** Calls an action: the one way in for facades and `callToNative`. */
  const call = (action, option, control) => {
    if (action.mock !== undefined) return mocked(action, option);
    if (control !== undefined && control !== null) return controlled(action, option, control);
    let answer;
    try { answer = run(action.native, option); } catch (error) { return rejected(placed(error, action)); }
    const kind = mailbox[0];
    if (kind === VALUE) return resolved(answer);
    if (kind === PENDING) return parked(mailbox[1], action);
    if (kind === FAILURE) return rejected(errorOf(answer));
    try { return resolved(valueOf(kind, answer)); } catch (cause) { return rejected(malformed(action, cause)); }
  };

  /** A plugin in a library may answer anything; what is no value is said, not thrown into the script's face. */
  const malformed = ({ service, name }, cause, site) => new BridgeError("unknown_error",
    `the plugin '${service}' answered '${name}' with text that is not JSON; this is a fault of the plugin`,
    { service, action: name, cause, site });

  const placed = (error, action) => {
    if (error instanceof BridgeError) {
      error.service = action.service;
      error.action = action.name;
    }
    return error;
  };

  /** The engine has no async stack: a call that waits remembers where it was made. */
  const parked = (slot, action) => {
    const site = new Error();
    return new PromiseOf((resolve, reject) => { waiting[slot] = { resolve, reject, action, site, watch: null }; });
  };

  const controlled = (action, option, control) => {
    const { signal, timeout } = control;
    if (signal?.aborted) return rejected(abortError(action, signal.reason));
    if (timeout !== undefined) {
      if (typeof timeout !== "number" || !(timeout > 0)) {
        return rejected(placed(invalid("timeout", "must be a number of milliseconds above 0"), action));
      }
      mailbox[2] = Math.min(Math.ceil(timeout), 0x7FFFFFFF);
    }
    const promise = call(action, option);
    mailbox[2] = 0;
    if (mailbox[0] !== PENDING || signal === undefined || signal === null) return promise;
    const slot = mailbox[1];
    const entry = waiting[slot];
    if (entry === undefined) return promise;
    const onAbort = () => {
      if (waiting[slot] !== entry) return;
      waiting[slot] = undefined;
      host.cancel(slot);
      entry.reject(abortError(action, signal.reason, entry.site));
    };
    signal.addEventListener("abort", onAbort);
    entry.forget = () => signal.removeEventListener("abort", onAbort);
    return promise;
  };

  const abortError = (action, reason, site) => {
    const late = reason?.name === "TimeoutError";
    return new BridgeError(late ? "timeout" : "cancelled",
      `'${action.service}.${action.name}' was ${late ? "timed out" : "cancelled"} by its signal`,
      { service: action.service, action: action.name, cause: reason, site });
  };

  /** Takes replies: slot and kind of each are in the mailbox. */
  const settle = function () {
    for (let index = 0; index < arguments.length; index++) {
      const slot = mailbox[8 + 2 * index];
      const kind = mailbox[9 + 2 * index];
      const entry = waiting[slot];
      if (entry === undefined) continue;
      if (kind >= EVENTS) {
        let events;
        try { events = valueOf(kind === MIXED_EVENTS ? MIXED : kind - 5, arguments[index]); } catch (cause) {
          entry.watch.fail(malformed(entry.action, cause, entry.site));
          continue;
        }
        entry.watch.take(events);
        continue;
      }
      waiting[slot] = undefined;
      if (entry.forget !== undefined) entry.forget();
      if (kind === FAILURE) {
        entry.reject(errorOf(arguments[index], entry.site));
        continue;
      }
      let value;
      try { value = valueOf(kind, arguments[index]); } catch (cause) {
        entry.reject(malformed(entry.action, cause, entry.site));
        continue;
      }
      entry.resolve(value);
    }
  };

  // --- Watches --------------------------------------------------------------------------------------------

  /** A stream of native events. `break`, `return()`, `stop()` or an aborted signal ends it. */
  class Watch {
    #slot = -1;
    #events = [];
    #head = 0;
    #taken = 0;
    #limit;
    #policy;
    #readers = [];
    #callback;
    #state = 0; // 0 open, 1 ended, 2 failed
    #error;
    #done;
    #dropped = 0;

    constructor(action, option, control, callback) {
      this.#limit = action.limit;
      this.#policy = action.policy;
      this.#callback = callback;
      this.#start(action, option, control ?? {});
    }

    #start(action, option, { signal, timeout, holdsOpen }) {
      if (signal?.aborted) return this.#end(2, abortError(action, signal.reason));
      if (typeof timeout === "number" && timeout > 0) mailbox[2] = Math.min(Math.ceil(timeout), 0x7FFFFFFF);
      mailbox[6] = holdsOpen === false ? 1 : 0;
      let answer;
      try { answer = run(action.native, option); } catch (error) { return this.#end(2, placed(error, action)); }
      if (mailbox[0] !== PENDING) return this.#end(2, errorOf(answer));
      const slot = this.#slot = mailbox[1];
      const entry = {
        resolve: () => this.#end(1), reject: (error) => this.#end(2, error), action, site: new Error(), watch: this,
      };
      if (signal) {
        const onAbort = () => {
          if (this.#state !== 0) return;
          this.#stopNative();
          this.#end(2, abortError(action, signal.reason, entry.site));
        };
        signal.addEventListener("abort", onAbort);
        entry.forget = () => signal.removeEventListener("abort", onAbort);
      }
      waiting[slot] = entry;
    }

    /** How many events were dropped because nobody took them in time. */
    get dropped() { return this.#dropped; }

    /** Takes a batch from the native side. */
    take(events) {
      if (this.#state !== 0) return;
      if (this.#callback !== undefined) return this.#callBack(events);
      let first = 0;
      while (first < events.length && this.#readers.length > 0) {
        this.#readers.shift().resolve({ value: events[first++], done: false });
        this.#took();
      }
      if (first === events.length) return;
      if (this.#head === this.#events.length) {
        this.#events = first === 0 ? events : events.slice(first);
        this.#head = 0;
      } else {
        this.#events = this.#events.slice(this.#head);
        this.#head = 0;
        for (; first < events.length; first++) this.#events.push(events[first]);
      }
      this.#overflow();
    }

    #overflow() {
      const excess = this.#events.length - this.#limit;
      if (excess <= 0 || this.#policy === "wait") return;
      this.#dropped += excess;
      if (this.#policy === "dropOldest") this.#events.splice(0, excess);
      else this.#events.length = this.#limit;
    }

    #callBack(events) {
      for (const event of events) {
        if (this.#state !== 0) return;
        this.#took();
        try {
          this.#callback(event);
        } catch (error) {
          this.#stopNative();
          this.#end(2, error);
        }
      }
    }

    /** The native side may send as many again, told in halves of the buffer. */
    #took() {
      if (++this.#taken * 2 < this.#limit || this.#policy !== "wait") return;
      if (this.#state === 0) host.grant(this.#slot, this.#taken);
      this.#taken = 0;
    }

    /** Ends the watch with an error. */
    fail(error) {
      this.#stopNative();
      this.#end(2, error);
    }

    next() {
      if (this.#head < this.#events.length) {
        const value = this.#events[this.#head];
        this.#events[this.#head++] = undefined;
        this.#took();
        return resolved({ value, done: false });
      }
      if (this.#state === 1) return resolved({ value: undefined, done: true });
      if (this.#state === 2) {
        this.#state = 1;
        return rejected(this.#error);
      }
      return new PromiseOf((resolve, reject) => { this.#readers.push({ resolve, reject }); });
    }

    return(value) {
      this.stop();
      return resolved({ value, done: true });
    }

    throw(error) {
      this.stop();
      return rejected(error);
    }

    /** Ends the watch; events that wait are dropped. Idempotent. */
    stop() {
      if (this.#state === 0) this.#stopNative();
      this.#events = [];
      this.#head = 0;
      this.#end(1);
    }

    /** All events until the end, as an array. */
    async toArray() {
      const all = [];
      for (let step; !(step = await this.next()).done;) {
        all.push(step.value);
        while (this.#head < this.#events.length) {
          all.push(this.#events[this.#head++]);
          this.#took();
        }
      }
      return all;
    }

    /** Settles when the watch ends; for the callback form. */
    get ended() {
      return new PromiseOf((resolve, reject) => {
        if (this.#state === 0) this.#done = { resolve, reject };
        else if (this.#state === 2) reject(this.#error);
        else resolve();
      });
    }

    [asyncIterator]() { return this; }

    #stopNative() {
      const entry = waiting[this.#slot];
      waiting[this.#slot] = undefined;
      entry?.forget?.();
      host.cancel(this.#slot);
    }

    #end(state, error) {
      if (this.#state !== 0) return;
      this.#state = state;
      this.#error = error;
      if (this.#done !== undefined) state === 2 ? this.#done.reject(error) : this.#done.resolve();
      for (const reader of this.#readers.splice(0)) {
        if (state === 2) {
          this.#state = 1;
          reader.reject(error);
          state = 1;
        } else {
          reader.resolve({ value: undefined, done: true });
        }
      }
    }
  }
  defineProperty(Watch.prototype, Symbol.toStringTag, { value: "Watch", configurable: true });

  // --- Mocks ----------------------------------------------------------------------------------------------

  /** What a file answers instead of native code, by "service.action". */
  const mocks = new Map((host.mocks ?? []).flatMap(Object.entries));

  const isGenerator = (mock) => typeof mock === "function" && /Generator/.test(mock.constructor.name);

  const mockAnswer = (answer, action) => {
    const error = answer?.$error;
    if (error === undefined) return answer;
    const { service, name } = action;
    throw new BridgeError(error.code ?? "unknown_error", error.message ?? "a mocked failure",
      { ...error, service, action: name });
  };

  const mocked = async (action, option) => {
    const { mock } = action;
    return mockAnswer(typeof mock === "function" ? await mock(option) : mock, action);
  };

  /** A watch whose events a file gives. */
  async function* mockedEvents(action, option) {
    const { mock } = action;
    const events = mockAnswer(typeof mock === "function" ? await mock(option) : mock, action);
    yield* events?.$events ?? events;
  }

  const mockWatch = (action, option, callback) => {
    const events = mockedEvents(action, option);
    events.stop = () => { events.return(); };
    events.dropped = 0;
    if (callback === undefined) return events;
    return (async () => { for await (const event of events) callback(event); })();
  };

  /** Starts a watch: an async iterable, or with a callback a promise that settles when the watch ends. */
  const watch = (action, option, callback, control) => {
    if (callback !== undefined && typeof callback !== "function") [callback, control] = [undefined, callback];
    if (action.mock !== undefined) return mockWatch(action, option, callback);
    const stream = new Watch(action, option, control, callback);
    return callback === undefined ? stream : stream.ended;
  };

  // --- The object that scripts see ------------------------------------------------------------------------

  const actions = new Map();

  /** Finds an action by name, or throws the BridgeError that says what is nearest. */
  const action = (service, name) => {
    const key = `${service}\n${name}`;
    let found = actions.get(key);
    if (found === undefined && mocks.has(`${service}.${name}`)) {
      const mock = mocks.get(`${service}.${name}`);
      found = { native: undefined, service, name, isWatch: isGenerator(mock) || mock?.$events !== undefined, mock };
      actions.set(key, found);
    }
    if (found === undefined) {
      const native = host.bind(`${service}`, `${name}`);
      if (mailbox[0] === FAILURE) throw errorOf(native);
      found = { native, service, name, isWatch: mailbox[3] === 1, limit: mailbox[4],
        policy: ["wait", "dropOldest", "dropNewest"][mailbox[5]], mock: undefined };
      actions.set(key, found);
    }
    return found;
  };

  /**
   * Calls `action` of `service` and answers a promise; a watch answers an async iterable, or with
   * `option.retainCallback` a promise that settles when it ends.
   */
  function callToNative(service, name, option, control) {
    let found;
    try { found = action(service, name); } catch (error) { return rejected(error); }
    const callback = option?.retainCallback;
    if (typeof callback === "function") {
      const { retainCallback: _, ...rest } = option;
      return watch(found, keys(rest).length === 0 ? undefined : rest, callback, control);
    }
    return found.isWatch ? watch(found, option, undefined, control) : call(found, option, control);
  }

  const nbridge = {
    callToNative, BridgeError, services: host.services, version: host.version, args: host.arguments,
  };
  const place = (service, value) =>
    defineProperty(nbridge, service, { value, writable: true, enumerable: true, configurable: true });

  // What plugins' own scripts may know of the program.
  const endings = [];
  const program = {
    atEnd(begin) {
      if (endings.push(begin) === 1) host.atEnd(() => endings.flatMap((ending) => {
        try { return ending() ?? []; } catch (error) { return [`at the end: ${error?.message}`]; }
      }));
    },
    after: (milliseconds, body) => host.after(milliseconds, body),
    now: () => host.now(),
    guard(isOn) { host.guard(isOn); },
    begun: () => host.begun(),
    settings: (service) => host.settings(service),
    place: (frame) => host.place(frame),
  };
  const inner = { call, watch, BridgeError, program };

  /** Adds a service's facade, as facades.js does; one that the runtime made itself stays. */
  const define = (service, make) => {
    if (!(service in nbridge)) place(service, make({ action: (name) => action(service, name), ...inner }));
  };
  defineProperty(nbridge, "define", { value: define, writable: true, configurable: true });

  for (const service of host.services) {
    defineProperty(nbridge, service, {
      configurable: true, enumerable: true,
      get() {
        const make = host.facade(service);
        if (mailbox[0] === FAILURE) throw errorOf(make);
        const facade = make({ action: (name) => action(service, name), ...inner });
        place(service, facade);
        return facade;
      },
      set(value) { place(service, value); },
    });
  }

  // Services that only a mock answers for.
  for (const name of mocks.keys()) {
    const [service, method] = name.split(".");
    if (!host.services.includes(service)) {
      if (!(service in nbridge)) place(service, {});
      nbridge[service][method] = (option, ...rest) => {
        const found = action(service, method);
        return found.isWatch ? watch(found, option, ...rest) : call(found, option);
      };
    }
  }

  /** The host of a page that no runtime stands behind: each call says so. */
  function absentHost() {
    const mailbox = new Int32Array(8);
    const message = "no native side is connected to this page; run it with: nbridge run PAGE";
    const bind = (service, action) => {
      mailbox[0] = VALUE;
      return () => {
        mailbox[0] = FAILURE;
        return stringify({ code: "unavailable", message, service, action });
      };
    };
    const install = (made) =>
      defineProperty(globalThis, "nbridge", { value: made, writable: true, configurable: true });
    return { mailbox, bind, services: [], version: "", arguments: [], cancel() {}, grant() {}, connect() {}, install,
      atEnd() {}, after() {}, now: () => 0, guard() {}, begun: () => 0, settings() {}, place: () => "" };
  }

  host.connect(settle, () => waiting.map((entry, slot) => entry === undefined ? undefined
    : { slot, site: userFrames(entry.site.stack).split("\n")[0] }).filter((entry) => entry !== undefined));
  host.install(nbridge);
})();
