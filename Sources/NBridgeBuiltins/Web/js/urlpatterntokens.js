// SPDX-License-Identifier: MIT
// The tokens of pattern strings (WHATWG URL Pattern Standard, section 2.1.2).
((host) => {
  "use strict";
  const { append } = host;
  // Taken when the file is loaded, so that scripts which later replace them do not change what patterns mean.
  const { TypeError } = globalThis;
  const { fromCodePoint } = String;
  const uncurry = (method) => Function.prototype.call.bind(method);
  const [unitAt, codeAt, slice] = ["charCodeAt", "codePointAt", "slice"].map((name) => uncurry(String.prototype[name]));
  const exec = uncurry(RegExp.prototype.exec);

  const [OPEN, CLOSE, QUESTION, BACKSLASH] = [0x28, 0x29, 0x3F, 0x5C];
  const SINGLE = { __proto__: null, "*": "asterisk", "+": "other-modifier", "?": "other-modifier", "{": "open", "}": "close" };
  const NAME_START = /^[$_\p{ID_Start}]/u;
  const NAME_PART = /^[$_\u200C\u200D\p{ID_Continue}]/u;

  /** Whether a text begins with what a name may begin with, or go on with. */
  const beginsName = (text, isFirst) => exec(isFirst ? NAME_START : NAME_PART, text) !== null;

  const characterAt = (input, index) => fromCodePoint(codeAt(input, index));

  /** Where the name that begins at `start` ends. */
  const nameEnd = (input, start) => {
    let at = start;
    while (at < input.length) {
      const character = characterAt(input, at);
      if (!beginsName(character, at === start)) break;
      at += character.length;
    }
    return at;
  };

  /** Where the ")" stands that belongs to the "(" before `start`; what `fail` answers for an expression that is none. */
  const groupEnd = (input, start, fail) => {
    let depth = 1;
    for (let at = start; at < input.length; at++) {
      let unit = unitAt(input, at);
      if (unit === BACKSLASH) unit = unitAt(input, ++at);
      else if (unit === QUESTION && at === start) return fail("a group begins with '?'");
      else if (unit === CLOSE && --depth === 0) return at > start ? at : fail("a group is empty");
      else if (unit === OPEN) {
        depth++;
        if (unitAt(input, at + 1) !== QUESTION) return fail("a group captures within another; begin the inner one with '(?:'");
      }
      if (unit > 0x7F) return fail("a group's expression has a character that is not ASCII");
    }
    return fail("a group has no ')'");
  };

  /**
   * The tokens of a pattern string, with one of type "end" behind them. What is none is one of type "invalid-char" where
   * that is allowed.
   */
  const tokenize = (input, isLenient) => {
    const tokens = [];
    let index = 0;
    const fail = (why) => {
      if (isLenient) return -1;
      throw new TypeError(`URLPattern: "${input}" is no pattern: ${why}, at character ${index}` +
        "; a '\\' before it takes it as it is");
    };
    const add = (type, start, end, next) => {
      append(tokens, { __proto__: null, type, index, value: slice(input, start, end) });
      index = next;
    };
    const addFrom = (type, start, end, next) => {
      if (end < 0) add("invalid-char", index, index + 1, index + 1);
      else add(type, start, end, next);
    };
    while (index < input.length) {
      const character = characterAt(input, index);
      const start = index + character.length;
      if (SINGLE[character] !== undefined) {
        add(SINGLE[character], index, start, start);
      } else if (character === "\\") {
        const end = start < input.length ? start + characterAt(input, start).length : fail("nothing follows the '\\'");
        addFrom("escaped-char", start, end, end);
      } else if (character === ":") {
        const found = nameEnd(input, start);
        const end = found > start ? found : fail("no name follows the ':'");
        addFrom("name", start, end, end);
      } else if (character === "(") {
        const end = groupEnd(input, start, fail);
        addFrom("regexp", start, end, end + 1);
      } else {
        add("char", index, start, start);
      }
    }
    add("end", index, index, index);
    return tokens;
  };

  return { tokenize, beginsName };
})
