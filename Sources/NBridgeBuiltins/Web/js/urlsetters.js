// SPDX-License-Identifier: MIT
// What the setters of URL do to its parts (WHATWG URL Standard, section 6.1). It has a global object of its own, as the
// parser has.
((host) => {
  "use strict";

  const { SCHEME, USERINFO, FRAGMENT, isSpecialScheme, hasCredentials, cannotHaveCredentials } = host.parser;
  const { removeTabsAndNewlines, percentEncode, encodeQuery, parseHost, findPort, assignPort, startPath } = host.parser;
  const { withoutMark } = host.texts;

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

  /** A base as messages have it: the address of a worker may be its whole script. */
  const shownBase = (base) => (base.length > 80 && base.startsWith("data:") ? `${base.slice(0, 80)}...` : base);

  return {
    setProtocol, setUsername, setPassword, setHost, setHostname, setPort, setPathname, setSearch, setHash, setQuery, shownBase,
  };
})
