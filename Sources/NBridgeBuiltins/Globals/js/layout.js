// SPDX-License-Identifier: MIT
// How inspect.js puts the items of an object on lines: one line when it is short, columns for long lists, else a line
// an item (Node's own rules).
((host) => {
  "use strict";
  // A script may put others in their places later.
  const { Math } = globalThis;
  const { widthOf } = host.looking;

  const columnsOf = (items, indent, { breakLength, compact }) => {
    const more = items[items.length - 1].startsWith("... ") ? items.length - 1 : items.length;
    const widths = items.slice(0, more).map(widthOf);
    const longest = Math.max(...widths) + 2;
    const total = widths.reduce((sum, width) => sum + width + 2, 0);
    if (longest * 3 + indent >= breakLength) return items;
    if (!(total / longest > 5 || Math.max(...widths) <= 6)) return items;
    // A character is about 2.5 times as high as wide: so many columns make a square.
    const width = Math.max(longest - 3 - Math.sqrt(longest - total / items.length), 1);
    const columns = Math.min(
      Math.round(Math.sqrt(2.5 * width * more) / width), Math.floor((breakLength - indent) / longest), compact * 4, 15);
    return columns <= 1 ? items : rowsOf(items, more, widths, columns);
  };

  const rowsOf = (items, more, widths, columns) => {
    const columnWidths = [];
    for (let column = 0; column < columns; column++) {
      let widest = 0;
      for (let index = column; index < more; index += columns) widest = Math.max(widest, widths[index]);
      columnWidths.push(widest + 2);
    }
    const isNumeric = items.slice(0, more).every((item) => /^(\u001b\[\d+m)?-?[\d.]/.test(item));
    const rows = [];
    for (let start = 0; start < more; start += columns) {
      const end = Math.min(start + columns, more);
      let row = "";
      for (let index = start; index < end; index++) {
        const isLast = index === end - 1;
        const cell = `${items[index]}${isLast ? "" : ", "}`;
        const missing = columnWidths[index - start] - widths[index] - 2;
        if (isNumeric) row += " ".repeat(Math.max(0, missing)) + cell;
        else row += isLast ? cell : cell + " ".repeat(Math.max(0, missing));
      }
      rows.push(row);
    }
    if (more < items.length) rows.push(items[more]);
    return rows;
  };

  /** Whether items share a line, with some room left. */
  const isShort = (items, taken, breakLength) => {
    let total = items.length + taken;
    for (let index = 0; index < items.length; index++) {
      if (items[index].includes("\n")) return false;
      total += widthOf(items[index]);
      if (total > breakLength) return false;
    }
    return true;
  };

  /** The text of an object; `levels`: how many levels of objects lie in it. */
  const layOut = (items, { prefix, open, close, indent, isList, levels }, options) => {
    const entries = isList && items.length > 6 ? columnsOf(items, indent, options) : items;
    // Up to three levels share a line, when it stays below the width with some room.
    if (levels < options.compact && entries === items) {
      const taken = items.length + indent + open.length + prefix.length + 10;
      if (isShort(items, taken, options.breakLength) && !prefix.includes("\n")) {
        return `${prefix}${open} ${items.join(", ")} ${close}`;
      }
    }
    const space = `\n${" ".repeat(indent)}`;
    return `${prefix}${open}${space}  ${entries.join(`,${space}  `)}${space}${close}`;
  };

  return { layOut };
})
