// SPDX-License-Identifier: MIT
// node:stream's Writable: chunks that are written one after the other, those in between waiting.
"use strict";

const { assign } = require("node:internal/own");
const EventEmitter = require("node:events");
const { Buffer } = require("node:buffer");
const { coded, invalidArgType } = require("node:internal/errors");
const { destroying } = require("node:internal/destroying");

const later = (action) => require("node:process").nextTick(action);

function Writable(options = {}) {
  if (!(this instanceof Writable)) return new Writable(options);
  EventEmitter.call(this, options);
  Writable.init(this, options ?? {});
}

Writable.init = (stream, options) => {
  const objectMode = Boolean(options.objectMode || options.writableObjectMode);
  Object.defineProperty(stream, "_writableState", { writable: true, configurable: true, value: {
    objectMode, highWaterMark: options.writableHighWaterMark ?? options.highWaterMark ??
      (objectMode ? 16 : 64 * 1024),
    decodeStrings: options.decodeStrings !== false, defaultEncoding: options.defaultEncoding ?? "utf8",
    waiting: [], length: 0, writing: false, corked: 0, ending: false, finished: false, finishing: false,
      needDrain: false, untold: 0, hasFailed: false,
    ends: [],
  } });
  destroying.init(stream, options);
  for (const name of ["write", "writev", "final"]) if (
    typeof options[name] === "function") stream[`_${name}`] = options[name];
  if (typeof options.construct === "function") destroying.construct(stream, options.construct);
};

Object.setPrototypeOf(Writable.prototype, EventEmitter.prototype);
Object.setPrototypeOf(Writable, EventEmitter);
// A Duplex is a Writable too, though its class descends from Readable.
Object.defineProperty(Writable, Symbol.hasInstance, {
  value(object) { return Function.prototype[Symbol.hasInstance].call(this, object) ||
    (this === Writable && object?._writableState !== undefined); },
});

const isWhole = (encoding) => Buffer.isEncoding(encoding) || encoding === "buffer";

const prepared = (state, chunk, encoding) => {
  if (chunk === null) throw coded(TypeError, "ERR_STREAM_NULL_VALUES", "May not write null values to stream");
  if (state.objectMode) return { chunk, encoding };
  if (typeof chunk === "string") {
    if (!isWhole(encoding)) throw coded(TypeError, "ERR_UNKNOWN_ENCODING", `Unknown encoding: ${encoding}`);
    return state.decodeStrings ? { chunk: Buffer.from(chunk, encoding), encoding: "buffer" }
      : { chunk, encoding };
  }
  if (chunk instanceof Uint8Array) {
    return { chunk: Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset,
      chunk.length), encoding: "buffer" };
  }
  throw invalidArgType("chunk", ["string", "Buffer", "TypedArray", "DataView"], chunk);
};

/** Whether something may be written now. */
const isFree = (stream) => {
  const state = stream._writableState;
  return !state.writing && state.corked === 0 && !state.hasFailed && !stream.destroyed && destroying.isReady(stream);
};

/** Writes what waits, one chunk at a time or all together. */
const advance = (stream) => {
  const state = stream._writableState;
  while (isFree(stream) && state.waiting.length > 0) put(stream, state);
  if (isFree(stream) && state.ending && state.untold === 0) finish(stream);
};

/** What was written at once makes room for the next at once; its callback is told a turn later. */
const put = (stream, state) => {
  state.writing = true;
  const several = stream._writev && state.waiting.length > 1;
  const items = several ? state.waiting.splice(0) : [state.waiting.shift()];
  state.untold += items.length;
  let isSync = true;
  const tell = (error) => {
    if (error) {
      for (const item of items) item.done(error);
      stream.destroy(error);
      return;
    }
    if (state.needDrain && state.length === 0 && !state.ending && !stream.destroyed) {
      state.needDrain = false;
      stream.emit("drain");
    }
    for (const item of items) {
      state.untold--;
      item.done();
    }
    advance(stream);
  };
  const done = (error) => {
    state.writing = false;
    for (const item of items) state.length -= item.size;
    if (error) state.hasFailed = true;
    else if (!isSync) advance(stream);
    if (isSync) later(() => tell(error));
    else tell(error);
  };
  try {
    if (several) stream._writev(items, done);
    else stream._write(items[0].chunk, items[0].encoding, done);
  } catch (error) { done(error); }
  isSync = false;
};

