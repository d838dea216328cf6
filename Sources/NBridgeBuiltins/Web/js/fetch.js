// SPDX-License-Identifier: MIT
// fetch (Fetch standard, 4 and 5.6): one request after the other, as servers lead on; the requests themselves are the plugin
// `http`'s. There are no cookies, no cache and no origin to keep apart from others here.
((host) => {
  "use strict";
  const { Request, URL, requests, responses, bodies, headers, pairs, texts, signals, core, version } = host;
  const { lower, indexIn, slice, unitAt } = texts;
  const hexOf = (number) => "0123456789ABCDEF"[number];
  const { react, rejected, resolved, noop } = core;
  const { TypeError } = globalThis;
  const { asyncIterator: ASYNC } = Symbol;
  const PromiseOf = Promise, Bytes = Uint8Array;
  const { hrefOf, originOf, protocolOf, hashOf, usernameOf, passwordOf, parse: parseURL } = host.urls;
  const EMPTY = new Bytes(0);
  const MOST_REDIRECTS = 20;

  const failed = (reason, cause) => new TypeError(`fetch failed: ${reason}`, cause === undefined ? undefined : { __proto__: null, cause });

  const withoutFragment = (url) => {
    const at = indexIn(url, "#");
    return at < 0 ? url : slice(url, 0, at);
  };

  // --- What is sent ---------------------------------------------------------------------------------------

  const CACHING = { __proto__: null, "no-cache": "max-age=0", "no-store": "no-cache", reload: "no-cache" };

  /** The script's headers, each name once and as it was written (Fetch standard, 2.2.2, "combine"). */
  const combined = (list) => {
    const sent = [];
    for (let i = 0; i < list.length; i += 2) {
      const name = list[i];
      if (pairs.indexOf(list, name) !== i) continue;
      // RFC 6265, 5.4.
      const value = headers.combined(list, name, name === "cookie" ? "; " : ", ");
      pairs.append(sent, pairs.spelled(list, name), value);
    }
    return sent;
  };

  /** The headers that go out: the script's, and what it did not say. */
  const headersOf = ({ list, cache }) => {
    const sent = combined(list);
    const add = (name, value) => { if (pairs.indexOf(list, name) < 0) pairs.append(sent, name, value); };
    add("accept", "*/*");
    add("accept-language", "*");
    add("user-agent", `nbridge/${version}`);
    if (CACHING[cache] !== undefined) add("cache-control", CACHING[cache]);
    if (CACHING[cache] === "no-cache") add("pragma", "no-cache");
    // A part of what is compressed can't be decompressed.
    add("accept-encoding", pairs.indexOf(list, "range") < 0 ? "gzip, deflate, br, zstd" : "identity");
    return sent;
  };

  /** What reads a body, as the bridge hands over streams. */
  const streamOf = (reader) => {
    const iterator = {
      __proto__: null,
      next: () => react(reader.read(), (value) => ({ __proto__: null, value, done: value === undefined })),
      return: () => {
        reader.cancel(undefined);
        return resolved({ __proto__: null, value: undefined, done: true });
      },
    };
    return { __proto__: null, [ASYNC]: () => iterator };
  };

  const needsBody = (method) => method === "POST" || method === "PUT" || method === "PATCH";

  // --- What comes back ------------------------------------------------------------------------------------

  /** Reads the rest of an answer; `done` is called at its end. */
  const readerOf = ({ body, rest }, done) => {
    let first = body, failure;
    const end = (reason) => {
      failure ??= reason;
      done();
      // A read that waits has the object, and keeps it from being closed.
      react(rest.cancel(), noop, noop);
      react(rest.close(), noop, noop);
    };
    return {
      __proto__: null,
      get failure() { return failure; },
      // Who has the stream hears of its end, and of what breaks it, before all is read.
      ahead: 65536,
      read() {
        if (failure !== undefined) return rejected(failure.error);
        if (first !== undefined) {
          const bytes = first;
          first = undefined;
          return resolved(bytes);
        }
        return react(rest.read(), (bytes) => {
          if (bytes !== null) return bytes;
          end({ error: undefined });
          failure = undefined;
          return undefined;
        }, (error) => {
          end({ error: failed(error?.message, error) });
          throw failure.error;
        });
      },
      cancel() { end({ error: failed("the body was cancelled") }); },
      fail(error) { end({ error }); },
    };
  };

  const hasNoBody = (status) => status === 101 || status === 204 || status === 205 || status === 304;

  const lowered = (given) => {
    const list = [];
    for (let i = 0; i < given.length; i += 2) pairs.append(list, lower(given[i]), given[i + 1]);
    return list;
  };

  // --- One fetch ------------------------------------------------------------------------------------------

  /** Headers that tell of a body that is not sent on. */
  const OF_BODY = ["content-encoding", "content-language", "content-location", "content-type", "content-length"];
  /** Headers that are for one server only. */
  const OF_SERVER = ["authorization", "proxy-authorization", "cookie", "host"];

  /** Bytes of UTF-8, of which each is a character here, as a URL has them. */
  const escaped = (text) => {
    let made = "";
    for (let i = 0; i < text.length; i++) {
      const unit = unitAt(text, i);
      made += unit < 0x80 ? text[i] : `%${hexOf(unit >> 4)}${hexOf(unit & 15)}`;
    }
    return made;
  };

  const leadsOn = (status) => status === 301 || status === 302 || status === 303 || status === 307 || status === 308;

  class Fetching {
    #state;
    #resolve;
    #reject;
    #abort = undefined;
    /** What of the answer a script reads, once there is one. */
    #reader = undefined;
    #redirects = 0;
    #payload;

    constructor(state, resolve, reject) {
      this.#state = state;
      this.#resolve = resolve;
      this.#reject = reject;
    }

    start() {
      const { signal, body } = this.#state;
      if (signal !== undefined) {
        this.#abort = () => this.#stop(signals.reason(signal));
        signals.addStep(signal, this.#abort);
      }
      this.#payload = body === null ? undefined : body.forSending();
      const own = host.otherScheme(this.#state);
      if (own !== undefined) react(own, (answer) => this.#answer(answer), (error) => this.#fail(error));
      else this.#send();
    }

    #stop(reason) {
      this.#reject(reason);
      this.#payload?.reader?.cancel(reason);
      this.#reader?.fail(reason);
    }

    #done() {
      const { signal } = this.#state;
      if (signal !== undefined) signals.removeStep(signal, this.#abort);
    }

    #fail(error) {
      this.#done();
      const { signal } = this.#state;
      this.#reject(signal !== undefined && signals.isAborted(signal) ? signals.reason(signal) : error);
    }

    #send() {
      const { method, url, signal } = this.#state;
      const refusal = host.badPort(new URL(url));
      if (refusal !== undefined) {
        const error = failed(refusal);
        this.#payload?.reader?.cancel(error);
        return this.#fail(error);
      }
      const { bytes, reader } = this.#payload ?? { bytes: needsBody(method) ? EMPTY : undefined, reader: undefined };
      const option = {
        __proto__: null, url: withoutFragment(url), method, headers: headersOf(this.#state), body: bytes,
        stream: bytes === undefined && reader !== undefined ? streamOf(reader) : undefined,
      };
      let call;
      try { call = host.exchange(option, signal === undefined ? undefined : { __proto__: null, signal: signals.forCall(signal) }); } catch (error) {
        return this.#fail(failed(error?.message, error));
      }
      react(call, (answer) => this.#take(answer), (error) => this.#fail(failed(error?.message, error)));
    }

    #take(answer) {
      const close = () => { if (answer.rest !== undefined && answer.rest !== null) react(answer.rest.close(), noop, noop); };
      const { signal, redirect } = this.#state;
      if (signal !== undefined && signals.isAborted(signal)) return close();
      try {
        const list = lowered(answer.headers);
        const leads = leadsOn(answer.status) && redirect !== "manual";
        const target = leads ? pairs.first(list, "location") : null;
        if (leads && redirect === "error") {
          close();
          throw failed(`the server leads elsewhere, with the status ${answer.status}`);
        }
        if (target !== null) {
          close();
          this.#follow(answer.status, target);
          return this.#send();
        }
        this.#answer({ __proto__: null, ...answer, list });
      } catch (error) { this.#fail(error); }
    }

    /** "HTTP-redirect fetch". */
    #follow(status, text) {
      const state = this.#state;
      const target = parseURL(escaped(text), state.url);
      if (target === null) throw failed("the server leads to what is no URL");
      const protocol = protocolOf(target);
      if (protocol !== "http:" && protocol !== "https:") throw failed(`the server leads to an address with the scheme ${protocol}`);
      if (++this.#redirects > MOST_REDIRECTS) throw failed(`the server has led on ${MOST_REDIRECTS} times`);
      if (usernameOf(target) !== "" || passwordOf(target) !== "") throw failed("the server leads to an address with a password in it");
      if (status !== 303 && this.#payload?.reader !== undefined) {
        throw failed("the server leads elsewhere, and the body that was a stream can't be sent again");
      }
      const { method } = state;
      if ((status < 303 && method === "POST") || (status === 303 && method !== "GET" && method !== "HEAD")) {
        state.method = "GET";
        this.#payload = undefined;
        for (let i = 0; i < OF_BODY.length; i++) pairs.remove(state.list, OF_BODY[i]);
      }
      if (originOf(target) !== originOf(new URL(state.url))) {
        for (let i = 0; i < OF_SERVER.length; i++) pairs.remove(state.list, OF_SERVER[i]);
      }
      const fragment = indexIn(state.url, "#");
      state.url = hrefOf(target) + (hashOf(target) === "" && fragment >= 0 ? slice(state.url, fragment, state.url.length) : "");
    }

    #answer(answer) {
      const { method, integrity, signal } = this.#state;
      const { status, reason, list, body, rest } = answer;
      let made = null;
      if (method !== "HEAD" && !hasNoBody(status)) {
        if (rest === undefined || rest === null) {
          made = new bodies.Body(body ?? EMPTY, undefined, undefined, signal);
          this.#done();
        } else {
          this.#reader = readerOf({ body: body ?? undefined, rest }, () => this.#done());
          made = new bodies.Body(undefined, this.#reader, undefined, signal);
        }
      } else this.#done();
      const give = () => {
        if (made !== null && pairs.indexOf(list, "content-encoding") >= 0) made.setDecoded();
        this.#resolve(this.#responseOf(status, reason, list, made));
      };
      if (integrity === "") return give();
      react(host.checkIntegrity(made, integrity), (bytes) => {
        made = new bodies.Body(bytes, undefined, undefined, signal);
        give();
      }, (error) => this.#fail(error));
    }

    #responseOf(status, statusText, list, body) {
      const url = withoutFragment(this.#state.url);
      return responses.make({
        __proto__: null, type: "basic", url, isRedirected: this.#redirects > 0, status, statusText, list, body, isImmutable: true,
      });
    }
  }

  const { fetch } = {
    fetch(input, init = undefined) {
      try {
        if (arguments.length === 0) throw new TypeError("fetch needs an argument: a URL, or a Request");
        // A copy: the script's Request stays what it is, wherever a server leads.
        const state = requests.partsOf(new Request(input, init));
        const { signal } = state;
        if (signal !== undefined && signals.isAborted(signal)) {
          const reason = signals.reason(signal);
          state.body?.cancel(reason);
          return rejected(reason);
        }
        return new PromiseOf((resolve, reject) => new Fetching(state, resolve, reject).start());
      } catch (error) { return rejected(error); }
    },
  };

  return {
    fetch,
    /** For the runtime's other scripts: a promise of the answer to a GET with these headers. */
    start: (url, list, signal) => new PromiseOf((resolve, reject) => {
      new Fetching({ ...requests.fresh(url), __proto__: null, list, signal }, resolve, reject).start();
    }),
  };
})
