// SPDX-License-Identifier: MIT
// node:stream's Writable: chunks that are written one after the other, those in between waiting.
"use strict";

const { assign } = require("node:internal/own");
const EventEmitter = require("node:events");
const { Buffer } = require("node:buffer");
const { coded, invalidArgType } = require("node:internal/errors");
const { destroying } = require("node:internal/destroying");
const { markOf } = require("node:internal/marks");

const later = (action) => require("node:process").nextTick(action);

function Writable(options = {}) {
  if (!(this instanceof Writable)) return new Writable(options);
  EventEmitter.call(this, options);
  Writable.init(this, options ?? {});
}

Writable.init = (stream, options, side) => {
  const objectMode = Boolean(options.objectMode || options.writableObjectMode);
  Object.defineProperty(stream, "_writableState", { writable: true, configurable: true, value: {
    objectMode, highWaterMark: markOf(options, objectMode, side),
    decodeStrings: options.decodeStrings !== false, defaultEncoding: options.defaultEncoding ?? "utf8",
    waiting: [], length: 0, writing: false, corked: 0, ending: false, finished: false, finishing: false, isReady: false,
    needDrain: false, untold: 0, hasFailed: false, ends: [],
  } });
  destroying.init(stream, options);
  destroying.whenDestroyed(stream, () => later(() => dropWaiting(stream)));
  for (const name of ["write", "writev", "final"]) if (
    typeof options[name] === "function") stream[`_${name}`] = options[name];
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
const advance = (stream, isEnd = false) => {
  const state = stream._writableState;
  while (isFree(stream) && state.waiting.length > 0) put(stream, state);
  if (isFree(stream) && state.ending) finish(stream, isEnd);
};

/** Tells those whose writes, and ends, wait for what will not be: once the write that goes on has called back, as in Node. */
const dropWaiting = (stream, reason = stream.errored) => {
  const state = stream._writableState;
  if (state.writing) return;
  const lost = (name) => reason ??
    coded(Error, "ERR_STREAM_DESTROYED", `Cannot call ${name} after a stream was destroyed`);
  for (const item of state.waiting.splice(0)) {
    state.length -= item.size;
    item.done(lost("write"));
  }
  for (const end of state.ends.splice(0)) end(lost("end"));
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
      // Those behind it have the same error.
      dropWaiting(stream, error);
      stream.destroy(error);
      return;
    }
    if (state.needDrain && state.length === 0 && !state.ending && !stream.destroyed) {
      state.needDrain = false;
      stream.emit("drain");
    }
    for (const item of items) {
      state.untold--;
      item.done(null);
    }
    if (stream.destroyed) dropWaiting(stream);
    else advance(stream);
  };
  let isDone = false;
  const done = (error) => {
    if (isDone) {
      stream.destroy(destroying.multipleCallback());
      return;
    }
    isDone = true;
    state.writing = false;
    for (const item of items) state.length -= item.size;
    if (error) state.hasFailed = true;
    else if (!isSync) advance(stream);
    if (isSync) later(() => tell(error));
    else tell(error);
  };
  // What it throws is told to who writes.
  if (several) stream._writev(items, done);
  else stream._write(items[0].chunk, items[0].encoding, done);
  isSync = false;
};

/** Ends, once nothing waits: what is written last has been taken, though its callback may be told later. */
const finish = (stream, isEnd) => {
  const state = stream._writableState;
  if (!state.finishing) {
    state.finishing = true;
    if (typeof stream._final === "function") callFinal(stream, state);
    else {
      state.isReady = true;
      stream.emit("prefinish");
    }
  }
  if (!state.isReady || state.untold > 0) return;
  state.isReady = false;
  if (!isEnd) conclude(stream, state);
  else later(() => { if (!stream.destroyed) conclude(stream, state); });
};

const callFinal = (stream, state) => {
  let isDone = false;
  const done = (error) => {
    if (isDone) {
      stream.destroy(error ?? destroying.multipleCallback());
      return;
    }
    isDone = true;
    if (error) {
      for (const end of state.ends.splice(0)) end(error);
      stream.destroy(error);
    } else if (!stream.destroyed) {
      stream.emit("prefinish");
      later(() => conclude(stream, state));
    }
  };
  try { stream._final(done); } catch (error) { done(error); }
};

const conclude = (stream, state) => {
  state.finished = true;
  for (const end of state.ends.splice(0)) end(null);
  stream.emit("finish");
  destroying.ended(stream);
};

/** Takes a chunk: answers whether there is room for more, or the error for which it was not taken. */
const take = (stream, chunk, encoding, done) => {
  const state = stream._writableState;
  const item = prepared(state, chunk, encoding ?? state.defaultEncoding);
  const told = typeof done === "function" ? done : () => {};
  const refusal = state.ending ? coded(Error, "ERR_STREAM_WRITE_AFTER_END", "write after end")
    : stream.destroyed ? coded(Error, "ERR_STREAM_DESTROYED",
    "Cannot call write after a stream was destroyed") : undefined;
  if (refusal !== undefined) {
    later(() => told(refusal));
    stream.destroy(refusal);
    return refusal;
  }
  const size = state.objectMode ? 1 : item.chunk.length;
  state.length += size;
  state.waiting.push({ ...item, size, done: told });
  destroying.whenReady(stream, () => advance(stream));
  // What was taken at once takes no room.
  const hasRoom = state.length < state.highWaterMark;
  if (!hasRoom) state.needDrain = true;
  return hasRoom && !stream.errored;
};

/** Why a stream can't be ended, or not again; undefined where it can. */
const refusalToEnd = (stream, state) => {
  if (state.finished) {
    return coded(Error, "ERR_STREAM_ALREADY_FINISHED", "Cannot call end after a stream was finished");
  }
  return stream.destroyed ? coded(Error, "ERR_STREAM_DESTROYED", "Cannot call end after a stream was destroyed") : undefined;
};

assign(Writable.prototype, {
  write(chunk, encoding, done) {
    if (typeof encoding === "function") [encoding, done] = [undefined, encoding];
    return take(this, chunk, encoding, done) === true;
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
    const taken = chunk !== undefined && chunk !== null ? take(this, chunk, encoding) : undefined;
    state.corked = 0;
    const refusal = typeof taken === "object" ? taken : refusalToEnd(this, state);
    if (typeof taken !== "object" && !state.ending) {
      state.ending = true;
      destroying.whenReady(this, () => advance(this, true));
    }
    if (typeof done !== "function") return this;
    if (refusal !== undefined) later(() => done(refusal));
    else if (state.finished) later(() => done());
    else state.ends.push(done);
    return this;
  },
  cork() { this._writableState.corked++; },
  uncork() {
    const state = this._writableState;
    if (state.corked > 0) state.corked--;
    advance(this);
  },
  setDefaultEncoding(encoding) {
    const name = typeof encoding === "string" ? encoding.toLowerCase() : encoding;
    if (!Buffer.isEncoding(name)) throw coded(TypeError, "ERR_UNKNOWN_ENCODING", `Unknown encoding: ${name}`);
    this._writableState.defaultEncoding = name;
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
view("writableAborted", function () { return this.destroyed && !this._writableState.finished; });
view("writableCorked", function () { return this._writableState.corked; });
destroying.mixInto(Writable);

module.exports = { Writable };
