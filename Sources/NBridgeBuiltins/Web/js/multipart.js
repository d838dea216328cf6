// SPDX-License-Identifier: MIT
// FormData as multipart/form-data (HTML standard, 4.10.21.8; RFC 7578), written and read.
((host) => {
  "use strict";
  const { append, encodeUTF8, decodeUTF8, blob, forms, fillRandom, FormData, texts, mimeTypes } = host;
  const { unitAt, slice, lower, indexIn, isToken, trimmed } = texts;
  const { TypeError } = globalThis;
  const { getOwnPropertyDescriptor, getPrototypeOf } = Object;
  const { apply } = Reflect;
  const Bytes = Uint8Array, Skips = Uint32Array;
  const uncurry = (method) => Function.prototype.call.bind(method);
  const setBytes = uncurry(Bytes.prototype.set);
  const getter = (name) => uncurry(getOwnPropertyDescriptor(getPrototypeOf(Bytes.prototype), name).get);
  const bufferOf = getter("buffer"), offsetOf = getter("byteOffset"), lengthOf = getter("length");
  const subarray = (bytes, start, end) => new Bytes(bufferOf(bytes), offsetOf(bytes) + start, end - start);
  const { nameOf: fileName } = blob, { append: add } = forms;

  // --- Writing --------------------------------------------------------------------------------------------

  const LETTERS = "0123456789abcdef";

  const makeBoundary = () => {
    const random = new Bytes(16);
    fillRandom(random);
    let text = "----nbridge";
    for (let i = 0; i < 16; i++) text += LETTERS[random[i] >> 4] + LETTERS[random[i] & 15];
    return text;
  };

  /** Line ends as CR LF. */
  const normalized = (text) => {
    let out = "", done = 0;
    for (let i = 0; i < text.length; i++) {
      const unit = unitAt(text, i);
      if (unit !== 0x0D && unit !== 0x0A) continue;
      out += `${slice(text, done, i)}\r\n`;
      if (unit === 0x0D && i + 1 < text.length && unitAt(text, i + 1) === 0x0A) i++;
      done = i + 1;
    }
    return out + slice(text, done, text.length);
  };

  const escaped = (text) => {
    let out = "";
    for (let i = 0; i < text.length; i++) {
      const unit = unitAt(text, i);
      out += unit === 0x0A ? "%0A" : unit === 0x0D ? "%0D" : unit === 0x22 ? "%22" : text[i];
    }
    return out;
  };

  const join = (parts, size) => {
    const whole = new Bytes(size);
    for (let i = 0, at = 0; i < parts.length; i++) {
      setBytes(whole, parts[i], at);
      at += lengthOf(parts[i]);
    }
    return whole;
  };

  /** `{ bytes, boundary }`. */
  const write = (data) => {
    const list = forms.entriesOf(data), boundary = makeBoundary(), parts = [];
    let size = 0;
    const put = (bytes) => {
      append(parts, bytes);
      size += lengthOf(bytes);
    };
    for (let i = 0; i < list.length; i += 2) {
      const value = list[i + 1];
      let head = `--${boundary}\r\nContent-Disposition: form-data; name="${escaped(normalized(list[i]))}"`;
      if (typeof value === "string") {
        put(encodeUTF8(`${head}\r\n\r\n${normalized(value)}\r\n`));
        continue;
      }
      const type = blob.typeOf(value);
      head += `; filename="${escaped(fileName(value))}"\r\nContent-Type: ${type === "" ? "application/octet-stream" : type}`;
      put(encodeUTF8(`${head}\r\n\r\n`));
      put(blob.bytesOf(value));
      put(encodeUTF8("\r\n"));
    }
    put(encodeUTF8(`--${boundary}--\r\n`));
    return { __proto__: null, bytes: join(parts, size), boundary };
  };

  // --- Reading (Fetch standard, 5.2: "multipart/form-data parser") ----------------------------------------

  const CR = 0x0D, LF = 0x0A, DASH = 0x2D;
  const broken = (what) => new TypeError(`formData: the body is no multipart/form-data: ${what}`);

  const startsWith = (bytes, at, pattern) => {
    const count = lengthOf(pattern);
    if (at + count > lengthOf(bytes)) return false;
    for (let i = 0; i < count; i++) if (bytes[at + i] !== pattern[i]) return false;
    return true;
  };

  /** Where a pattern begins; -1 when it does not. (Horspool 1980: the body may be long.) */
  const find = (bytes, pattern, from) => {
    const last = lengthOf(pattern) - 1, size = lengthOf(bytes), skips = new Skips(256);
    for (let i = 0; i < 256; i++) skips[i] = last + 1;
    for (let i = 0; i < last; i++) skips[pattern[i]] = last - i;
    for (let at = from; at + last < size; at += skips[bytes[at + last]]) {
      if (startsWith(bytes, at, pattern)) return at;
    }
    return -1;
  };

  const unescaped = (text) => {
    let out = "";
    for (let i = 0; i < text.length; i++) {
      const code = text[i] === "%" ? slice(text, i, i + 3) : "";
      const plain = code === "%0A" ? "\n" : code === "%0D" ? "\r" : code === "%22" ? '"' : undefined;
      if (plain === undefined) out += text[i];
      else {
        out += plain;
        i += 2;
      }
    }
    return out;
  };

  const DISPOSITION = "form-data";

  const behindSpace = (line, at) => {
    while (line[at] === " " || line[at] === "\t") at++;
    return at;
  };

  /**
   * The parameters in quotes of a Content-Disposition. A quote in a name is written as %22, and a backslash is one: nothing but
   * another parameter may stand behind a closing quote, or one sender's name would be another's parameter.
   */
  const parametersOf = (line) => {
    const found = { __proto__: null };
    for (let at = DISPOSITION.length; ; ) {
      at = behindSpace(line, at);
      if (at >= line.length) return found;
      if (line[at] !== ";") throw broken("behind a name in quotes stands what is no parameter");
      at = behindSpace(line, at + 1);
      const equals = indexIn(line, "=", at), name = equals < 0 ? "" : lower(slice(line, at, equals));
      if (!isToken(name)) throw broken("a parameter has no name");
      const isQuoted = line[equals + 1] === '"', end = indexIn(line, isQuoted ? '"' : ";", equals + 2);
      if (isQuoted && end < 0) throw broken("a name has no end");
      if (isQuoted) found[name] ??= unescaped(slice(line, equals + 2, end));
      at = end < 0 ? line.length : isQuoted ? end + 1 : end;
    }
  };

  /** The headers of a part: `{ name, filename, type, end }`. */
  const readHead = (bytes, at) => {
    const head = { __proto__: null, name: undefined, filename: undefined, type: undefined, end: at };
    for (const size = lengthOf(bytes); ; ) {
      let end = at;
      while (end < size && bytes[end] !== CR) end++;
      if (bytes[end] !== CR || bytes[end + 1] !== LF) throw broken("the headers of a part have no end");
      if (end === at) break;
      const line = decodeUTF8(subarray(bytes, at, end), false);
      const colon = indexIn(line, ":");
      if (colon < 0) throw broken("a header has no colon");
      const name = lower(trimmed(slice(line, 0, colon))), value = trimmed(slice(line, colon + 1, line.length));
      if (name === "content-disposition") {
        if (indexIn(lower(value), DISPOSITION) !== 0) throw broken("a part is not form-data");
        const parameters = parametersOf(value);
        head.name = parameters.name;
        head.filename = parameters.filename;
      } else if (name === "content-type") head.type = value;
      at = end + 2;
    }
    if (head.name === undefined) throw broken("a part has no name");
    head.end = at + 2;
    return head;
  };

  const toText = (bytes) => {
    const text = decodeUTF8(bytes, false);
    return unitAt(text, 0) === 0xFEFF ? slice(text, 1, text.length) : text;
  };

  /** A type that can't be read is kept as it was written. */
  const fileOf = (bytes, { filename, type }) => {
    const parsed = type === undefined ? undefined : mimeTypes.parse(type);
    const told = type === undefined ? "text/plain" : parsed === undefined ? type : mimeTypes.serialize(parsed);
    return blob.fileOver(new Bytes(bytes), filename, told);
  };

  const read = (bytes, boundary) => {
    const data = new FormData();
    const line = encodeUTF8(`--${boundary}`), between = encodeUTF8(`\r\n--${boundary}`);
    let at = 0;
    while (bytes[at] === CR && bytes[at + 1] === LF) at += 2;
    for (;;) {
      if (!startsWith(bytes, at, line)) throw broken("a boundary is missing");
      at += lengthOf(line);
      if (bytes[at] === DASH && bytes[at + 1] === DASH) return data;
      while (bytes[at] === 0x20 || bytes[at] === 0x09) at++;
      if (bytes[at] !== CR || bytes[at + 1] !== LF) throw broken("a boundary has no line's end");
      const head = readHead(bytes, at + 2);
      const end = find(bytes, between, head.end - 2);
      if (end < 0) throw broken("a part has no end");
      const body = subarray(bytes, head.end, end < head.end ? head.end : end);
      apply(add, data, head.filename === undefined
        ? [head.name, toText(body)] : [head.name, fileOf(body, head), head.filename]);
      at = end + 2;
    }
  };

  return { multipart: { write, read } };
})
