// SPDX-License-Identifier: MIT
// TextEncoder and TextDecoder (Encoding standard, section 7).
((host) => {
  "use strict";
  const { encodeUTF8, decodeUTF8, singleByteTable, decodeMultiByte, scratch, decodeScratch } = host;
  const SCRATCH = scratch.length;
  const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf } = Object;
  const { isView } = ArrayBuffer;
  const { fromCharCode } = String;
  const { apply } = Reflect;
  const Bytes = Uint8Array;
  const bytesPrototype = Bytes.prototype;
  const Units = Uint16Array;
  const ArrayOf = Array;
  const TypeErrorOf = TypeError;
  const RangeErrorOf = RangeError;

  // A view may be of a subclass that has its own idea of these.
  const uncurry = (method) => Function.prototype.call.bind(method);
  const getter = (prototype, name) => uncurry(getOwnPropertyDescriptor(prototype, name).get);
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

  // --- Labels (section 4.2) -------------------------------------------------------------------------------

  const LABELS = host.labels;

  const isSpace = (unit) => unit === 0x20 || (unit >= 0x09 && unit <= 0x0D && unit !== 0x0B);

  /** Without ASCII whitespace around it, in ASCII lower case: the Kelvin sign does not become a k. */
  const normalized = (label) => {
    let start = 0;
    let end = label.length;
    while (start < end && isSpace(label.charCodeAt(start))) start++;
    while (end > start && isSpace(label.charCodeAt(end - 1))) end--;
    let text = "";
    for (let index = start; index < end; index++) {
      const unit = label.charCodeAt(index);
      text += fromCharCode(unit >= 0x41 && unit <= 0x5A ? unit + 0x20 : unit);
    }
    return text;
  };

  const encodingWith = (label) => {
    if (label === "" || label.includes(" ")) return undefined;
    for (const name in LABELS) if (` ${LABELS[name]} `.includes(` ${label} `)) return name;
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

  const joined = (head, tail) => {
    const length = lengthOf(head);
    if (length === 0) return tail;
    const whole = new Bytes(length + lengthOf(tail));
    setBytes(whole, head);
    setBytes(whole, tail, length);
    return whole;
  };

  const part = (bytes, start, end) => new Bytes(typedBuffer(bytes), typedOffset(bytes) + start, end - start);

  /** A copy: what a stream keeps must not change with the caller's buffer. */
  const copyFrom = (bytes, start) => new Bytes(part(bytes, start, lengthOf(bytes)));

  const PIECE = 4096;

  /** UTF-16 units as a string; in pieces, for a call has only so much room for arguments. */
  const stringOf = (units) => {
    const { length } = units;
    let text = "";
    for (let start = 0; start < length; start += PIECE) {
      const count = length - start < PIECE ? length - start : PIECE;
      const piece = new ArrayOf(count);  // the engine reads its own arrays faster here than typed ones
      for (let index = 0; index < count; index++) piece[index] = units[start + index];
      text += apply(fromCharCode, undefined, piece);
    }
    return text;
  };

  // --- Decoders: each takes a chunk, answers its text, or undefined if fatal and malformed ----------------

  /** Whether `second` may follow `lead` (Unicode, table 3-7). */
  const mayFollow = (lead, second) => {
    switch (lead) {
      case 0xE0: return second >= 0xA0;
      case 0xED: return second < 0xA0;
      case 0xF0: return second >= 0x90;
      case 0xF4: return second < 0x90;
      default: return true;
    }
  };

  /** How many bytes at the end begin a UTF-8 sequence that more bytes could complete, 0 to 3. */
  const unfinished = (bytes, length) => {
    for (let count = 1; count <= 3 && count <= length; count++) {
      const lead = bytes[length - count];
      if (lead < 0x80) return 0;
      if (lead < 0xC0) continue;
      if (lead < 0xC2 || lead > 0xF4) return 0;
      const needed = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
      return count < needed && (count === 1 || mayFollow(lead, bytes[length - count + 1])) ? count : 0;
    }
    return 0;
  };

  class UTF8Decoder {
    #rest = EMPTY;
    decode(chunk, isLast, fatal) {
      const bytes = joined(this.#rest, chunk);
      this.#rest = EMPTY;
      if (isLast) return decodeUTF8(bytes, fatal);
      const length = lengthOf(bytes);
      const count = unfinished(bytes, length);
      if (count === 0) return decodeUTF8(bytes, fatal);
      this.#rest = copyFrom(bytes, length - count);
      return length === count ? "" : decodeUTF8(part(bytes, 0, length - count), fatal);
    }
  }

  const SHORT = 24;
  const ASCII = [];
  for (let code = 0; code < 128; code++) ASCII[code] = fromCharCode(code);

  /** A text that is all there. A short one is not worth a native call, a medium one not the asking for its memory. */
  const decodeWhole = (bytes, fatal) => {
    const length = lengthOf(bytes);
    if (length > SCRATCH) return decodeUTF8(bytes, fatal);
    setBytes(scratch, bytes);
    return decodeScratch(length, fatal);
  };

  /** By the prototype, which is asked for in no time; that elements are bytes is for the lengths to say. */
  const isPlainBytes = (input) => typeof input === "object" && input !== null && getPrototypeOf(input) === bytesPrototype;

  const shortASCII = (bytes, length) => {
    let text = "";
    for (let index = 0; index < length; index++) {
      const byte = bytes[index];
      if (byte > 127) return undefined;
      text += ASCII[byte];
    }
    return text;
  };

  const swapped = (bytes) => {
    const other = new Bytes(lengthOf(bytes));
    for (let index = 0; index < other.length; index++) other[index] = bytes[index ^ 1];
    return other;
  };

  class UTF16Decoder {
    #rest = EMPTY;
    #isBigEndian;
    constructor(isBigEndian) { this.#isBigEndian = isBigEndian; }

    decode(chunk, isLast, fatal) {
      const bytes = joined(this.#rest, chunk);
      const length = lengthOf(bytes);
      const even = this.#keep(bytes, length);
      const text = this.#text(part(bytes, 0, even));
      // Whatever is incomplete at the end is one error, were it a lead surrogate and a byte.
      const whole = isLast && even < length ? `${text}\uD800` : text;
      if (isLast) this.#rest = EMPTY;
      const wellFormed = whole.toWellFormed();
      return fatal && wellFormed !== whole ? undefined : wellFormed;
    }

    /** Keeps an odd byte and a lead surrogate for later. Answers how many bytes are before them. */
    #keep(bytes, length) {
      let even = length & ~1;
      if (even >= 2 && (bytes[even - (this.#isBigEndian ? 2 : 1)] & 0xFC) === 0xD8) even -= 2;
      this.#rest = even < length ? copyFrom(bytes, even) : EMPTY;
      return even;
    }

    #text(bytes) {
      const length = lengthOf(bytes);
      const isAligned = (typedOffset(bytes) & 1) === 0;
      const native = this.#isBigEndian ? swapped(bytes) : isAligned ? bytes : new Bytes(bytes);
      return stringOf(new Units(typedBuffer(native), typedOffset(native), length >> 1));
    }
  }

  class SingleByteDecoder {
    #units = new Units(256);
    #isComplete;
    /** `upper`: the characters of bytes 0x80 to 0xFF, U+FFFD for none. */
    constructor(upper) {
      for (let index = 0; index < 128; index++) {
        this.#units[index] = index;
        this.#units[index + 128] = upper.charCodeAt(index);
      }
      this.#isComplete = !upper.includes("\uFFFD");
    }

    decode(chunk, isLast, fatal) {
      const units = this.#units;
      const result = new Units(lengthOf(chunk));
      for (let index = 0; index < result.length; index++) result[index] = units[chunk[index]];
      const text = stringOf(result);
      return fatal && !this.#isComplete && text.includes("\uFFFD") ? undefined : text;
    }
  }

  class MultiByteDecoder {
    #name;
    #state = new Bytes(8);  // the native side reads and writes it; all zero is the start of a stream
    constructor(name) { this.#name = name; }
    decode(chunk, isLast, fatal) { return decodeMultiByte(this.#name, chunk, this.#state, isLast, fatal); }
  }

  const userDefined = () => {
    const units = new Units(128);
    for (let index = 0; index < 128; index++) units[index] = 0xF780 + index;
    return stringOf(units);
  };

  const MULTI_BYTE = {
    __proto__: null, "gbk": true, "gb18030": true, "big5": true, "euc-jp": true, "iso-2022-jp": true,
    "shift_jis": true, "euc-kr": true,
  };
  // A single-byte decoder has no state but its table.
  const singleByte = { __proto__: null };

  const decoderOf = (name) => {
    if (name === "utf-8") return new UTF8Decoder();
    if (name === "utf-16le" || name === "utf-16be") return new UTF16Decoder(name === "utf-16be");
    if (name in MULTI_BYTE) return new MultiByteDecoder(name);
    return singleByte[name] ??=
      new SingleByteDecoder(name === "x-user-defined" ? userDefined() : singleByteTable(name));
  };

  // --- Interfaces -----------------------------------------------------------------------------------------

  const expose = (type, name, members) => {
    for (const member of members) {
      const found = getOwnPropertyDescriptor(type.prototype, member);
      defineProperty(type.prototype, member, { __proto__: null, ...found, enumerable: true });
    }
    defineProperty(type.prototype, Symbol.toStringTag, { __proto__: null, value: name, configurable: true });
  };

  /** A dictionary argument (Web IDL, 3.2.17). */
  const requireDictionary = (value, where) => {
    if (value === null || typeof value === "object" || typeof value === "function") return;
    throw new TypeErrorOf(`${where}: the options must be an object`);
  };

  class TextDecoder {
    #encoding;
    #fatal = false;
    #ignoreBOM = false;
    #decoder;  // made when first needed: most decoders see one chunk of UTF-8, which needs none
    #isStreaming = false;
    #hasSeenBOM = false;

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
        const length = lengthOf(input);
        const text = length > SHORT || typedLength(input) !== length ? undefined : shortASCII(input, length);
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
      return !this.#ignoreBOM && text.charCodeAt(0) === 0xFEFF ? this.#withoutBOM(text) : text;
    }

    /** One chunk of several; the last is the one that does not stream. */
    #continue(bytes, stream) {
      this.#isStreaming = stream;
      const text = this.#decodeChunk(bytes, !stream);
      if (text === undefined) this.#fail();
      const isFirst = !this.#hasSeenBOM;
      this.#hasSeenBOM = stream && (this.#hasSeenBOM || text !== "");
      return isFirst && !this.#ignoreBOM && text.charCodeAt(0) === 0xFEFF ? this.#withoutBOM(text) : text;
    }

    #decodeChunk(bytes, isLast) {
      this.#decoder ??= decoderOf(this.#encoding);
      return this.#decoder.decode(bytes, isLast, this.#fatal);
    }

    /** Only the Unicode encodings have a byte order mark; gb18030 can write U+FEFF too. */
    #withoutBOM(text) {
      const name = this.#encoding;
      return name === "utf-8" || name === "utf-16le" || name === "utf-16be" ? text.slice(1) : text;
    }

    #fail() {
      this.#decoder = undefined;
      this.#isStreaming = false;
      this.#hasSeenBOM = false;
      throw new TypeErrorOf(`TextDecoder.decode: the bytes are not valid ${this.#encoding}`);
    }
  }
  expose(TextDecoder, "TextDecoder", ["encoding", "fatal", "ignoreBOM", "decode"]);

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
    const text = source.length > room ? source.slice(0, room) : source;
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
      const unit = source.charCodeAt(index);
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
      const rest = encodeMany(text.slice(count), part(destination, count, room), room - count);
      return { read: count + rest.read, written: count + rest.written };
    }
  }
  expose(TextEncoder, "TextEncoder", ["encoding", "encode", "encodeInto"]);

  return { TextEncoder, TextDecoder };
})
