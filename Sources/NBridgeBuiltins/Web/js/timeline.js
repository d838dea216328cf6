// SPDX-License-Identifier: MIT
// The entries of performance, the timeline that keeps them, and its observers (Performance Timeline; User
// Timing Level 3).
((host) => {
  "use strict";
  const { append: add, now, DOMException, structuredClone, task, Table } = host;
  const { defineProperty, getOwnPropertyDescriptor, freeze } = Object;
  const { apply } = Reflect;
  const NumberOf = Number;
  const TypeErrorOf = TypeError;
  const { isFinite } = Number;
  const { min } = Math;

  // --- Web IDL --------------------------------------------------------------------------------------------

  // Interfaces that scripts can't construct are constructed with this.
  const secret = {};

  const requireSecret = (key, name) => {
    if (key !== secret) throw new TypeErrorOf(`${name} can't be constructed`);
  };

  const requireArgument = (count, where) => {
    if (count === 0) throw new TypeErrorOf(`${where}: an argument is needed`);
  };

  const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";

  const NO_OPTIONS = { __proto__: null };
  const requireDictionary = (value, where) => {
    if (value === undefined || value === null || isObject(value)) return value ?? NO_OPTIONS;
    throw new TypeErrorOf(`${where}: the options must be an object`);
  };

  /** DOMHighResTimeStamp is a `double`: finite. */
  const timestamp = (value, where) => {
    const time = NumberOf(value);
    if (!isFinite(time)) throw new TypeErrorOf(`${where}: a time must be a finite number of milliseconds`);
    return time;
  };

  const expose = (type, name, members) => {
    for (const member of members) {
      const found = getOwnPropertyDescriptor(type.prototype, member);
      defineProperty(type.prototype, member, { __proto__: null, ...found, enumerable: true });
    }
    defineProperty(type.prototype, Symbol.toStringTag, { __proto__: null, value: name, configurable: true });
    host.declareInterface(type, name);
  };

  // --- Entries --------------------------------------------------------------------------------------------

  class PerformanceEntry {
    #name;
    #entryType;
    #startTime;
    #duration;

    constructor() {
      requireSecret(arguments[0], "PerformanceEntry");
      this.#name = arguments[1];
      this.#entryType = arguments[2];
      this.#startTime = arguments[3];
      this.#duration = arguments[4];
    }

    get name() { return this.#name; }
    get entryType() { return this.#entryType; }
    get startTime() { return this.#startTime; }
    get duration() { return this.#duration; }

    toJSON() {
      return {
        name: this.#name, entryType: this.#entryType, startTime: this.#startTime, duration: this.#duration,
      };
    }

    // What the timeline reads, whatever a script has made of the getters.
    static isEntry(object) { return #name in object; }
    static nameOf(entry) { return entry.#name; }
    static typeOf(entry) { return entry.#entryType; }
    static startOf(entry) { return entry.#startTime; }
  }
  const { isEntry, nameOf, typeOf, startOf } = PerformanceEntry;
  for (const helper of ["isEntry", "nameOf", "typeOf", "startOf"]) delete PerformanceEntry[helper];
  expose(PerformanceEntry, "PerformanceEntry", ["name", "entryType", "startTime", "duration", "toJSON"]);

  /** A copy that later changes of the value do not reach; null for none. */
  const detailOf = (detail) => detail === undefined || detail === null ? null : structuredClone(detail);

  class PerformanceMark extends PerformanceEntry {
    #detail;

    constructor(markName, markOptions = undefined) {
      requireArgument(arguments.length, "PerformanceMark");
      const name = `${markName}`;
      const { detail, startTime } = requireDictionary(markOptions, "PerformanceMark");
      const start = startTime === undefined ? now() : timestamp(startTime, "PerformanceMark");
      if (start < 0) throw new TypeErrorOf("PerformanceMark: the start time can't be negative");
      super(secret, name, "mark", start, 0);
      this.#detail = detailOf(detail);
    }

    get detail() { return this.#detail; }
  }
  expose(PerformanceMark, "PerformanceMark", ["detail"]);

  class PerformanceMeasure extends PerformanceEntry {
    #detail;

    constructor() {
      requireSecret(arguments[0], "PerformanceMeasure");
      const start = arguments[2];
      super(secret, arguments[1], "measure", start, arguments[3] - start);
      this.#detail = arguments[4];
    }

    get detail() { return this.#detail; }
  }
  expose(PerformanceMeasure, "PerformanceMeasure", ["detail"]);
  const compared = ["name", "entryType", "startTime", "duration"];
  host.comparesFields(PerformanceEntry, "PerformanceEntry", compared, isEntry);
  host.comparesFields(PerformanceMark, "PerformanceMark", [...compared, "detail"], isEntry);
  host.comparesFields(PerformanceMeasure, "PerformanceMeasure", [...compared, "detail"], isEntry);

  // --- The timeline (Performance Timeline, section 5) -----------------------------------------------------

  const TYPES = freeze(["mark", "measure"]);
  const buffers = { __proto__: null, mark: [], measure: [] };
  // The start of the latest mark of each name, for `measure`.
  let starts = new Table();
  const latest = {
    __proto__: null,
    get: (name) => starts.get(name),
    set: (name, start) => { starts.set(name, start); },
    delete: (name) => { starts.delete(name); },
    clear: () => { starts = new Table(); },
  };

  /** Two runs of a list, each in order, as one: of what starts together the earlier run's comes first. */
  const merge = (list, from, middle, end, target) => {
    let left = from, right = middle;
    for (let i = from; i < end; i++) {
      const isLeft = left < middle && (right >= end || startOf(list[left]) <= startOf(list[right]));
      target[i] = isLeft ? list[left++] : list[right++];
    }
  };

  /** In order of their start. Most are by the time that they are added. */
  const sorted = (list) => {
    let isInOrder = true;
    const { length } = list;
    let from = list, to = [];
    for (let i = 0; i < length; i++) {
      add(to, list[i]);
      if (i > 0 && startOf(list[i - 1]) > startOf(list[i])) isInOrder = false;
    }
    if (isInOrder) return list;
    for (let size = 1; size < length; size *= 2) {
      for (let at = 0; at < length; at += 2 * size) merge(from, at, min(at + size, length), min(at + 2 * size, length), to);
      const written = to;
      to = from;
      from = written;
    }
    return from;
  };

  /** The entries of a type or name, in order of their start; of one start, in the order they came. */
  const selected = (entries, name, type) => {
    const found = [];
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i];
      const isWanted = (name === undefined || nameOf(entry) === name) && (type === undefined || typeOf(entry) === type);
      if (isWanted) add(found, entry);
    }
    return sorted(found);
  };

  const entriesOf = (type) => {
    if (type !== undefined) return buffers[type] ?? [];
    const all = [];
    for (let i = 0; i < buffers.mark.length; i++) add(all, buffers.mark[i]);
    for (let i = 0; i < buffers.measure.length; i++) add(all, buffers.measure[i]);
    return all;
  };

  const clear = (type, name) => {
    const kept = [];
    if (name !== undefined) {
      for (let i = 0; i < buffers[type].length; i++) {
        if (nameOf(buffers[type][i]) !== name) add(kept, buffers[type][i]);
      }
    }
    buffers[type] = kept;
  };

  const isAmong = (list, item) => {
    for (let i = 0; i < list.length; i++) if (list[i] === item) return true;
    return false;
  };

  // In the order they began, each with its place; undefined where one has left. A list that is gone through stays.
  let observers = [], count = 0;
  const enlist = (observer) => {
    if (placeOf(observer) >= 0) return;
    setPlace(observer, observers.length);
    add(observers, observer);
    count++;
  };
  const strike = (observer) => {
    const place = placeOf(observer);
    if (place < 0) return;
    observers[place] = undefined;
    setPlace(observer, -1);
    if (--count * 2 >= observers.length) return;
    const kept = [];
    for (let i = 0; i < observers.length; i++) {
      if (observers[i] === undefined) continue;
      setPlace(observers[i], kept.length);
      add(kept, observers[i]);
    }
    observers = kept;
  };
  let isTaskQueued = false;

  /** Runs an observer's callback, whose exception is one of its own task: the others still get theirs. */
  const notifyObserver = (observer) => {
    try {
      deliver(observer);
    } catch (error) {
      task(() => { throw error; });
    }
  };

  const queueTask = () => {
    if (isTaskQueued) return;
    isTaskQueued = true;
    task(() => {
      isTaskQueued = false;
      const told = observers, { length } = told;
      for (let i = 0; i < length; i++) if (told[i] !== undefined) notifyObserver(told[i]);
    });
  };

  /** "Queue a PerformanceEntry", steps 1 to 12. */
  const queueEntry = (entry) => {
    const type = typeOf(entry);
    for (let i = 0; i < observers.length; i++) {
      if (observers[i] !== undefined && isObserving(observers[i], type)) append(observers[i], entry);
    }
    add(buffers[type], entry);
    if (count > 0) queueTask();
  };

  // --- PerformanceObserver --------------------------------------------------------------------------------

  class PerformanceObserverEntryList {
    #entries;

    constructor() {
      requireSecret(arguments[0], "PerformanceObserverEntryList");
      this.#entries = arguments[1];
    }

    getEntries() { return selected(this.#entries); }

    getEntriesByType(type) {
      const entries = this.#entries;
      requireArgument(arguments.length, "PerformanceObserverEntryList.getEntriesByType");
      return selected(entries, undefined, `${type}`);
    }

    getEntriesByName(name, type = undefined) {
      const entries = this.#entries;
      requireArgument(arguments.length, "PerformanceObserverEntryList.getEntriesByName");
      return selected(entries, `${name}`, type === undefined ? undefined : `${type}`);
    }
  }
  expose(PerformanceObserverEntryList, "PerformanceObserverEntryList", [
    "getEntries", "getEntriesByType", "getEntriesByName",
  ]);

  /** PerformanceObserverInit, its members in order of their names. */
  const observerInit = (options) => {
    const { buffered, entryTypes, type } = requireDictionary(options, "PerformanceObserver.observe");
    return {
      buffered: !!buffered,
      types: entryTypes === undefined ? undefined : stringsOf(entryTypes),
      type: type === undefined ? undefined : `${type}`,
      isMixed: entryTypes !== undefined && (type !== undefined || buffered !== undefined),
    };
  };

  const stringsOf = (list) => {
    if (!isObject(list)) throw new TypeErrorOf("PerformanceObserver.observe: entryTypes must be a list");
    const strings = [];
    for (const item of list) add(strings, `${item}`);
    return strings;
  };

  const failModification = () => {
    const message = "PerformanceObserver.observe: disconnect() before a change between entryTypes and type";
    throw new DOMException(message, "InvalidModificationError");
  };

  class PerformanceObserver {
    #callback;
    #entries = [];
    #types = [];
    #takesOne;  // whether observe() was given `type`, undefined before the first time
    #needsDropped = false;
    #place = -1;

    constructor(callback) {
      requireArgument(arguments.length, "PerformanceObserver");
      if (typeof callback !== "function") {
        throw new TypeErrorOf("PerformanceObserver: the callback must be a function");
      }
      this.#callback = callback;
    }

    static get supportedEntryTypes() { return TYPES; }

    observe(options = undefined) {
      this.#types;
      const init = observerInit(options);
      if (init.types === undefined && init.type === undefined) {
        throw new TypeErrorOf("PerformanceObserver.observe: entryTypes or type is needed");
      }
      if (init.isMixed) {
        throw new TypeErrorOf("PerformanceObserver.observe: entryTypes goes with no other option");
      }
      const takesOne = init.type !== undefined;
      if (this.#takesOne !== undefined && this.#takesOne !== takesOne) failModification();
      this.#takesOne = takesOne;
      this.#needsDropped = true;
      if (takesOne) this.#add(init); else this.#replace(init.types);
    }

    #replace(types) {
      const known = [];
      for (let i = 0; i < types.length; i++) if (isAmong(TYPES, types[i])) add(known, types[i]);
      if (known.length === 0) return;
      this.#types = known;
      enlist(this);
    }

    #add({ type, buffered }) {
      if (!isAmong(TYPES, type)) return;
      if (!isAmong(this.#types, type)) add(this.#types, type);
      enlist(this);
      if (!buffered) return;
      for (let i = 0; i < buffers[type].length; i++) add(this.#entries, buffers[type][i]);
      queueTask();
    }

    disconnect() {
      this.#entries = [];
      this.#types = [];
      this.#takesOne = undefined;
      strike(this);
    }

    takeRecords() {
      const entries = this.#entries;
      this.#entries = [];
      return entries;
    }

    static placeOf(observer) { return observer.#place; }
    static setPlace(observer, place) { observer.#place = place; }
    static isObserving(observer, type) { return isAmong(observer.#types, type); }
    static append(observer, entry) { add(observer.#entries, entry); }

    static deliver(observer) {
      const entries = observer.#entries;
      if (entries.length === 0) return;
      observer.#entries = [];
      const list = new PerformanceObserverEntryList(secret, entries);
      // The buffers have no limit, so none is ever dropped.
      const options = observer.#needsDropped ? { droppedEntriesCount: 0 } : {};
      observer.#needsDropped = false;
      const callback = observer.#callback;
      apply(callback, observer, [list, observer, options]);
    }
  }
  const { placeOf, setPlace, isObserving, append, deliver } = PerformanceObserver;
  for (const helper of ["placeOf", "setPlace", "isObserving", "append", "deliver"]) delete PerformanceObserver[helper];
  expose(PerformanceObserver, "PerformanceObserver", ["observe", "disconnect", "takeRecords"]);
  defineProperty(PerformanceObserver, "supportedEntryTypes", { __proto__: null, enumerable: true });

  return {
    PerformanceEntry, PerformanceMark, PerformanceMeasure, PerformanceObserver, PerformanceObserverEntryList,
    /** For performance.js. */
    internals: {
      secret, now, latest, clear, detailOf, entriesOf, expose, isObject, nameOf, queueEntry, requireArgument, requireSecret,
      selected, startOf, timestamp,
    },
  };
})
