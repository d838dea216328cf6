// SPDX-License-Identifier: MIT
// node:stream's pipeline(): from a source through what changes it into a target, all of them over together.
"use strict";

const { coded, check, described } = require("node:internal/errors");
const { PassThrough, Duplex } = require("node:internal/duplex");
const { finished, isReadable, isStream, premature } = require("node:internal/finished");
const { whenAborted } = require("node:internal/destroying").destroying;

const later = (action) => require("node:process").nextTick(action);

const isIterable = (value) => value !== null && value !== undefined &&
  (typeof value[Symbol.asyncIterator] === "function" || typeof value[Symbol.iterator] === "function");

const wrongReturn = (expected, name, value) => coded(TypeError, "ERR_INVALID_RETURN_VALUE",
  `Expected ${expected} to be returned from the "${name}" function but got ${described(value)}.`);

/**
 * What a pipeline waits for. `expect()` answers a function to call once, with an error or none; when all have been called,
 * or nothing is left to wait for after an error, `done(error, value)` is.
 */
const makeRun = (done) => {
  const run = { streams: [], stops: [], value: undefined, controller: new AbortController() };
  let failure;
  let left = 0;
  const destroyAll = () => {
    for (const part of run.streams.splice(0)) {
      if (!part.isThrough && !part.stream.closed) {
        part.stream.destroy?.(failure ?? coded(Error, "ERR_STREAM_DESTROYED", "Cannot call pipe after a stream was destroyed"));
      }
    }
    run.controller.abort();
  };
  run.fail = (error) => {
    if (failure === undefined || failure.code === "ERR_STREAM_PREMATURE_CLOSE") failure = error;
    destroyAll();
  };
  run.expect = () => {
    let isOver = false;
    left++;
    return (error) => {
      if (isOver) return;
      isOver = true;
      if (error) run.fail(error);
      if (--left > 0) return;
      destroyAll();
      for (const stop of run.stops.splice(0)) stop();
      later(() => done(failure, run.value));
    };
  };
  return run;
};

/** Watches over a stream: what it fails with is the pipeline's, and it is destroyed when that fails. */
const keep = (run, stream, { readable, writable, isDestroyed }) => {
  const ignore = () => {};
  stream.on("error", ignore);
  if (!isDestroyed) {
    // One that goes on after this may have many more.
    run.stops.push(() => { if (!stream.destroyed) stream.removeListener("error", ignore); });
    return;
  }
  const part = { stream, isThrough: false };
  run.streams.push(part);
  finished(stream, { readable, writable }, (error) => { part.isThrough = !error; });
};

/** Pipes a stream into the next one, and ends that one if `ends`. */
const join = (run, source, target, ends) => {
  const sourceOver = run.expect();
  const targetOver = ends ? run.expect() : (error) => { if (error) run.fail(error); };
  let isEnding = false;
  const closed = () => { if (!isEnding) run.fail(premature()); };
  const end = () => {
    isEnding = true;
    if (ends) target.end();
  };
  target.on("close", closed);
  if (target.closed) later(closed);
  source.pipe(target, { end: false });
  if (source.readableEnded === true) later(end);
  else source.once("end", end);
  finished(source, { readable: true, writable: false }, sourceOver);
  const stop = finished(target, { readable: false, writable: true }, targetOver);
  run.stops.push(() => {
    target.removeListener("close", closed);
    if (!ends) stop();
  });
};

/** Calls back when a target has room again; fails when it has none any more. */
const roomIn = (target) => new Promise((resolve, reject) => {
  const stop = finished(target, { readable: false }, (error) => settle(error ?? premature()));
  const drained = () => settle();
  const settle = (error) => {
    stop();
    target.removeListener("drain", drained);
    if (error) reject(error);
    else resolve();
  };
  target.on("drain", drained);
});

const endOf = (target) => new Promise((resolve, reject) => {
  finished(target, { readable: false }, (error) => (error ? reject(error) : resolve()));
  target.end();
});

