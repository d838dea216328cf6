// SPDX-License-Identifier: MIT
// atob and btoa (HTML standard, section 8.3; Infra standard, section 7 for forgiving base64).
((host) => {
  "use strict";
  const { append, DOMException, unitAt } = host;
  const { fromCharCode } = String;
  const { apply } = Reflect;
  const { getOwnPropertyDescriptor, getPrototypeOf, setPrototypeOf } = Object;
  const lengthOf = Function.prototype.call.bind(getOwnPropertyDescriptor(getPrototypeOf(Uint8Array.prototype), "length").get);
  const Bytes = Uint8Array;
  const TypeErrorOf = TypeError;
  const ArrayOf = Array;
  const PIECE = 4096;
  const { fromBase64 } = Bytes;
  const { toBase64 } = Bytes.prototype;

  const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

  const fail = (message) => { throw new DOMException(message, "InvalidCharacterError"); };
  const failDecoding = () => fail("atob: the string is not base64");

  /** Bytes as characters U+0000 to U+00FF; in pieces, for a call has only so much room for arguments. */
  const binaryString = (bytes) => {
    const length = lengthOf(bytes);
    let text = "";
    for (let start = 0; start < length; start += PIECE) {
      const count = length - start < PIECE ? length - start : PIECE;
      // The engine reads its own arrays faster here than typed ones; a page's setters for indices are on no way.
      const piece = setPrototypeOf(new ArrayOf(count), null);
      for (let index = 0; index < count; index++) piece[index] = bytes[start + index];
      text += apply(fromCharCode, undefined, piece);
    }
    return text;
  };

  /** The other way round. */
  const bytesOf = (text) => {
    const { length } = text;
    const bytes = new Bytes(length);
    let seen = 0;
    for (let index = 0; index < length; index++) {
      const unit = unitAt(text, index);
      seen |= unit;
      bytes[index] = unit;
    }
    if (seen > 0xFF) fail("btoa: the string has a character above U+00FF; encode it to bytes first");
    return bytes;
  };

  // --- For an engine without Uint8Array.fromBase64 --------------------------------------------------------

  const encodeByHand = (bytes) => {
    const length = lengthOf(bytes);
    let text = "";
    for (let index = 0; index < length; index += 3) {
      const group = bytes[index] << 16 | bytes[index + 1] << 8 | bytes[index + 2];
      text += ALPHABET[group >> 18] + ALPHABET[group >> 12 & 63];
      text += index + 1 < length ? ALPHABET[group >> 6 & 63] : "=";
      text += index + 2 < length ? ALPHABET[group & 63] : "=";
    }
    return text;
  };

  const isSpace = (unit) => unit === 0x20 || (unit >= 0x09 && unit <= 0x0D && unit !== 0x0B);

  /** The characters but ASCII whitespace, and one or two `=` that end a whole number of groups. */
  const significant = (text) => {
    const units = [];
    for (let index = 0; index < text.length; index++) {
      const unit = unitAt(text, index);
      if (!isSpace(unit)) append(units, unit);
    }
    if (units.length % 4 !== 0) return units;
    for (let count = 0; count < 2 && units[units.length - 1] === 0x3D; count++) units.length--;
    return units;
  };

  const VALUES = new Bytes(128).fill(64);
  for (let index = 0; index < 64; index++) VALUES[unitAt(ALPHABET, index)] = index;

  const decodeByHand = (text) => {
    const units = significant(text);
    if (units.length % 4 === 1) failDecoding();
    const bytes = new Bytes(units.length * 3 / 4 | 0);
    let bits = 0;
    let count = 0;
    let written = 0;
    for (const unit of units) {
      const value = unit < 128 ? VALUES[unit] : 64;
      if (value === 64) failDecoding();
      bits = (bits << 6 | value) & 0xFFF;
      count += 6;
      if (count >= 8) bytes[written++] = bits >> (count -= 8);
    }
    return bytes;
  };

  // --- The engine's own -----------------------------------------------------------------------------------

  // Loose decoding is what Infra calls forgiving: whitespace anywhere, padding optional but complete.
  const decode = fromBase64 === undefined ? decodeByHand : (text) => {
    try {
      return apply(fromBase64, Bytes, [text]);
    } catch {
      return failDecoding();
    }
  };

  const encode = toBase64 === undefined ? encodeByHand : (bytes) => apply(toBase64, bytes, []);

  const library = {
    atob(data) {
      if (arguments.length === 0) throw new TypeErrorOf("atob: an argument is needed");
      return binaryString(decode(`${data}`));
    },
    btoa(data) {
      if (arguments.length === 0) throw new TypeErrorOf("btoa: an argument is needed");
      return encode(bytesOf(`${data}`));
    },
  };
  return { atob: library.atob, btoa: library.btoa, internals: { encode, binaryString } };
})
