// SPDX-License-Identifier: MIT
// ReadableStream, its default reader and its default controller (Streams standard, section 4).
// What is behind them is in readablecore.js; pipes, tees and iterators are in readablepipes.js, streams of bytes in
// readablebytes.js.
((host) => {
  "use strict";
  const { core, writables, notCloneable } = host;
  const { TypeError, RangeError } = globalThis;
  const { Readable, DefaultReader, Controller, PromiseRequest, released } = host.readableCore;
  const {
    finish, handled, highWaterMarkOf, illegal, need, promiseCall, rejected, requireDictionary, resolved, sizeOf, toCallback,
    toLength, toObject, toStrategy,
  } = core;
  const { apply } = Reflect;

  const MAKE = Symbol("make");

  // --- Arguments ------------------------------------------------------------------------------------------

  /** UnderlyingSource. */
  const toSource = (source) => {
    if (source === undefined) return { __proto__: null };
    let { autoAllocateChunkSize } = source;
    if (autoAllocateChunkSize !== undefined) {
      autoAllocateChunkSize = toLength(autoAllocateChunkSize, "The source's autoAllocateChunkSize");
    }
    const cancel = toCallback(source.cancel, "The underlying source's cancel");
    const pull = toCallback(source.pull, "The underlying source's pull");
    const start = toCallback(source.start, "The underlying source's start");
    const { type } = source;
    if (type !== undefined && `${type}` !== "bytes") {
      throw new TypeError('The underlying source\'s type must be "bytes", where it has one');
    }
    return { autoAllocateChunkSize, cancel, pull, start, isBytes: type !== undefined };
  };

  const nothing = () => resolved(undefined);

  /** The steps of a controller that call the methods of `source` with what `shown()` answers. */
  const stepsOf = (source, { pull, cancel }, shown) => ({
    pull: pull === undefined ? undefined : () => promiseCall(pull, source, [shown()]),
    cancel: cancel === undefined ? nothing : (reason) => promiseCall(cancel, source, [reason]),
  });

  const setUp = (stream, source, methods, highWaterMark, size) => {
    const steps = stepsOf(source, methods, () => show(controller));
    const controller = new Controller(stream, steps, highWaterMark, size);
    const { start } = methods;
    controller.start(start === undefined ? undefined : apply(start, source, [show(controller)]));
  };

  const show = (controller) => controller.interface ??= new ReadableStreamDefaultController(MAKE, controller);

  /** StreamPipeOptions, read in the order of their names. */
  const toPipeOptions = (options) => {
    requireDictionary(options, "The options of a pipe");
    if (options === undefined || options === null) return { __proto__: null };
    const { preventAbort, preventCancel, preventClose, signal } = options;
    if (signal !== undefined && !host.signals.isSignal(signal)) {
      throw new TypeError("The signal of a pipe must be an AbortSignal");
    }
    return {
      preventAbort: !!preventAbort, preventCancel: !!preventCancel, preventClose: !!preventClose, signal,
    };
  };

  /** ReadableWritablePair. */
  const toPair = (transform) => {
    requireDictionary(transform, "ReadableStream.pipeThrough: the transform");
    const readable = transform?.readable;
    if (implOf(readable) === undefined) throw new TypeError("The transform's readable is no ReadableStream");
    const writable = writables.implOf(transform.writable);
    if (writable === undefined) throw new TypeError("The transform's writable must be a WritableStream");
    return { readable, writable };
  };

  // --- Interfaces -----------------------------------------------------------------------------------------

  let implOf;

  class ReadableStream {
    #impl;

    constructor(underlyingSource = undefined, strategy = undefined) {
      if (underlyingSource === MAKE) {
        this.#impl = strategy;
        return;
      }
      const source = toObject(underlyingSource, "ReadableStream: the underlying source");
      const given = toStrategy(strategy);
      const methods = toSource(source);
      const stream = this.#impl = new Readable();
      if (methods.isBytes) {
        if (given.size !== undefined) throw new RangeError("A stream of bytes takes no strategy with a size");
        host.bytes.setUp(stream, source, methods, highWaterMarkOf(given, 0));
      } else {
        setUp(stream, source, methods, highWaterMarkOf(given, 1), sizeOf(given));
      }
    }

    static {
      implOf = (value) =>
        typeof value === "object" && value !== null && #impl in value ? value.#impl : undefined;
    }

    static from(asyncIterable) {
      need(arguments.length, 1, "ReadableStream.from");
      return new ReadableStream(MAKE, host.pipes.from(asyncIterable));
    }

    get locked() { return this.#impl.reader !== undefined; }

    cancel(reason = undefined) {
      const impl = implOf(this);
      if (impl === undefined) return rejected(illegal("ReadableStream"));
      return impl.reader === undefined
        ? impl.cancel(reason) : rejected(new TypeError("ReadableStream.cancel: the stream is locked"));
    }

    getReader(options = undefined) {
      const impl = this.#impl;
      requireDictionary(options, "ReadableStream.getReader: the options");
      const mode = options?.mode;
      if (mode === undefined) return new ReadableStreamDefaultReader(this);
      if (`${mode}` !== "byob") throw new TypeError('The mode of a reader must be "byob" or undefined');
      if (!impl.isBytes) throw new TypeError('Only a stream of bytes has readers with the mode "byob"');
      return host.bytes.getReader(this);
    }

    pipeThrough(transform, options = undefined) {
      const impl = this.#impl;
      need(arguments.length, 1, "ReadableStream.pipeThrough");
      const { readable, writable } = toPair(transform);
      const choices = toPipeOptions(options);
      if (impl.reader !== undefined) throw new TypeError("ReadableStream.pipeThrough: the stream is locked");
      if (writable.writer !== undefined) throw new TypeError("The transform's writable is locked");
      handled(host.pipes.pipe(impl, writable, choices));
      return readable;
    }

    pipeTo(destination, options = undefined) {
      try {
        const impl = this.#impl;
        need(arguments.length, 1, "ReadableStream.pipeTo");
        const writable = writables.implOf(destination);
        if (writable === undefined) throw new TypeError("ReadableStream.pipeTo needs a WritableStream");
        const choices = toPipeOptions(options);
        if (impl.reader !== undefined) throw new TypeError("ReadableStream.pipeTo: the stream is locked");
        if (writable.writer !== undefined) throw new TypeError("The destination of the pipe is locked");
        return host.pipes.pipe(impl, writable, choices);
      } catch (error) {
        return rejected(error);
      }
    }

    tee() {
      const impl = this.#impl;
      const branches = impl.isBytes ? host.bytes.tee(impl) : host.tee(impl);
      return [new ReadableStream(MAKE, branches[0]), new ReadableStream(MAKE, branches[1])];
    }

    values(options = undefined) {
      const impl = this.#impl;
      requireDictionary(options, "ReadableStream.values: the options");
      return host.pipes.iterate(impl, !!options?.preventCancel);
    }
  }
  finish(ReadableStream, "ReadableStream",
    ["locked", "cancel", "getReader", "pipeThrough", "pipeTo", "tee", "values"], ["from"]);
  Object.defineProperty(ReadableStream.prototype, Symbol.asyncIterator,
    { __proto__: null, value: ReadableStream.prototype.values, writable: true, configurable: true });

  class ReadableStreamDefaultReader {
    #impl;

    constructor(stream) {
      need(arguments.length, 1, "ReadableStreamDefaultReader");
      const impl = implOf(stream);
      if (impl === undefined) throw new TypeError("ReadableStreamDefaultReader needs a ReadableStream");
      this.#impl = new DefaultReader(impl);
    }

    static #of(value) {
      return typeof value === "object" && value !== null && #impl in value ? value.#impl : undefined;
    }

    get closed() {
      const impl = ReadableStreamDefaultReader.#of(this);
      return impl === undefined ? rejected(illegal("ReadableStreamDefaultReader")) : impl.closed.promise;
    }

    cancel(reason = undefined) {
      const impl = ReadableStreamDefaultReader.#of(this);
      if (impl === undefined) return rejected(illegal("ReadableStreamDefaultReader"));
      return impl.stream === undefined ? rejected(released()) : impl.cancel(reason);
    }

    read() {
      const impl = ReadableStreamDefaultReader.#of(this);
      if (impl === undefined) return rejected(illegal("ReadableStreamDefaultReader"));
      if (impl.stream === undefined) return rejected(released());
      const request = new PromiseRequest();
      impl.read(request);
      return request.promise;
    }

    releaseLock() { if (this.#impl.stream !== undefined) this.#impl.release(); }
  }
  finish(ReadableStreamDefaultReader, "ReadableStreamDefaultReader",
    ["closed", "cancel", "read", "releaseLock"]);

  class ReadableStreamDefaultController {
    #impl;

    constructor() {
      if (arguments[0] !== MAKE) throw new TypeError("Illegal constructor");
      this.#impl = arguments[1];
    }

    get desiredSize() { return this.#impl.desiredSize; }

    close() {
      if (!this.#impl.canCloseOrEnqueue) throw new TypeError("The stream is not open and cannot be closed");
      this.#impl.close();
    }

    enqueue(chunk = undefined) {
      if (!this.#impl.canCloseOrEnqueue) throw new TypeError("The stream is not open and takes no chunks");
      this.#impl.enqueue(chunk);
    }

    error(e = undefined) { this.#impl.error(e); }
  }
  finish(ReadableStreamDefaultController, "ReadableStreamDefaultController",
    ["desiredSize", "close", "enqueue", "error"]);

  const readables = {
    implOf, stepsOf,
    /** Streams 4.9.1, "CreateReadableStream". */
    create(steps, started, highWaterMark, size) {
      const stream = new Readable();
      new Controller(stream, steps, highWaterMark, size).start(started);
      return stream;
    },
    show: (stream) => new ReadableStream(MAKE, stream),
  };
  notCloneable((object) => implOf(object) !== undefined);
  return { ReadableStream, ReadableStreamDefaultReader, ReadableStreamDefaultController, readables };
})
