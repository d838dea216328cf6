(facade, hidden, BridgeError, program, inner) => {
  "use strict";
  const { peerOf } = inner;

  /** Small messages of one turn to the same members cross together, in their order. */
  class Batch {
    #session; #to; #room; #used = 0; #lengths; #texts; #promise; #begun = () => this.flush();
    constructor(session) { this.#session = session; }

    static takes(data) {
      return typeof data === "string" ? data.length <= 4096 && data.isWellFormed() : data instanceof Uint8Array && data.length <= 4096;
    }
    /** Takes what `takes` it; answers the promise of the whole batch. */
    add(data, to) {
      const isText = typeof data === "string";
      const mine = isText ? this.#texts : this.#lengths;
      if (mine === undefined || this.#to !== to || mine.length === 512 || !isText && this.#used + data.length > this.#room.length) this.#begin(isText, to);
      if (isText) {
        this.#texts.push(data);
      } else {
        this.#room.set(data, this.#used);
        this.#used += data.length;
        this.#lengths.push(data.length);
      }
      return this.#promise.promise;
    }
    #begin(isText, to) {
      this.flush();
      this.#to = to;
      if (isText) this.#texts = []; else { this.#lengths = []; this.#room ??= new Uint8Array(64 << 10); this.#used = 0; }
      this.#promise = Promise.withResolvers();
      Promise.resolve().then(this.#begun);
    }
    /** Sends what was taken, before anything else may go. */
    flush() {
      const texts = this.#texts, lengths = this.#lengths;
      if (texts === undefined && lengths === undefined) return;
      const { resolve, reject } = this.#promise;
      this.#texts = this.#lengths = undefined;
      // Bytes over 4 KiB are read in place, and this room is used again.
      const bytes = lengths === undefined ? undefined : this.#used <= 4096 ? this.#room.subarray(0, this.#used) : this.#room.slice(0, this.#used);
      const to = this.#to === undefined ? undefined : [this.#to];
      this.#session.sendMany({ to, texts, bytes, lengths }).then(resolve, reject);
    }
  }

  /** The messages of batches, one by one. What a loop did not take is there for the next one. */
  class Messages {
    #rest; #watch; #queued = 0; #last; #isOver = false;
    constructor(rest, watch) {
      this.#rest = rest;
      this.#watch = watch;
    }
    #take() { return { done: false, value: this.#rest.waiting[this.#rest.at++] }; }
    get #has() { return this.#rest.at < this.#rest.waiting.length; }
    async #fetch() {
      try {
        while (!this.#has) {
          const { done, value } = this.#isOver ? { done: true } : await this.#watch.next();
          if (done) return { done, value: undefined };
          this.#rest.last = value.number;
          this.#rest.waiting = messagesOf(value);
          this.#rest.at = 0;
        }
        return this.#isOver ? { done: true, value: undefined } : this.#take();
      } finally { this.#queued--; }
    }
    next() {
      if (this.#queued === 0 && this.#has && !this.#isOver) return Promise.resolve(this.#take());
      const turn = this.#queued++ === 0 ? this.#fetch() : this.#last.then(() => this.#fetch());
      this.#last = turn.catch(() => {});
      return turn;
    }
    async return(value) {
      this.#isOver = true;
      await this.#watch.return();
      return { done: true, value };
    }
    [Symbol.asyncIterator]() { return this; }
  }
  const messagesOf = ({ from: id, name, texts, bytes, lengths, value, unreliable }) => {
    const from = peerOf(id, name), mode = unreliable === true ? "unreliable" : "reliable";
    if (texts !== undefined) return texts.map((data) => ({ from, data, mode }));
    if (lengths === undefined) return [{ from, data: bytes ?? value, mode }];
    let at = 0;
    return lengths.map((length) => ({ from, data: bytes.slice(at, at += length), mode }));
  };

  Object.assign(inner, { Batch, Messages });
}
