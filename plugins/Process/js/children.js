(facade, hidden, BridgeError, program, inner) => {
  "use strict";
  const { failure, invalid, shown, packed, demandText, texts, variables, oneOf, asked, once, waited } = inner.common;
  const { reader, writer } = inner;
  const { indexOf, slice, isView, textOf, asyncIterator, toStringTag, then, define, Promise } = program.intrinsics;
  const { max } = Math;
  const { Symbol } = globalThis;

  const RUN = ["as", "input", "outputLimit", "cwd", "env", "timeLimit", "memoryLimit", "grace", "stdout", "stderr"];
  const SPAWN = ["stdin", "cwd", "env", "timeLimit", "memoryLimit", "grace", "stdout", "stderr"];

  const number = (value, name) => {
    if (value === undefined || typeof value === "number") return value;
    throw invalid(`option.${name} must be a number, not ${shown(value)}`);
  };

  /** What both ways of running a program have in common. */
  const started = (path, args, option, outputs) => {
    const { cwd, env, timeLimit, memoryLimit, grace } = option;
    return {
      __proto__: null, program: demandText(path, "the program"), arguments: texts(args ?? [], "args"),
      workingFolder: cwd === undefined ? undefined : demandText(cwd, "option.cwd"),
      environment: env === undefined ? undefined : variables(env, "option.env"),
      timeLimit: number(timeLimit, "timeLimit"), memoryLimit: number(memoryLimit, "memoryLimit"), grace: number(grace, "grace"),
      ...outputs,
    };
  };

  /** What is left of a call's time for its second part. */
  const timed = (control) => {
    if (control === undefined || control === null || control.timeout === undefined) return () => control;
    const end = program.now() + control.timeout, { signal } = control;
    return () => ({ __proto__: null, signal, timeout: max(1, end - program.now()) });
  };

  // --- Input ----------------------------------------------------------------------------------------------

  const put = async (child, value) => {
    await child.putInput(value);
    await once(child.tookInput());
    await child.checkInput();
  };

  const isBytes = (value) => isView(value) || textOf(value) === "[object ArrayBuffer]";
  const isIterable = (value) => typeof value === "object" && value !== null && typeof value[asyncIterator] === "function";
  const demandInput = (input) => {
    if (input === undefined || typeof input === "string" || isBytes(input) || isIterable(input)) return input;
    throw invalid(`option.input must be a string, bytes, or an async iterable of them, not ${shown(input)}`);
  };

  /** Gives a child its input. That it takes less than there is of it is no fault of the call's. */
  const feed = async (child, input) => {
    try {
      if (!isIterable(input) || isBytes(input)) await put(child, packed(input, "option.input"));
      else for await (const chunk of input) await put(child, packed(chunk, "a piece of option.input"));
    } catch (error) {
      // Closed, or ended and forgotten: its end tells how.
      if (error?.code === "closed" || error?.code === "unavailable") return;
      throw error;
    }
    await child.closeInput();
  };

  // --- Run ------------------------------------------------------------------------------------------------

  const FORMS = ["text", "bytes", "lines"], GATHERED = ["collect", "inherit", "discard"];

  const linesOf = (text) => {
    const lines = [];
    for (let at = 0; at < text.length;) {
      const feedAt = indexOf(text, "\n", at), end = feedAt < 0 ? text.length : feedAt;
      define(lines, lines.length, {
        __proto__: null, value: slice(text, at, end > at && text[end - 1] === "\r" && feedAt >= 0 ? end - 1 : end),
        writable: true, enumerable: true, configurable: true,
      });
      at = end + 1;
    }
    return lines;
  };

  const formed = (form, { text, bytes }) => {
    if (form === "lines") return text === undefined || text === null ? null : linesOf(text);
    return (form === "text" ? text : bytes) ?? null;
  };

  facade.run = async function run(path, args, option, control) {
    const wanted = asked(option, RUN);
    const form = oneOf(wanted.as ?? "text", FORMS, "option.as");
    const input = demandInput(wanted.input);
    const rest = timed(control);
    const start = started(path, args, wanted, {
      __proto__: null, writes: input !== undefined, outputLimit: number(wanted.outputLimit, "outputLimit"),
      output: oneOf(wanted.stdout ?? "collect", GATHERED, "option.stdout"),
      errors: oneOf(wanted.stderr ?? "collect", GATHERED, "option.stderr"),
    });
    const { child } = await hidden.start(start, control);
    // It must not outlive the call that it was started for.
    try {
      const ended = waited(child.ended(undefined, rest()), `the end of '${path}'`);
      // An input that fails ends the call at once; one that the child does not want any more does not.
      const fed = input === undefined ? undefined : feed(child, input);
      if (fed !== undefined) await new Promise((resolve, reject) => {
        then(fed, undefined, reject);
        then(ended, resolve, reject);
      });
      await ended;
      const { status, signal, output, errors } = await child.result({ __proto__: null, text: form !== "bytes" });
      return {
        ok: status === 0, status: status ?? null, signal: signal ?? null,
        stdout: formed(form, output), stderr: formed(form, errors),
      };
    } finally { program.ignore(child.close()); }
  };

  // --- Spawn ----------------------------------------------------------------------------------------------

  const MAKE = { __proto__: null };

  class ChildProcess {
    #child;
    #ended;

    constructor(key, { child, pid }, writes, output, errors) {
      if (key !== MAKE) throw failure("invalid_parameter", "a ChildProcess is made by nbridge.process.spawn");
      this.#child = child;
      this.pid = pid;
      const read = (name, isErrors) => reader({
        __proto__: null, name: `the child's ${name}`, place: { __proto__: null, errors: isErrors },
        waits: (option, control) => child.waits(option, undefined, control), lines: (option) => child.takeLines(option),
        bytes: (option) => child.takeBytes(option), all: (option) => child.takeAll(option),
        close: (option) => child.closeOutput(option),
      });
      this.stdin = writes ? writer({
        __proto__: null, write: (value) => put(child, value), close: () => child.closeInput(),
      }) : null;
      this.stdout = output === "stream" ? read("stdout", false) : null;
      this.stderr = errors === "stream" ? read("stderr", true) : null;
    }

    /** How it ended, once it has. Keeps the program alive while it is waited for. */
    async wait(control) {
      this.#ended ??= await this.#result(control);
      return { ...this.#ended };
    }

    async #result(control) {
      const child = this.#child;
      await waited(child.ended(undefined, control), "the child's end");
      const { status, signal } = await child.result({ __proto__: null });
      return { __proto__: null, ok: status === 0, status: status ?? null, signal: signal ?? null };
    }

    /** Sends a signal to it and all that it started. */
    kill(signal = "SIGTERM") { return this.#child.signal({ __proto__: null, signal: demandText(signal, "the signal") }); }

    /** Ends it: SIGTERM, and SIGKILL when its grace is over. */
    stop() { return this.#child.cancel(); }
  }
  define(ChildProcess.prototype, toStringTag, { __proto__: null, value: "ChildProcess", configurable: true });

  const ENDS = ["pipe", "inherit", "discard"];
  const use = (end) => end === "pipe" ? "stream" : end;

  const spawning = (path, args, option) => {
    const wanted = asked(option, SPAWN);
    const input = oneOf(wanted.stdin ?? "none", ["pipe", "inherit", "none"], "option.stdin");
    const writes = input === "pipe", inherits = input === "inherit";
    const output = use(oneOf(wanted.stdout ?? "pipe", ENDS, "option.stdout"));
    const errors = use(oneOf(wanted.stderr ?? "inherit", ENDS, "option.stderr"));
    const start = started(path, args, wanted, { __proto__: null, writes, inherits, output, errors });
    return { start, made: (child) => new ChildProcess(MAKE, child, writes, output, errors) };
  };

  facade.spawn = async function spawn(path, args, option, control) {
    const { start, made } = spawning(path, args, option);
    return made(await hidden.start(start, control));
  };

  // The same at once, for node:child_process, which has the way to actions that answer at once: `begin(start)`. What this
  // program printed is not waited for, so no output may be its own.
  define(facade, Symbol.for("nbridge.spawnNow"), {
    __proto__: null, value: (begin, path, args, option) => {
      const { start, made } = spawning(path, args, option);
      return made(begin(start));
    },
  });
}
