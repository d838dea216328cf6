// SPDX-License-Identifier: MIT
// What the functions of node:fs are told beside a path, and what of it they refuse, as Node does.
"use strict";

const { Buffer } = require("node:buffer");
const { check, coded, invalidArgType, invalidArgValue } = require("node:internal/errors");

const { O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_TRUNC, O_APPEND } = require("node:internal/fsconstants");

const FLAGS = { __proto__: null, r: 0, "r+": O_RDWR };
for (const [letter, bits] of [["w", O_CREAT | O_TRUNC], ["a", O_CREAT | O_APPEND]]) {
  FLAGS[letter] = O_WRONLY | bits;
  FLAGS[`${letter}+`] = O_RDWR | bits;
  for (const both of [`${letter}x`, `x${letter}`]) {
    FLAGS[both] = O_WRONLY | O_EXCL | bits;
    FLAGS[`${both}+`] = O_RDWR | O_EXCL | bits;
  }
}
// Whether what is written is on the disk when a call comes back makes no difference here.
for (const name of ["r", "r+", "a", "a+"]) {
  for (const both of [`${name[0]}s`, `s${name[0]}`]) FLAGS[both + name.slice(1)] = FLAGS[name];
}

/** What a file is opened for. */
const flagsIn = (flag, fallback) => {
  const wanted = flag === undefined || flag === null || flag === "" ? fallback : flag;
  if (typeof wanted === "number") check.integer(wanted, "flags", -(2 ** 31), 2 ** 31 - 1);
  const bits = typeof wanted === "number" ? wanted : typeof wanted === "string" ? FLAGS[wanted] : undefined;
  if (bits === undefined) throw invalidArgValue("flags", wanted);
  return {
    reads: (bits & O_WRONLY) === 0, writes: (bits & (O_WRONLY | O_RDWR)) !== 0, creates: (bits & O_CREAT) !== 0,
    isNew: (bits & O_EXCL) !== 0, truncates: (bits & O_TRUNC) !== 0, appends: (bits & O_APPEND) !== 0,
  };
};

/** A file that was opened for something else. */
const badFile = (syscall) => Object.assign(new Error(`EBADF: bad file descriptor, ${syscall}`),
  { errno: -9, code: "EBADF", syscall });

/** Options: an object, or the encoding alone. */
const optionsIn = (given) => {
  if (given === undefined || given === null || typeof given === "function") return {};
  if (typeof given !== "string" && typeof given !== "object") {
    throw invalidArgType("options", ["string", "Object"], given);
  }
  const options = typeof given === "string" ? { encoding: given } : given;
  const { encoding, signal } = options;
  if (encoding && encoding !== "buffer" && !Buffer.isEncoding(encoding)) {
    throw invalidArgValue("encoding", encoding, "is invalid encoding");
  }
  if (signal !== undefined && (signal === null || typeof signal !== "object" || !("aborted" in signal))) {
    throw invalidArgType("options.signal", "AbortSignal", signal);
  }
  return options;
};

/** What an option says: of an object's own, and of its kind; a deletion must not come of a slip. */
const flagOf = (given, name, fallback) => {
  if (given === undefined || given === null || !Object.hasOwn(given, name) || given[name] === undefined) return fallback;
  check.boolean(given[name], `options.${name}`);
  return given[name];
};
const demandOptions = (given) => {
  if (given !== undefined && given !== null && typeof given !== "object") throw invalidArgType("options", "object", given);
};

/** The permission bits of what is made: a number, or octal digits; none where nothing is said. */
const modeIn = (given) => {
  if (given === undefined || given === null) return {};
  if (typeof given === "string" && /^[0-7]+$/.test(given)) return { mode: parseInt(given, 8) };
  if (typeof given === "string") {
    throw coded(TypeError, "ERR_INVALID_ARG_VALUE",
      `The argument 'mode' must be a 32-bit unsigned integer or an octal string. Received '${given}'`);
  }
  check.integer(given, "mode", 0, 2 ** 32 - 1);
  return { mode: given };
};

/** What `access` asks for. */
const accessIn = (given) => {
  if (given === undefined || given === null) return 0;
  check.integer(given, "mode", 0, 7);
  return given;
};

/** How long a file is to be: shorter than nothing is nothing. */
const lengthIn = (given = 0) => {
  check.integer(given, "len");
  return Math.max(0, given);
};

module.exports = { flagsIn, badFile, optionsIn, flagOf, demandOptions, modeIn, accessIn, lengthIn };
