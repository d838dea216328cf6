// SPDX-License-Identifier: MIT
// node:console: the global one, and a Console that writes to streams of a program's own.
"use strict";

const { assign } = require("node:internal/own");
const { check, invalidArgType } = require("node:internal/errors");
const { formatWithOptions } = require("node:internal/format");

class Console {
  #out;
  #err;
  #indent = "";
  #options;
  #counts = new Map();
  #times = new Map();

  constructor(options, stderr) {
    const given = typeof options?.write === "function" ? { stdout: options, stderr } : options;
    check.object(given, "options");
    const { stdout, stderr: err = stdout, inspectOptions = {} } = given;
    if (typeof stdout?.write !== "function") throw invalidArgType("stdout", "Writable", stdout);
    [this.#out, this.#err, this.#options] = [stdout, err, inspectOptions];
    for (const name of ["log", "error", "warn", "info", "debug", "dir"]) this[name] = this[name].bind(this);
  }

  #write(stream, values) {
    const text = formatWithOptions(this.#options, ...values);
    stream.write(`${text.replace(/^/gm, this.#indent)}\n`);
  }

  log(...values) { this.#write(this.#out, values); }
  info(...values) { this.#write(this.#out, values); }
  debug(...values) { this.#write(this.#out, values); }
  error(...values) { this.#write(this.#err, values); }
  warn(...values) { this.#write(this.#err, values); }
  trace(...values) { this.#write(this.#err, [`Trace: ${formatWithOptions(this.#options, ...values)}`]); }
  dir(value, options) { this.#write(this.#out,
    [require("node:util").inspect(value, { ...this.#options, ...options })]); }
  dirxml(...values) { this.log(...values); }
  table(value) { this.log(value); }
  assert(holds, ...values) { if (!holds) this.warn("Assertion failed", ...values); }
  group(...values) {
    if (values.length > 0) this.log(...values);
    this.#indent += "  ";
  }
  groupCollapsed(...values) { this.group(...values); }
  groupEnd() { this.#indent = this.#indent.slice(2); }
  count(label = "default") {
    const count = (this.#counts.get(`${label}`) ?? 0) + 1;
    this.#counts.set(`${label}`, count);
    this.log(`${label}: ${count}`);
  }
  countReset(label = "default") {
    if (this.#counts.delete(`${label}`)) return;
    require("node:process").emitWarning(`Count for '${label}' does not exist`);
  }
  time(label = "default") { this.#times.set(`${label}`, performance.now()); }
  timeLog(label = "default", ...values) { this.log(
    `${label}: ${(performance.now() - this.#times.get(`${label}`)).toFixed(3)}ms`, ...values); }
  timeEnd(label = "default") {
    this.timeLog(label);
    this.#times.delete(`${label}`);
  }
}

module.exports = assign(Object.create(globalThis.console), { Console });
