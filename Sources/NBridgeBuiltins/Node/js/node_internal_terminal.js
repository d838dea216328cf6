// SPDX-License-Identifier: MIT
// stdin, stdout and stderr as Node's streams, over nbridge.process; without it, stdout and stderr are
// console's.
"use strict";

const { Readable } = require("node:internal/readable");
const { Writable } = require("node:internal/writable");
const { Buffer } = require("node:buffer");
const { coded, invalidArgType, missing } = require("node:internal/errors");
const { demand, now, plugin } = require("node:internal/native");

const later = (action) => require("node:process").nextTick(action);
const sizeOf = (name) => now("terminal", { stream: name });
/** True, or undefined as Node has it. */
const isTerminal = (name) => sizeOf(name) === undefined ? undefined : true;

/** How many bytes may wait before a writer is told to wait. */
const ROOM = 64 * 1024;

const decoded = (chunk) => typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk);

/** Whole lines to console: what has no line end yet waits for it, or for the turn's end. */
const toConsole = (print) => {
  let waiting = "";
  let timer;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const text = waiting;
    waiting = "";
    if (text !== "") print(text);
  };
  const write = async (chunk) => {
    const text = waiting + decoded(chunk);
    const end = text.lastIndexOf("\n");
    waiting = text.slice(end + 1);
    if (end >= 0) print(text.slice(0, end));
    if (waiting !== "") timer ??= setTimeout(flush, 0);
  };
  return { write, flush };
};

/**
 * Whether the program may write to a stream of the plugin's: asked with nothing to write, as the refusal of a write comes
 * later than what console prints meanwhile.
 */
const mayWrite = (name) => {
  if (plugin() === undefined) return false;
  try { demand(name === "stdout" ? "writeOutput" : "writeErrors", { text: "" }); } catch (error) {
    return error?.code !== "permission_denied";
  }
  return true;
};

/** What a write is made with: the plugin's stream, as long as the program may write to it. */
const sink = (name, print) => {
  const lines = toConsole(print);
  let isOurs;
  const write = (chunk) => {
    isOurs ??= mayWrite(name);
    if (!isOurs) return lines.write(chunk);
    return plugin()[name].write(chunk).catch((error) => {
      if (error?.code !== "permission_denied") throw error;
      isOurs = false;
      return lines.write(chunk);
    });
  };
  return { write, flush: lines.flush };
};

const failure = (cause) => {
  if (cause?.code !== "closed") return cause;
  return Object.assign(new Error("write EPIPE", { cause }), { errno: -32, code: "EPIPE", syscall: "write" });
};

