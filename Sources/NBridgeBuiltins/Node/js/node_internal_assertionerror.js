// SPDX-License-Identifier: MIT
// node:assert's AssertionError, whose message shows both values, and where they differ.
"use strict";

const { check } = require("node:internal/errors");
const { inspect } = require("node:internal/inspect");

const HEADINGS = {
  deepStrictEqual: "Expected values to be strictly deep-equal:",
  strictEqual: "Expected values to be strictly equal:",
  deepEqual: "Expected values to be loosely deep-equal:",
  notDeepStrictEqual: 'Expected "actual" not to be strictly deep-equal to:',
  notStrictEqual: 'Expected "actual" to be strictly unequal to:',
  notDeepEqual: 'Expected "actual" not to be loosely deep-equal to:',
};
const SAME = {
  strictEqual: "Values have same structure but are not reference-equal:",
  deepStrictEqual: "Values have same structure but are not reference-equal:",
};

const shown = (value) => inspect(value, {
  compact: false, customInspect: false, depth: 1000, maxArrayLength: Infinity, showHidden: false,
    showProxy: false,
  sorted: true, getters: true, breakLength: Infinity,
});

/** The lines of two texts: `+` for those of the first alone, `-` for those of the second. */
const difference = (first, second) => {
  const [a, b] = [first.split("\n"), second.split("\n")];
  // Large ones are told apart by their ends alone: the table below has a cell for each pair of lines.
  let [from, end] = [0, 0];
  while (from < a.length && from < b.length && a[from] === b[from]) from++;
  while (end < a.length - from && end < b.length - from && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [left, right] = [a.slice(from, a.length - end), b.slice(from, b.length - end)];
  const middle = left.length * right.length > 1e6
    ? [...left.map((line) => `+ ${line}`), ...right.map((line) => `- ${line}`)] : aligned(left, right);
  const context = (lines) => lines.map((line) => `  ${line}`);
  const [head, tail] = [context(a.slice(0, from)), context(end > 0 ? a.slice(-end) : [])];
  return [...(head.length > 5 ? ["...", ...head.slice(-3)] : head), ...middle,
    ...(tail.length > 5 ? [...tail.slice(0, 3), "..."] : tail)];
};

/** By the longest common subsequence. */
const aligned = (left, right) => {
  const table = Array.from({ length: left.length + 1 }, () => new Uint32Array(right.length + 1));
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      table[i][j] = left[i] === right[j] ? table[i + 1][j + 1] +
        1 : Math.max(table[i + 1][j], table[i][j + 1]);
    }
  }
  const lines = [];
  let [i, j] = [0, 0];
  while (i < left.length || j < right.length) {
    if (i < left.length && j < right.length && left[i] === right[j]) {
      lines.push(`  ${left[i++]}`);
      j++;
    } else if (j >= right.length || (i < left.length && table[i + 1][j] >= table[i][j + 1])) {
      lines.push(`+ ${left[i++]}`);
    } else {
      lines.push(`- ${right[j++]}`);
    }
  }
  return lines;
};

const isSimple = (value) => value === null || (typeof value !== "object" && typeof value !== "function");

const messageOf = ({ actual, expected, operator }) => {
  if (operator === "==" && expected === true) {
    return actual == null || isSimple(actual)
      ? `The expression evaluated to a falsy value:\n\n  ${inspect(actual)}\n` : "";
  }
  if (operator === "==" || operator === "!=") return `${inspect(actual)} ${operator} ${inspect(expected)}`;
  const heading = HEADINGS[operator];
  if (heading === undefined) return `${inspect(actual)} ${operator} ${inspect(expected)}`;
  const [a, b] = [shown(actual), shown(expected)];
  if (operator.startsWith("not")) {
    return a.includes("\n") ? `${heading}\n\n${a}\n` : `${heading}${a.length > 5 ? "\n\n" : " "}${a}`;
  }
  if (operator === "deepEqual") return `${heading}\n\n${a}\n\nshould loosely deep-equal\n\n${b}`;
  if (a === b && !isSimple(actual)) return `${SAME[operator]}\n\n${a}\n`;
  const isShort = isSimple(actual) && isSimple(expected) && !a.includes("\n") && !b.includes("\n") &&
    a.length + b.length <= 12 &&
    (actual !== 0 || expected !== 0);
  if (isShort) return `${heading}\n\n${a} !== ${b}\n`;
  return `${heading}\n+ actual - expected\n\n${difference(a, b).join("\n")}`;
};

class AssertionError extends Error {
  constructor(options) {
    check.object(options, "options");
    const { message, actual, expected, operator, stackStartFn, generatedMessage } = options;
    super(message !== undefined && message !== null ? String(message) : messageOf(options));
    this.generatedMessage = generatedMessage ?? (message === undefined || message === null);
    Object.defineProperty(this, "name", { value: "AssertionError", writable: true, configurable: true });
    this.code = "ERR_ASSERTION";
    Object.assign(this, { actual, expected, operator });
    if (typeof stackStartFn === "function") Error.captureStackTrace?.(this, stackStartFn);
    if (typeof this.stack === "string" && this.stack.startsWith("Error")) {
      Object.defineProperty(this, "stack", { value: `AssertionError [ERR_ASSERTION]${this.stack.slice(5)}`,
        writable: true, configurable: true });
    }
  }

  toString() { return `${this.name} [${this.code}]: ${this.message}`; }
}

module.exports = { AssertionError };
