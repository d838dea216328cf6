// SPDX-License-Identifier: MIT
// What is behind a WritableStream, its writer and its controller (Streams standard, 5.5). The interfaces are in writable.js.
((host) => {
  "use strict";
  const { TypeError } = globalThis;
  const { Deferred, Queue, SizedQueue, countOne, failed, handled, react, rejected, resolved, settled } = host.core;

  const CLOSE = Symbol("close");

  // --- The stream (5.5) -----------------------------------------------------------------------------------

  /** A stream without its interface object: a transform or a pipe has no need of that. */
  class Writable {
    state = "writable";
    storedError = undefined;
    writer = undefined;
    controller = undefined;
    writeRequests = new Queue();
    inFlightWrite = undefined;
    closeRequest = undefined;
    inFlightClose = undefined;
    pendingAbort = undefined;
    hasBackpressure = false;

    get isClosing() { return this.closeRequest !== undefined || this.inFlightClose !== undefined; }
    get isOver() { return this.state === "closed" || this.state === "errored"; }

    abort(reason) {
      if (this.isOver) return resolved(undefined);
      this.controller.signalAbort(reason);
      if (this.isOver) return resolved(undefined); // A listener ended it.
      if (this.pendingAbort !== undefined) return this.pendingAbort.done.promise;
      const wasErroring = this.state === "erroring";
      const done = new Deferred();
      this.pendingAbort = { done, reason: wasErroring ? undefined : reason, wasErroring };
      if (!wasErroring) this.startErroring(reason);
      return done.promise;
    }

    close() {
      if (this.isOver) return rejected(new TypeError(`The stream is already ${this.state}`));
      this.closeRequest = new Deferred();
      const { promise } = this.closeRequest;
      if (this.writer !== undefined && this.hasBackpressure && this.state === "writable") {
        this.writer.ready.resolve(undefined);
      }
      this.controller.queueClose();
      return promise;
    }

    dealWithRejection(error) {
      if (this.state === "writable") this.startErroring(error);
      else this.finishErroring();
    }

    startErroring(reason) {
      this.state = "erroring";
      this.storedError = reason;
      this.writer?.failReady(reason);
      const isBusy = this.inFlightWrite !== undefined || this.inFlightClose !== undefined;
      if (!isBusy && this.controller.isStarted) this.finishErroring();
    }

    finishErroring() {
      this.state = "errored";
      this.controller.queue.clear();
      const requests = this.writeRequests;
      this.writeRequests = new Queue();
      while (requests.length > 0) requests.shift().reject(this.storedError);
      const abort = this.pendingAbort;
      this.pendingAbort = undefined;
      if (abort === undefined) return this.failClosed();
      if (abort.wasErroring) {
        abort.done.reject(this.storedError);
        return this.failClosed();
      }
      react(this.controller.abortSteps(abort.reason), () => {
        abort.done.resolve(undefined);
        this.failClosed();
      }, (error) => {
        abort.done.reject(error);
        this.failClosed();
      });
    }

    finishWrite() {
      this.inFlightWrite.resolve(undefined);
      this.inFlightWrite = undefined;
    }

    failWrite(error) {
      this.inFlightWrite.reject(error);
      this.inFlightWrite = undefined;
      this.dealWithRejection(error);
    }

    finishClose() {
      this.inFlightClose.resolve(undefined);
      this.inFlightClose = undefined;
      if (this.state === "erroring") {
        this.storedError = undefined; // The abort came too late to matter.
        this.pendingAbort?.done.resolve(undefined);
        this.pendingAbort = undefined;
      }
      this.state = "closed";
      this.writer?.closed.resolve(undefined);
    }

    failClose(error) {
      this.inFlightClose.reject(error);
      this.inFlightClose = undefined;
      this.pendingAbort?.done.reject(error);
      this.pendingAbort = undefined;
      this.dealWithRejection(error);
    }

    /** Rejects the promises of close() and of the writer, of a stream that is errored for good. */
    failClosed() {
      this.closeRequest?.reject(this.storedError);
      this.closeRequest = undefined;
      this.writer?.failClosed(this.storedError);
    }

    updateBackpressure(hasBackpressure) {
      if (this.writer !== undefined && hasBackpressure !== this.hasBackpressure) {
        if (hasBackpressure) this.writer.ready = new Deferred();
        else this.writer.ready.resolve(undefined);
      }
      this.hasBackpressure = hasBackpressure;
    }
  }

  // --- The writer (5.5.3) ---------------------------------------------------------------------------------

  class Writer {
    stream;
    ready;
    closed;

    constructor(stream) {
      if (stream.writer !== undefined) throw new TypeError("The stream is locked to another writer");
      this.stream = stream;
      stream.writer = this;
      const { state, storedError, isClosing, hasBackpressure } = stream;
      if (state === "erroring" || state === "errored") this.ready = failed(storedError);
      else if (state === "writable" && !isClosing && hasBackpressure) this.ready = new Deferred();
      else this.ready = settled(undefined);
      if (state === "closed") this.closed = settled(undefined);
      else this.closed = state === "errored" ? failed(storedError) : new Deferred();
    }

    failReady(error) {
      if (!this.ready.isPending) this.ready = failed(error);
      else {
        this.ready.reject(error);
        handled(this.ready.promise);
      }
    }

    failClosed(error) {
      if (!this.closed.isPending) this.closed = failed(error);
      else {
        this.closed.reject(error);
        handled(this.closed.promise);
      }
    }

    get desiredSize() {
      const { state, controller } = this.stream;
      if (state === "errored" || state === "erroring") return null;
      return state === "closed" ? 0 : controller.desiredSize;
    }

    write(chunk) {
      const { stream } = this;
      const size = stream.controller.sizeOf(chunk);
      if (stream !== this.stream) return rejected(released()); // The strategy did that.
      if (stream.state === "errored") return rejected(stream.storedError);
      if (stream.isClosing || stream.state === "closed") {
        return rejected(new TypeError("The stream is closing or closed and takes no more chunks"));
      }
      if (stream.state === "erroring") return rejected(stream.storedError);
      const request = new Deferred();
      stream.writeRequests.push(request);
      stream.controller.queueWrite(chunk, size);
      return request.promise;
    }

    closeAfterPipe() {
      const { stream } = this;
      if (stream.isClosing || stream.state === "closed") return resolved(undefined);
      if (stream.state === "errored") return rejected(stream.storedError);
      return stream.close();
    }

    release() {
      const { stream } = this;
      const error = released();
      this.failReady(error);
      this.failClosed(error);
      stream.writer = undefined;
      this.stream = undefined;
    }
  }

  const released = () => new TypeError("The writer was released and has no stream any more");

  // --- The controller (5.5.4) -----------------------------------------------------------------------------

  class Controller {
    stream;
    queue = new SizedQueue();
    isStarted = false;
    highWaterMark;
    interface = undefined;
    /** Called when the script aborts, if it is any. */
    onAbort = undefined;
    #size;
    #steps;
    #aborter = undefined;
    #isAborted = false;
    #abortReason = undefined;

    /** `steps`: { write(chunk), close(), abort(reason) }, which answer promises. */
    constructor(stream, steps, highWaterMark, size) {
      this.stream = stream;
      this.#steps = steps;
      this.#size = size;
      this.highWaterMark = highWaterMark;
      stream.controller = this;
      stream.updateBackpressure(this.desiredSize <= 0);
    }

    start(result) {
      const { stream } = this;
      react(resolved(result), () => {
        this.isStarted = true;
        this.#advance();
      }, (error) => {
        this.isStarted = true;
        stream.dealWithRejection(error);
      });
    }

    get desiredSize() { return this.highWaterMark - this.queue.total; }

    /** Made when a sink asks for it: few do. */
    get signal() {
      if (this.#aborter === undefined) {
        this.#aborter = host.makeAborter();
        if (this.#isAborted) this.#aborter.abort(this.#abortReason);
      }
      return this.#aborter.signal;
    }

    signalAbort(reason) {
      if (this.#isAborted) return;
      this.#isAborted = true;
      this.#abortReason = reason;
      this.#aborter?.abort(reason);
      this.onAbort?.();
    }

    abortSteps(reason) {
      const result = this.#steps.abort(reason);
      this.#forget();
      return result;
    }

    /** Lets go of what the underlying sink holds. */
    #forget() { this.#steps = this.#size = undefined; }

    sizeOf(chunk) {
      const size = this.#size;
      if (size === undefined || size === countOne) return 1;
      try {
        return size(chunk);
      } catch (error) {
        this.errorIfNeeded(error);
        return 1;
      }
    }

    queueWrite(chunk, size) {
      try {
        this.queue.push(chunk, size);
      } catch (error) {
        return this.errorIfNeeded(error);
      }
      this.#updateBackpressure();
      this.#advance();
    }

    queueClose() {
      this.queue.push(CLOSE, 0);
      this.#advance();
    }

    error(error) {
      this.#forget();
      this.stream.startErroring(error);
    }

    errorIfNeeded(error) { if (this.stream.state === "writable") this.error(error); }

    #updateBackpressure() {
      const { stream } = this;
      if (!stream.isClosing && stream.state === "writable") stream.updateBackpressure(this.desiredSize <= 0);
    }

    #advance() {
      const { stream, queue } = this;
      if (!this.isStarted || stream.inFlightWrite !== undefined) return;
      if (stream.state === "erroring") return stream.finishErroring();
      if (queue.length === 0) return;
      if (queue.first === CLOSE) this.#close();
      else this.#write(queue.first);
    }

    #close() {
      const { stream } = this;
      stream.inFlightClose = stream.closeRequest;
      stream.closeRequest = undefined;
      this.queue.shift();
      const result = this.#steps.close();
      this.#forget();
      react(result, () => stream.finishClose(), (error) => stream.failClose(error));
    }

    #write(chunk) {
      const { stream } = this;
      stream.inFlightWrite = stream.writeRequests.shift();
      react(this.#steps.write(chunk), () => {
        stream.finishWrite();
        this.queue.shift();
        this.#updateBackpressure();
        this.#advance();
      }, (error) => {
        if (stream.state === "writable") this.#forget();
        stream.failWrite(error);
      });
    }
  }

  return { writableCore: { Writable, Writer, Controller, released } };
})
