// SPDX-License-Identifier: MIT
// The parser of URLs that node:url had before the web's standard: it takes what is no URL too (`/a?b`,
// `//host`), and keeps what it does not know.
"use strict";

const { check, coded } = require("node:internal/errors");

const FIELDS = ["protocol", "slashes", "auth", "host", "port", "hostname", "hash", "search", "query",
  "pathname", "path", "href"];
const SLASHED = new Set(["http", "https", "ftp", "gopher", "file", "ws", "wss"].flatMap((name) =>
  [name, `${name}:`]));
// What a path or a query must not have as it is; each is escaped.
const UNWISE = /[\t\n\r "'<>\\^`{|}]/g;
const escaped = (text) => text.replace(UNWISE,
  (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);

function Url() { for (const field of FIELDS) this[field] = null; }

Url.prototype.parse = function parse(url, parsesQuery, slashesDenoteHost) {
  check.string(url, "url");
  let rest = url.trim();
  const mark = rest.search(/[?#]/);
  // Backslashes before a query are slashes, as browsers have it.
  rest = mark < 0 ? rest.replaceAll("\\", "/") : rest.slice(0, mark).replaceAll("\\", "/") + rest.slice(mark);
  const scheme = /^[a-z0-9.+-]+:/i.exec(rest)?.[0];
  if (scheme) {
    this.protocol = scheme.toLowerCase();
    rest = rest.slice(scheme.length);
  }
  const isScript = this.protocol === "javascript:";
  const startsHost = rest.startsWith("//") && !isScript &&
    (slashesDenoteHost || scheme !== undefined || /^\/\/[^@/]+@[^@/]+/.test(rest));
  if (startsHost) {
    this.slashes = true;
    rest = rest.slice(2);
  }
  if (startsHost || (scheme && !isScript && !SLASHED.has(this.protocol))) rest = takeHost(this, rest);
  if (!isScript) rest = escaped(rest);
  const hash = rest.indexOf("#");
  if (hash >= 0) {
    this.hash = rest.slice(hash);
    rest = rest.slice(0, hash);
  }
  const query = rest.indexOf("?");
  if (query >= 0) {
    this.search = rest.slice(query);
    this.query = rest.slice(query + 1);
    if (parsesQuery) this.query = require("node:querystring").parse(this.query);
    rest = rest.slice(0, query);
  } else if (parsesQuery) {
    this.search = null;
    this.query = { __proto__: null };
  }
  if (rest) this.pathname = rest;
  if (SLASHED.has(this.protocol) && this.hostname && !this.pathname) this.pathname = "/";
  if (this.pathname || this.search) this.path = (this.pathname ?? "") + (this.search ?? "");
  this.href = this.format();
  return this;
};

const asciiOf = (host) => {
  try { return new URL(`ws://${host}`).hostname; } catch { throw coded(TypeError, "ERR_INVALID_URL",
    "Invalid URL", { input: host }); }
};

/** Takes user, host and port from the start; answers the rest. */
const takeHost = (url, text) => {
  const end = text.search(/[/?#]/);
  let host = end < 0 ? text : text.slice(0, end);
  let rest = end < 0 ? "" : text.slice(end);
  const at = host.lastIndexOf("@");
  if (at >= 0) {
    url.auth = decodeURIComponent(host.slice(0, at));
    host = host.slice(at + 1);
  }
  const port = /:(\d*)$/.exec(host);
  if (port !== null && !/^\[[^\]]*$/.test(host)) {
    if (port[1] !== "") url.port = port[1];
    host = host.slice(0, port.index);
  }
  const isAddress = host.startsWith("[") && host.endsWith("]");
  if (!isAddress) {
    const odd = /[\t\n\r "%':;<>\\^`{|}]/.exec(host);
    if (odd !== null) {
      rest = (odd[0] === ":" ? "/" : "") + host.slice(odd.index) + rest;
      host = host.slice(0, odd.index);
    }
  }
  if (/[^\0-\x7f]/.test(host)) host = asciiOf(host);
  url.hostname = host.length > 255 ? "" : host.toLowerCase();
  url.host = url.hostname + (url.port ? `:${url.port}` : "");
  if (isAddress) url.hostname = url.hostname.slice(1, -1);
  return rest;
};

Url.prototype.format = function format() {
  const auth = this.auth ? `${encodeURIComponent(this.auth).replace(/%3A/i, ":")}@` : "";
  let protocol = this.protocol || "";
  let pathname = this.pathname || "";
  let hash = this.hash || "";
  let host = "";
  if (this.host) {
    host = auth + this.host;
  } else if (this.hostname) {
    const isAddress = this.hostname.includes(":") && !this.hostname.startsWith("[");
    host = auth + (isAddress ? `[${this.hostname}]` : this.hostname) + (this.port ? `:${this.port}` : "");
  }
  const isQuery = this.query !== null && typeof this.query === "object";
  const query = isQuery ? require("node:querystring").stringify(this.query) : "";
  let search = this.search || (query && `?${query}`) || "";
  if (protocol && !protocol.endsWith(":")) protocol += ":";
  pathname = pathname.replace(/[?#]/g, (mark) => (mark === "?" ? "%3F" : "%23"));
  if (this.slashes || (SLASHED.has(protocol) && host)) {
    if (this.slashes || host) {
      if (pathname && !pathname.startsWith("/")) pathname = `/${pathname}`;
      host = `//${host}`;
    }
  } else if (SLASHED.has(protocol) && protocol === "file:" && pathname.startsWith("/")) {
    host = "//";
  }
  search = search.replaceAll("#", "%23");
  if (hash && !hash.startsWith("#")) hash = `#${hash}`;
  if (search && !search.startsWith("?")) search = `?${search}`;
  return protocol + host + pathname + search + hash;
};

Url.prototype.resolve = function resolve(relative) {
  return this.resolveObject(new Url().parse(relative, false, true)).format();
};

const copyOf = (url) => Object.assign(new Url(),
  Object.fromEntries(FIELDS.map((field) => [field, url[field]])));

Url.prototype.resolveObject = function resolveObject(given) {
  const relative = typeof given === "string" ? new Url().parse(given, false, true) : given;
  const result = copyOf(this);
  result.hash = relative.hash;
  const finish = () => {
    result.path = result.pathname || result.search ? (result.pathname || "") + (result.search || "") : null;
    result.href = result.format();
    return result;
  };
  if (relative.href === "") return finish();
  if (relative.protocol && relative.protocol !== result.protocol) {
    const other = copyOf(relative);
    if (SLASHED.has(relative.protocol) && relative.protocol !== "file:" && !relative.host &&
      relative.pathname) {
      const parts = relative.pathname.split("/");
      while (parts.length > 0 && !(other.host = parts.shift()));
      other.hostname = other.host;
      other.pathname = `/${parts.join("/")}`;
      other.slashes = true;
    }
    other.href = other.format();
    return other;
  }
  if (relative.slashes && !relative.protocol || relative.host) {
    const auth = relative.host === result.host ? result.auth : null;
    for (const field of FIELDS) if (field !== "protocol" && field !== "href") result[field] = relative[field];
    result.auth ??= auth;
    result.slashes = result.slashes || this.slashes;
  } else if (relative.pathname || relative.search !== null) {
    if (result.host && !SLASHED.has(result.protocol) && relative.pathname) return fromHost(result, relative, finish);
    const [from, to] = [result.pathname || "", relative.pathname || ""];
    result.search = to === "" && relative.search === null ? result.search : relative.search;
    result.query = relative.query;
    if (to.startsWith("/")) result.pathname = to;
    else if (to !== "") result.pathname = from.slice(0, from.lastIndexOf("/") + 1) + to;
  }
  if (result.pathname) result.pathname = withoutDots(result.pathname, result.host ||
    this.pathname?.startsWith("/"));
  if (result.host && !result.pathname && SLASHED.has(result.protocol)) result.pathname = "/";
  return finish();
};

/** Of a URL without slashes what looks like a host is the path's first part: `mailto:x` and `y` make `mailto:y`. */
const fromHost = (result, relative, finish) => {
  const from = result.host + (result.pathname || "");
  const to = relative.pathname;
  const whole = to.startsWith("/") ? to : from.slice(0, from.lastIndexOf("/") + 1) + to;
  const parts = withoutDots(whole, false).replace(/^(\.\.\/)+/, "").split("/");
  const host = parts.shift();
  const at = host.indexOf("@");
  if (at > 0) result.auth = host.slice(0, at);
  result.host = result.hostname = host.slice(at > 0 ? at + 1 : 0);
  result.port = null;
  result.pathname = parts.length > 0 ? `/${parts.join("/")}` : null;
  [result.search, result.query] = [relative.search, relative.query];
  return finish();
};

/** `.` and `..` taken out; above the root there is nothing. */
const withoutDots = (path, isRooted) => {
  const isWhole = path.startsWith("/") || isRooted;
  const parts = path.replace(/^\//, "").split("/");
  const kept = [];
  parts.forEach((part, at) => {
    const isLast = at === parts.length - 1;
    if (part === "..") {
      if (kept.length > 0 && kept.at(-1) !== "..") kept.pop();
      else if (!isWhole) kept.push("..");
    } else if (part !== ".") {
      kept.push(part);
    }
    if (isLast && (part === "." || part === "..")) kept.push("");
  });
  return (isWhole ? "/" : "") + kept.join("/");
};

module.exports = { Url };
