// SPDX-License-Identifier: MIT
// node:process, of what a script can know and do by itself: whatever a native plugin gives (the environment,
// other processes, bytes of the terminal) takes the place of members here.
"use strict";

const EventEmitter = require("node:events");
const start = require("node:internal/start");
const { coded, missing, check } = require("node:internal/errors");

// The version of Node whose documentation these modules follow: packages compare it.
const VERSION = "22.0.0";

function process() {}
process.prototype = Object.create(EventEmitter.prototype, {
  constructor: { value: process, writable: true, configurable: true },
  [Symbol.toStringTag]: { value: "process", configurable: true },
});
const self = Object.create(process.prototype);
EventEmitter.call(self);

const unavailable = (name, instead) => () => { throw missing(`process.${name}`, instead); };

/**
 * Bytes or text to console, which prints whole lines: what has no line end yet waits for it, or for the
 * turn's end.
 */
const output = (number, print) => {
  let waiting = "";
  let timer;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const text = waiting;
    waiting = "";
    if (text !== "") print(text);
  };
  const stream = new EventEmitter();
  return Object.assign(stream, {
    fd: number, isTTY: false, writable: true, columns: undefined, rows: undefined, writableLength: 0,
      _flush: flush,
    write(chunk, encoding, done = encoding) {
      if (typeof chunk !== "string" && !(chunk instanceof Uint8Array)) {
        throw coded(TypeError, "ERR_INVALID_ARG_TYPE",
          'The "chunk" argument must be of type string or an instance of Buffer or Uint8Array.');
      }
      const text = waiting + (typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk));
      const end = text.lastIndexOf("\n");
      waiting = text.slice(end + 1);
      if (end >= 0) print(text.slice(0, end));
      if (waiting !== "") timer ??= setTimeout(flush, 0);
      if (typeof done === "function") self.nextTick(done);
      return true;
    },
    end(chunk, ...rest) {
      if (chunk != null && typeof chunk !== "function") this.write(chunk, ...rest);
      flush();
      return this;
    },
    cork() {}, uncork() {}, getColorDepth: () => 1, hasColors: () => false, getWindowSize: () => [80, 24],
  });
};

const input = () => {
  const stream = new EventEmitter();
  const refuse = () => { throw missing("process.stdin",
    "ask with prompt(), or take what the program needs from nbridge.args"); };
  return Object.assign(stream, {
    fd: 0, isTTY: false, readable: false, isRaw: false, setEncoding() { return this; },
      pause() { return this; },
    unref() { return this; }, ref() { return this; }, resume: refuse, read: refuse, pipe: refuse,
      setRawMode: refuse,
    on(name, listener) {
      if (name === "data" || name === "readable") refuse();
      return EventEmitter.prototype.on.call(this, name, listener);
    },
    [Symbol.asyncIterator]: refuse,
  });
};

const lazy = (make) => {
  let made;
  return { enumerable: true, configurable: true, get: () => made ??= make() };
};

const clock = () => {
  const milliseconds = performance.now();
  const seconds = Math.floor(milliseconds / 1000);
  return [seconds, Math.round((milliseconds - seconds * 1000) * 1e6)];
};
const hrtime = (since) => {
  let [seconds, nanoseconds] = clock();
  if (since === undefined) return [seconds, nanoseconds];
  if (!Array.isArray(since) || since.length !== 2) throw new TypeError(
    'The "time" argument must be a pair of numbers');
  seconds -= since[0];
  nanoseconds -= since[1];
  return nanoseconds < 0 ? [seconds - 1, nanoseconds + 1e9] : [seconds, nanoseconds];
};
hrtime.bigint = () => {
  const [seconds, nanoseconds] = clock();
  return BigInt(seconds) * 1_000_000_000n + BigInt(nanoseconds);
};

const warned = new Set();
const emitWarning = (warning, option = {}, code = undefined) => {
  const { type = "Warning", code: named = code, detail } = typeof option === "string" ? { type: option }
    : option ?? {};
  const error = typeof warning === "string" ? new Error(warning) : warning;
  if (typeof warning === "string") {
    error.name = type;
    if (named !== undefined) error.code = named;
    if (detail !== undefined) error.detail = detail;
  }
  if (error.name === "DeprecationWarning" && self.noDeprecation) return;
  self.nextTick(() => {
    if (!self.noWarnings) {
      const mark = error.code ? `[${error.code}] ` : "";
      const detail = error.detail ? `\n${error.detail}` : "";
      console.error(`(nbridge) ${mark}${error.name}: ${error.message}${detail}`);
    }
    self.emit("warning", error);
  });
};
const emitWarningOnce = (warning, name, code) => {
  if (code !== undefined && warned.has(code)) return;
  warned.add(code);
  emitWarning(warning, name, code);
};

const end = (code) => {
  const status = code ?? self.exitCode ?? 0;
  self.exitCode = Number(status) || 0;
  const flush = () => {
    self.stdout._flush();
    self.stderr._flush();
  };
  flush();
  self.emit("exit", self.exitCode);
  flush();
  globalThis.exit(self.exitCode);
};

const nbridgeVersion = () => `${globalThis.nbridge?.version ?? ""}`;

Object.assign(self, {
  title: "nbridge", version: `v${VERSION}`, platform: "linux", execArgv: [], exitCode: undefined, env: {},
  execPath: "nbridge", argv0: "nbridge", config: {}, features: { inspector: false, typescript: "strip" },
    debugPort: 0,
  release: { name: "node", lts: false },
  versions: { node: VERSION, nbridge: nbridgeVersion() },
  argv: ["nbridge", start.script, ...(globalThis.nbridge?.args ?? [])],
  cwd: () => start.cwd,
  hrtime,
  uptime: () => performance.now() / 1000,
  nextTick(callback, ...args) {
    check.function(callback, "callback");
    queueMicrotask(() => callback(...args));
  },
  emitWarning, emitWarningOnce,
  exit: end, reallyExit: end,
  abort: () => end(134),
  umask: () => 0o22,
  getuid: unavailable("getuid()"), getgid: unavailable("getgid()"), geteuid: unavailable("geteuid()"),
  kill: unavailable("kill()"),
    chdir: unavailable("chdir()", "a program stays in the folder that it was started in"),
  memoryUsage: unavailable("memoryUsage()"), cpuUsage: unavailable("cpuUsage()"),
  binding: unavailable("binding()"), dlopen: unavailable("dlopen()", "native code is a plugin"),
  setUncaughtExceptionCaptureCallback: unavailable("setUncaughtExceptionCaptureCallback()",
    'listen to "error"'),
  hasUncaughtExceptionCaptureCallback: () => false,
  getBuiltinModule: unavailable("getBuiltinModule()", "import the module by its name"),
  stdin: undefined, stdout: undefined, stderr: undefined,
});
Object.defineProperties(self, {
  stdin: lazy(input),
  stdout: lazy(() => output(1, (text) => console.log(text))),
  stderr: lazy(() => output(2, (text) => console.error(text))),
});

module.exports = self;
