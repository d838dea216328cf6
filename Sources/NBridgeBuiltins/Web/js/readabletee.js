// SPDX-License-Identifier: MIT
// The branches of a ReadableStream (Streams standard, 4.9.1, "ReadableStreamDefaultTee"); those of bytes are in readablebyob.js.
((host) => {
  "use strict";
  const { core, readables } = host;
  const { Deferred, countOne, microtask, react, resolved } = core;
  const { DefaultReader } = host.readableCore;

  class Tee {
    #source;
    #reader;
    #isReading = false;
    #readsAgain = false;
    #isCancelled = [false, false];
    #reasons = [undefined, undefined];
    #cancelled = new Deferred();
    #clones;
    branches;

    /** `clones`: what makes the second branch's chunks of the first's; undefined where both get the same. */
    constructor(source, clones) {
      this.#source = source;
      this.#clones = clones;
      this.#reader = new DefaultReader(source);
      this.branches = [this.#branch(0), this.#branch(1)];
      react(this.#reader.closed.promise, undefined, (error) => {
        this.#each((branch) => branch.controller.error(error));
        this.#endCancel();
      });
    }

    #branch(index) {
      const steps = { pull: () => this.#pull(), cancel: (reason) => this.#cancel(index, reason) };
      return readables.create(steps, undefined, 1, countOne);
    }

    #each(step) {
      for (let index = 0; index < 2; index++) if (!this.#isCancelled[index]) step(this.branches[index]);
    }

    #endCancel() {
      if (!this.#isCancelled[0] || !this.#isCancelled[1]) this.#cancelled.resolve(undefined);
    }

    #pull() {
      if (this.#isReading) this.#readsAgain = true;
      else {
        this.#isReading = true;
        this.#reader.read(this);
      }
      return resolved(undefined);
    }

    #cancel(index, reason) {
      this.#isCancelled[index] = true;
      this.#reasons[index] = reason;
      if (this.#isCancelled[1 - index]) this.#cancelled.resolve(this.#source.cancel(this.#reasons));
      return this.#cancelled.promise;
    }

    // It is its own read request. In a microtask, that an error of the source gets to the branches first.
    chunk(value) {
      microtask(() => {
        this.#readsAgain = false;
        let second = value;
        if (this.#clones !== undefined && !this.#isCancelled[1]) {
          try { second = this.#clones(value); } catch (error) { return this.#break(error); }
        }
        if (!this.#isCancelled[0]) this.branches[0].controller.enqueue(value);
        if (!this.#isCancelled[1]) this.branches[1].controller.enqueue(second);
        this.#isReading = false;
        if (this.#readsAgain) this.#pull();
      });
    }

    /** A chunk has no clone. */
    #break(error) {
      for (let index = 0; index < 2; index++) this.branches[index].controller.error(error);
      this.#cancelled.resolve(this.#source.cancel(error));
    }

    close() {
      this.#isReading = false;
      this.#each((branch) => branch.controller.close());
      this.#endCancel();
    }

    error() { this.#isReading = false; }
  }

  return { tee: (source, clones = undefined) => new Tee(source, clones).branches };
})
