// SPDX-License-Identifier: MIT
// Request (Fetch standard, 5.4). What concerns pages and caches is kept as it was given; there is none of either here.
((host) => {
  "use strict";
  const { URL, AbortSignal, signals, headers, bodies, mimeTypes, pairs, texts, notCloneable } = host;
  const { isToken, toByteString, upper } = texts;
  const { TypeError } = globalThis;
  const { finish, isObject, toDictionary } = host.idl;
  const { hrefOf, usernameOf, passwordOf } = host.urls;
  const { any } = signals;
  const { apply } = Reflect;
  const { iterator: ITERATOR } = Symbol;

  // --- Conversions ----------------------------------------------------------------------------------------

  const CHOICES = {
    __proto__: null,
    cache: ["default", "no-store", "reload", "no-cache", "force-cache", "only-if-cached"],
    credentials: ["omit", "same-origin", "include"],
    mode: ["navigate", "same-origin", "no-cors", "cors"],
    redirect: ["follow", "error", "manual"],
    referrerPolicy: ["", "no-referrer", "no-referrer-when-downgrade", "same-origin", "origin", "strict-origin",
      "origin-when-cross-origin", "strict-origin-when-cross-origin", "unsafe-url"],
    duplex: ["half"],
    priority: ["high", "low", "auto"],
  };

  const choose = (name, value) => {
    if (value === undefined) return undefined;
    const text = `${value}`, known = CHOICES[name];
    for (let i = 0; i < known.length; i++) if (known[i] === text) return text;
    let list = "";
    for (let i = 0; i < known.length; i++) list += `${i === 0 ? "" : ", "}"${known[i]}"`;
    throw new TypeError(`Request: ${name} is one of ${list}, not "${text}"`);
  };

  const NORMALIZED = { __proto__: null, DELETE: true, GET: true, HEAD: true, OPTIONS: true, POST: true, PUT: true };

  const toMethod = (value) => {
    const text = toByteString(value, "Request: the method");
    const large = upper(text);
    if (!isToken(text)) throw new TypeError(`Request: "${text}" is no method`);
    if (large === "CONNECT" || large === "TRACE" || large === "TRACK") throw new TypeError(`Request: the method ${large} is not for fetch`);
    return NORMALIZED[large] === true ? large : text;
  };

  /** The address that a text means; without credentials, which would end in logs. */
  const toURL = (value) => {
    const text = `${value}`, base = host.baseURL();
    let url;
    try { url = base === undefined ? new URL(text) : new URL(text, base); } catch (error) {
      const hint = base === undefined ? "; a script has no address of its own: give a whole one, as http://127.0.0.1:8080/" : "";
      throw new TypeError(`Request: "${texts.concealed(text)}" is no URL${hint}`);
    }
    if (usernameOf(url) !== "" || passwordOf(url) !== "") {
      throw new TypeError("Request: the URL has a user's name or password in it; send it in an Authorization header");
    }
    return hrefOf(url);
  };

  const only = (value) => ({
    __proto__: null,
    [ITERATOR]() {
      let done = true;
      return { __proto__: null, next: () => ({ __proto__: null, done: done = !done, value }) };
    },
  });

  /** A signal that follows another one. */
  const following = (signal) => apply(any, AbortSignal, [only(signal)]);

  const toSignal = (value) => {
    if (value === null || value === undefined) return undefined;
    if (signals.isSignal(value)) return value;
    throw new TypeError("Request: the signal is no AbortSignal");
  };

  // --- Request --------------------------------------------------------------------------------------------

  /** That of a `blob:` URL, which may be revoked before it is fetched. */
  const blobOf = (url) => (url[0] === "b" && texts.indexIn(url, "blob:") === 0 ? host.blobURLs.find(url) : undefined);

  const fresh = (url) => ({
    __proto__: null, method: "GET", url, list: [], body: null, mode: "cors", credentials: "same-origin", cache: "default",
    redirect: "follow", referrer: "about:client", referrerPolicy: "", integrity: "", keepalive: false, signal: undefined,
    served: undefined, blob: blobOf(url),
  });

  /** Another's, with lists and a body of its own. A server answers the one that came only. */
  const copied = (state, body) => ({ ...state, __proto__: null, list: pairs.copy(state.list), body, served: undefined });

  /** The signal of a Request; a server's makes it when somebody wants it. */
  const signalOf = (state) => {
    if (state.signal === undefined && state.served !== undefined) state.signal = signals.makeSignal();
    return state.signal;
  };

  /** The members of a RequestInit, read in the order of their names. */
  const readInit = (init) => {
    const given = toDictionary(init, "Request");
    const { body } = given, cache = choose("cache", given.cache), credentials = choose("credentials", given.credentials);
    const duplex = choose("duplex", given.duplex), list = given.headers, { integrity, keepalive, method } = given;
    const mode = choose("mode", given.mode), priority = choose("priority", given.priority), redirect = choose("redirect", given.redirect);
    const { referrer } = given, referrerPolicy = choose("referrerPolicy", given.referrerPolicy), { signal, window } = given;
    if (mode === "navigate") throw new TypeError('Request: a script can\'t make one of the mode "navigate"');
    if (window !== undefined && window !== null) throw new TypeError("Request: window can only be null");
    if (cache === "only-if-cached" && mode !== "same-origin") throw new TypeError('Request: "only-if-cached" needs the mode "same-origin"');
    return { __proto__: null, body, cache, credentials, duplex, list, integrity, keepalive, method, mode, priority, redirect, referrer, referrerPolicy, signal };
  };

  /** A script's address has no origin here that another could be of. */
  const toReferrer = (text) => {
    if (text === "") return "no-referrer";
    const base = host.baseURL();
    try { return hrefOf(base === undefined ? new URL(text) : new URL(text, base)); } catch (error) {
      throw new TypeError(`Request: the referrer "${texts.concealed(text)}" is no URL`);
    }
  };

  const KEPT = ["referrerPolicy", "mode", "credentials", "cache", "redirect"];

  const merge = (state, given) => {
    if (given.method !== undefined) state.method = toMethod(given.method);
    if (given.referrer !== undefined) state.referrer = toReferrer(`${given.referrer}`);
    if (given.integrity !== undefined) state.integrity = `${given.integrity}`;
    if (given.keepalive !== undefined) state.keepalive = !!given.keepalive;
    for (let i = 0; i < KEPT.length; i++) if (given[KEPT[i]] !== undefined) state[KEPT[i]] = given[KEPT[i]];
  };

  /** The request's body: of the init, or of the request that it is made of. */
  const chooseBody = (state, given, other) => {
    const hasBody = given.body !== undefined && given.body !== null;
    if ((hasBody || other?.body) && (state.method === "GET" || state.method === "HEAD")) {
      throw new TypeError(`Request: one with the method ${state.method} has no body`);
    }
    if (hasBody) {
      const { body, type } = bodies.extract(given.body);
      if (body.length === null && state.keepalive) throw new TypeError("Request: with keepalive a body must not be a stream");
      if (type !== undefined && pairs.indexOf(state.list, "content-type") < 0) pairs.append(state.list, "content-type", type);
      if (body.length === null && given.duplex === undefined) {
        throw new TypeError('Request: a body that is a stream needs { duplex: "half" }: the answer is read behind it');
      }
      state.body = body;
    } else if (other !== undefined && other.body !== null) {
      if (other.body.isUnusable) throw new TypeError("Request: the body of that request was read already, or a reader has it");
      state.body = other.body.moved();
    }
  };

  let isRequest, partsOf;

  class Request {
    #state;
    #headers = undefined;

    static {
      isRequest = (value) => isObject(value) && #state in value;
      partsOf = (request) => request.#state;
      notCloneable(isRequest);
    }

    constructor(input, init = undefined) {
      if (arguments.length === 0) throw new TypeError("Request needs an argument: a URL, or a Request");
      if (input === MAKE) {
        this.#state = init;
        return;
      }
      const other = isRequest(input) ? input.#state : undefined;
      const url = other === undefined ? toURL(input) : other.url;
      const given = readInit(init);
      const state = other === undefined ? fresh(url) : copied(other, null);
      merge(state, given);
      const { mode, method } = state;
      if (mode === "no-cors" && method !== "GET" && method !== "HEAD" && method !== "POST") {
        throw new TypeError(`Request: one of the mode "no-cors" has the method GET, HEAD or POST, not ${method}`);
      }
      const signal = given.signal !== undefined ? toSignal(given.signal) : other === undefined ? undefined : signalOf(other);
      state.signal = signal === undefined ? undefined : following(signal);
      if (given.list !== undefined) state.list = headers.toList(given.list);
      chooseBody(state, given, other);
      this.#state = state;
    }

    get method() { return this.#state.method; }
    get url() { return this.#state.url; }
    get headers() { return this.#headers ??= headers.over(this.#state.list); }
    get destination() { this.#state; return ""; }
    get referrer() { return this.#state.referrer === "no-referrer" ? "" : this.#state.referrer; }
    get referrerPolicy() { return this.#state.referrerPolicy; }
    get mode() { return this.#state.mode; }
    get credentials() { return this.#state.credentials; }
    get cache() { return this.#state.cache; }
    get redirect() { return this.#state.redirect; }
    get integrity() { return this.#state.integrity; }
    get keepalive() { return this.#state.keepalive; }
    get isReloadNavigation() { this.#state; return false; }
    get isHistoryNavigation() { this.#state; return false; }
    get signal() { return this.#state.signal ??= signals.makeSignal(); }
    get duplex() { this.#state; return "half"; }

    clone() {
      const state = this.#state;
      if (state.body?.isUnusable) throw new TypeError("Request.clone: the body was read already, or a reader has it");
      const signal = signalOf(state), copy = copied(state, state.body?.clone() ?? null);
      copy.signal = signal === undefined ? undefined : following(signal);
      return new Request(MAKE, copy);
    }
  }
  const MAKE = Symbol("make");
  bodies.mixIn(Request.prototype, (request) => partsOf(request).body,
    (request) => mimeTypes.extract(headers.combined(partsOf(request).list, "content-type")));
  finish(Request, "Request",
    ["method", "url", "headers", "destination", "referrer", "referrerPolicy", "mode", "credentials", "cache", "redirect",
      "integrity", "keepalive", "isReloadNavigation", "isHistoryNavigation", "signal", "duplex", "clone"]);
  host.showsFields(Request, "Request", ["method", "url", "headers", "redirect", "bodyUsed"], isRequest);
  // A body can't be looked into at once, and is there to be read once.
  const partsIn = host.fieldsOf(Request, ["method", "url", "headers", "destination", "referrer", "referrerPolicy", "mode",
    "credentials", "cache", "redirect", "integrity", "keepalive", "signal"], isRequest);
  host.compares("Request", (request) => (partsOf(request).body === null ? partsIn(request).list : undefined), isRequest);

  return {
    Request, requests: {
      isRequest, partsOf, fresh, signalOf,
      /** A Request that came to a server. `served`: what the server knows it by. */
      over: (url, method, list, body, served) => {
        const state = fresh(url);
        state.method = method;
        state.list = list;
        state.body = body;
        state.served = served;
        return new Request(MAKE, state);
      },
    },
  };
})
