// SPDX-License-Identifier: MIT
// Streams and functions that scripts hand to plugins. Loaded with the first. Part of `www/nbridge.js`: what it needs is handed to it,
// nothing is taken from the globals.
(() => {
  "use strict";
  return ({ intrinsics, host, registers, waiting, bare, peek, isBridgeError, failure, invalid, packed, parked, answered, valueOf, TAG }) => {
    const { apply, asyncIterator, define, hasOwn, iterator, isPrototypeOf, parse, prototypes, stringify } = intrinsics;
    const PENDING = 3, TAGGED = 2, MIXED = 5;
    // What a plugin asks, and what it is given: CallStreams.swift, BridgeScript.swift.
    const MORE = 0, LEAVE = 1, GIVE = 0, END = 1, FAIL = 2, ANSWER = 3, REFUSE = 4;

    /** Which options of an action are streams or functions, by its full name. */
    const known = { __proto__: null };
    const kindOf = (action, name) => {
      const kinds = known[`${action.service}.${action.name}`] ??= bare(parse(host.inlets(action.service, action.name)));
      return kinds[name];
    };

    /** A failure of the script's as the plugin gets it. */
    const failureText = (place, error) => {
      const isOurs = isBridgeError(error), code = isOurs ? peek(error, "code") : undefined;
      const message = peek(error, "message");
      const said = typeof message === "string" && message !== "" ? message : typeof error === "string" ? error : `a ${typeof error} was thrown`;
      return stringify({ __proto__: null, code: typeof code === "string" ? code : "script_failed", message: isOurs ? said : `${place} failed: ${said}` });
    };

    const feed = (source, what, number, pack) => {
      // The slot may be another call's by now: this one was answered in the very hand-over that has asked.
      if (waiting[source.slot] !== source.entry) return;
      const told = bare([source.slot, source.index, what, number]);
      if (typeof pack === "string") told[4] = pack;
      else if (pack !== undefined) for (let index = 0; index < pack.length; index++) told[4 + index] = pack[index];
      if (!apply(host.feed, undefined, told)) throw failure("invalid_parameter", `${source.place} gave half of a character (a lone surrogate)`);
    };

    /** Nothing that a script does with a promise of its own reaches us; what it rejects with is nobody's. */
    const swallow = async (promise) => { try { await promise; } catch { /* Nobody waits for it. */ } };

    const fail = (source, what, number, error, entry) => {
      if (!isBridgeError(error)) entry.fault = { __proto__: null, error };
      feed(source, what, number, failureText(source.place, error));
    };

    /** Reads a sequence of the script's, as far as the plugin asks. Each step may run code of the script's. */
    class Reader {
      #source;
      #entry;
      #iterator;
      #next;
      #wanted = 0;
      #given = 0;
      #isPumping = false;
      /** Whether the script's iterator is being moved just now, in this very turn. */
      #isInside = false;
      /** 0 open, 1 the iterator has ended by itself, 2 nobody reads any more. */
      #state = 0;

      constructor(source, entry) {
        this.#source = source;
        this.#entry = entry;
      }

      ask(what, number) {
        if (what === LEAVE) return this.close();
        if (what !== MORE || this.#state !== 0) return;
        this.#wanted += number;
        if (!this.#isPumping) swallow(this.#pump());
      }

      async #pump() {
        this.#isPumping = true;
        try {
          while (this.#wanted > 0 && this.#state === 0) await this.#step();
        } finally { this.#isPumping = false; }
      }

      async #step() {
        let value;
        try {
          const step = this.#source.isAsync ? await this.#move() : this.#move();
          if (this.#state !== 0) return;
          if ((typeof step !== "object" && typeof step !== "function") || step === null) throw invalid(this.#source.place, "is read by an iterator whose next() gives no object");
          if (step.done) return this.#end();
          value = step.value;
          // A promise in a plain iterable is waited for, as `for await` does.
          if (!this.#source.isAsync) value = await value;
        } catch (error) { return this.#fail(error); }
        if (this.#state !== 0) return;
        this.#give(value);
      }

      #move() {
        this.#isInside = true;
        try {
          if (this.#iterator === undefined) {
            const made = apply(this.#source.make, this.#source.value, []);
            if ((typeof made !== "object" && typeof made !== "function") || made === null) throw invalid(this.#source.place, "makes no iterator");
            this.#next = made.next;
            this.#iterator = made;
          }
          return apply(this.#next, this.#iterator, []);
        } finally {
          this.#isInside = false;
          if (this.#state === 2) this.#return();
        }
      }

      #give(value) {
        this.#wanted--;
        try {
          const pack = packed(value, undefined, `${this.#source.place}[${this.#given}]`);
          if (this.#state !== 0) return;
          this.#given++;
          feed(this.#source, GIVE, 0, pack);
        } catch (error) {
          if (this.#state !== 0) return;
          this.#state = 2;
          fail(this.#source, FAIL, 0, error, this.#entry);
          this.#return();
        }
      }

      #end() {
        this.#state = 1;
        feed(this.#source, END, 0);
      }

      #fail(error) {
        if (this.#state !== 0) return;
        this.#state = 1;
        fail(this.#source, FAIL, 0, error, this.#entry);
      }

      refuse() { /* A stream is asked for numbers only. */ }

      /** Nobody reads any more: the iterator is told, once. */
      close() {
        if (this.#state !== 0) return;
        this.#state = 2;
        if (!this.#isInside) this.#return();
      }

      #return() {
        const made = this.#iterator;
        this.#iterator = undefined;
        if (made === undefined) return;
        try {
          const method = made.return;
          if (typeof method === "function") swallow(apply(method, made, []));
        } catch { /* It was told. */ }
      }
    }

    /** Calls a function of the script's for a plugin. */
    class Caller {
      #source;
      #entry;
      #isOpen = true;

      constructor(source, entry) {
        this.#source = source;
        this.#entry = entry;
      }

      ask(what, number, value) { if (this.#isOpen && what > LEAVE) swallow(this.#call(number, value)); }

      /** The plugin gave what is no value of its. */
      refuse(number, error) { if (this.#isOpen) fail(this.#source, REFUSE, number, error, this.#entry); }

      async #call(number, value) {
        const source = this.#source;
        try {
          const answer = await apply(source.value, undefined, [value]);
          if (!this.#isOpen) return;
          const pack = source.kind === "listener" ? undefined : packed(answer, undefined, `${source.place}()`);
          if (this.#isOpen) feed(source, ANSWER, number, pack);
        } catch (error) {
          if (this.#isOpen) fail(source, REFUSE, number, error, this.#entry);
        }
      }

      close() { this.#isOpen = false; }
    }

    /** What the script gave for an option; undefined when the action takes none there, or the value is none. */
    const sourceOf = (action, name, value) => {
      if (isPrototypeOf(prototypes.Map, value) || isPrototypeOf(prototypes.Set, value)) return undefined;
      const kind = kindOf(action, name);
      if (kind === undefined) return undefined;
      const source = { __proto__: null, kind, value, place: `option.${name}`, make: undefined, isAsync: false, index: 0, slot: 0, entry: undefined };
      if (kind !== "stream") return typeof value === "function" ? source : undefined;
      try {
        source.make = value[asyncIterator];
        source.isAsync = source.make !== undefined && source.make !== null;
        if (!source.isAsync) source.make = value[iterator];
      } catch (cause) { throw invalid(source.place, "can't be read: its getter threw", cause); }
      return typeof source.make === "function" ? source : undefined;
    };

    const adopt = (slot, pack) => {
      const entry = waiting[slot];
      if (entry === undefined) return;
      const inlets = { __proto__: null };
      for (let at = 0; at < pack.streams.length; at++) {
        const source = pack.streams[at];
        source.slot = slot;
        source.entry = entry;
        inlets[source.index] = source.kind === "stream" ? new Reader(source, entry) : new Caller(source, entry);
      }
      const { forget, reject } = entry;
      entry.forget = () => {
        entry.ask = undefined;
        forget?.();
        for (let at = 0; at < pack.streams.length; at++) inlets[pack.streams[at].index].close();
      };
      // What the script itself threw is told to it again, when the plugin passed it on.
      entry.reject = (error) => {
        const { fault } = entry;
        if (fault !== undefined && isBridgeError(error) && peek(error, "code") === "script_failed" && !hasOwn(error, "cause")) {
          define(error, "cause", { __proto__: null, value: fault.error, writable: true, configurable: true });
        }
        apply(reject, entry, [error]);
      };
      entry.ask = (answer) => {
        const isText = typeof answer === "string";
        // The plugin's value last: what of it stands for nothing, or for another plugin's object, is refused.
        const asked = bare(parse(isText ? answer : answer[0])), inlet = inlets[asked[0]];
        if (inlet === undefined) return;
        let value;
        try {
          if (asked.length > 3) value = valueOf(isText ? TAGGED : MIXED, answer, entry.action.service)[3];
        } catch (error) { return inlet.refuse(asked[2], error); }
        inlet.ask(asked[1], asked[2], value);
      };
    };

    return {
      __proto__: null, adopt,

      /** What stands for a stream or function in the text of an option; undefined for all else. */
      place(tagger, name, value) {
        const source = sourceOf(tagger.action, name, value);
        if (source === undefined) return undefined;
        source.index = tagger.bytes.length;
        tagger.bytes[source.index] = source.index;
        tagger.streams ??= bare([]);
        tagger.streams[tagger.streams.length] = source;
        return { __proto__: null, [TAG]: bare(["c", source.index, name]) };
      },

      /** An option with the function beside it that hears how far the call is. */
      withProgress(action, pack, progress) {
        if (kindOf(action, "") === undefined) throw invalid("control.progress", `is for actions that tell it; '${action.service}.${action.name}' does not`);
        const list = typeof pack === "string" ? bare([pack]) : pack ?? bare(["{}"]), index = list.length - 1;
        list[index + 1] = -1 - index;
        list.streams ??= bare([]);
        list.streams[list.streams.length] = { __proto__: null, kind: "listener", value: progress, place: "control.progress", index, slot: 0 };
        return list;
      },

      /** Calls an action whose option has some. */
      call(action, pack) {
        const answer = apply(action.native, undefined, pack);
        const kind = registers[0], slot = registers[1];
        if (kind !== PENDING) return answered(action, kind, answer);
        const promise = parked(slot, action);
        adopt(slot, pack);
        return promise;
      },
    };
  };
})
