// SPDX-License-Identifier: MIT
// The texts of URLs: percent-encoding and application/x-www-form-urlencoded (WHATWG URL Standard). It has a global object
// of its own, so that its strings and expressions do as the standard says whatever a script does to its prototypes.
((host) => {
  "use strict";

  const { append } = host;
  const { decodeURIComponent, encodeURIComponent, parseInt } = globalThis;
  const { fromCodePoint } = String;

  const REPLACEMENT = "\uFFFD";

  const wellFormed = (text) => text.toWellFormed();

  // Without the leading "?" or "#", which setters and constructors accept.
  const withoutMark = (text, mark) => (text[0] === mark ? text.slice(1) : text);

  // Percent-decoding

  // UTF-8 decodes a run of %XX escapes that decodeURIComponent refuses, as the Encoding Standard asks: each
  // maximal part of a broken sequence becomes one U+FFFD.
  const decodeBrokenRun = (run) => {
    let out = "";
    let code = 0;
    let needed = 0;
    let lower = 0x80;
    let upper = 0xbf;
    for (let i = 1; i < run.length; i += 3) {
      const byte = parseInt(run.slice(i, i + 2), 16);
      if (needed > 0) {
        const continues = byte >= lower && byte <= upper;
        lower = 0x80;
        upper = 0xbf;
        if (continues) {
          code = (code << 6) | (byte & 0x3f);
          if (--needed === 0) out += fromCodePoint(code);
          continue;
        }
        // The sequence ends too early; this byte starts afresh below.
        needed = 0;
        out += REPLACEMENT;
      }
      if (byte < 0x80) {
        out += fromCodePoint(byte);
      } else if (byte < 0xc2 || byte > 0xf4) {
        out += REPLACEMENT;
      } else {
        needed = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
        code = byte & (0x3f >> needed);
        // Narrower bounds for the second byte keep out overlong forms, surrogates and values over U+10FFFF.
        if (byte === 0xe0) lower = 0xa0;
        else if (byte === 0xed) upper = 0x9f;
        else if (byte === 0xf0) lower = 0x90;
        else if (byte === 0xf4) upper = 0x8f;
      }
    }
    return needed > 0 ? out + REPLACEMENT : out;
  };

  const decodeRun = (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return decodeBrokenRun(run);
    }
  };

  const ESCAPE_RUN = /(?:%[\da-fA-F]{2})+/g;

  // Percent-decodes a well-formed string and UTF-8 decodes the result, keeping any byte order mark. Literal
  // characters can neither complete nor continue an escaped sequence, so each run of escapes stands alone.
  const percentDecode = (text) => {
    if (text.indexOf("%") < 0) return text;
    try {
      return decodeURIComponent(text);
    } catch {
      return text.replace(ESCAPE_RUN, decodeRun);
    }
  };

  // application/x-www-form-urlencoded. A list holds names and values in turn: [name, value, name, ...].

  const decodeComponent = (text) => percentDecode(text.indexOf("+") < 0 ? text : text.replaceAll("+", " "));

  const parseInto = (list, input) => {
    const escaped = input.indexOf("%") >= 0 || input.indexOf("+") >= 0;
    let equals = -1;
    for (let start = 0, end = 0; start < input.length; start = end + 1) {
      end = input.indexOf("&", start);
      if (end < 0) end = input.length;
      if (end === start) continue;
      // Search again only once the last "=" found is behind us: "a&a&a..." would take quadratic time.
      if (equals < start) {
        equals = input.indexOf("=", start);
        if (equals < 0) equals = input.length;
      }
      const name = input.slice(start, equals < end ? equals : end);
      const value = equals < end ? input.slice(equals + 1, end) : "";
      append(list, escaped ? decodeComponent(name) : name);
      append(list, escaped ? decodeComponent(value) : value);
    }
  };

  const UNESCAPED = /^[\w*.-]*$/;

  // What each ASCII character is written as; null for itself.
  const ESCAPES = [];
  for (let code = 0; code < 0x80; code++) {
    const hex = code.toString(16).toUpperCase();
    append(ESCAPES, UNESCAPED.test(fromCodePoint(code)) ? null : (code < 0x10 ? "%0" : "%") + hex);
  }
  ESCAPES[0x20] = "+";

  const escapeComponent = (text) => {
    let out = "";
    let done = 0;
    for (let i = 0, end; i < text.length; i = end) {
      const code = text.charCodeAt(i);
      end = i + 1;
      if (code < 0x80 && ESCAPES[code] === null) continue;
      // Other scripts come in runs, and a surrogate pair must not be cut in two.
      if (code >= 0x80) while (end < text.length && text.charCodeAt(end) >= 0x80) end++;
      const escaped = code < 0x80 ? ESCAPES[code] : encodeURIComponent(text.slice(i, end));
      out += text.slice(done, i) + escaped;
      done = end;
    }
    return out + text.slice(done);
  };

  const encodeComponent = (text) => (UNESCAPED.test(text) ? text : escapeComponent(text));

  const serialize = (list) => {
    let out = "";
    for (let i = 0; i < list.length; i += 2) {
      if (i > 0) out += "&";
      out += encodeComponent(list[i]) + "=" + encodeComponent(list[i + 1]);
    }
    return out;
  };

  return { parseInto, percentDecode, serialize, wellFormed, withoutMark };
})
