// SPDX-License-Identifier: MIT
// nbridge.http.serve: a handler that is given a Request and answers a Response. The sockets are the plugin `http`'s.
((host) => {
  "use strict";
  const { requests, responses, headers, bodies, pairs, texts, core, signals, Table } = host;
  const { lower, indexIn, slice, unitAt } = texts;
  const { react, resolved, noop } = core;
  const { TypeError } = globalThis;
  const { apply } = Reflect;
  const { asyncDispose } = Symbol;
  const { setPrototypeOf } = Object;
  const { error: logError } = host.console;
  const PromiseOf = Promise, Bytes = Uint8Array;
  const EMPTY = new Bytes(0);
  const { hrefOf, parse: parseURL } = host.urls;

  // What may stand in a Host header (RFC 3986, 3.2.2 and 3.2.3): neither a user's name nor a path.
  const HOST = { __proto__: null };
  const CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=%:[]";
  for (let i = 0; i < CHARACTERS.length; i++) HOST[CHARACTERS[i]] = true;

  /** What a handler answered that is no Response. */
  const described = (value) => {
    if (value === null || value === undefined) return `${value}`;
    const kind = typeof value;
    if (kind === "string") return "a string: new Response(text) makes one of it";
    return kind === "object" ? "another object" : `a ${kind}`;
  };

  /** Whether every character of a host may stand there. */
  const isHost = (named) => {
    for (let i = 0; i < named.length; i++) if (HOST[named[i]] === undefined) return false;
    return true;
  };

  // What a URL's path and query have as it is (URL standard, 1.3 and 4.4): neither what is escaped, nor what means
  // something else there.
  const PLAIN_UNITS = new Bytes(128);
  const PLAIN_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&()*+,;=:@/?";
  for (let i = 0; i < PLAIN_CHARACTERS.length; i++) PLAIN_UNITS[unitAt(PLAIN_CHARACTERS, i)] = 1;
  const SLASH = 0x2F, DOT = 0x2E;

  /** Whether a URL has a target as it came: its path has no `.` and `..` to be resolved. */
  const isPlain = (target) => {
    let last = 0;
    for (let i = 0; i < target.length; i++) {
      const unit = unitAt(target, i);
      if (PLAIN_UNITS[unit] !== 1 || (unit === DOT && last === SLASH)) return false;
      last = unit;
    }
    return target[0] === "/";
  };

  /** What reads a body while it comes. */
  const readerOf = (server, number) => ({
    __proto__: null,
    read: () => react(server.read({ __proto__: null, number }), (bytes) => bytes ?? undefined),
    cancel: () => void react(server.drop({ __proto__: null, number }), noop, noop),
  });

  const bodyOf = ({ number, body, isComing }, server) => {
    if (isComing) return new bodies.Body(undefined, readerOf(server, number));
    return body === undefined || body === null ? null : new bodies.Body(body);
  };

  class WeakTable extends WeakMap {
    // The one that is there without asks the iterator of arrays.
    constructor() { super(); }
  }
  for (const name of ["get", "set"]) {
    Object.defineProperty(WeakTable.prototype, name, { __proto__: null, value: WeakMap.prototype[name] });
  }
  /** What is under way, by the Response that makes a WebSocket of it. */
  const switching = new WeakTable();

  /** Whether a list of words (RFC 9110, 5.6.1) has one. */
  const hasWord = (words, wanted) => {
    const text = `${words},`;
    let word = "";
    for (let i = 0; i < text.length; i++) {
      if (text[i] === ",") {
        if (word === wanted) return true;
        word = "";
      } else if (text[i] !== " " && text[i] !== "\t") word += text[i];
    }
    return false;
  };

  const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

  /** Whether a text is 16 bytes in base64, as a client's key is. */
  const isKey = (text) => {
    if (text.length !== 24) return false;
    for (let i = 0; i < 22; i++) if (indexIn(BASE64, text[i]) < 0) return false;
    return text[22] === "=" && text[23] === "=";
  };

  /** Why a request asks for no WebSocket (RFC 6455, 4.2.1); undefined where it does. */
  const whyNoHandshake = ({ method, list }) => {
    if (method !== "GET") return `its method is ${method}, not GET`;
    const header = (name) => headers.combined(list, name) ?? "";
    if (!hasWord(lower(header("connection")), "upgrade")) return "its header Connection does not say upgrade";
    if (!hasWord(lower(header("upgrade")), "websocket")) return "its header Upgrade does not say websocket";
    if (header("sec-websocket-version") !== "13") return "its header Sec-WebSocket-Version is not 13";
    if (!isKey(header("sec-websocket-key"))) return "its header Sec-WebSocket-Key is not one of 16 bytes in base64";
    return undefined;
  };

  /** A list of names and values without those of a name. */
  const without = (list, name) => {
    const kept = [];
    for (let i = 0; i < list.length; i += 2) if (lower(list[i]) !== name) pairs.append(kept, list[i], list[i + 1]);
    return kept;
  };

  /** The length that a handler says of a body; undefined for none. */
  const lengthIn = (list) => {
    const text = headers.combined(list, "content-length") ?? "";
    if (text === "" || text.length > 15) return undefined;
    for (let i = 0; i < text.length; i++) if (indexIn("0123456789", text[i]) < 0) return undefined;
    return +text;
  };

  const PLAIN = ["content-type", "text/plain;charset=UTF-8"];

  class Serving {
    #server;
    #handler;
    #own;
    #scheme;
    #onError;
    /** The host that the last request named, and the beginning of its address: most of them name the same. */
    #host = undefined;
    #origin = "";
    /** What is under way by its number: its Request, and what reads its answer. */
    #open = new Table();

    constructor(server, handler, own, scheme, onError) {
      this.#server = server;
      this.#handler = handler;
      this.#own = own;
      this.#scheme = scheme;
      this.#onError = onError;
    }

    /** A promise of the server's end. */
    start() { return this.#server.requests((event) => this.#take(event)); }

    #take(given) {
      // What is not there is not in its prototype, either.
      const event = setPrototypeOf(given, null);
      if (event.gone !== undefined && event.gone !== null) return this.#leave(event.gone);
      const { number, method, headers: list } = event, address = this.#addressOf(event.target, list);
      if (address === null) return this.#send(number, 400, "", PLAIN, host.encodeUTF8("Bad Request\n"));
      const entry = { __proto__: null, number, request: undefined, reader: undefined, waiting: undefined, chosen: undefined, isOver: false };
      const request = requests.over(address, method, list, bodyOf(event, this.#server), entry);
      entry.request = requests.partsOf(request);
      this.#open.set(number, entry);
      let made;
      try {
        made = apply(this.#handler, undefined, [request]);
      } catch (error) { return this.#fail(number, error); }
      if (responses.isResponse(made)) return this.#answer(number, made);
      react(resolved(made), (response) => this.#answer(number, response), (error) => this.#fail(number, error));
    }

    /** Where a request goes, as its Host header says; null where that is no host. */
    #addressOf(target, list) {
      const named = headers.combined(list, "host") ?? this.#own;
      if (named !== this.#host) {
        const origin = isHost(named) ? parseURL(`${this.#scheme}://${named}/`) : null;
        if (origin === null) return null;
        this.#host = named;
        this.#origin = slice(hrefOf(origin), 0, -1);
      }
      if (isPlain(target)) return this.#origin + target;
      const url = parseURL(`${this.#scheme}://${named}${target}`);
      return url === null ? null : hrefOf(url);
    }

    /** The client has gone: nobody wants what is under way. */
    #leave(number) {
      const entry = this.#open.get(number);
      if (entry === undefined) return;
      const reason = new TypeError("the client has gone before the answer was whole");
      this.#close(number, reason);
      signals.abort(requests.signalOf(entry.request), reason);
      entry.reader?.cancel(reason);
    }

    /** `isLast`: what is wrong with this one is not told to `onError` again. Whatever happens, there is an answer. */
    #answer(number, response, isLast = false) {
      try { this.#answerWith(number, response, isLast); } catch (error) { this.#giveUp(number, error); }
    }

    #answerWith(number, response, isLast) {
      const fail = (error) => isLast ? this.#giveUp(number, error) : this.#fail(number, error);
      if (!responses.isResponse(response)) {
        return fail(new TypeError(`the handler of nbridge.http.serve must answer a Response, or a promise of one, not ${described(response)}`));
      }
      const entry = switching.get(response);
      if (entry !== undefined) {
        if (entry === this.#open.get(number)) return this.#switch(entry);
        return fail(new TypeError("the handler answered with a WebSocket of another request, or of one that was answered"));
      }
      const { type, status, statusText, list: given, body } = responses.partsOf(response);
      if (status === 101) return fail(new TypeError("the handler answered with a copy of a WebSocket's Response: only that itself opens it"));
      if (type === "error") return fail(new TypeError("the handler answered Response.error()"));
      const isHead = this.#open.get(number)?.request.method === "HEAD";
      if (body === null) {
        return isHead ? this.#sendHead(number, status, statusText, given) : this.#send(number, status, statusText, given, EMPTY);
      }
      const list = body.isDecoded ? without(given, "content-encoding") : given;
      if (body.isUnusable) return fail(new TypeError("the body of the Response was read already, or a reader has it"));
      const { bytes, reader } = body.forSending();
      if (reader === undefined) return this.#send(number, status, statusText, list, bytes);
      const under = this.#open.get(number);
      if (under === undefined) return reader.cancel(undefined);
      if (isHead) {
        reader.cancel(undefined);
        return this.#sendHead(number, status, statusText, list);
      }
      under.reader = reader;
      react(reader.read(), (first) => {
        if (first === undefined) return this.#send(number, status, statusText, list, EMPTY);
        react(this.#server.answer({ __proto__: null, number, status, reason: statusText, headers: list }), noop, this.#refused(number));
        this.#write(number, reader, first);
      }, fail);
    }

    /** The request is answered by a WebSocket. */
    #switch(entry) {
      const { number, waiting, chosen } = entry;
      entry.waiting = undefined;
      this.#close(number, undefined);
      react(this.#server.upgrade({ __proto__: null, number, chosen }), waiting.open, waiting.fail);
    }

    /** Nothing is under way any more; a WebSocket that waits for this answer will not be open. */
    #close(number, reason) {
      const entry = this.#open.get(number);
      if (entry === undefined) return;
      this.#open.delete(number);
      entry.isOver = true;
      entry.waiting?.fail(reason ?? new TypeError("the handler gave the request another answer than the WebSocket's"));
    }

    #send(number, status, reason, list, body, isFailure) {
      this.#close(number, undefined);
      react(this.#server.answer({ __proto__: null, number, status, reason, headers: list, body, isFailure }), noop, this.#refused(number));
    }

    /** The bridge does not take an answer: the client gets one that has nothing for it to refuse. */
    #refused(number) {
      return (error) => {
        this.#log(error);
        react(this.#server.answer({ __proto__: null, number, status: 500, reason: "", headers: [] }), noop, noop);
        react(this.#server.write({ __proto__: null, number }), noop, noop);
      };
    }

    /** The answer to HEAD has no body, and says how long that of GET were where the handler does (RFC 9110, 8.6). */
    #sendHead(number, status, reason, list) {
      this.#close(number, undefined);
      const answer = { __proto__: null, number, status, reason, headers: list, length: lengthIn(list) };
      react(this.#server.answer(answer), noop, this.#refused(number));
      react(this.#server.write({ __proto__: null, number }), noop, noop);
    }

    /** One piece after the other, as the client takes them. */
    #write(number, reader, bytes) {
      react(this.#server.write({ __proto__: null, number, bytes }), () => {
        if (bytes === undefined) return this.#close(number, undefined);
        react(reader.read(), (next) => this.#write(number, reader, next), (error) => {
          this.#close(number, error);
          this.#log(error);
          // The client must not take the part that it has for all.
          react(this.#server.write({ __proto__: null, number, isCut: true }), noop, noop);
        });
      }, () => this.#leave(number));
    }

    #giveUp(number, error) {
      this.#log(error);
      this.#send(number, 500, "", PLAIN, host.encodeUTF8("Internal Server Error\n"), true);
    }

    #fail(number, error) {
      if (this.#onError === undefined) return this.#giveUp(number, error);
      let made;
      try { made = apply(this.#onError, undefined, [error]); } catch (other) { return this.#giveUp(number, other); }
      react(resolved(made), (response) => this.#answer(number, response, true), (other) => this.#giveUp(number, other));
    }

    #log(error) { logError(error); }
  }

  /** A WebSocket for the client of a request, and the Response that opens it. */
  const upgrade = (request, protocol, invalid) => {
    const entry = requests.isRequest(request) ? requests.partsOf(request).served : undefined;
    if (entry === undefined) throw invalid("upgrade takes a Request that a server of this program was given");
    if (entry.isOver) throw invalid("the request was answered already, or its client has gone");
    if (entry.waiting !== undefined) throw invalid("the request was upgraded already");
    const { url, list } = entry.request, reason = whyNoHandshake(entry.request);
    if (reason !== undefined) throw invalid(`the request asks for no WebSocket: ${reason}; answer it with the status 426`);
    if (protocol !== undefined && !hasWord(headers.combined(list, "sec-websocket-protocol") ?? "", protocol)) {
      throw invalid(`option.protocol: the client does not name '${protocol}' in its header Sec-WebSocket-Protocol`);
    }
    const response = responses.make({ __proto__: null, type: "default", url: "", isRedirected: false, status: 101,
      statusText: "Switching Protocols", list: [], body: null, isImmutable: true });
    entry.waiting = host.sockets.accepted(parseURL(url));
    entry.chosen = protocol;
    switching.set(response, entry);
    return { socket: entry.waiting.socket, response };
  };

  /** What serve answers, once the server listens. */
  const serverOf = (listening, { unix, host: given }, scheme, handler, onError) => {
    const { server, port } = listening, shown = unix === undefined ? given ?? "127.0.0.1" : "localhost";
    const address = (indexIn(shown, ":") < 0 ? shown : `[${shown}]`) + (port === 0 || port === (scheme === "https" ? 443 : 80) ? "" : `:${port}`);
    const finished = new Serving(server, handler, address, scheme, onError).start();
    const stop = () => new PromiseOf((resolve, reject) => {
      react(server.stop(), () => void react(finished, () => resolve(undefined), () => resolve(undefined)), reject);
    });
    const place = unix === undefined ? { host: shown, port, url: `${scheme}://${address}/` } : { unix };
    return { ...place, finished: react(finished, noop), stop, [asyncDispose]: stop };
  };

  return {
    upgrade,
    start(option, handler, onError, control) {
      const scheme = option.cert === undefined ? "http" : "https";
      return react(host.listen(option, control), (listening) => serverOf(listening, option, scheme, handler, onError));
    },
  };
})
