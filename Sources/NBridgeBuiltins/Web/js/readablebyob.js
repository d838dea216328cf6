// SPDX-License-Identifier: MIT
// Streams of bytes: ReadableStreamBYOBReader, ReadableByteStreamController, ReadableStreamBYOBRequest and
// branches (Streams standard, 4.5, 4.7, 4.8 and "ReadableByteStreamTee" in 4.9.1).
((host) => {
  "use strict";
  const { core, readables, readableCore, bufferViews, ByteController } = host;
  const { TypeError, RangeError } = globalThis;
  const {
    Deferred, finish, illegal, microtask, need, react, rejected, requireDictionary, resolved, toLength,
  } = core;
  const { DefaultReader, GenericReader, PromiseRequest, Readable, released } = readableCore;
  const { bufferLength, cloned, isDetached, partsOf, toView } = bufferViews;
  const { stepsOf } = readables;
  const { apply } = Reflect;
  const Bytes = Uint8Array;

  const MAKE = Symbol("make");

  // --- The reader -----------------------------------------------------------------------------------------

  class ByobReader extends GenericReader {
    isByob = true;

    constructor(stream) {
      if (!stream.isBytes) throw new TypeError("A BYOB reader needs a stream of bytes");
      super(stream);
    }

    onCancel() {
      const requests = this.takeRequests();
      while (requests.length > 0) requests.shift().close(undefined);
    }

    read(view, minimum, request) {
      const { stream } = this;
      stream.isDisturbed = true;
      if (stream.state === "errored") request.error(stream.storedError);
      else stream.controller.pullInto(view, minimum, request);
    }
  }

  /** Answers how many elements the view must get at least. */
  const checkRead = (view, options) => {
    requireDictionary(options, "ReadableStreamBYOBReader.read: the options");
    const given = options?.min;
    const minimum = given === undefined ? 1 : toLength(given, "ReadableStreamBYOBReader.read: min");
    const { buffer, byteLength, elementSize } = partsOf(view);
    if (isDetached(buffer)) throw new TypeError("The buffer of the view is detached");
    if (byteLength === 0 || bufferLength(buffer) === 0) throw new TypeError("The view has no room");
    if (minimum === 0) throw new TypeError("ReadableStreamBYOBReader.read: min must not be 0");
    if (minimum > byteLength / elementSize) throw new RangeError("The view is shorter than min");
    return minimum;
  };

  class ReadableStreamBYOBReader {
    #impl;

    constructor(stream) {
      need(arguments.length, 1, "ReadableStreamBYOBReader");
      const impl = readables.implOf(stream);
      if (impl === undefined) throw new TypeError("ReadableStreamBYOBReader needs a ReadableStream");
      this.#impl = new ByobReader(impl);
    }

    static #of(value) {
      return typeof value === "object" && value !== null && #impl in value ? value.#impl : undefined;
    }

    get closed() {
      const impl = ReadableStreamBYOBReader.#of(this);
      return impl === undefined ? rejected(illegal("ReadableStreamBYOBReader")) : impl.closed.promise;
    }

    cancel(reason = undefined) {
      const impl = ReadableStreamBYOBReader.#of(this);
      if (impl === undefined) return rejected(illegal("ReadableStreamBYOBReader"));
      return impl.stream === undefined ? rejected(released()) : impl.cancel(reason);
    }

    read(view, options = undefined) {
      try {
        const impl = this.#impl;
        need(arguments.length, 1, "ReadableStreamBYOBReader.read");
        toView(view, "ReadableStreamBYOBReader.read");
        const minimum = checkRead(view, options);
        if (impl.stream === undefined) throw released();
        const request = new PromiseRequest();
        impl.read(view, minimum, request);
        return request.promise;
      } catch (error) {
        return rejected(error);
      }
    }

    releaseLock() { if (this.#impl.stream !== undefined) this.#impl.release(); }
  }
  finish(ReadableStreamBYOBReader, "ReadableStreamBYOBReader", ["closed", "cancel", "read", "releaseLock"]);

  // --- The controller and its requests --------------------------------------------------------------------

  let showRequest;

  class ReadableStreamBYOBRequest {
    #controller;
    #view;

    constructor() {
      if (arguments[0] !== MAKE) throw new TypeError("Illegal constructor");
      this.#controller = arguments[1];
      this.#view = arguments[2];
    }

    static {
      // The controller knows a request by what it can do with it.
      showRequest = (controller) => {
        if (controller.request === null && controller.pending.length > 0) {
          const { buffer, byteOffset, byteLength, bytesFilled } = controller.pending.first;
          const view = new Bytes(buffer, byteOffset + bytesFilled, byteLength - bytesFilled);
          const shown = new ReadableStreamBYOBRequest(MAKE, controller, view);
          controller.request = { shown, view, detach() { shown.#detach(); } };
        }
        return controller.request?.shown ?? null;
      };
    }

    #detach() {
      this.#controller = undefined;
      this.#view = null;
    }

    get view() { return this.#view; }

    respond(bytesWritten) {
      this.#view;
      need(arguments.length, 1, "ReadableStreamBYOBRequest.respond");
      const count = toLength(bytesWritten, "ReadableStreamBYOBRequest.respond: the number of bytes");
      if (this.#controller === undefined) throw over();
      const { buffer } = partsOf(this.#view);
      if (isDetached(buffer)) throw new TypeError("The buffer of the BYOB request is detached");
      this.#controller.respond(count);
    }

    respondWithNewView(view) {
      this.#view;
      need(arguments.length, 1, "ReadableStreamBYOBRequest.respondWithNewView");
      toView(view, "ReadableStreamBYOBRequest.respondWithNewView");
      if (this.#controller === undefined) throw over();
      if (isDetached(partsOf(view).buffer)) throw new TypeError("The buffer of the view is detached");
      this.#controller.respondWithNewView(view);
    }
  }
  finish(ReadableStreamBYOBRequest, "ReadableStreamBYOBRequest", ["view", "respond", "respondWithNewView"]);

  const over = () => new TypeError("This BYOB request was answered already");

  class ReadableByteStreamController {
    #impl;

    constructor() {
      if (arguments[0] !== MAKE) throw new TypeError("Illegal constructor");
      this.#impl = arguments[1];
    }

    get byobRequest() { return showRequest(this.#impl); }
    get desiredSize() { return this.#impl.desiredSize; }

    close() {
      if (!this.#impl.canCloseOrEnqueue) throw new TypeError("The stream is not open and cannot be closed");
      this.#impl.close();
    }

    enqueue(chunk) {
      const impl = this.#impl;
      need(arguments.length, 1, "ReadableByteStreamController.enqueue");
      toView(chunk, "ReadableByteStreamController.enqueue");
      const { buffer, byteLength } = partsOf(chunk);
      if (byteLength === 0 || bufferLength(buffer) === 0) throw new TypeError("The chunk has no bytes");
      if (!impl.canCloseOrEnqueue) throw new TypeError("The stream is not open and takes no chunks");
      impl.enqueue(chunk);
    }

    error(e = undefined) { this.#impl.error(e); }
  }
  finish(ReadableByteStreamController, "ReadableByteStreamController",
    ["byobRequest", "desiredSize", "close", "enqueue", "error"]);

  const show = (controller) => controller.interface ??= new ReadableByteStreamController(MAKE, controller);

  const setUp = (stream, source, methods, highWaterMark) => {
    const { autoAllocateChunkSize, start } = methods;
    if (autoAllocateChunkSize === 0) throw new TypeError("The source's autoAllocateChunkSize must not be 0");
    const steps = stepsOf(source, methods, () => show(controller));
    const controller = new ByteController(stream, steps, highWaterMark, autoAllocateChunkSize);
    controller.start(start === undefined ? undefined : apply(start, source, [show(controller)]));
  };

  // --- Branches -------------------------------------------------------------------------------------------

  class ByteTee {
    #source;
    #reader;
    #isReading = false;
    #readsAgain = [false, false];
    #isCancelled = [false, false];
    #reasons = [undefined, undefined];
    #cancelled = new Deferred();
    branches;

    constructor(source) {
      this.#source = source;
      this.branches = [this.#branch(0), this.#branch(1)];
      this.#read(new DefaultReader(source));
    }

    #branch(index) {
      const stream = new Readable();
      const steps = { pull: () => this.#pull(index), cancel: (reason) => this.#cancel(index, reason) };
      new ByteController(stream, steps, 0, undefined).start(undefined);
      return stream;
    }

    #controller(index) { return this.branches[index].controller; }

    #read(reader) {
      this.#reader = reader;
      react(reader.closed.promise, undefined, (error) => {
        if (reader !== this.#reader) return;
        this.#errorBoth(error);
        this.#endCancel();
      });
    }

    #errorBoth(error) {
      this.#controller(0).error(error);
      this.#controller(1).error(error);
    }

    #endCancel() {
      if (!this.#isCancelled[0] || !this.#isCancelled[1]) this.#cancelled.resolve(undefined);
    }

    #cancel(index, reason) {
      this.#isCancelled[index] = true;
      this.#reasons[index] = reason;
      if (this.#isCancelled[1 - index]) this.#cancelled.resolve(this.#source.cancel(this.#reasons));
      return this.#cancelled.promise;
    }

    #pull(index) {
      if (this.#isReading) {
        this.#readsAgain[index] = true;
        return resolved(undefined);
      }
      this.#isReading = true;
      const controller = this.#controller(index);
      if (showRequest(controller) === null) this.#pullChunk();
      else this.#pullInto(controller.request.view, index);
      return resolved(undefined);
    }

    #pullAgain() {
      this.#isReading = false;
      if (this.#readsAgain[0]) this.#pull(0);
      else if (this.#readsAgain[1]) this.#pull(1);
    }

    /** A copy for the other branch, or undefined when that fails, which ends both. */
    #copy(chunk) {
      try {
        const { buffer, byteOffset, byteLength } = partsOf(chunk);
        return new Bytes(cloned(buffer, byteOffset, byteLength));
      } catch (error) {
        this.#errorBoth(error);
        this.#cancelled.resolve(this.#source.cancel(error));
        return undefined;
      }
    }

    #pullChunk() {
      if (this.#reader.isByob) {
        this.#reader.release();
        this.#read(new DefaultReader(this.#source));
      }
      this.#reader.read({
        // In a microtask, that an error of the source gets to the branches first.
        chunk: (chunk) => microtask(() => this.#gotChunk(chunk)),
        close: () => this.#gotEnd(),
        error: () => { this.#isReading = false; },
      });
    }

    #gotChunk(chunk) {
      const isCancelled = this.#isCancelled;
      this.#readsAgain[0] = this.#readsAgain[1] = false;
      const copy = isCancelled[0] || isCancelled[1] ? chunk : this.#copy(chunk);
      if (copy === undefined) return;
      if (!isCancelled[0]) this.#controller(0).enqueue(chunk);
      if (!isCancelled[1]) this.#controller(1).enqueue(copy);
      this.#pullAgain();
    }

    #gotEnd() {
      this.#isReading = false;
      for (let index = 0; index < 2; index++) if (!this.#isCancelled[index]) this.#controller(index).close();
      for (let index = 0; index < 2; index++) this.#answerNothing(index);
      this.#endCancel();
    }

    #answerNothing(index) {
      const controller = this.#controller(index);
      if (controller.pending.length > 0) controller.respond(0);
    }

    #pullInto(view, index) {
      if (!this.#reader.isByob) {
        this.#reader.release();
        this.#read(new ByobReader(this.#source));
      }
      this.#reader.read(view, 1, {
        chunk: (chunk) => microtask(() => this.#gotFilled(chunk, index)),
        close: (chunk) => this.#gotEndInto(chunk, index),
        error: () => { this.#isReading = false; },
      });
    }

    #gotFilled(chunk, index) {
      this.#readsAgain[0] = this.#readsAgain[1] = false;
      const wantsCopy = !this.#isCancelled[1 - index];
      const copy = wantsCopy ? this.#copy(chunk) : undefined;
      if (wantsCopy && copy === undefined) return;
      if (!this.#isCancelled[index]) this.#controller(index).respondWithNewView(chunk);
      if (wantsCopy) this.#controller(1 - index).enqueue(copy);
      this.#pullAgain();
    }

    #gotEndInto(chunk, index) {
      const isCancelled = this.#isCancelled;
      this.#isReading = false;
      if (!isCancelled[index]) this.#controller(index).close();
      if (!isCancelled[1 - index]) this.#controller(1 - index).close();
      if (chunk !== undefined) {
        if (!isCancelled[index]) this.#controller(index).respondWithNewView(chunk);
        if (!isCancelled[1 - index]) this.#answerNothing(1 - index);
      }
      this.#endCancel();
    }
  }

  const bytes = {
    setUp,
    getReader: (stream) => new ReadableStreamBYOBReader(stream),
    tee: (source) => new ByteTee(source).branches,
  };
  return { ReadableStreamBYOBReader, ReadableByteStreamController, ReadableStreamBYOBRequest, bytes };
})
