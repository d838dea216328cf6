// SPDX-License-Identifier: MIT
// node:process, over nbridge.process, whose permissions hold; without it, of what a script can know and do by
// itself.
"use strict";

const { assign } = require("node:internal/own");
const EventEmitter = require("node:events");
const start = require("node:internal/start");
const { coded, invalidArgType, missing, check } = require("node:internal/errors");
const { architecture, atExit, demand, memory, now, plugin, whenIdle } = require("node:internal/native");

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

const lazy = (make) => {
  let made;
  return { enumerable: true, configurable: true, get: () => made ??= make() };
};

/**
 * Variables are read one by one, as the permissions name them (process.env:HOME); what may not be read is not
 * there. Those that the program sets itself are its own, and its children's.
 */
const environment = () => {
  const own = Object.create(null);
  const gone = new Set();
  const isName = (name) => typeof name === "string" && name !== "" && !/[=\0]/.test(name);
  const read = (name) => {
    if (!isName(name) || gone.has(name)) return undefined;
    if (name in own) return own[name];
    return now("env", { name });
  };
  return new Proxy({}, {
    get: (target, name) => typeof name === "string" ? read(name) ?? Object.prototype[name] : target[name],
    has: (target, name) => read(name) !== undefined,
    set(target, name, value) {
      if (typeof name === "symbol" || typeof value === "symbol") throw new TypeError(
        "Cannot convert a Symbol value to a string");
      gone.delete(name);
      own[name] = `${value}`;
      return true;
    },
    deleteProperty(target, name) {
      delete own[name];
      gone.add(name);
      return true;
    },
    ownKeys: () => Object.keys(own),
    defineProperty(target, name, { value }) { return this.set(target, name, value); },
    getOwnPropertyDescriptor(target, name) {
      const value = typeof name === "string" ? read(name) : undefined;
      if (value === undefined) return undefined;
      return { value, writable: true, enumerable: true, configurable: true };
    },
  });
};

/** Signals that have listeners come as events, instead of what they do. */
const SIGNALS = ["SIGHUP", "SIGINT", "SIGTERM", "SIGUSR1", "SIGUSR2", "SIGWINCH"];
const watches = new Map();
const watchSignal = async (name) => {
  const watch = plugin().signals([name], { holdsOpen: false });
  watches.set(name, watch);
  try {
    const number = require("node:os").constants.signals[name];
    for await (const { signal } of watch) {
      try { self.emit(signal, signal, number); } catch (error) { reportError(error); }
    }
  } catch (error) {
    if (watches.get(name) === watch) self.emitWarning(`'${name}' is not heard: ${error.message}`);
  }
};
const followSignals = () => {
  self.on("newListener", (name) => {
    followIdling(name);
    followFaults(name);
    if (SIGNALS.includes(name) && plugin() !== undefined && !watches.has(name)) watchSignal(name);
  });
  self.on("removeListener", (name) => {
    if (self.listenerCount(name) > 0) return;
    const watch = watches.get(name);
    watches.delete(name);
    watch?.stop();
  });
};

/** Uncaught errors and rejections come as events, and the program goes on. */
const tellError = (event) => {
  self.emit("uncaughtExceptionMonitor", event.error, "uncaughtException");
  if (self.listenerCount("uncaughtException") === 0) return;
  event.preventDefault();
  self.emit("uncaughtException", event.error, "uncaughtException");
};
const tellRejection = (event) => {
  const { promise, reason } = event;
  if (self.listenerCount("unhandledRejection") > 0) {
    event.preventDefault();
    self.emit("unhandledRejection", reason, promise);
    return;
  }
  const error = reason instanceof Error ? reason : coded(Error, "ERR_UNHANDLED_REJECTION",
    "This error originated either by throwing inside of an async function without a catch block, or by " +
    "rejecting a promise which was not handled with .catch(). The promise rejected with the reason " +
    `"${String(reason)}".`);
  self.emit("uncaughtExceptionMonitor", error, "unhandledRejection");
  if (self.listenerCount("uncaughtException") === 0) return;
  event.preventDefault();
  self.emit("uncaughtException", error, "unhandledRejection");
};
const FAULTS = ["uncaughtException", "uncaughtExceptionMonitor", "unhandledRejection"];
let hearsFaults = false;
const followFaults = (name) => {
  if (hearsFaults || !FAULTS.includes(name)) return;
  hearsFaults = true;
  globalThis.addEventListener("error", tellError);
  globalThis.addEventListener("unhandledrejection", tellRejection);
};

const clock = () => {
  const milliseconds = performance.now();
  const seconds = Math.floor(milliseconds / 1000);
  return [seconds, Math.round((milliseconds - seconds * 1000) * 1e6)];
};
const hrtime = (since) => {
  let [seconds, nanoseconds] = clock();
  if (since === undefined) return [seconds, nanoseconds];
  if (!Array.isArray(since)) throw invalidArgType("time", "Array", since);
  seconds -= since[0];
  nanoseconds -= since[1];
  return nanoseconds < 0 ? [seconds - 1, nanoseconds + 1e9] : [seconds, nanoseconds];
};
hrtime.bigint = () => {
  const [seconds, nanoseconds] = clock();
  return BigInt(seconds) * 1_000_000_000n + BigInt(nanoseconds);
};

const memoryUsage = () => {
  const external = memory("extraMemorySize");
  return {
    rss: memory("rss"), heapTotal: memory("heapCapacity"), heapUsed: memory("heapSize"), external,
    arrayBuffers: external,
  };
};
memoryUsage.rss = () => memory("rss");

