// SPDX-License-Identifier: MIT
// URLPattern (WHATWG URL Pattern Standard).
((host) => {
  "use strict";
  const { append, finish, notCloneable, parser } = host;
  const { ALL, patternsOf, valuesOf, partsIn } = host.init;
  const { compileAll, exec } = host.components;
  const { parseString } = host.strings;
  // Taken when the file is loaded, so that scripts which later replace them do not change what patterns mean.
  const { TypeError } = globalThis;
  const { defineProperty } = Reflect;
  const toWellFormed = Function.prototype.call.bind(String.prototype.toWellFormed);

  /** What stands for no pattern. */
  const NOTHING = { __proto__: null };
  const isObject = (value) => (typeof value === "object" ? value !== null : typeof value === "function");
  const isRecord = (value) => value === undefined || value === null || isObject(value);
  const toUSVString = (value) => toWellFormed(`${value}`);
  const keep = (object, name, value) => defineProperty(object, name,
    { __proto__: null, value, writable: true, enumerable: true, configurable: true });

  // As Web IDL reads a dictionary and gives one: in the order of the alphabet.
  const READ = ["baseURL", "hash", "hostname", "password", "pathname", "port", "protocol", "search", "username"];
  const GIVEN = ["hash", "hostname", "inputs", "password", "pathname", "port", "protocol", "search", "username"];

  const toInit = (value) => {
    const init = { __proto__: null };
    if (!isObject(value)) return init;
    for (let i = 0; i < READ.length; i++) {
      const given = value[READ[i]];
      if (given !== undefined) init[READ[i]] = toUSVString(given);
    }
    return init;
  };

  /** A text, or a record of components. */
  const toInput = (value) => (isRecord(value) ? toInit(value) : toUSVString(value));

  const toIgnoreCase = (options) => {
    if (isRecord(options)) return isObject(options) && !!options.ignoreCase;
    throw new TypeError("URLPattern: the options must be an object");
  };

  // --- Making one -----------------------------------------------------------------------------------------

  const initOf = (input, base) => {
    if (typeof input !== "string") {
      if (base === null) return input;
      throw new TypeError("URLPattern: a base URL goes with a text; components have it as their member 'baseURL'");
    }
    const init = parseString(input);
    if (base !== null) init.baseURL = base;
    else if (init.protocol === undefined) {
      throw new TypeError(`URLPattern: "${input}" is relative: it needs a base URL as the second argument`);
    }
    return init;
  };

  const make = (input, base, ignoreCase) => {
    const record = patternsOf(initOf(input, base));
    for (let i = 0; i < ALL.length; i++) record[ALL[i]] ??= "*";
    if (parser.isDefaultPort(record.protocol, record.port)) record.port = "";
    return compileAll(record, ignoreCase);
  };

  // --- Matching -------------------------------------------------------------------------------------------

  /** The components of what is matched; null for what is no URL. */
  const componentsOf = (input, base) => {
    if (typeof input === "string") {
      const url = parser.parseAgainst(input, base);
      return url === null ? null : partsIn(url);
    }
    if (base !== undefined) {
      throw new TypeError("URLPattern: a base URL goes with a text; components have it as their member 'baseURL'");
    }
    try { return valuesOf(input); } catch { return null; }
  };

  /** What each component's expression found; null if one of them did not match. */
  const find = (components, values) => {
    const found = { __proto__: null };
    for (let i = 0; i < ALL.length; i++) {
      found[ALL[i]] = exec(components[ALL[i]].expression, values[ALL[i]]);
      if (found[ALL[i]] === null) return null;
    }
    return found;
  };

  const inputsOf = (input, base) => {
    let first = input;
    if (typeof input !== "string") {
      first = {};
      for (let i = 0; i < READ.length; i++) if (input[READ[i]] !== undefined) keep(first, READ[i], input[READ[i]]);
    }
    const inputs = [];
    append(inputs, first);
    if (base !== undefined) append(inputs, base);
    return inputs;
  };

  const componentResult = ({ names }, input, found) => {
    const groups = {};
    for (let i = 0; i < names.length; i++) keep(groups, names[i], found[i + 1]);
    const result = {};
    keep(result, "groups", groups);
    keep(result, "input", input);
    return result;
  };

  const resultOf = (components, values, found, inputs) => {
    const result = {};
    for (let i = 0; i < GIVEN.length; i++) {
      const name = GIVEN[i];
      keep(result, name, name === "inputs" ? inputs : componentResult(components[name], values[name], found[name]));
    }
    return result;
  };

  // --- The interface --------------------------------------------------------------------------------------

  let isPattern, ignoresCase;

  class URLPattern {
    #components;
    #ignoresCase;

    static {
      isPattern = (value) => isObject(value) && #components in value;
      ignoresCase = (pattern) => pattern.#ignoresCase;
      notCloneable(isPattern);
    }

    constructor(input = NOTHING, baseOrOptions = undefined, options = undefined) {
      const hasBase = arguments.length > 2 || !isRecord(baseOrOptions);
      const given = toInput(input);
      const base = hasBase ? toUSVString(baseOrOptions) : null;
      this.#ignoresCase = toIgnoreCase(hasBase ? options : baseOrOptions);
      this.#components = make(given, base, this.#ignoresCase);
    }

    test(input = NOTHING, baseURL = undefined) {
      const components = this.#components;
      const given = toInput(input);
      const values = componentsOf(given, baseURL === undefined ? undefined : toUSVString(baseURL));
      return values !== null && find(components, values) !== null;
    }

    exec(input = NOTHING, baseURL = undefined) {
      const components = this.#components;
      const given = toInput(input);
      const base = baseURL === undefined ? undefined : toUSVString(baseURL);
      const values = componentsOf(given, base);
      const found = values === null ? null : find(components, values);
      return found === null ? null : resultOf(components, values, found, inputsOf(given, base));
    }

    get protocol() { return this.#components.protocol.pattern; }
    get username() { return this.#components.username.pattern; }
    get password() { return this.#components.password.pattern; }
    get hostname() { return this.#components.hostname.pattern; }
    get port() { return this.#components.port.pattern; }
    get pathname() { return this.#components.pathname.pattern; }
    get search() { return this.#components.search.pattern; }
    get hash() { return this.#components.hash.pattern; }

    get hasRegExpGroups() {
      const components = this.#components;
      for (let i = 0; i < ALL.length; i++) if (components[ALL[i]].hasExpressions) return true;
      return false;
    }
  }
  finish(URLPattern, "URLPattern", [...ALL, "hasRegExpGroups", "test", "exec"]);
  host.showsFields(URLPattern, "URLPattern", [...ALL, "hasRegExpGroups"], isPattern);
  const componentsIn = host.fieldsOf(URLPattern, ALL, isPattern);
  host.compares("URLPattern", (pattern) => {
    const { list } = componentsIn(pattern);
    list[list.length] = ignoresCase(pattern);
    return list;
  }, isPattern);

  return { URLPattern };
})
