// SPDX-License-Identifier: MIT
// performance and its timeline (High Resolution Time; Performance Timeline; User Timing Level 3).
((host) => {
  "use strict";
  const { now, timeOrigin, EventTarget, DOMException, structuredClone, task } = host;
  const { defineProperty, getOwnPropertyDescriptor, freeze } = Object;
  const { apply } = Reflect;
  const NumberOf = Number;
  const MapOf = Map;
  const SetOf = Set;
  const TypeErrorOf = TypeError;
  const { isFinite } = Number;

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

  const requireDictionary = (value, where) => {
    if (value === undefined || value === null || isObject(value)) return value ?? {};
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
    static nameOf(entry) { return entry.#name; }
    static typeOf(entry) { return entry.#entryType; }
    static startOf(entry) { return entry.#startTime; }
  }
  const { nameOf, typeOf, startOf } = PerformanceEntry;
  for (const helper of ["nameOf", "typeOf", "startOf"]) delete PerformanceEntry[helper];
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
      const [key, name, start, end, detail] = arguments;
      requireSecret(key, "PerformanceMeasure");
      super(secret, name, "measure", start, end - start);
      this.#detail = detail;
    }

    get detail() { return this.#detail; }
  }
  expose(PerformanceMeasure, "PerformanceMeasure", ["detail"]);

  // --- The timeline (Performance Timeline, section 5) -----------------------------------------------------

  const TYPES = freeze(["mark", "measure"]);
  const buffers = { __proto__: null, mark: [], measure: [] };
  // The start of the latest mark of each name, for `measure`.
  const latest = new MapOf();

  /** Those of a type or name, in order of their start; of one start, in the order they came. */
  const selected = (entries, name, type) => entries
    .filter((entry) => name === undefined || nameOf(entry) === name)
    .filter((entry) => type === undefined || typeOf(entry) === type)
    .sort((a, b) => startOf(a) - startOf(b));

  const entriesOf = (type) =>
    type === undefined ? [...buffers.mark, ...buffers.measure] : buffers[type] ?? [];

  const clear = (type, name) => {
    buffers[type] = name === undefined ? [] : buffers[type].filter((entry) => nameOf(entry) !== name);
  };

  const observers = new SetOf();
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
      for (const observer of [...observers]) notifyObserver(observer);
    });
  };

  /** "Queue a PerformanceEntry", steps 1 to 12. */
  const queueEntry = (entry) => {
    const type = typeOf(entry);
    for (const observer of observers) if (isObserving(observer, type)) append(observer, entry);
    buffers[type].push(entry);
    if (observers.size > 0) queueTask();
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
    for (const item of list) strings.push(`${item}`);
    return strings;
  };

  const failModification = () => {
    const message = "PerformanceObserver.observe: disconnect() before a change between entryTypes and type";
    throw new DOMException(message, "InvalidModificationError");
  };

  class PerformanceObserver {
    #callback;
    #entries = [];
    #types = new SetOf();
    #takesOne;  // whether observe() was given `type`, undefined before the first time
    #needsDropped = false;

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
      const known = types.filter((type) => TYPES.includes(type));
      if (known.length === 0) return;
      this.#types = new SetOf(known);
      observers.add(this);
    }

    #add({ type, buffered }) {
      if (!TYPES.includes(type)) return;
      this.#types.add(type);
      observers.add(this);
      if (!buffered) return;
      for (const entry of buffers[type]) this.#entries.push(entry);
      queueTask();
    }

    disconnect() {
      this.#entries = [];
      this.#types = new SetOf();
      this.#takesOne = undefined;
      observers.delete(this);
    }

    takeRecords() {
      const entries = this.#entries;
      this.#entries = [];
      return entries;
    }

    static isObserving(observer, type) { return observer.#types.has(type); }
    static append(observer, entry) { observer.#entries.push(entry); }

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
  const { isObserving, append, deliver } = PerformanceObserver;
  for (const helper of ["isObserving", "append", "deliver"]) delete PerformanceObserver[helper];
  expose(PerformanceObserver, "PerformanceObserver", ["observe", "disconnect", "takeRecords"]);
  defineProperty(PerformanceObserver, "supportedEntryTypes", { __proto__: null, enumerable: true });

  // --- performance.measure (User Timing, section 3.1.3) ---------------------------------------------------

  /** (DOMString or DOMHighResTimeStamp) */
  const markOrTime = (value) => {
    if (value === undefined) return undefined;
    return typeof value === "number" ? timestamp(value, "performance.measure") : `${value}`;
  };

  /** PerformanceMeasureOptions, its members in order of their names. */
  const measureOptions = (options) => {
    const { detail } = options;
    const { duration } = options;
    const length = duration === undefined ? undefined : timestamp(duration, "performance.measure");
    const end = markOrTime(options.end);
    return { detail, duration: length, end, start: markOrTime(options.start) };
  };

  const requireSensible = ({ detail, duration, start, end }, hasEndMark) => {
    if (detail === undefined && duration === undefined && start === undefined && end === undefined) return;
    if (hasEndMark) throw new TypeErrorOf("performance.measure: an end mark does not go with options");
    if (start === undefined && end === undefined) {
      throw new TypeErrorOf("performance.measure: the options need a start or an end");
    }
    if (start !== undefined && end !== undefined && duration !== undefined) {
      throw new TypeErrorOf("performance.measure: the options take two of start, end and duration");
    }
  };

  /** "Convert a mark to a timestamp". */
  const timeOf = (mark) => {
    if (typeof mark === "number") {
      if (mark < 0) throw new TypeErrorOf("performance.measure: a time can't be negative");
      return mark;
    }
    const time = latest.get(mark);
    if (time !== undefined) return time;
    throw new DOMException(`performance.measure: there is no mark "${mark}"`, "SyntaxError");
  };

  const endTime = ({ start, end, duration }, endMark) => {
    if (endMark !== undefined) return timeOf(endMark);
    if (end !== undefined) return timeOf(end);
    if (start !== undefined && duration !== undefined) return timeOf(start) + timeOf(duration);
    return now();
  };

  const startTime = ({ start, end, duration }) => {
    if (start !== undefined) return timeOf(start);
    if (duration !== undefined && end !== undefined) return timeOf(end) - timeOf(duration);
    return 0;
  };

  const makeMeasure = (name, options, endMark) => {
    const end = endTime(options, endMark);
    return new PerformanceMeasure(secret, name, startTime(options), end, detailOf(options.detail));
  };

  // --- performance ----------------------------------------------------------------------------------------

  class Performance extends EventTarget {
    #isPerformance = true;

    constructor() {
      requireSecret(arguments[0], "Performance");
      super();
    }

    get timeOrigin() {
      this.#isPerformance;
      return timeOrigin;
    }

    now() {
      this.#isPerformance;
      return now();
    }

    toJSON() {
      this.#isPerformance;
      return { timeOrigin };
    }

    mark(markName, markOptions = undefined) {
      this.#isPerformance;
      requireArgument(arguments.length, "performance.mark");
      const mark = new PerformanceMark(markName, markOptions);
      latest.set(nameOf(mark), startOf(mark));
      queueEntry(mark);
      return mark;
    }

    clearMarks(markName = undefined) {
      this.#isPerformance;
      const name = markName === undefined ? undefined : `${markName}`;
      if (name === undefined) latest.clear(); else latest.delete(name);
      clear("mark", name);
    }

    measure(measureName, startOrMeasureOptions = undefined, endMark = undefined) {
      this.#isPerformance;
      requireArgument(arguments.length, "performance.measure");
      const name = `${measureName}`;
      const start = startOrMeasureOptions ?? {};
      const isDictionary = isObject(start);
      const options = isDictionary ? measureOptions(start) : { start: `${start}` };
      const end = endMark === undefined ? undefined : `${endMark}`;
      if (isDictionary) requireSensible(options, end !== undefined);
      const measure = makeMeasure(name, options, end);
      queueEntry(measure);
      return measure;
    }

    clearMeasures(measureName = undefined) {
      this.#isPerformance;
      clear("measure", measureName === undefined ? undefined : `${measureName}`);
    }

    getEntries() {
      this.#isPerformance;
      return selected(entriesOf());
    }

    getEntriesByType(type) {
      this.#isPerformance;
      requireArgument(arguments.length, "performance.getEntriesByType");
      return selected(entriesOf(`${type}`));
    }

    getEntriesByName(name, type = undefined) {
      this.#isPerformance;
      requireArgument(arguments.length, "performance.getEntriesByName");
      const text = `${name}`;
      return selected(entriesOf(type === undefined ? undefined : `${type}`), text);
    }
  }
  expose(Performance, "Performance", [
    "timeOrigin", "now", "toJSON", "mark", "clearMarks", "measure", "clearMeasures", "getEntries",
    "getEntriesByType", "getEntriesByName",
  ]);

  return {
    performance: new Performance(secret), Performance, PerformanceEntry, PerformanceMark, PerformanceMeasure,
    PerformanceObserver, PerformanceObserverEntryList,
  };
})
