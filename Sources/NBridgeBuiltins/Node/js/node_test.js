// SPDX-License-Identifier: MIT
// node:test: the runner's own functions, by the names that Node's has. They are there in a file of tests only.
"use strict";

const { missing } = require("node:internal/errors");
const { testAsserts } = require("node:internal/native");

const { test, describe, it, before, after, beforeEach, afterEach, mock } = globalThis;
if (typeof test !== "function" || typeof mock !== "object") {
  throw missing("node:test", "run the file with: nbridge test FILE");
}

// A plan counts the assertions of node:assert.
testAsserts().assert = Object.assign({ __proto__: null }, require("node:assert"));

module.exports = Object.assign((...given) => test(...given), {
  test, describe, suite: describe, it, before, after, beforeEach, afterEach, mock,
  only: test.only, skip: test.skip, todo: test.todo,
});
