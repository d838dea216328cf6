// SPDX-License-Identifier: MIT
// node:stream's Duplex, Transform and PassThrough.
"use strict";

const { assign } = require("node:internal/own");
const EventEmitter = require("node:events");
const { Readable } = require("node:internal/readable");
const { Writable } = require("node:internal/writable");
const { coded } = require("node:internal/errors");

function Duplex(options = {}) {
  if (!(this instanceof Duplex)) return new Duplex(options);
  EventEmitter.call(this, options);
  Readable.init(this, options ?? {}, "readableHighWaterMark");
  Writable.init(this, options ?? {}, "writableHighWaterMark");
  this.allowHalfOpen = options?.allowHalfOpen !== false;
  if (options?.readable === false) {
    Object.assign(this._readableState, { ended: true, endEmitted: true });
  }
  if (options?.writable === false) Object.assign(this._writableState,
    { ending: true, finished: true, finishing: true });
  if (!this.allowHalfOpen) this.once("end", () => this.end());
}
Object.setPrototypeOf(Duplex.prototype, Readable.prototype);
Object.setPrototypeOf(Duplex, Readable);
for (const [name, found] of Object.entries(Object.getOwnPropertyDescriptors(Writable.prototype))) {
  if (!(name in Readable.prototype) && name !== "constructor") Object.defineProperty(Duplex.prototype, name,
    found);
}

/** A stream of what is given: a function of what comes in, a promise, an iterable, or two streams. */
Duplex.from = (body) => require("node:internal/duplexfrom").duplexFrom(body);

function Transform(options = {}) {
  if (!(this instanceof Transform)) return new Transform(options);
  Duplex.call(this, options);
  // What it pushes comes of writes, not of its _read.
  this._readableState.isAsked = false;
  Object.defineProperty(this, "_held", { value: undefined, writable: true, configurable: true });
  if (typeof options?.transform === "function") this._transform = options.transform;
  if (typeof options?.flush === "function") this._flush = options.flush;
  // With a `final` of its own it comes before what is flushed.
  this.on("prefinish", () => { if (this._final !== flushed) flushed.call(this); });
}
Object.setPrototypeOf(Transform.prototype, Duplex.prototype);
Object.setPrototypeOf(Transform, Duplex);

/** The end of what is read: what is left comes before it. */
function flushed(done) {
  const end = (result) => {
    if (result !== undefined && result !== null) this.push(result);
    this.push(null);
    done?.();
  };
  if (typeof this._flush !== "function" || this.destroyed) {
    end();
    return;
  }
  this._flush((error, result) => {
    if (!error) end(result);
    else if (done) done(error);
    else this.destroy(error);
  });
}

assign(Transform.prototype, {
  _transform() { throw coded(Error, "ERR_METHOD_NOT_IMPLEMENTED",
    "The _transform() method is not implemented"); },
  _write(chunk, encoding, done) {
    this._transform(chunk, encoding, (error, result) => {
      if (error) {
        done(error);
        return;
      }
      if (result !== undefined && result !== null) this.push(result);
      const state = this._readableState;
      // Who reads slowly keeps the next chunk waiting.
      if (state.ended || state.length < state.highWaterMark) done();
      else this._held = done;
    });
  },
  _read() {
    this._readableState.reading = false;
    const done = this._held;
    this._held = undefined;
    done?.();
  },
  _final: flushed,
});

function PassThrough(options) {
  if (!(this instanceof PassThrough)) return new PassThrough(options);
  Transform.call(this, options);
}
Object.setPrototypeOf(PassThrough.prototype, Transform.prototype);
Object.setPrototypeOf(PassThrough, Transform);
PassThrough.prototype._transform = (chunk, encoding, done) => done(null, chunk);

module.exports = { Duplex, Transform, PassThrough };