/** The time of a processor that this process has had, in microseconds; since an earlier answer, where one is given. */
const cpuUsage = (since) => {
  const usage = { user: memory("user"), system: memory("system") };
  if (!since) return usage;
  check.object(since, "prevValue");
  for (const name of ["user", "system"]) {
    const value = since[name];
    if (typeof value !== "number") throw invalidArgType(`prevValue.${name}`, "number", value);
    if (!(value >= 0 && value <= Number.MAX_SAFE_INTEGER)) throw invalidTime(`prevValue.${name}`, value);
    usage[name] -= value;
  }
  return usage;
};
const invalidTime = (name, value) =>
  coded(RangeError, "ERR_INVALID_ARG_VALUE", `The property '${name}' is invalid. Received ${value}`);

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

/** A status as Node takes it: a whole number, or its digits; what is none must not pass for success. */
const checkStatus = (code) => {
  if (code === undefined || code === null) return;
  const value = typeof code === "string" && code !== "" && !Number.isNaN(+code) ? +code : code;
  check.integer(value, "code");
};
let exitCode;

const outputs = [];
const flush = () => { for (const stream of outputs) stream._flush(); };
let isEnding = false;
/** Tells the listeners, once; answers the status, which they may change. */
const tellExit = (status) => {
  self.exitCode = Number(status) || 0;
  if (isEnding) return self.exitCode;
  isEnding = true;
  flush();
  self.emit("exit", self.exitCode);
  flush();
  return Number(self.exitCode) || 0;
};
/** Without a word to the listeners. */
const endNow = (code) => {
  checkStatus(code);
  isEnding = true;
  flush();
  globalThis.exit(Number(code ?? self.exitCode ?? 0));
};
const end = (code) => {
  checkStatus(code);
  const status = tellExit(code ?? self.exitCode ?? 0);
  // Packages put one of their own in its place, to be told of the end.
  self.reallyExit(status);
};
atExit((status) => tellExit(status || self.exitCode || 0));
const report = reportError;
const tellBeforeExit = () => {
  // Thrown from here, it would come to the program past its "error" event.
  try { self.emit("beforeExit", Number(self.exitCode) || 0); } catch (error) { report(error); }
};
let isToTellBeforeExit = false;
const followIdling = (name) => {
  if (name !== "beforeExit" || isToTellBeforeExit) return;
  isToTellBeforeExit = true;
  whenIdle(tellBeforeExit);
};

/** To the program itself and to programs that it started; 0 tells whether there is one. */
const kill = (pid, signal = "SIGTERM") => {
  if (typeof pid !== "number" || pid !== (pid | 0)) throw invalidArgType("pid", "number", pid);
  const { errno, signals } = require("node:os").constants;
  const name = signal === 0 ? "0" : typeof signal !== "number" ? signal
    : Object.keys(signals).find((name) => signals[name] === signal);
  // A number that no signal has.
  if (typeof signal === "number" && name === undefined) {
    throw Object.assign(new Error("kill EINVAL"), { errno: -errno.EINVAL, code: "EINVAL", syscall: "kill" });
  }
  if (name !== "0" && !Object.hasOwn(signals, name ?? "")) {
    throw coded(TypeError, "ERR_UNKNOWN_SIGNAL", `Unknown signal: ${signal}`);
  }
  if (plugin() === undefined) throw missing("process.kill() without the plugin 'process'");
  try { demand("kill", { pid, signal: name }); } catch (error) {
    const code = { not_found: "ESRCH", permission_denied: "EPERM" }[error?.code];
    if (code === undefined) throw error;
    const told = new Error(`kill ${code}: ${error.message}`, { cause: error });
    throw Object.assign(told, { errno: -errno[code], code, syscall: "kill" });
  }
  return true;
};

const nbridgeVersion = () => `${globalThis.nbridge?.version ?? ""}`;

assign(self, {
  title: "nbridge", version: `v${VERSION}`, platform: "linux", arch: architecture(), execArgv: [],
  env: environment(),
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
  exit: end, reallyExit: endNow,
  abort: () => end(134),
  umask: () => 0o22,
  kill, memoryUsage, cpuUsage,
  binding: unavailable("binding()"), dlopen: unavailable("dlopen()", "native code is a plugin"),
  setUncaughtExceptionCaptureCallback: unavailable("setUncaughtExceptionCaptureCallback()",
    'use process.on("uncaughtException")'),
  hasUncaughtExceptionCaptureCallback: () => false,
  getBuiltinModule: unavailable("getBuiltinModule()", "import the module by its name"),
  stdin: undefined, stdout: undefined, stderr: undefined,
});
const streams = () => require("node:internal/terminal");
const opened = (fd, name, print) => {
  const stream = streams().output(fd, name, print);
  outputs.push(stream);
  return stream;
};
Object.defineProperties(self, {
  exitCode: {
    enumerable: true, configurable: false,
    get: () => exitCode,
    set(code) {
      checkStatus(code);
      exitCode = code;
    },
  },
  pid: lazy(() => now("pid", undefined, 1)),
  // It changes when that one ends.
  ppid: { enumerable: true, configurable: true, get: () => now("ppid", undefined, 0) },
  stdin: lazy(() => streams().input()),
  stdout: lazy(() => opened(1, "stdout", (text) => console.log(text))),
  stderr: lazy(() => opened(2, "stderr", (text) => console.error(text))),
});
followSignals();

module.exports = self;
