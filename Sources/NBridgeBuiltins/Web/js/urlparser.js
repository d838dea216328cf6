// SPDX-License-Identifier: MIT
// The URL parser and serialiser (WHATWG URL Standard), which url.js builds the URL class on. It has a global object of its
// own: its strings and expressions do as the standard says whatever a script does to its prototypes.
((host) => {
  "use strict";

  const { C0_CONTROL, DOTTED, NAME, parseHost, percentEncode } = host.hosts;
  const { DOT_SEGMENT, DRIVE, PATH_IN_DRIVE, PLAIN_CHARS, SLASH, STARTS_WITH_DRIVE } = host.paths;
  const { appendPath, isSlash, shorten, startPath, withoutDots } = host.paths;

  // The parts of a URL. As the standard's "URL record", but for the path: a list of segments is kept in its
  // serialised form, so [] is "", [""] is "/" and ["a", "b"] is "/a/b".
  class Parts {
    constructor(scheme) {
      this.scheme = scheme;
      // Never changes: the protocol setter does not cross this line.
      this.special = isSpecialScheme(scheme);
      this.username = "";
      this.password = "";
      this.host = null;
      this.port = null;
      this.path = "";
      this.opaque = false;
      this.query = null;
      this.fragment = null;
    }
  }

  const DEFAULT_PORTS = { __proto__: null, http: 80, https: 443, ws: 80, wss: 443, ftp: 21, file: null };
  const isSpecialScheme = (scheme) => DEFAULT_PORTS[scheme] !== undefined;
  const hasCredentials = (url) => url.username !== "" || url.password !== "";
  const cannotHaveCredentials = (url) => url.host === null || url.host === "" || url.scheme === "file";

  // Percent-encode sets, each as runs of what it encodes (the ranges list what is left alone).
  const FRAGMENT = /[^!#-;=?-_a-~]+/g;
  const QUERY = /[^!$-;=?-~]+/g;
  const SPECIAL_QUERY = /[^!$-&(-;=?-~]+/g;
  const USERINFO = /[^!$-.\dA-Z_a-z~]+/g;

  const encodeQuery = (url, text) => percentEncode(text, url.special ? SPECIAL_QUERY : QUERY);

  // Hosts and ports

  // The index of the ":" before the port. Those in an IPv6 address do not count.
  const findPort = (text) => {
    const colon = text.indexOf(":");
    if (colon < 0 || text.indexOf("[") < 0) return colon;
    let inside = false;
    for (let i = 0; i < text.length; i++) {
      const char = text[i];
      if (char === ":" && !inside) return i;
      if (char === "[") inside = true;
      else if (char === "]") inside = false;
    }
    return -1;
  };

  const assignPort = (url, digits) => {
    const port = +digits;
    if (port > 65535) return false;
    url.port = port === DEFAULT_PORTS[url.scheme] ? null : port;
    return true;
  };

  // The parser. The standard's states, but with the query and the fragment split off first: nothing before
  // them can hold "?" or "#". "text" below is what is left to parse of the rest; null stands for failure.

  const removeTabsAndNewlines = (text) => text.replace(/[\t\n\r]+/g, "");

  const clean = (text) => {
    if (!/[\0- ]/.test(text)) return text;
    let start = 0;
    let end = text.length;
    while (start < end && text.charCodeAt(start) <= 0x20) start++;
    while (start < end && text.charCodeAt(end - 1) <= 0x20) end--;
    return removeTabsAndNewlines(text.slice(start, end));
  };

  const parseHostAndPort = (url, text) => {
    const colon = findPort(text);
    const name = colon < 0 ? text : text.slice(0, colon);
    if (name === "" && (colon >= 0 || url.special)) return false;
    url.host = parseHost(name, !url.special);
    if (url.host === null) return false;
    const port = colon < 0 ? "" : text.slice(colon + 1);
    return port === "" || (/^\d+$/.test(port) && assignPort(url, port));
  };

  const assignCredentials = (url, text) => {
    const colon = text.indexOf(":");
    url.username = percentEncode(colon < 0 ? text : text.slice(0, colon), USERINFO);
    if (colon >= 0) url.password = percentEncode(text.slice(colon + 1), USERINFO);
  };

  const parseAuthority = (url, text) => {
    const slash = url.special ? text.search(SLASH) : text.indexOf("/");
    const end = slash < 0 ? text.length : slash;
    const at = text.lastIndexOf("@", end - 1);
    if (at >= 0) {
      if (at === end - 1) return null;
      assignCredentials(url, text.slice(0, at));
    }
    if (!parseHostAndPort(url, text.slice(at + 1, end))) return null;
    url.path = startPath(url, text.slice(end));
    return url;
  };

  const parseFileHost = (url, text) => {
    const slash = text.search(SLASH);
    const end = slash < 0 ? text.length : slash;
    const name = text.slice(0, end);
    if (DRIVE.test(name)) {
      url.host = "";
      url.path = appendPath(url, "", text);
      return url;
    }
    const parsed = name === "" ? "" : parseHost(name, false);
    if (parsed === null) return null;
    url.host = parsed === "localhost" ? "" : parsed;
    url.path = startPath(url, text.slice(end));
    return url;
  };

  // Leaves the whole of the base's path and query, or what of the path a relative reference replaces.
  const mergePath = (url, text, base) => {
    if (text === "") {
      url.path = base.path;
      url.query = base.query;
    } else {
      const afresh = url.scheme === "file" && STARTS_WITH_DRIVE.test(text);
      url.path = appendPath(url, afresh ? "" : shorten(url, base.path), text);
    }
    return url;
  };

  // base is null unless it is a file URL.
  const parseFile = (url, text, base) => {
    const slashed = isSlash(url, text[0]);
    if (slashed && isSlash(url, text[1])) return parseFileHost(url, text.slice(2));
    url.host = base === null ? "" : base.host;
    if (!slashed && base !== null) return mergePath(url, text, base);
    const path = slashed ? text.slice(1) : text;
    const keepDrive = base !== null && !STARTS_WITH_DRIVE.test(path) && PATH_IN_DRIVE.test(base.path);
    url.path = appendPath(url, keepDrive ? base.path.slice(0, 3) : "", path);
    return url;
  };

  const skipSlashes = (text) => {
    let start = 0;
    while (text[start] === "/" || text[start] === "\\") start++;
    return text.slice(start);
  };

  // base has the same scheme as url here.
  const parseRelative = (url, text, base) => {
    const slashed = isSlash(url, text[0]);
    if (slashed && isSlash(url, text[1])) {
      return parseAuthority(url, url.special ? skipSlashes(text) : text.slice(2));
    }
    url.username = base.username;
    url.password = base.password;
    url.host = base.host;
    url.port = base.port;
    if (!slashed) return mergePath(url, text, base);
    url.path = appendPath(url, "", text.slice(1));
    return url;
  };

  const parseOpaque = (url, text) => {
    url.opaque = true;
    url.path = percentEncode(text, C0_CONTROL);
    return url;
  };

  const SCHEME = /^[a-z][a-z\d+.-]*:/i;

  // Spares the usual ones a new string, and with it a slow look-up in DEFAULT_PORTS.
  const lowerCaseScheme = (text, length) => {
    if (length === 5 && text.startsWith("https")) return "https";
    if (length === 4 && text.startsWith("http")) return "http";
    if (length === 4 && text.startsWith("file")) return "file";
    return text.slice(0, length).toLowerCase();
  };

  // fragmentOnly: there is nothing but a fragment, which is all that may be relative to an opaque path.
  const parseWithoutScheme = (text, base, fragmentOnly) => {
    if (base === null || (base.opaque && !fragmentOnly)) return null;
    const url = new Parts(base.scheme);
    if (base.opaque) {
      url.opaque = true;
      return mergePath(url, text, base);
    }
    return base.scheme === "file" ? parseFile(url, text, base) : parseRelative(url, text, base);
  };

  const parseUpToQuery = (text, base, fragmentOnly) => {
    if (!SCHEME.test(text)) return parseWithoutScheme(text, base, fragmentOnly);
    const colon = text.indexOf(":");
    const url = new Parts(lowerCaseScheme(text, colon));
    const rest = text.slice(colon + 1);
    const doubleSlash = rest[0] === "/" && rest[1] === "/";
    const sameScheme = base !== null && base.scheme === url.scheme;
    if (url.scheme === "file") return parseFile(url, rest, sameScheme ? base : null);
    if (url.special) {
      if (sameScheme && !doubleSlash) return parseRelative(url, rest, base);
      return parseAuthority(url, skipSlashes(rest));
    }
    if (doubleSlash) return parseAuthority(url, rest.slice(2));
    if (rest[0] !== "/") return parseOpaque(url, rest);
    url.path = startPath(url, rest);
    return url;
  };

  const parse = (input, base) => {
    let text = clean(input);
    const hash = text.indexOf("#");
    const fragment = hash < 0 ? null : text.slice(hash + 1);
    if (hash >= 0) text = text.slice(0, hash);
    const mark = text.indexOf("?");
    const url = parseUpToQuery(mark < 0 ? text : text.slice(0, mark), base, text === "" && hash >= 0);
    if (url === null) return null;
    if (mark >= 0) url.query = encodeQuery(url, text.slice(mark + 1));
    if (fragment !== null) url.fragment = percentEncode(fragment, FRAGMENT);
    return url;
  };

  // The short way. Most URLs are as plain as this and already in the form the parser would give them: a
  // special scheme, a lower-case host without Punycode that does not look like a shortened IPv4 address, no
  // default port, no drive letter, no dot segment and nothing to encode.
  const NAME_OR_SECRET = "[!$-.\\dA-Z_a-z~]+";
  const HOST_AND_PORT = `(?:${NAME}|${DOTTED})(?::(?!(?:80|443|21)(?:/|$))(?:[1-5]\\d{4}|[1-9]\\d{0,3}))?`;
  const WEB = "(?:https?|wss?|ftp)://";
  const NO_DOTS = "(?![^?#]*/(?:\\.|%2[eE])(?:\\.|%2[eE])?(?:[/?#]|$))";
  const PATH_AND_MORE = `${PLAIN_CHARS}(?:\\?[!$-&(-;=?-~]*)?(?:#[!#-;=?-_a-~]*)?$`;
  const REST = `(?=/)${NO_DOTS}${PATH_AND_MORE}`;
  const PLAIN = new RegExp(`^${WEB}${HOST_AND_PORT}${REST}`);
  // But for the dots in its path.
  const PLAIN_WITH_DOTS = new RegExp(`^${WEB}${HOST_AND_PORT}(?=/)${PATH_AND_MORE}`);
  const PLAIN_FILE = new RegExp(`^file://(?!/[A-Za-z][:|])${REST}`);
  const PLAIN_LOGIN = new RegExp(`^${WEB}${NAME_OR_SECRET}(?::${NAME_OR_SECRET})?@${HOST_AND_PORT}${REST}`);
  // With a host that may be plain in lower case.
  const CAPITALS = /^[a-z]+:\/\/[a-z\d._-]*[A-Z][\w.-]*(?::\d+)?\//;

  const withLowerHost = (input) => {
    const end = input.indexOf("/", input.indexOf(":") + 3);
    return input.slice(0, end).toLowerCase() + input.slice(end);
  };

  // A long path would be copied for each of its dots.
  const LONGEST_WITH_DOTS = 256;

  const plainHrefOfDots = (input) => {
    if (input.length > LONGEST_WITH_DOTS || !PLAIN_WITH_DOTS.test(input)) return null;
    const start = input.indexOf("/", input.indexOf(":") + 3), mark = input.search(/[?#]/);
    const end = mark < 0 ? input.length : mark;
    return input.slice(0, start) + withoutDots(input.slice(start, end)) + input.slice(end);
  };

  // The href of an input that can go the short way, or null.
  const plainHref = (input) => {
    if (PLAIN.test(input)) return input;
    if (DOT_SEGMENT.test(input)) return plainHrefOfDots(input);
    if (PLAIN_FILE.test(input) || (input.indexOf("@") >= 0 && PLAIN_LOGIN.test(input))) return input;
    const whole = input.indexOf("/", 8) < 0 ? input + "/" : CAPITALS.test(input) ? withLowerHost(input) : null;
    return whole !== null && PLAIN.test(whole) ? whole : null;
  };

  // Takes a plain href apart.
  const split = (href) => {
    const schemeEnd = href.indexOf(":");
    const url = new Parts(lowerCaseScheme(href, schemeEnd));
    const pathStart = href.indexOf("/", schemeEnd + 3);
    let authority = href.slice(schemeEnd + 3, pathStart);
    const at = authority.indexOf("@");
    if (at >= 0) {
      assignCredentials(url, authority.slice(0, at));
      authority = authority.slice(at + 1);
    }
    const colon = authority.indexOf(":");
    url.host = colon < 0 ? authority : authority.slice(0, colon);
    if (colon >= 0) url.port = +authority.slice(colon + 1);
    const hash = href.indexOf("#", pathStart);
    if (hash >= 0) url.fragment = href.slice(hash + 1);
    const end = hash < 0 ? href.length : hash;
    const mark = href.indexOf("?", pathStart);
    const hasQuery = mark >= 0 && mark < end;
    if (hasQuery) url.query = href.slice(mark + 1, end);
    url.path = href.slice(pathStart, hasQuery ? mark : end);
    return url;
  };

  // base is a string or undefined.
  const parseAgainst = (input, base) => {
    if (base === undefined) return parse(input, null);
    const href = plainHref(base);
    const parts = href === null ? parse(base, null) : split(href);
    return parts === null ? null : parse(input, parts);
  };

  const serialize = (url) => {
    let out = url.scheme + ":";
    if (url.host !== null) {
      out += "//";
      if (hasCredentials(url)) out += url.username + (url.password === "" ? "@" : `:${url.password}@`);
      out += hostAndPort(url);
    } else if (!url.opaque && url.path.startsWith("//")) {
      // Without this the path would read as an authority.
      out += "/.";
    }
    out += url.path;
    if (url.query !== null) out += "?" + url.query;
    return url.fragment === null ? out : out + "#" + url.fragment;
  };

  const hostAndPort = (url) => (url.port === null ? url.host : `${url.host}:${url.port}`);

  const serializeOrigin = (url) => {
    if (url.scheme === "blob") {
      const inner = parse(url.path, null);
      const web = inner !== null && (inner.scheme === "http" || inner.scheme === "https");
      return web ? serializeOrigin(inner) : "null";
    }
    return url.special && url.scheme !== "file" ? `${url.scheme}://${hostAndPort(url)}` : "null";
  };

  const forSetters = { SCHEME, USERINFO, FRAGMENT, isSpecialScheme, hasCredentials, cannotHaveCredentials };
  /** Whether a text is the port that a scheme has if none is given. */
  const isDefaultPort = (scheme, text) => DEFAULT_PORTS[scheme] !== undefined && `${DEFAULT_PORTS[scheme]}` === text;
  const forHosts = { parseHost, findPort, assignPort, isDefaultPort, hostAndPort };
  const forText = { removeTabsAndNewlines, percentEncode, encodeQuery, startPath };
  const whole = { Parts, parse, parseAgainst, parseOpaque, plainHref, split, serialize, serializeOrigin };
  return { ...forSetters, ...forHosts, ...forText, ...whole };
})
