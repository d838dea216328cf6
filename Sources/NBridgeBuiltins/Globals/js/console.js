// SPDX-License-Identifier: MIT
// The console namespace (console.spec.whatwg.org), formatted as Node's people know it. Text needs no formatting: what
// shows values is loaded with the first that is none.
((host) => {
  "use strict";
  // A script may put others in their places later.
  const { Error } = globalThis;
  const { create, defineProperty, is } = Object;
  const { toStringTag } = Symbol;
  const { bind, call } = Function.prototype;
  const includes = bind.call(call, String.prototype.includes);
  const indexOf = bind.call(call, String.prototype.indexOf);
  const trimEnd = bind.call(call, String.prototype.trimEnd);
  const slice = bind.call(call, String.prototype.slice);
  const lastIndexOf = bind.call(call, String.prototype.lastIndexOf);
  const exec = bind.call(call, RegExp.prototype.exec);
  const { log, write, writeError, now, colours, errorColours, framesOf, isFrame } = host;
  const counts = { __proto__: null };
  const timers = { __proto__: null };
  let depth = 0;
  let formatter;
  const formatting = () => formatter ??= host.formatter;

  const emit = (toError, text, level = toError ? "error" : "info") => {
    const lines = depth === 0 ? text : formatting().indented(text, depth);
    if (log !== undefined) return log(level, lines, new Error().stack);
    (toError ? writeError : write)(`${lines}\n`);
  };

  // Where a frame stands, of the engine's own `name@file:line:column`, at the end of a line.
  const PLACE = /:\d+:\d+(?:\n|$)/;
  const NATIVE = /@(?:\[(?:native|wasm) code\])?$/;
  // One in a text that has no file here: it may stand among the program's.
  const OTHER = /^[^\s@]*@[^\s@]+:\d+:\d+$/;
  // The name before it, of a line that begins with other words, as that of `"failed: " + error.stack`.
  const NAME = /(?:(?:global|module|eval) code|[^\s:=(>,[]*)$/;
  const PUNCTUATION = /[:=(>,[]\s*$/;
  // A longer line is no frame: paths end before.
  const LONGEST = 4096;

  /** The engine's frame at the end of a line: where it begins, and whether its file is known; undefined for none. */
  const frameIn = (line, isFirst) => {
    if (line.length > LONGEST || !includes(line, "@")) return undefined;
    if (exec(NATIVE, line) !== null) return startOf(line, lastIndexOf(line, "@"), isFirst, false);
    if (exec(PLACE, line) === null) return undefined;
    // Addresses and paths have the sign, too.
    for (let at = indexOf(line, "@"), tries = 0; at >= 0 && tries < 16; at = indexOf(line, "@", at + 1), tries++) {
      if (isFrame(slice(line, at))) return startOf(line, at, isFirst, true);
    }
    return exec(OTHER, line) === null ? undefined : { __proto__: null, start: 0, isOwn: false };
  };
  const startOf = (line, at, isFirst, isOwn) => {
    const start = exec(NAME, slice(line, 0, at)).index;
    // Behind another frame blanks belong to a name, as a member's may have them.
    const isApart = isFirst || exec(PUNCTUATION, slice(line, 0, start)) !== null;
    return { __proto__: null, start: isApart ? start : 0, isOwn };
  };

  /**
   * A text with an engine's stack in it, as `console.log(error.stack)` has: the frames are the author's, in the author's files.
   * The engine's own text names ours, and what ran. One frame is a stack, too.
   */
  const withFrames = (text) => {
    let shown = "", whole = "", head = "", stack = "", isOwn = false;
    const close = () => {
      shown += isOwn ? head + framed(stack) : whole;
      whole = head = stack = "";
      isOwn = false;
    };
    for (let at = 0; at <= text.length;) {
      const newline = indexOf(text, "\n", at);
      const end = newline < 0 ? text.length : newline;
      const line = slice(text, at, end);
      const frame = frameIn(line, whole === "");
      if (frame === undefined) {
        close();
        shown += `\n${line}`;
      } else {
        const before = trimEnd(slice(line, 0, frame.start));
        if (before !== "") {
          close();
          head = `\n${before}`;
        }
        whole += `\n${line}`;
        stack += `${slice(line, frame.start)}\n`;
        isOwn ||= frame.isOwn;
      }
      at = end + 1;
    }
    close();
    return slice(shown, 1);
  };
  const framed = (stack) => {
    const frames = framesOf(stack, "");
    return frames === "" ? "" : `\n${frames}`;
  };

  /** The arguments, whose own list it is; texts of them have the author's frames. */
  const authored = (args) => {
    for (let index = 0; index < args.length; index++) {
      const value = args[index];
      if (typeof value !== "string" || !includes(value, "@") || exec(PLACE, value) === null) continue;
      const text = withFrames(value);
      // Frames have lines of their own; where a format has its places for them, those are its author's.
      const isBehind = index > 0 && text !== value && slice(text, 0, 7) === "    at ";
      args[index] = isBehind && !(typeof args[0] === "string" && includes(args[0], "%")) ? `\n${text}` : text;
    }
    return args;
  };

  /** The text of arguments that need no formatting; undefined where one does. */
  const plainText = (args, isColoured) => {
    let text = "";
    for (let index = 0; index < args.length; index++) {
      const value = args[index];
      if (typeof value === "string") {
        if (index === 0 && args.length > 1 && includes(value, "%")) return undefined;
      } else if (isColoured || (typeof value !== "number" && typeof value !== "boolean") || is(value, -0)) {
        return undefined;
      }
      text += index === 0 ? value : ` ${value}`;
    }
    return text;
  };

  const textOf = (args, isColoured) => {
    authored(args);
    return plainText(args, isColoured) ?? formatting().format(args, isColoured);
  };
  const out = (args, level) => emit(false, textOf(args, colours), level);
  const err = (args, level) => emit(true, textOf(args, errorColours), level);
  const label = (value) => `${value}`;
  const passed = (start) => formatting().duration(now() - start);

  const methods = {
    __proto__: null,
    log(...args) { out(args); },
    info(...args) { out(args); },
    debug(...args) { out(args, "debug"); },
    warn(...args) { err(args, "warning"); },
    error(...args) { err(args); },
    trace(...args) {
      const text = args.length === 0 ? "Trace" : `Trace: ${textOf(args, errorColours)}`;
      const frames = framesOf(new Error().stack, "");
      emit(true, frames === "" ? text : `${text}\n${frames}`, "trace");
    },
    assert(condition = false, ...args) {
      if (condition) return;
      const failed = "Assertion failed";
      if (args.length === 0) return emit(true, failed);
      if (typeof args[0] !== "string") return emit(true, `${failed}: ${textOf(args, errorColours)}`);
      args[0] = `${failed}: ${args[0]}`;
      err(args);
    },
    clear() { if (colours) write("\u001b[1;1H\u001b[0J"); },
    dir(value = undefined, options = undefined) { emit(false, formatting().inspect(value, { colours, ...options })); },
    dirxml(...args) { out(args); },
    table(data = undefined, columns = undefined) {
      const drawn = formatting().table(data, columns);
      if (drawn === null) out([data]);
      else emit(false, drawn);
    },
    count(name = "default") {
      const key = label(name);
      const count = (counts[key] ?? 0) + 1;
      counts[key] = count;
      emit(false, `${key}: ${count}`);
    },
    countReset(name = "default") {
      const key = label(name);
      if (counts[key] === undefined) emit(true, `Count for '${key}' does not exist`);
      else delete counts[key];
    },
    group(...args) {
      if (args.length > 0) out(args);
      depth++;
    },
    groupCollapsed(...args) {
      if (args.length > 0) out(args);
      depth++;
    },
    groupEnd() { if (depth > 0) depth--; },
    time(name = "default") {
      const key = label(name);
      if (timers[key] !== undefined) emit(true, `Timer '${key}' already exists`);
      else timers[key] = now();
    },
    timeLog(name = "default", ...args) {
      const key = label(name);
      const start = timers[key];
      if (start === undefined) return emit(true, `Timer '${key}' does not exist`);
      const rest = args.length === 0 ? "" : ` ${formatting().format(authored(args), colours)}`;
      emit(false, `${key}: ${passed(start)}${rest}`);
    },
    timeEnd(name = "default") {
      const key = label(name);
      const start = timers[key];
      if (start === undefined) return emit(true, `Timer '${key}' does not exist`);
      delete timers[key];
      emit(false, `${key}: ${passed(start)}`);
    },
  };

  // The namespace object (Web IDL, 3.13): methods are its own, its prototype is an empty object.
  const console = create({});
  for (const name in methods) {
    defineProperty(console, name,
      { __proto__: null, value: methods[name], writable: true, enumerable: true, configurable: true });
  }
  defineProperty(console, toStringTag, { __proto__: null, value: "console", configurable: true });
  return { console };
})
