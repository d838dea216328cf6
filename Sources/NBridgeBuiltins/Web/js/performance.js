// SPDX-License-Identifier: MIT
// performance (High Resolution Time; User Timing Level 3). Its entries are in timeline.js.
((host) => {
  "use strict";
  const { timeOrigin, EventTarget, DOMException, PerformanceMark, PerformanceMeasure } = host;
  const {
    secret, now, latest, clear, detailOf, entriesOf, expose, isObject, nameOf, queueEntry, requireArgument, requireSecret,
    selected, startOf, timestamp,
  } = host.timeline;
  const TypeErrorOf = TypeError;

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
      const start = startOrMeasureOptions ?? { __proto__: null };
      const isDictionary = isObject(start);
      const options = isDictionary ? measureOptions(start) : { __proto__: null, start: `${start}` };
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

  return { performance: new Performance(secret), Performance };
})
