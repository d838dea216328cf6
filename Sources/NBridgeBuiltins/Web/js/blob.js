// SPDX-License-Identifier: MIT
// Blob and File (File API, sections 3 and 4). The bytes of a Blob never change, so a slice, a copy and a Blob
// made of one other Blob are views of the same buffer, which no script ever gets hold of.
((host) => {
  "use strict";
  const { append, encodeUTF8, decodeUTF8, turns } = host;
  const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf } = Object;
  const { isView } = ArrayBuffer, { apply } = Reflect, { now } = Date, { asIntN } = BigInt;
  const { iterator: ITERATOR, toStringTag: TAG } = Symbol;
  const { floor, max, min, trunc } = Math;
  const { isFinite, isSafeInteger, MAX_SAFE_INTEGER } = Number;
  const Bytes = Uint8Array;
  const BigIntOf = BigInt, NumberOf = Number, PromiseOf = Promise, TypeErrorOf = TypeError;

  const uncurry = (method) => Function.prototype.call.bind(method);
  const getter = (prototype, name) => uncurry(getOwnPropertyDescriptor(prototype, name).get);
  const placeOf = (prototype) => ({
    bufferOf: getter(prototype, "buffer"), offsetOf: getter(prototype, "byteOffset"),
    lengthOf: getter(prototype, "byteLength"),
  });
  const typed = getPrototypeOf(Bytes.prototype);
  const typedName = getter(typed, TAG);
  const TYPED = placeOf(typed);
  const DATA = placeOf(DataView.prototype);
  const { bufferOf, offsetOf, lengthOf } = TYPED;
  const bufferLength = getter(ArrayBuffer.prototype, "byteLength");
  const isResizable = getter(ArrayBuffer.prototype, "resizable");
  const setBytes = uncurry(typed.set);
  const [unitAt, indexIn, textSlice, toLowerCase, toWellFormed] = [
    "charCodeAt", "indexOf", "slice", "toLowerCase", "toWellFormed",
  ].map((name) => uncurry(String.prototype[name]));
  const EMPTY = new Bytes(0);

  // --- Conversion of arguments (Web IDL, 3.2) -------------------------------------------------------------

  const isObject = (value) => (typeof value === "object" ? value !== null : typeof value === "function");

  const requireObject = (value, what) => {
    if (isObject(value)) return value;
    throw new TypeErrorOf(`Blob: ${what} is not an object`);
  };
  const toUSVString = (value) => toWellFormed(`${value}`);

  /** [Clamp] long long: halves go to the even neighbour. */
  const toClamped = (value) => {
    const number = +value;
    if (number !== number) return 0;
    const clamped = min(max(number, -MAX_SAFE_INTEGER), MAX_SAFE_INTEGER);
    const below = floor(clamped);
    const rest = clamped - below;
    return rest > 0.5 || (rest === 0.5 && below % 2 !== 0) ? below + 1 : below;
  };

  /** long long: modulo 2 to the 64. Adding 0 makes -0 a 0. */
  const toLongLong = (value) => {
    const number = +value;
    if (!isFinite(number)) return 0;
    const whole = trunc(number) + 0;
    return isSafeInteger(whole) ? whole : NumberOf(asIntN(64, BigIntOf(whole)));
  };

  const isBuffer = (value) => { try { bufferLength(value); return true; } catch { return false; } };
  const gettersFor = (view) => (typedName(view) === undefined ? DATA : TYPED);

  /** A string, or the object itself if it is a Blob, a buffer or a view: its bytes are read later. */
  const toPart = (value) => {
    if (!isObject(value)) return toUSVString(value);
    if (isBlob(value)) return value;
    if (!isView(value) && !isBuffer(value)) return toUSVString(value);
    const buffer = isView(value) ? gettersFor(value).bufferOf(value) : value;
    if (isBuffer(buffer) && !isResizable(buffer)) return value;
    throw new TypeErrorOf("Blob: resizable buffers, and views of these or of shared memory, can't be parts");
  };

  /** A sequence. The iterator is not closed when a conversion throws. */
  const toParts = (value) => {
    const method = isObject(value) ? value[ITERATOR] : undefined;
    if (typeof method !== "function") throw new TypeErrorOf("Blob: the parts must be an iterable object");
    const iterator = requireObject(apply(method, value, []), "the iterator");
    const { next } = iterator;
    const parts = [];
    for (;;) {
      const result = requireObject(apply(next, iterator, []), "the iterator result");
      if (result.done) return parts;
      append(parts, toPart(result.value));
    }
  };

  const toEndings = (value) => {
    const text = value === undefined ? "transparent" : `${value}`;
    if (text === "transparent" || text === "native") return text;
    throw new TypeErrorOf(`Blob: endings is "transparent" or "native", not "${text}"`);
  };

  /** The standard takes no other characters than these in a type, and no type then. */
  const toType = (text) => {
    for (let i = 0; i < text.length; i++) {
      const unit = unitAt(text, i);
      if (unit < 0x20 || unit > 0x7E) return "";
    }
    return toLowerCase(text);
  };

  /** A dictionary's members are read in alphabetical order, those of the one it inherits from before. */
  const toOptions = (value, isForFile) => {
    if (value === undefined || value === null) {
      return { __proto__: null, endings: "transparent", type: "", lastModified: undefined };
    }
    const endings = toEndings(requireObject(value, "what holds the options").endings);
    const { type } = value;
    const text = type === undefined ? "" : `${type}`;
    const time = isForFile ? value.lastModified : undefined;
    return { endings, type: toType(text), lastModified: time === undefined ? time : toLongLong(time) };
  };

  // --- Bytes ----------------------------------------------------------------------------------------------

  const view = (bytes, start, end) => new Bytes(bufferOf(bytes), offsetOf(bytes) + start, end - start);

  /** "Convert line endings to native": that is a line feed everywhere we run. */
  const toNative = (text) => {
    let out = "";
    let done = 0;
    for (let at = indexIn(text, "\r"); at >= 0; at = indexIn(text, "\r", done)) {
      out += textSlice(text, done, at) + "\n";
      done = at + (unitAt(text, at + 1) === 0x0A ? 2 : 1);
    }
    return out + textSlice(text, done);
  };

  /** A view of the bytes; of none if the buffer was detached since. */
  const viewOfSource = (source) => {
    try {
      if (!isView(source)) return new Bytes(source);
      const { bufferOf, offsetOf, lengthOf } = gettersFor(source);
      return new Bytes(bufferOf(source), offsetOf(source), lengthOf(source));
    } catch {
      return EMPTY;
    }
  };

  const bytesOfPart = (part, endings) => {
    if (typeof part === "string") return encodeUTF8(endings === "native" ? toNative(part) : part);
    return isBlob(part) ? dataOf(part).bytes : viewOfSource(part);
  };

  /** "Process blob parts". */
  const join = (parts, endings) => {
    // The bytes of a string are new, those of a Blob never change.
    const isShareable = parts.length === 1 && (typeof parts[0] === "string" || isBlob(parts[0]));
    if (isShareable) return bytesOfPart(parts[0], endings);
    const views = [];
    let size = 0;
    for (let i = 0; i < parts.length; i++) {
      append(views, bytesOfPart(parts[i], endings));
      size += lengthOf(views[i]);
    }
    const whole = new Bytes(size);
    for (let i = 0, at = 0; i < views.length; i++) {
      setBytes(whole, views[i], at);
      at += lengthOf(views[i]);
    }
    return whole;
  };

  /** "UTF-8 decode": without a byte order mark. */
  const toText = (bytes) => {
    const text = decodeUTF8(bytes, false);
    return unitAt(text, 0) === 0xFEFF ? textSlice(text, 1) : text;
  };

  const copyOf = (bytes) => new Bytes(bytes);

  /** A promise of what is made of the bytes: it is rejected with what either step throws, for a wrong `this`, too. */
  const promise = (read, convert) => new PromiseOf((resolve) => {
    const bytes = read();
    turns.settle(resolve, convert(bytes), lengthOf(bytes));
  });

  // --- Interfaces -----------------------------------------------------------------------------------------

  const expose = (type, name, members) => {
    for (const member of members) defineProperty(type.prototype, member, { __proto__: null, enumerable: true });
    defineProperty(type.prototype, TAG, { __proto__: null, value: name, configurable: true });
  };

  let open, isBlob, dataOf, isFile, nameOf, timeOf;

  /**
   * What a constructor gets instead of parts when its bytes are there. A script that changes File's prototype
   * can get hold of one, but has no use for it other than to make a Blob.
   */
  class Seed {
    #data;
    constructor(data) { this.#data = data; }
    static {
      open = (value) => (isObject(value) && #data in value ? value.#data : undefined);
      delete this.prototype.constructor;
    }
  }

  const read = (parts, { endings, type }) => ({ bytes: join(parts, endings), type });

  /** From the end if negative. */
  const toPosition = (value, size) => {
    const position = toClamped(value);
    return position < 0 ? max(size + position, 0) : min(position, size);
  };

  class Blob {
    #data;
    static {
      isBlob = (value) => isObject(value) && #data in value;
      dataOf = (blob) => blob.#data;
    }

    constructor(blobParts = undefined, options = undefined) {
      this.#data = open(blobParts)
        ?? read(blobParts === undefined ? [] : toParts(blobParts), toOptions(options, false));
    }

    get size() { return lengthOf(this.#data.bytes); }
    get type() { return this.#data.type; }

    slice(start = undefined, end = undefined, contentType = undefined) {
      const { bytes } = this.#data;
      const size = lengthOf(bytes);
      const from = start === undefined ? 0 : toPosition(start, size);
      const to = end === undefined ? size : toPosition(end, size);
      const type = contentType === undefined ? "" : toType(`${contentType}`);
      return new Blob(new Seed({ bytes: view(bytes, from, max(from, to)), type }));
    }

    stream() {
      const { bytes } = this.#data;
      return host.byteReaders.streamOf(host.byteReaders.readerOver(bytes));
    }

    text() { return promise(() => this.#data.bytes, toText); }
    arrayBuffer() { return promise(() => this.#data.bytes, (bytes) => bufferOf(copyOf(bytes))); }
    bytes() { return promise(() => this.#data.bytes, copyOf); }
  }
  expose(Blob, "Blob", ["size", "type", "slice", "stream", "text", "arrayBuffer", "bytes"]);

  class File extends Blob {
    #name;
    #lastModified;

    constructor(fileBits, fileName, options = undefined) {
      if (arguments.length < 2) throw new TypeErrorOf("File needs 2 arguments: the parts and a name");
      const isMade = open(fileBits) !== undefined;
      const parts = isMade ? undefined : toParts(fileBits);
      const name = toUSVString(fileName);
      const bag = toOptions(options, true);
      super(isMade ? fileBits : new Seed(read(parts, bag)));
      this.#name = name;
      this.#lastModified = bag.lastModified ?? now();
    }

    get name() { return this.#name; }
    get lastModified() { return this.#lastModified; }
    // Only a person who chose a directory in a page gets another (File and Directory Entries API).
    get webkitRelativePath() { this.#name; return ""; }

    static {
      isFile = (value) => isObject(value) && #name in value;
      nameOf = (file) => file.#name;
      timeOf = (file) => file.#lastModified;
      host.clone.addType({
        __proto__: null,
        is: isBlob,
        serialize: (blob) => ({
          seed: new Seed(dataOf(blob)), name: #name in blob ? blob.#name : undefined,
          options: #name in blob ? { __proto__: null, lastModified: blob.#lastModified } : undefined,
        }),
        deserialize: ({ seed, name, options }) =>
          name === undefined ? new Blob(seed) : new File(seed, name, options),
        wire: {
          name: "blob",
          pack({ seed, name, options }, { bytes, write }) {
            const data = open(seed);
            data.bytes = bytes(data.bytes);
            write(data.type);
            write(name);
            write(options?.lastModified);
          },
          unpack({ bytes, read }) {
            const seed = new Seed({ bytes: bytes(true), type: read() });
            const name = read(), lastModified = read();
            return { seed, name, options: { __proto__: null, lastModified } };
          },
        },
      });
    }
  }
  expose(File, "File", ["name", "lastModified", "webkitRelativePath"]);
  host.showsFields(Blob, "Blob", ["size", "type"], isBlob);
  host.showsFields(File, "File", ["name", "size", "type", "lastModified"], isBlob);
  // A copy of the bytes: who compares may come upon code of a script's.
  host.compares("Blob", (blob) => [dataOf(blob).type, new Bytes(dataOf(blob).bytes)], isBlob);
  // When a file was made says nothing of what it is.
  host.compares("File", (file) => [dataOf(file).type, new Bytes(dataOf(file).bytes), nameOf(file)], isFile);

  /** `bytesOf`: a Blob's bytes, which must reach no script as they are; undefined for anything else. */
  const bytesOf = (value) => (isBlob(value) ? dataOf(value).bytes : undefined);
  /** The same once `keep` has put others in their place. */
  const keptBytesOf = (blob, keep) => {
    const data = dataOf(blob);
    return data.bytes = keep(data.bytes);
  };
  /** A Blob over bytes that nobody else writes to, and the type as it is told. */
  const over = (bytes, type) => new Blob(new Seed({ bytes, type: toType(type) }));
  const fileOver = (bytes, name, type) => new File(new Seed({ bytes, type: toType(type) }), name);
  const typeOf = (blob) => dataOf(blob).type;
  return { Blob, File, internals: { bytesOf, keptBytesOf, isBlob, isFile, typeOf, nameOf, timeOf, over, fileOver } };
})
