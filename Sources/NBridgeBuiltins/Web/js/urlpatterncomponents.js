// SPDX-License-Identifier: MIT
// The components of a URL pattern: how each is compiled, its fixed text and its values made canonical by the URL parser
// (WHATWG URL Pattern Standard, sections 1.5 and 3.1).
((host) => {
  "use strict";
  const { parser, parts } = host;
  const { Parts, USERINFO, FRAGMENT, parse, parseHost, findPort, assignPort, startPath, encodeQuery, percentEncode } = parser;
  const { removeTabsAndNewlines, parseOpaque } = parser;
  const { TypeError } = globalThis;
  const RegExpOf = RegExp;
  const uncurry = (method) => Function.prototype.call.bind(method);
  const exec = uncurry(RegExp.prototype.exec);
  const [unitAt, indexIn, slice, toLowerCase] = ["charCodeAt", "indexOf", "slice", "toLowerCase"]
    .map((name) => uncurry(String.prototype[name]));

  // --- Canonical texts ------------------------------------------------------------------------------------

  // What a part of a URL is made canonical in: that of a special scheme.
  const makeURL = () => new Parts("https");

  const refuse = (what, value, why) => { throw new TypeError(`URLPattern: the ${what} "${value}" ${why}`); };

  const protocol = (value) => {
    if (value === "") return value;
    const url = parse(value + "://dummy.invalid/", null);
    return url === null ? refuse("protocol", value, "is no scheme; one begins with a letter, as https") : url.scheme;
  };

  const [HYPHEN, SLASH] = [0x2D, 0x2F];

  /** Letters, digits, "-" and one character more, which are canonical in all components but the protocol and the host. */
  const isPlain = (value, more = HYPHEN) => {
    for (let i = 0; i < value.length; i++) {
      const unit = unitAt(value, i);
      const isLetter = (unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7A;
      if (!isLetter && !(unit >= 0x30 && unit <= 0x39) && unit !== HYPHEN && unit !== more) return false;
    }
    return true;
  };

  const userinfo = (value) => (isPlain(value) ? value : percentEncode(value, USERINFO));

  /** Up to where a host's text goes. */
  const authorityOf = (text) => {
    for (let i = 0; i < text.length; i++) {
      const char = text[i];
      if (char === "/" || char === "\\" || char === "?" || char === "#") return slice(text, 0, i);
    }
    return text;
  };

  const hostname = (value) => {
    if (value === "") return value;
    const text = authorityOf(removeTabsAndNewlines(value));
    const parsed = text === "" || findPort(text) >= 0 ? null : parseHost(text, false);
    return parsed === null ? refuse("hostname", value, "is no host; a port is a component of its own") : parsed;
  };

  /** A hex digit, ":", "[" or "]". */
  const isInIPv6 = (unit) =>
    (unit >= 0x30 && unit <= 0x3A) || unit === 0x5B || unit === 0x5D || ((unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x66);

  const ipv6Hostname = (value) => {
    for (let i = 0; i < value.length; i++) {
      if (!isInIPv6(unitAt(value, i))) refuse("hostname", value, "is no part of an IPv6 address");
    }
    return toLowerCase(value);
  };

  /** What digits there are, whatever follows them; "" for the port that is the scheme's own. */
  const port = (value, scheme) => {
    if (value === "") return value;
    const text = removeTabsAndNewlines(value);
    let end = 0;
    while (unitAt(text, end) >= 0x30 && unitAt(text, end) <= 0x39) end++;
    const url = new Parts(scheme);
    if (end === 0 || !assignPort(url, slice(text, 0, end))) refuse("port", value, "is no number from 0 to 65535");
    return url.port === null ? "" : `${url.port}`;
  };
  const portAlone = (value) => port(value, "");

  /** A piece that begins within a segment gets one before it, lest a dot that it begins with be dropped. */
  const pathname = (value) => {
    if (isPlain(value, SLASH)) return value;
    const isWhole = value[0] === "/";
    const path = startPath(makeURL(), removeTabsAndNewlines(isWhole ? value : "/-" + value));
    return isWhole ? path : slice(path, 2);
  };

  const opaquePathname = (value) => {
    if (isPlain(value)) return value;
    const text = removeTabsAndNewlines(value);
    let end = 0;
    while (end < text.length && text[end] !== "?" && text[end] !== "#") end++;
    return parseOpaque(makeURL(), slice(text, 0, end)).path;
  };

  const search = (value) => (isPlain(value) ? value : encodeQuery(makeURL(), removeTabsAndNewlines(value)));
  const hash = (value) => (isPlain(value) ? value : percentEncode(removeTabsAndNewlines(value), FRAGMENT));

  // --- Compiled components --------------------------------------------------------------------------------

  const makeOptions = (delimiter, prefix, ignoreCase) => ({ __proto__: null, delimiter, prefix, ignoreCase, whole: null });
  const PLAIN = makeOptions("", "", false), PLAIN_ANY_CASE = makeOptions("", "", true);
  const HOST = makeOptions(".", "", false);
  const PATH = makeOptions("/", "/", false), PATH_ANY_CASE = makeOptions("/", "/", true);

  const compileAfresh = (input, encode, options) => {
    const list = parts.parse(input, options, encode);
    const { source, names } = parts.toExpression(list, options);
    let expression;
    try {
      expression = new RegExpOf(source, options.ignoreCase ? "vi" : "v");
    } catch (error) {
      throw new TypeError(`URLPattern: "${input}" has a group that is no regular expression with the flag 'v': ${error.message}`);
    }
    let hasExpressions = false;
    for (let i = 0; i < list.length; i++) if (list[i].type === "regexp") hasExpressions = true;
    return { __proto__: null, pattern: parts.toPattern(list, options), expression, names, hasExpressions };
  };

  /** Most components of most patterns are a "*". */
  const compile = (input, encode, options) =>
    input === "*" ? options.whole ??= compileAfresh(input, encode, options) : compileAfresh(input, encode, options);

  const isIPv6 = (input) => {
    if (input.length < 2) return false;
    return input[0] === "[" || ((input[0] === "{" || input[0] === "\\") && input[1] === "[");
  };

  const matchesSpecial = ({ expression }) => {
    const matches = (scheme) => exec(expression, scheme) !== null;
    return matches("http") || matches("https") || matches("ws") || matches("wss") || matches("ftp") || matches("file");
  };

  const compileProtocol = (input) => compile(input, protocol, PLAIN);

  /** All components of a record that has a pattern string for each. */
  const compileAll = (record, ignoreCase) => {
    const compiled = { __proto__: null };
    compiled.protocol = compileProtocol(record.protocol);
    compiled.username = compile(record.username, userinfo, PLAIN);
    compiled.password = compile(record.password, userinfo, PLAIN);
    compiled.hostname = compile(record.hostname, isIPv6(record.hostname) ? ipv6Hostname : hostname, HOST);
    compiled.port = compile(record.port, portAlone, PLAIN);
    const plain = ignoreCase ? PLAIN_ANY_CASE : PLAIN;
    compiled.pathname = matchesSpecial(compiled.protocol)
      ? compile(record.pathname, pathname, ignoreCase ? PATH_ANY_CASE : PATH)
      : compile(record.pathname, opaquePathname, plain);
    compiled.search = compile(record.search, search, plain);
    compiled.hash = compile(record.hash, hash, plain);
    return compiled;
  };

  const canonical = { __proto__: null, protocol, userinfo, hostname, port, pathname, opaquePathname, search, hash };
  return { canonical, compileAll, compileProtocol, matchesSpecial, exec, indexIn, slice };
})
