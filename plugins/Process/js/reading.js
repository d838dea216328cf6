(facade, hidden, BridgeError, program, inner) => {
  "use strict";
  const { failure, asked, waited } = inner.common;
  const { setPrototypeOf, resolved, define, Promise, toStringTag, asyncIterator } = program.intrinsics;
  const MAKE = { __proto__: null }, NONE = setPrototypeOf([], null);

  /**
   * Bytes that come: stdin, or what a child writes. Any number of readers, one after the other or at once; each byte is
   * taken by one of them, and none is lost when one stops. Nothing is read, and nothing keeps the program alive, but
   * while a reader waits.
   */
  class ProcessReader {
    #native;
    /** Lines that were handed out, and how many of them a reader took. */
    #lines = NONE;
    #at = 0;
    /** What is taken is taken by one after the other. */
    #turn = resolved();

    constructor(key, native) {
      if (key !== MAKE) throw failure("invalid_parameter", "a reader is made by nbridge.process: stdin, or the outputs of spawn");
      this.#native = native;
    }

    async #taking(body) {
      const before = this.#turn;
      let free;
      this.#turn = new Promise((resolve) => { free = resolve; });
      await before;
      try { return await body(); } finally { free(); }
    }

    /** The lines that no reader took are given back with the next call. */
    #used() {
      const used = this.#at;
      this.#lines = NONE;
      this.#at = 0;
      return used;
    }

    async #wait(need, control, limit, begun) {
      const { waits, place } = this.#native;
      const watch = waits({ __proto__: null, ...place, need, limit }, control);
      begun?.(watch);
      const what = need === "all" ? "the end" : need === "line" ? "a line" : "more";
      await waited(watch, `${what} of ${this.#native.name}`);
    }

    /** Sees to it that there are lines; false at the end. */
    async #fetch(control) {
      for (;;) {
        const isThere = await this.#taking(async () => {
          if (this.#at < this.#lines.length) return true;
          const { lines, isEnd } = await this.#native.lines({ __proto__: null, ...this.#native.place, used: this.#used() });
          this.#lines = lines;
          return lines.length > 0 ? true : isEnd ? false : undefined;
        });
        if (isThere !== undefined) return isThere;
        await this.#wait("line", control);
      }
    }

    async #chunk(control, begun) {
      for (;;) {
        const { bytes, isEnd } = await this.#taking(async () =>
          await this.#native.bytes({ __proto__: null, ...this.#native.place, used: this.#used() }));
        if (bytes !== undefined && bytes !== null) return bytes;
        if (isEnd) return undefined;
        await this.#wait("some", control, undefined, begun);
      }
    }

    async #all(text, option, control) {
      const { limit = 1 << 28 } = asked(option, ["limit"]);
      if (typeof limit !== "number" || !(limit >= 0 && limit <= 0x7FFFFFFF)) {
        throw failure("invalid_parameter", "option.limit must be a number of bytes from 0 to 2147483647");
      }
      await this.#wait("all", control, limit);
      return await this.#taking(() => this.#native.all({ __proto__: null, ...this.#native.place, used: this.#used(), limit, text }));
    }

    /** Its lines, without their ends. */
    async *lines(control) {
      while (await this.#fetch(control)) {
        while (this.#at < this.#lines.length) yield this.#lines[this.#at++];
      }
    }

    /** Its bytes, in the pieces in which they come. */
    async *chunks(control) {
      for (let chunk; (chunk = await this.#chunk(control)) !== undefined;) yield chunk;
    }

    /** Reads no more, for good: what writes there hears so at its next write (SIGPIPE). */
    async close() {
      const { close } = this.#native;
      if (close === undefined) throw failure("unavailable", `${this.#native.name} is the program's: it can't be closed`);
      await close({ __proto__: null, ...this.#native.place });
    }

    /** All of it. */
    async bytes(option, control) { return (await this.#all(false, option, control)).bytes; }

    /** All of it, as text. */
    async text(option, control) { return (await this.#all(true, option, control)).text; }

    /** The same bytes as a ReadableStream. */
    stream() {
      let waiting;
      return new ReadableStream({
        type: "bytes",
        pull: async (controller) => {
          const chunk = await this.#chunk(undefined, (watch) => { waiting = watch; });
          if (chunk !== undefined) return controller.enqueue(chunk);
          controller.close();
          controller.byobRequest?.respond(0);
        },
        cancel: () => { waiting?.stop(); },
      }, { highWaterMark: 0 });
    }

    [asyncIterator]() { return this.lines(); }
  }
  define(ProcessReader.prototype, toStringTag, { __proto__: null, value: "ProcessReader", configurable: true });

  inner.reader = (native) => new ProcessReader(MAKE, native);
}
