// SPDX-License-Identifier: MIT
// URL (WHATWG URL Standard).
//
// host.parser is what urlparser.js returns, host.setters what urlsetters.js does, host.searchParams what
// urlsearchparams.js does. This file looks into no string itself: a script may have changed what strings do.
((host) => {
  "use strict";

  const { parser, searchParams, notCloneable } = host;
  const { Parts, parse, parseAgainst, plainHref, split, serialize, serializeOrigin, hostAndPort } = parser;
  const { setProtocol, setUsername, setPassword, setHost, setHostname, setPort, setPathname } = host.setters;
  const { setSearch, setHash, setQuery, shownBase } = host.setters;
  const { wellFormed, withoutMark } = host.texts;
  const { URLSearchParams, createLinked, replaceList, queryOf } = searchParams;
  // Taken when the file is loaded, so that scripts which later replace them do not change what URLs mean.
  const { TypeError } = globalThis;
  const { defineProperty, getOwnPropertyDescriptor } = Reflect;
  const uncurry = (method) => Function.prototype.call.bind(method);
  const { toStringTag: TAG } = Symbol;

  // The interface

  const blobURL = (method, given, value) => {
    requireArgument(`URL.${method}`, given);
    return host.blobURLs[method === "createObjectURL" ? "create" : "revoke"](value);
  };

  // The WebIDL conversion to USVString. The template stands here, so that what it throws is a TypeError of the script's.
  const toUSVString = (value) => wellFormed(`${value}`);

  const requireArgument = (method, given) => {
    if (given === 0) throw new TypeError(`${method} needs an argument`);
  };

  const invalid = (input, base) => {
    const against = base === undefined ? "" : ` (against "${shownBase(base)}")`;
    const error = new TypeError(`Invalid URL: "${input}"${against}`);
    const keep = (name, value) => defineProperty(error, name,
      { __proto__: null, value, writable: true, enumerable: true, configurable: true });
    // As Node's programs look for them.
    keep("code", "ERR_INVALID_URL");
    keep("input", input);
    if (base !== undefined) keep("base", base);
    return error;
  };

  let isURL;

  class URL {
    // At least one of these two is there: a plain href is taken apart only when a part of it is asked for,
    // and the parts are put together only when the href is.
    #href = null;
    #parts = null;
    #params = null;
    // Whether the parts lack what has changed in the params: many changes in a row are put together once. (Not where
    // the path loses what it has at its end when there is no query for a moment.)
    #isBehind = false;

    static {
      isURL = (object) => #href in object;
      notCloneable(isURL);
    }

    // Parts are for URL.parse, which has parsed already. No script can get hold of one.
    constructor(url, base = undefined) {
      if (typeof url === "object" && url instanceof Parts) {
        this.#parts = url;
        return;
      }
      requireArgument("The URL constructor", arguments.length);
      const input = toUSVString(url);
      if (base !== undefined) base = toUSVString(base);
      else if ((this.#href = plainHref(input)) !== null) return;
      this.#parts = parseAgainst(input, base);
      if (this.#parts === null) throw invalid(input, base);
    }

    static parse(url, base = undefined) {
      requireArgument("URL.parse", arguments.length);
      const input = toUSVString(url);
      const parts = parseAgainst(input, base === undefined ? undefined : toUSVString(base));
      return parts === null ? null : new URL(parts);
    }

    static canParse(url, base = undefined) {
      requireArgument("URL.canParse", arguments.length);
      const input = toUSVString(url);
      if (base !== undefined) return parseAgainst(input, toUSVString(base)) !== null;
      return plainHref(input) !== null || parse(input, null) !== null;
    }

    static createObjectURL(blob) { return blobURL("createObjectURL", arguments.length, blob); }
    static revokeObjectURL(url) { blobURL("revokeObjectURL", arguments.length, url); }

    #read() {
      if (this.#isBehind) {
        this.#isBehind = false;
        setQuery(this.#parts, queryOf(this.#params));
      }
      return this.#parts ?? (this.#parts = split(this.#href));
    }

    // A private method, so that a foreign "this" is found out before the value is converted; and the parts
    // are read after that, since the conversion may run script that changes them.
    #edit(value, change) {
      const text = toUSVString(value);
      change(this.#read(), text);
      this.#href = null;
      return text;
    }

    #replace(value) {
      const text = toUSVString(value);
      const parts = parse(text, null);
      if (parts === null) throw invalid(text, undefined);
      this.#parts = parts;
      this.#href = null;
      this.#isBehind = false;
      if (this.#params !== null) replaceList(this.#params, parts.query ?? "");
    }

    get href() {
      return this.#href ?? (this.#href = serialize(this.#read()));
    }
    set href(value) {
      this.#replace(value);
    }

    get origin() {
      return serializeOrigin(this.#read());
    }

    get protocol() {
      return this.#read().scheme + ":";
    }
    set protocol(value) {
      this.#edit(value, setProtocol);
    }

    get username() {
      return this.#read().username;
    }
    set username(value) {
      this.#edit(value, setUsername);
    }

    get password() {
      return this.#read().password;
    }
    set password(value) {
      this.#edit(value, setPassword);
    }

    get host() {
      const url = this.#read();
      return url.host === null ? "" : hostAndPort(url);
    }
    set host(value) {
      this.#edit(value, setHost);
    }

    get hostname() {
      return this.#read().host ?? "";
    }
    set hostname(value) {
      this.#edit(value, setHostname);
    }

    get port() {
      const { port } = this.#read();
      return port === null ? "" : `${port}`;
    }
    set port(value) {
      this.#edit(value, setPort);
    }

    get pathname() {
      return this.#read().path;
    }
    set pathname(value) {
      this.#edit(value, setPathname);
    }

    get search() {
      const { query } = this.#read();
      return query === null || query === "" ? "" : "?" + query;
    }
    set search(value) {
      const text = this.#edit(value, setSearch);
      if (this.#params !== null) replaceList(this.#params, withoutMark(text, "?"));
    }

    get searchParams() {
      if (this.#params !== null) return this.#params;
      this.#params = createLinked(this.#read().query ?? "", () => {
        this.#isBehind = true;
        this.#href = null;
        if (this.#parts.opaque) this.#read();
      });
      return this.#params;
    }

    get hash() {
      const { fragment } = this.#read();
      return fragment === null || fragment === "" ? "" : "#" + fragment;
    }
    set hash(value) {
      this.#edit(value, setHash);
    }

    toJSON() {
      return this.#href ?? (this.#href = serialize(this.#read()));
    }

    toString() {
      return this.#href ?? (this.#href = serialize(this.#read()));
    }
  }

  // Class members are not enumerable; WebIDL's are.
  const members = ["href", "origin", "protocol", "username", "password", "host", "hostname", "port", "pathname",
    "search", "searchParams", "hash", "toJSON", "toString"];
  for (const name of members) defineProperty(URL.prototype, name, { __proto__: null, enumerable: true });
  for (const name of ["parse", "canParse", "createObjectURL", "revokeObjectURL"]) defineProperty(URL, name, { __proto__: null, enumerable: true });
  defineProperty(URL.prototype, TAG, { __proto__: null, value: "URL", configurable: true });

  host.showsFields(URL, "URL", members.slice(0, -2), isURL);

  // For other modules, which may be loaded when a script has replaced members of the class.
  const getter = (name) => uncurry(getOwnPropertyDescriptor(URL.prototype, name).get);
  const urls = {
    __proto__: null, parse: URL.parse, hrefOf: getter("href"), originOf: getter("origin"), protocolOf: getter("protocol"),
    usernameOf: getter("username"), passwordOf: getter("password"), portOf: getter("port"), hashOf: getter("hash"),
    setProtocol: uncurry(getOwnPropertyDescriptor(URL.prototype, "protocol").set),
  };
  const shown = ["href", "origin", "protocol", "host", "hostname", "port", "pathname", "search", "hash"];
  const getters = shown.map(getter);
  /** What a Location shows of it. */
  urls.locationOf = (url) => {
    const made = { __proto__: null };
    for (let i = 0; i < shown.length; i++) made[shown[i]] = getters[i](url);
    return made;
  };

  return { URL, URLSearchParams, urls, shownBase };
})
