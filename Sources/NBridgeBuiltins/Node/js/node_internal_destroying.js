// SPDX-License-Identifier: MIT
// How node:stream's streams begin and end: construct, destroy, errors and "close".
"use strict";

const { assign } = require("node:internal/own");
const { abortError } = require("node:internal/errors");
const later = (action) => require("node:process").nextTick(action);

const init = (stream, options) => {
  if (stream._ending !== undefined) return;
  Object.defineProperty(stream, "_ending", { configurable: true, value: {
    destroyed: false, closed: false, error: null, isReady: true, waiting: [],
      autoDestroy: options.autoDestroy !== false,
    emitClose: options.emitClose !== false,
  } });
  if (typeof options.destroy === "function") stream._destroy = options.destroy;
  const { signal } = options;
  whenAborted(signal, (error) => stream.destroy(error));
};

/** Calls back with an AbortError once a signal is aborted. */
const whenAborted = (signal, abort) => {
  if (signal?.aborted) abort(abortError(signal));
  else signal?.addEventListener("abort", () => abort(abortError(signal)), { once: true });
};

/** Reads and writes wait until `construct` has called back. */
const construct = (stream, action) => {
  const state = stream._ending;
  state.isReady = false;
  later(() => action.call(stream, (error) => {
    if (error) {
      stream.destroy(error);
      return;
    }
    state.isReady = true;
    for (const wake of state.waiting.splice(0)) wake();
    if (stream._readableState?.flowing) stream.resume();
  }));
};

const close = (stream) => {
  const state = stream._ending;
  state.closed = true;
  later(() => {
    if (state.error) stream.emit("error", state.error);
    if (state.emitClose) stream.emit("close");
  });
};

/** One side has come to its end: when both have, the stream is closed. */
const ended = (stream) => {
  if (!stream._ending.autoDestroy) return;
  const readEnded = stream._readableState === undefined || stream._readableState.endEmitted;
  const writeEnded = stream._writableState === undefined || stream._writableState.finished;
  if (readEnded && writeEnded) stream.destroy();
};

const whenOver = (stream, done) => {
  if (stream._ending.closed) {
    // Its event may still be on its way.
    stream.on("error", () => {});
    later(() => done(stream._ending.error));
    return () => {};
  }
  const onEnd = () => done();
  const onError = (error) => done(error);
  stream.on("end", onEnd);
  stream.on("error", onError);
  stream.on("close", onEnd);
  return () => {
    stream.removeListener("end", onEnd);
    stream.removeListener("close", onEnd);
    // An error that comes later has nobody else to tell.
    if (!stream.destroyed) stream.removeListener("error", onError);
  };
};

const methods = {
  destroy(error, done) {
    const state = this._ending;
    if (state.destroyed) {
      if (typeof done === "function") done();
      return this;
    }
    state.destroyed = true;
    if (error) state.error = error;
    this._destroy(error ?? null, (failure) => {
      if (failure) state.error = failure;
      if (typeof done === "function") done(failure);
      close(this);
    });
    return this;
  },
  _destroy(error, done) { done(error); },
};

const views = {
  destroyed: { get() { return this._ending?.destroyed ?? false; },
    set(value) { if (this._ending) this._ending.destroyed = value; } },
  closed: { get() { return this._ending?.closed ?? false; } },
  errored: { get() { return this._ending?.error ?? null; } },
};

const mixInto = (kind) => {
  assign(kind.prototype, methods);
  if (Symbol.asyncDispose) {
    kind.prototype[Symbol.asyncDispose] = function dispose() {
      return new Promise((resolve) => { this.once("close", resolve).destroy(); });
    };
  }
  for (const [name, view] of Object.entries(views)) {
    Object.defineProperty(kind.prototype, name, { ...view, configurable: true });
  }
};

const destroying = {
  init, construct, ended, whenAborted, whenOver, mixInto,
  isReady: (stream) => stream._ending.isReady,
  whenReady(stream, action) {
    if (stream._ending.isReady) action();
    else stream._ending.waiting.push(action);
  },
};
module.exports = { destroying };
