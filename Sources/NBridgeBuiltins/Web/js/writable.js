// SPDX-License-Identifier: MIT
// WritableStream (Streams standard, section 5). What is behind its interfaces is in writablecore.js.
((host) => {
  "use strict";
  const { core, notCloneable } = host;
  const { TypeError, RangeError } = globalThis;
  const { Writable, Writer, Controller, released } = host.writableCore;
  const {
    finish, highWaterMarkOf, illegal, need, promiseCall, rejected, resolved, sizeOf, toCallback, toObject, toStrategy,
  } = core;

  const { apply } = Reflect;
  const MAKE = Symbol("make");

  // --- Interfaces -----------------------------------------------------------------------------------------

  const locked = (what) => rejected(new TypeError(`${what}: the stream is locked to a writer`));
  const closing = (what) => rejected(new TypeError(`${what}: the stream is already closing`));

  let implOf;
  let controllerOf;

  class WritableStream {
    #impl;

    constructor(underlyingSink = undefined, strategy = undefined) {
      if (underlyingSink === MAKE) {
        this.#impl = strategy;
        return;
      }
      const sink = toObject(underlyingSink, "WritableStream: the underlying sink");
      const { highWaterMark, size } = toStrategy(strategy);
      const methods = toSink(sink);
      const sizeSteps = sizeOf({ size });
      const stream = this.#impl = new Writable();
      setUp(stream, sink, methods, highWaterMarkOf({ highWaterMark }, 1), sizeSteps);
    }

    static {
      implOf = (value) =>
        typeof value === "object" && value !== null && #impl in value ? value.#impl : undefined;
    }

    get locked() { return this.#impl.writer !== undefined; }

    abort(reason = undefined) {
      const impl = implOf(this);
      if (impl === undefined) return rejected(illegal("WritableStream"));
      return impl.writer !== undefined ? locked("WritableStream.abort") : impl.abort(reason);
    }

    close() {
      const impl = implOf(this);
      if (impl === undefined) return rejected(illegal("WritableStream"));
      if (impl.writer !== undefined) return locked("WritableStream.close");
      return impl.isClosing ? closing("WritableStream.close") : impl.close();
    }

    getWriter() { return new WritableStreamDefaultWriter(this.#impl && this); }
  }
  finish(WritableStream, "WritableStream", ["locked", "abort", "close", "getWriter"]);

  const toSink = (sink) => {
    if (sink === undefined) return { __proto__: null };
    const { abort, close, start, type, write } = sink;
    toCallback(abort, "The underlying sink's abort");
    toCallback(close, "The underlying sink's close");
    toCallback(start, "The underlying sink's start");
    toCallback(write, "The underlying sink's write");
    if (type !== undefined) throw new RangeError("The underlying sink has a type, which is not known");
    return { abort, close, start, write };
  };

  const setUp = (stream, sink, { abort, close, start, write }, highWaterMark, size) => {
    const done = () => resolved(undefined);
    const steps = {
      abort: abort === undefined ? done : (reason) => promiseCall(abort, sink, [reason]),
      close: close === undefined ? done : () => promiseCall(close, sink, []),
      write: write === undefined ? done : (chunk) => promiseCall(write, sink, [chunk, shown]),
    };
    const controller = new Controller(stream, steps, highWaterMark, size);
    const shown = new WritableStreamDefaultController(MAKE, controller);
    controller.start(start === undefined ? undefined : apply(start, sink, [shown]));
  };

  class WritableStreamDefaultWriter {
    #impl;

    constructor(stream) {
      need(arguments.length, 1, "WritableStreamDefaultWriter");
      const impl = implOf(stream);
      if (impl === undefined) throw new TypeError("WritableStreamDefaultWriter needs a WritableStream");
      this.#impl = new Writer(impl);
    }

    static #of(value) {
      return typeof value === "object" && value !== null && #impl in value ? value.#impl : undefined;
    }

    get closed() {
      const impl = WritableStreamDefaultWriter.#of(this);
      return impl === undefined ? rejected(illegal("WritableStreamDefaultWriter")) : impl.closed.promise;
    }

    get desiredSize() {
      if (this.#impl.stream === undefined) throw released();
      return this.#impl.desiredSize;
    }

    get ready() {
      const impl = WritableStreamDefaultWriter.#of(this);
      return impl === undefined ? rejected(illegal("WritableStreamDefaultWriter")) : impl.ready.promise;
    }

    abort(reason = undefined) {
      const impl = WritableStreamDefaultWriter.#of(this);
      if (impl === undefined) return rejected(illegal("WritableStreamDefaultWriter"));
      return impl.stream === undefined ? rejected(released()) : impl.stream.abort(reason);
    }

    close() {
      const impl = WritableStreamDefaultWriter.#of(this);
      if (impl === undefined) return rejected(illegal("WritableStreamDefaultWriter"));
      if (impl.stream === undefined) return rejected(released());
      return impl.stream.isClosing ? closing("WritableStreamDefaultWriter.close") : impl.stream.close();
    }

    releaseLock() { if (this.#impl.stream !== undefined) this.#impl.release(); }

    write(chunk = undefined) {
      const impl = WritableStreamDefaultWriter.#of(this);
      if (impl === undefined) return rejected(illegal("WritableStreamDefaultWriter"));
      return impl.stream === undefined ? rejected(released()) : impl.write(chunk);
    }
  }
  finish(WritableStreamDefaultWriter, "WritableStreamDefaultWriter",
    ["closed", "desiredSize", "ready", "abort", "close", "releaseLock", "write"]);

  class WritableStreamDefaultController {
    #impl;

    constructor() {
      if (arguments[0] !== MAKE) throw new TypeError("Illegal constructor");
      this.#impl = arguments[1];
    }

    get signal() { return this.#impl.signal; }
    error(e = undefined) { this.#impl.errorIfNeeded(e); }
  }
  finish(WritableStreamDefaultController, "WritableStreamDefaultController", ["signal", "error"]);

  const writables = {
    implOf,
    Writer,
    /** Streams 5.5.1, "CreateWritableStream". */
    create(steps, started, highWaterMark, size) {
      const stream = new Writable();
      new Controller(stream, steps, highWaterMark, size).start(started);
      return stream;
    },
    show: (stream) => new WritableStream(MAKE, stream),
  };
  notCloneable((object) => implOf(object) !== undefined);
  return { WritableStream, WritableStreamDefaultWriter, WritableStreamDefaultController, writables };
})
