// SPDX-License-Identifier: MIT
// Bodies of requests and responses: what they are made of and how they are read (Fetch standard, 2.2.4, 5.2 and 5.3).
((host) => {
  "use strict";
  const {
    append, encodeUTF8, decodeUTF8, blob, forms, params, core, readables, readableCore, bufferViews, byteReaders, texts,
    mimeTypes, turns,
  } = host;
  const { react, rejected } = core;
  const { DefaultReader, PromiseRequest } = readableCore;
  const { readerOver, streamOf } = byteReaders;
  const { bufferLength, bytesIn, cloned, partsOf } = bufferViews;
  const { unitAt, slice, wellFormed } = texts;
  const { TypeError, RangeError } = globalThis;
  const { parse } = JSON;
  const { isView } = ArrayBuffer;
  const { getOwnPropertyDescriptor, getPrototypeOf } = Object;
  const { asyncIterator: ASYNC } = Symbol;
  const PromiseOf = Promise, Bytes = Uint8Array;
  const uncurry = (method) => Function.prototype.call.bind(method);
  const typed = getPrototypeOf(Bytes.prototype);
  const setBytes = uncurry(typed.set);
  const typeOf = uncurry(getOwnPropertyDescriptor(typed, Symbol.toStringTag).get);
  const lengthOf = uncurry(getOwnPropertyDescriptor(typed, "byteLength").get);
  const bufferOf = uncurry(getOwnPropertyDescriptor(typed, "buffer").get);
  const EMPTY = new Bytes(0);
  /** Has a stream be read by nobody else. */
  const hold = (impl) => {
    new DefaultReader(impl);
    impl.isDisturbed = true;
  };

  /** Has a stream fail when its fetch is aborted, with all that it has. */
  const follow = (impl, signal) => {
    if (signal === undefined) return;
    const { signals } = host;
    const stop = () => { if (impl.state === "readable") impl.controller.error(signals.reason(signal)); };
    if (signals.isAborted(signal)) return stop();
    signals.addStep(signal, stop);
    impl.whenOver = () => signals.removeStep(signal, stop);
  };

  /** What reads a body that another reader has. */
  const NOTHING = { __proto__: null, read: () => new PromiseOf(core.noop), cancel: core.noop };

  const isObject = (value) => (typeof value === "object" ? value !== null : typeof value === "function");

  // --- Bytes ----------------------------------------------------------------------------------------------

  const join = (chunks, size) => {
    if (chunks.length === 1) return chunks[0];
    const whole = new Bytes(size);
    for (let i = 0, at = 0; i < chunks.length; i++) {
      setBytes(whole, chunks[i], at);
      at += lengthOf(chunks[i]);
    }
    return whole;
  };

  /** "UTF-8 decode": without a byte order mark. */
  const toText = (bytes) => {
    const text = decodeUTF8(bytes, false);
    return unitAt(text, 0) === 0xFEFF ? slice(text, 1, text.length) : text;
  };

  /** A copy of the bytes of a view. */
  const copyOf = (view) => {
    const { buffer, byteOffset, byteLength } = partsOf(view);
    return new Bytes(cloned(buffer, byteOffset, byteLength));
  };

  /** The longest whole, in bytes: what the engine has in one buffer, and text while there is room for it, too. */
  const LONGEST = 2 ** 32 - 1, LONGEST_TEXT = 2 ** 30;

  const tooLong = (most) =>
    new RangeError(`the body has more than ${most} bytes, the most that are read at once; read its stream piece by piece`);

  /** Reads a stream to its end, which comes before it has more than `most` bytes. */
  class Gathering {
    chunks = [];
    size = 0;
    #reader;
    #most;
    #resolve;
    #reject;

    constructor(impl, most, resolve, reject) {
      this.#reader = new DefaultReader(impl);
      this.#most = most;
      this.#resolve = resolve;
      this.#reject = reject;
      this.#reader.read(this);
    }

    chunk(value) {
      if (!isView(value) || typeOf(value) !== "Uint8Array") {
        return this.#fail(new TypeError("A body's stream has a chunk that is no Uint8Array"));
      }
      let bytes;
      // The script has the memory of what it put into its stream: it may write there, take it away or make it larger.
      try { bytes = copyOf(value); } catch (error) { return this.#fail(error); }
      append(this.chunks, bytes);
      this.size += lengthOf(bytes);
      if (this.size > this.#most) return this.#fail(tooLong(this.#most));
      // In a microtask: a stream that has all its chunks at once would go ever deeper.
      core.microtask(() => this.#reader.read(this));
    }

    #fail(error) {
      this.chunks = [];
      react(this.#reader.cancel(error), core.noop, core.noop);
      this.#reject(error);
    }

    close() {
      let whole;
      try { whole = join(this.chunks, this.size); } catch (error) { return this.#reject(error); }
      this.#resolve(whole);
    }
    error(reason) { this.#reject(reason); }
  }

  const gather = (impl, most) => new PromiseOf((resolve, reject) => new Gathering(impl, most, resolve, reject));

  /**
   * Reads what only native code has, without a stream. (No promise is answered from within another one: that would call
   * what a script has made of `then`.)
   */
  const drain = (reader, most) => new PromiseOf((resolve, reject) => {
    let chunks = [];
    let size = 0;
    const step = (bytes) => {
      if (bytes === undefined) return resolve(join(chunks, size));
      size += lengthOf(bytes);
      append(chunks, bytes);
      if (size <= most) return read();
      chunks = [];
      react(core.resolved(reader.cancel(tooLong(most))), core.noop, core.noop);
      return reject(tooLong(most));
    };
    const read = () => void react(react(reader.read(), step), core.noop, reject);
    read();
  });

  // --- A body ---------------------------------------------------------------------------------------------

  /** Streams of bodies whose bytes are no more what their Content-Encoding says; whatever a script does to WeakSet.prototype. */
  class Known extends WeakSet {
    // The one that is there without asks the iterator of arrays.
    constructor() { super(); }
  }
  for (const name of ["add", "has"]) {
    Object.defineProperty(Known.prototype, name, { __proto__: null, value: WeakSet.prototype[name] });
  }
  const decoded = new Known();

  /**
   * A body: its bytes, or what reads them, or a stream. `bytes` and `reader` are given away to none: a stream is made of
   * them when a script asks for one.
   */
  class Body {
    bytes;
    length;
    #reader;
    #stream;
    #isTaken = false;
    #isDecoded = false;
    /** What fetch was given to abort it, which also ends what has come and was not read. */
    #signal;

    constructor(bytes, reader = undefined, stream = undefined, signal = undefined) {
      this.bytes = bytes;
      this.#reader = reader;
      this.#stream = stream;
      this.length = bytes === undefined ? null : lengthOf(bytes);
      // A body of nothing is over at once.
      this.#signal = this.length === 0 ? undefined : signal;
    }

    get #impl() { return readables.implOf(this.#stream); }

    /** Whether its bytes are no more what the Content-Encoding that came with them says; also those of another's stream. */
    get isDecoded() { return this.#isDecoded || (this.#stream !== undefined && decoded.has(this.#impl)); }

    setDecoded() {
      this.#isDecoded = true;
      if (this.#stream !== undefined) decoded.add(this.#impl);
    }

    get stream() {
      if (this.#stream !== undefined) return this.#stream;
      const isTaken = this.#isTaken;
      this.#stream = streamOf(isTaken ? NOTHING : this.#reader ?? readerOver(this.bytes));
      // Whoever reads it, or has read it, is its reader.
      if (isTaken) hold(this.#impl);
      else follow(this.#impl, this.#signal);
      if (this.#isDecoded) decoded.add(this.#impl);
      return this.#stream;
    }

    /** Why it can't be read any more: `{ error }`. */
    get failure() {
      const signal = this.#signal;
      if (signal === undefined || !host.signals.isAborted(signal)) return this.#reader?.failure;
      return { __proto__: null, error: host.signals.reason(signal) };
    }

    get isUsed() { return this.#isTaken || (this.#stream !== undefined && this.#impl.isDisturbed); }
    get isLocked() { return this.#stream !== undefined && this.#impl.reader !== undefined; }
    get isUnusable() { return this.isUsed || this.isLocked; }

    /** A promise of all bytes, which are the caller's; rejected when a body that comes in has more than `most`. */
    takeAll(most = LONGEST) {
      if (this.#stream !== undefined) return gather(this.#impl, most);
      this.#isTaken = true;
      if (this.#reader !== undefined) return drain(this.#reader, most);
      return turns.promise(new Bytes(this.bytes), lengthOf(this.bytes));
    }

    /** What goes to a server: all the bytes, or what reads them. */
    forSending() {
      if (this.#stream !== undefined && this.bytes === undefined) {
        return { __proto__: null, bytes: undefined, reader: unheard(readerOf(this.#impl)) };
      }
      this.#use();
      return { __proto__: null, bytes: this.bytes, reader: unheard(this.#reader) };
    }

    /** Nobody else reads it: a stream that was asked for is locked. */
    #use() {
      this.#isTaken = true;
      if (this.#stream !== undefined) hold(this.#impl);
    }

    /** What reads it, instead of any stream. */
    takeReader() {
      this.#isTaken = true;
      return this.#reader ?? readerOver(this.bytes);
    }

    /** Another body with the same bytes. */
    clone() {
      const { isDecoded } = this, body = this.#cloned();
      if (isDecoded) {
        this.setDecoded();
        body.setDecoded();
      }
      return body;
    }

    #cloned() {
      if (this.bytes !== undefined) return new Body(this.bytes, undefined, undefined, this.#signal);
      const impl = readables.implOf(this.stream);
      const branches = impl.isBytes ? host.bytes.tee(impl) : host.tee(impl, host.structuredClone);
      for (let i = 0; i < 2; i++) follow(branches[i], this.#signal);
      this.#stream = readables.show(branches[0]);
      this.#reader = undefined;
      return new Body(undefined, undefined, readables.show(branches[1]), this.#signal);
    }

    /** The same body under another owner; this one is used up. */
    moved() {
      if (this.#stream !== undefined && this.bytes === undefined) {
        const reader = readerOf(this.#impl);
        this.#impl.isDisturbed = true;
        return new Body(undefined, reader);
      }
      this.#use();
      return new Body(this.bytes, this.#reader);
    }

    /** Nobody wants it any more, nor how its stream takes that. */
    cancel(reason) {
      if (this.#stream === undefined) unheard(this.#reader)?.cancel(reason);
      else if (this.#impl.reader === undefined) core.handled(this.#impl.cancel(reason));
    }
  }

  /** A reader whose end nobody hears of: a script's stream that has failed, or fails now, has told whom it concerns. */
  const unheard = (reader) => reader === undefined ? undefined : {
    __proto__: null,
    read: () => reader.read(),
    cancel(reason) { core.handled(core.resolved(reader.cancel(reason))); },
  };

  /** Reads a stream as native code is read. */
  const readerOf = (impl) => {
    const reader = new DefaultReader(impl);
    return {
      __proto__: null,
      read() {
        const request = new PromiseRequest();
        reader.read(request);
        return react(request.promise, ({ value, done }) => {
          if (done) return undefined;
          if (isView(value) && typeOf(value) === "Uint8Array") return new Bytes(value);
          throw new TypeError("A body's stream has a chunk that is no Uint8Array");
        });
      },
      cancel: (reason) => reader.cancel(reason),
    };
  };

  // --- What a script gives as a body ----------------------------------------------------------------------

  /** "Extract a body": `{ body, type }`, the type undefined where the value says none. */
  const extract = (value) => {
    const impl = readables.implOf(value);
    if (impl !== undefined) {
      if (impl.isDisturbed || impl.reader !== undefined) throw new TypeError("The stream of a body is locked or was read already");
      return { body: new Body(undefined, undefined, value), type: undefined };
    }
    if (isObject(value)) {
      const bytes = blob.bytesOf(value);
      if (bytes !== undefined) {
        const type = blob.typeOf(value);
        return { body: new Body(bytes), type: type === "" ? undefined : type };
      }
      const given = bytesIn(value, "A body");
      if (given !== undefined) return { body: new Body(given), type: undefined };
      if (forms.entriesOf(value) !== undefined) {
        const { bytes: written, boundary } = host.multipart.write(value);
        return { body: new Body(written), type: `multipart/form-data; boundary=${boundary}` };
      }
      const text = params.textOf(value);
      if (text !== undefined) {
        return { body: new Body(encodeUTF8(text)), type: "application/x-www-form-urlencoded;charset=UTF-8" };
      }
      if (typeof value[ASYNC] === "function") {
        return { body: new Body(undefined, undefined, readables.show(host.pipes.from(value))), type: undefined };
      }
    }
    return { body: new Body(encodeUTF8(wellFormed(`${value}`))), type: "text/plain;charset=UTF-8" };
  };

  // --- How a script reads one -----------------------------------------------------------------------------

  const formOf = (bytes, type) => {
    if (type?.essence === "multipart/form-data" && type.parameters.boundary !== undefined) {
      return host.multipart.read(bytes, type.parameters.boundary);
    }
    if (type?.essence === "application/x-www-form-urlencoded") return forms.fromList(params.listOfText(decodeUTF8(bytes, false)));
    throw new TypeError("formData: the Content-Type is neither multipart/form-data with a boundary nor urlencoded");
  };

  const CONVERT = {
    __proto__: null,
    arrayBuffer: (bytes) => bufferOf(lengthOf(bytes) === bufferLength(bufferOf(bytes)) ? bytes : new Bytes(bytes)),
    blob: (bytes, type) => blob.over(bytes, type === undefined ? "" : mimeTypes.serialize(type)),
    bytes: (bytes) => bytes,
    formData: formOf,
    json: (bytes) => parse(toText(bytes)),
    text: toText,
  };

  /** Reads an object's body in a form, as its methods do. */
  const consume = (object, form, bodyOf, typeOfObject) => {
    try {
      const body = bodyOf(object), convert = CONVERT[form];
      if (body === null) return turns.promise(convert(new Bytes(EMPTY), typeOfObject(object)), 0);
      if (body.isUnusable) return rejected(new TypeError(`${form}: the body was read already, or a reader has it`));
      const { failure } = body;
      if (failure !== undefined) return rejected(failure.error);
      const most = form === "text" || form === "json" || form === "formData" ? LONGEST_TEXT : LONGEST;
      return react(body.takeAll(most), (bytes) => convert(bytes, typeOfObject(object)));
    } catch (error) { return rejected(error); }
  };

  /** The methods and getters that Request and Response share; `bodyOf` throws for another object. */
  const mixIn = (prototype, bodyOf, typeOfObject) => {
    const members = {
      get body() { return bodyOf(this)?.stream ?? null; },
      get bodyUsed() { return bodyOf(this)?.isUsed ?? false; },
      arrayBuffer() { return consume(this, "arrayBuffer", bodyOf, typeOfObject); },
      blob() { return consume(this, "blob", bodyOf, typeOfObject); },
      bytes() { return consume(this, "bytes", bodyOf, typeOfObject); },
      formData() { return consume(this, "formData", bodyOf, typeOfObject); },
      json() { return consume(this, "json", bodyOf, typeOfObject); },
      text() { return consume(this, "text", bodyOf, typeOfObject); },
    };
    const descriptors = Object.getOwnPropertyDescriptors(members);
    for (const name in descriptors) Object.defineProperty(prototype, name, { __proto__: null, ...descriptors[name] });
  };

  return { Body, extract, mixIn };
})
