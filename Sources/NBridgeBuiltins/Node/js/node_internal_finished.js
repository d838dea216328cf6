// SPDX-License-Identifier: MIT
// node:stream's finished(): when a stream is over, and how.
"use strict";

const { coded, check, invalidArgType } = require("node:internal/errors");
const { whenAborted } = require("node:internal/destroying").destroying;

const isReadable = (stream) => typeof stream?.read === "function" || stream?._readableState !== undefined;
const isWritable = (stream) => typeof stream?.write === "function";
/** Also one of the oldest kind, which tells its data by events. */
const isStream = (value) => typeof value?.on === "function" &&
  (isReadable(value) || isWritable(value) || typeof value.pipe === "function");

const premature = () => coded(Error, "ERR_STREAM_PREMATURE_CLOSE", "Premature close");

/** Which sides there are to wait for. */
const sidesOf = (stream, options) => {
  // A stream that was destroyed says that it is neither, and is not through all the same.
  const isOpen = (has, isStill) => has && (isStill !== false || stream.destroyed === true);
  return {
    reads: options?.readable ?? isOpen(isReadable(stream), stream.readable),
    writes: options?.writable ?? (isOpen(isWritable(stream), stream.writable) || stream.writableEnded === true),
  };
};

/** Calls back once, when a stream has ended, failed, or was closed before its end. Answers what stops waiting. */
const finished = (stream, options, done) => {
  if (typeof options === "function") [options, done] = [{}, options];
  check.function(done, "callback");
  if (!isStream(stream)) throw invalidArgType("stream", ["ReadableStream", "WritableStream", "Stream"], stream);
  const { reads, writes } = sidesOf(stream, options);
  let readEnded = !reads || stream.readableEnded === true;
  let writeEnded = !writes || stream.writableFinished === true;
  let isOver = false;
  let forgetAbort;
  const stop = () => {
    isOver = true;
    forgetAbort?.();
    for (const [name, listener] of listeners) stream.removeListener(name, listener);
  };
  const settle = (error) => {
    if (isOver) return;
    stop();
    done.call(stream, error);
  };
  const look = () => { if (readEnded && writeEnded) settle(); };
  const close = () => { if (!readEnded || !writeEnded) settle(stream.errored ?? premature()); };
  const listeners = [
    ["end", () => { readEnded = true; look(); }],
    ["finish", () => { writeEnded = true; look(); }],
    ["error", (error) => settle(error)],
    ["close", close],
  ];
  for (const [name, listener] of listeners) stream.on(name, listener);
  if (stream.errored || stream.destroyed || (readEnded && writeEnded)) {
    queueMicrotask(() => {
      if (stream.errored) settle(stream.errored);
      else if (readEnded && writeEnded) settle();
      else if (stream.closed) close();
    });
  }
  if (options?.signal?.aborted) queueMicrotask(() => whenAborted(options.signal, settle));
  else forgetAbort = whenAborted(options?.signal, settle);
  return stop;
};

module.exports = { finished, isReadable, isWritable, isStream, premature };
