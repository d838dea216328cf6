// SPDX-License-Identifier: MIT
// Watches as scripts see them. Loaded with the first. Part of `www/nbridge.js`: what it needs is handed to it, nothing is taken from the
// globals.
(() => {
  "use strict";
  return ({ intrinsics, host, registers, waiting, streams, bare, own, peek, failure, errorOf, placed, packed, begin, rejected, control }) => {
    const { Error, Promise, apply, define, asyncIterator, toStringTag, resolved } = intrinsics;
    const { controlOf, listen, abortError } = control;
    const PENDING = 3;
    /** What the bridge does with a watch, and scripts can't. */
    let watches;
    /** What only the bridge has: a script finds the class by way of a watch. */
    const MAKE = { __proto__: null };

    /** A stream of native events. `break`, `return()`, `stop()` or an aborted signal ends it. */
    class Watch {
      #slot = -1;
      /** Events that the script has not taken yet: from `#head` to `#tail`. */
      #events = bare([]);
      #head = 0;
      #tail = 0;
      #taken = 0;
      #limit;
      #policy;
      /** The script's readers that wait for an event: from `#first` on. */
      #readers = bare([]);
      #first = 0;
      #callback;
      #state = 0; // 0 open, 1 ended, 2 failed and not yet told
      #isFailed = false;
      #error;
      #ended;
      #endedWith;
      #dropped = 0;

      static {
        watches = {
          __proto__: null,
          take: (watch, events) => watch.#take(events),
          fail: (watch, error) => watch.#fail(error),
          make: (action, option, control, callback) => new Watch(MAKE, action, option, control, callback),
        };
      }

      constructor(key, action, option, control, callback) {
        if (key !== MAKE) throw failure("invalid_parameter", "a Watch is made by calling a watch of a plugin");
        this.#limit = action.limit;
        this.#policy = action.policy;
        this.#callback = callback;
        try { this.#start(action, option, control ?? { __proto__: null }); } catch (error) { this.#end(2, placed(error, action)); }
      }

      #start(action, option, control) {
        const asked = controlOf(control);
        const { signal } = asked;
        if (asked.progress !== undefined) throw failure("invalid_parameter", "control.progress is for calls; a watch gives events");
        if (asked.isAborted) return this.#end(2, abortError(action, signal));
        const pack = option === undefined ? undefined : packed(option, action);
        if (signal !== undefined && peek(signal, "aborted")) return this.#end(2, abortError(action, signal));
        const answer = begin(action.native, pack, asked.timeout, asked.letsGo);
        if (registers[0] !== PENDING) return this.#end(2, errorOf(answer, undefined, action));
        const slot = this.#slot = registers[1];
        const entry = {
          resolve: () => this.#end(1), reject: (error) => this.#end(2, error), action, site: new Error(), watch: this,
          forget: undefined, ask: undefined, fault: undefined,
        };
        waiting[slot] = entry;
        if (signal !== undefined) listen(asked, entry, () => this.#fail(abortError(action, signal, entry.site)), (error) => this.#fail(error));
        if (typeof pack === "object" && pack.streams !== undefined) streams().adopt(slot, pack);
      }

      /** How many events were dropped because the script did not take them in time. */
      get dropped() { return this.#dropped; }

      /** Takes a batch from the native side. */
      #take(events) {
        if (this.#state !== 0) return;
        if (this.#callback !== undefined) return this.#callBack(events);
        let first = 0;
        while (first < events.length && this.#first < this.#readers.length) {
          this.#nextReader().resolve({ value: events[first++], done: false });
          this.#took();
          if (this.#state !== 0) return;
        }
        if (first === events.length) return;
        if (this.#head === this.#tail) {
          this.#events = events;
          this.#head = first;
          this.#tail = events.length;
        } else {
          this.#append(events, first);
        }
        this.#overflow();
      }

      #append(events, first) {
        const all = bare([]);
        for (let index = this.#head; index < this.#tail; index++) all[all.length] = this.#events[index];
        for (let index = first; index < events.length; index++) all[all.length] = events[index];
        this.#events = all;
        this.#head = 0;
        this.#tail = all.length;
      }

      #overflow() {
        const excess = this.#tail - this.#head - this.#limit;
        if (excess <= 0 || this.#policy === "wait") return;
        this.#dropped += excess;
        if (this.#policy === "dropOldest") this.#head += excess;
        else this.#tail -= excess;
      }

      #callBack(events) {
        for (let index = 0; index < events.length; index++) {
          if (this.#state !== 0) return;
          this.#took();
          try { apply(this.#callback, undefined, [events[index]]); } catch (error) { this.#fail(error); }
        }
      }

      /** The native side may send as many again, told in halves of the buffer. */
      #took() {
        if (++this.#taken * 2 < this.#limit || this.#policy !== "wait") return;
        if (this.#state === 0) host.grant(this.#slot, this.#taken);
        this.#taken = 0;
      }

      #nextReader() {
        const reader = this.#readers[this.#first];
        this.#readers[this.#first++] = undefined;
        if (this.#first === this.#readers.length) {
          this.#readers.length = 0;
          this.#first = 0;
        } else if (this.#first >= 1024 && this.#first * 2 >= this.#readers.length) {
          // A queue that is never empty would grow for ever.
          const left = this.#readers.length - this.#first;
          for (let i = 0; i < left; i++) this.#readers[i] = this.#readers[this.#first + i];
          this.#readers.length = left;
          this.#first = 0;
        }
        return reader;
      }

      /** Ends the watch with an error, on both sides. */
      #fail(error) {
        if (this.#state !== 0) return;
        this.#stopNative();
        this.#end(2, error);
      }

      next() {
        if (this.#head < this.#tail) {
          const value = this.#events[this.#head];
          this.#events[this.#head++] = undefined;
          this.#took();
          return resolved({ value, done: false });
        }
        if (this.#state === 1) return resolved({ value: undefined, done: true });
        if (this.#state === 2) {
          this.#state = 1;
          return rejected(this.#error);
        }
        return new Promise((resolve, reject) => { this.#readers[this.#readers.length] = { resolve, reject }; });
      }

      return(value) {
        this.stop();
        return resolved({ value, done: true });
      }

      throw(error) {
        this.stop();
        return rejected(error);
      }

      /** Ends the watch; events that wait are dropped. Idempotent. */
      stop() {
        if (this.#state === 0) this.#stopNative();
        this.#events = bare([]);
        this.#head = this.#tail = 0;
        this.#end(1);
      }

      /** All events until the end, as an array. */
      async toArray() {
        const all = [];
        for (let step; !(step = await this.next()).done;) {
          own(all, all.length, step.value);
          while (this.#head < this.#tail) {
            own(all, all.length, this.#events[this.#head++]);
            this.#took();
          }
        }
        return all;
      }

      /** Settles when the watch ends; for the callback form. */
      get ended() {
        this.#ended ??= new Promise((resolve, reject) => {
          if (this.#state === 0) this.#endedWith = { resolve, reject };
          else if (this.#isFailed) reject(this.#error);
          else resolve();
        });
        return this.#ended;
      }

      [asyncIterator]() { return this; }

      #stopNative() {
        const entry = waiting[this.#slot];
        if (entry?.watch !== this) return;
        waiting[this.#slot] = undefined;
        entry.forget?.();
        host.cancel(this.#slot);
      }

      #end(state, error) {
        if (this.#state !== 0) return;
        this.#state = state;
        this.#isFailed = state === 2;
        this.#error = error;
        if (this.#endedWith !== undefined) this.#isFailed ? this.#endedWith.reject(error) : this.#endedWith.resolve();
        while (this.#first < this.#readers.length) {
          const reader = this.#nextReader();
          if (this.#state === 2) {
            this.#state = 1;
            reader.reject(error);
          } else {
            reader.resolve({ value: undefined, done: true });
          }
        }
      }
    }
    define(Watch.prototype, toStringTag, { __proto__: null, value: "Watch", configurable: true });
    return watches;
  };
})
