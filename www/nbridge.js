// SPDX-License-Identifier: MIT
//
// nBridge: calls native plugins. Every call is a promise, every watch an async iterable.
//
//   nbridge.app.appInfo().then(info => alert(info.name), error => alert(error));
//   for await (const change of nbridge.preference.watch()) console.log(change.key);
//
// This file is the script's half of the bridge, with the parts in Sources/NBridge/Bridge/js that it loads when they are needed;
// the Swift beside those is the other half. They meet in `host`, which is `this` of this script: a native function for each
// action, registers (numbers that both read), and one function that takes replies. Scripts are taken for enemies: what is
// needed of the engine was taken before their first line ran, lists and records of ours inherit nothing, and whatever may run
// code of theirs (getters, signals, callbacks) runs where it can neither be taken for something else nor keep a call from
// settling.
"use strict";

((host) => {
  if (host === undefined) return standAlone();

  const {
    Error, Map, Promise, Proxy, parse, stringify, apply, define, get, inherit, isArray, getPrototypeOf, setPrototypeOf, keys, hasOwn, freeze,
    objectPrototype, arrayPrototype, resolved, slice, indexOf, mapGet, mapSet, asyncIterator, iterator,
  } = host.intrinsics;
  const rejected = async (error) => { throw error; };

  /** A list that inherits nothing: no setter of a script's sees what is put into it. */
  const bare = (list) => setPrototypeOf(list, null);

  // --- Errors ---------------------------------------------------------------------------------------------

  let isBridgeError;

  /** What a call rejects with: `code` for programs, `message` for people. */
  class BridgeError extends Error {
    // Tells ours without asking what scripts can change: `instanceof` asks the class above.
    #isOurs = true;

    static {
      isBridgeError = (error) => typeof error === "object" && error !== null && #isOurs in error && error.#isOurs;
    }

    constructor(code, message, facts = {}) {
      super(message, "cause" in facts ? { cause: facts.cause } : undefined);
      own(this, "code", code);
      if (facts.service !== undefined) own(this, "service", facts.service);
      if (facts.action !== undefined) own(this, "action", facts.action);
      if (facts.details !== undefined) own(this, "details", facts.details);
      const frames = userFrames(peek(facts.site ?? this, "stack"));
      define(this, "stack", { __proto__: null, value: (host.stackHead?.(message) ?? "") + frames, writable: true, configurable: true });
    }
  }
  define(BridgeError.prototype, "name", { __proto__: null, value: "BridgeError", writable: true, configurable: true });
  // What it inherits its construction from can't be replaced any more.
  freeze(BridgeError);

  /** A property of a script's object, undefined when it throws. */
  const peek = (object, name) => { try { return object?.[name]; } catch { return undefined; } };

  const own = (object, name, value) =>
    define(object, name, { __proto__: null, value, writable: true, enumerable: true, configurable: true });

  /** A stack without the bridge's own frames. */
  const userFrames = (stack) => {
    if (typeof stack !== "string") return "";
    let frames = "";
    for (let at = 0; at <= stack.length;) {
      const newline = indexOf(stack, "\n", at);
      const end = newline < 0 ? stack.length : newline;
      const line = slice(stack, at, end);
      if (line !== "" && indexOf(line, host.ownFrames ?? "@nbridge:") < 0 && line !== host.errorLine) frames += frames === "" ? line : `\n${line}`;
      at = end + 1;
    }
    return frames;
  };

  const failure = (code, message, facts) => new BridgeError(code, message, { __proto__: null, ...facts });

  /** The error that a native failure stands for. */
  const errorOf = (text, site, called) => {
    const facts = bare(parse(text));
    let { details } = facts;
    if (details !== undefined) {
      try { details = revive(details); } catch { details = undefined; /* It stands for no value; the failure counts. */ }
    }
    const { code, message, service, action, cause } = facts;
    const given = { __proto__: null, service, action, details, site };
    if (hasOwn(facts, "cause")) given.cause = cause;
    return new BridgeError(code, called?.positional === undefined ? message : ledgers().renamed(message, called.positional), given);
  };

  // --- Values ---------------------------------------------------------------------------------------------
  // JSON text carries what JSON has. What it lacks travels tagged: Bridge/js/tagging.js.

  const TAG = "$nb", DEPTH = 512, TEXT = 64 * 1024 * 1024;

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
          if (value.toJSON !== undefined) return false;
          for (let index = 0; index < value.length; index++) {
            if (!isPlain(value[index], depth - 1)) return false;
          }
          return true;
        }
        const prototype = getPrototypeOf(value);
        if (prototype !== objectPrototype && prototype !== null) return false;
        if (depth === DEPTH - 1 && (value[asyncIterator] !== undefined || value[iterator] !== undefined)) return false; // a stream?
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
    failure("invalid_parameter", `${path} ${reason}`, cause === undefined ? undefined : { __proto__: null, cause });

  // --- Calls ----------------------------------------------------------------------------------------------

  const { registers } = host;
  // How an answer is handed over: see ReplyKind in Reply.swift.
  const VALUE = 0, TEXTUAL = 1, TAGGED = 2, PENDING = 3, FAILURE = 4, MIXED = 5, EVENTS = 6, MIXED_EVENTS = 8, ASKS = 9, BEHIND = 16;

  /** The calls that wait, by slot. */
  const waiting = bare([]);

  /** What only some programs need is loaded when it is: an app pays for what it uses. */
  const part = (name, more) => host.part(name)({
    __proto__: null, intrinsics: host.intrinsics, host, registers, waiting, bare, own, peek, isBridgeError, failure, invalid, errorOf,
    placed, packed, begin, rejected, answered, parked, handles, streams, hidden, valueOf, TAG, DEPTH, TEXT, ...more,
  });
  let tagging, control, watches, ledger, now, held, settling, given, unseen, behind;
  /** The objects of plugins that the script holds; undefined before there are any, unless they are `wanted`. */
  const handles = (wanted) => wanted ? held ??= part("handles", { actionOf, call, facadeOf, kinds, userFrames, siteOf: () => settling ?? new Error() }) : held;
  const revive = (value, bytes, service) => (tagging ??= part("tagging")).revive(value, bytes, service);
  const controls = () => control ??= part("control"), streams = () => given ??= part("streams"), hidden = () => unseen ??= part("hidden");

  const valueOf = (kind, answer, service) => {
    switch (kind) {
      case VALUE: return answer;
      case TEXTUAL: return parse(answer);
      case TAGGED: return revive(parse(answer), undefined, service);
      default: return revive(parse(answer[0]), answer, service);
    }
  };

  /** An option's text, or a list of its text and bytes. Throws for what can't cross. May run code of the script's. */
  const packed = (option, action, path) => {
    let text;
    try {
      // A toJSON that all objects inherit is heeded, one by one, below.
      if (!("toJSON" in arrayPrototype) && isPlain(option, DEPTH)) text = stringify(option);
    } catch { /* A getter or a proxy threw: said with its path below. */ }
    if (text !== undefined && text.length <= TEXT) return text;
    return (tagging ??= part("tagging")).pack(option, action, path);
  };

  /**
   * Runs the native function. What the script asks of the call is put beside it only now: no code of the script's runs before
   * the other side has read it. Answers with the kind in the registers.
   */
  const begin = (native, pack, timeout, letsGo) => {
    registers[2] = timeout;
    registers[6] = letsGo;
    // A call that is refused on this side, as one on an object that is closed, leaves nothing for the next.
    try { return pack === undefined ? native() : typeof pack === "string" ? native(pack) : apply(native, undefined, pack); }
    finally { registers[2] = registers[6] = 0; }
  };

  /** Calls an action: the one way in for facades and `callToNative`. */
  const call = (action, option, control) => {
    if (action.mock !== undefined) return mocks.call(action, option);
    const { native } = action;
    let answer;
    try {
      if (control !== undefined && control !== null) return controls().controlled(action, option, control);
      if (option === undefined) answer = native();
      else {
        const pack = packed(option, action);
        if (typeof pack === "string") answer = native(pack);
        else if (pack.streams !== undefined) return streams().call(action, pack);
        else answer = apply(native, undefined, pack);
      }
    } catch (error) { return rejected(placed(error, action)); }
    const kind = registers[0];
    if (kind === VALUE) return resolved(answer);
    if (kind === PENDING) return parked(registers[1], action);
    return answered(action, kind, answer);
  };

  /** A promise of an answer that was there when the native function returned. */
  const answered = (action, kind, answer, watch) => {
    if (kind === VALUE) return resolved(answer);
    if (kind >= BEHIND) return (behind ??= part("behind", { settleOne, FAILURE })).promise(action, kind - BEHIND, answer, watch);
    try {
      return kind === FAILURE ? rejected(errorOf(answer, undefined, action)) : resolved(valueOf(kind, answer, action.service));
    } catch (cause) { return rejected(malformed(action, cause)); }
  };

  /** A plugin in a library may answer anything; what is no value is said, not thrown into the script's face. */
  const malformed = (action, cause, site) => isBridgeError(cause) ? placed(cause, action) : failure("unknown_error",
    `the plugin '${action.service}' answered '${action.name}' with text that is not JSON; this is a fault of the plugin`,
    { __proto__: null, service: action.service, action: action.name, cause, site });

  const placed = (error, action) => {
    if (isBridgeError(error)) {
      own(error, "service", action.service);
      own(error, "action", action.name);
      if (action.positional !== undefined) ledgers().rename(error, action.positional);
    }
    return error;
  };

  /** The engine has no async stack: a call that waits remembers where it was made. */
  const parked = (slot, action) => {
    const site = new Error();
    return new Promise((resolve, reject) => {
      waiting[slot] = { resolve, reject, action, site, watch: null, forget: undefined, ask: undefined, fault: undefined };
    });
  };

  /**
   * Takes replies: slot and kind of each are in the registers. All entries are taken out first: what one of them sets going may
   * make calls, which get slots and numbers of these.
   */
  const settle = function () {
    const count = arguments.length, piece = registers[1];
    if (behind !== undefined && piece & 1) behind.mark();
    if (count === 1) settleOne(takeEntry(0), registers[9], arguments[0]);
    else {
      const entries = bare([]), kinds = bare([]);
      for (let index = 0; index < count; index++) { entries[index] = takeEntry(index); kinds[index] = registers[9 + 2 * index]; }
      for (let index = 0; index < count; index++) settleOne(entries[index], kinds[index], arguments[index]);
    }
    if (behind !== undefined && piece & 2) behind.settle();
  };

  const takeEntry = (index) => {
    const slot = registers[8 + 2 * index], entry = waiting[slot];
    if (registers[9 + 2 * index] < EVENTS) waiting[slot] = undefined;
    return entry;
  };

  /** Settles one call, or hands a watch its events. An error in it reaches that call or watch only. */
  const settleOne = (entry, kind, answer) => {
    if (entry === undefined) return drop(kind, answer);
    try {
      if (kind >= EVENTS) return kind === ASKS ? entry.ask?.(answer) : takeEvents(entry, kind, answer);
      if (entry.forget !== undefined) entry.forget();
      if (kind === FAILURE) return entry.reject(errorOf(answer, entry.site, entry.action));
      let value;
      settling = entry.site;
      try { value = valueOf(kind, answer, entry.action.service); } catch (cause) { return entry.reject(malformed(entry.action, cause, entry.site)); } finally { settling = undefined; }
      entry.resolve(value);
    } catch (error) { entry.reject(error); }
  };

  /** Nobody waits any more: objects of plugins in an answer are left to the collector. */
  const drop = (kind, answer) => { try { if (kind === TAGGED || kind === MIXED) valueOf(kind, answer); } catch { /* It was nobody's. */ } };

  const takeEvents = (entry, kind, answer) => {
    let events;
    try { events = valueOf(kind === MIXED_EVENTS ? MIXED : kind - 5, answer, entry.action.service); } catch (cause) {
      return watches.fail(entry.watch, malformed(entry.action, cause, entry.site));
    }
    watches.take(entry.watch, events);
  };

  /** Starts a watch: an async iterable, or with a callback a promise that settles when the watch ends. */
  const watch = (action, option, callback, control) => {
    if (callback !== undefined && typeof callback !== "function") {
      control = callback;
      callback = undefined;
    }
    if (action.mock !== undefined) return mocks.watch(action, option, callback);
    watches ??= part("watch", { control: controls() });
    const stream = watches.make(action, option, control, callback);
    return callback === undefined ? stream : stream.ended;
  };

  // --- The object that scripts see ------------------------------------------------------------------------

  /** What files answer instead of native code; undefined without such files. */
  const mocks = host.mocks && part("mocks");
  const POLICIES = ["wait", "dropOldest", "dropNewest"];
  const actions = new Map();

  /** Finds an action by name, or throws the BridgeError that says what is nearest. */
  const actionOf = (service, name, forPlugin) => {
    // Once: an object could give another name each time it is asked.
    service = `${service}`;
    name = `${name}`;
    const key = `${service}\n${name}\n${forPlugin}`;
    let found = mapGet(actions, key);
    if (found !== undefined) return found;
    found = mocks?.find(service, name);
    if (found === undefined) {
      const native = host.bind(service, name, forPlugin);
      if (registers[0] === FAILURE) throw errorOf(native);
      found = { __proto__: null, native, service, name, isWatch: registers[3] === 1, limit: registers[4], policy: POLICIES[registers[5]],
        mock: undefined, positional: undefined };
    }
    mapSet(actions, key, found);
    return found;
  };

  /** Calls `action` of `service` and answers a promise; a watch answers an async iterable, or with `option.retainCallback` a promise of its end. */
  function callToNative(service, name, option, control) {
    let found, callback;
    try {
      found = actionOf(service, name, false);
      callback = option?.retainCallback;
      if (callback !== undefined) {
        if (typeof callback === "function" && !found.isWatch) throw placed(invalid("option.retainCallback", "is for watches; this action answers once"), found);
        const { retainCallback: _, ...rest } = option;
        option = keys(rest).length === 0 ? undefined : rest;
      }
    } catch (error) { return rejected(error); }
    if (typeof callback === "function") return watch(found, option, callback, control);
    return found.isWatch ? watch(found, option, undefined, control) : call(found, option, control);
  }

  const nbridge = { callToNative, BridgeError, services: host.services, version: host.version, args: host.arguments };
  const place = (service, value) => own(nbridge, service, value);

  // What plugins' own scripts may know of the program (scripts never get it), and what services that a page defines get.
  let program, tokens;

  /** Adds a service's facade, as facades.js does; one that the runtime made itself stays. */
  const defineService = (service, make) => {
    if (service in nbridge) return;
    tokens ??= part("tokens", { actionOf, call, watch });
    place(service, make({ action: (name) => tokens.action(service, name), call: tokens.call, watch: tokens.watch, handle() {}, BridgeError }));
  };
  define(nbridge, "define", { __proto__: null, value: defineService, writable: true, configurable: true });

  /** Names that scripts look for in vain are noted; what is there is found before, and costs nothing. */
  const noteMisses = (object, owner) => {
    const misses = { __proto__: null, count: 0, names: { __proto__: null } };
    const note = (name, target) => name in target || name === "then" || ledgers().note(misses, host, object, owner, name);
    inherit(object, new Proxy({}, { __proto__: null,
      get(target, name, receiver) { if (typeof name === "string") note(name, target); return get(target, name, receiver); } }));
    return object;
  };

  /** The facades by service, each made when it is first asked for; kept here: a script may have frozen the object. And what makes objects. */
  const facades = { __proto__: null }, kinds = { __proto__: null };
  const facadeOf = (service) => {
    if (facades[service] !== undefined) return facades[service];
    const make = host.facade(service);
    if (registers[0] === FAILURE) throw errorOf(make);
    const facade = facades[service] = noteMisses(host.within(() => make({
      // Its errors name what the script gave at a place of its own by that name.
      action(name, positional) { const found = actionOf(service, name, true); found.positional ??= positional; return found; }, call, watch, BridgeError,
      handle(name, methods, isHidden) { kinds[`${service}.${name}`] = { __proto__: null, methods, isHidden }; }, get program() { return program ??= part("program", { mocks }); },
    })), `nbridge.${service}`);
    place(service, facade);
    return facade;
  };

  const isService = { __proto__: null };
  for (let index = 0; index < host.services.length; index++) {
    const service = host.services[index];
    isService[service] = true;
    define(nbridge, service, { __proto__: null, configurable: true, enumerable: true, get: () => facadeOf(service), set(value) { place(service, value); } });
  }
  mocks?.addServices({ nbridge, isService, place, actionOf, call, watch });

  const ledgers = () => ledger ??= part("ledger", { userFrames });
  host.connect(settle, () => ledgers().describeWaiting(), () => held?.describe() ?? bare([]),
    (service, name, option) => (now ??= part("now", { actionOf, valueOf, FAILURE, PENDING }))(service, name, option),
    (service, name) => { const found = actionOf(service, name, true); return (option, control) => call(found, option, control); }, async (told) => { await null; told(); });
  host.install(noteMisses(nbridge, "nbridge"));
  /** The bridge of a page that no runtime stands behind: each call says so. */
  function standAlone() {
    // Loaded by a page that already has its bridge: that one stays.
    if (globalThis.nbridge !== undefined) return;
    class BridgeError extends globalThis.Error { constructor(code, message, facts) { Object.assign(super(message), { name: "BridgeError", code }, facts); } }
    const call = async (action) => {
      throw new BridgeError("unavailable", "no native side is connected to this page; run it with: nbridge run PAGE", action);
    };
    const callToNative = (service, action) => call({ service, action });
    const nbridge = { callToNative, BridgeError, services: [], version: "", args: [] };
    const define = (service, make) => { nbridge[service] ??= make({ action: (action) => ({ service, action }), call, watch: call, handle() {}, BridgeError }); };
    Object.defineProperty(nbridge, "define", { value: define });
    Object.defineProperty(globalThis, "nbridge", { value: nbridge, writable: true, configurable: true });
  }
})(this === globalThis ? undefined : this);
