// SPDX-License-Identifier: MIT
// Values that JSON has no words for, as they cross the bridge: tagged, as {"$nb":[tag, ...]}, see WireTag.swift. Loaded with the first
// of them. Part of `www/nbridge.js`: what it needs is handed to it, nothing is taken from the globals.
(() => {
  "use strict";
  return ({ intrinsics, bare, own, isBridgeError, invalid: refused, TAG, DEPTH, TEXT, handles, streams, hidden }) => {
    const {
      BigInt, Date, Map, Number, Set, Uint8Array, WeakSet, stringify, apply, isArray, isView, getPrototypeOf, keys, hasOwn, freeze,
      objectPrototype, rangeErrorPrototype, isPrototypeOf, prototypes, dateTime, mapForEach, setForEach, numberValue, stringValue,
      booleanValue, bigintValue, slice, weakHas, weakAdd, setAdd, setDelete, setHas, mapSet, views, typedTag, typedBuffer, typedLength,
      textOf, typedKeys, typedOffset, typedCopy, viewBuffer, viewLength, viewOffset, asyncIterator, iterator, bufferLength, bufferResizable, bufferDetached, transfer, sharedLength,
    } = intrinsics;
    /** Bytes up to this many are copied by the native side, inside the call: `largestCopied` in Bridge.swift. */
    const COPIED = 4096;

    const tagged = (list) => ({ __proto__: null, [TAG]: bare(list) });
    const UNDEFINED = freeze(tagged(["u"]));
    /** A long path keeps its two ends. */
    const shorten = (path) => (path.length > 80 ? `${slice(path, 0, 48)}...${slice(path, path.length - 24)}` : path);
    const invalid = (path, reason, cause) => refused(shorten(path), reason, cause);
    /** How many levels of the wire a tagged value takes, itself included: `{"$nb":["m",[[key, value]]]}`. */
    const LEAF = 2, SET = 3, MAP = 4, ESCAPED = 3;
    const inherits = (name, value) => prototypes[name] !== undefined && isPrototypeOf(prototypes[name], value);

    const mayBeStream = (value) => {
      if (typeof value !== "object" || value === null) return typeof value === "function";
      try { return !isArray(value) && !isView(value) && (value[asyncIterator] !== undefined || value[iterator] !== undefined); } catch { return false; }
    };
    /** Makes the tagged twin of a value that is not plain, or says what can't cross and where it stands. */
    class Tagger {
      bytes = bare([]); action; streams = undefined; // What a class declares is its own, whatever Object.prototype has.
      #places = bare([]);
      #open = new Set();
      /** `streams` are those among the options of `action`, which is undefined for other values. */
      constructor(action) { this.action = action; }
      /** How much text there may be, counting what each value takes at the least. */
      #room = TEXT;

      tag(value, path, depth, isFromJSON) {
        switch (typeof value) {
          case "string":
            if (value.length > TEXT) throw invalid(path, `is a string of ${value.length} units; the limit is ${TEXT}`);
            this.#spend(value.length + 3);
            return value;
          case "boolean":
            this.#spend(5);
            return value;
          case "number":
            this.#spend(2);
            if (value - value !== 0 || (value === 0 && 1 / value < 0)) {
              this.#demand(LEAF, path, depth);
              return tagged(["n", value === 0 ? "-0" : `${value}`]);
            }
            return value;
          case "undefined":
            this.#spend(14);
            this.#demand(LEAF, path, depth);
            return UNDEFINED;
          case "bigint":
            this.#demand(LEAF, path, depth);
            return tagged(["i", `${value}`]);
          case "function": throw invalid(path, "is a function, which can't cross the bridge");
          case "symbol": throw invalid(path, "is a symbol, which can't cross the bridge");
        }
        this.#spend(3);
        if (value === null) return null;
        this.#demand(1, path, depth);
        if (setHas(this.#open, value)) throw invalid(path, "contains itself (a cycle)");
        setAdd(this.#open, value);
        const twin = this.#object(value, path, depth - 1, isFromJSON);
        setDelete(this.#open, value);
        return twin;
      }

      #spend(units) {
        this.#room -= units;
        if (this.#room < 0) throw invalid("option", `is more than ${TEXT} units of text, the limit`);
      }

      /** The other side counts the levels of the text: a value that takes more than are left is refused here, by its path. */
      #demand(levels, path, depth) {
        if (depth < levels) throw invalid(path, `is nested deeper than ${DEPTH}`);
      }

      #object(value, path, depth, isFromJSON) {
        if (this.#isArray(value, path)) return this.#array(value, path, depth, isFromJSON);
        if (isView(value)) {
          this.#demand(LEAF, path, depth + 1);
          return this.#viewed(value, path);
        }
        const prototype = this.#prototype(value, path);
        if (prototype !== objectPrototype && prototype !== null) {
          const special = this.#special(value, path, depth);
          if (special !== undefined) return special;
        }
        const toJSON = isFromJSON ? undefined : this.#read(value, "toJSON", path);
        if (typeof toJSON === "function") return this.tag(this.#call(toJSON, value, path), path, depth, true);
        return this.#members(value, path, depth);
      }

      #isArray(value, path) {
        try { return isArray(value); } catch (cause) { throw invalid(path, "can't be looked at", cause); }
      }

      #prototype(value, path) {
        try { return getPrototypeOf(value); } catch (cause) { throw invalid(path, "can't be looked at", cause); }
      }

      #call(toJSON, value, path) {
        try { return apply(toJSON, value, [""]); } catch (cause) { throw invalid(path, "can't be read: its toJSON threw", cause); }
      }

      /** What the engine keeps in a slot of the value; undefined for what only its own properties make. */
      #special(value, path, depth) {
        const slot = this.#slot(value, path, depth + 1);
        if (slot === undefined) return undefined;
        // Members are tagged out here: an error of theirs, and the end of the engine's stack, are not this value's.
        if (slot.members !== undefined) return slot.isMap ? this.#map(slot.members, path, depth) : this.#set(slot.members, path, depth);
        return slot.primitive === undefined ? slot.twin : this.tag(slot.primitive, path, depth + 1);
      }

      /** What the value's slot has: its twin, a primitive that it wraps, or the members to be tagged. */
      #slot(value, path, depth) {
        try {
          this.#demandOwn(value, path);
          if (inherits("ArrayBuffer", value) || inherits("SharedArrayBuffer", value)) {
            this.#demand(LEAF, path, depth);
            return { __proto__: null, twin: this.#buffer(value, path) };
          }
          if (inherits("Date", value)) {
            this.#demand(LEAF, path, depth);
            const time = dateTime(value);
            return { __proto__: null, twin: tagged(["d", time === time ? time : null]) };
          }
          if (inherits("Map", value)) return this.#membersOf(value, mapForEach, true);
          if (inherits("Set", value)) return this.#membersOf(value, setForEach, false);
          if (inherits("Number", value)) return { __proto__: null, primitive: numberValue(value) };
          if (inherits("String", value)) return { __proto__: null, primitive: stringValue(value) };
          if (inherits("Boolean", value)) return { __proto__: null, primitive: booleanValue(value) };
          if (inherits("BigInt", value)) return { __proto__: null, primitive: bigintValue(value) };
          if (handles(false)?.is(value)) throw invalid(path, "is an object of a plugin, which can't be an option; call its methods");
          if (inherits("Promise", value)) throw invalid(path, "is a Promise; await it first");
          if (inherits("Symbol", value)) throw invalid(path, "is a symbol, which can't cross the bridge");
        } catch (cause) {
          if (isBridgeError(cause)) throw cause;
          throw invalid(path, "only looks like a value of the engine's", cause);
        }
        return undefined;
      }

      /** The members of a Map, key behind key with their values, or of a Set. */
      #membersOf(value, forEach, isMap) {
        const members = bare([]);
        forEach(value, (member, key) => {
          if (isMap) members[members.length] = key;
          members[members.length] = member;
        });
        return { __proto__: null, members, isMap };
      }

      #array(value, path, depth, isFromJSON) {
        const toJSON = isFromJSON ? undefined : this.#read(value, "toJSON", path);
        if (typeof toJSON === "function") return this.tag(this.#call(toJSON, value, path), path, depth, true);
        const twin = bare([]);
        const length = this.#read(value, "length", path);
        if (typeof length !== "number") throw invalid(path, "has a length that is no number");
        if (2 * length > TEXT) throw invalid(path, `has ${length} elements, too many for ${TEXT} units of text`);
        for (let index = 0; index < length; index++) {
          const member = this.#read(value, index, path);
          twin[index] = member === undefined && depth >= LEAF ? (this.#spend(14), UNDEFINED) : this.tag(member, `${path}[${index}]`, depth);
        }
        return twin;
      }

      #map(members, path, depth) {
        // One without members takes a level less, which is not worth a rule of its own.
        this.#demand(MAP, path, depth + 1);
        const twin = bare([]), rest = depth + 1 - MAP;
        for (let at = 0; at < members.length; at += 2) {
          const place = `${path}[${twin.length}]`;
          this.#spend(5);
          twin[twin.length] = bare([this.tag(members[at], `${place}[0]`, rest), this.tag(members[at + 1], `${place}[1]`, rest)]);
        }
        return tagged(["m", twin]);
      }

      #set(members, path, depth) {
        this.#demand(SET, path, depth + 1);
        const twin = bare([]), rest = depth + 1 - SET;
        for (let at = 0; at < members.length; at++) twin[at] = this.tag(members[at], `${path}[${at}]`, rest);
        return tagged(["s", twin]);
      }

      #members(value, path, depth) {
        const twin = { __proto__: null };
        let names;
        try { names = keys(value); } catch (cause) { throw invalid(path, "can't be listed", cause); }
        const refusal = names.length > 0 ? undefined : hidden().refusal(value);
        if (refusal !== undefined) throw invalid(path, refusal);
        const isOption = this.action !== undefined && path === "option", isEscaped = this.#has(names, TAG);
        if (isEscaped) {
          this.#demand(ESCAPED, path, depth + 1);
          depth -= ESCAPED - 1;
        }
        for (let index = 0; index < names.length; index++) {
          const name = names[index];
          this.#spend(name.length + 3);
          const member = this.#read(value, name, path);
          twin[name] = (isOption && mayBeStream(member) ? streams().place(this, name, member) : undefined) ?? this.tag(member, `${path}.${name}`, depth);
        }
        return isEscaped ? tagged(["o", twin]) : twin;
      }

      #has(names, wanted) {
        for (let index = 0; index < names.length; index++) if (names[index] === wanted) return true;
        return false;
      }

      /** One that lies outside of its buffer by now has no bytes. */
      #viewed(value, path) {
        try { return this.#view(value, path); } catch (cause) {
          throw isBridgeError(cause) ? cause : invalid(path, "has no bytes any more", cause);
        }
      }

      /** A view, by what it is and not by what its properties say. */
      #view(value, path) {
        const kind = typedTag(value) ?? "DataView";
        if (views[kind] === undefined) throw invalid(path, `is a ${kind}, which can't cross the bridge`);
        if (kind === "DataView") {
          const buffer = viewBuffer(value);
          this.#demandAttached(buffer, path);
          return this.#bytes(buffer, viewOffset(value), viewLength(value), kind, path);
        }
        const buffer = typedBuffer(value);
        this.#demandAttached(buffer, path);
        if (typedLength(value) === 0) this.#demandInside(value, path);
        return this.#bytes(buffer, typedOffset(value), typedLength(value), kind, path);
      }

      #buffer(value, path) {
        if (inherits("SharedArrayBuffer", value)) return this.#bytes(value, 0, sharedLength(value), "ArrayBuffer", path);
        this.#demandAttached(value, path);
        return this.#bytes(value, 0, bufferLength(value), "ArrayBuffer", path);
      }

      /** A view has no length, either, when its buffer has become too short for it; only its methods tell. */
      #demandInside(view, path) {
        try { typedKeys(view); } catch { throw invalid(path, "is a view of what its buffer does not have any more"); }
      }

      /** Where the engine hides SharedArrayBuffer, a shared WebAssembly.Memory still has one, of which nothing can be asked. */
      #demandOwn(buffer, path) {
        if (sharedLength === undefined && hasText(buffer, "[object SharedArrayBuffer]")) {
          throw invalid(path, "is memory that other threads may change, which can't cross the bridge; hand over a copy");
        }
      }

      #demandAttached(buffer, path) {
        this.#demandOwn(buffer, path);
        if (!isShared(buffer) && bufferDetached(buffer)) throw invalid(path, "is a detached buffer");
      }

      #bytes(buffer, offset, length, kind, path) {
        let view = new Uint8Array(buffer, offset, length);
        if (mayMove(buffer, length)) {
          const copy = new Uint8Array(length);
          typedCopy(copy, view);
          view = copy;
        }
        const index = this.bytes.length;
        this.bytes[index] = view;
        this.#places[index] = { __proto__: null, path, length };
        return tagged(["b", index, kind]);
      }

      /** What a getter that was read later has taken away must not cross as nothing. */
      checkBytes() {
        for (let index = 0; index < this.bytes.length; index++) {
          if (this.#places[index] === undefined) continue;
          const { path, length } = this.#places[index];
          if (typedLength(this.bytes[index]) !== length) throw invalid(path, "was detached while the option was read");
        }
      }

      #read(value, name, path) {
        try {
          return value[name];
        } catch (cause) {
          throw invalid(typeof name === "number" ? `${path}[${name}]` : `${path}.${name}`,
            "can't be read: its getter threw", cause);
        }
      }
    }

    const isShared = (buffer) => {
      try { return sharedLength !== undefined && sharedLength(buffer) >= 0; } catch { return false; }
    };
    const hasText = (value, text) => { try { return textOf(value) === text; } catch { return false; /* A tag of a script's. */ } };

    /** Large buffers that are known to stay where they are. */
    const resting = new WeakSet();

    /**
     * Whether native code that reads the bytes later could find them moved, shrunk or changed by another thread. What the native
     * side has in hand is only copied by a transfer from then on; a WebAssembly.Memory's bytes move all the same when it grows. The one
     * thing that tells those: they can't be detached, which is asked for before a size that no buffer has.
     */
    const mayMove = (buffer, length) => {
      if (isShared(buffer) || bufferResizable(buffer)) return true;
      if (length <= COPIED || weakHas(resting, buffer)) return false;
      try { transfer(buffer, 0x1FFFFFFFFFFFFF); } catch (error) {
        if (getPrototypeOf(error) !== rangeErrorPrototype) return true;
      }
      weakAdd(resting, buffer);
      return false;
    };

    /** Undoes tagging, in place; `service` is the plugin whose answer it is, undefined for any. */
    const revive = (value, bytes, service) => {
      if (typeof value !== "object" || value === null) return value;
      if (isArray(value)) {
        for (let index = 0; index < value.length; index++) {
          const member = value[index];
          if (typeof member === "object" && member !== null) value[index] = revive(member, bytes, service);
        }
        return value;
      }
      if (hasOwn(value, TAG) && isArray(value[TAG])) return untag(value[TAG], bytes, service);
      return reviveMembers(value, bytes, service);
    };

    const reviveMembers = (value, bytes, service) => {
      const names = keys(value);
      for (let index = 0; index < names.length; index++) {
        const member = value[names[index]];
        // The member is the object's own: no setter is met.
        if (typeof member === "object" && member !== null) own(value, names[index], revive(member, bytes, service));
      }
      return value;
    };

    const untag = (tag, bytes, service) => {
      const payload = tag[1];
      switch (tag[0]) {
        case "u": return undefined;
        case "n": return payload === "-0" ? -0 : Number(payload);
        case "i": return BigInt(payload);
        case "d": return new Date(payload === null ? NaN : payload);
        case "m": {
          const map = new Map();
          for (let index = 0; index < payload.length; index++) {
            const pair = revive(payload[index], bytes, service);
            mapSet(map, pair[0], pair[1]);
          }
          return map;
        }
        case "s": {
          const set = new Set();
          for (let index = 0; index < payload.length; index++) setAdd(set, revive(payload[index], bytes, service));
          return set;
        }
        case "o": return reviveMembers(payload, bytes, service);
        case "h": return handles(true).make(payload, tag[2], tag[3], service);
        case "b": return viewOf(bytes[payload + 1], tag[2]);
        default: return undefined;
      }
    };

    const viewOf = (array, kind) => {
      if (kind === "Uint8Array") return array;
      const buffer = typedBuffer(array), offset = typedOffset(array), length = typedLength(array);
      if (kind === "ArrayBuffer") {
        if (length === bufferLength(buffer)) return buffer;
        const copy = new Uint8Array(length);
        typedCopy(copy, array);
        return typedBuffer(copy);
      }
      const View = views[kind];
      if (View === undefined) return array;
      return new View(buffer, offset, kind === "DataView" ? length : length / View.BYTES_PER_ELEMENT);
    };

    /** An option's text, or a list of its text and bytes. Throws for what can't cross. May run code of the script's. */
    const pack = (option, action, path = "option") => {
      const tagger = new Tagger(action);
      const text = stringify(tagger.tag(option, path, DEPTH));
      if (text.length > TEXT) throw invalid(path, `is ${text.length} units of text; the limit is ${TEXT}`);
      const { bytes } = tagger;
      if (bytes.length === 0) return text;
      tagger.checkBytes();
      const list = bare([text]);
      for (let index = 0; index < bytes.length; index++) list[index + 1] = bytes[index];
      list.streams = tagger.streams;
      return list;
    };

    return { __proto__: null, pack, revive };
  };
})
