// SPDX-License-Identifier: MIT
// node:child_process over nbridge.process, whose permissions (process.run:/usr/bin/git) hold.
"use strict";

const EventEmitter = require("node:events");
const { Buffer } = require("node:buffer");
const { Writable } = require("node:internal/writable");
const { abortError, check, coded, invalidArgType, invalidArgValue, missing, outOfRange } = require("node:internal/errors");
const { demand, plugin } = require("node:internal/native");
const { readable } = require("node:internal/terminal");
const process = require("node:process");
const path = require("node:path");
const { constants } = require("node:os");

const SHELL = "/bin/sh";
const CODES = {
  not_found: "ENOENT", not_executable: "EACCES", permission_denied: "EACCES", not_directory: "ENOTDIR",
};

/** Why a program was not started, as Node says it, and what nbridge said. */
const failure = (error, file, args) => {
  const code = CODES[error?.code];
  if (code === undefined) return error;
  const told = new Error(`spawn ${file} ${code}: ${error.message}`, { cause: error });
  const errno = -constants.errno[code];
  return Object.assign(told, { errno, code, syscall: `spawn ${file}`, path: file, spawnargs: args });
};

/** So many bytes of small pieces go together. */
const TOGETHER = 1 << 20;

/** Sends pieces in as few writes as that allows. */
const sendAll = (items, send, done, start = 0) => {
  if (start === items.length) return done();
  const parts = [];
  let size = 0, at = start;
  for (; at < items.length && (at === start || size + items[at].chunk.length <= TOGETHER); at++) {
    parts.push(items[at].chunk);
    size += items[at].chunk.length;
  }
  send(parts.length === 1 ? parts[0] : Buffer.concat(parts, size), (error) => (error ? done(error) : sendAll(items, send, done, at)));
};

/** A write that the child does not take. */
const broken = (cause) => cause?.code !== "closed" ? cause
  : Object.assign(new Error("write EPIPE", { cause }), { errno: -constants.errno.EPIPE, code: "EPIPE", syscall: "write" });

const refuse = (options) => {
  for (const name of ["uid", "gid", "argv0"]) {
    if (options[name] === undefined) continue;
    throw missing(`child_process option '${name}'`, "a program runs as its caller does");
  }
  if (options.detached) {
    throw missing("child_process option 'detached'", "a program ends with the one that started it");
  }
};

const signalName = (signal) => {
  const { signals } = constants;
  const name = typeof signal === "number" ? Object.keys(signals).find((name) => signals[name] === signal)
    : typeof signal === "string" ? signal.toUpperCase() : "";
  if (Object.hasOwn(signals, name ?? "")) return name;
  throw coded(TypeError, "ERR_UNKNOWN_SIGNAL", `Unknown signal: ${String(signal)}`);
};

/** What options must be, in Node's words. */
const checkOptions = ({ cwd, shell, timeout, signal, killSignal }) => {
  const isGiven = (value) => value !== undefined && value !== null;
  if (isGiven(cwd) && typeof cwd !== "string" && !(cwd instanceof URL) && !ArrayBuffer.isView(cwd)) {
    throw invalidArgType("options.cwd", ["string", "Buffer", "URL"], cwd);
  }
  if (isGiven(shell) && typeof shell !== "boolean" && typeof shell !== "string") {
    throw invalidArgType("options.shell", ["boolean", "string"], shell);
  }
  if (isGiven(timeout) && !(Number.isInteger(timeout) && timeout >= 0)) {
    throw outOfRange("timeout", "an unsigned integer", timeout);
  }
  if (signal !== undefined && (signal === null || typeof signal !== "object" || !("aborted" in signal))) {
    throw invalidArgType("options.signal", "AbortSignal", signal);
  }
  if (typeof killSignal === "string" || typeof killSignal === "number") signalName(killSignal);
  else if (isGiven(killSignal)) throw invalidArgType("options.killSignal", ["string", "number"], killSignal);
};

