// SPDX-License-Identifier: MIT
// node:test: the runner's own functions, by the names and with the arguments that Node's has. They are there in
// a file of tests only.
"use strict";

const { assign } = require("node:internal/own");
const { coded, missing } = require("node:internal/errors");
const { testAsserts } = require("node:internal/native");

const { test, describe, before, after, beforeEach, afterEach, mock, Promise: PromiseOf } = globalThis;
if (typeof test !== "function" || typeof mock !== "object") {
  throw missing("node:test", "run the file with: nbridge test FILE");
}

// A plan counts the assertions of node:assert.
testAsserts().assert = Object.assign({ __proto__: null }, require("node:assert"));

const failure = (message) => coded(Error, "ERR_TEST_FAILURE", message);

/** A function that calls back when it is done, as one that answers a promise. */
const promised = (body) => (context) => new PromiseOf((resolve, reject) => {
  let hasReturned = false;
  let settle;
  const done = (error) => {
    if (settle !== undefined) throw failure("callback invoked multiple times");
    settle = () => (error ? reject(error) : resolve());
    if (hasReturned) settle();
  };
  const answer = body(context, done);
  if (typeof answer?.then === "function") {
    reject(failure("passed a callback but also returned a Promise"));
    return;
  }
  hasReturned = true;
  settle?.();
});
const bodyOf = (body) => (typeof body === "function" && body.length === 2 ? promised(body) : body);

/** One that is to come runs, too, and may fail: only suites are left out. */
const unfinished = (body, { todo, ...options }) => {
  const reason = typeof todo === "string" ? todo : "";
  const run = bodyOf(body);
  return [options, (context) => {
    context.todo(reason);
    return run(context);
  }];
};

/** As `test([name], [options], [fn])`; without a function it passes, as in Node. */
const declaring = (declare, { isSkipped = false, isToCome = false, isSuite = false } = {}) => (...given) => {
  const [first] = given;
  const rest = typeof first === "string" ? given.slice(1) : given;
  const found = rest.find((value) => typeof value === "function");
  const name = typeof first === "string" ? first : found?.name || "<anonymous>";
  const [options] = rest.filter((value) => value !== found);
  if (isSuite && isToCome && found === undefined) return declare(name); // It is told, as one that is to come.
  if (!isSuite && found !== undefined && !isSkipped && !options?.skip && (isToCome || options?.todo)) {
    return test(name, ...unfinished(found, { todo: isToCome, ...options }));
  }
  const body = found === undefined ? () => {} : isSuite ? found : bodyOf(found);
  return options === undefined ? declare(name, body) : declare(name, options, body);
};

const withModes = (declare, isSuite) => assign(declaring(declare, { isSuite }), declare, {
  only: assign(declaring(declare.only, { isSuite }), declare.only),
  skip: assign(declaring(declare.skip, { isSkipped: true, isSuite }), declare.skip),
  todo: assign(declaring(declare.todo, { isToCome: true, isSuite }), declare.todo),
});
const hook = (add) => (body) => add(bodyOf(body));

const own = withModes(test, false);
const suite = withModes(describe, true);

module.exports = assign(own, {
  test: own, describe: suite, suite, it: own, before: hook(before), after: hook(after),
  beforeEach: hook(beforeEach), afterEach: hook(afterEach), mock,
});
