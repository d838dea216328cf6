// SPDX-License-Identifier: MIT
// WebSocket (WebSockets standard, 3): the connection is the plugin `http`'s.
((host) => {
  "use strict";
  const { URL, EventTarget, Event, ErrorEvent, MessageEvent, CloseEvent, blob, DOMException, signals, core, texts, encodeUTF8, hold } = host;
  const { addHandlers, create, finish, fire, isObject, need } = host.events;
  const { bytesIn } = host.bufferViews;
  const { TypeError } = globalThis;
  const { react, noop } = core;
  const { isToken, lower, wellFormed } = texts;
  const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf, setPrototypeOf } = Object;
  const { floor } = Math;
  const { apply } = Reflect;
  const { iterator: ITERATOR } = Symbol;
  const Bytes = Uint8Array;
  const uncurry = (method) => Function.prototype.call.bind(method);
  const { hrefOf, originOf, protocolOf, hashOf, setProtocol } = host.urls;
  const typed = getPrototypeOf(Bytes.prototype);
  const bufferOf = uncurry(getOwnPropertyDescriptor(typed, "buffer").get);
  const lengthOf = uncurry(getOwnPropertyDescriptor(typed, "byteLength").get);

  const CONNECTING = 0, OPEN = 1, CLOSING = 2, CLOSED = 3;

  const wrong = (text) => new DOMException(`WebSocket: ${text}`, "SyntaxError");

  const toAddress = (value) => {
    const text = wellFormed(`${value}`), base = host.baseURL();
    let url;
    try { url = new URL(text, base); } catch { throw wrong(`"${texts.concealed(text)}" is no URL`); }
    const protocol = protocolOf(url);
    if (protocol === "http:") setProtocol(url, "ws:");
    else if (protocol === "https:") setProtocol(url, "wss:");
    else if (protocol !== "ws:" && protocol !== "wss:") throw wrong(`the scheme ${protocol} is none of ws:, wss:, http: and https:`);
    if (hashOf(url) !== "" || hrefOf(url)[hrefOf(url).length - 1] === "#") throw wrong("the URL must not have a fragment");
    return url;
  };

  /** A list of protocols, or the one that a text is. */
  const toProtocols = (value) => {
    const list = [];
    const add = (item) => {
      const text = `${item}`;
      if (!isToken(text)) throw wrong(`"${text}" is no name of a protocol`);
      for (let i = 0; i < list.length; i++) if (lower(list[i]) === lower(text)) throw wrong(`the protocol "${text}" is given twice`);
      host.append(list, text);
    };
    if (value === undefined) return list;
    const method = isObject(value) ? value[ITERATOR] : undefined;
    if (typeof method !== "function") {
      add(value);
      return list;
    }
    const iterator = apply(method, value, []), { next } = iterator;
    for (;;) {
      const result = apply(next, iterator, []);
      if (result.done) return list;
      add(result.value);
    }
  };

  /** What is sent of a value: `{ text }` or `{ bytes }`, a copy, and how long it is. */
  const toMessage = (value) => {
    const bytes = (isObject(value) ? blob.bytesOf(value) : undefined) ?? bytesIn(value, "WebSocket.send");
    if (bytes !== undefined) return { option: { __proto__: null, bytes }, length: lengthOf(bytes) };
    const text = wellFormed(`${value}`);
    return { option: { __proto__: null, text }, length: lengthOf(encodeUTF8(text)) };
  };

  /** A number of 16 bits, the nearest one (Web IDL, 3.3.5, `[Clamp]`). */
  const clamped = (value) => {
    const number = +value;
    if (!(number > 0)) return 0;
    if (number >= 65535) return 65535;
    const whole = floor(number), rest = number - whole;
    return rest > 0.5 || (rest === 0.5 && whole % 2 === 1) ? whole + 1 : whole;
  };

  let isSocket, sockets;
  /** What only a server's half has: it makes the WebSocket of a client that it answers. */
  const ACCEPT = Symbol("accept");

  class WebSocket extends EventTarget {
    #url;
    #origin;
    #state = CONNECTING;
    #native = undefined;
    #protocol = "";
    #extensions = "";
    #binaryType = "blob";
    /** Bytes that a script sent, and those of them that the system took. */
    #given = 0;
    #taken = 0;
    #signal = signals.makeSignal();
    #end = undefined;

    static {
      isSocket = (value) => isObject(value) && #state in value;
      sockets = {
        /** One that opens when its client has the server's answer; what opens it, and what tells why it did not. */
        accepted(address) {
          const socket = new WebSocket(ACCEPT, address);
          return { socket, open: (answer) => socket.#open(answer), fail: (error) => socket.#fail(error) };
        },
      };
    }

    constructor(url, protocols = undefined) {
      super();
      if (url === ACCEPT) {
        setProtocol(protocols, protocolOf(protocols) === "https:" ? "wss:" : "ws:");
        this.#url = hrefOf(protocols);
        this.#origin = originOf(protocols);
        hold(1);
        return;
      }
      need(arguments.length, 1, "WebSocket");
      const address = toAddress(url);
      this.#url = hrefOf(address);
      this.#origin = originOf(address);
      const list = toProtocols(protocols);
      hold(1);
      const refusal = host.badPort(address);
      let call;
      try {
        if (refusal !== undefined) throw new TypeError(refusal);
        call = host.connect({ __proto__: null, url: this.#url, protocols: list }, { __proto__: null, signal: signals.forCall(this.#signal) });
      } catch (error) { call = core.rejected(error); }
      react(call, (answer) => this.#open(answer), (error) => this.#fail(error));
    }

    get url() { return this.#url; }
    get readyState() { return this.#state; }
    get bufferedAmount() { return this.#given - this.#taken; }
    get extensions() { return this.#extensions; }
    get protocol() { return this.#protocol; }
    get binaryType() { return this.#binaryType; }
    set binaryType(value) {
      const text = `${value}`;
      if (text === "blob" || text === "arraybuffer") this.#binaryType = text;
    }

    send(data) {
      const state = this.#state;
      need(arguments.length, 1, "WebSocket.send");
      if (state === CONNECTING) throw new DOMException("WebSocket.send: the connection is not open yet", "InvalidStateError");
      const { option, length } = toMessage(data);
      this.#given += length;
      if (this.#state !== OPEN) return;
      react(this.#native.send(option), noop, noop);
    }

    close(code = undefined, reason = undefined) {
      const state = this.#state;
      if (code !== undefined) {
        const number = clamped(code);
        if (number !== 1000 && !(number >= 3000 && number <= 4999)) {
          throw new DOMException(`WebSocket.close: the code ${code} is neither 1000 nor one of 3000 to 4999`, "InvalidAccessError");
        }
        code = number;
      }
      const text = reason === undefined ? "" : wellFormed(`${reason}`);
      if (lengthOf(encodeUTF8(text)) > 123) throw wrong("the reason has more than 123 bytes");
      if (state === CLOSING || state === CLOSED) return;
      this.#state = CLOSING;
      if (state === CONNECTING) return signals.abort(this.#signal, undefined);
      react(this.#native.end({ __proto__: null, code: code ?? (text === "" ? undefined : 1000), reason: text }), noop, noop);
    }

    #open(given) {
      const { socket, chosen, extensions } = setPrototypeOf(given, null);
      this.#native = socket;
      // Who closed it meanwhile is told as of a connection that failed.
      if (this.#state !== CONNECTING) return this.#fail(undefined);
      this.#state = OPEN;
      this.#protocol = chosen;
      this.#extensions = extensions;
      react(socket.events((event) => this.#take(event)), () => this.#closed(), () => this.#closed());
      fire(this, create(Event, "open"));
    }

    #take(given) {
      // What is not there is not in its prototype, either.
      const { text, bytes, sent, closing, end } = setPrototypeOf(given, null);
      if (end !== undefined && end !== null) this.#end = setPrototypeOf(end, null);
      else if (sent !== undefined && sent !== null) this.#taken = sent;
      else if (closing === true) this.#state = CLOSING;
      else if (this.#state === OPEN) this.#deliver(text ?? this.#binary(bytes));
    }

    #binary(bytes) { return this.#binaryType === "blob" ? blob.over(bytes, "") : bufferOf(bytes); }

    #deliver(data) { fire(this, create(MessageEvent, "message", { data, origin: this.#origin })); }

    #closed() {
      const { code, reason, isClean, failure } = this.#end ?? { __proto__: null, code: 1006, reason: "", isClean: false, failure: "" };
      this.#finish(code, reason, isClean, failure ?? undefined, undefined);
    }

    #fail(error) { this.#finish(1006, "", false, error?.message ?? "the connection was closed before it was open", error); }

    /** `problem` says why it broke; undefined where it did not. */
    #finish(code, reason, wasClean, problem, error) {
      if (this.#state === CLOSED) return;
      this.#state = CLOSED;
      hold(-1);
      if (this.#native !== undefined) react(this.#native.close(), noop, noop);
      if (problem !== undefined) fire(this, create(ErrorEvent, "error", { message: problem, error }));
      fire(this, create(CloseEvent, "close", { wasClean, code, reason }));
    }
  }
  addHandlers(WebSocket.prototype, ["open", "error", "close", "message"], (value) => {
    if (isSocket(value)) return value;
    throw new TypeError("this is not a WebSocket");
  });
  const STATES = { __proto__: null, CONNECTING, OPEN, CLOSING, CLOSED };
  for (const name in STATES) {
    const constant = { __proto__: null, value: STATES[name], enumerable: true };
    defineProperty(WebSocket, name, constant);
    defineProperty(WebSocket.prototype, name, constant);
  }
  finish(WebSocket, "WebSocket",
    ["url", "readyState", "bufferedAmount", "extensions", "protocol", "binaryType", "send", "close"]);
  host.showsFields(WebSocket, "WebSocket", ["url", "readyState", "protocol", "bufferedAmount", "binaryType"], isSocket);

  return { WebSocket, sockets };
})
