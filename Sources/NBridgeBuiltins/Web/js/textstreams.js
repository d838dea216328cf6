// SPDX-License-Identifier: MIT
// TextEncoderStream and TextDecoderStream (Encoding standard, 7.5 and 7.6).
((host) => {
  "use strict";
  const { TextDecoder, encodeUTF8, transforms, core } = host;
  const { TypeError } = globalThis;
  const { finish, requireDictionary, uncurry } = core;
  const { getOwnPropertyDescriptor, getPrototypeOf } = Object;
  const { decode, encodingOf, isFatal, ignoresBOM } = host.decoding;
  const getterOf = (type, name) => uncurry(getOwnPropertyDescriptor(type.prototype, name).get);
  const byteLength = getterOf(getPrototypeOf(Uint8Array), "byteLength");
  const unitAt = uncurry(String.prototype.charCodeAt);
  const slice = uncurry(String.prototype.slice);
  const toWellFormed = uncurry(String.prototype.toWellFormed);

  const isLead = (unit) => unit >= 0xD800 && unit <= 0xDBFF;

  class TextEncoderStream {
    #pair;
    #lead = "";

    constructor() {
      this.#pair = transforms.create(
        (chunk, stream) => this.#encode(`${chunk}`, stream),
        (stream) => enqueueBytes(this.#lead, stream),
      );
    }

    /** Keeps a lead surrogate at the end for the next chunk, which may begin with what completes it. */
    #encode(chunk, stream) {
      if (chunk === "") return;
      const text = this.#lead + chunk;
      const end = text.length - 1;
      const last = unitAt(text, end);
      this.#lead = isLead(last) ? text[end] : "";
      enqueueBytes(isLead(last) ? slice(text, 0, end) : text, stream);
    }

    get encoding() {
      this.#pair; // Throws if this is another thing.
      return "utf-8";
    }

    get readable() { return this.#pair.readable; }
    get writable() { return this.#pair.writable; }
  }
  finish(TextEncoderStream, "TextEncoderStream", ["encoding", "readable", "writable"]);

  const enqueueBytes = (text, stream) => {
    if (text === "") return;
    const bytes = encodeUTF8(toWellFormed(text));
    if (byteLength(bytes) > 0) stream.enqueue(bytes);
  };

  const enqueueText = (text, stream) => { if (text !== "") stream.enqueue(text); };

  class TextDecoderStream {
    #pair;
    #decoder;

    constructor(label = "utf-8", options = undefined) {
      const name = `${label}`;
      requireDictionary(options, "TextDecoderStream: the options");
      const fatal = !!options?.fatal;
      const ignoreBOM = !!options?.ignoreBOM;
      const decoder = this.#decoder = new TextDecoder(name, { __proto__: null, fatal, ignoreBOM });
      this.#pair = transforms.create((chunk, stream) => {
        if (chunk === undefined) throw new TypeError("TextDecoderStream decodes only buffers and views");
        enqueueText(decode(decoder, chunk, STREAM), stream);
      }, (stream) => enqueueText(decode(decoder, undefined, END), stream));
    }

    get encoding() { return encodingOf(this.#decoder); }
    get fatal() { return isFatal(this.#decoder); }
    get ignoreBOM() { return ignoresBOM(this.#decoder); }
    get readable() { return this.#pair.readable; }
    get writable() { return this.#pair.writable; }
  }
  finish(TextDecoderStream, "TextDecoderStream", ["encoding", "fatal", "ignoreBOM", "readable", "writable"]);

  const STREAM = { __proto__: null, stream: true };
  const END = { __proto__: null, stream: false };

  return { TextEncoderStream, TextDecoderStream };
})
