// SPDX-License-Identifier: MIT
// EventSource (HTML standard, 9.2): a server's events over one answer that does not end, again when it has ended.
((host) => {
  "use strict";
  const { URL, EventTarget, Event, MessageEvent, signals, responses, start, headers, mimeTypes, delay, hold, core, texts } = host;
  const { decodeUTF8, encodeUTF8 } = host;
  const { addHandlers, create, finish, fire, isObject, need, toDictionary } = host.events;
  const { TypeError } = globalThis;
  const { fromCharCode } = String;
  const { error: logError } = host.console;
  const { react } = core;
  const { slice, indexIn, unitAt } = texts;
  const { defineProperty, getOwnPropertyDescriptor } = Object;
  const uncurry = (method) => Function.prototype.call.bind(method);
  const { hrefOf, originOf } = host.urls;
  const { copyBytes, partsOf } = host.bufferViews;
  const Bytes = Uint8Array, Buffer = ArrayBuffer;

  const CONNECTING = 0, OPEN = 1, CLOSED = 2;
  /** How long to wait before it connects again, in milliseconds, where the server says nothing. */
  const USUAL_WAIT = 3000;
  /** A line or an event's data longer than this do not end: the answer is given up. In bytes; in UTF-16 units. */
  const LONGEST = 64 << 20;

  // --- The stream (9.2.6) ---------------------------------------------------------------------------------

  /** Cuts bytes into lines, at CR LF, LF or CR, and lines into events. */
  class Parser {
    /** The beginning of a line, `#kept` of `#size` bytes, in room that grows by as much again: lines may come in very small pieces. */
    #room = new Buffer(0);
    #size = 0;
    #kept = 0;
    #skipsLF = false;
    #isFirst = true;
    #data = "";
    #hasData = false;
    #type = "";
    #id;
    #dispatch;
    #retry;

    constructor(id, dispatch, retry) {
      this.#id = id;
      this.#dispatch = dispatch;
      this.#retry = retry;
    }

    feed(chunk) {
      const { buffer, byteOffset, byteLength } = partsOf(chunk);
      let start = 0;
      for (let at = 0; at < byteLength; at++) {
        const byte = chunk[at];
        if (byte === 0x0A && this.#skipsLF) {
          this.#skipsLF = false;
          start = at + 1;
          continue;
        }
        this.#skipsLF = false;
        if (byte !== 0x0A && byte !== 0x0D) continue;
        this.#keep(buffer, byteOffset + start, at - start);
        this.#line(new Bytes(this.#room, 0, this.#kept));
        this.#kept = 0;
        this.#skipsLF = byte === 0x0D;
        start = at + 1;
      }
      this.#keep(buffer, byteOffset + start, byteLength - start);
      if (this.#kept > LONGEST) throw new TypeError("EventSource: a line of the server's does not end");
      if (this.#kept === 0) this.#makeRoom(0);
    }

    #makeRoom(size) {
      const room = new Buffer(size);
      copyBytes(room, 0, this.#room, 0, this.#kept);
      this.#room = room;
      this.#size = size;
    }

    #keep(buffer, offset, count) {
      const needed = this.#kept + count;
      if (needed > this.#size) this.#makeRoom(needed > 2 * this.#size ? needed : 2 * this.#size);
      copyBytes(this.#room, this.#kept, buffer, offset, count);
      this.#kept = needed;
    }

    #line(bytes) {
      let line = decodeUTF8(bytes, false);
      if (this.#isFirst && unitAt(line, 0) === 0xFEFF) line = slice(line, 1, line.length);
      this.#isFirst = false;
      if (line === "") return this.#end();
      const colon = indexIn(line, ":");
      if (colon === 0) return;
      const field = colon < 0 ? line : slice(line, 0, colon);
      let value = colon < 0 ? "" : slice(line, colon + 1, line.length);
      if (value[0] === " ") value = slice(value, 1, value.length);
      this.#field(field, value);
    }

    #field(field, value) {
      if (field === "event") this.#type = value;
      else if (field === "data") {
        this.#data += this.#hasData ? `\n${value}` : value;
        if (this.#data.length > LONGEST) throw new TypeError("EventSource: an event of the server's does not end");
        this.#hasData = true;
      } else if (field === "id" && indexIn(value, "\0") < 0) this.#id = value;
      else if (field === "retry") {
        let number = value === "" ? -1 : 0;
        for (let i = 0; i < value.length && number >= 0; i++) {
          const unit = unitAt(value, i) - 0x30;
          number = unit >= 0 && unit <= 9 ? number * 10 + unit : -1;
        }
        if (number >= 0) this.#retry(number);
      }
    }

    #end() {
      const type = this.#type === "" ? "message" : this.#type, data = this.#data, had = this.#hasData;
      this.#data = this.#type = "";
      this.#hasData = false;
      this.#dispatch(had ? type : undefined, data, this.#id);
    }
  }

  /** Text in UTF-8, as characters that are its bytes. */
  const asBytes = (text) => {
    const bytes = encodeUTF8(text), { byteLength } = partsOf(bytes);
    let out = "";
    for (let i = 0; i < byteLength; i++) out += fromCharCode(bytes[i]);
    return out;
  };

  // --- EventSource ----------------------------------------------------------------------------------------

  const toAddress = (value) => {
    const text = `${value}`, base = host.baseURL();
    try { return new URL(text, base === undefined ? undefined : base); } catch {
      throw new host.DOMException(`EventSource: "${texts.concealed(text)}" is no URL`, "SyntaxError");
    }
  };

  let isSource;

  class EventSource extends EventTarget {
    #url;
    #origin;
    #withCredentials;
    #state = CONNECTING;
    #lastEventId = "";
    #wait = USUAL_WAIT;
    #reader = undefined;
    #signal = undefined;

    constructor(url, init = undefined) {
      super();
      need(arguments.length, 1, "EventSource");
      const address = toAddress(url);
      this.#url = hrefOf(address);
      this.#origin = originOf(address);
      this.#withCredentials = !!toDictionary(init, "EventSource").withCredentials;
      hold(1);
      this.#connect();
    }

    get url() { return this.#url; }
    get withCredentials() { return this.#withCredentials; }
    get readyState() { return this.#state; }

    close() {
      if (this.#state === CLOSED) return;
      this.#state = CLOSED;
      hold(-1);
      if (this.#signal !== undefined) signals.abort(this.#signal, undefined);
      this.#reader?.cancel(undefined);
    }

    #connect() {
      const list = ["accept", "text/event-stream", "cache-control", "no-store"];
      if (this.#lastEventId !== "") {
        host.pairs.append(list, "last-event-id", asBytes(this.#lastEventId));
      }
      this.#signal = signals.makeSignal();
      react(start(this.#url, list, this.#signal), (response) => this.#open(response), (error) => this.#refused(error));
    }

    #open(response) {
      if (this.#state === CLOSED) return;
      const { status, list, body, url } = responses.partsOf(response);
      this.#origin = originOf(new URL(url));
      const type = mimeTypes.extract(headers.combined(list, "content-type"));
      if (status !== 200 || type?.essence !== "text/event-stream") return this.#fail(body);
      this.#state = OPEN;
      fire(this, create(Event, "open"));
      const parser = new Parser(this.#lastEventId, (name, data, id) => this.#event(name, data, id), (wait) => { this.#wait = wait; });
      this.#reader = body === null ? undefined : body.takeReader();
      this.#read(parser);
    }

    #read(parser) {
      if (this.#state !== OPEN) return;
      if (this.#reader === undefined) return void this.#again();
      react(this.#reader.read(), (bytes) => {
        if (this.#state !== OPEN) return;
        if (bytes === undefined) return this.#again();
        try { parser.feed(bytes); } catch { return this.#fail(undefined); }
        this.#read(parser);
      }, () => this.#again());
    }

    #event(name, data, id) {
      this.#lastEventId = id;
      if (name === undefined || this.#state === CLOSED) return;
      fire(this, create(MessageEvent, name, { data, origin: this.#origin, lastEventId: id }));
    }

    /** What another try can't mend ends it: a permission, a certificate, a library, an address. */
    #refused(error) {
      const code = error?.cause?.code;
      if (code === "io_error" || code === "timeout" || code === "invalid_data" || this.#state === CLOSED) return this.#again();
      logError(error);
      this.#fail(undefined);
    }

    /** "Reestablish the connection". */
    #again() {
      if (this.#state === CLOSED) return;
      this.#reader = undefined;
      this.#state = CONNECTING;
      fire(this, create(Event, "error"));
      if (this.#state !== CONNECTING) return;
      delay(this.#wait, () => { if (this.#state === CONNECTING) this.#connect(); });
    }

    #fail(body) {
      if (this.#state === CLOSED) return;
      this.#state = CLOSED;
      hold(-1);
      body?.cancel(undefined);
      this.#reader?.cancel(undefined);
      fire(this, create(Event, "error"));
    }

    static { isSource = (value) => isObject(value) && #state in value; }
  }
  addHandlers(EventSource.prototype, ["open", "message", "error"], (value) => {
    if (isSource(value)) return value;
    throw new TypeError("this is not an EventSource");
  });
  for (const [name, value] of [["CONNECTING", CONNECTING], ["OPEN", OPEN], ["CLOSED", CLOSED]]) {
    for (const object of [EventSource, EventSource.prototype]) defineProperty(object, name, { __proto__: null, value, enumerable: true });
  }
  finish(EventSource, "EventSource", ["url", "withCredentials", "readyState", "close"]);
  host.showsFields(EventSource, "EventSource", ["url", "readyState", "withCredentials"], isSource);

  return { EventSource };
})
