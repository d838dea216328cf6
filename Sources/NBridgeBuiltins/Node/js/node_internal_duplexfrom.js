// SPDX-License-Identifier: MIT
// node:stream's Duplex.from(): one stream of a function, a promise, an iterable, or of two streams.
"use strict";

const { coded, described } = require("node:internal/errors");
const { Duplex, PassThrough } = require("node:internal/duplex");
const { Readable } = require("node:internal/readable");
const { finished, isReadable, isStream, isWritable } = require("node:internal/finished");

const isIterable = (value) => typeof value?.[Symbol.asyncIterator] === "function" ||
  typeof value?.[Symbol.iterator] === "function";
const isDuplex = (value) => isReadable(value) && isWritable(value);

/** Reads `source` for `duplex`, as long as that takes more. */
const readInto = (duplex, source) => {
  const move = () => {
    for (let chunk; (chunk = source.read()) !== null;) if (!duplex.push(chunk)) return;
  };
  source.on("readable", move);
  source.on("end", () => duplex.push(null));
  duplex._read = move;
};

/** Writes into `target` what is written into `duplex`. */
const writeInto = (duplex, target) => {
  let drained;
  let ended;
  const go = (error) => {
    const done = drained;
    drained = undefined;
    done?.(error);
  };
  target.on("drain", () => go());
  finished(target, { readable: false }, (error) => {
    go(error);
    ended?.(error);
  });
  duplex._write = (chunk, encoding, done) => {
    if (target.write(chunk, encoding)) done();
    else drained = done;
  };
  duplex._final = (done) => {
    ended = done;
    target.end();
  };
};

/** One stream that reads from `readable` and writes into `writable`; either may be left out. */
const paired = (readable, writable) => {
  const duplex = new Duplex({
    readableObjectMode: readable?.readableObjectMode ?? true,
    writableObjectMode: writable?.writableObjectMode ?? true,
    readable: readable !== undefined, writable: writable !== undefined,
    destroy(error, done) {
      for (const part of [readable, writable]) if (part !== undefined && !part.destroyed) part.destroy?.(error ?? undefined);
      done(error);
    },
  });
  // What fails was told to who has the pair.
  for (const part of [readable, writable]) part?.on("error", (error) => duplex.destroy(error));
  if (readable !== undefined) {
    readInto(duplex, readable);
    finished(readable, { writable: false }, (error) => { if (error) duplex.destroy(error); });
  }
  if (writable !== undefined) {
    writeInto(duplex, writable);
    finished(writable, { readable: false }, (error) => { if (error) duplex.destroy(error); });
  }
  return duplex;
};

/** A stream of what a promise settles to. */
const promised = (promise) => paired(Readable.from((async function* value() {
  const given = await promise;
  if (given !== undefined && given !== null) yield given;
})()));

/** What is written is given to a function, whose results can be read. */
const called = (action) => {
  const input = new PassThrough({ objectMode: true });
  const controller = new AbortController();
  const output = action(input[Symbol.asyncIterator](), { signal: controller.signal });
  if (isIterable(output)) {
    const duplex = paired(Readable.from(output), input);
    duplex.once("close", () => controller.abort());
    return duplex;
  }
  if (typeof output?.then !== "function") {
    throw coded(TypeError, "ERR_INVALID_RETURN_VALUE",
      `Expected Iterable, AsyncIterable or AsyncFunction to be returned from the "body" function but got ${described(output)}.`);
  }
  return consumed(input, output, controller);
};

/** It is finished when the function that takes all is. */
const consumed = (input, output, controller) => {
  const ended = Promise.resolve(output).then((value) => {
    if (value === undefined || value === null) return;
    throw coded(TypeError, "ERR_INVALID_RETURN_VALUE",
      `Expected nully to be returned from the "body" function but got ${described(value)}.`);
  });
  const duplex = paired(undefined, input);
  ended.catch((error) => duplex.destroy(error));
  duplex._final = (done) => {
    input.end();
    ended.then(() => done(), done);
  };
  duplex.once("close", () => controller.abort());
  return duplex;
};

const sideOf = (value) => value === undefined || isStream(value) ? value : duplexFrom(value);

const duplexFrom = (body) => {
  if (isDuplex(body)) return body;
  if (isStream(body)) return isReadable(body) ? paired(body) : paired(undefined, body);
  if (typeof body === "function") return called(body);
  if (isIterable(body)) return paired(Readable.from(body));
  if (body !== null && typeof body === "object" && (body.readable !== undefined || body.writable !== undefined) &&
    typeof body.then !== "function") {
    return paired(sideOf(body.readable), sideOf(body.writable));
  }
  if (typeof body?.arrayBuffer === "function") return promised(body.arrayBuffer());
  if (typeof body?.then === "function") return promised(body);
  throw coded(TypeError, "ERR_INVALID_ARG_TYPE",
    'The "body" argument must be of type function or an instance of Blob, ReadableStream, WritableStream, Stream, Iterable, ' +
    `AsyncIterable, or Promise or { readable, writable } pair. Received ${described(body)}`);
};

module.exports = { duplexFrom };
