// SPDX-License-Identifier: MIT
// What a script asks of a call besides its option: a signal, a deadline. Loaded with the first call that asks for either. Part of
// `www/nbridge.js`: what it needs is handed to it, nothing is taken from the globals.
(() => {
  "use strict";
  return ({ intrinsics, host, registers, waiting, streams, isBridgeError, invalid, failure, peek, placed, packed, begin, rejected, answered, parked }) => {
    const { ceil, min, apply, keys } = intrinsics;
    const PENDING = 3;

    /** A deadline with a misspelt name would be none. */
    const demandKnown = (names, control) => {
      for (let index = 0; index < names.length; index++) {
        const name = names[index];
        if (name !== "signal" && name !== "timeout" && name !== "holdsOpen" && name !== "progress" && control[name] !== undefined) {
          throw invalid("control", `has no '${name}'; it may have signal, timeout, progress and, for a watch, holdsOpen`);
        }
      }
    };

    /** What a script asks of a call, read once. Throws a BridgeError for what it can't ask. */
    const controlOf = (control) => {
      if (typeof control !== "object" && typeof control !== "function") {
        throw invalid("control", `must be an object like { signal, timeout }, not a ${typeof control}`);
      }
      let signal, timeout, holdsOpen, progress, isAborted, add, remove;
      try {
        demandKnown(keys(control), control);
        ({ signal, timeout, holdsOpen, progress } = control);
        if (signal !== undefined && signal !== null) {
          add = signal.addEventListener;
          remove = signal.removeEventListener;
          isAborted = signal.aborted;
        }
      } catch (cause) { throw isBridgeError(cause) ? cause : invalid("control", "can't be read: its getter threw", cause); }
      if (signal === null) signal = undefined;
      if (signal !== undefined && (typeof add !== "function" || typeof remove !== "function")) {
        throw invalid("control.signal", "must be an AbortSignal");
      }
      if (timeout !== undefined && (typeof timeout !== "number" || !(timeout > 0))) {
        throw invalid("timeout", "must be a number of milliseconds above 0");
      }
      if (progress !== undefined && typeof progress !== "function") throw invalid("control.progress", "must be a function");
      return {
        __proto__: null, progress, signal, isAborted, add, remove, timeout: timeout === undefined ? 0 : min(ceil(timeout), 0x7FFFFFFF),
        letsGo: holdsOpen === false ? 1 : 0,
      };
    };

    const controlled = (action, option, control) => {
      let asked, answer, pack;
      try {
        asked = controlOf(control);
        const { signal } = asked;
        if (asked.isAborted) return rejected(abortError(action, signal));
        pack = option === undefined ? undefined : packed(option, action);
        if (asked.progress !== undefined) pack = streams().withProgress(action, pack, asked.progress);
        // A getter of the option may have had second thoughts.
        if (signal !== undefined && peek(signal, "aborted")) return rejected(abortError(action, signal));
        answer = begin(action.native, pack, asked.timeout, 0);
      } catch (error) { return rejected(placed(error, action)); }
      const kind = registers[0], slot = registers[1];
      // One that waits behind others may be cancelled as these may.
      const watch = asked.signal === undefined ? undefined : (entry) => hear(asked, entry, () => entry.isOver, () => { entry.isOver = true; });
      if (kind !== PENDING) return answered(action, kind, answer, watch);
      const promise = parked(slot, action);
      if (asked.signal !== undefined) {
        const entry = waiting[slot];
        hear(asked, entry, () => waiting[slot] !== entry, () => {
          waiting[slot] = undefined;
          host.cancel(slot);
        });
      }
      if (typeof pack === "object" && pack.streams !== undefined) streams().adopt(slot, pack);
      return promise;
    };

    /** Ends a call, unless it is over, when its signal fires or can't be heard. */
    const hear = (asked, entry, isOver, letGo) => {
      const end = (makeError) => {
        if (isOver()) return;
        letGo();
        entry.forget();
        entry.reject(makeError());
      };
      listen(asked, entry, () => end(() => abortError(entry.action, asked.signal, entry.site)), (error) => end(() => error));
    };

    /** Has `onAbort` called when the signal fires, until the entry forgets it. `onFault` hears that the signal can't be heard. */
    const listen = (asked, entry, onAbort, onFault) => {
      const { signal, add, remove } = asked;
      entry.forget = () => { try { apply(remove, signal, ["abort", onAbort]); } catch { /* The call is over all the same. */ } };
      try { apply(add, signal, ["abort", onAbort]); } catch (cause) {
        onFault(placed(invalid("control.signal", "can't be listened to: its addEventListener threw", cause), entry.action));
      }
    };

    /** Whatever goes wrong while the error is made is what the call rejects with instead. */
    const abortError = (action, signal, site) => {
      try { return makeAbortError(action, signal, site); } catch (error) { return error; }
    };

    const makeAbortError = (action, signal, site) => {
      const reason = peek(signal, "reason");
      const late = peek(reason, "name") === "TimeoutError";
      return failure(late ? "timeout" : "cancelled",
        `'${action.service}.${action.name}' was ${late ? "timed out" : "cancelled"} by its signal`,
        { __proto__: null, service: action.service, action: action.name, cause: reason, site });
    };

    return { __proto__: null, controlOf, controlled, listen, abortError };
  };
})
