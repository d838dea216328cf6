// SPDX-License-Identifier: MIT
// URL (WHATWG URL Standard).
//
// host.parser is what urlparser.js returns, host.searchParams what urlsearchparams.js does.
((host) => {
  "use strict";

  const { parser, searchParams, notCloneable } = host;
  const { Parts, SCHEME, USERINFO, FRAGMENT, isSpecialScheme, hasCredentials } = parser;
  const { cannotHaveCredentials, removeTabsAndNewlines, percentEncode, encodeQuery, parseHost } = parser;
  const { findPort, assignPort, startPath, parse, parseAgainst, plainHref, split } = parser;
  const { serialize, serializeOrigin, hostAndPort } = parser;
  const { URLSearchParams, createLinked, replaceList } = searchParams;
  // Taken when the file is loaded, so that scripts which later replace them do not change what URLs mean.
  const { TypeError } = globalThis;
  const { defineProperty } = Reflect;
  const { toStringTag: TAG } = Symbol;

  // The setters: the parser's states with a "state override". What they cannot use they ignore.

  const setProtocol = (url, text) => {
    const match = SCHEME.exec(removeTabsAndNewlines(text) + ":");
    if (match === null) return;
    const scheme = match[0].slice(0, -1).toLowerCase();
    if (isSpecialScheme(scheme) !== url.special) return;
    if (scheme === "file" && (hasCredentials(url) || url.port !== null)) return;
    if (url.scheme === "file" && url.host === "") return;
    url.scheme = scheme;
    if (url.port !== null) assignPort(url, url.port);
  };

  const setUsername = (url, text) => {
    if (!cannotHaveCredentials(url)) url.username = percentEncode(text, USERINFO);
  };

  const setPassword = (url, text) => {
    if (!cannotHaveCredentials(url)) url.password = percentEncode(text, USERINFO);
  };

  const setFileHost = (url, text) => {
    const parsed = text === "" ? "" : parseHost(text, false);
    if (parsed !== null) url.host = parsed === "localhost" ? "" : parsed;
  };

  // The port is what digits there are, whatever follows them.
  const setLeadingPort = (url, text) => {
    const match = /^\d+/.exec(text);
    if (match !== null) assignPort(url, match[0]);
  };

  const changeHost = (url, input, withPort) => {
    if (url.opaque) return;
    const text = removeTabsAndNewlines(input);
    const end = text.search(url.special ? /[/\\?#]/ : /[/?#]/);
    const authority = end < 0 ? text : text.slice(0, end);
    if (url.scheme === "file") return setFileHost(url, authority);
    const colon = findPort(authority);
    if (colon >= 0 && !withPort) return;
    const name = colon < 0 ? authority : authority.slice(0, colon);
    if (name === "" && (colon >= 0 || url.special || hasCredentials(url) || url.port !== null)) return;
    const parsed = parseHost(name, !url.special);
    if (parsed === null) return;
    url.host = parsed;
    if (colon >= 0) setLeadingPort(url, authority.slice(colon + 1));
  };

  const setHost = (url, text) => changeHost(url, text, true);
  const setHostname = (url, text) => changeHost(url, text, false);

  const setPort = (url, text) => {
    if (cannotHaveCredentials(url)) return;
    if (text === "") url.port = null;
    else setLeadingPort(url, removeTabsAndNewlines(text));
  };

  const setPathname = (url, text) => {
    if (url.opaque) return;
    const path = removeTabsAndNewlines(text);
    url.path = path === "" && url.host === null ? "/" : startPath(url, path);
  };

  // An opaque path may end in spaces only while something follows it.
  const stripTrailingSpaces = (url) => {
    if (!url.opaque || url.query !== null || url.fragment !== null) return;
    let end = url.path.length;
    while (end > 0 && url.path[end - 1] === " ") end--;
    url.path = url.path.slice(0, end);
  };

  // Without the leading "?" or "#", which the setters accept.
  const withoutMark = (text, mark) => (text[0] === mark ? text.slice(1) : text);

  const setSearch = (url, text) => {
    url.query = text === "" ? null : encodeQuery(url, removeTabsAndNewlines(withoutMark(text, "?")));
    if (text === "") stripTrailingSpaces(url);
  };

  const setHash = (url, text) => {
    const fragment = removeTabsAndNewlines(withoutMark(text, "#"));
    url.fragment = text === "" ? null : percentEncode(fragment, FRAGMENT);
    if (text === "") stripTrailingSpaces(url);
  };

  // What URLSearchParams calls after a change; its serialisation needs no more encoding.
  const setQuery = (url, query) => {
    url.query = query === "" ? null : query;
    if (query === "") stripTrailingSpaces(url);
  };

  // The interface

  const blobURL = (method, given, value) => {
    requireArgument(`URL.${method}`, given);
    return host.blobURLs[method === "createObjectURL" ? "create" : "revoke"](value);
  };

  const toUSVString = (value) => `${value}`.toWellFormed();

  const requireArgument = (method, given) => {
    if (given === 0) throw new TypeError(`${method} needs an argument`);
  };

  /** A base as messages have it: the address of a worker may be its whole script. */
  const shownBase = (base) => (base.length > 80 && base.startsWith("data:") ? `${base.slice(0, 80)}...` : base);

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
      if (this.#params !== null) replaceList(this.#params, parts.query ?? "");
    }

    get href() {
      return this.#href ?? (this.#href = serialize(this.#parts));
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
      this.#params = createLinked(this.#read().query ?? "", (query) => {
        setQuery(this.#parts, query);
        this.#href = null;
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
      return this.#href ?? (this.#href = serialize(this.#parts));
    }

    toString() {
      return this.#href ?? (this.#href = serialize(this.#parts));
    }
  }

  // Class members are not enumerable; WebIDL's are.
  const members = ["href", "origin", "protocol", "username", "password", "host", "hostname", "port", "pathname",
    "search", "searchParams", "hash", "toJSON", "toString"];
  for (const name of members) defineProperty(URL.prototype, name, { __proto__: null, enumerable: true });
  for (const name of ["parse", "canParse", "createObjectURL", "revokeObjectURL"]) defineProperty(URL, name, { __proto__: null, enumerable: true });
  defineProperty(URL.prototype, TAG, { __proto__: null, value: "URL", configurable: true });

  host.showsFields(URL, "URL", members.slice(0, -2), isURL);

  return { URL, URLSearchParams, shownBase };
})