/** What each of the three streams is for. */
const usesOf = (stdio = "pipe") => {
  const list = Array.isArray(stdio) ? [...stdio] : [stdio, stdio, stdio];
  if (list.length > 3) throw missing("child_process option 'stdio' with more than three streams");
  return [0, 1, 2].map((at) => {
    const use = list[at] ?? "pipe";
    if (use === "pipe" || use === "overlapped") return "pipe";
    if (use === "ignore") return "ignore";
    if (use === "inherit" || use === at || use?.fd === at) return "inherit";
    throw invalidArgValue("stdio", stdio, "must be 'pipe', 'ignore' or 'inherit' for each stream");
  });
};

/** Variables for the child: those that nbridge gives it anyhow are not told again. */
const variables = (env) => {
  if (env === undefined || env === null) return { ...process.env };
  const made = {};
  for (const [name, value] of Object.entries(env)) if (value !== undefined) made[name] = `${value}`;
  return made;
};

const folder = (cwd) => {
  if (cwd === undefined || cwd === null) return undefined;
  return path.resolve(cwd instanceof URL ? require("node:url").fileURLToPath(cwd) : `${cwd}`);
};

/** What nbridge.process calls the uses of an output. */
const USES = { pipe: "pipe", inherit: "inherit", ignore: "discard" };

class ChildProcess extends EventEmitter {
  #child;
  #isAsked = false;
  #stopSignal;
  // Whether it could not be started, which is told later.
  #isLost = false;

  constructor() {
    super();
    Object.assign(this, {
      pid: undefined, exitCode: null, signalCode: null, killed: false, connected: false, stdin: null,
      stdout: null, stderr: null, stdio: [null, null, null], spawnfile: undefined, spawnargs: undefined,
    });
  }

  /**
   * The program. It runs at once, and has its number, unless it writes where this one does, which may have
   * printed something that is not out yet.
   */
  #start(file, args, option) {
    const isOwn = option.stdout !== "inherit" && option.stderr !== "inherit";
    const now = isOwn ? plugin()?.[Symbol.for("nbridge.spawnNow")] : undefined;
    if (now === undefined) {
      return Promise.resolve().then(() => {
        if (plugin() === undefined) throw missing("child_process without the plugin 'process'");
        return plugin().spawn(file, args, option);
      });
    }
    try {
      const child = now((start) => demand("startNow", start), file, args, option);
      this.pid = child.pid;
      return Promise.resolve(child);
    } catch (error) {
      this.#isLost = true;
      return Promise.reject(error);
    }
  }

  /** The streams are there at once, though the program may not be. */
  _begin(file, args, uses, option) {
    this.spawnfile = file;
    this.spawnargs = [file, ...args];
    const started = this.#start(file, args, option);
    const child = async () => this.#child ?? await started;
    if (uses[0] === "pipe") {
      const send = (chunk, done) =>
        child().then((made) => made.stdin.write(chunk)).then(() => done(), (error) => done(broken(error)));
      this.stdin = new Writable({
        write(chunk, encoding, done) { send(chunk, done); },
        writev(items, done) { sendAll(items, send, done); },
        final(done) { child().then((made) => made.stdin.close()).then(() => done(), () => done()); },
        destroy(error, done) {
          child().then((made) => made.stdin.close()).catch(() => {});
          done(error);
        },
      });
      // A program that ends without reading all of it is no error of its caller's.
      this.stdin.on("error", () => {});
    }
    const reading = (name) => {
      const stream = readable(() => {
        let chunks;
        return {
          next: async () => (chunks ??= (await child())[name].chunks()).next(),
          return: () => chunks?.return(),
        };
      });
      // Whoever has destroyed it, and whether or not it was read: what writes there is told.
      stream.once("close", () => { child().then((made) => made[name].close()).catch(() => {}); });
      return stream;
    };
    if (uses[1] === "pipe") this.stdout = reading("stdout");
    if (uses[2] === "pipe") this.stderr = reading("stderr");
    this.stdio = [this.stdin, this.stdout, this.stderr];
    this.#follow(started, file, args);
    return this;
  }

  /** Tells listeners. What they throw is an uncaught error and no promise's; so is an error nobody hears. */
  #tell(...event) {
    try { this.emit(...event); } catch (error) { queueMicrotask(() => { throw error; }); }
  }

  async #follow(started, file, args) {
    try { this.#child = await started; } catch (error) {
      const told = failure(error, file, args);
      this.exitCode = told.errno ?? -1;
      for (const stream of this.stdio) stream?.destroy();
      this.#tell("error", told);
      this.#tell("close", this.exitCode, null);
      return;
    }
    this.pid = this.#child.pid;
    this.#tell("spawn");
    if (this.#isAsked) this.#child.kill(this.#stopSignal).catch(() => {});
    const streams = [this.stdout, this.stderr].filter((stream) => stream !== null);
    const outputs = streams.map((stream) => new Promise((resolve) => {
      if (stream.destroyed || stream.readableEnded) return resolve();
      stream.once("end", resolve);
      stream.once("close", resolve);
    }));
    const { status, signal } = await this.#child.wait();
    this.exitCode = status;
    this.signalCode = signal;
    this.stdin?.destroy();
    this.#tell("exit", status, signal);
    // What nobody reads is let go.
    for (const stream of streams) {
      if (stream.readableFlowing === null && stream.listenerCount("readable") === 0) stream.resume();
    }
    await Promise.all(outputs);
    this.#tell("close", status, signal);
  }

  /** 0 sends none: it asks whether there is anything to send one to. */
  kill(signal = "SIGTERM") {
    const name = signal === 0 ? undefined : signalName(signal);
    if (this.#isLost || this.exitCode !== null || this.signalCode !== null) return false;
    this.killed = true;
    if (name === undefined) return true;
    this.#isAsked = true;
    this.#stopSignal = name;
    this.#child?.kill(name).catch(() => {});
    return true;
  }

  ref() {}
  unref() {}
  disconnect() { throw missing("child_process with messages ('ipc')"); }
  send() { throw missing("child_process with messages ('ipc')"); }
  [Symbol.dispose ?? Symbol("dispose")]() { this.kill(); }
}