/** Writes what an iterable gives into a stream. */
const pump = async (run, source, target, ends) => {
  const over = run.expect();
  try {
    if (target.writableNeedDrain) await roomIn(target);
    for await (const chunk of source) if (!target.write(chunk)) await roomIn(target);
    if (ends) await endOf(target);
    over();
  } catch (error) { over(error); }
};

/** The stream that stands for a last function: what it answers is the pipeline's value. */
const resultOf = (run, answer, ends) => {
  const stream = new PassThrough({ objectMode: true });
  keep(run, stream, { readable: false, writable: true, isDestroyed: true });
  if (typeof answer?.then !== "function") {
    if (!isIterable(answer) || typeof answer === "string") {
      throw wrongReturn("AsyncIterable or Promise", "destination", answer);
    }
    pump(run, answer, stream, ends);
    return stream;
  }
  const over = run.expect();
  Promise.resolve(answer).then((value) => {
    run.value = value;
    if (value !== undefined && value !== null) stream.write(value);
    if (ends) stream.end();
    later(over);
  }, (error) => {
    stream.destroy(error);
    later(() => over(error));
  });
  return stream;
};

const firstOf = (run, part) => {
  if (typeof part !== "function") return isIterable(part) || isStream(part) ? part : Duplex.from(part);
  const answer = part({ signal: run.controller.signal });
  if (!isIterable(answer) && !isStream(answer)) throw wrongReturn("Iterable, AsyncIterable or Stream", "source", answer);
  return answer;
};

/** A stream of the oldest kind can't be iterated. */
const readFrom = (source) => isIterable(source) || !isStream(source) ? source
  : new (require("node:internal/readable").Readable)({ objectMode: true }).wrap(source);

const through = (run, source, part, { at, isLast, ends }) => {
  const answer = part(readFrom(source), { signal: run.controller.signal });
  if (isLast) return resultOf(run, answer, ends);
  if (!isIterable(answer)) throw wrongReturn("AsyncIterable", `transform[${at - 1}]`, answer);
  return answer;
};

const follow = (run, source, part, ends) => {
  if (isStream(source) && (isReadable(source) || typeof source.pipe === "function")) join(run, source, part, ends);
  else pump(run, source, part, ends);
  return part;
};

/** One part behind the other; answers the last stream. */
const connect = (run, parts, options) => {
  let source;
  parts.forEach((part, at) => {
    const isLast = at === parts.length - 1;
    const ends = !isLast || options.end !== false;
    if (isStream(part)) keep(run, part, { readable: !isLast, writable: at > 0, isDestroyed: ends });
    if (at === 0) source = firstOf(run, part);
    else if (typeof part === "function") source = through(run, source, part, { at, isLast, ends });
    else source = follow(run, source, isStream(part) ? part : Duplex.from(part), ends);
  });
  return source;
};

const run = (parts, options, done) => {
  if (parts.length === 1 && Array.isArray(parts[0])) parts = parts[0];
  if (parts.length < 2) throw coded(TypeError, "ERR_MISSING_ARGS", 'The "streams" argument must be specified');
  const made = makeRun(done);
  const { signal } = options;
  // Until all are joined nothing is over.
  const joined = made.expect();
  const last = connect(made, parts, options);
  if (signal?.aborted) queueMicrotask(() => whenAborted(signal, made.fail));
  else if (signal) made.stops.push(whenAborted(signal, made.fail));
  joined();
  return last;
};

const pipeline = (...parts) => {
  const done = parts.pop();
  check.function(done, "streams[stream.length - 1]");
  return run(parts, {}, done);
};

const isOptions = (value) => value !== null && typeof value === "object" && !isStream(value) && !isIterable(value) &&
  typeof value.getReader !== "function" && typeof value.getWriter !== "function";

const promised = (...parts) => new Promise((resolve, reject) => {
  const options = isOptions(parts.at(-1)) ? parts.pop() : {};
  if (options.signal !== undefined && typeof options.signal?.aborted !== "boolean") {
    throw require("node:internal/errors").invalidArgType("options.signal", "AbortSignal", options.signal);
  }
  run(parts, options, (error, value) => (error ? reject(error) : resolve(value)));
});

module.exports = { pipeline, promised };
