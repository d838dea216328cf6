// SPDX-License-Identifier: MIT
// nbridge.http.serve: a handler that is given a Request and answers a Response. The sockets are the plugin `http`'s.
((host) => {
  "use strict";
  const { URL, requests, responses, headers, bodies, pairs, texts, core, signals, Table } = host;
  const { lower, indexIn } = texts;
  const { react, resolved, noop } = core;
  const { TypeError } = globalThis;
  const { apply } = Reflect;
  const { asyncDispose } = Symbol;
  const { error: logError } = globalThis.console;
  const PromiseOf = Promise, Bytes = Uint8Array;
  const EMPTY = new Bytes(0);
  const hrefOf = Function.prototype.call.bind(Object.getOwnPropertyDescriptor(URL.prototype, "href").get);

  // What may stand in a Host header (RFC 3986, 3.2.2 and 3.2.3): neither a user's name nor a path.
  const HOST = { __proto__: null };
  const CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=%:[]";
  for (let i = 0; i < CHARACTERS.length; i++) HOST[CHARACTERS[i]] = true;

  const lowered = (given) => {
    const list = [];
    for (let i = 0; i < given.length; i += 2) pairs.append(list, lower(given[i]), given[i + 1]);
    return list;
  };

  /** Where a request goes, as its Host header says; `own` where it has none, null where that is no host. */
  const addressOf = (target, list, own, scheme) => {
    const named = headers.combined(list, "host") ?? own;
    for (let i = 0; i < named.length; i++) if (HOST[named[i]] === undefined) return null;
    const url = URL.parse(`${scheme}://${named}${target}`);
    return url === null ? null : hrefOf(url);
  };

  /** The Request that a client sent; null where it names no host that there can be. */
  const requestOf = ({ method, target, headers: given, body }, own, scheme, signal) => {
    const list = lowered(given), address = addressOf(target, list, own, scheme);
    if (address === null) return null;
    return requests.over(address, method, list, body === undefined || body === null ? null : new bodies.Body(body), signal);
  };

  const PLAIN = ["content-type", "text/plain;charset=UTF-8"];
  const EMPTY_ENTRY = { __proto__: null, signal: undefined, reader: undefined };

  class Serving {
    #server;
    #handler;
    #own;
    #scheme;
    #onError;
    /** What is under way by its number: the signal of its Request, and what reads its answer. */
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

    #take(event) {
      if (event.gone !== undefined && event.gone !== null) return this.#leave(event.gone);
      const { number } = event, signal = signals.makeSignal();
      const request = requestOf(event, this.#own, this.#scheme, signal);
      if (request === null) return this.#send(number, 400, "", PLAIN, host.encodeUTF8("Bad Request\n"));
      this.#open.set(number, { __proto__: null, signal, reader: undefined });
      let made;
      try {
        made = apply(this.#handler, undefined, [request]);
      } catch (error) { return this.#fail(number, error); }
      if (responses.isResponse(made)) return this.#answer(number, made);
      react(resolved(made), (response) => this.#answer(number, response), (error) => this.#fail(number, error));
    }

    /** The client has gone: nobody wants what is under way. */
    #leave(number) {
      const { signal, reader } = this.#open.get(number) ?? EMPTY_ENTRY;
      this.#open.delete(number);
      const reason = new TypeError("the client has gone before the answer was whole");
      if (signal !== undefined) signals.abort(signal, reason);
      reader?.cancel(reason);
    }

    /** `isLast`: what is wrong with this one is not told to `onError` again. */
    #answer(number, response, isLast = false) {
      const fail = (error) => isLast ? this.#giveUp(number, error) : this.#fail(number, error);
      if (!responses.isResponse(response)) {
        return fail( new TypeError("the handler of nbridge.http.serve must answer a Response, or a promise of one"));
      }
      const { type, status, statusText, list, body } = responses.partsOf(response);
      if (type === "error") return fail(new TypeError("the handler answered Response.error()"));
      if (body === null) return this.#send(number, status, statusText, list, EMPTY);
      if (body.isUnusable) return fail(new TypeError("the body of the Response was read already, or a reader has it"));
      const { bytes, reader } = body.forSending();
      if (reader === undefined) return this.#send(number, status, statusText, list, bytes);
      const entry = this.#open.get(number);
      if (entry === undefined) return reader.cancel(undefined);
      entry.reader = reader;
      react(reader.read(), (first) => {
        if (first === undefined) return this.#send(number, status, statusText, list, EMPTY);
        react(this.#server.answer({ __proto__: null, number, status, reason: statusText, headers: list }), noop, noop);
        this.#write(number, reader, first);
      }, fail);
    }

    #send(number, status, reason, list, body) {
      this.#open.delete(number);
      react(this.#server.answer({ __proto__: null, number, status, reason, headers: list, body }), noop, noop);
    }

    /** One piece after the other, as the client takes them. */
    #write(number, reader, bytes) {
      react(this.#server.write({ __proto__: null, number, bytes }), () => {
        if (bytes === undefined) return void this.#open.delete(number);
        react(reader.read(), (next) => this.#write(number, reader, next), (error) => {
          this.#open.delete(number);
          this.#log(error);
          // The client must not take the part that it has for all.
          react(this.#server.write({ __proto__: null, number, isCut: true }), noop, noop);
        });
      }, () => this.#leave(number));
    }

    #giveUp(number, error) {
      this.#log(error);
      this.#send(number, 500, "", PLAIN, host.encodeUTF8("Internal Server Error\n"));
    }

    #fail(number, error) {
      if (this.#onError === undefined) return this.#giveUp(number, error);
      let made;
      try { made = apply(this.#onError, undefined, [error]); } catch (other) { return this.#giveUp(number, other); }
      react(resolved(made), (response) => this.#answer(number, response, true), (other) => this.#giveUp(number, other));
    }

    #log(error) { logError(error); }
  }

  /** What serve answers, once the server listens. */
  const serverOf = (listening, shown, scheme, handler, onError) => {
    const { server, port } = listening;
    const address = (indexIn(shown, ":") < 0 ? shown : `[${shown}]`) + (port === (scheme === "https" ? 443 : 80) ? "" : `:${port}`);
    const finished = new Serving(server, handler, address, scheme, onError).start();
    const stop = () => new PromiseOf((resolve, reject) => {
      react(server.stop(), () => void react(finished, () => resolve(undefined), () => resolve(undefined)), reject);
    });
    return { host: shown, port, url: `${scheme}://${address}/`, finished: react(finished, noop), stop, [asyncDispose]: stop };
  };

  return {
    start(option, handler, onError, control) {
      const scheme = option.cert === undefined ? "http" : "https";
      return react(host.listen(option, control), (listening) => serverOf(listening, option.host ?? "127.0.0.1", scheme, handler, onError));
    },
  };
})
