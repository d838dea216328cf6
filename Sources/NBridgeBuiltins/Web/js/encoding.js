// SPDX-License-Identifier: MIT
// TextEncoder and TextDecoder (Encoding standard, section 7). What a stream of chunks and the legacy encodings take is in
// decoders.js, which is loaded with the first of them.
((host) => {
  "use strict";
  const { encodeUTF8, decodeUTF8, scratch, decodeScratch, unitAt } = host;
  const SCRATCH = scratch.length;
  const { create, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, setPrototypeOf } = Object;
  const { isView } = ArrayBuffer;
  const { fromCharCode } = String;
  const { apply } = Reflect;
  const Bytes = Uint8Array;
  const bytesPrototype = Bytes.prototype;
  const Units = Uint16Array, ArrayOf = Array;
  const TypeErrorOf = TypeError;
  const RangeErrorOf = RangeError;

  // A view may be of a subclass that has its own idea of these.
  const uncurry = (method) => Function.prototype.call.bind(method);

  /** As `uncurry`, but the engine compiles it into the caller: a bound function is several times slower. */
  const getter = (prototype, name) => {
    const { get } = getOwnPropertyDescriptor(prototype, name);
    const { read } = { __proto__: create(null, { value: { __proto__: null, get } }), read() { return super.value; } };
    defineProperty(read, "call", { __proto__: null, value: Function.prototype.call });
    return (value) => read.call(value);
  };

  const typed = getPrototypeOf(Bytes.prototype);
  const typeOf = getter(typed, Symbol.toStringTag);
  const lengthOf = getter(typed, "length");
  const typedBuffer = getter(typed, "buffer");
  const typedOffset = getter(typed, "byteOffset");
  const typedLength = getter(typed, "byteLength");
  const dataBuffer = getter(DataView.prototype, "buffer");
  const dataOffset = getter(DataView.prototype, "byteOffset");
  const dataLength = getter(DataView.prototype, "byteLength");
  const bufferLength = getter(ArrayBuffer.prototype, "byteLength");
  const setBytes = uncurry(typed.set);
  const toStringOf = uncurry(Object.prototype.toString);
  const includes = uncurry(String.prototype.includes), slice = uncurry(String.prototype.slice);
  const wellFormedOf = uncurry(String.prototype.toWellFormed);

  // --- Labels (section 4.2) -------------------------------------------------------------------------------

  const LABELS = host.labels;

  const isSpace = (unit) => unit === 0x20 || (unit >= 0x09 && unit <= 0x0D && unit !== 0x0B);

  /** Without ASCII whitespace around it, in ASCII lower case: the Kelvin sign does not become a k. */
  const normalized = (label) => {
    let start = 0;
    let end = label.length;
    while (start < end && isSpace(unitAt(label, start))) start++;
    while (end > start && isSpace(unitAt(label, end - 1))) end--;
    let text = "";
    for (let index = start; index < end; index++) {
      const unit = unitAt(label, index);
      text += fromCharCode(unit >= 0x41 && unit <= 0x5A ? unit + 0x20 : unit);
    }
    return text;
  };

  const encodingWith = (label) => {
    if (label === "" || includes(label, " ")) return undefined;
    for (const name in LABELS) if (includes(` ${LABELS[name]} `, ` ${label} `)) return name;
    return undefined;
  };

  const named = { __proto__: null };

  const encodingOf = (label) => {
    if (label === "utf-8") return label;
    const text = normalized(label);
    const name = named[text] ?? encodingWith(text);
    if (name !== undefined) named[text] = name;
    if (name !== undefined && name !== "replacement") return name;
    throw new RangeErrorOf(`TextDecoder: "${label}" is not a label of an encoding; "utf-8" is one`);
  };

  // --- Bytes ----------------------------------------------------------------------------------------------

  const EMPTY = new Bytes(0);

  /** The constructor is not a global everywhere; a view of a true buffer answers the buffer itself. */
  const isShared = (value) =>
    toStringOf(value) === "[object SharedArrayBuffer]" && typedBuffer(new Bytes(value)) === value;

  const isBuffer = (value) => {
    if (typeof value !== "object" || value === null) return false;
    try {
      bufferLength(value);
      return true;
    } catch {
      return isShared(value);
    }
  };

  const requireSource = (input) => {
    if (isView(input) || isBuffer(input)) return;
    throw new TypeErrorOf("TextDecoder.decode: the input must be an ArrayBuffer or a view of one");
  };

  /** The bytes of a buffer or view. None of a detached one (Web IDL, "get a copy of the bytes"). */
  const bytesOf = (input) => {
    const type = isView(input) ? typeOf(input) : "ArrayBuffer";
    if (type === "Uint8Array") return lengthOf(input) === 0 ? EMPTY : input;
    try {
      if (type === "ArrayBuffer") return new Bytes(input);
      if (type === undefined) return new Bytes(dataBuffer(input), dataOffset(input), dataLength(input));
      return new Bytes(typedBuffer(input), typedOffset(input), typedLength(input));
    } catch {
      return EMPTY;
    }
  };

  const part = (bytes, start, end) => new Bytes(typedBuffer(bytes), typedOffset(bytes) + start, end - start);

  // --- Whole texts ----------------------------------------------------------------------------------------

  /** A text that is all there. A medium one is not worth the asking for its memory. */
  const decodeWhole = (bytes, fatal) => {
    const length = lengthOf(bytes);
    if (length > SCRATCH) return decodeUTF8(bytes, fatal);
    setBytes(scratch, bytes);
    return decodeScratch(length, fatal);
  };

  /** By the prototype, which is asked for in no time; whether elements are bytes `decodeShort` sees. */
  const isPlainBytes = (input) => typeof input === "object" && input !== null && getPrototypeOf(input) === bytesPrototype;

  const SHORT = 24;
  let pairs;  // of ASCII characters, each as it is needed; half as many strings are joined as by characters

  const pairOf = (key) => {
    if (pairs === undefined) {
      pairs = setPrototypeOf([], null);
      for (let index = 0; index < 1 << 14; index++) pairs[index] = "";
    }
    return pairs[key] || (pairs[key] = fromCharCode(key >> 7, key & 127));
  };

  /** A text not worth a native call, if it is ASCII. `length` is in bytes: of wider elements there are fewer. */
  const decodeShort = (bytes, length) => {
    if (bytes[length - 1] === undefined) return undefined;
    let text = "";
    let index = 0;
    for (; index + 1 < length; index += 2) {
      const first = bytes[index], second = bytes[index + 1];
      if (((first | second) & ~127) !== 0) return undefined;
      text += pairOf((first << 7) | second);
    }
    if (index === length) return text;
    const last = bytes[index];
    return (last & ~127) === 0 ? text + fromCharCode(last) : undefined;
  };

  // --- Interfaces -----------------------------------------------------------------------------------------

  const expose = (type, name, members) => {
    for (const member of members) {
      const found = getOwnPropertyDescriptor(type.prototype, member);
      defineProperty(type.prototype, member, { __proto__: null, ...found, enumerable: true });
    }
    defineProperty(type.prototype, Symbol.toStringTag, { __proto__: null, value: name, configurable: true });
    host.declareInterface(type, name);
  };

  /** A dictionary argument (Web IDL, 3.2.17). */
  const requireDictionary = (value, where) => {
    if (value === null || typeof value === "object" || typeof value === "function") return;
    throw new TypeErrorOf(`${where}: the options must be an object`);
  };

  let isDecoder;

  class TextDecoder {
    #encoding;
    #fatal = false;
    #ignoreBOM = false;
    #decoder;  // made when first needed: most decoders see one chunk of UTF-8, which needs none
    #isStreaming = false;
    #hasSeenBOM = false;

    static { isDecoder = (object) => #encoding in object; }

    constructor(label = "utf-8", options = undefined) {
      const text = `${label}`;
      if (options !== undefined) {
        requireDictionary(options, "TextDecoder");
        if (options !== null) {
          const { fatal, ignoreBOM } = options;
          this.#fatal = !!fatal;
          this.#ignoreBOM = !!ignoreBOM;
        }
      }
      this.#encoding = encodingOf(text);
    }

    get encoding() { return this.#encoding; }
    get fatal() { return this.#fatal; }
    get ignoreBOM() { return this.#ignoreBOM; }

    decode(input = undefined, options = undefined) {
      const encoding = this.#encoding;
      // What nearly every call is: a whole text in a Uint8Array.
      if (options === undefined && encoding === "utf-8" && !this.#isStreaming && isPlainBytes(input)) {
        const length = typedLength(input);
        const text = length > SHORT ? undefined : decodeShort(input, length);
        if (text !== undefined) return text;
      }
      if (input !== undefined) requireSource(input);
      let stream = false;
      if (options !== undefined) {
        requireDictionary(options, "TextDecoder.decode");
        stream = options !== null && !!options.stream;
      }
      const bytes = input === undefined ? EMPTY : bytesOf(input);
      if (stream || this.#isStreaming) return this.#continue(bytes, stream);
      const text = encoding === "utf-8" ? decodeWhole(bytes, this.#fatal) : this.#decodeChunk(bytes, true);
      if (text === undefined) this.#fail();
      return !this.#ignoreBOM && unitAt(text, 0) === 0xFEFF ? this.#withoutBOM(text) : text;
    }

    /** One chunk of several; the last is the one that does not stream. */
    #continue(bytes, stream) {
      this.#isStreaming = stream;
      const text = this.#decodeChunk(bytes, !stream);
      if (text === undefined) this.#fail();
      const isFirst = !this.#hasSeenBOM;
      this.#hasSeenBOM = stream && (this.#hasSeenBOM || text !== "");
      return isFirst && !this.#ignoreBOM && unitAt(text, 0) === 0xFEFF ? this.#withoutBOM(text) : text;
    }

    #decodeChunk(bytes, isLast) {
      this.#decoder ??= host.decoderOf(this.#encoding);
      return this.#decoder.decode(bytes, isLast, this.#fatal);
    }

    /** Only the Unicode encodings have a byte order mark; gb18030 can write U+FEFF too. */
    #withoutBOM(text) {
      const name = this.#encoding;
      return name === "utf-8" || name === "utf-16le" || name === "utf-16be" ? slice(text, 1) : text;
    }

    #fail() {
      this.#decoder = undefined;
      this.#isStreaming = false;
      this.#hasSeenBOM = false;
      throw new TypeErrorOf(`TextDecoder.decode: the bytes are not valid ${this.#encoding}`);
    }
  }
  expose(TextDecoder, "TextDecoder", ["encoding", "fatal", "ignoreBOM", "decode"]);
  host.comparesFields(TextDecoder, "TextDecoder", ["encoding", "fatal", "ignoreBOM"], isDecoder);

  const isContinuation = (byte) => (byte & 0xC0) === 0x80;

  /** The UTF-16 length of UTF-8. */
  const unitsIn = (bytes, length) => {
    let count = 0;
    for (let index = 0; index < length; index++) {
      const byte = bytes[index];
      if (!isContinuation(byte)) count += byte >= 0xF0 ? 2 : 1;
    }
    return count;
  };

  /** What does not fit is dropped, whole characters at a time. */
  const encodeMany = (source, target, room) => {
    // A unit takes a byte or more, so those past the room never fit.
    const text = source.length > room ? slice(source, 0, room) : source;
    const bytes = encodeUTF8(text);
    let written = lengthOf(bytes);
    if (written <= room) {
      setBytes(target, bytes);
      return { read: text.length, written };
    }
    written = room;
    while (written > 0 && isContinuation(bytes[written])) written--;
    setBytes(target, part(bytes, 0, written));
    return { read: unitsIn(bytes, written), written };
  };

  /** A native call costs more than a few ASCII characters. Answers how many there were. */
  const encodeASCII = (source, target, room) => {
    const end = source.length < room ? source.length : room;
    let index = 0;
    for (; index < end; index++) {
      const unit = unitAt(source, index);
      if (unit >= 0x80) break;
      target[index] = unit;
    }
    return index;
  };

  class TextEncoder {
    #isEncoder = true;

    get encoding() {
      this.#isEncoder;
      return "utf-8";
    }

    encode(input = "") {
      this.#isEncoder;
      return encodeUTF8(`${input}`);
    }

    encodeInto(source, destination) {
      this.#isEncoder;
      if (arguments.length < 2) throw new TypeErrorOf("TextEncoder.encodeInto: two arguments are needed");
      const text = `${source}`;
      if (!isView(destination) || typeOf(destination) !== "Uint8Array") {
        throw new TypeErrorOf("TextEncoder.encodeInto: the destination must be a Uint8Array");
      }
      const room = lengthOf(destination);
      if (room === 0) return { read: 0, written: 0 };
      if (text.length > 48) return encodeMany(text, destination, room);
      const count = encodeASCII(text, destination, room);
      if (count === text.length || count === room) return { read: count, written: count };
      const rest = encodeMany(slice(text, count), part(destination, count, room), room - count);
      return { read: count + rest.read, written: count + rest.written };
    }
  }
  expose(TextEncoder, "TextEncoder", ["encoding", "encode", "encodeInto"]);

  const memberOf = (name) => uncurry(getOwnPropertyDescriptor(TextDecoder.prototype, name).get);

  /** The name of the encoding with a label; undefined for none. */
  const nameOf = (label) => encodingWith(normalized(label));

  /** A whole text in the encoding of that name, without a look at a byte order mark. */
  const decodeAs = (bytes, name) => {
    if (name === "utf-8") return decodeWhole(bytes, false);
    if (name === "replacement") return lengthOf(bytes) === 0 ? "" : "\uFFFD";
    return host.decoderOf(name).decode(bytes, true, false);
  };

  return {
    TextEncoder, TextDecoder, texts: { decodeAs, nameOf },
    /** For textstreams.js: what a script may replace on the class. */
    decoding: {
      decode: uncurry(TextDecoder.prototype.decode), encodingOf: memberOf("encoding"), isFatal: memberOf("fatal"), ignoresBOM: memberOf("ignoreBOM"),
    },
    /** For decoders.js, which may be loaded after a script has changed its globals. */
    internals: {
      Bytes, Units, ArrayOf, apply, fromCharCode, decodeUTF8, EMPTY, lengthOf, typedBuffer, typedOffset, setBytes, part, setPrototypeOf,
      includes, wellFormedOf,
    },
  };
})
