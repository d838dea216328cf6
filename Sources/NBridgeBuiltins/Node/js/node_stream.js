// SPDX-License-Identifier: MIT
// node:stream: streams of Node's kind, between parts of a program.
"use strict";

const { assign } = require("node:internal/own");
const { Readable } = require("node:internal/readable");
const { Writable } = require("node:internal/writable");
const { Duplex, Transform, PassThrough } = require("node:internal/duplex");
const { finished, isReadable } = require("node:internal/finished");
const { pipeline, promised } = require("node:internal/pipeline");
const { defaultMark, setDefaultMark } = require("node:internal/marks");
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

const promises = {
  finished: (stream, options = {}) => new Promise((resolve, reject) => {
    const stop = finished(stream, options, (error) => {
      if (options?.cleanup) stop();
      if (error) reject(error);
      else resolve();
    });
  }),
  pipeline: promised,
};

module.exports = assign(Stream, {
  Stream, Readable, Writable, Duplex, Transform, PassThrough, finished, pipeline, promises,
  addAbortSignal(signal, stream) {
    whenAborted(signal, (error) => stream.destroy(error));
    return stream;
  },
  getDefaultHighWaterMark: defaultMark, setDefaultHighWaterMark: setDefaultMark,
  isReadable: (stream) => isReadable(stream) && stream.readable, isErrored: (stream) =>
    Boolean(stream.errored),
  isDisturbed: (stream) => Boolean(stream.readableDidRead),
});
