// SPDX-License-Identifier: MIT
// node:punycode: names of other alphabets in ASCII (RFC 3492).
"use strict";

const [BASE, LEAST, MOST, SKEW, DAMP, START, FIRST] = [36, 1, 26, 38, 700, 72, 128];
const DIGITS = "abcdefghijklmnopqrstuvwxyz0123456789";

/** Section 6.1. */
const adapted = (delta, count, isFirst) => {
  let rest = isFirst ? Math.floor(delta / DAMP) : delta >> 1;
  rest += Math.floor(rest / count);
  let k = 0;
  for (; rest > (BASE - LEAST) * MOST >> 1; k += BASE) rest = Math.floor(rest / (BASE - LEAST));
  return Math.floor(k + (BASE - LEAST + 1) * rest / (rest + SKEW));
};

const threshold = (k, bias) => k <= bias ? LEAST : k >= bias + MOST ? MOST : k - bias;
const overflow = () => new RangeError("Overflow: input needs wider integers to process");

const decode = (text) => {
  const mark = Math.max(0, text.lastIndexOf("-"));
  const codes = Array.from(text.slice(0, mark), (character) => {
    if (character >= "\x80") throw new RangeError("Illegal input >= 0x80 (not a basic code point)");
    return character.codePointAt(0);
  });
  let [code, index, bias] = [FIRST, 0, START];
  for (let at = mark > 0 ? mark + 1 : 0; at < text.length;) {
    const before = index;
    for (let weight = 1, k = BASE; ; k += BASE) {
      if (at >= text.length) throw new RangeError("Invalid input");
      const digit = DIGITS.indexOf(text[at++].toLowerCase());
      if (digit < 0) throw new RangeError("Invalid input");
      index += digit * weight;
      if (index > 0x7fffffff) throw overflow();
      const least = threshold(k, bias);
      if (digit < least) break;
      weight *= BASE - least;
    }
    const count = codes.length + 1;
    bias = adapted(index - before, count, before === 0);
    code += Math.floor(index / count);
    index %= count;
    codes.splice(index++, 0, code);
  }
  return String.fromCodePoint(...codes);
};

const encode = (text) => {
  const codes = Array.from(text, (character) => character.codePointAt(0));
  const basic = codes.filter((code) => code < FIRST);
  let output = String.fromCodePoint(...basic) + (basic.length > 0 ? "-" : "");
  let [code, delta, bias, done] = [FIRST, 0, START, basic.length];
  while (done < codes.length) {
    const next = Math.min(...codes.filter((one) => one >= code));
    delta += (next - code) * (done + 1);
    code = next;
    for (const one of codes) {
      if (one < code) delta++;
      if (one !== code) continue;
      let rest = delta;
      for (let k = BASE; ; k += BASE) {
        const least = threshold(k, bias);
        if (rest < least) break;
        output += DIGITS[least + (rest - least) % (BASE - least)];
        rest = Math.floor((rest - least) / (BASE - least));
      }
      output += DIGITS[rest];
      bias = adapted(delta, done + 1, done === basic.length);
      delta = 0;
      done++;
    }
    delta++;
    code++;
  }
  return output;
};

/** Each label of a name; what stands before an `@` stays. */
const labels = (name, change) => {
  const at = name.lastIndexOf("@") + 1;
  return name.slice(0, at) + name.slice(at).replace(/[\u3002\uff0e\uff61]/g, ".").split(".").map(change).join(
    ".");
};

module.exports = {
  version: "2.1.0", encode, decode,
  ucs2: {
    decode: (text) => Array.from(text, (character) => character.codePointAt(0)),
    encode: (codes) => String.fromCodePoint(...codes),
  },
  toASCII: (name) => labels(name, (label) => /[^\0-\x7f]/.test(label) ? `xn--${encode(label)}` : label),
  toUnicode: (name) => labels(name, (label) => label.startsWith("xn--") ? decode(label.slice(4).toLowerCase())
    : label),
};
