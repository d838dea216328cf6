// SPDX-License-Identifier: MIT
// How much node:stream's streams let wait before they tell a writer to stop, or stop asking for more.
"use strict";

const { invalidArgValue, check } = require("node:internal/errors");

const marks = { bytes: 16 * 1024, objects: 16 };

const defaultMark = (isObject) => (isObject ? marks.objects : marks.bytes);

const setDefaultMark = (isObject, mark) => {
  check.integer(mark, "value", 0);
  marks[isObject ? "objects" : "bytes"] = mark;
};

/** The mark that options tell, `side` being the option's name for one side of a Duplex; undefined for another stream. */
const markOf = (options, objectMode, side) => {
  const name = options.highWaterMark == null && side !== undefined ? side : "highWaterMark";
  const mark = options[name];
  if (mark === undefined || mark === null) return defaultMark(objectMode);
  if (!Number.isInteger(mark) || mark < 0) {
    throw invalidArgValue(`options.${side ?? name}`, mark);
  }
  return mark;
};

module.exports = { defaultMark, setDefaultMark, markOf };
