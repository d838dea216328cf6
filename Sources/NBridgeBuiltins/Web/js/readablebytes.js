// SPDX-License-Identifier: MIT
// The controller of a ReadableStream of bytes (Streams standard, 4.9.5), without its interface object.
// The interfaces, the BYOB reader and the branches are in readablebyob.js.
((host) => {
  "use strict";
  const { core, readableCore, bufferViews } = host;
  const { TypeError, RangeError } = globalThis;
  const { Queue } = core;
  const { GenericController } = readableCore;
  const { bufferLength, cloned, copyBytes, isDetached, partsOf, transfer } = bufferViews;
  const { min } = Math;
  const Bytes = Uint8Array;
  const Buffer = ArrayBuffer;

  // --- The controller -------------------------------------------------------------------------------------

  // What a pull-into descriptor is for: a BYOB reader, a default reader, or none since that was released.
  const BYOB = 1;
  const DEFAULT = 2;
  const NONE = 3;

  class ByteController extends GenericController {
    #queue = new Queue(); // { buffer, byteOffset, byteLength }
    #chunkSize;
    pending = new Queue(); // pull-into descriptors
    total = 0;
    request = null; // the interface object { detach() } for the first of these

    constructor(stream, steps, highWaterMark, chunkSize) {
      super(stream, steps, highWaterMark);
      this.#chunkSize = chunkSize;
      stream.isBytes = true;
    }

    get canCloseOrEnqueue() { return !this.isCloseRequested && this.stream.state === "readable"; }

    shouldPull() {
      const { reader } = this.stream;
      if (!this.canCloseOrEnqueue || !this.isStarted) return false;
      return (reader !== undefined && reader.requests.length > 0) || this.desiredSize > 0;
    }

    close() {
      if (!this.canCloseOrEnqueue) return;
      if (this.total > 0) {
        this.isCloseRequested = true;
        return;
      }
      const { pending } = this;
      if (pending.length > 0 && pending.first.bytesFilled % pending.first.elementSize !== 0) {
        const error = new TypeError("The stream was closed amid an element of the view to fill");
        this.error(error);
        throw error;
      }
      this.forget();
      this.stream.close();
    }

    error(error) {
      if (this.stream.state !== "readable") return;
      this.#clear();
      this.forget();
      this.stream.error(error);
    }

    #clear() {
      this.invalidateRequest();
      this.pending.clear();
      this.#queue.clear();
      this.total = 0;
    }

    invalidateRequest() {
      this.request?.detach();
      this.request = null;
    }

    cancelSteps(reason) {
      this.#clear();
      const result = this.cancel(reason);
      this.forget();
      return result;
    }

    /** Keeps what was begun: it may still be filled, for the next reader. */
    releaseSteps() {
      const { pending } = this;
      if (pending.length === 0) return;
      const { first } = pending;
      first.readerType = NONE;
      pending.clear();
      pending.push(first);
    }

    // --- Chunks from the source

    enqueue(chunk) {
      if (!this.canCloseOrEnqueue) return;
      const { buffer, byteOffset, byteLength } = partsOf(chunk);
      if (isDetached(buffer)) throw new TypeError("The buffer of the chunk is detached");
      const own = transfer(buffer);
      if (this.pending.length > 0) this.#retakeFirst();
      const { reader } = this.stream;
      if (reader === undefined || reader.isByob) {
        this.#push(own, byteOffset, byteLength);
        if (reader !== undefined) this.#commitAll(this.#fillPending());
      } else {
        this.#serve(reader, own, byteOffset, byteLength);
      }
      this.pullIfNeeded();
    }

    /** The source enqueues although it may have a request: that is over. */
    #retakeFirst() {
      const { first } = this.pending;
      if (isDetached(first.buffer)) throw new TypeError("The buffer of the BYOB request was detached");
      this.invalidateRequest();
      first.buffer = transfer(first.buffer);
      if (first.readerType === NONE) this.#pushFilled(first);
    }

    #serve(reader, buffer, byteOffset, byteLength) {
      while (reader.requests.length > 0 && this.total > 0) this.#shiftTo(reader.requests.shift());
      if (reader.requests.length === 0) return this.#push(buffer, byteOffset, byteLength);
      if (this.pending.length > 0) this.pending.shift();
      reader.requests.shift().chunk(new Bytes(buffer, byteOffset, byteLength));
    }

    #push(buffer, byteOffset, byteLength) {
      this.#queue.push({ buffer, byteOffset, byteLength });
      this.total += byteLength;
    }

    #pushClone(buffer, byteOffset, byteLength) {
      let copy;
      try {
        copy = cloned(buffer, byteOffset, byteLength);
      } catch (error) {
        this.error(error);
        throw error;
      }
      this.#push(copy, 0, byteLength);
    }

    /** The first descriptor, whose reader is gone: what it has goes to the queue. */
    #pushFilled(descriptor) {
      const { buffer, byteOffset, bytesFilled } = descriptor;
      if (bytesFilled > 0) this.#pushClone(buffer, byteOffset, bytesFilled);
      this.pending.shift();
    }

    // --- Chunks to a default reader

    pullSteps(request) {
      if (this.total > 0) return this.#shiftTo(request);
      if (this.#chunkSize !== undefined) {
        try {
          this.#allocate(this.#chunkSize);
        } catch (error) {
          return request.error(error);
        }
      }
      this.stream.reader.requests.push(request);
      this.pullIfNeeded();
    }

    #allocate(byteLength) {
      this.pending.push({
        buffer: new Buffer(byteLength), bufferLength: byteLength, byteOffset: 0, byteLength, bytesFilled: 0,
        minimumFill: 1, elementSize: 1, View: Bytes, readerType: DEFAULT,
      });
    }

    #shiftTo(request) {
      const { buffer, byteOffset, byteLength } = this.#queue.shift();
      this.total -= byteLength;
      this.#afterShift();
      request.chunk(new Bytes(buffer, byteOffset, byteLength));
    }

    #afterShift() {
      if (this.total > 0 || !this.isCloseRequested) return this.pullIfNeeded();
      this.forget();
      this.stream.close();
    }

    // --- Chunks to a BYOB reader

    pullInto(view, minimum, request) {
      const { View, elementSize, buffer, byteOffset, byteLength } = partsOf(view);
      let own;
      try {
        own = transfer(buffer);
      } catch (error) {
        return request.error(error);
      }
      const descriptor = {
        buffer: own, bufferLength: bufferLength(own), byteOffset, byteLength, bytesFilled: 0,
        minimumFill: minimum * elementSize, elementSize, View, readerType: BYOB,
      };
      if (this.pending.length > 0) this.#wait(descriptor, request);
      else if (this.stream.state === "closed") request.close(new View(own, byteOffset, 0));
      else if (!this.#serveNow(descriptor, request)) {
        this.#wait(descriptor, request);
        this.pullIfNeeded();
      }
    }

    #wait(descriptor, request) {
      this.pending.push(descriptor);
      this.stream.reader.requests.push(request);
    }

    /** Answers whether the request is dealt with. */
    #serveNow(descriptor, request) {
      if (this.total === 0) return false;
      if (this.#fill(descriptor)) {
        const view = filledView(descriptor);
        this.#afterShift();
        request.chunk(view);
        return true;
      }
      if (!this.isCloseRequested) return false;
      const error = new TypeError("The stream ends amid an element of the view to fill");
      this.error(error);
      request.error(error);
      return true;
    }

    /** Fills from the queue, whole elements if there are enough. Answers whether there are. */
    #fill(descriptor) {
      const { elementSize, bytesFilled, minimumFill } = descriptor;
      let count = min(this.total, descriptor.byteLength - bytesFilled);
      const most = bytesFilled + count;
      const aligned = most - most % elementSize;
      const isReady = aligned >= minimumFill;
      if (isReady) count = aligned - bytesFilled;
      while (count > 0) count -= this.#copyFirst(descriptor, count);
      return isReady;
    }

    #copyFirst(descriptor, most) {
      const { first } = this.#queue;
      const count = min(most, first.byteLength);
      const to = descriptor.byteOffset + descriptor.bytesFilled;
      copyBytes(descriptor.buffer, to, first.buffer, first.byteOffset, count);
      if (count === first.byteLength) this.#queue.shift();
      else {
        first.byteOffset += count;
        first.byteLength -= count;
      }
      this.total -= count;
      descriptor.bytesFilled += count;
      return count;
    }

    /** Answers the descriptors that the queue could fill. They are committed later: that runs scripts. */
    #fillPending() {
      const filled = new Queue();
      while (this.pending.length > 0 && this.total > 0 && this.#fill(this.pending.first)) {
        filled.push(this.pending.shift());
      }
      return filled;
    }

    #commitAll(filled) { while (filled.length > 0) this.#commit(filled.shift()); }

    #commit(descriptor) {
      const request = this.stream.reader.requests.shift();
      const view = filledView(descriptor);
      if (this.stream.state === "closed") request.close(view);
      else request.chunk(view);
    }

    // --- What the source answers to a BYOB request

    respond(count) {
      const { first } = this.pending;
      this.#checkCount(count);
      if (first.bytesFilled + count > first.byteLength) {
        throw new RangeError("More bytes than the request has room for");
      }
      first.buffer = transfer(first.buffer);
      this.#answer(count);
    }

    respondWithNewView(view) {
      const { first } = this.pending;
      const { buffer, byteOffset, byteLength } = partsOf(view);
      this.#checkCount(byteLength);
      if (first.byteOffset + first.bytesFilled !== byteOffset) {
        throw new RangeError("The view begins elsewhere than the one of the request");
      }
      if (first.bufferLength !== bufferLength(buffer)) {
        throw new RangeError("The view's buffer has another length than the one of the request");
      }
      if (first.bytesFilled + byteLength > first.byteLength) {
        throw new RangeError("The view is longer than the one of the request");
      }
      first.buffer = transfer(buffer);
      this.#answer(byteLength);
    }

    #checkCount(count) {
      const isClosed = this.stream.state === "closed";
      if (isClosed && count !== 0) throw new TypeError("The stream is closed and takes no bytes");
      if (!isClosed && count === 0) throw new TypeError("There are no bytes, and the stream is not closed");
    }

    #answer(count) {
      const { first } = this.pending;
      this.invalidateRequest();
      if (this.stream.state === "closed") this.#answerClosed(first);
      else this.#answerReadable(first, count);
      this.pullIfNeeded();
    }

    #answerClosed(first) {
      if (first.readerType === NONE) this.pending.shift();
      const { reader } = this.stream;
      if (reader === undefined || !reader.isByob) return;
      const filled = new Queue();
      while (filled.length < reader.requests.length) filled.push(this.pending.shift());
      this.#commitAll(filled);
    }

    #answerReadable(first, count) {
      first.bytesFilled += count;
      if (first.readerType === NONE) {
        this.#pushFilled(first);
        return this.#commitAll(this.#fillPending());
      }
      if (first.bytesFilled < first.minimumFill) return;
      this.pending.shift();
      const rest = first.bytesFilled % first.elementSize;
      if (rest > 0) this.#pushClone(first.buffer, first.byteOffset + first.bytesFilled - rest, rest);
      first.bytesFilled -= rest;
      const filled = this.#fillPending();
      this.#commit(first);
      this.#commitAll(filled);
    }
  }

  const filledView = ({ View, buffer, byteOffset, bytesFilled, elementSize }) =>
    new View(transfer(buffer), byteOffset, bytesFilled / elementSize);

  return { ByteController };
})
