// SPDX-License-Identifier: MIT
//
// nBridge: calls native plugins. Every call is a promise, every watch an async iterable.
//
//   nbridge.app.appInfo().then(info => alert(info.name), error => alert(error));
//   for await (const change of nbridge.preference.watch()) console.log(change.key);
//
// This file is the script's half of the bridge; Sources/NBridge/Bridge is the other. They meet in `host`, which is `this`
// of this script: a native function for each action, a mailbox of numbers that both read, and one function that takes
// replies. Scripts are taken for enemies: what is needed of the engine was taken before their first line ran, lists and
// records of ours inherit nothing, and whatever may run code of theirs (getters, signals, callbacks) runs where it can
// neither be taken for something else nor keep a call from settling.
"use strict";

((host) => {
  if (host === undefined) return standAlone();

  const {
    BigInt, Date, Error, Map, Number, Promise, Set, Uint8Array, WeakMap, WeakSet, parse, stringify, ceil, min, apply, define,
    isArray, isView, defineProperty, getPrototypeOf, setPrototypeOf, keys, hasOwn, freeze, objectPrototype, arrayPrototype,
    rangeErrorPrototype, asyncIterator, toStringTag, resolved, then, isPrototypeOf, prototypes, dateTime, mapForEach,
    setForEach, numberValue, stringValue, booleanValue, bigintValue, slice, indexOf, weakGet, weakSet, weakHas, weakAdd,
    setAdd, setDelete, setHas, mapGet, mapSet, views, typedTag, typedBuffer, typedLength, typedOffset, typedCopy, viewBuffer,
    viewLength, viewOffset, bufferLength, bufferResizable, bufferDetached, transfer, sharedLength,
  } = host.intrinsics;
  const rejected = async (error) => { throw error; };
  const ignore = () => {};

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
      define(this, "stack", { __proto__: null, value: frames, writable: true, configurable: true });
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
      if (line !== "" && indexOf(line, "@nbridge:") < 0) frames += frames === "" ? line : `\n${line}`;
      at = end + 1;
    }
    return frames;
  };

  const failure = (code, message, facts) => new BridgeError(code, message, { __proto__: null, ...facts });

  /** The error that a native failure stands for. */
  const errorOf = (text, site) => {
    const facts = bare(parse(text));
    let details;
    try { details = revive(facts.details); } catch { /* What stands for no value is left out: the failure counts. */ }
    const { code, message, service, action, cause } = facts;
    const given = { __proto__: null, service, action, details, site };
    if (hasOwn(facts, "cause")) given.cause = cause;
    return new BridgeError(code, message, given);
  };

  // --- Values ---------------------------------------------------------------------------------------------
  // JSON text carries what JSON has. What it lacks travels tagged, as {"$nb":[tag, ...]}: see WireTag.swift.

  const TAG = "$nb";
  const DEPTH = 512;
  const TEXT = 64 * 1024 * 1024;
  /** Bytes up to this many are copied by the native side, inside the call: `largestCopied` in Bridge.swift. */
  const COPIED = 4096;

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
    failure("invalid_parameter", `${path} ${reason}`, cause === undefined ? undefined : { __proto__: null, cause });

  const tagged = (list) => ({ __proto__: null, [TAG]: bare(list) });
  const UNDEFINED = freeze(tagged(["u"]));
  const shorten = (path) => (path.length > 80 ? `${slice(path, 0, 60)}...` : path);
  const inherits = (name, value) => prototypes[name] !== undefined && isPrototypeOf(prototypes[name], value);

  /** Makes the tagged twin of a value that is not plain, or says what can't cross and where it stands. */
  class Tagger {
    bytes = bare([]);
    #places = bare([]);
    #open = new Set();
    /** How much text there may be, counting what each value takes at the least. */
    #room = TEXT;

    tag(value, path, depth, isFromJSON) {
      switch (typeof value) {
        case "string":
          if (value.length > TEXT) throw invalid(path, `is a string of ${value.length} units; the limit is ${TEXT}`);
          this.#spend(value.length + 3);
          return value;
        case "boolean":
          this.#spend(5);
          return value;
        case "number":
          this.#spend(2);
          if (value - value !== 0 || (value === 0 && 1 / value < 0)) return tagged(["n", value === 0 ? "-0" : `${value}`]);
          return value;
        case "undefined":
          this.#spend(14);
          return UNDEFINED;
        case "bigint":
          return tagged(["i", `${value}`]);
        case "function":
          throw invalid(path, "is a function, which can't cross the bridge");
        case "symbol":
          throw invalid(path, "is a symbol, which can't cross the bridge");
      }
      this.#spend(3);
      if (value === null) return null;
      if (depth === 0) throw invalid(shorten(path), `is nested deeper than ${DEPTH}`);
      if (setHas(this.#open, value)) throw invalid(path, "contains itself (a cycle)");
      setAdd(this.#open, value);
      const twin = this.#object(value, path, depth - 1, isFromJSON);
      setDelete(this.#open, value);
      return twin;
    }

    #spend(units) {
      this.#room -= units;
      if (this.#room < 0) throw invalid("option", `is more than ${TEXT} units of text, the limit`);
    }

    #object(value, path, depth, isFromJSON) {
      if (isArray(value)) return this.#array(value, path, depth);
      if (isView(value)) return this.#viewed(value, path);
      const prototype = this.#prototype(value, path);
      if (prototype !== objectPrototype && prototype !== null) {
        const special = this.#special(value, path, depth);
        if (special !== undefined) return special;
      }
      const toJSON = isFromJSON ? undefined : this.#read(value, "toJSON", path);
      if (typeof toJSON === "function") return this.tag(this.#call(toJSON, value, path), path, depth, true);
      return this.#members(value, path, depth);
    }

    #prototype(value, path) {
      try { return getPrototypeOf(value); } catch (cause) { throw invalid(path, "can't be looked at", cause); }
    }

    #call(toJSON, value, path) {
      try { return apply(toJSON, value, [""]); } catch (cause) { throw invalid(path, "can't be read: its toJSON threw", cause); }
    }

    /** What the engine keeps in a slot of the value; undefined for what only its own properties make. */
    #special(value, path, depth) {
      try {
        if (inherits("ArrayBuffer", value) || inherits("SharedArrayBuffer", value)) return this.#buffer(value, path);
        if (inherits("Date", value)) {
          const time = dateTime(value);
          return tagged(["d", time === time ? time : null]);
        }
        if (inherits("Map", value)) return this.#map(value, path, depth);
        if (inherits("Set", value)) return this.#set(value, path, depth);
        if (inherits("Number", value)) return this.tag(numberValue(value), path, depth + 1);
        if (inherits("String", value)) return this.tag(stringValue(value), path, depth + 1);
        if (inherits("Boolean", value)) return this.tag(booleanValue(value), path, depth + 1);
        if (inherits("BigInt", value)) return this.tag(bigintValue(value), path, depth + 1);
        if (inherits("Promise", value)) throw invalid(path, "is a Promise; await it first");
        if (inherits("Symbol", value)) throw invalid(path, "is a symbol, which can't cross the bridge");
      } catch (cause) {
        if (isBridgeError(cause)) throw cause;
        throw invalid(path, "only looks like a value of the engine's", cause);
      }
      return undefined;
    }

    #array(value, path, depth) {
      const twin = bare([]);
      const { length } = value;
      if (2 * length > TEXT) throw invalid(path, `has ${length} elements, too many for ${TEXT} units of text`);
      for (let index = 0; index < length; index++) {
        const member = this.#read(value, index, path);
        twin[index] = member === undefined ? (this.#spend(14), UNDEFINED) : this.tag(member, `${path}[${index}]`, depth);
      }
      return twin;
    }

    #map(value, path, depth) {
      const twin = bare([]);
      mapForEach(value, (member, key) => {
        const place = `${path}[${twin.length}]`;
        this.#spend(5);
        twin[twin.length] = bare([this.tag(key, `${place}[0]`, depth - 1), this.tag(member, `${place}[1]`, depth - 1)]);
      });
      return tagged(["m", twin]);
    }

    #set(value, path, depth) {
      const twin = bare([]);
      setForEach(value, (member) => { twin[twin.length] = this.tag(member, `${path}[${twin.length}]`, depth); });
      return tagged(["s", twin]);
    }

    #members(value, path, depth) {
      const twin = { __proto__: null };
      let names;
      try { names = keys(value); } catch (cause) { throw invalid(path, "can't be listed", cause); }
      for (let index = 0; index < names.length; index++) {
        const name = names[index];
        this.#spend(name.length + 3);
        twin[name] = this.tag(this.#read(value, name, path), `${path}.${name}`, depth);
      }
      return hasOwn(twin, TAG) ? tagged(["o", twin]) : twin;
    }

    /** One that lies outside of its buffer by now has no bytes. */
    #viewed(value, path) {
      try { return this.#view(value, path); } catch (cause) {
        throw isBridgeError(cause) ? cause : invalid(path, "has no bytes any more", cause);
      }
    }

    /** A view, by what it is and not by what its properties say. */
    #view(value, path) {
      const kind = typedTag(value) ?? "DataView";
      if (views[kind] === undefined) throw invalid(path, `is a ${kind}, which can't cross the bridge`);
      if (kind === "DataView") {
        const buffer = viewBuffer(value);
        this.#demandAttached(buffer, path);
        return this.#bytes(buffer, viewOffset(value), viewLength(value), kind, path);
      }
      const buffer = typedBuffer(value);
      this.#demandAttached(buffer, path);
      return this.#bytes(buffer, typedOffset(value), typedLength(value), kind, path);
    }

    #buffer(value, path) {
      if (inherits("SharedArrayBuffer", value)) return this.#bytes(value, 0, sharedLength(value), "ArrayBuffer", path);
      this.#demandAttached(value, path);
      return this.#bytes(value, 0, bufferLength(value), "ArrayBuffer", path);
    }

    #demandAttached(buffer, path) {
      if (!isShared(buffer) && bufferDetached(buffer)) throw invalid(path, "is a detached buffer");
    }

    #bytes(buffer, offset, length, kind, path) {
      let view = new Uint8Array(buffer, offset, length);
      if (mayMove(buffer, length)) {
        const copy = new Uint8Array(length);
        typedCopy(copy, view);
        view = copy;
      }
      const index = this.bytes.length;
      this.bytes[index] = view;
      this.#places[index] = { __proto__: null, path, length };
      return tagged(["b", index, kind]);
    }

    /** What a getter that was read later has taken away must not cross as nothing. */
    checkBytes() {
      for (let index = 0; index < this.bytes.length; index++) {
        const { path, length } = this.#places[index];
        if (typedLength(this.bytes[index]) !== length) throw invalid(path, "was detached while the option was read");
      }
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

  const isShared = (buffer) => {
    if (sharedLength === undefined) return false;
    try { sharedLength(buffer); return true; } catch { return false; }
  };

  /** Large buffers that are known to stay where they are. */
  const resting = new WeakSet();

  /**
   * Whether native code that reads the bytes later could find them moved, shrunk or changed by another thread. What the native
   * side has in hand is only copied by a transfer from then on; a WebAssembly.Memory's bytes move all the same when it grows. The one
   * thing that tells those: they can't be detached, which is asked for before a size that no buffer has.
   */
  const mayMove = (buffer, length) => {
    if (isShared(buffer) || bufferResizable(buffer)) return true;
    if (length <= COPIED || weakHas(resting, buffer)) return false;
    try { transfer(buffer, 0x1FFFFFFFFFFFFF); } catch (error) {
      if (getPrototypeOf(error) !== rangeErrorPrototype) return true;
    }
    weakAdd(resting, buffer);
    return false;
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
    if (hasOwn(value, TAG) && isArray(value[TAG])) return untag(value[TAG], bytes);
    return reviveMembers(value, bytes);
  };

  const reviveMembers = (value, bytes) => {
    const names = keys(value);
    for (let index = 0; index < names.length; index++) {
      const member = value[names[index]];
      // The member is the object's own: no setter is met.
      if (typeof member === "object" && member !== null) own(value, names[index], revive(member, bytes));
    }
    return value;
  };

  const untag = (tag, bytes) => {
    const payload = tag[1];
    switch (tag[0]) {
      case "u": return undefined;
      case "n": return payload === "-0" ? -0 : Number(payload);
      case "i": return BigInt(payload);
      case "d": return new Date(payload === null ? NaN : payload);
      case "m": {
        const map = new Map();
        for (let index = 0; index < payload.length; index++) {
          const pair = revive(payload[index], bytes);
          mapSet(map, pair[0], pair[1]);
        }
        return map;
      }
      case "s": {
        const set = new Set();
        for (let index = 0; index < payload.length; index++) setAdd(set, revive(payload[index], bytes));
        return set;
      }
      case "o": return reviveMembers(payload, bytes);
      case "b": return viewOf(bytes[payload + 1], tag[2]);
      default: return undefined;
    }
  };

  const viewOf = (array, kind) => {
    if (kind === "Uint8Array") return array;
    const buffer = typedBuffer(array), offset = typedOffset(array), length = typedLength(array);
    if (kind === "ArrayBuffer") {
      if (length === bufferLength(buffer)) return buffer;
      const copy = new Uint8Array(length);
      typedCopy(copy, array);
      return typedBuffer(copy);
    }
    const View = views[kind];
    if (View === undefined) return array;
    return new View(buffer, offset, kind === "DataView" ? length : length / View.BYTES_PER_ELEMENT);
  };

  // --- Calls ----------------------------------------------------------------------------------------------

  const { mailbox } = host;
  // How an answer is handed over: see ReplyKind in Reply.swift.
  const VALUE = 0, TEXTUAL = 1, TAGGED = 2, PENDING = 3, FAILURE = 4, MIXED = 5, EVENTS = 6, MIXED_EVENTS = 8;

  /** The calls that wait, by slot. */
  const waiting = bare([]);

  const valueOf = (kind, answer) => {
    switch (kind) {
      case VALUE: return answer;
      case TEXTUAL: return parse(answer);
      case TAGGED: return revive(parse(answer));
      default: return revive(parse(answer[0]), answer);
    }
  };

  /** An option's text, or a list of its text and bytes. Throws for what can't cross. May run code of the script's. */
  const packed = (option) => {
    let text;
    try {
      // A toJSON that all objects inherit is heeded, one by one, below.
      if (!("toJSON" in arrayPrototype) && isPlain(option, DEPTH)) text = stringify(option);
    } catch { /* A getter or a proxy threw: said with its path below. */ }
    if (text !== undefined && text.length <= TEXT) return text;
    const tagger = new Tagger();
    const twin = tagger.tag(option, "option", DEPTH);
    text = stringify(twin);
    if (text.length > TEXT) throw invalid("option", `is ${text.length} units of text; the limit is ${TEXT}`);
    const { bytes } = tagger;
    if (bytes.length === 0) return text;
    tagger.checkBytes();
    const list = [text];
    for (let index = 0; index < bytes.length; index++) own(list, index + 1, bytes[index]);
    return list;
  };

  /**
   * Runs the native function. What the script asks of the call is put beside it only now: no code of the script's runs before
   * the other side has read it. Answers with the kind in the mailbox.
   */
  const begin = (native, pack, timeout, letsGo) => {
    mailbox[2] = timeout;
    mailbox[6] = letsGo;
    const answer = pack === undefined ? native() : typeof pack === "string" ? native(pack) : apply(native, undefined, pack);
    mailbox[2] = mailbox[6] = 0;
    return answer;
  };

  /** Calls an action: the one way in for facades and `callToNative`. */
  const call = (action, option, control) => {
    if (action.mock !== undefined) return mocked(action, option);
    if (control !== undefined && control !== null) return controlled(action, option, control);
    const { native } = action;
    let answer;
    try {
      if (option === undefined) answer = native();
      else {
        const pack = packed(option);
        answer = typeof pack === "string" ? native(pack) : apply(native, undefined, pack);
      }
    } catch (error) { return rejected(placed(error, action)); }
    const kind = mailbox[0];
    if (kind === VALUE) return resolved(answer);
    if (kind === PENDING) return parked(mailbox[1], action);
    return answered(action, kind, answer);
  };

  /** A promise of an answer that was there when the native function returned. */
  const answered = (action, kind, answer) => {
    if (kind === VALUE) return resolved(answer);
    try {
      return kind === FAILURE ? rejected(errorOf(answer)) : resolved(valueOf(kind, answer));
    } catch (cause) { return rejected(malformed(action, cause)); }
  };

  /** A plugin in a library may answer anything; what is no value is said, not thrown into the script's face. */
  const malformed = ({ service, name }, cause, site) => failure("unknown_error",
    `the plugin '${service}' answered '${name}' with text that is not JSON; this is a fault of the plugin`,
    { __proto__: null, service, action: name, cause, site });

  const placed = (error, action) => {
    if (isBridgeError(error)) {
      own(error, "service", action.service);
      own(error, "action", action.name);
    }
    return error;
  };

  /** The engine has no async stack: a call that waits remembers where it was made. */
  const parked = (slot, action) => {
    const site = new Error();
    return new Promise((resolve, reject) => {
      waiting[slot] = { resolve, reject, action, site, watch: null, forget: undefined };
    });
  };

  /** What a script asks of a call, read once. Throws a BridgeError for what it can't ask. */
  const controlOf = (control) => {
    if (typeof control !== "object" && typeof control !== "function") {
      throw invalid("control", `must be an object like { signal, timeout }, not a ${typeof control}`);
    }
    let signal, timeout, holdsOpen, isAborted, add, remove;
    try {
      ({ signal, timeout, holdsOpen } = control);
      if (signal !== undefined && signal !== null) {
        add = signal.addEventListener;
        remove = signal.removeEventListener;
        isAborted = signal.aborted;
      }
    } catch (cause) { throw invalid("control", "can't be read: its getter threw", cause); }
    if (signal === null) signal = undefined;
    if (signal !== undefined && (typeof add !== "function" || typeof remove !== "function")) {
      throw invalid("control.signal", "must be an AbortSignal");
    }
    if (timeout !== undefined && (typeof timeout !== "number" || !(timeout > 0))) {
      throw invalid("timeout", "must be a number of milliseconds above 0");
    }
    return {
      __proto__: null, signal, isAborted, add, remove, timeout: timeout === undefined ? 0 : min(ceil(timeout), 0x7FFFFFFF),
      letsGo: holdsOpen === false ? 1 : 0,
    };
  };

  const controlled = (action, option, control) => {
    let asked, answer;
    try {
      asked = controlOf(control);
      const { signal } = asked;
      if (asked.isAborted) return rejected(abortError(action, signal));
      const pack = option === undefined ? undefined : packed(option);
      // A getter of the option may have had second thoughts.
      if (signal !== undefined && peek(signal, "aborted")) return rejected(abortError(action, signal));
      answer = begin(action.native, pack, asked.timeout, 0);
    } catch (error) { return rejected(placed(error, action)); }
    const kind = mailbox[0], slot = mailbox[1];
    if (kind !== PENDING) return answered(action, kind, answer);
    const promise = parked(slot, action);
    if (asked.signal !== undefined) {
      const entry = waiting[slot];
      listen(asked, entry, () => {
        if (waiting[slot] !== entry) return;
        waiting[slot] = undefined;
        host.cancel(slot);
        entry.reject(abortError(action, asked.signal, entry.site));
      }, (error) => {
        if (waiting[slot] !== entry) return;
        waiting[slot] = undefined;
        host.cancel(slot);
        entry.reject(error);
      });
    }
    return promise;
  };

  /** Has `onAbort` called when the signal fires, until the entry forgets it. `onFault` hears that the signal can't be heard. */
  const listen = (asked, entry, onAbort, onFault) => {
    const { signal, add, remove } = asked;
    entry.forget = () => { try { apply(remove, signal, ["abort", onAbort]); } catch { /* The call is over all the same. */ } };
    try { apply(add, signal, ["abort", onAbort]); } catch (cause) {
      onFault(placed(invalid("control.signal", "can't be listened to: its addEventListener threw", cause), entry.action));
    }
  };

  /** Whatever goes wrong while the error is made is what the call rejects with instead. */
  const abortError = (action, signal, site) => {
    try { return makeAbortError(action, signal, site); } catch (error) { return error; }
  };

  const makeAbortError = (action, signal, site) => {
    const reason = peek(signal, "reason");
    const late = peek(reason, "name") === "TimeoutError";
    return failure(late ? "timeout" : "cancelled",
      `'${action.service}.${action.name}' was ${late ? "timed out" : "cancelled"} by its signal`,
      { __proto__: null, service: action.service, action: action.name, cause: reason, site });
  };

  /**
   * Takes replies: slot and kind of each are in the mailbox. All entries are taken out first: what one of them sets going may
   * make calls, which get slots and numbers of these.
   */
  const settle = function () {
    const count = arguments.length;
    if (count === 1) return settleOne(takeEntry(0), mailbox[9], arguments[0]);
    const entries = bare([]), kinds = bare([]);
    for (let index = 0; index < count; index++) {
      entries[index] = takeEntry(index);
      kinds[index] = mailbox[9 + 2 * index];
    }
    for (let index = 0; index < count; index++) settleOne(entries[index], kinds[index], arguments[index]);
  };

  const takeEntry = (index) => {
    const slot = mailbox[8 + 2 * index];
    const entry = waiting[slot];
    if (mailbox[9 + 2 * index] < EVENTS) waiting[slot] = undefined;
    return entry;
  };

  /** Settles one call, or hands a watch its events. Whatever goes wrong with it is told to it, and to nobody else. */
  const settleOne = (entry, kind, answer) => {
    if (entry === undefined) return;
    try {
      if (kind >= EVENTS) return takeEvents(entry, kind, answer);
      if (entry.forget !== undefined) entry.forget();
      if (kind === FAILURE) return entry.reject(errorOf(answer, entry.site));
      let value;
      try { value = valueOf(kind, answer); } catch (cause) { return entry.reject(malformed(entry.action, cause, entry.site)); }
      entry.resolve(value);
    } catch (error) { entry.reject(error); }
  };

  const takeEvents = (entry, kind, answer) => {
    let events;
    try { events = valueOf(kind === MIXED_EVENTS ? MIXED : kind - 5, answer); } catch (cause) {
      return watches.fail(entry.watch, malformed(entry.action, cause, entry.site));
    }
    watches.take(entry.watch, events);
  };

  // --- Watches --------------------------------------------------------------------------------------------

  /** What the bridge does with a watch, and scripts can't. */
  let watches;
  /** What only the bridge has: a script finds the class by way of a watch. */
  const MAKE = { __proto__: null };

  /** A stream of native events. `break`, `return()`, `stop()` or an aborted signal ends it. */
  class Watch {
    #slot = -1;
    /** Events that nobody has taken: from `#head` to `#tail`. */
    #events = bare([]);
    #head = 0;
    #tail = 0;
    #taken = 0;
    #limit;
    #policy;
    /** Who waits for an event: from `#first` on. */
    #readers = bare([]);
    #first = 0;
    #callback;
    #state = 0; // 0 open, 1 ended, 2 failed and not yet told
    #isFailed = false;
    #error;
    #ended;
    #endedWith;
    #dropped = 0;

    static {
      watches = {
        __proto__: null,
        take: (watch, events) => watch.#take(events),
        fail: (watch, error) => watch.#fail(error),
      };
    }

    constructor(key, action, option, control, callback) {
      if (key !== MAKE) throw failure("invalid_parameter", "a Watch is made by calling a watch of a plugin");
      this.#limit = action.limit;
      this.#policy = action.policy;
      this.#callback = callback;
      try { this.#start(action, option, control ?? { __proto__: null }); } catch (error) { this.#end(2, placed(error, action)); }
    }

    #start(action, option, control) {
      const asked = controlOf(control);
      const { signal } = asked;
      if (asked.isAborted) return this.#end(2, abortError(action, signal));
      const pack = option === undefined ? undefined : packed(option);
      if (signal !== undefined && peek(signal, "aborted")) return this.#end(2, abortError(action, signal));
      const answer = begin(action.native, pack, asked.timeout, asked.letsGo);
      if (mailbox[0] !== PENDING) return this.#end(2, errorOf(answer));
      const slot = this.#slot = mailbox[1];
      const entry = {
        resolve: () => this.#end(1), reject: (error) => this.#end(2, error), action, site: new Error(), watch: this,
        forget: undefined,
      };
      waiting[slot] = entry;
      if (signal === undefined) return;
      listen(asked, entry, () => this.#fail(abortError(action, signal, entry.site)), (error) => this.#fail(error));
    }

    /** How many events were dropped because nobody took them in time. */
    get dropped() { return this.#dropped; }

    /** Takes a batch from the native side. */
    #take(events) {
      if (this.#state !== 0) return;
      if (this.#callback !== undefined) return this.#callBack(events);
      let first = 0;
      while (first < events.length && this.#first < this.#readers.length) {
        this.#nextReader().resolve({ value: events[first++], done: false });
        this.#took();
        if (this.#state !== 0) return;
      }
      if (first === events.length) return;
      if (this.#head === this.#tail) {
        this.#events = events;
        this.#head = first;
        this.#tail = events.length;
      } else {
        this.#append(events, first);
      }
      this.#overflow();
    }

    #append(events, first) {
      const all = bare([]);
      for (let index = this.#head; index < this.#tail; index++) all[all.length] = this.#events[index];
      for (let index = first; index < events.length; index++) all[all.length] = events[index];
      this.#events = all;
      this.#head = 0;
      this.#tail = all.length;
    }

    #overflow() {
      const excess = this.#tail - this.#head - this.#limit;
      if (excess <= 0 || this.#policy === "wait") return;
      this.#dropped += excess;
      if (this.#policy === "dropOldest") this.#head += excess;
      else this.#tail -= excess;
    }

    #callBack(events) {
      for (let index = 0; index < events.length; index++) {
        if (this.#state !== 0) return;
        this.#took();
        try { apply(this.#callback, undefined, [events[index]]); } catch (error) { this.#fail(error); }
      }
    }

    /** The native side may send as many again, told in halves of the buffer. */
    #took() {
      if (++this.#taken * 2 < this.#limit || this.#policy !== "wait") return;
      if (this.#state === 0) host.grant(this.#slot, this.#taken);
      this.#taken = 0;
    }

    #nextReader() {
      const reader = this.#readers[this.#first];
      this.#readers[this.#first++] = undefined;
      if (this.#first === this.#readers.length) {
        this.#readers.length = 0;
        this.#first = 0;
      }
      return reader;
    }

    /** Ends the watch with an error, on both sides. */
    #fail(error) {
      if (this.#state !== 0) return;
      this.#stopNative();
      this.#end(2, error);
    }

    next() {
      if (this.#head < this.#tail) {
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
      return new Promise((resolve, reject) => { this.#readers[this.#readers.length] = { resolve, reject }; });
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
      this.#events = bare([]);
      this.#head = this.#tail = 0;
      this.#end(1);
    }

    /** All events until the end, as an array. */
    async toArray() {
      const all = [];
      for (let step; !(step = await this.next()).done;) {
        own(all, all.length, step.value);
        while (this.#head < this.#tail) {
          own(all, all.length, this.#events[this.#head++]);
          this.#took();
        }
      }
      return all;
    }

    /** Settles when the watch ends; for the callback form. */
    get ended() {
      this.#ended ??= new Promise((resolve, reject) => {
        if (this.#state === 0) this.#endedWith = { resolve, reject };
        else if (this.#isFailed) reject(this.#error);
        else resolve();
      });
      return this.#ended;
    }

    [asyncIterator]() { return this; }

    #stopNative() {
      const entry = waiting[this.#slot];
      if (entry?.watch !== this) return;
      waiting[this.#slot] = undefined;
      entry.forget?.();
      host.cancel(this.#slot);
    }

    #end(state, error) {
      if (this.#state !== 0) return;
      this.#state = state;
      this.#isFailed = state === 2;
      this.#error = error;
      if (this.#endedWith !== undefined) this.#isFailed ? this.#endedWith.reject(error) : this.#endedWith.resolve();
      while (this.#first < this.#readers.length) {
        const reader = this.#nextReader();
        if (this.#state === 2) {
          this.#state = 1;
          reader.reject(error);
        } else {
          reader.resolve({ value: undefined, done: true });
        }
      }
    }
  }
  define(Watch.prototype, toStringTag, { __proto__: null, value: "Watch", configurable: true });

  // --- Mocks ----------------------------------------------------------------------------------------------

  /** What a file answers instead of native code, by "service.action". */
  const mocks = { __proto__: null };
  const mockFiles = host.mocks ?? [];
  for (let file = 0; file < mockFiles.length; file++) {
    const names = keys(mockFiles[file]);
    for (let index = 0; index < names.length; index++) mocks[names[index]] = mockFiles[file][names[index]];
  }

  const isGenerator = (mock) => typeof mock === "function" && indexOf(mock.constructor.name, "Generator") >= 0;

  const mockAnswer = (answer, action) => {
    const error = answer?.$error;
    if (error === undefined) return answer;
    const { service, name } = action;
    throw failure(error.code ?? "unknown_error", error.message ?? "a mocked failure",
      { __proto__: null, ...error, service, action: name });
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
    if (callback !== undefined && typeof callback !== "function") {
      control = callback;
      callback = undefined;
    }
    if (action.mock !== undefined) return mockWatch(action, option, callback);
    const stream = new Watch(MAKE, action, option, control, callback);
    return callback === undefined ? stream : stream.ended;
  };

  // --- The object that scripts see ------------------------------------------------------------------------

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
    const mock = mocks[`${service}.${name}`];
    if (mock !== undefined) {
      found = { __proto__: null, native: undefined, service, name, isWatch: isGenerator(mock) || mock?.$events !== undefined,
        limit: 0, policy: "wait", mock };
    } else {
      const native = host.bind(service, name, forPlugin);
      if (mailbox[0] === FAILURE) throw errorOf(native);
      found = { __proto__: null, native, service, name, isWatch: mailbox[3] === 1, limit: mailbox[4], policy: POLICIES[mailbox[5]],
        mock: undefined };
    }
    mapSet(actions, key, found);
    return found;
  };

  /**
   * Calls `action` of `service` and answers a promise; a watch answers an async iterable, or with
   * `option.retainCallback` a promise that settles when it ends.
   */
  function callToNative(service, name, option, control) {
    let found, callback;
    try {
      found = actionOf(service, name, false);
      callback = option?.retainCallback;
      if (typeof callback === "function") {
        if (!found.isWatch) throw placed(invalid("option.retainCallback", "is for watches; this action answers once"), found);
        const { retainCallback: _, ...rest } = option;
        option = keys(rest).length === 0 ? undefined : rest;
      }
    } catch (error) { return rejected(error); }
    if (typeof callback === "function") return watch(found, option, callback, control);
    return found.isWatch ? watch(found, option, undefined, control) : call(found, option, control);
  }

  const nbridge = {
    callToNative, BridgeError, services: host.services, version: host.version, args: host.arguments,
  };
  const place = (service, value) => own(nbridge, service, value);

  // What plugins' own scripts may know of the program. Scripts never get it.
  const endings = bare([]);
  const lastCalls = () => {
    const problems = bare([]);
    for (let index = 0; index < endings.length; index++) {
      try {
        const told = endings[index]() ?? [];
        for (let at = 0; at < told.length; at++) problems[problems.length] = told[at];
      } catch (error) { problems[problems.length] = `at the end: ${peek(error, "message")}`; }
    }
    return problems;
  };
  const program = freeze({
    __proto__: null,
    atEnd(ending) {
      endings[endings.length] = ending;
      if (endings.length === 1) host.atEnd(lastCalls);
    },
    after: (milliseconds, body) => host.after(milliseconds, body),
    now: () => host.now(),
    guard(isOn) { host.guard(isOn); },
    begun: () => host.begun(),
    settings: (service) => host.settings(service),
    place: (frame) => host.place(frame),
    /** What the bridge took of the engine before any code of a script ran. */
    intrinsics: freeze(host.intrinsics),
    /** Lets go of a promise: its failure is told elsewhere. */
    ignore(promise) { then(promise, undefined, ignore); },
  });

  /** The actions that scripts hold, in the form of tokens: an object of a script's own making is none. */
  const tokens = new WeakMap();
  const tokenOf = (service, name) => {
    const found = actionOf(service, name, false);
    const token = freeze({ __proto__: null, service, name });
    weakSet(tokens, token, found);
    return token;
  };
  const actionOfToken = (token) => {
    const found = typeof token === "object" && token !== null ? weakGet(tokens, token) : undefined;
    if (found === undefined) throw invalid("action", "must be one that action(name) gave");
    return found;
  };
  const callToken = (token, option, control) => {
    let found;
    try { found = actionOfToken(token); } catch (error) { return rejected(error); }
    return call(found, option, control);
  };
  const watchToken = (token, option, callback, control) => watch(actionOfToken(token), option, callback, control);

  /** Adds a service's facade, as facades.js does; one that the runtime made itself stays. */
  const defineService = (service, make) => {
    if (service in nbridge) return;
    place(service, make({ action: (name) => tokenOf(service, name), call: callToken, watch: watchToken, BridgeError }));
  };
  define(nbridge, "define", { __proto__: null, value: defineService, writable: true, configurable: true });

  const isService = { __proto__: null };
  for (let index = 0; index < host.services.length; index++) {
    const service = host.services[index];
    isService[service] = true;
    // Made when it is first asked for; kept here too, because a script may have frozen the object.
    let facade;
    define(nbridge, service, {
      __proto__: null, configurable: true, enumerable: true,
      get() {
        if (facade !== undefined) return facade;
        const make = host.facade(service);
        if (mailbox[0] === FAILURE) throw errorOf(make);
        facade = make({ action: (name) => actionOf(service, name, true), call, watch, BridgeError, program });
        place(service, facade);
        return facade;
      },
      set(value) { place(service, value); },
    });
  }

  // Services that only a mock answers for.
  const mockNames = keys(mocks);
  for (let index = 0; index < mockNames.length; index++) {
    const dot = indexOf(mockNames[index], ".");
    const service = slice(mockNames[index], 0, dot), method = slice(mockNames[index], dot + 1);
    if (isService[service]) continue;
    if (!(service in nbridge)) place(service, {});
    nbridge[service][method] = (option, ...rest) => {
      const found = actionOf(service, method, false);
      return found.isWatch ? watch(found, option, ...rest) : call(found, option);
    };
  }

  /** The calls that wait and where they were made, for the ledger. */
  const describeWaiting = () => {
    const list = bare([]);
    for (let slot = 0; slot < waiting.length; slot++) {
      const entry = waiting[slot];
      if (entry === undefined) continue;
      const frames = userFrames(peek(entry.site, "stack")), end = indexOf(frames, "\n");
      list[list.length] = { __proto__: null, slot, site: end < 0 ? frames : slice(frames, 0, end) };
    }
    return list;
  };

  host.connect(settle, describeWaiting);
  host.install(nbridge);

  /** The bridge of a page that no runtime stands behind: each call says so. */
  function standAlone() {
    // Loaded by a page that already has its bridge: that one stays.
    if (globalThis.nbridge !== undefined) return;
    class BridgeError extends globalThis.Error {
      constructor(code, message, facts) { Object.assign(super(message), { name: "BridgeError", code }, facts); }
    }
    const call = async (action) => {
      throw new BridgeError("unavailable", "no native side is connected to this page; run it with: nbridge run PAGE", action);
    };
    const callToNative = (service, action) => call({ service, action });
    const nbridge = { callToNative, BridgeError, services: [], version: "", args: [] };
    const define = (service, make) => {
      nbridge[service] ??= make({ action: (action) => ({ service, action }), call, watch: call, BridgeError });
    };
    Object.defineProperty(nbridge, "define", { value: define });
    Object.defineProperty(globalThis, "nbridge", { value: nbridge, writable: true, configurable: true });
  }
})(this === globalThis ? undefined : this);
