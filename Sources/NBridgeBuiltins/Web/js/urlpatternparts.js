// SPDX-License-Identifier: MIT
// Pattern strings as lists of parts, and these as regular expressions and as pattern strings in their shortest form
// (WHATWG URL Pattern Standard, sections 2.1.3 to 2.3).
//
// A part has a type ("text", "regexp", "segment", "wildcard"), a value, a modifier ("", "?", "*", "+"), and if it
// captures, a name, and what stands before and behind what it captures.
((host) => {
  "use strict";
  const { append } = host;
  const { tokenize, beginsName } = host.tokens;
  const { TypeError } = globalThis;
  const uncurry = (method) => Function.prototype.call.bind(method);
  const unitAt = uncurry(String.prototype.charCodeAt);

  const ANYTHING = ".*";

  const setOf = (characters) => {
    const set = { __proto__: null };
    for (let i = 0; i < characters.length; i++) set[characters[i]] = true;
    return set;
  };
  const IN_EXPRESSIONS = setOf(".+*?^${}()[]|/\\");
  const IN_PATTERNS = setOf("+*?:{}()\\");

  const escapeAll = (text, set) => {
    let out = "";
    for (let i = 0; i < text.length; i++) out += set[text[i]] === true ? "\\" + text[i] : text[i];
    return out;
  };
  const escapeExpression = (text) => escapeAll(text, IN_EXPRESSIONS);
  const escapePattern = (text) => escapeAll(text, IN_PATTERNS);

  /** What a name alone stands for: as few characters as possible, up to the next delimiter. */
  const segment = (options) => `[^${escapeExpression(options.delimiter)}]+?`;

  // --- From a pattern string ------------------------------------------------------------------------------

  class Parser {
    #input;
    #options;
    #encode;
    #segment;
    #tokens;
    #at = 0;
    #parts = [];
    #text = "";
    #unnamed = 0;
    #names = { __proto__: null };

    constructor(input, options, encode) {
      this.#input = input;
      this.#options = options;
      this.#encode = encode;
      this.#segment = segment(options);
      this.#tokens = tokenize(input, false);
    }

    parse() {
      while (this.#at < this.#tokens.length) this.#step();
      return this.#parts;
    }

    #step() {
      const char = this.#take("char");
      const name = this.#take("name");
      const expression = this.#takeExpression(name);
      if (name !== null || expression !== null) return this.#addGroup(char, name, expression);
      const fixed = char ?? this.#take("escaped-char");
      if (fixed !== null) return void (this.#text += fixed.value);
      if (this.#take("open") !== null) return this.#addBraces();
      this.#endText();
      this.#require("end");
    }

    #addGroup(char, name, expression) {
      let prefix = char === null ? "" : char.value;
      if (prefix !== this.#options.prefix) {
        this.#text += prefix;
        prefix = "";
      }
      this.#endText();
      this.#add(prefix, name, expression, "", this.#takeModifier());
    }

    #addBraces() {
      const prefix = this.#takeText();
      const name = this.#take("name");
      const expression = this.#takeExpression(name);
      const suffix = this.#takeText();
      this.#require("close");
      this.#add(prefix, name, expression, suffix, this.#takeModifier());
    }

    #take(type) {
      const token = this.#tokens[this.#at];
      if (token.type !== type) return null;
      this.#at++;
      return token;
    }
    #takeModifier() { return (this.#take("other-modifier") ?? this.#take("asterisk"))?.value ?? ""; }
    #takeExpression(name) { return this.#take("regexp") ?? (name === null ? this.#take("asterisk") : null); }
    #takeText() {
      let text = "";
      for (;;) {
        const token = this.#take("char") ?? this.#take("escaped-char");
        if (token === null) return text;
        text += token.value;
      }
    }
    #require(type) {
      if (this.#take(type) !== null) return;
      const { value, index } = this.#tokens[this.#at];
      const found = value === "" ? "the end" : `'${value}'`;
      throw new TypeError(`URLPattern: "${this.#input}" is no pattern: ${found} can't stand at character ${index}` +
        (type === "close" ? ", where a '}' is missing" : "; a '\\' before it takes it as it is"));
    }

    #addText(value, modifier) {
      append(this.#parts, { __proto__: null, type: "text", value, modifier, name: "", prefix: "", suffix: "" });
    }

    #endText() {
      if (this.#text === "") return;
      const encoded = this.#encode(this.#text);
      this.#text = "";
      this.#addText(encoded, "");
    }

    #add(prefix, name, expression, suffix, modifier) {
      const isText = name === null && expression === null;
      if (isText && modifier === "") return void (this.#text += prefix);
      this.#endText();
      if (isText) {
        if (prefix !== "") this.#addText(this.#encode(prefix), modifier);
        return;
      }
      const type = this.#typeOf(expression);
      const value = type === "regexp" ? expression.value : "";
      const part = { __proto__: null, type, value, modifier, name: this.#name(name), prefix: "", suffix: "" };
      part.prefix = this.#encode(prefix);
      part.suffix = this.#encode(suffix);
      append(this.#parts, part);
    }

    /** An expression that says what a name or a "*" says is taken for that. */
    #typeOf(expression) {
      if (expression === null || expression.value === this.#segment) return "segment";
      return expression.type === "asterisk" || expression.value === ANYTHING ? "wildcard" : "regexp";
    }

    #name(token) {
      const name = token === null ? `${this.#unnamed++}` : token.value;
      if (this.#names[name] === true) throw new TypeError(`URLPattern: "${this.#input}" has two groups of the name '${name}'`);
      this.#names[name] = true;
      return name;
    }
  }

  const parse = (input, options, encode) => new Parser(input, options, encode).parse();

  // --- To a regular expression ----------------------------------------------------------------------------

  const expressionOf = (part, options) =>
    part.type === "segment" ? segment(options) : part.type === "wildcard" ? ANYTHING : part.value;

  /** Whether a "*" would stand for a text: a "." stands for no end of a line. */
  const isOneLine = (text) => {
    for (let i = 0; i < text.length; i++) {
      const unit = unitAt(text, i);
      if (unit === 0x0A || unit === 0x0D || unit === 0x2028 || unit === 0x2029) return false;
    }
    return true;
  };

  /** Whether a name would stand for a text, each of whose units is a character. */
  const isOfSegments = (text, { delimiter }) => {
    for (let i = 0; i < text.length; i++) if (text[i] === delimiter || unitAt(text, i) > 0x7F) return false;
    return true;
  };

  /**
   * Segments with a text between each two of them, which a segment may contain, too. The standard's expression finds as many
   * ways to divide a string as there are sets of such texts in it. Here each text is taken where it comes first, and the ends
   * are tried in the order in which the standard's comes to each of them for the first time: those outside of the texts from
   * the front, then those in a text from the last text to the first, each from its front.
   */
  const segmentsBetween = (text, options) => {
    const one = `[^${escapeExpression(options.delimiter)}]`;
    const next = escapeExpression(text) + one;
    const some = `${one}(?:${next}|(?!${next})${one})*`;
    return `${some}?(?!${next})|${some}(?=${next})${one}{0,${text.length}}?`;
  };

  /**
   * What a repeated part captures: all from the first time to the last, with what stands between two of them. Where the
   * standard has a repetition in a repetition, which may take an engine years to search, this says the same without one.
   */
  const repeatedExpression = (part, options) => {
    const { type, modifier } = part;
    const between = part.suffix + part.prefix;
    if (type === "wildcard" && isOneLine(between)) return ANYTHING;
    const value = `(?:${expressionOf(part, options)})`;
    if (between === "") {
      return type === "segment" ? `[^${escapeExpression(options.delimiter)}]${modifier}` : value + modifier;
    }
    if (type === "segment" && isOfSegments(between, options)) return segmentsBetween(between, options);
    return `${value}(?:${escapeExpression(between)}${value})*`;
  };

  const groupExpression = (part, options) => {
    const { modifier } = part;
    const isRepeated = modifier === "*" || modifier === "+";
    const captured = `(${isRepeated ? repeatedExpression(part, options) : expressionOf(part, options)})`;
    if (part.prefix === "" && part.suffix === "") return isRepeated ? captured : captured + modifier;
    const group = `(?:${escapeExpression(part.prefix)}${captured}${escapeExpression(part.suffix)})`;
    return modifier === "+" ? group : group + (isRepeated ? "?" : modifier);
  };

  /** The source of a regular expression, and the names of its groups in their order. */
  const toExpression = (parts, options) => {
    let source = "^";
    const names = [];
    for (let i = 0; i < parts.length; i++) {
      const part = parts[i];
      if (part.type === "text") {
        const value = escapeExpression(part.value);
        source += part.modifier === "" ? value : `(?:${value})${part.modifier}`;
      } else {
        append(names, part.name);
        source += groupExpression(part, options);
      }
    }
    return { __proto__: null, source: source + "$", names };
  };

  // --- To a pattern string --------------------------------------------------------------------------------

  const isDigit = (text) => {
    const unit = unitAt(text, 0);
    return unit >= 0x30 && unit <= 0x39;
  };

  /** Whether what follows a name would be read as more of it. */
  const wouldGoOn = (next) => {
    if (next === undefined || next.prefix !== "" || next.suffix !== "") return false;
    return next.type === "text" ? beginsName(next.value, false) : isDigit(next.name);
  };

  const needsBraces = (part, previous, next, options) => {
    if (part.suffix !== "" || (part.prefix !== "" && part.prefix !== options.prefix)) return true;
    if (!isDigit(part.name) && part.type === "segment" && part.modifier === "" && wouldGoOn(next)) return true;
    return part.prefix === "" && previous?.type === "text" && previous.value[previous.value.length - 1] === options.prefix;
  };

  /** Whether a "*" would be read as a group, and not as a modifier of what stands before it. */
  const canBeStar = (part, previous, isInBraces) => isDigit(part.name) &&
    (previous === undefined || previous.type === "text" || previous.modifier !== "" || isInBraces || part.prefix !== "");

  const capturing = (part, previous, isInBraces, options) => {
    const isNamed = !isDigit(part.name);
    const name = isNamed ? ":" + part.name : "";
    if (part.type === "regexp") return `${name}(${part.value})`;
    if (part.type === "wildcard") return canBeStar(part, previous, isInBraces) ? "*" : `${name}(${ANYTHING})`;
    if (!isNamed) return `(${segment(options)})`;
    return part.suffix !== "" && beginsName(part.suffix, false) ? name + "\\" : name;
  };

  const toPattern = (parts, options) => {
    let out = "";
    for (let i = 0; i < parts.length; i++) {
      const part = parts[i];
      const previous = i > 0 ? parts[i - 1] : undefined;
      if (part.type === "text") {
        const value = escapePattern(part.value);
        out += part.modifier === "" ? value : `{${value}}${part.modifier}`;
        continue;
      }
      const isInBraces = needsBraces(part, previous, i + 1 < parts.length ? parts[i + 1] : undefined, options);
      const text = escapePattern(part.prefix) + capturing(part, previous, isInBraces, options) + escapePattern(part.suffix);
      out += (isInBraces ? `{${text}}` : text) + part.modifier;
    }
    return out;
  };

  return { parse, toExpression, toPattern, escapePattern };
})
