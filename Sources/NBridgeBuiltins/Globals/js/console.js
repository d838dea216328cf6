// SPDX-License-Identifier: MIT
// The console namespace (console.spec.whatwg.org), formatted as Node's people know it.
((host) => {
  "use strict";
  // A script may put others in their places later.
  const { Array, ArrayBuffer, BigInt, Date, Error, JSON, Map, Math, Number, Object, Promise, Set, String, Symbol,
    Uint8Array, WeakSet } = globalThis;
  const { log, write, writeError, inspect, formatter, now, colours, errorColours } = host;
  const { format, table } = formatter;
  const counts = new Map();
  const timers = new Map();
  let indent = "";

  const emit = (toError, text, level = toError ? "error" : "info") => {
    if (log !== undefined) return log(level, indent + text, frames()[0] ?? "");
    const lines = indent === "" ? text : indent + text.replaceAll("\n", `\n${indent}`);
    (toError ? writeError : write)(`${lines}\n`);
  };
  const out = (args, level) => emit(false, format(args, colours), level);
  const err = (args, level) => emit(true, format(args, errorColours), level);
  const label = (value) => `${value}`;

  const duration = (milliseconds) => {
    if (milliseconds >= 60000) {
      const minutes = Math.floor(milliseconds / 60000);
      return `${minutes}:${((milliseconds % 60000) / 1000).toFixed(3).padStart(6, "0")} (m:ss.mmm)`;
    }
    if (milliseconds >= 1000) return `${(milliseconds / 1000).toFixed(3)}s`;
    return `${Number(milliseconds.toFixed(3))}ms`;
  };

  const frames = () => new Error().stack.split("\n").filter((line) => line !== "" && !line.includes("@nbridge:"));

  const methods = {
    log(...args) { out(args); },
    info(...args) { out(args); },
    debug(...args) { out(args, "debug"); },
    warn(...args) { err(args, "warning"); },
    error(...args) { err(args); },
    trace(...args) {
      const text = args.length === 0 ? "Trace" : `Trace: ${format(args, errorColours)}`;
      const stack = frames().map((line) => {
        const at = line.indexOf("@");
        const name = line.slice(0, Math.max(at, 0));
        const place = line.slice(at + 1);
        return name === "" || name === "global code" ? `    at ${place}` : `    at ${name} (${place})`;
      });
      emit(true, [text, ...stack].join("\n"), "trace");
    },
    assert(condition = false, ...args) {
      if (condition) return;
      if (typeof args[0] === "string") args[0] = `Assertion failed: ${args[0]}`;
      else args.unshift(args.length === 0 ? "Assertion failed" : "Assertion failed:");
      err(args);
    },
    clear() { if (colours) write("\u001b[1;1H\u001b[0J"); },
    dir(value = undefined, options = undefined) { emit(false, inspect(value, { colours, ...options })); },
    dirxml(...args) { out(args); },
    table(data = undefined, columns = undefined) {
      const drawn = table(data, columns);
      if (drawn === null) out([data]);
      else emit(false, drawn);
    },
    count(name = "default") {
      const key = label(name);
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      emit(false, `${key}: ${count}`);
    },
    countReset(name = "default") {
      const key = label(name);
      if (!counts.delete(key)) emit(true, `Count for '${key}' does not exist`);
    },
    group(...args) {
      if (args.length > 0) out(args);
      indent += "  ";
    },
    groupCollapsed(...args) { methods.group(...args); },
    groupEnd() { indent = indent.slice(2); },
    time(name = "default") {
      const key = label(name);
      if (timers.has(key)) emit(true, `Timer '${key}' already exists`);
      else timers.set(key, now());
    },
    timeLog(name = "default", ...args) {
      const key = label(name);
      const start = timers.get(key);
      if (start === undefined) return emit(true, `Timer '${key}' does not exist`);
      const rest = args.length === 0 ? "" : ` ${format(args, colours)}`;
      emit(false, `${key}: ${duration(now() - start)}${rest}`);
    },
    timeEnd(name = "default") {
      const key = label(name);
      const start = timers.get(key);
      if (start === undefined) return emit(true, `Timer '${key}' does not exist`);
      timers.delete(key);
      emit(false, `${key}: ${duration(now() - start)}`);
    },
  };

  // The namespace object (Web IDL, 3.13): methods are its own, its prototype is an empty object.
  const console = Object.create({});
  for (const name of Object.keys(methods)) {
    Object.defineProperty(console, name,
      { __proto__: null, value: methods[name], writable: true, enumerable: true, configurable: true });
  }
  Object.defineProperty(console, Symbol.toStringTag, { __proto__: null, value: "console", configurable: true });
  return { console };
})
