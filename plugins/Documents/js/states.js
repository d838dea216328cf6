(facade, hidden, BridgeError, program, inner) => {
  "use strict";

  // --- The readers of a document's state -------------------------------------------------------------------

  /** Takes states until it is stopped; of the states that the script has not taken the newest 64 are kept. */
  class StateReader {
    #queue = [];
    #waiting = [];
    #isOver = false;
    #forget;

    constructor(forget) { this.#forget = forget; }

    push(state) {
      const waiting = this.#waiting.shift();
      if (waiting !== undefined) return waiting({ value: state, done: false });
      if (this.#queue.push(state) > 64) this.#queue.shift();
    }

    next() {
      if (this.#queue.length > 0) return Promise.resolve({ value: this.#queue.shift(), done: false });
      if (this.#isOver) return Promise.resolve({ value: undefined, done: true });
      return new Promise((resolve) => { this.#waiting.push(resolve); });
    }

    stop() {
      this.#isOver = true;
      this.#forget(this);
      for (const waiting of this.#waiting.splice(0)) waiting({ value: undefined, done: true });
    }

    async return(value) {
      this.stop();
      return { value, done: true };
    }

    [Symbol.asyncIterator]() { return this; }
  }

  /** The readers of one document's state. */
  class StateReaders {
    #readers = new Set();

    /** Answers a new reader, whose first state is this; its only one when the document is closed. */
    add(isClosed, state) {
      const reader = new StateReader((reader) => this.#readers.delete(reader));
      if (!isClosed) this.#readers.add(reader);
      reader.push(state);
      if (isClosed) reader.stop();
      return reader;
    }

    /** `makeState` is asked only if there are readers. */
    push(makeState) {
      if (this.#readers.size === 0) return;
      const state = makeState();
      for (const reader of this.#readers) reader.push(state);
    }

    stop() { for (const reader of this.#readers) reader.stop(); }
  }

  Object.assign(inner, { StateReaders });
}