const withoutNull = (value, name, kinds = "a string") => {
  if (`${value}`.includes("\0")) throw invalidArgValue(name, value, `must be ${kinds} without null bytes`);
};

/** `(file, args, options)`, of which the middle may be left out. */
const sorted = (file, args, options) => {
  check.string(file, "file");
  if (file === "") throw invalidArgValue("file", file, "cannot be empty");
  if (args !== undefined && args !== null && !Array.isArray(args)) {
    check.object(args, "args");
    [args, options] = [[], args];
  }
  if (options !== undefined && options !== null) check.object(options, "options");
  options = { ...options };
  refuse(options);
  checkOptions(options);
  let list = (args ?? []).map((arg) => `${arg}`);
  withoutNull(file, "file");
  list.forEach((arg, at) => withoutNull(arg, `args[${at}]`));
  withoutNull(options.cwd, "options.cwd", "a string, Uint8Array, or URL");
  if (typeof options.shell === "string") withoutNull(options.shell, "options.shell");
  for (const [name, value] of Object.entries(options.env ?? {})) {
    withoutNull(name, "options.env");
    withoutNull(value, `options.env['${name}']`);
  }
  if (options.shell) {
    list = ["-c", [file, ...list].join(" ")];
    file = typeof options.shell === "string" ? options.shell : SHELL;
  }
  return { file, list, options };
};

const spawn = (command, args, given) => {
  const { file, list, options } = sorted(command, args, given);
  const uses = usesOf(options.stdio);
  const child = new ChildProcess();
  const { signal, timeout } = options;
  const killSignal = options.killSignal ?? "SIGTERM";
  if (signal?.aborted) {
    queueMicrotask(() => child.emit("error", abortError(signal)));
    return child;
  }
  child._begin(file, list, uses, {
    cwd: folder(options.cwd), env: variables(options.env), stdin: { pipe: "pipe", inherit: "inherit", ignore: "none" }[uses[0]],
    stdout: USES[uses[1]], stderr: USES[uses[2]],
  });
  const end = () => {
    if (child.kill(killSignal)) child.emit("error", abortError(signal));
  };
  const timer = timeout > 0 ? setTimeout(() => child.kill(killSignal), timeout) : undefined;
  signal?.addEventListener("abort", end, { once: true });
  const forget = () => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", end);
  };
  child.once("exit", forget);
  child.once("close", forget);
  return child;
};