/** Every write is made at once: what is written before exit() gets out. */
const output = (fd, name, print) => {
  const { write, flush } = sink(name, print);
  const stream = new Writable({ decodeStrings: false });
  let pending = 0;
  let needsDrain = false;
  let ends = [];
  let isEnded = false;
  // All writes that wait for a reader who is gone fail by the one reason.
  let told;
  const settled = (size, done, error) => {
    pending -= size;
    if (error !== undefined) {
      done?.(error);
      const isNew = told !== error.code || error.code === undefined;
      told = error.code;
      if (isNew && (stream.listenerCount("error") > 0 || done === undefined)) stream.emit("error", error);
      return;
    }
    told = undefined;
    done?.();
    if (pending > 0) return;
    if (needsDrain) {
      needsDrain = false;
      stream.emit("drain");
    }
    for (const end of ends.splice(0)) end();
  };
  const put = (chunk, encoding, done) => {
    if (typeof encoding === "function") [encoding, done] = [undefined, encoding];
    if (typeof chunk !== "string" && !ArrayBuffer.isView(chunk)) {
      throw invalidArgType("chunk", ["string", "Buffer", "TypedArray", "DataView"], chunk);
    }
    if (isEnded) {
      const error = coded(Error, "ERR_STREAM_WRITE_AFTER_END", "write after end");
      later(() => settled(0, done, error));
      return false;
    }
    const bytes = typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk;
    pending += bytes.byteLength;
    write(typeof chunk === "string" && (encoding ?? "utf8") === "utf8" ? chunk.toWellFormed() : bytes)
      .then(() => settled(bytes.byteLength, done),
        (error) => settled(bytes.byteLength, done, failure(error)));
    if (pending >= ROOM) needsDrain = true;
    return pending < ROOM;
  };
  const own = {
    fd, isTTY: isTerminal(name), _type: "pipe", _isStdio: true, _flush: flush, write: put,
    end(chunk, encoding, done) {
      if (typeof chunk === "function") [chunk, done] = [undefined, chunk];
      else if (typeof encoding === "function") [encoding, done] = [undefined, encoding];
      if (chunk !== undefined && chunk !== null) put(chunk, encoding);
      if (isEnded) return stream;
      isEnded = true;
      flush();
      const finish = () => {
        done?.();
        stream.emit("finish");
      };
      if (pending === 0) later(finish);
      else ends.push(finish);
      return stream;
    },
    destroy() { return stream; }, cork() {}, uncork() {},
    getWindowSize: () => [stream.columns ?? 80, stream.rows ?? 24],
    getColorDepth: () => stream.isTTY ? (now("env", { name: "COLORTERM" }) === "truecolor" ? 24 : 8) : 1,
    hasColors(count) {
      const wanted = typeof count === "number" ? count : 16;
      return stream.isTTY === true && 2 ** stream.getColorDepth() >= wanted;
    },
    clearLine: (direction, done) => put(`\x1b[${direction < 0 ? 1 : direction > 0 ? 0 : 2}K`, done),
    cursorTo: (x, y, done) => typeof y === "function" || y === undefined ? put(`\x1b[${x + 1}G`, y)
      : put(`\x1b[${y + 1};${x + 1}H`, done),
    moveCursor(dx, dy, done) {
      const x = dx === 0 ? "" : `\x1b[${Math.abs(dx)}${dx < 0 ? "D" : "C"}`;
      return put(x + (dy === 0 ? "" : `\x1b[${Math.abs(dy)}${dy < 0 ? "A" : "B"}`), done);
    },
    clearScreenDown: (done) => put("\x1b[0J", done),
  };
  for (const [key, value] of Object.entries(own)) {
    const enumerable = !key.startsWith("_");
    Object.defineProperty(stream, key, { value, writable: true, enumerable, configurable: true });
  }
  for (const key of ["columns", "rows"]) {
    const get = () => sizeOf(name)?.[key];
    Object.defineProperty(stream, key, { get, enumerable: true, configurable: true });
  }
  Object.defineProperty(stream, "writableLength", { get: () => pending, configurable: true });
  Object.defineProperty(stream, "writableNeedDrain", { get: () => needsDrain, configurable: true });
  Object.defineProperty(stream, "writable", { get: () => !isEnded, configurable: true });
  return stream;
};

/** A Readable of what an iterator gives. Nothing is read before it is asked for. */
const readable = (open) => {
  let chunks;
  return new Readable({
    highWaterMark: ROOM,
    read() {
      chunks ??= open();
      chunks.next().then(({ value, done }) => {
        // In a turn of its own: what a listener throws is no rejection of this.
        this._readableState.isAsked = true;
        this.push(done ? null : Buffer.from(value.buffer, value.byteOffset, value.length));
      }, (error) => this.destroy(error));
    },
    destroy(error, done) {
      chunks?.return?.();
      done(error);
    },
  });
};

const input = () => {
  const isThere = plugin() !== undefined;
  const stream = readable(() => {
    if (isThere) return plugin().stdin.chunks();
    throw missing("process.stdin", "ask with prompt(), or take what the program needs from nbridge.args");
  });
  return Object.assign(stream, {
    fd: 0, isTTY: isTerminal("stdin"), isRaw: false,
    setRawMode(mode) {
      if (!isThere) throw missing("process.stdin.setRawMode() without the plugin 'process'");
      try { demand("rawInput", { isOn: Boolean(mode) }); } catch (error) {
        if (error?.code !== "unavailable") throw error;
        const told = new Error(`setRawMode ENOTTY: ${error.message}`, { cause: error });
        throw Object.assign(told, { errno: -25, code: "ENOTTY", syscall: "setRawMode" });
      }
      stream.isRaw = Boolean(mode);
      return stream;
    },
    ref: () => stream, unref: () => stream,
  });
};

module.exports = { input, output, readable };