const finish = (stream) => {
  const state = stream._writableState;
  if (state.finishing) return;
  state.finishing = true;
  const done = (error) => later(() => {
    if (error) {
      stream.destroy(error);
      return;
    }
    if (stream.destroyed) return;
    state.finished = true;
    for (const end of state.ends.splice(0)) end();
    stream.emit("finish");
    destroying.ended(stream);
  });
  stream.emit("prefinish");
  if (typeof stream._final !== "function") done();
  else {
    try { stream._final(done); } catch (error) { done(error); }
  }
};

assign(Writable.prototype, {
  write(chunk, encoding, done) {
    const state = this._writableState;
    if (typeof encoding === "function") [encoding, done] = [undefined, encoding];
    const item = prepared(state, chunk, encoding ?? state.defaultEncoding);
    const told = typeof done === "function" ? done : () => {};
    const refusal = state.ending ? coded(Error, "ERR_STREAM_WRITE_AFTER_END", "write after end")
      : this.destroyed ? coded(Error, "ERR_STREAM_DESTROYED",
      "Cannot call write after a stream was destroyed") : undefined;
    if (refusal !== undefined) {
      later(() => told(refusal));
      this.destroy(refusal);
      return false;
    }
    const size = state.objectMode ? 1 : item.chunk.length;
    state.length += size;
    const hasRoom = state.length < state.highWaterMark;
    if (!hasRoom) state.needDrain = true;
    state.waiting.push({ ...item, size, done: told });
    destroying.whenReady(this, () => advance(this));
    return hasRoom && !this.errored;
  },
  _write(chunk, encoding, done) {
    if (this._writev) this._writev([{ chunk, encoding }], done);
    else throw coded(Error, "ERR_METHOD_NOT_IMPLEMENTED", "The _write() method is not implemented");
  },
  _writev: null,
  end(chunk, encoding, done) {
    const state = this._writableState;
    if (typeof chunk === "function") [chunk, done] = [undefined, chunk];
    else if (typeof encoding === "function") [encoding, done] = [undefined, encoding];
    if (chunk !== undefined && chunk !== null) this.write(chunk, encoding);
    state.corked = 0;
    if (typeof done === "function") {
      if (state.finished) later(() =>
        done(coded(Error, "ERR_STREAM_ALREADY_FINISHED", "Cannot call end after a stream was finished")));
      else state.ends.push(done);
    }
    if (!state.ending) {
      state.ending = true;
      destroying.whenReady(this, () => advance(this));
    }
    return this;
  },
  cork() { this._writableState.corked++; },
  uncork() {
    const state = this._writableState;
    if (state.corked > 0) state.corked--;
    advance(this);
  },
  setDefaultEncoding(encoding) {
    this._writableState.defaultEncoding = encoding;
    return this;
  },
  pipe() { throw coded(Error, "ERR_STREAM_CANNOT_PIPE", "Cannot pipe, not readable"); },
});

const view = (name, get) => Object.defineProperty(Writable.prototype, name, { get, configurable: true });
view("writable", function () { return !this.destroyed && !this._writableState.ending; });
view("writableEnded", function () { return this._writableState?.ending === true; });
view("writableFinished", function () { return this._writableState?.finished === true; });
view("writableLength", function () { return this._writableState.length; });
view("writableNeedDrain", function () { return this._writableState.needDrain && !this.destroyed &&
  !this._writableState.ending; });
view("writableObjectMode", function () { return this._writableState.objectMode; });
view("writableHighWaterMark", function () { return this._writableState.highWaterMark; });
view("writableCorked", function () { return this._writableState.corked; });
destroying.mixInto(Writable);

module.exports = { Writable };
