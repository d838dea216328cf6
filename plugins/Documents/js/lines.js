(facade, hidden, BridgeError, program, inner) => {
  "use strict";
  const { resolved, indexOf, slice, split, define, Promise, asyncIterator } = program.intrinsics;
  const NONE = [];
  const decoder = (() => { let made; return () => made ??= new TextDecoder("utf-8", { ignoreBOM: true }); })();

  /** A text file's lines, made from pieces of many as they are taken: one crossing gives thousands. */
  class LineList {
    #pieces;
    #lines = NONE;
    #at = 0;
    /** How many readers wait, and the last of them: they take turns. */
    #waiting = 0;
    #last = resolved();

    constructor(pieces) { this.#pieces = pieces; }

    /** Nothing is dropped: a file waits. */
    get dropped() { return 0; }

    next() {
      if (this.#waiting === 0 && this.#at < this.#lines.length) return resolved({ value: this.#lines[this.#at++], done: false });
      return this.#later();
    }

    async #later() {
      const before = this.#last;
      let free;
      this.#last = new Promise((resolve) => { free = resolve; });
      this.#waiting++;
      try {
        await before;
        return await this.#fill() ? { value: this.#lines[this.#at++], done: false } : { value: undefined, done: true };
      } finally {
        this.#waiting--;
        free();
      }
    }

    /** Sees to it that there is a line; false at the end. */
    async #fill() {
      while (this.#at >= this.#lines.length) {
        const piece = await this.#piece();
        if (piece === undefined) return false;
        this.#lines = linesOf(decoder().decode(piece));
        this.#at = 0;
      }
      return true;
    }

    async #piece() {
      try { return (await this.#pieces.next()).value; } catch (error) {
        if (error?.action === "linePieces") error.action = "lines";
        throw error;
      }
    }

    return(value) {
      this.stop();
      return resolved({ value, done: true });
    }

    async throw(error) {
      this.stop();
      throw error;
    }

    stop() {
      this.#pieces.stop();
      this.#lines = NONE;
      this.#at = 0;
    }

    async toArray() {
      const all = [];
      while (await this.#fill()) {
        while (this.#at < this.#lines.length) {
          define(all, all.length, { __proto__: null, value: this.#lines[this.#at++], writable: true, enumerable: true, configurable: true });
        }
      }
      return all;
    }

    [asyncIterator]() { return this; }
  }

  const linesOf = (text) => {
    const lines = split(text, "\n");
    if (text[text.length - 1] === "\n") lines.length--;
    if (indexOf(text, "\r") < 0) return lines;
    for (let index = 0; index < lines.length; index++) {
      const line = lines[index], end = line.length - 1;
      if (line[end] === "\r") lines[index] = slice(line, 0, end);
    }
    return lines;
  };

  /** With a callback, or where a file answers for it, the bridge's own watch. */
  const watch = facade.lines;
  facade.lines = function lines(path, option, callback, control) {
    if (callback !== undefined && typeof callback !== "function") {
      control = callback;
      callback = undefined;
    }
    if (callback !== undefined || program.isMocked("documents", "lines")) return watch(path, option, callback, control);
    let given;
    try { given = { ...option, path }; } catch (error) { given = { get option() { throw error; } }; }
    return new LineList(hidden.linePieces(given, undefined, control));
  };
}
