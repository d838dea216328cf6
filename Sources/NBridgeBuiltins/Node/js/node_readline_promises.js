// SPDX-License-Identifier: MIT
// node:readline/promises: questions whose answers are awaited.
"use strict";

const readline = require("node:readline");
const { abortError, coded } = require("node:internal/errors");

class Interface extends readline.Interface {
  constructor(input, output, completer, terminal) { super(input, output, completer, terminal); }
  question(query, options = {}) {
    return new Promise((resolve, reject) => {
      const { signal } = options;
      if (signal?.aborted) return reject(abortError(signal));
      if (this.closed) return reject(coded(Error, "ERR_USE_AFTER_CLOSE", "readline was closed"));
      const onAbort = () => reject(abortError(signal));
      signal?.addEventListener("abort", onAbort, { once: true });
      super.question(query, options, (line) => {
        signal?.removeEventListener("abort", onAbort);
        resolve(line);
      });
    });
  }
}

/** Escapes that are gathered, and written by `commit`. */
class Readline {
  #stream;
  #commits;
  #texts = [];

  constructor(stream, { autoCommit = false } = {}) {
    this.#stream = stream;
    this.#commits = autoCommit;
  }

  #add(write) {
    write({ write: (text) => this.#texts.push(text) });
    if (this.#commits) this.commit();
    return this;
  }

  clearLine(direction) { return this.#add((to) => readline.clearLine(to, direction)); }
  clearScreenDown() { return this.#add((to) => readline.clearScreenDown(to)); }
  cursorTo(x, y) { return this.#add((to) => readline.cursorTo(to, x, y)); }
  moveCursor(dx, dy) { return this.#add((to) => readline.moveCursor(to, dx, dy)); }
  commit() {
    const text = this.#texts.splice(0).join("");
    return new Promise((resolve) => { this.#stream.write(text, () => resolve()); });
  }
  rollback() {
    this.#texts = [];
    return this;
  }
}

module.exports = { Interface, Readline, createInterface: (...args) => new Interface(...args) };
