// SPDX-License-Identifier: MIT
// Response (Fetch standard, 5.5).
((host) => {
  "use strict";
  const { URL, headers, bodies, mimeTypes, pairs, texts, encodeUTF8, notCloneable } = host;
  const { toByteString, unitAt } = texts;
  const { TypeError, RangeError } = globalThis;
  const { stringify } = JSON;
  const { trunc } = Math;
  const { finish, isObject, toDictionary } = host.idl;
  const { hrefOf } = host.urls;

  const MAKE = Symbol("make");

  const toStatus = (value) => {
    const number = +value;
    const status = number === number ? trunc(number) % 65536 : 0;
    if (status >= 200 && status <= 599) return status;
    throw new RangeError(`Response: the status must be from 200 to 599, not ${number}`);
  };

  /** A reason phrase (RFC 9112, section 4). */
  const toReason = (value) => {
    const text = toByteString(value, "Response: statusText");
    for (let i = 0; i < text.length; i++) {
      const unit = unitAt(text, i);
      if (unit !== 9 && (unit < 0x20 || unit === 0x7F)) throw new TypeError("Response: statusText has a control character in it");
    }
    return text;
  };

  const hasNoBody = (status) => status === 101 || status === 103 || status === 204 || status === 205 || status === 304;

  const toInit = (init) => {
    if (init === undefined) return { __proto__: null, list: [], status: 200, statusText: "" };
    const given = toDictionary(init, "Response");
    const { headers: list, status, statusText } = given;
    return {
      __proto__: null, list: list === undefined ? [] : headers.toList(list),
      status: status === undefined ? 200 : toStatus(status),
      statusText: statusText === undefined ? "" : toReason(statusText),
    };
  };

  /** "Initialize a response". */
  const stateOf = ({ list, status, statusText }, extracted) => {
    if (extracted !== null) {
      if (hasNoBody(status)) throw new TypeError(`Response: one with the status ${status} has no body`);
      if (extracted.type !== undefined && pairs.indexOf(list, "content-type") < 0) pairs.append(list, "content-type", extracted.type);
    }
    return {
      __proto__: null, type: "default", url: "", isRedirected: false, status, statusText, list, body: extracted?.body ?? null,
      isImmutable: false,
    };
  };

  let isResponse, partsOf;

  class Response {
    #state;
    #headers = undefined;

    static {
      isResponse = (value) => isObject(value) && #state in value;
      partsOf = (response) => response.#state;
      notCloneable(isResponse);
    }

    constructor(body = null, init = undefined) {
      if (body === MAKE) {
        this.#state = init;
        return;
      }
      const given = toInit(init);
      this.#state = stateOf(given, body === null || body === undefined ? null : bodies.extract(body));
    }

    static error() { return made({ ...stateOf({ list: [], status: 0, statusText: "" }, null), type: "error", isImmutable: true }); }

    static redirect(url, status = 302) {
      if (arguments.length === 0) throw new TypeError("Response.redirect needs an argument");
      const base = host.baseURL();
      const address = hrefOf(base === undefined ? new URL(`${url}`) : new URL(`${url}`, base));
      const number = trunc(+status);
      if (number !== 301 && number !== 302 && number !== 303 && number !== 307 && number !== 308) {
        throw new RangeError(`Response.redirect: ${status} is no status that leads elsewhere: 301, 302, 303, 307, 308`);
      }
      return made({ ...stateOf({ list: ["location", address], status: number, statusText: "" }, null), isImmutable: true });
    }

    static json(data, init = undefined) {
      if (arguments.length === 0) throw new TypeError("Response.json needs an argument");
      const text = stringify(data);
      if (text === undefined) throw new TypeError("Response.json: the value has no JSON text");
      const body = new bodies.Body(encodeUTF8(text));
      return made(stateOf(toInit(init), { body, type: "application/json" }));
    }

    get type() { return this.#state.type; }
    get url() { return this.#state.url; }
    get redirected() { return this.#state.isRedirected; }
    get status() { return this.#state.status; }
    get ok() { return this.#state.status >= 200 && this.#state.status <= 299; }
    get statusText() { return this.#state.statusText; }

    get headers() {
      if (this.#headers !== undefined) return this.#headers;
      this.#headers = headers.over(this.#state.list);
      if (this.#state.isImmutable) headers.seal(this.#headers);
      return this.#headers;
    }

    clone() {
      const state = this.#state;
      if (state.body?.isUnusable) throw new TypeError("Response.clone: the body was read already, or a reader has it");
      return made({ ...state, __proto__: null, list: pairs.copy(state.list), body: state.body?.clone() ?? null });
    }
  }
  const made = (state) => new Response(MAKE, state);
  bodies.mixIn(Response.prototype, (response) => partsOf(response).body,
    (response) => mimeTypes.extract(headers.combined(partsOf(response).list, "content-type")));
  finish(Response, "Response",
    ["type", "url", "redirected", "status", "ok", "statusText", "headers", "clone"], ["error", "redirect", "json"]);
  host.showsFields(Response, "Response", ["status", "ok", "statusText", "type", "url", "redirected", "bodyUsed", "headers"], isResponse);
  // A body can't be looked into at once, and is there to be read once.
  const partsIn = host.fieldsOf(Response, ["status", "statusText", "type", "url", "redirected", "headers"], isResponse);
  host.compares("Response", (response) => (partsOf(response).body === null ? partsIn(response).list : undefined), isResponse);

  return { Response, responses: { isResponse, partsOf, make: made } };
})
