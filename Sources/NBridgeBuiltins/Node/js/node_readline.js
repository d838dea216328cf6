// SPDX-License-Identifier: MIT
// node:readline: lines of a stream, and questions. A terminal edits its own line, so there are no keys here.
"use strict";

const EventEmitter = require("node:events");
const { StringDecoder } = require("node:string_decoder");
const { abortError, check, coded, invalidArgValue } = require("node:internal/errors");

const closed = () => coded(Error, "ERR_USE_AFTER_CLOSE", "readline was closed");

class Interface extends EventEmitter {
  #decoder = new StringDecoder("utf8");
  #rest = "";
  /** Whether the last piece ended with CR, whose LF may come next. */
  #endsWithReturn = false;
  #question;
  #prompt;
  #waiting = [];
  #handlers = {};

  constructor(input, output, completer, terminal) {
    super();
    const options = typeof input?.on === "function" ? { input, output, completer, terminal } : input ?? {};
    if (typeof options.input?.on !== "function") {
      throw invalidArgValue("input", options.input, "must be a stream");
    }
    Object.assign(this, {
      input: options.input, output: options.output, line: "", cursor: 0, history: [], closed: false,
      terminal: Boolean(options.terminal ?? options.output?.isTTY), paused: false,
    });
    this.#prompt = options.prompt === undefined ? "> " : `${options.prompt}`;
    this.crlfDelay = Math.max(100, options.crlfDelay ?? 100);
    this.#listen("data", (chunk) => this.#take(this.#text(chunk)));
    this.#listen("end", () => this.#end());
    this.#listen("error", (error) => this.emit("error", error));
    const { signal } = options;
    if (signal?.aborted) queueMicrotask(() => this.close());
    else signal?.addEventListener("abort", () => this.close(), { once: true });
    this.input.resume();
  }

