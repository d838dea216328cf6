// SPDX-License-Identifier: MIT
// How node:stream's streams begin and end: construct, destroy, errors and "close".
"use strict";

const { assign } = require("node:internal/own");
const { abortError, coded } = require("node:internal/errors");
const later = (action) => require("node:process").nextTick(action);

const init = (stream, options) => {
  if (stream._ending !== undefined) return;
  Object.defineProperty(stream, "_ending", { configurable: true, value: {
    destroyed: false, closed: false, error: null, isReady: true, waiting: [], losses: [],
    autoDestroy: options.autoDestroy !== false, emitClose: options.emitClose !== false,
  } });
  if (typeof options.destroy === "function") stream._destroy = options.destroy;
  if (typeof options.construct === "function") stream._construct = options.construct;
  if (typeof stream._construct === "function") construct(stream);
  const { signal } = options;
  whenAborted(signal, (error) => stream.destroy(error));
};

/** Calls back with an AbortError once a signal is aborted. Answers what forgets it. */
const whenAborted = (signal, abort) => {
  if (signal?.aborted) abort(abortError(signal));
  if (!signal || signal.aborted) return () => {};
  const listener = () => abort(abortError(signal));
  signal.addEventListener("abort", listener, { once: true });
  return () => signal.removeEventListener("abort", listener);
};

const multipleCallback = () => coded(Error, "ERR_MULTIPLE_CALLBACK", "Callback called multiple times");

/** Reads and writes, and what destroys, wait until `_construct` has called back. */
const construct = (stream) => {
  const state = stream._ending;
  state.isReady = false;
  const done = (error) => {
    if (state.isReady) {
      stream.destroy(error ?? multipleCallback());
      return;
    }
    state.isReady = true;
    if (error && state.destroyed) state.error ??= error;
    else if (error) stream.destroy(error);
    for (const wake of state.waiting.splice(0)) wake();
  };
  later(() => {
    try { stream._construct(done); } catch (error) { done(error); }
  });
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
    for (const tell of state.losses) tell();
    destroying.whenReady(this, () => this._destroy(state.error, (failure) => {
      if (failure) state.error = failure;
      if (typeof done === "function") done(failure);
      close(this);
    }));
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
  init, ended, whenAborted, whenOver, mixInto, multipleCallback,
  /** What tells those whose writes are lost. */
  whenDestroyed(stream, tell) { stream._ending.losses.push(tell); },
  isReady: (stream) => stream._ending.isReady,
  whenReady(stream, action) {
    if (stream._ending.isReady) action();
    else stream._ending.waiting.push(action);
  },
};
module.exports = { destroying };
