// SPDX-License-Identifier: MIT
// nbridge.http.serve: a handler that is given a Request and answers a Response. The sockets are the plugin `http`'s.
((host) => {
  "use strict";
  const { requests, responses, headers, bodies, pairs, texts, core } = host;
  const { lower } = texts;
  const { react, resolved, noop } = core;
  const { TypeError } = globalThis;
  const { apply } = Reflect;
  const { asyncDispose } = Symbol;
  const { error: logError } = globalThis.console;
  const PromiseOf = Promise, Bytes = Uint8Array;
  const EMPTY = new Bytes(0);

  const lowered = (given) => {
    const list = [];
    for (let i = 0; i < given.length; i += 2) pairs.append(list, lower(given[i]), given[i + 1]);
    return list;
  };

  /** Where a request goes, as its Host header says; `own` where it has none. */
  const addressOf = (target, list, own, scheme) => `${scheme}://${headers.combined(list, "host") ?? own}${target}`;

  const requestOf = ({ method, target, headers: given, body }, own, scheme) => {
    const list = lowered(given);
    const held = body === undefined || body === null ? null : new bodies.Body({ bytes: body });
    return requests.over(addressOf(target, list, own, scheme), method, list, held);
  };

  const failure = (status, text) => ({
    __proto__: null, status, statusText: "", list: ["content-type", "text/plain;charset=UTF-8"], body: text,
  });

  class Serving {
    #server;
    #handler;
    #own;
    #scheme;
    #onError;
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
      const { number } = event;
      let made;
      try {
        made = apply(this.#handler, undefined, [requestOf(event, this.#own, this.#scheme)]);
      } catch (error) { return this.#fail(number, error); }
      if (responses.isResponse(made)) return this.#answer(number, made);
      react(resolved(made), (response) => this.#answer(number, response), (error) => this.#fail(number, error));
    }

    #answer(number, response) {
      if (!responses.isResponse(response)) {
        return this.#fail(number, new TypeError("the handler of nbridge.http.serve must answer a Response, or a promise of one"));
      }
      const { type, status, statusText, list, body } = responses.partsOf(response);
      if (type === "error") return this.#fail(number, new TypeError("the handler answered Response.error()"));
      if (body === null) return this.#send(number, status, statusText, list, EMPTY);
      if (body.isUnusable) return this.#fail(number, new TypeError("the body of the Response was read already, or a reader has it"));
      const { bytes, reader } = body.forSending();
      if (reader === undefined) return this.#send(number, status, statusText, list, bytes);
      react(reader.read(), (first) => {
        if (first === undefined) return this.#send(number, status, statusText, list, EMPTY);
        this.#send(number, status, statusText, list, undefined);
        return this.#write(number, reader, first);
      }, (error) => this.#fail(number, error));
    }

    #send(number, status, reason, list, body) {
      react(this.#server.answer({ __proto__: null, number, status, reason, headers: list, body }), noop, noop);
    }

    /** One piece after the other, as the client takes them. */
    #write(number, reader, bytes) {
      const ended = (error) => {
        reader.cancel(error);
        react(this.#server.write({ __proto__: null, number, bytes: undefined }), noop, noop);
      };
      return react(this.#server.write({ __proto__: null, number, bytes }), () => {
        if (bytes === undefined) return undefined;
        return react(reader.read(), (next) => this.#write(number, reader, next), (error) => {
          this.#log(error);
          ended(error);
        });
      }, ended);
    }

    #fail(number, error) {
      const { status, statusText, list, body } = failure(500, "Internal Server Error\n");
      const send = () => this.#send(number, status, statusText, list, host.encodeUTF8(body));
      if (this.#onError === undefined) {
        this.#log(error);
        return send();
      }
      let made;
      try { made = apply(this.#onError, undefined, [error]); } catch (other) {
        this.#log(other);
        return send();
      }
      react(resolved(made), (response) => {
        if (responses.isResponse(response) && !response.bodyUsed) return this.#answer(number, response);
        this.#log(error);
        send();
      }, (other) => {
        this.#log(other);
        send();
      });
    }

    #log(error) { logError(error); }
  }

  /** What serve answers, once the server listens. */
  const serverOf = (listening, shown, scheme, handler, onError) => {
    const { server, port } = listening;
    const address = (shown.indexOf(":") < 0 ? shown : `[${shown}]`) + (port === (scheme === "https" ? 443 : 80) ? "" : `:${port}`);
    const finished = new Serving(server, handler, address, scheme, onError).start();
    const stop = () => react(server.stop(), () => react(finished, noop, noop));
    return { host: shown, port, url: `${scheme}://${address}/`, finished: react(finished, noop), stop, [asyncDispose]: stop };
  };

  return {
    start(option, handler, onError, control) {
      const scheme = option.cert === undefined ? "http" : "https";
      return react(host.listen(option, control), (listening) => serverOf(listening, option.host ?? "127.0.0.1", scheme, handler, onError));
    },
  };
})
