// SPDX-License-Identifier: MIT
// node:stream's Readable: chunks that wait in a list until somebody reads them, or that flow.
"use strict";

const { assign } = require("node:internal/own");
const EventEmitter = require("node:events");
const { Buffer } = require("node:buffer");
const { StringDecoder } = require("node:string_decoder");
const { coded, invalidArgType } = require("node:internal/errors");
const { destroying } = require("node:internal/destroying");

const later = (action) => require("node:process").nextTick(action);

function Readable(options = {}) {
  if (!(this instanceof Readable)) return new Readable(options);
  EventEmitter.call(this, options);
  Readable.init(this, options ?? {});
}

Readable.init = (stream, options) => {
  const objectMode = Boolean(options.objectMode || options.readableObjectMode);
  Object.defineProperty(stream, "_readableState", { writable: true, configurable: true, value: {
    objectMode, highWaterMark: options.readableHighWaterMark ?? options.highWaterMark ??
      (objectMode ? 16 : 64 * 1024),
    buffer: [], length: 0, flowing: null, ended: false, endEmitted: false, reading: false, isScheduled: false,
    decoder: undefined, encoding: null, pipes: [], didRead: false, needsReadable: false,
  } });
  destroying.init(stream, options);
  if (typeof options.read === "function") stream._read = options.read;
  if (options.encoding) stream.setEncoding(options.encoding);
  if (typeof options.construct === "function") destroying.construct(stream, options.construct);
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
  if (!atStart) state.reading = false;
  if (state.decoder && typeof chunk !== "string") chunk = state.decoder.write(chunk);
  if (state.objectMode || chunk.length > 0) {
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
  if (!wanted || state.ended || state.reading || state.length >= state.highWaterMark || stream.destroyed ||
    !destroying.isReady(stream)) return;
  state.reading = true;
  try {
    stream._read(state.highWaterMark);
  } catch (error) { stream.destroy(error); }
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
    if (chunk !== null && state.flowing === true) this.emit("data", chunk);
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
    const onEnd = () => { if (ends) target.end(); };
    const onClose = () => this.unpipe(target);
    const listeners = [[this, "data", onData], [this, "end", onEnd], [target, "drain", onDrain],
      [target, "close", onClose]];
    this._readableState?.pipes.push({ target, listeners });
    for (const [emitter, name, listener] of listeners) emitter.on(name, listener);
    target.emit("pipe", this);
    this.resume?.();
    return target;
  },
  unpipe(target) {
    const state = this._readableState;
    const gone = state.pipes.filter((pipe) => target === undefined || pipe.target === target);
    state.pipes = state.pipes.filter((pipe) => !gone.includes(pipe));
    for (const pipe of gone) {
      for (const [emitter, name, listener] of pipe.listeners) emitter.removeListener(name, listener);
      pipe.target.emit("unpipe", this);
    }
    if (gone.length > 0 && state.pipes.length === 0) this.pause();
    return this;
  },
  async *[Symbol.asyncIterator]() {
    let wake;
    let failure;
    const look = () => wake?.();
    this.on("readable", look);
    const stop = destroying.whenOver(this, (error) => {
      // "close" comes behind the error, and has none.
      failure ??= { error };
      look();
    });
    try {
      for (;;) {
        const chunk = this.destroyed ? null : this.read();
        if (chunk !== null) yield chunk;
        else if (failure?.error) throw failure.error;
        else if (this._readableState.endEmitted) return;
        else if (failure) throw coded(Error, "ERR_STREAM_PREMATURE_CLOSE", "Premature close");
        else await new Promise((resolve) => { wake = resolve; });
      }
    } finally {
      stop();
      this.removeListener("readable", look);
      this.destroy();
    }
  },
});
Readable.prototype.addListener = Readable.prototype.on;

const view = (name, get) => Object.defineProperty(Readable.prototype, name, { get, configurable: true });
view("readable", function () { return !this.destroyed && !this._readableState.endEmitted; });
view("readableEnded", function () { return this._readableState?.endEmitted === true; });
view("readableFlowing", function () { return this._readableState.flowing; });
view("readableLength", function () { return this._readableState.length; });
view("readableObjectMode", function () { return this._readableState.objectMode; });
view("readableHighWaterMark", function () { return this._readableState.highWaterMark; });
view("readableEncoding", function () { return this._readableState.encoding; });
view("readableDidRead", function () { return this._readableState.didRead; });
destroying.mixInto(Readable);

Readable.from = (source, options) => {
  const isWhole = typeof source === "string" || source instanceof Uint8Array;
  const iterator = isWhole ? [source].values()
    : (source[Symbol.asyncIterator] ?? source[Symbol.iterator]).call(source);
  return new Readable({
    objectMode: true, highWaterMark: 1, ...options,
    async read() {
      try {
        const { value, done } = await iterator.next();
        this.push(done ? null : await value);
      } catch (error) { this.destroy(error); }
    },
    destroy(error, done) { Promise.resolve(iterator.return?.()).then(() => done(error), done); },
  });
};

module.exports = { Readable };
