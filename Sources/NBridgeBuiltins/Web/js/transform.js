// SPDX-License-Identifier: MIT
// TransformStream (Streams standard, section 6).
((host) => {
  "use strict";
  const { core, readables, writables } = host;
  const { TypeError, RangeError } = globalThis;
  const {
    Deferred, countOne, finish, highWaterMarkOf, promiseCall, react, resolved, sizeOf, toCallback, toObject,
    toStrategy,
  } = core;
  const { apply } = Reflect;

  const MAKE = Symbol("make");
  const nothing = () => resolved(undefined);

  // --- The stream (6.4) -----------------------------------------------------------------------------------

  class Transform {
    readable;
    writable;
    hasBackpressure = true;
    #change = new Deferred();
    #steps;
    #ending = undefined; // what close, abort and cancel answer, whichever came first

    /** `steps`: { transform(chunk), flush(), cancel(reason) }, which answer promises. */
    constructor(steps, started, writableMark, writableSize, readableMark, readableSize) {
      this.#steps = steps;
      const sink = {
        write: (chunk) => this.#write(chunk),
        abort: (reason) => this.#end("cancel", reason),
        close: () => this.#end("flush", undefined),
      };
      this.writable = writables.create(sink, started, writableMark, writableSize);
      const source = { pull: () => this.#pull(), cancel: (reason) => this.#cancel(reason) };
      this.readable = readables.create(source, started, readableMark, readableSize);
    }

    /** Settles when it has backpressure no more, or has it again, or its writable side is aborted. */
    get changeOrAbort() {
      const wait = new Deferred(), done = () => wait.resolve(undefined);
      react(this.#change.promise, done);
      this.writable.controller.onAbort = done;
      return wait.promise;
    }

    setBackpressure(hasBackpressure) {
      this.#change.resolve(undefined);
      this.#change = new Deferred();
      this.hasBackpressure = hasBackpressure;
    }

    error(error) {
      this.readable.controller.error(error);
      this.errorWritable(error);
    }

    errorWritable(error) {
      this.#steps = undefined;
      this.writable.controller.errorIfNeeded(error);
      this.#unblockWrite();
    }

    #unblockWrite() { if (this.hasBackpressure) this.setBackpressure(false); }

    enqueue(chunk) {
      const { readable } = this;
      const { controller } = readable;
      if (!controller.canCloseOrEnqueue) throw new TypeError("The readable side takes no more chunks");
      try {
        controller.enqueue(chunk);
      } catch (error) {
        this.errorWritable(error);
        throw readable.storedError;
      }
      if (controller.hasBackpressure !== this.hasBackpressure) this.setBackpressure(true);
    }

    terminate() {
      this.readable.controller.close();
      this.errorWritable(new TypeError("The transform was terminated"));
    }

    #transform(chunk) {
      if (this.#steps === undefined) return nothing(); // The readable side was cancelled: no reader wants it.
      return react(this.#steps.transform(chunk), undefined, (error) => {
        this.error(error);
        throw error;
      });
    }

    #write(chunk) {
      if (!this.hasBackpressure) return this.#transform(chunk);
      return react(this.#change.promise, () => {
        const { state, storedError } = this.writable;
        if (state === "erroring") throw storedError;
        return this.#transform(chunk);
      });
    }

    #pull() {
      this.setBackpressure(false);
      return this.#change.promise;
    }

    /** Calls flush or cancel, once, and answers what is there when that is done. */
    #finish(name, reason, done, fail) {
      const ending = this.#ending = new Deferred();
      const steps = this.#steps;
      const result = steps === undefined ? nothing() : steps[name](reason); // None after terminate().
      this.#steps = undefined;
      react(result, () => done(ending), (error) => {
        fail(error);
        ending.reject(error);
      });
      return ending.promise;
    }

    /** The writable side is closed or aborted: so is the readable side. */
    #end(name, reason) {
      if (this.#ending !== undefined) return this.#ending.promise;
      const { readable } = this;
      return this.#finish(name, reason, (ending) => {
        if (readable.state === "errored") return ending.reject(readable.storedError);
        if (name === "flush") readable.controller.close();
        else readable.controller.error(reason);
        ending.resolve(undefined);
      }, (error) => readable.controller.error(error));
    }

    #cancel(reason) {
      if (this.#ending !== undefined) {
        // What ends may wait for readers.
        this.#unblockWrite();
        return this.#ending.promise;
      }
      const { writable } = this;
      const fail = (error) => {
        writable.controller.errorIfNeeded(error);
        this.#unblockWrite();
      };
      return this.#finish("cancel", reason, (ending) => {
        if (writable.state === "errored") return ending.reject(writable.storedError);
        fail(reason);
        ending.resolve(undefined);
      }, fail);
    }
  }

  // --- Interfaces -----------------------------------------------------------------------------------------

  /** Transformer. */
  const toTransformer = (transformer) => {
    if (transformer === undefined) return { __proto__: null };
    const { cancel, flush, readableType, start, transform, writableType } = transformer;
    toCallback(cancel, "The transformer's cancel");
    toCallback(flush, "The transformer's flush");
    toCallback(start, "The transformer's start");
    toCallback(transform, "The transformer's transform");
    if (readableType !== undefined || writableType !== undefined) {
      throw new RangeError("The transformer has a readableType or a writableType, which are not known");
    }
    return { cancel, flush, start, transform };
  };

  /** `stream()` answers the Transform, which is made from these. */
  const stepsOf = (transformer, { cancel, flush, transform }, shown, stream) => ({
    cancel: cancel === undefined ? nothing : (reason) => promiseCall(cancel, transformer, [reason]),
    flush: flush === undefined ? nothing : () => promiseCall(flush, transformer, [shown]),
    transform: transform === undefined
      ? (chunk) => promiseCall(() => stream().enqueue(chunk), undefined, [])
      : (chunk) => promiseCall(transform, transformer, [chunk, shown]),
  });

  class TransformStream {
    #readable;
    #writable;

    constructor(transformer = undefined, writableStrategy = undefined, readableStrategy = undefined) {
      const object = toObject(transformer, "TransformStream: the transformer");
      const forWritable = toStrategy(writableStrategy);
      const forReadable = toStrategy(readableStrategy);
      const methods = toTransformer(object);
      const readableMark = highWaterMarkOf(forReadable, 0);
      const readableSize = sizeOf(forReadable);
      const writableMark = highWaterMarkOf(forWritable, 1);
      const started = new Deferred();
      const shown = new TransformStreamDefaultController(MAKE);
      const steps = stepsOf(object, methods, shown, () => stream);
      const stream = new Transform(steps, started.promise, writableMark, sizeOf(forWritable), readableMark,
        readableSize);
      setStream(shown, stream);
      this.#readable = readables.show(stream.readable);
      this.#writable = writables.show(stream.writable);
      const { start } = methods;
      started.resolve(start === undefined ? undefined : apply(start, object, [shown]));
    }

    get readable() { return this.#readable; }
    get writable() { return this.#writable; }
  }
  finish(TransformStream, "TransformStream", ["readable", "writable"]);

  let setStream;

  class TransformStreamDefaultController {
    #stream;

    constructor() { if (arguments[0] !== MAKE) throw new TypeError("Illegal constructor"); }

    static { setStream = (controller, stream) => { controller.#stream = stream; }; }

    get desiredSize() { return this.#stream.readable.controller.desiredSize; }
    enqueue(chunk = undefined) { this.#stream.enqueue(chunk); }
    error(reason = undefined) { this.#stream.error(reason); }
    terminate() { this.#stream.terminate(); }
  }
  finish(TransformStreamDefaultController, "TransformStreamDefaultController",
    ["desiredSize", "enqueue", "error", "terminate"]);

  const transforms = {
    /** A stream of the runtime's own, whose steps are called with the Transform (Streams 9.3.1). */
    create(transform, flush) {
      const steps = {
        transform: (chunk) => promiseCall(transform, undefined, [chunk, stream]),
        flush: () => promiseCall(flush, undefined, [stream]),
        cancel: nothing,
      };
      const stream = new Transform(steps, undefined, 1, countOne, 0, countOne);
      return { readable: readables.show(stream.readable), writable: writables.show(stream.writable) };
    },
  };
  return { TransformStream, TransformStreamDefaultController, transforms };
})
