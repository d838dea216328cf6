// SPDX-License-Identifier: MIT
// node:stream's Readable: chunks that wait in a list until somebody reads them, or that flow.
"use strict";

const { assign, give } = require("node:internal/own");
const EventEmitter = require("node:events");
const { Buffer } = require("node:buffer");
const { StringDecoder } = require("node:string_decoder");
const { check, coded, invalidArgType } = require("node:internal/errors");
const { destroying } = require("node:internal/destroying");
const { markOf } = require("node:internal/marks");

const later = (action) => require("node:process").nextTick(action);

function Readable(options = {}) {
  if (!(this instanceof Readable)) return new Readable(options);
  EventEmitter.call(this, options);
  Readable.init(this, options ?? {});
}

Readable.init = (stream, options, side) => {
  const objectMode = Boolean(options.objectMode || options.readableObjectMode);
  Object.defineProperty(stream, "_readableState", { writable: true, configurable: true, value: {
    objectMode, highWaterMark: markOf(options, objectMode, side),
    buffer: [], length: 0, flowing: null, ended: false, endEmitted: false, reading: false, isScheduled: false,
    // Whether a push may come out of _read, whose chunks wait for their turn.
    isAsked: true,
    decoder: undefined, encoding: null, pipes: [], didRead: false, needsReadable: false,
  } });
  destroying.init(stream, options);
  if (typeof options.read === "function") stream._read = options.read;
  if (options.encoding) stream.setEncoding(options.encoding);
};

Object.setPrototypeOf(Readable.prototype, EventEmitter.prototype);
Object.setPrototypeOf(Readable, EventEmitter);

const sizeOf = (state, chunk) => state.objectMode ? 1 : chunk.length;

const add = (stream, chunk, encoding, atStart) => {
  const state = stream._readableState;
  if (chunk === null) {
    state.reading = false;
    return finish(stream);
  }
  if (!state.objectMode) {
    if (typeof chunk === "string") chunk = state.encoding === (encoding ?? "utf8") ? chunk
      : Buffer.from(chunk, encoding);
    else if (chunk instanceof Uint8Array && !Buffer.isBuffer(chunk)) chunk = Buffer.from(chunk.buffer,
      chunk.byteOffset, chunk.length);
    else if (!(chunk instanceof Uint8Array)) {
      stream.destroy(invalidArgType("chunk", ["string", "Buffer", "Uint8Array"], chunk));
      return false;
    }
  }
  if (state.ended && !atStart) {
    stream.destroy(coded(Error, "ERR_STREAM_PUSH_AFTER_EOF", "stream.push() after EOF"));
    return false;
  }
  if (stream.destroyed) return false;
  if (!atStart) state.reading = false;
  if (state.decoder && typeof chunk !== "string") chunk = state.decoder.write(chunk);
  if (state.objectMode || chunk.length > 0) {
    if (state.flowing && state.length === 0 && !state.isAsked && stream.listenerCount("data") > 0) {
      // Nothing stands before it: who writes it may destroy the stream next.
      state.didRead = true;
      stream.emit("data", chunk);
      schedule(stream);
      return !state.ended && state.length < state.highWaterMark;
    }
    state.length += sizeOf(state, chunk);
    if (atStart) state.buffer.unshift(chunk);
    else state.buffer.push(chunk);
  }
  schedule(stream);
  return !state.ended && state.length < state.highWaterMark;
};

const finish = (stream) => {
  const state = stream._readableState;
  if (state.ended) return false;
  state.ended = true;
  const rest = state.decoder?.end();
  if (rest) {
    state.buffer.push(rest);
    state.length += sizeOf(state, rest);
  }
  schedule(stream);
  return false;
};

/** Goes on in a turn of its own: gives chunks that flow, tells of those that wait, asks for more. */
const schedule = (stream) => {
  const state = stream._readableState;
  if (state.isScheduled) return;
  state.isScheduled = true;
  later(() => {
    state.isScheduled = false;
    if (!stream.destroyed) advance(stream);
  });
};

const advance = (stream) => {
  const state = stream._readableState;
  while (state.flowing && state.buffer.length > 0 && !stream.destroyed) {
    const chunk = take(state);
    state.didRead = true;
    stream.emit("data", chunk);
  }
  if (stream.destroyed) return;
  if (!state.flowing && stream.listenerCount("readable") > 0 && (state.length > 0 || state.ended) &&
    !state.endEmitted) {
    stream.emit("readable");
  }
  // What waits for "readable" ends when it was read to the end; what nobody reads waits.
  if (state.ended && state.length === 0 &&
    (state.flowing || state.didRead || stream.listenerCount("readable") > 0)) end(stream);
  else if (state.flowing !== false || stream.listenerCount("readable") > 0) ask(stream);
};

const end = (stream) => {
  const state = stream._readableState;
  if (state.endEmitted || stream.destroyed) return;
  state.endEmitted = true;
  stream.emit("end");
  destroying.ended(stream);
};

