// SPDX-License-Identifier: MIT
// What a pattern, or what is matched against one, says of each component, and what of these it has from a base URL
// (WHATWG URL Pattern Standard, section 3.2).
((host) => {
  "use strict";
  const { parser, parts } = host;
  const { parse, isSpecialScheme } = parser;
  const { canonical, slice } = host.components;
  const { escapePattern } = parts;
  const { TypeError } = globalThis;
  const lastIndexIn = Function.prototype.call.bind(String.prototype.lastIndexOf);

  const ALL = ["protocol", "username", "password", "hostname", "port", "pathname", "search", "hash"];

  /** Whether a record has any of the components before the given one in a list. */
  const hasUpTo = (init, names, end) => {
    for (let i = 0; i <= end; i++) if (init[names[i]] !== undefined) return true;
    return false;
  };
  // From what says least to what says most: of a component that is given, the base says nothing behind it.
  const PATHS = ["protocol", "hostname", "port", "pathname", "search", "hash"];
  const USERS = ["protocol", "hostname", "port", "username", "password"];

  const valueIn = (base, name) => {
    if (name === "protocol") return base.scheme;
    if (name === "hostname") return base.host ?? "";
    if (name === "port") return base.port === null ? "" : `${base.port}`;
    if (name === "pathname") return base.path;
    if (name === "search") return base.query ?? "";
    return name === "hash" ? base.fragment ?? "" : base[name];
  };

  const inherit = (result, init, base, isPattern) => {
    for (let i = 0; i < PATHS.length; i++) {
      if (hasUpTo(init, PATHS, i)) break;
      const value = valueIn(base, PATHS[i]);
      result[PATHS[i]] = isPattern ? escapePattern(value) : value;
    }
    // A pattern asks for no name and no password unless it says so itself.
    for (let i = 3; i < USERS.length && !isPattern && !hasUpTo(init, USERS, i); i++) result[USERS[i]] = base[USERS[i]];
  };

  const isAbsolute = (path, isPattern) => {
    if (path[0] === "/") return true;
    return isPattern && (path[0] === "\\" || path[0] === "{") && path[1] === "/";
  };

  const resolve = (path, base, isPattern) => {
    if (base === null || base.opaque || isAbsolute(path, isPattern)) return path;
    const basePath = isPattern ? escapePattern(base.path) : base.path;
    return slice(basePath, 0, lastIndexIn(basePath, "/") + 1) + path;
  };

  const parseBase = (text) => {
    const base = parse(text, null);
    if (base === null) throw new TypeError(`URLPattern: the base URL "${text}" is no absolute URL`);
    return base;
  };

  const withoutFirst = (text, mark) => (text[0] === mark ? slice(text, 1) : text);
  const withoutColon = (text) => (text[text.length - 1] === ":" ? slice(text, 0, -1) : text);

  /** What each component of a pattern says: undefined for one that says nothing. */
  const patternsOf = (init) => {
    const result = { __proto__: null };
    const base = init.baseURL === undefined ? null : parseBase(init.baseURL);
    if (base !== null) inherit(result, init, base, true);
    for (let i = 0; i < ALL.length; i++) result[ALL[i]] = init[ALL[i]] ?? result[ALL[i]];
    if (init.protocol !== undefined) result.protocol = withoutColon(init.protocol);
    if (init.pathname !== undefined) result.pathname = resolve(init.pathname, base, true);
    if (init.search !== undefined) result.search = withoutFirst(init.search, "?");
    if (init.hash !== undefined) result.hash = withoutFirst(init.hash, "#");
    return result;
  };

  /** The same of what is matched, in the form that a URL would have it; throws for what no URL can have. */
  const valuesOf = (init) => {
    const result = { __proto__: null };
    for (let i = 0; i < ALL.length; i++) result[ALL[i]] = "";
    const base = init.baseURL === undefined ? null : parseBase(init.baseURL);
    if (base !== null) inherit(result, init, base, false);
    if (init.protocol !== undefined) result.protocol = canonical.protocol(withoutColon(init.protocol));
    if (init.username !== undefined) result.username = canonical.userinfo(init.username);
    if (init.password !== undefined) result.password = canonical.userinfo(init.password);
    if (init.hostname !== undefined) result.hostname = canonical.hostname(init.hostname);
    if (init.port !== undefined) result.port = canonical.port(init.port, result.protocol);
    if (init.pathname !== undefined) {
      const isPlain = result.protocol === "" || isSpecialScheme(result.protocol);
      const path = resolve(init.pathname, base, false);
      result.pathname = isPlain ? canonical.pathname(path) : canonical.opaquePathname(path);
    }
    if (init.search !== undefined) result.search = canonical.search(withoutFirst(init.search, "?"));
    if (init.hash !== undefined) result.hash = canonical.hash(withoutFirst(init.hash, "#"));
    return result;
  };

  const partsIn = (url) => {
    const result = { __proto__: null, username: url.username, password: url.password };
    for (let i = 0; i < PATHS.length; i++) result[PATHS[i]] = valueIn(url, PATHS[i]);
    return result;
  };

  return { ALL, patternsOf, valuesOf, partsIn };
})
