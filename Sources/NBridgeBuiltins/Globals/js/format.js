// SPDX-License-Identifier: MIT
// The texts that console makes of values: format strings (Console standard, section 2.2) and tables.
((host) => {
  "use strict";
  // A script may put others in their places later.
  const { Array, ArrayBuffer, BigInt, Date, Error, JSON, Map, Math, Number, Object, Promise, Set, String, Symbol,
    Uint8Array, WeakSet } = globalThis;
  const { inspect } = host;
  const {
    brands, dateTime, dateText, descriptorOf, functionText, getOwnPropertyNames, getPrototypeOf, mapEntries, nextOf, nextOfSet, setValues,
  } = host.primordials;
  const { proxyTarget, widthOf } = host.looking;
  const { isArray } = Array;

  // --- Format strings -------------------------------------------------------------------------------------

  const asText = (value, colours) => (typeof value === "string" ? value : inspect(value, { colours, customInspect: true }));

  const substitute = (directive, value, colours) => {
    switch (directive) {
      case "s":
        if (typeof value === "bigint") return `${value}n`;
        if (Object.is(value, -0)) return "-0";
        if (typeof value === "object" && value !== null) return ownText(value) ?? inspect(value, { depth: 0, compact: 3, colours: false,
          customInspect: true });
        if (typeof value === "function") return functionText(value);
        return String(value);
      case "d":
        if (typeof value === "bigint") return `${value}n`;
        if (typeof value === "symbol" || typeof value === "object" && value !== null) return "NaN";
        return Object.is(Number(value), -0) ? "-0" : `${Number(value)}`;
      case "i":
        if (typeof value === "bigint") return `${value}n`;
        return typeof value === "symbol" || typeof value === "object" && value !== null ? "NaN" : `${parseInt(value)}`;
      case "f": return typeof value === "symbol" || typeof value === "object" ? "NaN" : `${parseFloat(value)}`;
      case "j": return json(value);
      case "o": return inspect(value, { showHidden: true, showProxy: true, depth: 4, colours, customInspect: true });
      case "O": return inspect(value, { colours, customInspect: true });
      default: return "";
    }
  };

  /** What an object says that it is as text; undefined for one that has only the engine's toString. */
  const ownText = (value) => {
    if (proxyTarget(value) !== undefined) return undefined;
    for (let at = value; at !== null && proxyTarget(at) === undefined; at = getPrototypeOf(at)) {
      const found = descriptorOf(at, "toString");
      if (found === undefined) continue;
      if (typeof found.value !== "function" || functionText(found.value).includes("[native code]")) return undefined;
      try { return String(value); } catch { return undefined; }
    }
    return undefined;
  };

  /** JSON of plain data; what would run code (toJSON, getters, proxies) is shown by inspection. */
  const json = (value) => {
    try {
      const data = plainData(value, new Set());
      return JSON.stringify(data) ?? "undefined";
    } catch (error) {
      return error === CYCLE ? "[Circular]" : inspect(value, { colours: false });
    }
  };
  const CYCLE = Symbol("cycle");
  const plainData = (value, open) => {
    if (typeof value === "bigint") throw value;
    if (typeof value !== "object" || value === null) return value;
    if (proxyTarget(value) !== undefined) throw value;
    if (open.has(value)) throw CYCLE;
    if (brands.date(value)) return Number.isNaN(dateTime(value)) ? null : dateText(value);
    open.add(value);
    const copy = isArray(value) ? [] : {};
    for (const key of getOwnPropertyNames(value)) {
      const found = descriptorOf(value, key);
      if (!found.enumerable) continue;
      if (found.get !== undefined || (key === "toJSON" && typeof found.value === "function")) throw value;
      copy[key] = plainData(found.value, open);
    }
    open.delete(value);
    return copy;
  };

  /** A list of a script's inherits what the script likes; a copy is ours. */
  const copyOf = (list) => {
    const copy = [];
    for (let index = 0; index < list.length; index++) copy.push(list[index]);
    return copy;
  };

  /** The arguments of console.log as text: a first string's directives take arguments, the rest follows. */
  const format = (given, colours) => {
    const args = copyOf(given);
    const [first, ...rest] = args;
    if (typeof first !== "string") return args.map((value) => asText(value, colours)).join(" ");
    if (rest.length === 0) return first;
    let used = 0;
    const text = first.replace(/%([sdifjoOc%])/g, (whole, directive) => {
      if (directive === "%") return "%";
      if (used === rest.length) return whole;
      const value = rest[used++];
      return directive === "c" ? "" : substitute(directive, value, colours);
    });
    return [text, ...rest.slice(used).map((value) => asText(value, colours))].join(" ");
  };

  // --- Tables ---------------------------------------------------------------------------------------------

  const cell = (value) => inspect(value, { depth: typeof value === "object" && value !== null ? 0 : 2, maxArrayLength: 3,
    breakLength: Infinity });

  const rowsOf = (data) => {
    if (proxyTarget(data) !== undefined) return rowsOf(proxyTarget(data));
    if (brands.map(data)) return { index: "(iteration index)", keyed: true, rows: [...iterate(mapEntries(data), nextOf)] };
    if (brands.set(data)) {
      return { index: "(iteration index)", rows: [...iterate(setValues(data), nextOfSet)].map((value, index) => [index, value]) };
    }
    return { index: "(index)", rows: getOwnPropertyNames(data).filter((key) => descriptorOf(data, key).enumerable)
      .map((key) => [key, descriptorOf(data, key).value]) };
  };
  function* iterate(iterator, next) {
    for (let step = next(iterator); !step.done; step = next(iterator)) yield step.value;
  }

  /** Draws console.table; null for what is no table. */
  const table = (data, wanted) => {
    if (typeof data !== "object" || data === null) return null;
    const { index, rows, keyed } = rowsOf(data);
    const columns = wanted === undefined ? [] : isArray(wanted) ? copyOf(wanted) : [...wanted];
    let hasValues = false;
    const lines = rows.map(([key, value], position) => {
      const line = new Map();
      if (keyed) {
        line.set("Key", cell(key));
        line.set("Values", cell(value));
        return [`${position}`, line];
      }
      if (typeof value !== "object" || value === null) {
        hasValues = true;
        line.set("Values", cell(value));
        return [`${key}`, line];
      }
      for (const name of getOwnPropertyNames(value).filter((name) => descriptorOf(value, name).enumerable)) {
        if (wanted === undefined && !columns.includes(name)) columns.push(name);
        const found = descriptorOf(value, name);
        if (columns.includes(name)) line.set(name, found.get === undefined ? cell(found.value) : "[Getter]");
      }
      return [`${key}`, line];
    });
    const names = keyed ? ["Key", "Values"] : hasValues ? [...columns, "Values"] : columns;
    return drawTable([index, ...names], lines.map(([key, line]) => [key, ...names.map((name) => line.get(name) ?? "")]));
  };

  const drawTable = (head, rows) => {
    const widths = head.map((name, column) => Math.max(widthOf(name), ...rows.map((row) => widthOf(row[column]))) + 2);
    const rule = (left, middle, right) => left + widths.map((width) => "\u2500".repeat(width)).join(middle) + right;
    const line = (cells) => `\u2502${cells.map((text, column) =>
      ` ${text}${" ".repeat(widths[column] - widthOf(text) - 1)}`).join("\u2502")}\u2502`;
    return [rule("\u250c", "\u252c", "\u2510"), line(head), rule("\u251c", "\u253c", "\u2524"),
      ...rows.map(line), rule("\u2514", "\u2534", "\u2518")].join("\n");
  };

  // --- Lines and times ------------------------------------------------------------------------------------

  /** A text as it stands in a group of console. */
  const indented = (text, depth) => `${"  ".repeat(depth)}${text.replaceAll("\n", `\n${"  ".repeat(depth)}`)}`;

  const duration = (milliseconds) => {
    if (milliseconds >= 60000) {
      const minutes = Math.floor(milliseconds / 60000);
      return `${minutes}:${((milliseconds % 60000) / 1000).toFixed(3).padStart(6, "0")} (m:ss.mmm)`;
    }
    if (milliseconds >= 1000) return `${(milliseconds / 1000).toFixed(3)}s`;
    return `${Number(milliseconds.toFixed(3))}ms`;
  };

  return { json, formatter: { inspect, format, table, indented, duration } };
})
