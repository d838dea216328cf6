// SPDX-License-Identifier: MIT
// node:stream: streams of Node's kind, between parts of a program.
"use strict";

const { assign } = require("node:internal/own");
const { Readable } = require("node:internal/readable");
const { Writable } = require("node:internal/writable");
const { Duplex, Transform, PassThrough } = require("node:internal/duplex");
const { coded, check } = require("node:internal/errors");
const { whenAborted } = require("node:internal/destroying").destroying;
const EventEmitter = require("node:events");

function Stream(options) { EventEmitter.call(this, options); }
Object.setPrototypeOf(Stream.prototype, EventEmitter.prototype);
Object.setPrototypeOf(Stream, EventEmitter);
/** Pipes a stream of the oldest kind, which tells its data by events: how fast it comes the target says, if the stream can wait. */
Stream.prototype.pipe = function pipe(target, options) {
  let isOver = false;
  const once = (action) => () => {
    if (isOver) return;
    isOver = true;
    action();
  };
  const failed = (stream) => (error) => {
    stop();
    if (stream.listenerCount("error") === 0) throw error;
  };
  const listeners = [
    [this, "data", (chunk) => { if (target.writable && target.write(chunk) === false) this.pause?.(); }],
    [target, "drain", () => { if (this.readable) this.resume?.(); }],
    [this, "error", failed(this)], [target, "error", failed(target)],
  ];
  const stop = () => { for (const [stream, name, listener] of listeners) stream.removeListener(name, listener); };
  if (target._isStdio !== true && options?.end !== false) {
    listeners.push([this, "end", once(() => target.end())], [this, "close", once(() => target.destroy?.())]);
  }
  listeners.push([this, "end", stop], [this, "close", stop], [target, "close", stop]);
  for (const [stream, name, listener] of listeners) stream.on(name, listener);
  target.emit("pipe", this);
  return target;
};
for (const kind of [Readable, Writable]) Object.setPrototypeOf(kind.prototype, Stream.prototype);

const isReadable = (stream) => typeof stream?.read === "function" || stream?._readableState !== undefined;
const isWritable = (stream) => typeof stream?.write === "function";

/**
 * Calls back once, when a stream has ended, failed, or was closed before its end. Answers what stops
 * waiting.
 */
const finished = (stream, options, done) => {
  if (typeof options === "function") [options, done] = [{}, options];
  check.function(done, "callback");
  // A stream that was destroyed says that it is neither, and is not through all the same.
  const isOpen = (has, isStill) => has && (isStill !== false || stream.destroyed === true);
  const reads = options?.readable ?? isOpen(isReadable(stream), stream.readable);
  const writes = options?.writable ??
    (isOpen(isWritable(stream), stream.writable) || stream.writableEnded === true);
  let [readEnded, writeEnded, isOver] = [!reads || stream.readableEnded === true, !writes ||
    stream.writableFinished === true, false];
  const stop = () => {
    for (const [name, listener] of listeners) stream.removeListener(name, listener);
  };
  const settle = (error) => {
    if (isOver) return;
    isOver = true;
    stop();
    done.call(stream, error);
  };
  const look = () => { if (readEnded && writeEnded) settle(); };
  const listeners = [
    ["end", () => { readEnded = true; look(); }],
    ["finish", () => { writeEnded = true; look(); }],
    ["error", (error) => settle(error)],
    ["close", () => {
      if (!readEnded || !writeEnded) settle(stream.errored ??
        coded(Error, "ERR_STREAM_PREMATURE_CLOSE", "Premature close"));
    }],
  ];
  for (const [name, listener] of listeners) stream.on(name, listener);
  if (stream.errored || stream.destroyed || (readEnded && writeEnded)) {
    queueMicrotask(() => {
      if (stream.errored) settle(stream.errored);
      else if (readEnded && writeEnded) settle();
      else if (stream.closed) listeners[3][1]();
    });
  }
  return stop;
};

const streamOf = (part) => {
  if (isReadable(part) || isWritable(part)) return part;
  if (typeof part === "function" || part?.[Symbol.asyncIterator] || part?.[Symbol.iterator]) return undefined;
  throw coded(TypeError, "ERR_INVALID_ARG_TYPE",
    'The "stream" argument must be a stream, a function or an iterable');
};

/** Each part as a stream: a function takes what came before it, and gives what comes next. */
const joined = (parts) => parts.map((part, at) => streamOf(part) ?? Duplex.from(part, at > 0));

const pipeline = (...parts) => {
  const done = parts.pop();
  check.function(done, "streams[stream.length - 1]");
  const streams = joined(parts.flat());
  let failure;
  let left = streams.length;
  const settle = (error) => {
    if (error && !failure) {
      failure = error;
      for (const stream of streams) stream.destroy?.(error.code === "ERR_STREAM_PREMATURE_CLOSE" ? undefined
        : error);
    }
    if (--left === 0) queueMicrotask(() => done(failure));
  };
  streams.forEach((stream, at) => {
    stream.on("error", () => {});
    finished(stream, { readable: at < streams.length - 1, writable: at > 0 }, settle);
    if (at > 0) streams[at - 1].pipe(stream);
  });
  return streams.at(-1);
};

const promises = {
  finished: (stream, options = {}) => new Promise((resolve, reject) =>
    finished(stream, options, (error) => (error ? reject(error) : resolve()))),
  pipeline: (...parts) => new Promise((resolve, reject) => {
    const options = parts.at(-1);
    const isOptions = options?.constructor === Object;
    if (isOptions) parts.pop();
    const last = pipeline(...parts, (error) => (error ? reject(error) : resolve()));
    if (isOptions) whenAborted(options.signal, (error) => last.destroy(error));
  }),
};

let defaultMark = 64 * 1024;
module.exports = assign(Stream, {
  Stream, Readable, Writable, Duplex, Transform, PassThrough, finished, pipeline, promises,
  addAbortSignal(signal, stream) {
    whenAborted(signal, (error) => stream.destroy(error));
    return stream;
  },
  getDefaultHighWaterMark: (isObject) => (isObject ? 16 : defaultMark),
  setDefaultHighWaterMark(isObject, mark) { if (!isObject) defaultMark = mark; },
  isReadable: (stream) => isReadable(stream) && stream.readable, isErrored: (stream) =>
    Boolean(stream.errored),
  isDisturbed: (stream) => Boolean(stream.readableDidRead),
});
