// SPDX-License-Identifier: MIT
// Runs a file of tests in a page: `nbridge test --in window,serve`. The runner and all that tests call are the libraries that a program
// has, as they are (NBridgeBuiltins/TestGlobals/js); here is what they have of the native side there, as far as a page can have it, and
// the record of what happened, which goes out as lines: TestRecord of NBridgeBuiltins/Testing.
((window, given, page) => {
  "use strict";
  const { say } = page;
  const { modules, libraries, file, filter, maxFailures } = given;
  const { Array, Map, Object, Promise, JSON, performance } = window;
  const { setTimeout, clearTimeout, setInterval, clearInterval } = window;
  const { apply } = window.Reflect, objectText = Object.prototype.toString;
  const { load, loaded, natives, framesOf, isPromise, nothing } = libraries(window, modules);
  const tell = (kind, fields) => say(JSON.stringify({ [kind]: fields }));

  // --- What was declared, and what failed ------------------------------------------------------------------------

  /** By their numbers from 1 on, as NBridgeBuiltins/Testing/TestRecorder.swift keeps them. */
  const titles = [], failures = new Map(), running = new Set();
  let current, failed = 0;

  const blame = (number, failure) => {
    if (!running.has(number)) return tell("failed", { _0: failure });
    failures.set(number, [...failures.get(number) ?? [], failure]);
  };
  const failureOf = (name, message, code, stack, difference) =>
    ({ name, message, code, stack: framesOf(stack), difference: difference === "" ? undefined : difference });

  /** What no function of the runner saw. */
  const blameUncaught = (error, kind) => {
    const { name, message, code, stack } = describe(error);
    blame(current ?? 0, failureOf(name, `${kind}: ${message}`, code, stack, ""));
  };

  const steps = {
    now: () => performance.now(),
    declare: (title, stack, partOf) => {
      const number = titles.push(title);
      tell("declared", { number, title, place: framesOf(stack).split("\n")[0], partOf });
      return number;
    },
    isChosen: (number) => {
      if (filter === undefined || titles[number - 1].includes(filter)) return true;
      tell("leftOut", { number });
      return false;
    },
    begin: (number, isPart) => {
      running.add(number);
      if (!isPart) current = number;
      tell("began", { number });
    },
    end: (number, outcome, milliseconds, notes) => {
      running.delete(number);
      if (current === number) current = undefined;
      const errors = failures.get(number) ?? [];
      failures.delete(number);
      if (errors.length > 0 || outcome === "fail") failed++;
      tell("ended", { _0: {
        number, title: titles[number - 1], outcome: errors.length > 0 ? "fail" : outcome, milliseconds, error: errors[0],
        furtherErrors: errors.length > 1 ? errors.slice(1) : undefined, notes: notes === "" ? undefined : notes,
      } });
    },
    blame: (number, name, message, code, stack, difference) => blame(number, failureOf(name, message, code, stack, difference)),
    isOver: () => maxFailures !== undefined && failed >= maxFailures,
    // A page has nobody who would stop a function that holds the thread: the program ends the browser then.
    attempt: (callback) => { setTimeout(callback, 0); },
    settled() {},
  };

  // --- Calls and timers, which a test must not leave behind -------------------------------------------------------

  const { host: bridgeHost, used } = page, { bind, registers } = bridgeHost, PENDING = 3, calls = [];
  let serial = 0;
  bridgeHost.bind = (service, name, forPlugin) => {
    const call = bind(service, name, forPlugin), kind = registers[3] === 1 ? "watch" : "call";
    return (...pack) => {
      const answer = call(...pack), since = performance.now();
      if (registers[0] === PENDING) calls[registers[1]] = { id: `${++serial}`, name: `${service}.${name} (${kind})`, since };
      return answer;
    };
  };
  const openCalls = () => calls.filter((_, slot) => used[slot])
    .map(({ id, name, since }) => ({ id, text: `${name}, open for ${Math.round(performance.now() - since)} ms` }));
  page.begin();

  const timers = new Map();
  const setting = (set, name) => (body, delay = 0, ...rest) => {
    const isOnce = name === "setTimeout";
    const id = apply(set, window, [(...values) => {
      if (isOnce) timers.delete(id);
      if (typeof body === "function") apply(body, window, values);
      else throw new TypeError(`${name} takes a function here: a page's tests run no texts`);
    }, delay, ...rest]);
    timers.set(id, `a ${name} of ${+delay || 0} ms`);
    return id;
  };
  const clearing = (clear) => (id) => {
    timers.delete(id);
    apply(clear, window, [id]);
  };
  const timing = {
    setTimeout: setting(setTimeout, "setTimeout"), clearTimeout: clearing(clearTimeout),
    setInterval: setting(setInterval, "setInterval"), clearInterval: clearing(clearInterval),
    hold() {},
  };
  for (const name of ["setTimeout", "clearTimeout", "setInterval", "clearInterval"]) window[name] = timing[name];

  // --- What libraries have of the native side ------------------------------------------------------------------------

  const unkept = () => { throw new Error("snapshots are kept where a file of tests runs headless: leave this one out in a page"); };
  Object.assign(natives, {
    equality: {
      // What keeps something out of sight says so by its tag.
      isOrdinary: (value) => !Array.isArray(value) && apply(objectText, value, []) === "[object Object]",
      isPromise,
      // What the browser keeps in its own objects nobody sees; what is known of them stands below.
      slotsOf: (value) => (load("idl").interfaceOf(value) === undefined ? load("engineobjects").slotsOf(value) : undefined),
    },
    // The program compares the lines.
    failures: { messageFor: (text) => text, diff: (actual, expected) => (actual === expected ? "" : JSON.stringify([actual, expected])) },
    expect: { snapshot: unkept, inlineSnapshot: unkept },
    leaks: {
      setTimer: timing.setTimeout, clearTimer: timing.clearTimeout, openCalls, openWorkers: () => [], endWorker: nothing,
      openTimers: () => Array.from(timers, ([id, text]) => ({ id: `${id}`, text })),
    },
    test: steps,
  });
  loaded.timers = timing;

  // --- What the browser has of its own -----------------------------------------------------------------------------

  const { declareInterface } = load("idl"), { compares, showsFields, showsPairs } = load("contents");
  const LANGUAGE = ["Map", "Set", "WeakMap", "WeakSet", "WeakRef", "FinalizationRegistry", "Promise", "Symbol", "BigInt", "ArrayBuffer",
    "SharedArrayBuffer", "DataView", "Iterator", "DisposableStack", "AsyncDisposableStack"];
  const isOf = (type) => (value) => value instanceof type;
  // Two objects of the browser's are the same only if they are one, unless it is known what they hold.
  for (const name of Object.getOwnPropertyNames(window)) {
    const { value } = Object.getOwnPropertyDescriptor(window, name) ?? {};
    if (typeof value !== "function" || typeof value.prototype !== "object" || value.prototype === null || LANGUAGE.includes(name)) continue;
    if (Object.getOwnPropertyDescriptor(value.prototype, Symbol.toStringTag)?.value !== name) continue;
    declareInterface(value, name);
    if (name === "URL") showsFields(value, name, ["href"], isOf(value));
    else if (name === "URLSearchParams" || name === "FormData") showsPairs(name, (pairs) => [...pairs].flat(), isOf(value));
    else compares(name, nothing, isOf(value));
  }

  // --- The file ---------------------------------------------------------------------------------------------------

  const { globals, run } = load("test");
  const { describe } = load("failures");
  for (const name of Object.keys(globals)) {
    Object.defineProperty(window, name, { __proto__: null, value: globals[name], writable: true, configurable: true });
  }
  // What it writes would take the page's listeners away, and with them what is told of errors.
  for (const name of ["open", "write", "writeln"]) {
    Object.defineProperty(window.document, name, {
      __proto__: null, configurable: true, writable: true,
      value() { throw new Error(`document.${name}() would end the page of the tests; try it in an iframe`); },
    });
  }
  window.addEventListener("error", (event) => {
    // One of a file that is not there has no error.
    if (event.message !== undefined) blameUncaught(event.error ?? new Error(event.message), "an error that was not caught");
  });
  window.addEventListener("unhandledrejection", ({ reason }) => blameUncaught(reason, "a rejection that was not handled"));

  /** Rejections that nobody handles are told a turn later. */
  const turn = (milliseconds = 0) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });

  // What is loaded and not awaited may still fail: a program would wait for it, too.
  let loading = 0;
  const { fetch: fetchOfPage } = window;
  const fetch = async (...given) => {
    loading++;
    try { return await apply(fetchOfPage, window, given); } finally { loading--; }
  };
  Object.defineProperty(window, "fetch", { __proto__: null, value: fetch, writable: true, configurable: true, enumerable: true });
  /** As long as an answer's body, of this machine, takes. */
  const SETTLING = 50;
  const settled = async () => {
    do {
      await turn();
      if (loading === 0) await turn(SETTLING);
    } while (loading > 0);
    await turn();
  };
  const start = async () => {
    try { await import(`/${file.split("/").map(window.encodeURIComponent).join("/")}`); } catch (error) {
      const { name, message, code, stack } = describe(error);
      return blame(0, failureOf(name, `the file can't be loaded by a page: ${message}`, code, stack, ""));
    }
    await turn();
    await run();
    await settled();
  };
  start().then(() => tell("finished", {}), (error) => blameUncaught(error, "the runner failed")).then(nothing);
})
