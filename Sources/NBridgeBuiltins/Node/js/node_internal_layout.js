// SPDX-License-Identifier: MIT
// How util.inspect puts the items of an object on lines, and how it writes strings and numbers.
"use strict";

// The control sequences of terminals: CSI and OSC ones, and single characters behind an escape (ECMA-48).
const OSC = /\][^\u0007\u001b]*(?:\u0007|\u001b\\)/;
const CSI = /[[()#;?]*(?:\d{1,4}(?:[;:]\d{0,4})*)?[\dA-PR-TZcf-nq-uy=><~]/;
const SEQUENCES = new RegExp(`[\\u001b\\u009b](?:${OSC.source}|${CSI.source})`, "g");
const without = (text) => text.includes("\u001b") || text.includes("\u009b") ? text.replace(SEQUENCES, "")
  : text;

const isWide = (code) => code >= 0x1100 && (code <= 0x115f || code === 0x2329 || code === 0x232a ||
  (code >= 0x2e80 && code <= 0x3247 && code !== 0x303f) || (code >= 0x3250 && code <= 0x4dbf) ||
  (code >= 0x4e00 && code <= 0xa4c6) || (code >= 0xa960 && code <= 0xa97c) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
  (code >= 0xf900 && code <= 0xfaff) || (code >= 0xfe10 && code <= 0xfe19) ||
    (code >= 0xfe30 && code <= 0xfe6b) ||
  (code >= 0xff01 && code <= 0xff60) || (code >= 0xffe0 && code <= 0xffe6) ||
    (code >= 0x1f300 && code <= 0x1f64f) ||
  (code >= 0x1f900 && code <= 0x1f9ff) || (code >= 0x20000 && code <= 0x3fffd));

/** How many columns of a terminal a text takes. */
const widthOf = (text) => {
  const plain = without(text);
  if (!/[^\x20-\x7e]/.test(plain)) return plain.length;
  let width = 0;
  for (const character of plain.normalize("NFC")) {
    if (/[\p{Mn}\p{Me}\p{Cc}\p{Cf}]/u.test(character)) continue;
    width += isWide(character.codePointAt(0)) ? 2 : 1;
  }
  return width;
};

const ESCAPES = { "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", "\\": "\\\\" };
const escaped = (character) => ESCAPES[character] ??
  (character.length === 1 && character >= "\ud800" ? `\\u${character.charCodeAt(0).toString(16)}`
    : `\\x${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);

/** A string literal, in the quotes that need the fewest escapes. */
const quoted = (text) => {
  const quote = !text.includes("'") ? "'" : !text.includes('"') ? '"' : !/`|\$\{/.test(text) ? "`" : "'";
  const body = text.replace(/[\x00-\x1f\x7f-\x9f\\]|\p{Surrogate}/gu, escaped);
  return quote + (quote === "'" ? body.replace(/'/g, "\\'") : body) + quote;
};

const grouped = (digits) => digits.replace(/\B(?=(\d{3})+$)/g, "_");
const number = (value, separates) => {
  if (Object.is(value, -0)) return "-0";
  const text = `${value}`;
  if (!separates) return text;
  const [, sign, whole, rest] = /^(-?)(\d+)(.*)$/.exec(text) ?? [];
  if (whole === undefined || /e/.test(rest)) return text;
  const fraction = rest.startsWith(".") ? `.${rest.slice(1).replace(/(\d{3})(?=\d)/g, "$1_")}` : rest;
  return sign + grouped(whole) + fraction;
};

/** Many short items in columns, numbers to the right. */
const inColumns = (items, { breakLength, compact, indent }, hasMore, isNumeric) => {
  const count = hasMore ? items.length - 1 : items.length;
  const widths = items.slice(0, count).map((item) => widthOf(item));
  const widest = Math.max(0, ...widths) + 2;
  const total = widths.reduce((sum, width) => sum + width + 2, 0);
  if (widest * 3 + indent >= breakLength || !(total / widest > 5 || widest - 2 <= 6)) return items;
  // A character is about 2.5 times as high as wide: so many columns make a square.
  const bias = Math.max(widest - 3 - Math.sqrt(widest - total / items.length), 1);
  const columns = Math.min(Math.round(Math.sqrt(2.5 * bias * count) / bias),
    Math.floor((breakLength - indent) / widest),
    compact * 4, 15);
  if (columns <= 1) return items;
  const wanted = [];
  for (let column = 0; column < columns; column++) {
    let width = 0;
    for (let at = column; at < count; at += columns) width = Math.max(width, widths[at]);
    wanted.push(width + 2);
  }
  const rows = [];
  for (let first = 0; first < count; first += columns) {
    const last = Math.min(first + columns, count) - 1;
    let row = "";
    for (let at = first; at <= last; at++) {
      const cell = at === last ? items[at] : `${items[at]}, `;
      const room = " ".repeat(Math.max(0, wanted[at - first] - widths[at] - 2));
      row += isNumeric ? room + cell : at === last ? cell : cell + room;
    }
    rows.push(row);
  }
  if (hasMore) rows.push(items[count]);
  return rows;
};

const fits = (items, taken, base, breakLength, hasColours) => {
  let total = items.length + taken;
  if (total + items.length > breakLength) return false;
  for (const item of items) {
    total += hasColours ? without(item).length : item.length;
    if (total > breakLength) return false;
  }
  return base === "" || !base.includes("\n");
};

/** One line where it is short enough and few levels deep, else a line an item. */
const joined = (items, { base, braces, isList, hasMore, isNumeric, levels }, context) => {
  const { compact, breakLength, indent } = context;
  const space = `\n${" ".repeat(indent)}`;
  if (compact !== true && compact !== false) {
    const before = items.length;
    if (isList && before > 6) items = inColumns(items, context, hasMore, isNumeric);
    if (levels < compact && before === items.length) {
      const taken = items.length + indent + braces[0].length + base.length + 10;
      if (fits(items, taken, base, breakLength, context.colors)) {
        const text = items.join(", ");
        if (!text.includes("\n")) return `${base ? `${base} ` : ""}${braces[0]} ${text} ${braces[1]}`;
      }
    }
    return `${base ? `${base} ` : ""}${braces[0]}${space}  ${items.join(`,${space}  `)}${space}${braces[1]}`;
  }
  if (compact === true && fits(items, 0, base, breakLength, context.colors)) {
    return `${braces[0]}${base ? ` ${base}` : ""} ${items.join(", ")} ${braces[1]}`;
  }
  if (compact === true) {
    const first = base === "" && braces[0].length === 1 ? " " : `${base ? ` ${base}` : ""}${space}  `;
    return `${braces[0]}${first}${items.join(`,${space}  `)} ${braces[1]}`;
  }
  return `${base ? `${base} ` : ""}${braces[0]}${space}  ${items.join(`,${space}  `)}${space}${braces[1]}`;
};

module.exports = { joined, quoted, number, grouped, without, widthOf };
