// SPDX-License-Identifier: MIT
// FileReader (File API, section 6.2). The bytes of a Blob are all there: a read is a row of tasks, one for each event.
((host) => {
  "use strict";
  const { EventTarget, ProgressEvent, DOMException, task } = host;
  const { bytesOf, typeOf } = host.blobs;
  const { decodeAs, nameOf } = host.texts;
  const { encode, binaryString } = host.base64;
  const { addHandlers, create, finish, fire, need } = host.events;
  const { TypeError } = globalThis;
  const Bytes = Uint8Array;
  const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf } = Object;
  const uncurry = (method) => Function.prototype.call.bind(method);
  const typed = getPrototypeOf(Bytes.prototype);
  const [bufferOf, offsetOf, lengthOf] = ["buffer", "byteOffset", "byteLength"]
    .map((name) => uncurry(getOwnPropertyDescriptor(typed, name).get));
  /** Not `subarray`, which asks the array what to make. */
  const from = (bytes, start) => new Bytes(bufferOf(bytes), offsetOf(bytes) + start, lengthOf(bytes) - start);
  const [indexIn, slice, trim] = ["indexOf", "slice", "trim"].map((name) => uncurry(String.prototype[name]));

  // --- What a read results in -----------------------------------------------------------------------------

  /** What a MIME type gives for its charset, without quotes; undefined for none. */
  const charsetIn = (type) => {
    for (let at = indexIn(type, ";"); at >= 0; at = indexIn(type, ";", at + 1)) {
      const end = indexIn(type, ";", at + 1);
      const parameter = trim(slice(type, at + 1, end < 0 ? type.length : end));
      if (slice(parameter, 0, 8) !== "charset=") continue;
      const value = slice(parameter, 8);
      return value[0] === '"' ? slice(value, 1, indexIn(value + '"', '"', 1)) : value;
    }
    return undefined;
  };

  /** Encoding standard, "decode": a byte order mark decides, whatever was asked for. */
  const decode = (bytes, name) => {
    const first = bytes[0], second = bytes[1];
    if (first === 0xEF && second === 0xBB && bytes[2] === 0xBF) return decodeAs(from(bytes, 3), "utf-8");
    if (first === 0xFE && second === 0xFF) return decodeAs(from(bytes, 2), "utf-16be");
    if (first === 0xFF && second === 0xFE) return decodeAs(from(bytes, 2), "utf-16le");
    return decodeAs(bytes, name);
  };

  const toText = (bytes, type, label) => {
    let name = label === undefined ? undefined : nameOf(label);
    const charset = name === undefined ? charsetIn(type) : undefined;
    if (charset !== undefined) name = nameOf(charset);
    return decode(bytes, name ?? "utf-8");
  };

  const toDataURL = (bytes, type) => `data:${type === "" ? "application/octet-stream" : type};base64,${encode(bytes)}`;
  const toBuffer = (bytes) => bufferOf(new Bytes(bytes));

  // --- The interface --------------------------------------------------------------------------------------

  const STATES = { __proto__: null, EMPTY: 0, LOADING: 1, DONE: 2 };
  let isReader;

  class FileReader extends EventTarget {
    #state = STATES.EMPTY;
    #result = null;
    #error = null;
    /** The read that runs: tasks of one that was given up find another. */
    #read = null;

    // The one that is there without asks the iterator of arrays.
    constructor() { super(); }

    static { isReader = (value) => typeof value === "object" && value !== null && #state in value; }

    get readyState() { return this.#state; }
    get result() { return this.#result; }
    get error() { return this.#error; }

    readAsArrayBuffer(blob) {
      this.#state;
      need(arguments.length, 1, "readAsArrayBuffer");
      this.#start("readAsArrayBuffer", blob, toBuffer);
    }

    readAsBinaryString(blob) {
      this.#state;
      need(arguments.length, 1, "readAsBinaryString");
      this.#start("readAsBinaryString", blob, binaryString);
    }

    readAsText(blob, encoding = undefined) {
      this.#state;
      need(arguments.length, 1, "readAsText");
      const label = encoding === undefined ? undefined : `${encoding}`;
      this.#start("readAsText", blob, (bytes, type) => toText(bytes, type, label));
    }

    readAsDataURL(blob) {
      this.#state;
      need(arguments.length, 1, "readAsDataURL");
      this.#start("readAsDataURL", blob, toDataURL);
    }

    abort() {
      const wasLoading = this.#state === STATES.LOADING;
      this.#result = null;
      if (!wasLoading) return;
      this.#state = STATES.DONE;
      const { size } = this.#read;
      this.#read = null;
      this.#fire("abort", 0, size);
      // A listener may have begun another read, which has an end of its own.
      if (this.#state === STATES.DONE) this.#fire("loadend", 0, size);
    }

    #start(method, blob, convert) {
      const bytes = bytesOf(blob);
      if (bytes === undefined) throw new TypeError(`FileReader.${method} needs a Blob`);
      if (this.#state === STATES.LOADING) {
        throw new DOMException(`FileReader.${method}: the reader is still reading; use another, or abort this one`,
          "InvalidStateError");
      }
      this.#state = STATES.LOADING;
      this.#result = this.#error = null;
      const size = lengthOf(bytes);
      const read = this.#read = { __proto__: null, size };
      const end = () => this.#end(read, () => convert(bytes, typeOf(blob)));
      const progress = () => {
        this.#fire("progress", size, size);
        this.#queue(read, end);
      };
      this.#queue(read, () => {
        this.#fire("loadstart", 0, size);
        this.#queue(read, size === 0 ? end : progress); // No bytes make no progress.
      });
    }

    #queue(read, step) { task(() => { if (this.#read === read) step(); }); }

    #end(read, convert) {
      const { size } = read;
      this.#state = STATES.DONE;
      try {
        this.#result = convert();
      } catch { // There is no memory for a text or buffer so long.
        this.#error = new DOMException(`FileReader: ${size} bytes are too many for one value`, "NotReadableError");
      }
      this.#fire(this.#error === null ? "load" : "error", size, size);
      // In a task of its own: what listeners have promised runs between the two, and may begin another read.
      this.#queue(read, () => this.#fire("loadend", size, size));
    }

    #fire(type, loaded, total) { fire(this, create(ProgressEvent, type, { lengthComputable: true, loaded, total })); }
  }
  finish(FileReader, "FileReader", ["readyState", "result", "error", "readAsArrayBuffer", "readAsBinaryString", "readAsText",
    "readAsDataURL", "abort"]);
  for (const name in STATES) {
    const fixed = { __proto__: null, value: STATES[name], enumerable: true };
    defineProperty(FileReader, name, fixed);
    defineProperty(FileReader.prototype, name, fixed);
  }
  addHandlers(FileReader.prototype, ["loadstart", "progress", "load", "abort", "error", "loadend"], (value) => {
    if (isReader(value)) return value;
    throw new TypeError("this is not a FileReader");
  });
  host.showsFields(FileReader, "FileReader", ["readyState", "result", "error"], isReader);

  return { FileReader };
})
