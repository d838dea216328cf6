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
  Readable.init(this, options ?? {});
  Writable.init(this, { ...options, construct: undefined });
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

/** A stream of what is given: an iterable, a promise, or a function of what comes in. */
Duplex.from = (source, takes = false) => {
  if (typeof source !== "function") return Readable.from(source, { objectMode: true });
  const input = new PassThrough({ objectMode: true });
  const output = source(takes ? input : undefined);
  if (output?.[Symbol.asyncIterator]) {
    const results = Readable.from(output);
    if (!takes) return results;
    return wrapped(input, results);
  }
  // A last part that answers a promise takes all and gives nothing more.
  return wrapped(input, Readable.from((async function* all() {
    const value = await output;
    if (value !== undefined) yield value;
  })()));
};

/** One stream that writes into `input` and reads from `output`. */
const wrapped = (input, output) => {
  const duplex = new Duplex({
    objectMode: true,
    write(chunk, encoding, done) {
      if (input.write(chunk, encoding)) done();
      else input.once("drain", done);
    },
    final(done) {
      input.end();
      // What was written is done when all of it was taken.
      output.once("end", () => done());
    },
    read() { output.resume(); },
    destroy(error, done) {
      input.destroy();
      output.destroy();
      done(error);
    },
  });
  output.on("data", (chunk) => { if (!duplex.push(chunk)) output.pause(); });
  output.on("end", () => duplex.push(null));
  for (const part of [input, output]) part.on("error", (error) => duplex.destroy(error));
  return duplex;
};

function Transform(options = {}) {
  if (!(this instanceof Transform)) return new Transform(options);
  Duplex.call(this, options);
  Object.defineProperty(this, "_held", { value: undefined, writable: true, configurable: true });
  if (typeof options?.transform === "function") this._transform = options.transform;
  if (typeof options?.flush === "function") this._flush = options.flush;
}
Object.setPrototypeOf(Transform.prototype, Duplex.prototype);
Object.setPrototypeOf(Transform, Duplex);

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
  _final(done) {
    if (typeof this._flush !== "function") {
      this.push(null);
      done();
      return;
    }
    this._flush((error, result) => {
      if (error) {
        done(error);
        return;
      }
      if (result !== undefined && result !== null) this.push(result);
      this.push(null);
      done();
    });
  },
});

function PassThrough(options) {
  if (!(this instanceof PassThrough)) return new PassThrough(options);
  Transform.call(this, options);
}
Object.setPrototypeOf(PassThrough.prototype, Transform.prototype);
Object.setPrototypeOf(PassThrough, Transform);
PassThrough.prototype._transform = (chunk, encoding, done) => done(null, chunk);

module.exports = { Duplex, Transform, PassThrough };
