// SPDX-License-Identifier: MIT
// Values in objects, dates, expressions, errors, buffers and views as structuredClone copies them (HTML standard, section 2.7).
((host) => {
  "use strict";
  const { append, DOMException } = host;
  const { defineProperty, getPrototypeOf, getOwnPropertyDescriptor, hasOwn } = Object;
  const { bind, call } = Function.prototype;
  const uncurry = (method) => bind.call(call, method);
  const getter = (prototype, name) => uncurry(getOwnPropertyDescriptor(prototype, name).get);
  const { isView } = ArrayBuffer;
  const typedPrototype = getPrototypeOf(Uint8Array.prototype);
  const { toStringTag } = Symbol;
  const ObjectOf = Object, DateOf = Date, RegExpOf = RegExp, BufferOf = ArrayBuffer;
  const Bytes = Uint8Array;

  const refuse = (what) => new DOMException(`${what} can't be cloned`, "DataCloneError");

  /** Whether an object has the slots that a built-in method needs: the method throws if it has not. */
  const brand = (probe) => (value) => { try { probe(value); return true; } catch { return false; } };

  // Each kind of object: `is` knows one, `take` makes its record and `deep` adds what it holds; `make` makes
  // the copy and `fill` what that holds. `prototype` is where the search for a kind starts. A kind has no prototype itself: what
  // it lacks no script is to add.

  // --- Values in objects ----------------------------------------------------------------------------------

  const wrapper = (prototype) => {
    const valueOf = uncurry(prototype.valueOf);
    return {
      __proto__: null, prototype, is: brand(valueOf), take: (value) => valueOf(value), make: (data) => ObjectOf(data),
    };
  };

  const dateTime = uncurry(Date.prototype.getTime);
  const DATE = {
    __proto__: null, prototype: Date.prototype, is: brand(dateTime), take: dateTime, make: (time) => new DateOf(time),
  };

  const regExpSource = getter(RegExp.prototype, "source");
  const isGlobal = getter(RegExp.prototype, "global");
  const FLAGS = [];
  for (const [letter, name] of ["dhasIndices", "gglobal", "iignoreCase", "mmultiline", "sdotAll", "uunicode",
    "vunicodeSets", "ysticky"].map((text) => [text[0], text.slice(1)])) {
    if (name in RegExp.prototype) append(FLAGS, { letter, read: getter(RegExp.prototype, name) });
  }
  const regExpFlags = (value) => {
    let flags = "";
    for (let i = 0; i < FLAGS.length; i++) if (FLAGS[i].read(value)) flags += FLAGS[i].letter;
    return flags;
  };
  const REGEXP = {
    __proto__: null,
    prototype: RegExp.prototype,
    // RegExp.prototype has no flags, but its getters don't throw.
    is(value) { try { return isGlobal(value) !== undefined; } catch { return false; } },
    take: (value) => ({ source: regExpSource(value), flags: regExpFlags(value) }),
    make: ({ source, flags }) => new RegExpOf(source, flags),
  };

  const define = (object, name, value, enumerable) =>
    defineProperty(object, name, { __proto__: null, value, writable: true, enumerable, configurable: true });

  // --- Errors ---------------------------------------------------------------------------------------------

  const ERRORS = {
    __proto__: null, Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError,
  };
  // What the engine says of the place; none of it is enumerable.
  const PLACE = ["line", "column", "sourceURL", "stack"];

  const ownData = (value, name) => {
    const found = getOwnPropertyDescriptor(value, name);
    return found !== undefined && hasOwn(found, "value") ? found : undefined;
  };
  const errorKind = (serialize, revive) => ({
    __proto__: null,
    take(value) {
      const name = value.name;
      const message = ownData(value, "message");
      const place = { __proto__: null };
      for (let i = 0; i < PLACE.length; i++) {
        const found = ownData(value, PLACE[i])?.value;
        if (typeof found === "string" || typeof found === "number") place[PLACE[i]] = found;
      }
      const known = typeof name === "string" && name in ERRORS ? name : "Error";
      return { name: known, message: message === undefined ? undefined : `${message.value}`, place };
    },
    deep(value, made, memory) {
      const cause = ownData(value, "cause");
      if (cause !== undefined) made.values = [serialize(cause.value, memory)];
    },
    make({ name, message, place }) {
      const error = new ERRORS[name]();
      if (message !== undefined) define(error, "message", message, false);
      void error.stack; // The engine adds the place where the copy was made when it is first asked for.
      for (let i = 0; i < PLACE.length; i++) {
        if (PLACE[i] in place) define(error, PLACE[i], place[PLACE[i]], false);
        else delete error[PLACE[i]];
      }
      return error;
    },
    fill(error, { values }) { if (values !== undefined) define(error, "cause", revive(values[0]), false); },
  });

  const EXCEPTION = {
    __proto__: null, prototype: DOMException.prototype, is: host.isDOMException,
    take(value) {
      const stack = ownData(value, "stack")?.value;
      const { name, message } = host.describe(value);
      return { name, message, stack };
    },
    make({ name, message, stack }) {
      const error = new DOMException(message, name);
      if (typeof stack === "string") define(error, "stack", stack, false);
      return error;
    },
  };

  // --- Bytes ----------------------------------------------------------------------------------------------

  const bufferPrototype = ArrayBuffer.prototype;
  const bufferLength = getter(bufferPrototype, "byteLength");
  const maxLength = getter(bufferPrototype, "maxByteLength");
  const isResizable = getter(bufferPrototype, "resizable");
  const isDetachedBuffer = getter(bufferPrototype, "detached");
  const resize = uncurry(bufferPrototype.resize);
  const transferBuffer = uncurry(bufferPrototype.transfer);
  const setBytes = uncurry(typedPrototype.set);

  const copyBuffer = (value) => {
    if (isDetachedBuffer(value)) throw refuse("a detached ArrayBuffer");
    const length = bufferLength(value);
    const copy = isResizable(value)
      ? new BufferOf(length, { __proto__: null, maxByteLength: maxLength(value) }) : new BufferOf(length);
    setBytes(new Bytes(copy), new Bytes(value));
    return copy;
  };
  // The copy is made when the value is taken; a record becomes an object only once.
  const BUFFER = {
    __proto__: null, prototype: bufferPrototype, is: brand(bufferLength), take: copyBuffer, make: (copy) => copy,
  };

  /** No engine of ours gives its memory to another one. */
  const SHARED = "memory that threads share";

  const viewName = getter(typedPrototype, toStringTag);
  const validate = brand(uncurry(typedPrototype.keys));
  const arrayBuffer = getter(typedPrototype, "buffer");
  const arrayOffset = getter(typedPrototype, "byteOffset");
  const arrayLength = getter(typedPrototype, "length");
  const dataBuffer = getter(DataView.prototype, "buffer");
  const dataOffset = getter(DataView.prototype, "byteOffset");
  const dataLength = getter(DataView.prototype, "byteLength");
  const isDataInBounds = brand(dataLength);

  const VIEWS = { __proto__: null, DataView };
  for (const name of ["Int8", "Uint8", "Uint8Clamped", "Int16", "Uint16", "Int32", "Uint32", "Float16",
    "Float32", "Float64", "BigInt64", "BigUint64"]) VIEWS[`${name}Array`] = globalThis[`${name}Array`];

  /** The same where there is no room to grow: one that does not follow would reach beyond a shorter buffer. */
  const followsBack = (value, buffer, cut, isInBounds) => {
    const end = bufferLength(buffer), kept = new Bytes(end - cut);
    const tail = new Bytes(buffer, cut, end - cut);
    for (let i = 0; i < end - cut; i++) kept[i] = tail[i];
    resize(buffer, cut);
    const follows = isInBounds(value);
    resize(buffer, end);
    const again = new Bytes(buffer, cut, end - cut);
    for (let i = 0; i < end - cut; i++) again[i] = kept[i];
    return follows;
  };

  /** Whether a view that reaches the end of a buffer follows it as that grows: no getter tells, so we try. */
  const isTracking = (value, buffer, length, offset, size, lengthOf, isInBounds) => {
    if (!isResizable(buffer)) return false;
    const end = bufferLength(buffer), longer = offset + (length + 1) * size;
    if (longer <= end) return false;
    // Nobody can tell one of no elements that can have none; it has nothing to lose.
    if (longer > maxLength(buffer)) return length === 0 || followsBack(value, buffer, offset + length * size - 1, isInBounds);
    resize(buffer, longer);
    const isLonger = lengthOf(value) > length;
    resize(buffer, end);
    return isLonger;
  };

  /** A view is copied with its buffer, which other views may have, too. */
  const viewKind = (serialize, revive) => ({
    __proto__: null, is: isView,
    take(value, memory) {
      const name = viewName(value) ?? "DataView";
      const isData = name === "DataView";
      const isInBounds = isData ? isDataInBounds : validate;
      if (!isInBounds(value)) throw refuse("a view outside of its buffer");
      const buffer = isData ? dataBuffer(value) : arrayBuffer(value);
      if (!BUFFER.is(buffer)) throw refuse(SHARED);
      const offset = isData ? dataOffset(value) : arrayOffset(value);
      const lengthOf = isData ? dataLength : arrayLength;
      const length = lengthOf(value);
      const size = isData ? 1 : VIEWS[name].BYTES_PER_ELEMENT;
      const tracks = isTracking(value, buffer, length, offset, size, lengthOf, isInBounds);
      return { name, offset, length: tracks ? undefined : length, buffer: serialize(buffer, memory) };
    },
    make: ({ name, offset, length, buffer }) => new VIEWS[name](revive(buffer), offset, length),
  });

  return {
    uncurry, getter, define, refuse, brand, wrapper, DATE, REGEXP, BUFFER, SHARED, EXCEPTION, viewKind, errorKind,
    isDetachedBuffer, transferBuffer,
  };
})
