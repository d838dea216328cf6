// SPDX-License-Identifier: MIT
// What is behind a ReadableStream, its readers and its default controller (Streams standard, 4.9). The interfaces are in
// readable.js.
((host) => {
  "use strict";
  const { TypeError } = globalThis;
  const { Deferred, Queue, SizedQueue, countOne, failed, handled, noop, react, rejected, resolved, settled } = host.core;

  // --- The stream (4.9.2) ---------------------------------------------------------------------------------

  /** A stream without its interface object: a transform or a tee has no need of that at first. */
  class Readable {
    state = "readable";
    storedError = undefined;
    reader = undefined;
    controller = undefined;
    isDisturbed = false;
    isBytes = false;
    /** Called once, when it is closed or has failed. */
    whenOver = undefined;

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
      this.whenOver?.();
      const { reader } = this;
      if (reader === undefined) return;
      reader.closed.resolve(undefined);
      reader.onClose();
    }

    error(error) {
      this.state = "errored";
      this.storedError = error;
      this.whenOver?.();
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
    // The one that is there without asks the iterator of arrays.
    constructor(stream) { super(stream); }

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

  return { readableCore: { Readable, GenericReader, DefaultReader, GenericController, Controller, PromiseRequest, released } };
})
