// SPDX-License-Identifier: MIT
// Says what a thrown value is, as texts, whatever it does when it is looked at: getters that throw, numbers as codes,
// proxies. For two unequal values it makes the two texts whose lines are compared.
((host) => {
  "use strict";
  const { inspect, diff, messageFor } = host;
  const { hasOwn } = Object;

  /** The text of a member; undefined where there is none that can be read. */
  const textOf = (error, name) => {
    try {
      const value = error[name];
      if (typeof value === "string") return value;
      return typeof value === "number" || typeof value === "bigint" ? `${value}` : undefined;
    } catch {
      return undefined;
    }
  };

  // As toEqual looks at them: at what getters give, and of an error not at where it was made.
  const SHAPE = { depth: null, compact: 0, sorted: true, readsGetters: true, showsFrames: false };
  const LONG = { ...SHAPE, maxArrayLength: 100000, maxStringLength: 1000000 };
  const WHOLE = { ...SHAPE, maxArrayLength: Infinity, maxStringLength: Infinity };
  /** A value with a line for each member, sorted: what a diff compares. */
  const lines = (value) => (typeof value === "string" ? value : inspect(value, LONG));
  /**
   * The same with nothing left out, of which two that differ have two texts: what a snapshot compares. `textOf` answers a text,
   * in a list, for what that stands in the place of.
   */
  const allLinesWith = (textOf, value) => inspect(value, { ...WHOLE, customInspect: textOf });

  const MAX_LINE = 60, AROUND = 30;
  /** Two long texts of one line each, around where they begin to differ. */
  const lineDifference = (actual, expected) => {
    if (actual === expected || (actual.length <= MAX_LINE && expected.length <= MAX_LINE)) return "";
    let at = 0;
    while (at < actual.length && actual[at] === expected[at]) at++;
    // Not into the middle of a character.
    while (at > 0 && (/[\udc00-\udfff]/.test(actual[at] ?? "") || /[\udc00-\udfff]/.test(expected[at] ?? ""))) at--;
    const start = at <= AROUND ? 0 : at - AROUND;
    const part = (text) => {
      const end = at + AROUND;
      const shown = `${start > 0 ? "..." : ""}${text.slice(start, end)}${end < text.length ? "..." : ""}`;
      return shown.replace(/[\0-\x1f\x7f-\x9f]/g, " ");
    };
    return `- ${part(expected)}\n+ ${part(actual)}\n  ${" ".repeat(at - start + (start > 0 ? 3 : 0))}^ from character ${at} on`;
  };

  const difference = (error) => {
    try {
      if (!hasOwn(error, "actual") || !hasOwn(error, "expected") || error.showDiff === false) return "";
      const { actual, expected } = error;
      const areTexts = typeof actual === "string" && typeof expected === "string";
      if (!areTexts && (typeof actual !== "object" || typeof expected !== "object")) return "";
      if (areTexts && !actual.includes("\n") && !expected.includes("\n")) return lineDifference(actual, expected);
      return diff(lines(actual), lines(expected));
    } catch {
      return "";
    }
  };

  /** What a thrown value is, in texts, and in `thrown` itself. */
  const describe = (error) => {
    const thrown = { __proto__: null, value: error };
    if (typeof error !== "object" || error === null) {
      return { name: "Error", message: `${inspect(error)} was thrown`, code: undefined, stack: "", difference: "", thrown };
    }
    const message = textOf(error, "message"), stack = textOf(error, "stack") ?? "";
    return {
      name: textOf(error, "name") ?? "Error",
      message: message === undefined ? `${inspect(error)} was thrown` : messageFor(message, stack),
      code: textOf(error, "code"), stack, difference: difference(error), thrown,
    };
  };

  const MAX_BRIEF = 200;
  /** A value on one line, cut where it is long: for messages. */
  const brief = (value) => {
    const text = inspect(value, { breakLength: Infinity }).replace(/\s*\n\s*/g, " ");
    return text.length <= MAX_BRIEF ? text : `${text.slice(0, MAX_BRIEF)} ...`;
  };

  return { describe, lines, allLinesWith, brief };
})
