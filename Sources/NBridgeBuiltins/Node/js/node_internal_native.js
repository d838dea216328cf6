// SPDX-License-Identifier: MIT
// What node:process and its neighbours have of nbridge.process: its calls, and answers of those that are
// there at once. Where the plugin is not part of the program, or a list of permissions leaves a call out, they
// do without.
"use strict";

/** The plugin's object; undefined without it. */
const plugin = () => {
  const bridge = globalThis.nbridge;
  return bridge?.services?.includes("process") ? bridge.process : undefined;
};

/** The answer of an action that is there at once; `otherwise` where it can't be had. */
const now = (action, option, otherwise) => {
  if (plugin() === undefined) return otherwise;
  try { return require.native.bridge()("process", action, option) ?? otherwise; } catch { return otherwise; }
};

/** The answer of an action that is there at once; throws what the action throws. */
const demand = (action, option) => require.native.bridge()("process", action, option);

/** `tell(status)` is called once, when the program ends by itself or by an error; it answers the status. */
const atExit = (tell) => require.native.atExit(tell);

/** `tell()` is called whenever nothing is left to be done, before the program ends by itself. */
const whenIdle = (tell) => require.native.whenIdle(tell);

/** What the machine's processor is called, as Node has it; undefined where nobody knows. */
const architecture = () => require.native.architecture() || undefined;

/** How many bytes: `rss`, or what the engine calls its own; of the processor's time, `user` and `system`, microseconds. */
const memory = (name) => require.native.memory(name);

/**
 * Begins a digest by one of OpenSSL's names; undefined for no such name. What it answers takes bytes by `(bytes, count)`, copies
 * itself by `()`, and ends by `(size)`, which answers so many bytes in hexadecimal; it has a `size` and a `blockSize`, and
 * `isExtendable` where it gives as many bytes as are asked for.
 */
const digest = (algorithm) => require.native.digest(algorithm);

/** What an iterator of a Map or a Set has left: `kind`, `isPairs` and `items`; undefined for any other value. */
const restOf = (iterator) => require.native.restOf(iterator);

/** The engine's own functions, of a global object that no script has. */
const intact = () => require.native.intact();

/** What tells what objects of the web hold. */
const contents = () => require.native.contents();

/** What the engine's own objects hold beside their members: `slotsOf(value)`. */
const engineObjects = () => require.native.engineobjects();

/** Whether a value is known to be an object without inner slots: one of `{}`, or of a class of a script's. */
const isOrdinary = (value) => require.native.isOrdinary(value);

/** What errors show: `framesOf(stack, makers)`, the author's frames, and `makersOf(error)`. */
const errors = () => require.native.errors();

/** What promises settle to, whatever a script has made of theirs: `own`, `outcomeOf`. */
const settling = () => require.native.settling();

/** Which of the web's interfaces an object inherits from: `interfaceOf(value)`. */
const interfaces = () => require.native.idl();

/** Who sets timers instead of the program, by their kinds. */
const timerSources = () => require.native.timersources();

/** Where the runner of tests looks for node:assert's assertions: `assert`. */
const testAsserts = () => require.native.testasserts();

/** What starts workers: `start(address, options, message, transfer, ended)`. */
const workers = () => require.native.workers();

/** What this program was given as a worker; undefined where it is none. */
const ownWorker = () => require.native.ownWorker();

/** The message that waits longest at a port, as `{ message }`; undefined for none. */
const receiveNow = (port) => require.native.receiveNow(port);

module.exports = {
  plugin, now, demand, atExit, whenIdle, memory, digest, restOf, intact, contents, isOrdinary, interfaces, settling,
  engineObjects, errors, testAsserts, timerSources, architecture,
  workers, ownWorker, receiveNow,
};