/** Gathers an output, up to so many bytes. */
const gather = (stream, most, encoding, exceeded) => {
  const chunks = [];
  const isText = Buffer.isEncoding(encoding);
  if (isText) stream?.setEncoding(encoding);
  let length = 0;
  stream?.on("data", (chunk) => {
    const room = most - length;
    length += isText ? Buffer.byteLength(chunk, encoding) : chunk.length;
    if (room > 0) chunks.push(length <= most ? chunk : isText ? chunk.slice(0, room) : chunk.subarray(0, room));
    if (length > most) exceeded();
  });
  return () => isText ? chunks.join("") : Buffer.concat(chunks);
};

const execFile = (command, ...rest) => {
  const done = typeof rest.at(-1) === "function" ? rest.pop() : undefined;
  while (rest.length > 0 && (rest.at(-1) === undefined || rest.at(-1) === null)) rest.pop();
  const { file, list, options } = sorted(command, rest[0], rest[1]);
  const { maxBuffer = 1024 * 1024, encoding = "utf8" } = options;
  if (typeof maxBuffer !== "number" || maxBuffer < 0) {
    throw outOfRange("options.maxBuffer", "a positive number", maxBuffer);
  }
  const child = spawn(file, list, { ...options, shell: false, stdio: "pipe" });
  const cmd = options._command ?? [file, ...list].join(" ");
  let problem;
  const exceeds = (name) => () => {
    problem ??= coded(RangeError, "ERR_CHILD_PROCESS_STDIO_MAXBUFFER", `${name} maxBuffer length exceeded`);
    child.kill(options.killSignal ?? "SIGTERM");
  };
  const outs = ["stdout", "stderr"].map((name) => gather(child[name], maxBuffer, encoding, exceeds(name)));
  child.once("error", (error) => { problem ??= error; });
  child.once("close", (code, signal) => {
    const [stdout, stderr] = outs.map((out) => out());
    if (done === undefined) return;
    if (problem === undefined && code === 0 && signal === null) return done(null, stdout, stderr);
    const error = problem ?? Object.assign(new Error(`Command failed: ${cmd}\n${stderr}`),
      { code, killed: child.killed, signal });
    done(Object.assign(error, { cmd }), stdout, stderr);
  });
  return child;
};

const exec = (command, options, done) => {
  check.string(command, "command");
  withoutNull(command, "command");
  if (typeof options === "function") [options, done] = [undefined, options];
  const shell = typeof options?.shell === "string" ? options.shell : SHELL;
  return execFile(shell, ["-c", command], { ...options, shell: false, _command: command }, done);
};

const promised = (start) => (...args) => {
  let child;
  const promise = new Promise((resolve, reject) => {
    child = start(...args, (error, stdout, stderr) => {
      if (error === null) resolve({ stdout, stderr });
      else reject(Object.assign(error, { stdout, stderr }));
    });
  });
  promise.child = child;
  return promise;
};
const custom = Symbol.for("nodejs.util.promisify.custom");
for (const start of [exec, execFile]) Object.defineProperty(start, custom, { value: promised(start) });

const waiting = (name, instead) => () => { throw missing(`child_process.${name}()`, instead); };
const awaited = (name) =>
  `programs are awaited: import { promisify } from "node:util", then await promisify(${name})(...)`;

module.exports = {
  ChildProcess, spawn, exec, execFile,
  execSync: waiting("execSync", awaited("exec")), execFileSync: waiting("execFileSync", awaited("execFile")),
  spawnSync: waiting("spawnSync", "programs are awaited: spawn(...), then its event 'close'"),
  fork: waiting("fork", 'a script is started as a program: spawn("nbridge", ["run", FILE])'),
};
