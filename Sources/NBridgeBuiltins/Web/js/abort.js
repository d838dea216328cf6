// SPDX-License-Identifier: MIT
// AbortController and AbortSignal (DOM standard, section 3).
((host) => {
  "use strict";
  const { append, EventTarget, Event, delay, hold, internals, notCloneable } = host;
  const { TypeError } = globalThis;
  const { addHandlers, create, finish, fire, need, toSequence, watch } = internals;
  const { defineProperty, getOwnPropertyDescriptor } = Object;
  const { bind, call } = Function.prototype;
  const uncurry = (method) => bind.call(call, method);
  const deref = uncurry(WeakRef.prototype.deref);
  const WeakRefTo = WeakRef;
  const { trunc } = Math;
  const { MAX_SAFE_INTEGER } = Number;

  /** A Set that works whatever a script does to Set.prototype. */
  class Steps extends Set {
    // The one that is there without asks the iterator of arrays.
    constructor() { super(); }
  }
  for (const name of ["add", "delete", "has", "forEach"]) {
    defineProperty(Steps.prototype, name, { __proto__: null, value: Set.prototype[name] });
  }
  const { get } = getOwnPropertyDescriptor(Set.prototype, "size");
  defineProperty(Steps.prototype, "size", { __proto__: null, get });

  // DOMException is read when there is one to make, so that the host may load it then.
  const aborted = () => new host.DOMException("This operation was aborted", "AbortError");
  const timedOut = () => new host.DOMException("The operation timed out", "TimeoutError");

  /** [EnforceRange] unsigned long long. */
  const toMilliseconds = (value) => {
    const time = trunc(+value);
    if (time >= 0 && time <= MAX_SAFE_INTEGER) return time;
    throw new TypeError("AbortSignal.timeout needs a number of milliseconds from 0 to 2^53 - 1");
  };

  const MAKE = Symbol("make");
  let signals;

  class AbortSignal extends EventTarget {
    #isAborted = false;
    #reason = undefined;
    #steps = null;
    // Signals made by `any` follow those that it was given. These know them weakly, lest a long lived signal
    // keep all that ever followed it, but those with something to run (#kept), which nothing else may hold.
    #isDependent = false;
    #sources = null;
    #dependents = null;
    #kept = null;
    #room = 8;
    #listens = false;
    // How many of its dependents a script listens for; whether this one is counted so by its sources.
    #heard = 0;
    #isHeard = false;
    #isTimer = false;
    #isHolding = false;

    constructor() {
      if (arguments[0] !== MAKE) throw new TypeError("Illegal constructor");
      super();
    }

    static {
      signals = {
        isSignal: (value) => typeof value === "object" && value !== null && #isAborted in value,
        isAborted: (signal) => signal.#isAborted,
        reason: (signal) => signal.#reason,
        abort(signal, reason) { signal.#abort(reason === undefined ? aborted() : reason); },
        addStep(signal, step) {
          if (signal.#isAborted) return;
          signal.#steps ??= new Steps();
          signal.#steps.add(step);
          if (signal.#isDependent) signal.#keep();
        },
        removeStep(signal, step) {
          signal.#steps?.delete(step);
          if (signal.#isDependent) signal.#keep();
        },
        /** What a call is told of a signal: members of its own, which no script has replaced. */
        forCall: (signal) => ({
          __proto__: null,
          get aborted() { return signal.#isAborted; },
          get reason() { return signal.#reason; },
          addEventListener: (type, step) => signals.addStep(signal, step),
          removeEventListener: (type, step) => signals.removeStep(signal, step),
        }),
      };
    }

    static #aborted(reason) {
      const signal = new AbortSignal(MAKE);
      signal.#isAborted = true;
      signal.#reason = reason === undefined ? aborted() : reason;
      return signal;
    }

    static abort(reason = undefined) { return AbortSignal.#aborted(reason); }

    static timeout(milliseconds) {
      need(arguments.length, 1, "AbortSignal.timeout");
      const time = toMilliseconds(milliseconds);
      const signal = new AbortSignal(MAKE);
      signal.#isTimer = true;
      watch(signal, (type, count) => {
        if (type !== "abort") return;
        signal.#listens = count > 0;
        signal.#hold();
      });
      delay(time, () => signal.#abort(timedOut()));
      return signal;
    }

    static any(list) {
      need(arguments.length, 1, "AbortSignal.any");
      const given = toSequence(list, "the signals", (value) => {
        if (signals.isSignal(value)) return value;
        throw new TypeError("AbortSignal.any needs AbortSignals");
      });
      for (let i = 0; i < given.length; i++) {
        if (given[i].#isAborted) return AbortSignal.#aborted(given[i].#reason);
      }
      const result = new AbortSignal(MAKE);
      result.#dependOn(given);
      return result;
    }

    /** DOM 3.2, "create a dependent abort signal": what depends on a dependent depends on its sources. */
    #dependOn(given) {
      this.#isDependent = true;
      this.#sources = new Steps();
      for (let i = 0; i < given.length; i++) {
        const signal = given[i];
        if (signal.#isDependent) signal.#sources.forEach((source) => this.#follow(source));
        else this.#follow(signal);
      }
      watch(this, (type, count) => {
        if (type !== "abort") return;
        this.#listens = count > 0;
        this.#keep();
      });
    }

    #follow(source) {
      if (this.#sources.has(source)) return;
      this.#sources.add(source);
      source.#dependents ??= [];
      if (source.#dependents.length === source.#room) source.#prune();
      append(source.#dependents, new WeakRefTo(this));
    }

    /** A timeout that a script listens for keeps the program alive; one that only guards a call does not. */
    #hold() {
      const isNeeded = !this.#isAborted && (this.#listens || this.#heard > 0);
      if (!this.#isTimer || isNeeded === this.#isHolding) return;
      this.#isHolding = isNeeded;
      hold(isNeeded ? 1 : -1);
    }

    /** Forgets the dependents that are gone. */
    #prune() {
      const kept = [];
      for (let i = 0; i < this.#dependents.length; i++) {
        const reference = this.#dependents[i];
        if (deref(reference) !== undefined) append(kept, reference);
      }
      this.#dependents = kept;
      this.#room = kept.length < 4 ? 8 : kept.length * 2;
    }

    /** Is kept by its sources as long as an abort would run something. */
    #keep() {
      const isHeard = !this.#isAborted && this.#listens;
      const isNeeded = isHeard || (!this.#isAborted && this.#steps?.size > 0);
      const change = isHeard - this.#isHeard;
      this.#isHeard = isHeard;
      this.#sources.forEach((source) => {
        if (isNeeded) (source.#kept ??= new Steps()).add(this);
        else source.#kept?.delete(this);
        source.#heard += change;
        source.#hold();
      });
    }

    /** DOM 3.2, "signal abort": all are marked first, then each runs its steps and fires its event. */
    #abort(reason) {
      if (this.#isAborted) return;
      const due = [this];
      this.#mark(reason);
      const dependents = this.#dependents ?? [];
      for (let i = 0; i < dependents.length; i++) {
        const dependent = deref(dependents[i]);
        if (dependent === undefined || dependent.#isAborted) continue;
        dependent.#mark(reason);
        append(due, dependent);
      }
      this.#dependents = this.#kept = null;
      this.#hold();
      for (let i = 0; i < due.length; i++) due[i].#run();
    }

    #mark(reason) {
      this.#isAborted = true;
      this.#reason = reason;
      if (this.#isDependent) this.#keep(); // The other sources need not hold it any more.
    }

    #run() {
      const steps = this.#steps;
      this.#steps = null;
      steps?.forEach((step) => step());
      fire(this, create(Event, "abort", null));
    }

    get aborted() { return this.#isAborted; }
    get reason() { return this.#reason; }
    throwIfAborted() { if (this.#isAborted) throw this.#reason; }
  }
  internals.connectSignals(signals);
  finish(AbortSignal, "AbortSignal", ["aborted", "reason", "throwIfAborted"], ["abort", "timeout", "any"]);
  host.showsFields(AbortSignal, "AbortSignal", ["aborted", "reason"], signals.isSignal);

  addHandlers(AbortSignal.prototype, ["abort"], (value) => {
    if (signals.isSignal(value)) return value;
    throw new TypeError("this is not an AbortSignal");
  });

  class AbortController {
    #signal = new AbortSignal(MAKE);
    get signal() { return this.#signal; }
    abort(reason = undefined) { signals.abort(this.#signal, reason); }
    static isController(value) { return typeof value === "object" && value !== null && #signal in value; }
  }
  const { isController } = AbortController;
  delete AbortController.isController;
  notCloneable(isController);
  finish(AbortController, "AbortController", ["signal", "abort"]);
  host.showsFields(AbortController, "AbortController", ["signal"], isController);

  return {
    AbortController, AbortSignal,
    /** For the runtime's other scripts: what they stop when a signal aborts goes in by addStep. */
    internals: { ...signals, any: AbortSignal.any, makeController: () => new AbortController(), makeSignal: () => new AbortSignal(MAKE) },
  };
})
