// SPDX-License-Identifier: MIT
// Texts as HTTP writes them, whatever a script makes of String.prototype: bytes, tokens, white space (Fetch standard, 2.2;
// RFC 9110, 5.6).
((host) => {
  "use strict";
  const { unitAt } = host;
  const { TypeError } = globalThis;
  const uncurry = (method) => Function.prototype.call.bind(method);
  const slice = uncurry(String.prototype.slice);
  const lower = uncurry(String.prototype.toLowerCase);
  const upper = uncurry(String.prototype.toUpperCase);
  const indexIn = uncurry(String.prototype.indexOf);
  const wellFormed = uncurry(String.prototype.toWellFormed);

  // RFC 9110, 5.6.2, "tchar".
  const TOKEN = new Uint8Array(256);
  const CHARACTERS = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  for (let i = 0; i < CHARACTERS.length; i++) TOKEN[unitAt(CHARACTERS, i)] = 1;

  const isToken = (text) => {
    for (let i = 0; i < text.length; i++) if (TOKEN[unitAt(text, i)] !== 1) return false;
    return text.length > 0;
  };

  /** Web IDL's ByteString: characters that are bytes. */
  const toByteString = (value, what) => {
    const text = `${value}`;
    for (let i = 0; i < text.length; i++) {
      if (unitAt(text, i) > 0xFF) throw new TypeError(`${what} has a character that is no byte, at ${i}`);
    }
    return text;
  };

  const isSpace = (unit) => unit === 0x20 || unit === 0x09 || unit === 0x0A || unit === 0x0D;

  /** Without white space before it. */
  const trimmedStart = (text) => {
    let start = 0;
    while (start < text.length && isSpace(unitAt(text, start))) start++;
    return start === 0 ? text : slice(text, start, text.length);
  };

  /** Without white space behind it. */
  const trimmedEnd = (text) => {
    let end = text.length;
    while (end > 0 && isSpace(unitAt(text, end - 1))) end--;
    return end === text.length ? text : slice(text, 0, end);
  };

  /** Without white space at its ends. */
  const trimmed = (text) => trimmedStart(trimmedEnd(text));

  /** What is no URL, for a message: a name and password in it are not told. */
  const concealed = (text) => {
    const start = indexIn(text, "//") + 2;
    let end = start, at = -1;
    for (; end < text.length && text[end] !== "/" && text[end] !== "?" && text[end] !== "#"; end++) if (text[end] === "@") at = end;
    return start < 2 || at < 0 ? text : `${slice(text, 0, start)}***${slice(text, at, text.length)}`;
  };

  /** A name for native code, whose texts are UTF-8: names with lone surrogates stay different from each other. */
  const keyOf = (name) => {
    if (wellFormed(name) === name) return `t${name}`;
    let key = "u";
    for (let i = 0; i < name.length; i++) key += `${unitAt(name, i)},`;
    return key;
  };

  /** The parts between separators of one character. */
  const split = (text, separator) => {
    const parts = { __proto__: null, length: 0 };
    let start = 0;
    for (;;) {
      const end = indexIn(text, separator, start);
      parts[parts.length++] = slice(text, start, end < 0 ? text.length : end);
      if (end < 0) return parts;
      start = end + 1;
    }
  };

  return { unitAt, slice, lower, upper, indexIn, wellFormed, isToken, toByteString, trimmed, trimmedStart, trimmedEnd, concealed, keyOf, split };
})
