// SPDX-License-Identifier: MIT
// `test.each(table)(title, f)` and `describe.each`: a declaration for each row of a table, which is a list, or a template
// with its columns' names in the first line.
((host) => {
  "use strict";
  const { brief, needBody } = host;
  const { JSON, Number, Object, String, TypeError } = globalThis;
  const { hasOwn } = Object;
  const { isArray } = Array;
  const { apply } = Reflect;
  const uncurry = (method) => (self, ...args) => apply(method, self, args);
  const replace = uncurry(String.prototype.replace);
  const split = uncurry(String.prototype.split);
  const trim = uncurry(String.prototype.trim);
  const concat = uncurry(Array.prototype.concat);

  const isObject = (value) => typeof value === "object" && value !== null;
  const plain = (value) => (isObject(value) || typeof value === "function" ? brief(value) : String(value));

  // --- Rows -----------------------------------------------------------------------------------------------

  const rowsOfTemplate = (text, values, what) => {
    const names = split(trim(text), "|");
    for (let at = 0; at < names.length; at++) names[at] = trim(names[at]);
    if (names.length === 0 || names[0] === "" || values.length === 0 || values.length % names.length !== 0) {
      throw new TypeError(`${what}: a table has a line of names, 'a | b', and as many values in each line below`);
    }
    const rows = [];
    for (let at = 0; at < values.length; at += names.length) {
      const row = {};
      for (let column = 0; column < names.length; column++) row[names[column]] = values[at + column];
      rows[rows.length] = { args: [row], named: row };
    }
    return rows;
  };

  const rowsOf = (table, values, what) => {
    if (isArray(table) && isArray(table.raw)) return rowsOfTemplate(table[0], values, what);
    if (!isArray(table) || table.length === 0) {
      throw new TypeError(`${what} needs a list of rows that is not empty, not ${brief(table)}: nothing would run`);
    }
    const rows = [];
    for (let at = 0; at < table.length; at++) {
      const row = table[at];
      rows[at] = isArray(row) ? { args: concat([], row) } : { args: [row], named: isObject(row) ? row : undefined };
    }
    return rows;
  };

  // --- Titles ---------------------------------------------------------------------------------------------

  const placed = (directive, value) => {
    switch (directive) {
      case "s": return plain(value);
      case "d": return typeof value === "symbol" || isObject(value) ? "NaN" : `${Number(value)}`;
      case "i": return typeof value === "symbol" ? "NaN" : `${parseInt(value, 10)}`;
      case "f": return typeof value === "symbol" ? "NaN" : `${parseFloat(value)}`;
      case "j": return JSON.stringify(value) ?? "undefined";
      default: return brief(value);
    }
  };

  /** A row's title: `%s` and its like take its values in turn, `$name` is a member, `%#` and `$#` count from 0, `%$` from 1. */
  const titleOf = (title, { args, named }, index) => {
    let used = 0;
    return replace(title, /%([psdifjoO#$%])|\$(#|[A-Za-z_]\w*(?:\.\w+)*)/g, (whole, directive, name) => {
      if (directive === "%") return "%";
      if (directive === "$") return `${index + 1}`;
      if (directive === "#" || name === "#") return `${index}`;
      if (directive !== undefined) return used < args.length ? placed(directive, args[used++]) : whole;
      const path = split(name, ".");
      if (named === undefined || !hasOwn(named, path[0])) return whole;
      let value = named;
      for (let at = 0; at < path.length; at++) value = value?.[path[at]];
      return plain(value);
    });
  };

  // --- Declarations ---------------------------------------------------------------------------------------

  /**
   * Takes the arguments of `.each` of a declaration, and answers what takes those of the call behind it; `hasContext` where its
   * function may take a context behind the row's values.
   */
  const eachOf = (declare, what, hasContext) => (table, values) => {
    const rows = rowsOf(table, values, `${what}.each`);
    return (title, rest) => {
      if (typeof title !== "string") throw new TypeError(`${what}.each(...) needs a title, not ${brief(title)}`);
      const at = typeof rest[0] === "function" ? 0 : 1;
      const body = rest[at];
      for (let index = 0; index < rows.length; index++) {
        const { args } = rows[index];
        const name = titleOf(title, rows[index], index);
        needBody(`'${name}'`, body, hasContext ? args.length + 1 : args.length);
        const takesContext = hasContext && body.length > args.length;
        rest[at] = (context) => apply(body, undefined, takesContext ? concat(args, [context]) : args);
        apply(declare, undefined, concat([name], rest));
      }
    };
  };

  return { eachOf };
})
