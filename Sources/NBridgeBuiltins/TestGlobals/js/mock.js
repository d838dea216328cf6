// SPDX-License-Identifier: MIT
// Functions that keep their calls, in the place of others or by themselves, with the names of Node's `mock`.
((host) => {
  "use strict";
  const { add, makeTimers } = host;
  const { wrongType, wrongValue, needFunction, needBoolean, needObject, needCount } = host.refusals;
  const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf, setPrototypeOf } = Object;
  const { apply, construct } = Reflect;

  const uncurry = (method) => (self, ...args) => apply(method, self, args);
  const has = uncurry(WeakSet.prototype.has);
  const note = uncurry(WeakSet.prototype.add);
  const mocks = new WeakSet();
  /** Calls that came to their end: one that throws undefined has no error either. */
  const returned = new WeakSet();

  const isOptions = (value) => typeof value === "object" && value !== null;

  /** Another body, up to the call with the number `times`; `putBack` takes the function out of where it was put. */
  const makeFunction = (original, { implementation: first, times = Infinity }, putBack) => {
    const calls = [];
    /** Bodies for one call each, by its number. */
    let queue = { __proto__: null };
    let implementation = first;
    const state = {
      calls,
      callCount: () => calls.length,
      resetCalls: () => { calls.length = 0; },
      mockImplementation: (body) => {
        needFunction(body, "implementation");
        implementation = body;
      },
      /** Another body for one call, the next or the one with this number, from 0. */
      mockImplementationOnce: (body, at = calls.length) => {
        needFunction(body, "implementation");
        needCount(at, "onCall", calls.length);
        queue[at] = body;
      },
      restore: () => {
        implementation = original;
        queue = { __proto__: null };
        putBack?.();
      },
    };
    const nextBody = () => {
      const number = calls.length;
      const body = queue[number] ?? implementation;
      delete queue[number];
      if (number + 1 === times) state.restore();
      return body;
    };
    const mocked = function (...args) {
      const body = nextBody();
      const call = { arguments: args, this: this, target: new.target, result: undefined, error: undefined, stack: new Error() };
      add(calls, call);
      try {
        call.result = new.target === undefined ? apply(body, this, args)
          : construct(body, args, new.target === mocked ? body : new.target);
        note(returned, call);
        return call.result;
      } catch (error) {
        call.error = error;
        throw error;
      }
    };
    defineProperty(mocked, "name", { __proto__: null, value: original.name || "mock", configurable: true });
    defineProperty(mocked, "length", { __proto__: null, value: original.length, configurable: true });
    defineProperty(mocked, "mock", { __proto__: null, value: state });
    // What else a class has, and what its instances are.
    setPrototypeOf(mocked, original);
    if (isOptions(original.prototype)) mocked.prototype = original.prototype;
    note(mocks, mocked);
    return mocked;
  };

  const findProperty = (object, name) => {
    for (let at = object; at !== null && at !== undefined; at = getPrototypeOf(at)) {
      const found = getOwnPropertyDescriptor(at, name);
      if (found !== undefined) return found;
    }
    return undefined;
  };

  /** Options that were given: none on Object.prototype is one. */
  const given = (options) => ({ __proto__: null, ...options });
  const timesOf = (options) => {
    const { times = Infinity } = given(options);
    if (times !== Infinity) needCount(times, "options.times", 1);
    return times;
  };
  /** Which part of a property is replaced: "value", "get" or "set". */
  const partOf = (options) => {
    const { getter = false, setter = false } = given(options);
    needBoolean(getter, "options.getter");
    needBoolean(setter, "options.setter");
    if (getter && setter) throw wrongValue("options.setter", "cannot be used with 'options.getter'", setter);
    return getter ? "get" : setter ? "set" : "value";
  };

  // --- A tracker ------------------------------------------------------------------------------------------

  /** What replaces, and puts back: one for each test, and a global one. */
  const makeMock = () => {
    const undo = [];
    const define = (object, name, descriptor) => {
      const own = getOwnPropertyDescriptor(object, name);
      defineProperty(object, name, { __proto__: null, configurable: true, ...descriptor });
      return () => { if (own === undefined) delete object[name]; else defineProperty(object, name, own); };
    };
    const timers = makeTimers((object, name, value) => {
      const isListed = getOwnPropertyDescriptor(object, name)?.enumerable ?? false;
      return define(object, name, { writable: true, enumerable: isListed, value });
    });

    const replacePart = (object, name, implementation, options) => {
      const part = partOf(options);
      const times = timesOf(options);
      // A global is put in place when it is first read.
      const value = part === "value" ? object[name] : undefined;
      const found = findProperty(object, name);
      const original = part === "value" ? value : found?.[part];
      if (typeof original !== "function") throw wrongValue("methodName", "must be a method", original);
      let back;
      const mocked = makeFunction(original, { implementation: implementation ?? original, times }, () => back());
      const { enumerable, writable = true } = found;
      back = define(object, name, part === "value" ? { enumerable, writable, value: mocked }
        : { enumerable, get: found.get, set: found.set, [part]: mocked });
      add(undo, back);
      return mocked;
    };

    const mock = {
      /** Options stand in the place of the last function that is left out, as everywhere here. */
      fn(original = function mock() {}, implementation = original, options = {}) {
        if (isOptions(original)) return mock.fn(undefined, undefined, original);
        if (isOptions(implementation)) return mock.fn(original, undefined, implementation);
        needFunction(original, "original");
        needFunction(implementation, "implementation");
        needObject(options, "options");
        return makeFunction(original, { implementation, times: timesOf(options) });
      },
      method(object, name, implementation, options = {}) {
        if (typeof name !== "string" && typeof name !== "symbol") {
          throw wrongType("methodName", "one of type string or symbol", name);
        }
        if (typeof object !== "function") needObject(object, "object");
        if (isOptions(implementation)) return mock.method(object, name, undefined, implementation);
        if (implementation !== undefined) needFunction(implementation, "implementation");
        needObject(options, "options");
        return replacePart(object, name, implementation, options);
      },
      getter: (...args) => replaceAccessor("getter", ...args),
      setter: (...args) => replaceAccessor("setter", ...args),
      timers,
      /** Puts everything back. Answers what went wrong. */
      restore() {
        const problems = [];
        timers.reset();
        while (undo.length > 0) {
          const back = undo[undo.length - 1];
          undo.length--;
          try { back(); } catch (error) { add(problems, error); }
        }
        return problems;
      },
      restoreAll: () => { mock.restore(); },
      reset: () => { mock.restore(); },
    };
    const replaceAccessor = (kind, object, name, implementation, options = {}) => {
      if (isOptions(implementation)) return replaceAccessor(kind, object, name, undefined, implementation);
      needObject(options, "options");
      if (given(options)[kind] === false) throw wrongValue(`options.${kind}`, "cannot be false", false);
      return mock.method(object, name, implementation, { ...options, [kind]: true });
    };
    return mock;
  };

  const isMock = (value) => typeof value === "function" && has(mocks, value);
  const hasReturned = (call) => has(returned, call);
  return { makeMock, isMock, hasReturned };
})