  #listen(name, handler) {
    this.#handlers[name] = handler;
    this.input.on(name, handler);
  }

  #text(chunk) { return typeof chunk === "string" ? chunk : this.#decoder.write(chunk); }

  #take(text) {
    if (this.#endsWithReturn && text.startsWith("\n")) text = text.slice(1);
    if (text === "") return;
    this.#endsWithReturn = text.endsWith("\r");
    const lines = (this.#rest + text).split(/\r\n|\n|\r/);
    this.#rest = lines.pop();
    for (let at = 0; at < lines.length; at++) {
      // One that pauses it leaves the others for later; what comes meanwhile stands behind them.
      if (this.paused || this.closed || this.#waiting.length > 0) {
        this.#waiting.push(...lines.slice(at));
        return;
      }
      this.#tell(lines[at]);
    }
  }

  #tell(line) {
    const question = this.#question;
    if (question === undefined) return this.emit("line", line);
    this.#question = undefined;
    question(line);
  }

  #end() {
    const rest = this.#rest + this.#decoder.end();
    this.#rest = "";
    if (rest !== "") this.#waiting.push(rest);
    const { paused } = this;
    // Nothing is left that a pause could hold up.
    while (this.#waiting.length > 0 && !this.closed) {
      this.paused = false;
      this.#drain();
    }
    this.paused ||= paused;
    this.close();
  }

  #drain() {
    while (this.#waiting.length > 0 && !this.paused && !this.closed) this.#tell(this.#waiting.shift());
  }

  getPrompt() { return this.#prompt; }
  setPrompt(prompt) { this.#prompt = `${prompt}`; }
  prompt() {
    if (this.paused) this.resume();
    this.output?.write(this.#prompt);
  }

  question(query, options, done) {
    if (typeof options === "function") [options, done] = [undefined, options];
    check.function(done, "cb");
    if (this.closed) throw closed();
    const { signal } = options ?? {};
    if (signal?.aborted) return;
    if (this.#question !== undefined) return this.prompt();
    const forget = () => { if (this.#question === answer) this.#question = undefined; };
    const answer = (line) => {
      signal?.removeEventListener("abort", forget);
      done(line);
    };
    this.#question = answer;
    signal?.addEventListener("abort", forget, { once: true });
    this.output?.write(`${query}`);
    if (this.paused) this.resume();
  }

  write(text) {
    if (this.closed) return;
    if (text !== undefined && text !== null) this.#take(this.#text(text));
  }

  pause() {
    // Who asks for it behind the end, as lines that came with the end make one ask, has nothing to wait for.
    if (this.closed || this.paused) return this;
    this.paused = true;
    this.input.pause();
    this.emit("pause");
    return this;
  }

  resume() {
    if (this.closed || !this.paused) return this;
    this.paused = false;
    this.input.resume();
    this.emit("resume");
    queueMicrotask(() => this.#drain());
    return this;
  }

  close() {
    if (this.closed) return;
    for (const [name, handler] of Object.entries(this.#handlers)) this.input.removeListener(name, handler);
    this.pause();
    // Who heard of the pause may have closed it.
    if (this.closed) return;
    this.closed = true;
    this.input.pause();
    this.emit("close");
  }

  getCursorPos() { return { rows: 0, cols: 0 }; }
  [Symbol.dispose ?? Symbol("dispose")]() { this.close(); }

  /** The lines from here on. What reads slower than they come holds up the stream. */
  [Symbol.asyncIterator]() {
    const lines = [];
    let head = 0;
    const readers = [];
    let isEnded = this.closed;
    let failure;
    const onLine = (line) => {
      if (readers.length > 0) return readers.shift().resolve({ value: line, done: false });
      if (lines.push(line) - head > 1024 && !this.paused && !this.closed) this.pause();
    };
    const settle = () => {
      for (const { resolve, reject } of readers.splice(0)) {
        if (failure === undefined) resolve({ value: undefined, done: true });
        else reject(failure);
      }
    };
    const onClose = () => {
      isEnded = true;
      settle();
    };
    const onError = (error) => {
      failure = error;
      onClose();
    };
    this.on("line", onLine).on("close", onClose).on("error", onError);
    const next = () => {
      if (head < lines.length) {
        const value = lines[head];
        lines[head++] = undefined;
        if (head === lines.length) {
          lines.length = head = 0;
          if (this.paused && !this.closed) this.resume();
        }
        return Promise.resolve({ value, done: false });
      }
      if (failure !== undefined) return Promise.reject(failure);
      if (isEnded) return Promise.resolve({ value: undefined, done: true });
      return new Promise((resolve, reject) => { readers.push({ resolve, reject }); });
    };
    return {
      next,
      return: async (value) => {
        this.removeListener("line", onLine).removeListener("close", onClose).removeListener("error", onError);
        this.close();
        isEnded = true;
        lines.length = head = 0;
        return { value, done: true };
      },
      [Symbol.asyncIterator]() { return this; },
    };
  }
}

Object.defineProperty(Interface.prototype.question, Symbol.for("nodejs.util.promisify.custom"), {
  value(query, options) {
    return new Promise((resolve, reject) => {
      const { signal } = options ?? {};
      if (signal?.aborted) return reject(abortError(signal));
      signal?.addEventListener("abort", () => reject(abortError(signal)), { once: true });
      this.question(query, options, resolve);
    });
  },
});

const escape = (stream, text, done) => {
  if (text === "" || stream === null || stream === undefined) {
    if (typeof done === "function") queueMicrotask(() => done(null));
    return true;
  }
  return stream.write(text, done);
};

module.exports = {
  Interface,
  createInterface: (...args) => new Interface(...args),
  clearLine: (stream, direction, done) =>
    escape(stream, `\x1b[${direction < 0 ? 1 : direction > 0 ? 0 : 2}K`, done),
  clearScreenDown: (stream, done) => escape(stream, "\x1b[0J", done),
  cursorTo(stream, x, y, done) {
    if (typeof y === "function") [y, done] = [undefined, y];
    return escape(stream, y === undefined ? `\x1b[${x + 1}G` : `\x1b[${y + 1};${x + 1}H`, done);
  },
  moveCursor(stream, dx, dy, done) {
    const across = dx === 0 ? "" : `\x1b[${Math.abs(dx)}${dx < 0 ? "D" : "C"}`;
    const along = dy === 0 ? "" : `\x1b[${Math.abs(dy)}${dy < 0 ? "A" : "B"}`;
    return escape(stream, across + along, done);
  },
  emitKeypressEvents() {},
  get promises() { return require("node:readline/promises"); },
};
