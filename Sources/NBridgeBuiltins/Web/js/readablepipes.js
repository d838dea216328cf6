// SPDX-License-Identifier: MIT
// What is made of a ReadableStream: pipes, iterators, and streams made of iterables (Streams standard, 4.9.1
// and 4.2.5); its branches are in readabletee.js.
((host) => {
  "use strict";
  const { core, readables, writables } = host;
  const { TypeError } = globalThis;
  const {
    Deferred, countOne, handled, isObject, microtask, noop, react, rejected, resolved, waitForAll,
  } = core;
  const { DefaultReader } = host.readableCore;
  const { Writer } = writables;
  const { apply } = Reflect;
  const { defineProperty } = Object;

  // --- Pipes (4.9.1, "ReadableStreamPipeTo") --------------------------------------------------------------

  class Pipe {
    #source;
    #target;
    #options;
    #reader;
    #writer;
    #done = new Deferred();
    #isEnding = false;
    #lastWrite = resolved(undefined);
    #abort = undefined;

    constructor(source, target, options) {
      this.#source = source;
      this.#target = target;
      this.#options = options;
      this.#reader = new DefaultReader(source);
      this.#writer = new Writer(target);
      source.isDisturbed = true;
      if (options.signal === undefined || this.#followSignal(options.signal)) {
        this.#watch();
        this.#step();
      }
    }

    get promise() { return this.#done.promise; }

    /** Answers whether there is something to do yet. */
    #followSignal(signal) {
      this.#abort = () => {
        const reason = host.signals.reason(signal);
        this.#end(() => this.#abortBoth(reason), reason);
      };
      if (!host.signals.isAborted(signal)) {
        host.signals.addStep(signal, this.#abort);
        return true;
      }
      this.#abort();
      return false;
    }

    #abortBoth(error) {
      const source = this.#source;
      const target = this.#target;
      const { preventAbort, preventCancel } = this.#options;
      const mayAbort = !preventAbort && target.state === "writable";
      const aborted = mayAbort ? target.abort(error) : resolved(undefined);
      const mayCancel = !preventCancel && source.state === "readable";
      const cancelled = mayCancel ? source.cancel(error) : resolved(undefined);
      return waitForAll(aborted, cancelled);
    }

    /** Ends the pipe when one of the streams does. The first that holds is what counts. */
    #watch() {
      const source = this.#source;
      const target = this.#target;
      const whenFailed = (error) => this.#whenSourceFailed(error);
      const whenTargetFailed = (error) => this.#whenTargetFailed(error);
      const whenClosed = () => this.#whenSourceClosed();
      if (source.state === "errored") whenFailed(source.storedError);
      else if (source.state === "readable") react(this.#reader.closed.promise, whenClosed, whenFailed);
      if (target.state === "errored") whenTargetFailed(target.storedError);
      else react(this.#writer.closed.promise, noop, whenTargetFailed);
      if (source.state === "closed") whenClosed();
      if (target.isClosing || target.state === "closed") {
        whenTargetFailed(new TypeError("The destination of the pipe is closing or closed"));
      }
    }

    #whenSourceFailed(error) {
      this.#end(this.#options.preventAbort ? undefined : () => this.#target.abort(error), error, true);
    }

    #whenTargetFailed(error) {
      this.#end(this.#options.preventCancel ? undefined : () => this.#source.cancel(error), error, true);
    }

    #whenSourceClosed() {
      const close = () => this.#writer.closeAfterPipe();
      this.#end(this.#options.preventClose ? undefined : close, undefined, false);
    }

    /** Reads one chunk, once the destination wants it. */
    #step() {
      if (this.#isEnding) return;
      if (this.#writer.desiredSize > 0) this.#reader.read(this);
      else react(this.#writer.ready.promise, () => this.#step(), noop);
    }

    // The pipe is its own read request. Chunks are written in a microtask: enqueue() must not call the sink.
    chunk(value) {
      microtask(() => {
        if (this.#writer.stream === undefined) return;
        this.#lastWrite = handled(this.#writer.write(value));
        this.#step();
      });
    }

    close() {}
    error() {}

    /** "Shutdown", with or without an action: what was read is written first. */
    #end(action, error, hasError = true) {
      if (this.#isEnding) return;
      this.#isEnding = true;
      const act = () => {
        if (action === undefined) return this.#finish(hasError, error);
        react(action(), () => this.#finish(hasError, error), (reason) => this.#finish(true, reason));
      };
      const target = this.#target;
      if (target.state === "writable" && !target.isClosing) this.#whenWritten(act);
      else act();
    }

    #whenWritten(act) {
      const last = this.#lastWrite;
      const check = () => {
        if (last === this.#lastWrite) act();
        else this.#whenWritten(act);
      };
      react(last, check, check);
    }

    #finish(hasError, error) {
      this.#writer.release();
      this.#reader.release();
      if (this.#abort !== undefined) host.signals.removeStep(this.#options.signal, this.#abort);
      if (hasError) this.#done.reject(error);
      else this.#done.resolve(undefined);
    }
  }

  // --- Streams of iterables (4.9.1, "ReadableStreamFromIterable") -----------------------------------------

  const methodOf = (value, key) => {
    const method = value[key];
    if (method === undefined || method === null) return undefined;
    if (typeof method !== "function") throw new TypeError("An iterable has a method that is no function");
    return method;
  };

  /** { iterator, next, isAsync }: an iterator for "async" if there is one, any other if not. */
  const iteratorOf = (value) => {
    if (value === undefined || value === null) throw new TypeError("ReadableStream.from needs an iterable");
    const asynchronous = methodOf(value, Symbol.asyncIterator);
    const method = asynchronous ?? methodOf(value, Symbol.iterator);
    if (method === undefined) throw new TypeError("ReadableStream.from needs an iterable");
    const iterator = apply(method, value, []);
    if (!isObject(iterator)) throw new TypeError("An iterable has an iterator that is no object");
    return { iterator, next: iterator.next, isAsync: asynchronous !== undefined };
  };

  const requireResult = (result) => {
    if (!isObject(result)) throw new TypeError("An iterator answered what is no object");
    return result;
  };

  /** ECMAScript, "AsyncFromSyncIteratorContinuation": a result of an iterator that is not asynchronous. */
  const continued = (result, { iterator }, closes) => {
    const { done } = requireResult(result);
    const value = resolved(result.value);
    const close = closes && !done ? (error) => {
      try {
        const method = methodOf(iterator, "return");
        if (method !== undefined) apply(method, iterator, []);
      } catch {} // What rejected the value is what counts.
      throw error;
    } : undefined;
    return react(value, (settledValue) => ({ __proto__: null, done: !!done, value: settledValue }), close);
  };

  const nextOf = (record) => {
    try {
      const result = apply(record.next, record.iterator, []);
      return record.isAsync ? resolved(result) : continued(result, record, true);
    } catch (error) {
      return rejected(error);
    }
  };

  const returnOf = (record, reason) => {
    try {
      const method = methodOf(record.iterator, "return");
      if (method === undefined) return resolved(undefined);
      const result = apply(method, record.iterator, [reason]);
      return react(record.isAsync ? resolved(result) : continued(result, record, false), (given) => {
        requireResult(given);
      });
    } catch (error) {
      return rejected(error);
    }
  };

  const from = (iterable) => {
    const record = iteratorOf(iterable);
    const pull = () => react(nextOf(record), (result) => {
      if (requireResult(result).done) stream.controller.close();
      else stream.controller.enqueue(result.value);
    });
    const cancel = (reason) => returnOf(record, reason);
    const stream = readables.create({ pull, cancel }, undefined, 0, countOne);
    return stream;
  };

  // --- Iterators (4.2.5, and Web IDL, 3.7.10.2) -----------------------------------------------------------

  const NOTHING = Symbol("end");

  class Reading {
    #reader;
    #preventCancel;
    #isFinished = false;
    #ongoing = null;

    constructor(stream, preventCancel) {
      this.#reader = new DefaultReader(stream);
      this.#preventCancel = preventCancel;
    }

    next() { return this.#queue(() => this.#next()); }
    return(value) { return this.#queue(() => this.#return(value)); }

    /** One step after the other. */
    #queue(step) {
      const ongoing = this.#ongoing;
      return this.#ongoing = ongoing === null ? step() : react(ongoing, step, step);
    }

    #next() {
      if (this.#isFinished) return resolved({ value: undefined, done: true });
      return react(this.#read(), (value) => {
        this.#ongoing = null;
        const done = value === NOTHING;
        if (done) this.#isFinished = true;
        return { value: done ? undefined : value, done };
      }, (error) => {
        this.#ongoing = null;
        this.#isFinished = true;
        throw error;
      });
    }

    #read() {
      const result = new Deferred();
      const reader = this.#reader;
      reader.read({
        chunk(value) { result.resolve(value); },
        close() {
          reader.release();
          result.resolve(NOTHING);
        },
        error(reason) {
          reader.release();
          result.reject(reason);
        },
      });
      return result.promise;
    }

    #return(value) {
      if (this.#isFinished) return resolved({ value, done: true });
      this.#isFinished = true;
      return react(this.#close(value), () => ({ value, done: true }));
    }

    #close(value) {
      const reader = this.#reader;
      const result = this.#preventCancel ? resolved(undefined) : reader.cancel(value);
      reader.release();
      return result;
    }
  }

  const AsyncIterator = Object.getPrototypeOf(Object.getPrototypeOf(async function* () {}).prototype);
  let make;
  let readingOf;

  class ReadableStreamAsyncIterator {
    #reading;

    static {
      make = (reading) => {
        const iterator = new ReadableStreamAsyncIterator();
        iterator.#reading = reading;
        return iterator;
      };
      readingOf = (value) =>
        typeof value === "object" && value !== null && #reading in value ? value.#reading : undefined;
    }

    next() { return readingOf(this)?.next() ?? rejected(notIterator()); }
    return(value) { return readingOf(this)?.return(value) ?? rejected(notIterator()); }
  }
  const notIterator = () => new TypeError("This is not an iterator of a ReadableStream");

  const { prototype } = ReadableStreamAsyncIterator;
  Object.setPrototypeOf(prototype, AsyncIterator);
  delete prototype.constructor; // There is no such interface to be had.
  for (const name of ["next", "return"]) defineProperty(prototype, name, { __proto__: null, enumerable: true });
  const tag = "ReadableStream AsyncIterator";
  defineProperty(prototype, Symbol.toStringTag, { __proto__: null, value: tag, configurable: true });
  host.declareInterface(ReadableStreamAsyncIterator, tag);

  const pipes = {
    pipe: (source, target, options) => new Pipe(source, target, options).promise,
    from,
    iterate: (stream, preventCancel) => make(new Reading(stream, preventCancel)),
  };
  return { pipes };
})
