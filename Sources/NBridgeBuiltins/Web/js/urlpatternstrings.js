// SPDX-License-Identifier: MIT
// The parser of constructor strings: a whole pattern as its components (WHATWG URL Pattern Standard, section 1.6).
((host) => {
  "use strict";
  const { tokenize } = host.tokens;
  const { compileProtocol, matchesSpecial, slice } = host.components;

  // The order of the states, for what comes before and behind what.
  const ORDER = { __proto__: null, protocol: 1, authority: 2, username: 3, password: 4, hostname: 5, port: 6, pathname: 7,
    search: 8, hash: 9 };

  const isLiteral = ({ type }) => type === "char" || type === "escaped-char" || type === "invalid-char";
  /** Behind these a "?" is a modifier. */
  const isModifiable = ({ type }) => type === "name" || type === "regexp" || type === "close" || type === "asterisk";

  class Parser {
    #input;
    #tokens;
    #result = { __proto__: null };
    #start = 0;
    #at = 0;
    #step = 1;
    #depth = 0;
    #brackets = 0;
    #isSpecial = false;
    #state = "init";

    constructor(input) {
      this.#input = input;
      this.#tokens = tokenize(input, true);
    }

    parse() {
      while (this.#at < this.#tokens.length && this.#state !== "done") {
        this.#step = 1;
        if (this.#tokens[this.#at].type === "end") this.#end();
        else if (!this.#isInBraces()) this.#advance();
        this.#at += this.#step;
      }
      const result = this.#result;
      // Without a port the scheme's own is meant.
      if (result.hostname !== undefined && result.port === undefined) result.port = "";
      return result;
    }

    /** Braces hide what would end a component. */
    #isInBraces() {
      const { type } = this.#tokens[this.#at];
      if (type === "open") {
        this.#depth++;
        return true;
      }
      if (this.#depth === 0) return false;
      if (type !== "close") return true;
      this.#depth--;
      return false;
    }

    #end() {
      if (this.#state === "init") {
        // No protocol ended, so the string is relative.
        this.#rewind("init");
        if (this.#is("#")) this.#change("hash", 1);
        else if (this.#isSearch()) this.#change("search", 1);
        else this.#change("pathname", 0);
      } else if (this.#state === "authority") {
        this.#rewind("hostname");
      } else {
        this.#change("done", 0);
      }
    }

    #advance() {
      switch (this.#state) {
      case "init": if (this.#is(":")) this.#rewind("protocol"); break;
      case "protocol": if (this.#is(":")) this.#endProtocol(); break;
      case "authority":
        if (this.#is("@")) this.#rewind("username");
        else if (this.#is("/") || this.#isSearch() || this.#is("#")) this.#rewind("hostname");
        break;
      case "username":
        if (this.#is(":")) this.#change("password", 1);
        else if (this.#is("@")) this.#change("hostname", 1);
        break;
      case "password": if (this.#is("@")) this.#change("hostname", 1); break;
      case "hostname":
        if (this.#is("[")) this.#brackets++;
        else if (this.#is("]")) this.#brackets--;
        else if (this.#is(":") && this.#brackets === 0) this.#change("port", 1);
        else this.#endBefore("pathname");
        break;
      case "port": this.#endBefore("pathname"); break;
      case "pathname": this.#endBefore("search"); break;
      case "search": this.#endBefore("hash"); break;
      }
    }

    /** Ends the component where one of those that may follow it begins. */
    #endBefore(first) {
      if (first === "pathname" && this.#is("/")) this.#change("pathname", 0);
      else if (first !== "hash" && this.#isSearch()) this.#change("search", 1);
      else if (this.#is("#")) this.#change("hash", 1);
    }

    #endProtocol() {
      this.#isSpecial = matchesSpecial(compileProtocol(this.#component()));
      if (this.#is("/", 1) && this.#is("/", 2)) this.#change("authority", 3);
      else this.#change(this.#isSpecial ? "authority" : "pathname", 1);
    }

    #change(state, skip) {
      const old = this.#state;
      if (old !== "init" && old !== "authority") this.#result[old] = this.#component();
      if (old !== "init" && state !== "done") this.#fillBetween(ORDER[old], ORDER[state]);
      this.#state = state;
      this.#at += skip;
      this.#start = this.#at;
      this.#step = 0;
    }

    /** What lies between two components that are given is empty. */
    #fillBetween(from, to) {
      const result = this.#result;
      if (from < ORDER.hostname && to > ORDER.hostname) result.hostname ??= "";
      if (from < ORDER.pathname && to > ORDER.pathname) result.pathname ??= this.#isSpecial ? "/" : "";
      if (from < ORDER.search && to > ORDER.search) result.search ??= "";
    }

    #rewind(state) {
      this.#state = state;
      this.#at = this.#start;
      this.#step = 0;
    }

    #token(at) { return this.#tokens[at < this.#tokens.length ? at : this.#tokens.length - 1]; }

    /** Whether a character stands here that has no meaning in patterns, or none where it stands. */
    #is(value, distance = 0) {
      const token = this.#token(this.#at + distance);
      return token.value === value && isLiteral(token);
    }

    #isSearch() {
      if (this.#is("?")) return true;
      if (this.#tokens[this.#at].value !== "?") return false;
      return this.#at === 0 || !isModifiable(this.#tokens[this.#at - 1]);
    }

    #component() { return slice(this.#input, this.#token(this.#start).index, this.#tokens[this.#at].index); }
  }

  return { parseString: (input) => new Parser(input).parse() };
})
