// SPDX-License-Identifier: MIT
// node:url: the web's URL, paths of file URLs, and the older parser.
"use strict";

const { coded, check, invalidArgType, invalidArgValue } = require("node:internal/errors");
const { Url } = require("node:internal/oldurl");

const invalid = (message) => coded(TypeError, "ERR_INVALID_FILE_URL_PATH", message);

const fileURLToPath = (value, options) => {
  if (typeof value === "string" && !URL.canParse(value)) {
    throw coded(TypeError, "ERR_INVALID_URL", "Invalid URL", { input: value });
  }
  const url = typeof value === "string" ? new URL(value) : value;
  if (!(url instanceof URL) && !(url?.href && url.protocol)) throw invalidArgType("path", ["string", "URL"],
    value);
  if (url.protocol !== "file:") throw coded(TypeError, "ERR_INVALID_URL_SCHEME",
    "The URL must be of scheme file");
  if (options?.windows) return windowsPath(url);
  if (url.hostname !== "") {
    throw coded(TypeError, "ERR_INVALID_FILE_URL_HOST",
      'File URL host must be "localhost" or empty on linux');
  }
  if (/%2f/i.test(url.pathname)) throw invalid("File URL path must not include encoded / characters");
  return decodeURIComponent(url.pathname);
};

const windowsPath = (url) => {
  if (/%2f|%5c/i.test(url.pathname)) throw invalid(
    "File URL path must not include encoded \\ or / characters");
  const path = decodeURIComponent(url.pathname.replaceAll("/", "\\"));
  if (url.hostname !== "") return `\\\\${url.hostname}${path}`;
  if (!/^\\[A-Za-z]:/.test(path)) throw invalid("File URL path must be absolute");
  return path.slice(1);
};

// What a URL's own parser would take for something else, or leave as it is.
const escaped = (path) => path.replace(/[%\\\n\r\t ?#[\]^|~]/g,
  (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);

const pathToFileURL = (path, options) => {
  check.string(path, "path");
  const { posix, win32 } = require("node:path");
  let whole = (options?.windows ? win32 : posix).resolve(path);
  if (/[/\\]$/.test(path) && !/[/\\]$/.test(whole)) whole += options?.windows ? "\\" : "/";
  if (!options?.windows) return new URL(`file://${escaped(whole)}`);
  whole = escaped(whole.replaceAll("\\", "/"));
  return new URL(whole.startsWith("//") ? `file:${whole}` : `file:///${whole}`);
};

/** A name of a host as people write it; a part that does not decode stays as it is. */
const unicodeOf = (host) => {
  const { decode } = require("node:punycode");
  return host.split(".").map((part) => {
    if (!part.startsWith("xn--")) return part;
    try { return decode(part.slice(4)); } catch { return part; }
  }).join(".");
};
const credentialsOf = ({ username, password }) => username + (password === "" ? "" : `:${password}`);

const formatURL = (url, { auth = true, fragment = true, search = true, unicode = false } = {}) => {
  const copy = new URL(url.href);
  if (!fragment) copy.hash = "";
  if (!search) copy.search = "";
  if (!auth) copy.username = copy.password = "";
  if (!unicode) return copy.href;
  const { hostname } = copy;
  // Only what stands before the path is the name.
  const start = copy.href.indexOf(hostname, copy.href.indexOf("//") + 2 + credentialsOf(copy).length);
  return copy.href.slice(0, start) + unicodeOf(hostname) + copy.href.slice(start + hostname.length);
};

const parse = (text, parsesQuery, slashes) => text instanceof Url ? text
  : new Url().parse(text, parsesQuery, slashes);

const format = (value, options) => {
  if (typeof value === "string") return parse(value).format();
  if (value === null || typeof value !== "object") {
    throw coded(TypeError, "ERR_INVALID_ARG_TYPE",
      'The "urlObject" argument must be one of type object or string. ' +
      `Received ${require("node:internal/errors").described(value)}`);
  }
  if (value instanceof URL) {
    if (options !== undefined) check.object(options, "options");
    return formatURL(value, options);
  }
  return Url.prototype.format.call(value);
};

const hostOf = (name) => { try { return new URL(`ws://${name}`).hostname; } catch { return ""; } };

const urlToHttpOptions = (url) => {
  if (!(url instanceof URL)) throw invalidArgValue("url", url);
  const { hostname, port, username, password } = url;
  return {
    __proto__: null, protocol: url.protocol, hostname: hostname.startsWith("[") ? hostname.slice(1, -1)
      : hostname,
    hash: url.hash, search: url.search, pathname: url.pathname, path: `${url.pathname}${url.search}`,
      href: url.href,
    ...(port !== "" && { port: Number(port) }),
    ...((username || password) &&
      { auth: `${decodeURIComponent(username)}:${decodeURIComponent(password)}` }),
  };
};

module.exports = {
  URL: globalThis.URL, URLSearchParams: globalThis.URLSearchParams, Url, parse, format,
  resolve: (from, to) => parse(from, false, true).resolve(to),
  resolveObject: (from, to) => from ? parse(from, false, true).resolveObject(to) : to,
  domainToASCII: (name) => hostOf(`${name}`), domainToUnicode: (name) => unicodeOf(hostOf(`${name}`)),
  fileURLToPath, pathToFileURL, urlToHttpOptions,
};
