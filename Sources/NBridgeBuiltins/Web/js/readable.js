// SPDX-License-Identifier: MIT
// ReadableStream, its default reader and its default controller (Streams standard, section 4).
// Pipes, tees and iterators are in readablepipes.js, streams of bytes in readablebytes.js.
((host) => {
  "use strict";
  const { core, writables, notCloneable } = host;
  const { TypeError, RangeError } = globalThis;
  const {
    Deferred, Queue, SizedQueue, countOne, failed, finish, handled, highWaterMarkOf, illegal, need, noop,
    promiseCall, react, rejected, requireDictionary, resolved, settled, sizeOf, toCallback, toLength,
    toObject, toStrategy,
  } = core;
  const { apply } = Reflect;

  const MAKE = Symbol("make");

  // --- The stream (4.9.2) ---------------------------------------------------------------------------------

  /** A stream without its interface object: a transform or a tee has no need of that at first. */
  class Readable {
    state = "readable";
    storedError = undefined;
    reader = undefined;
    controller = undefined;
    isDisturbed = false;
    isBytes = false;

    cancel(reason) {
      this.isDisturbed = true;
      if (this.state === "closed") return resolved(undefined);
      if (this.state === "errored") return rejected(this.storedError);
      this.close();
      this.reader?.onCancel();
      return react(this.controller.cancelSteps(reason), noop);
    }

    close() {
      this.state = "closed";
      const { reader } = this;
      if (reader === undefined) return;
      reader.closed.resolve(undefined);
      reader.onClose();
    }

    error(error) {
      this.state = "errored";
      this.storedError = error;
      const { reader } = this;
      if (reader === undefined) return;
      reader.closed.reject(error);
      handled(reader.closed.promise);
      reader.fail(error);
    }
  }

  // --- Readers (4.9.3) ------------------------------------------------------------------------------------

  const released = () => new TypeError("The reader was released and has no stream any more");

  /** What the two kinds of readers share. `requests` are { chunk(value), close(value), error(reason) }. */
  class GenericReader {
    stream;
    closed;
    isByob = false;
    requests = new Queue();

    constructor(stream) {
      if (stream.reader !== undefined) throw new TypeError("The stream is locked to another reader");
      this.stream = stream;
      stream.reader = this;
      if (stream.state === "readable") this.closed = new Deferred();
      else this.closed = stream.state === "closed" ? settled(undefined) : failed(stream.storedError);
    }

    cancel(reason) { return this.stream.cancel(reason); }
    onCancel() {}
    onClose() {}

    /** Takes the requests first: one may lead to another. */
    takeRequests() {
      const { requests } = this;
      this.requests = new Queue();
      return requests;
    }

    fail(error) {
      const requests = this.takeRequests();
      while (requests.length > 0) requests.shift().error(error);
    }

    release() {
      const { stream } = this;
      const error = released();
      if (stream.state === "readable") {
        this.closed.reject(error);
        handled(this.closed.promise);
      } else {
        this.closed = failed(error);
      }
      stream.controller.releaseSteps();
      stream.reader = undefined;
      this.stream = undefined;
      this.fail(error);
    }
  }

  class DefaultReader extends GenericReader {
    onClose() {
      const requests = this.takeRequests();
      while (requests.length > 0) requests.shift().close(undefined);
    }

    read(request) {
      const { stream } = this;
      stream.isDisturbed = true;
      if (stream.state === "closed") request.close(undefined);
      else if (stream.state === "errored") request.error(stream.storedError);
      else stream.controller.pullSteps(request);
    }
  }

  /** The request of a script: answers a promise. */
  class PromiseRequest {
    #result = new Deferred();
    get promise() { return this.#result.promise; }
    chunk(value) { this.#result.resolve({ value, done: false }); }
    close(value) { this.#result.resolve({ value, done: true }); }
    error(reason) { this.#result.reject(reason); }
  }

  // --- The default controller (4.9.4) ---------------------------------------------------------------------

  /** Pulling, which the controllers of chunks and of bytes do alike. They have shouldPull() and error(). */
  class GenericController {
    stream;
    highWaterMark;
    isStarted = false;
    isCloseRequested = false;
    interface = undefined;
    pull;
    cancel;
    #isPulling = false;
    #pullsAgain = false;

    /** `steps`: { pull(), cancel(reason) }, which answer promises. Without `pull` there is none to make. */
    constructor(stream, { pull, cancel }, highWaterMark) {
      this.stream = stream;
      this.pull = pull;
      this.cancel = cancel;
      this.highWaterMark = highWaterMark;
      stream.controller = this;
    }

    start(result) {
      react(resolved(result), () => {
        this.isStarted = true;
        this.pullIfNeeded();
      }, (error) => this.error(error));
    }

    pullIfNeeded() {
      if (this.pull === undefined || !this.shouldPull()) return;
      if (this.#isPulling) {
        this.#pullsAgain = true;
        return;
      }
      this.#isPulling = true;
      react(this.pull(), () => {
        this.#isPulling = false;
        if (!this.#pullsAgain) return;
        this.#pullsAgain = false;
        this.pullIfNeeded();
      }, (error) => this.error(error));
    }

    /** Lets go of what the underlying source holds. */
    forget() { this.pull = this.cancel = undefined; }

    get desiredSize() {
      const { state } = this.stream;
      if (state === "errored") return null;
      return state === "closed" ? 0 : this.highWaterMark - this.total;
    }

    releaseSteps() {}
  }

  class Controller extends GenericController {
    #queue = new SizedQueue();
    #size;

    constructor(stream, steps, highWaterMark, size) {
      super(stream, steps, highWaterMark);
      this.#size = size;
    }

    get total() { return this.#queue.total; }
    get canCloseOrEnqueue() { return !this.isCloseRequested && this.stream.state === "readable"; }
    get hasBackpressure() { return !this.shouldPull(); }

    shouldPull() {
      const { stream } = this;
      if (!this.canCloseOrEnqueue || !this.isStarted) return false;
      return (stream.reader !== undefined && stream.reader.requests.length > 0) || this.desiredSize > 0;
    }

    forget() {
      super.forget();
      this.#size = undefined;
    }

    close() {
      if (!this.canCloseOrEnqueue) return;
      this.isCloseRequested = true;
      if (this.#queue.length > 0) return;
      this.forget();
      this.stream.close();
    }

    enqueue(chunk) {
      if (!this.canCloseOrEnqueue) return;
      const { reader } = this.stream;
      if (reader !== undefined && reader.requests.length > 0) reader.requests.shift().chunk(chunk);
      else this.#keep(chunk);
      this.pullIfNeeded();
    }

    #keep(chunk) {
      try {
        const size = this.#size;
        this.#queue.push(chunk, size === countOne ? 1 : size(chunk));
      } catch (error) {
        this.error(error);
        throw error;
      }
    }

    error(error) {
      if (this.stream.state !== "readable") return;
      this.#queue.clear();
      this.forget();
      this.stream.error(error);
    }

    cancelSteps(reason) {
      this.#queue.clear();
      const result = this.cancel(reason);
      this.forget();
      return result;
    }

    pullSteps(request) {
      if (this.#queue.length === 0) {
        this.stream.reader.requests.push(request);
        this.pullIfNeeded();
        return;
      }
      const chunk = this.#queue.shift();
      if (this.isCloseRequested && this.#queue.length === 0) {
        this.forget();
        this.stream.close();
      } else {
        this.pullIfNeeded();
      }
      request.chunk(chunk);
    }
  }

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
      const branches = impl.isBytes ? host.bytes.tee(impl) : host.pipes.tee(impl);
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
    implOf, Readable, GenericReader, DefaultReader, GenericController, PromiseRequest, released, stepsOf,
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
