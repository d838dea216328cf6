// SPDX-License-Identifier: MIT
// The hosts of URLs (WHATWG URL Standard, section 3), for urlparser.js.
//
// host.domainToASCII(domain, beStrict) is the native UTS #46 processing; host.percentDecode comes from urltexts.js. It has
// a global object of its own, as the parser has.
((host) => {
  "use strict";

  const { domainToASCII, percentDecode } = host;
  const { encodeURIComponent, parseInt } = globalThis;

  // A percent-encode set, as runs of what it encodes (the ranges list what is left alone).
  const C0_CONTROL = /[^ -~]+/g;
  // encodeURIComponent escapes all that such sets hold, except for the quote in that of special queries.
  const escapeRun = (run) => encodeURIComponent(run).replaceAll("'", "%27");
  const percentEncode = (text, set) => text.replace(set, escapeRun);

  const FORBIDDEN_HOST = /[\0\t\n\r #/:<>?@[\\\]^|]/;
  const FORBIDDEN_DOMAIN = /[\0- #%/:<>?@[\\\]^|\x7f]/;
  const NOT_SIMPLE = /[^\0-\x7f]|(?:^|\.)xn--/i;
  const ENDS_IN_NUMBER = /(?:^|\.)(?:\d+|0x[\da-f]*)\.?$/;

  const parseIPv4Number = (text) => {
    if (/^0x[\da-f]*$/.test(text)) return text.length === 2 ? 0 : parseInt(text, 16);
    if (/^0[0-7]*$/.test(text)) return parseInt(text, 8);
    return /^[1-9]\d*$/.test(text) ? +text : -1;
  };

  // Takes the shorthands too: the last number fills all the bytes that are left.
  const parseIPv4 = (text) => {
    const parts = (text.endsWith(".") ? text.slice(0, -1) : text).split(".");
    const last = parts.length - 1;
    if (last > 3) return null;
    let address = 0;
    for (let i = 0; i <= last; i++) {
      const number = parseIPv4Number(parts[i]);
      if (number < 0 || number >= (i < last ? 256 : 256 ** (4 - last))) return null;
      address += i < last ? number * 256 ** (3 - i) : number;
    }
    return `${address >>> 24}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}`;
  };

  const BYTE = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
  // Spelt out: a counted group "(...){3}" would keep JavaScriptCore from compiling the expression.
  const DOTTED = `${BYTE}\\.${BYTE}\\.${BYTE}\\.${BYTE}`;
  const IPV4_TAIL = new RegExp(`^${DOTTED}$`);

  const hexDigit = (code) => {
    if (code >= 0x30 && code <= 0x39) return code - 0x30;
    const lower = code | 0x20;
    return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
  };

  // Moves the pieces written after the "::" to the end.
  const expandIPv6 = (pieces, count, compress) => {
    for (let from = count - 1, to = 7; from >= compress && from !== to; from--, to--) {
      pieces[to] = pieces[from];
      pieces[from] = 0;
    }
  };

  // The eight pieces of an address, or null.
  const parseIPv6 = (text) => {
    const pieces = [0, 0, 0, 0, 0, 0, 0, 0];
    let count = 0;
    let compress = -1;
    let at = 0;
    if (text[0] === ":") {
      if (text[1] !== ":") return null;
      at = 2;
      compress = ++count;
    }
    while (at < text.length) {
      if (count === 8) return null;
      if (text[at] === ":") {
        if (compress >= 0) return null;
        at++;
        compress = ++count;
        continue;
      }
      const start = at;
      let value = 0;
      for (let digit; at < start + 4; at++, value = value * 16 + digit) {
        digit = hexDigit(text.charCodeAt(at));
        if (digit < 0) break;
      }
      if (text[at] === ".") {
        const tail = text.slice(start);
        if (count > 6 || !IPV4_TAIL.test(tail)) return null;
        const bytes = tail.split(".");
        pieces[count++] = bytes[0] * 256 + +bytes[1];
        pieces[count++] = bytes[2] * 256 + +bytes[3];
        break;
      }
      if (at < text.length && (text[at] !== ":" || ++at === text.length)) return null;
      pieces[count++] = value;
    }
    if (compress >= 0) expandIPv6(pieces, count, compress);
    else if (count !== 8) return null;
    return pieces;
  };

  // The first of the longest runs of two or more zero pieces is written as "::".
  const serializeIPv6 = (pieces) => {
    let run = -1;
    let length = 1;
    for (let i = 0, end; i < 8; i = end + 1) {
      for (end = i; end < 8 && pieces[end] === 0; ) end++;
      if (end - i > length) {
        run = i;
        length = end - i;
      }
    }
    let out = "[";
    for (let i = 0; i < 8; i++) {
      if (i === run) {
        out += i === 0 ? "::" : ":";
        i += length - 1;
      } else {
        out += pieces[i].toString(16) + (i < 7 ? ":" : "");
      }
    }
    return out + "]";
  };

  // A name that is its own serialisation: lower-case ASCII without Punycode, and not a number at the end.
  const NAME = "(?![^/:]*xn--)(?:[a-z\\d._-]*\\.)?[a-z_][a-z\\d_-]*";
  const PLAIN_NAME = new RegExp(`^${NAME}$`);

  // The serialised host, or null. The hosts of schemes that are not special are opaque.
  const parseHost = (text, opaque) => {
    if (text[0] === "[") {
      const pieces = text.endsWith("]") ? parseIPv6(text.slice(1, -1)) : null;
      return pieces === null ? null : serializeIPv6(pieces);
    }
    if (opaque) return FORBIDDEN_HOST.test(text) ? null : percentEncode(text, C0_CONTROL);
    if (PLAIN_NAME.test(text)) return text;
    const domain = percentDecode(text);
    // The standard has plain ASCII skip UTS #46, unless there is Punycode to check.
    const ascii = NOT_SIMPLE.test(domain) ? domainToASCII(domain, false) : domain.toLowerCase();
    if (ascii === null || ascii === "" || FORBIDDEN_DOMAIN.test(ascii)) return null;
    return ENDS_IN_NUMBER.test(ascii) ? parseIPv4(ascii) : ascii;
  };

  return { C0_CONTROL, DOTTED, NAME, parseHost, percentEncode };
})