const ask = (stream) => {
  const state = stream._readableState;
  const wanted = state.flowing || stream.listenerCount("readable") > 0 || state.needsReadable;
  if (!wanted || state.ended || state.reading || state.length >= state.highWaterMark || stream.destroyed) return;
  state.reading = true;
  destroying.whenReady(stream, () => {
    if (stream.destroyed) return;
    state.isAsked = true;
    try {
      stream._read(state.highWaterMark);
    } catch (error) { stream.destroy(error); }
    state.isAsked = false;
  });
};

/** Nobody listens for "readable" any more, which had stopped the flow. */
const flowAgain = (stream) => {
  const state = stream._readableState;
  if (stream.listenerCount("readable") > 0 || state.flowing === true) return;
  state.flowing = null;
  if (stream.listenerCount("data") > 0) stream.resume();
};

/** The first chunk, or `count` bytes. */
const take = (state, count) => {
  if (state.objectMode || count === undefined || count === null) {
    const chunk = state.buffer.shift();
    state.length -= sizeOf(state, chunk);
    return chunk;
  }
  const whole = typeof state.buffer[0] === "string" ? state.buffer.join("") : Buffer.concat(state.buffer);
  const rest = whole.slice(count);
  state.buffer = rest.length > 0 ? [rest] : [];
  state.length = rest.length;
  return whole.slice(0, count);
};

assign(Readable.prototype, {
  push(chunk, encoding) { return add(this, chunk === undefined ? null : chunk, encoding, false); },
  unshift(chunk, encoding) { return add(this, chunk, encoding, true); },
  _read() { throw coded(Error, "ERR_METHOD_NOT_IMPLEMENTED", "The _read() method is not implemented"); },
  read(count) {
    const state = this._readableState;
    state.needsReadable = true;
    let chunk = null;
    if (state.length > 0 && count !== 0 && (count === undefined || state.ended || state.objectMode ||
      count <= state.length)) {
      chunk = take(state, count === undefined && !state.objectMode ? state.length : count);
      state.didRead = true;
    }
    if (chunk === null || state.length < state.highWaterMark) ask(this);
    if (state.ended && state.length === 0) later(() => end(this));
    if (chunk !== null && !this.errored && !this.closed) this.emit("data", chunk);
    return chunk;
  },
  setEncoding(encoding) {
    const state = this._readableState;
    state.decoder = new StringDecoder(encoding);
    state.encoding = state.decoder.encoding;
    const text = state.buffer.map((chunk) => state.decoder.write(chunk)).join("");
    state.buffer = text === "" ? [] : [text];
    state.length = text.length;
    return this;
  },
  on(name, listener) {
    EventEmitter.prototype.on.call(this, name, listener);
    const state = this._readableState;
    if (name === "data" && state.flowing !== false && this.listenerCount("readable") === 0) this.resume();
    if (name === "readable") {
      state.flowing = false;
      schedule(this);
    }
    return this;
  },
  removeListener(name, listener) {
    EventEmitter.prototype.removeListener.call(this, name, listener);
    if (name === "readable") later(() => flowAgain(this));
    return this;
  },
  removeAllListeners(name) {
    EventEmitter.prototype.removeAllListeners.call(this, ...arguments);
    if (name === "readable" || name === undefined) later(() => flowAgain(this));
    return this;
  },
  resume() {
    const state = this._readableState;
    if (this.listenerCount("readable") === 0 && !state.flowing) {
      state.flowing = true;
      later(() => this.emit("resume"));
    }
    schedule(this);
    return this;
  },
  pause() {
    if (this._readableState.flowing !== false) {
      this._readableState.flowing = false;
      this.emit("pause");
    }
    return this;
  },
  isPaused() { return this._readableState.flowing === false; },
  pipe(target, { end: ends = true } = {}) {
    const waits = new Set();
    const onData = (chunk) => {
      if (target.write(chunk) === false) {
        waits.add(target);
        this.pause();
      }
    };
    const onDrain = () => { if (waits.delete(target)) this.resume(); };
    const onEnd = () => {
      // The program's own output goes on, as in Node.
      if (ends && target._isStdio !== true) target.end();
      else this.unpipe(target);
    };
    const onClose = () => this.unpipe(target);
    // Before others hear of the error; which is nobody's if they don't.
    const onError = (error) => {
      this.unpipe(target);
      if (target.listenerCount("error") === 0) target.emit("error", error);
    };
    const listeners = [[this, "data", onData], [this, "end", onEnd], [target, "drain", onDrain],
      [target, "close", onClose], [target, "finish", onClose], [target, "error", onError]];
    this._readableState?.pipes.push({ target, listeners });
    for (const [emitter, name, listener] of listeners) {
      if (name === "error" && typeof emitter.prependListener === "function") emitter.prependListener(name, listener);
      else emitter.on(name, listener);
    }
    target.emit("pipe", this);
    this.resume?.();
    return target;
  },
  unpipe(target) {
    const state = this._readableState;
    const gone = state.pipes.filter((pipe) => target === undefined || pipe.target === target);
    state.pipes = state.pipes.filter((pipe) => !gone.includes(pipe));
    for (const { listeners } of gone) {
      for (const [emitter, name, listener] of listeners) emitter.removeListener(name, listener);
    }
    if (gone.length > 0 && state.pipes.length === 0) this.pause();
    for (const pipe of gone) pipe.target.emit("unpipe", this, { hasUnpiped: false });
    return this;
  },
  [Symbol.asyncIterator]() { return chunksOf(this, true); },
  iterator(options) {
    if (options !== undefined) check.object(options, "options");
    return chunksOf(this, options?.destroyOnReturn !== false);
  },
  /** Reads from a stream of the oldest kind, which tells its data by events. */
  wrap(old) {
    let isPaused = false;
    this._read = () => {
      if (!isPaused) return;
      isPaused = false;
      old.resume?.();
    };
    old.on("data", (chunk) => {
      if (this.push(chunk) || typeof old.pause !== "function") return;
      isPaused = true;
      old.pause();
    });
    old.on("end", () => this.push(null));
    old.on("error", (error) => this.destroy(error));
    for (const name of ["close", "destroy"]) old.on(name, () => this.destroy());
    for (const name of Object.keys(old)) {
      if (this[name] === undefined && typeof old[name] === "function") give(this, name, old[name].bind(old));
    }
    return this;
  },
});

