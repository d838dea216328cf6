// SPDX-License-Identifier: MIT
// Decoders of TextDecoder (Encoding standard, sections 8 to 14): each takes a chunk, answers its text, or undefined if fatal
// and malformed. Nothing is taken from the globals: encoding.js hands over what is needed.
((host) => {
  "use strict";
  const { singleByteTable, decodeMultiByte, unitAt } = host;
  const {
    Bytes, Units, ArrayOf, apply, fromCharCode, decodeUTF8, EMPTY, lengthOf, typedBuffer, typedOffset, setBytes, part,
    setPrototypeOf, includes, wellFormedOf,
  } = host.encoding;

  const joined = (head, tail) => {
    const length = lengthOf(head);
    if (length === 0) return tail;
    const whole = new Bytes(length + lengthOf(tail));
    setBytes(whole, head);
    setBytes(whole, tail, length);
    return whole;
  };

  /** A copy: what a stream keeps must not change with the caller's buffer. */
  const copyFrom = (bytes, start) => new Bytes(part(bytes, start, lengthOf(bytes)));

  const PIECE = 4096;

  /** UTF-16 units as a string; in pieces, for a call has only so much room for arguments. */
  const stringOf = (units) => {
    const length = lengthOf(units);
    let text = "";
    for (let start = 0; start < length; start += PIECE) {
      const count = length - start < PIECE ? length - start : PIECE;
      // The engine reads its own arrays faster here than typed ones; a page's setters for indices are on no way.
      const piece = setPrototypeOf(new ArrayOf(count), null);
      for (let index = 0; index < count; index++) piece[index] = units[start + index];
      text += apply(fromCharCode, undefined, piece);
    }
    return text;
  };

  /** Whether `second` may follow `lead` (Unicode, table 3-7). */
  const mayFollow = (lead, second) => {
    switch (lead) {
      case 0xE0: return second >= 0xA0;
      case 0xED: return second < 0xA0;
      case 0xF0: return second >= 0x90;
      case 0xF4: return second < 0x90;
      default: return true;
    }
  };

  /** How many bytes at the end begin a UTF-8 sequence that more bytes could complete, 0 to 3. */
  const unfinished = (bytes, length) => {
    for (let count = 1; count <= 3 && count <= length; count++) {
      const lead = bytes[length - count];
      if (lead < 0x80) return 0;
      if (lead < 0xC0) continue;
      if (lead < 0xC2 || lead > 0xF4) return 0;
      const needed = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
      return count < needed && (count === 1 || mayFollow(lead, bytes[length - count + 1])) ? count : 0;
    }
    return 0;
  };

  class UTF8Decoder {
    #rest = EMPTY;
    decode(chunk, isLast, fatal) {
      const bytes = joined(this.#rest, chunk);
      this.#rest = EMPTY;
      if (isLast) return decodeUTF8(bytes, fatal);
      const length = lengthOf(bytes);
      const count = unfinished(bytes, length);
      if (count === 0) return decodeUTF8(bytes, fatal);
      this.#rest = copyFrom(bytes, length - count);
      return length === count ? "" : decodeUTF8(part(bytes, 0, length - count), fatal);
    }
  }

  const swapped = (bytes) => {
    const other = new Bytes(lengthOf(bytes));
    for (let index = 0; index < other.length; index++) other[index] = bytes[index ^ 1];
    return other;
  };

  class UTF16Decoder {
    #rest = EMPTY;
    #isBigEndian;
    constructor(isBigEndian) { this.#isBigEndian = isBigEndian; }

    decode(chunk, isLast, fatal) {
      const bytes = joined(this.#rest, chunk);
      const length = lengthOf(bytes);
      const even = this.#keep(bytes, length);
      const text = this.#text(part(bytes, 0, even));
      // Whatever is incomplete at the end is one error, were it a lead surrogate and a byte.
      const whole = isLast && even < length ? `${text}\uD800` : text;
      if (isLast) this.#rest = EMPTY;
      const wellFormed = wellFormedOf(whole);
      return fatal && wellFormed !== whole ? undefined : wellFormed;
    }

    /** Keeps an odd byte and a lead surrogate for later. Answers how many bytes are before them. */
    #keep(bytes, length) {
      let even = length & ~1;
      if (even >= 2 && (bytes[even - (this.#isBigEndian ? 2 : 1)] & 0xFC) === 0xD8) even -= 2;
      this.#rest = even < length ? copyFrom(bytes, even) : EMPTY;
      return even;
    }

    #text(bytes) {
      const length = lengthOf(bytes);
      const isAligned = (typedOffset(bytes) & 1) === 0;
      const native = this.#isBigEndian ? swapped(bytes) : isAligned ? bytes : new Bytes(bytes);
      return stringOf(new Units(typedBuffer(native), typedOffset(native), length >> 1));
    }
  }

  class SingleByteDecoder {
    #units = new Units(256);
    #isComplete;
    /** `upper`: the characters of bytes 0x80 to 0xFF, U+FFFD for none. */
    constructor(upper) {
      for (let index = 0; index < 128; index++) {
        this.#units[index] = index;
        this.#units[index + 128] = unitAt(upper, index);
      }
      this.#isComplete = !includes(upper, "\uFFFD");
    }

    decode(chunk, isLast, fatal) {
      const units = this.#units;
      const result = new Units(lengthOf(chunk));
      for (let index = 0, end = lengthOf(result); index < end; index++) result[index] = units[chunk[index]];
      const text = stringOf(result);
      return fatal && !this.#isComplete && includes(text, "\uFFFD") ? undefined : text;
    }
  }

  class MultiByteDecoder {
    #name;
    #state = new Bytes(8);  // the native side reads and writes it; all zero is the start of a stream
    constructor(name) { this.#name = name; }
    decode(chunk, isLast, fatal) { return decodeMultiByte(this.#name, chunk, this.#state, isLast, fatal); }
  }

  const userDefined = () => {
    const units = new Units(128);
    for (let index = 0; index < 128; index++) units[index] = 0xF780 + index;
    return stringOf(units);
  };

  const MULTI_BYTE = {
    __proto__: null, "gbk": true, "gb18030": true, "big5": true, "euc-jp": true, "iso-2022-jp": true,
    "shift_jis": true, "euc-kr": true,
  };
  // A single-byte decoder has no state but its table.
  const singleByte = { __proto__: null };

  const decoderOf = (name) => {
    if (name === "utf-8") return new UTF8Decoder();
    if (name === "utf-16le" || name === "utf-16be") return new UTF16Decoder(name === "utf-16be");
    if (name in MULTI_BYTE) return new MultiByteDecoder(name);
    return singleByte[name] ??=
      new SingleByteDecoder(name === "x-user-defined" ? userDefined() : singleByteTable(name));
  };

  return { decoderOf };
})