/** The chunks as they come. Who stops early has destroyed the stream, unless it is to go on. */
async function* chunksOf(stream, destroysAtReturn) {
  let wake;
  let failure;
  let isStill = true;
  const look = () => wake?.();
  stream.on("readable", look);
  const stop = destroying.whenOver(stream, (error) => {
    // "close" comes behind the error, and has none.
    failure ??= { error };
    look();
  });
  try {
    for (;;) {
      const chunk = stream.destroyed ? null : stream.read();
      if (chunk !== null) yield chunk;
      else if (failure?.error) throw failure.error;
      else if (stream._readableState.endEmitted) return;
      else if (failure) throw coded(Error, "ERR_STREAM_PREMATURE_CLOSE", "Premature close");
      else await new Promise((resolve) => { wake = resolve; });
    }
  } catch (error) {
    isStill = false;
    throw error;
  } finally {
    stop();
    stream.removeListener("readable", look);
    if (destroysAtReturn || !isStill) stream.destroy();
  }
}
Readable.prototype.addListener = Readable.prototype.on;
Readable.prototype.off = Readable.prototype.removeListener;

const view = (name, get) => Object.defineProperty(Readable.prototype, name, { get, configurable: true });
view("readable", function () { return !this.destroyed && !this._readableState.endEmitted; });
view("readableEnded", function () { return this._readableState?.endEmitted === true; });
view("readableFlowing", function () { return this._readableState.flowing; });
view("readableLength", function () { return this._readableState.length; });
view("readableObjectMode", function () { return this._readableState.objectMode; });
view("readableHighWaterMark", function () { return this._readableState.highWaterMark; });
view("readableEncoding", function () { return this._readableState.encoding; });
view("readableDidRead", function () { return this._readableState.didRead; });
view("readableAborted", function () {
  return this.destroyed && !this._readableState.endEmitted;
});
destroying.mixInto(Readable);

/** Lets an iterator go: it hears of an error, as generators do. */
const letGo = async (iterator, error) => {
  if (error && typeof iterator.throw === "function") {
    const { value, done } = await iterator.throw(error);
    await value;
    if (done) return;
  }
  if (typeof iterator.return === "function") await (await iterator.return()).value;
};

Readable.from = (source, options) => {
  if (typeof source === "string" || Buffer.isBuffer(source)) {
    return new Readable({ objectMode: true, ...options, read() {
      this.push(source);
      this.push(null);
    } });
  }
  const make = source?.[Symbol.asyncIterator] ?? source?.[Symbol.iterator];
  if (typeof make !== "function") throw invalidArgType("iterable", ["Iterable"], source);
  const iterator = make.call(source);
  const isPlain = make !== source[Symbol.asyncIterator];
  const next = async () => {
    const { value, done } = await iterator.next();
    const chunk = done ? null : await value;
    if (!done && chunk === null) throw coded(TypeError, "ERR_STREAM_NULL_VALUES", "May not write null values to stream");
    return chunk;
  };
  return new Readable({
    objectMode: true, highWaterMark: 1, ...options,
    // What a listener of "data" throws is an error of the stream where the source is asynchronous, as what that throws is.
    read() {
      const give = async () => {
        const chunk = await next();
        if (isPlain) this._readableState.isAsked = true;
        this.push(chunk);
      };
      give().catch((error) => this.destroy(error));
    },
    destroy(error, done) {
      const settle = (failure) => later(() => done(failure || error));
      letGo(iterator, error).then(() => settle(), settle);
    },
  });
};

module.exports = { Readable };
