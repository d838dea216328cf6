// SPDX-License-Identifier: MIT
//
// The conformance suite's values: right and wrong ones of a declared shape.
((chance) => {
  "use strict";
  const { random, below, pick } = chance;
  const STRINGS = ["", "a", "Ada", "\u00e9", "\uac00\ub098\ub2e4", "\ud83d\ude00", "\0", "\"\\\n", "x".repeat(300), "__proto__",
    "$nb", "../../etc/passwd", "0", "null"];
  const NUMBERS = [0, 1, -1, 2.5, 1e21, -0, 2 ** 31, 2 ** 53, NaN, Infinity];
  const INTEGERS = [0, 1, 2, 3, 7, 20, 100, -1, 255, 256];

  /** The same values as one of the sequences that a script may give. */
  const sequenceOf = (list) => pick([
    () => list, () => list.values(), () => (async function* () { yield* list; })(),
    () => new ReadableStream({ start(to) { for (const value of list) to.enqueue(value); to.close(); } }),
  ])();

  /** Numbers that keep a rule, those at its ends among them. */
  const within = ({ minimum = -Infinity, maximum = Infinity, type }, numbers) => {
    if (minimum === -Infinity && maximum === Infinity) return pick(numbers);
    const whole = type === "integer", ends = [whole ? Math.ceil(minimum) : minimum, whole ? Math.floor(maximum) : maximum];
    return pick([...ends.filter(Number.isFinite), ...numbers.filter((number) => number >= minimum && number <= maximum)]);
  };

  /** A text that matches a regular expression of the usual kind; undefined when this finds none. */
  const matching = (pattern) => {
    let at = 0;
    const every = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i));
    const classes = { d: /\d/, w: /\w/, s: / /, D: /\D/, W: /\W/, S: /\S/ };
    const escaped = () => {
      const name = pattern[at++];
      return name in classes ? every.filter((one) => classes[name].test(one)) : [{ n: "\n", t: "\t" }[name] ?? name];
    };
    const set = () => {
      const start = at;
      while (pattern[at] !== "]") at += pattern[at] === "\\" ? 2 : 1;
      const test = new RegExp(`[${pattern.slice(start, at++)}]`);
      return every.filter((one) => test.test(one));
    };
    const times = () => {
      const found = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(pattern.slice(at));
      if (found === null) return 1;
      at += found[0].length;
      if (found[1] === undefined) return { "*": below(3), "+": 1 + below(3), "?": below(2) }[found[0][0]];
      const least = Number(found[1]), most = found[2] === "" ? least : found[3] === "" ? least + 2 : Number(found[3]);
      return least + below(most - least + 1);
    };
    const either = () => {
      const parts = [[]];
      while (at < pattern.length && pattern[at] !== ")") {
        const mark = pattern[at++];
        let make;
        if (mark === "|") { parts.push([]); continue; }
        if (mark === "^" || mark === "$") continue;
        if (mark === "(") {
          if (pattern.startsWith("?:", at)) at += 2;
          make = either();
          at += 1;
        } else {
          const some = mark === "[" ? set() : mark === "\\" ? escaped() : mark === "." ? every : [mark];
          make = () => pick(some);
        }
        const before = at, count = times;
        count();
        const end = at;
        parts.at(-1).push(() => {
          at = before;
          const text = Array.from({ length: count() }, make).join("");
          at = end;
          return text;
        });
      }
      return () => pick(parts).map((make) => make()).join("");
    };
    try {
      const test = new RegExp(pattern), make = either();
      const tries = [...STRINGS, ...Array.from({ length: 20 }, () => make())].filter((text) => test.test(text));
      return pick(tries);
    } catch { return undefined; }
  };

  /** Whether an option has to keep to more than its type. */
  const isRuled = ({ minimum, maximum, pattern }) => minimum !== undefined || maximum !== undefined || pattern !== undefined;

  /** A value of an option's type that breaks its rule; undefined when this finds none. */
  const breaking = ({ minimum, maximum, pattern, type, anyOf, format }) => {
    if (pattern !== undefined) return STRINGS.find((text) => !new RegExp(pattern).test(text));
    const number = minimum !== undefined ? Math.ceil(minimum) - 1 : Math.floor(maximum) + 1;
    return [format, ...(anyOf ?? []).map((one) => one.format)].includes("bigint") ? BigInt(number) : number;
  };

  /** A value of a shape. */
  const valueOf = (schema, depth = 0) => {
    if (schema === undefined) return undefined;
    if (schema.enum) return pick(schema.enum);
    if (schema.anyOf) {
      const { minimum, maximum, pattern } = schema;
      return valueOf(isRuled(schema) ? { ...pick(schema.anyOf), minimum, maximum, pattern } : pick(schema.anyOf), depth);
    }
    if (schema.format === "stream") return sequenceOf(Array.from({ length: below(4) }, () => valueOf(schema.items ?? {}, depth + 1)));
    if (schema.format === "callback") return random() < 0.5 ? () => valueOf(schema.answer, depth + 1) : async () => valueOf(schema.answer, depth + 1);
    switch (schema.type) {
      case "boolean": return random() < 0.5;
      case "number": return within(schema, NUMBERS);
      case "integer": return schema.format === "bigint" ? BigInt(within(schema, INTEGERS)) : within(schema, INTEGERS);
      case "string":
        if (schema.format === "date") return new Date(below(2 ** 31) * 1000);
        if (schema.format === "bytes") return new Uint8Array(pick([0, 1, 100, 5000]));
        return schema.pattern === undefined ? pick(STRINGS) : matching(schema.pattern) ?? schema.default ?? "";
      case "null": return null;
      case "array": return Array.from({ length: below(4) }, () => valueOf(schema.items ?? {}, depth + 1));
      case "object": {
        const made = {};
        for (const [name, member] of Object.entries(schema.properties ?? {})) {
          if (schema.required?.includes(name) || random() < 0.5) made[name] = valueOf(member, depth + 1);
        }
        if (schema.additionalProperties) {
          for (let i = below(3); i > 0; i--) made[`k${i}`] = valueOf(schema.additionalProperties, depth + 1);
        }
        return made;
      }
      default: return depth > 3 ? null : pick([null, true, 5, "any", [1, "2"], { a: null }, 5n, new Date(0), undefined]);
    }
  };

  const STRANGE = [undefined, null, true, -1, 1.5, NaN, 2 ** 60, "text", "", 5n, -(2n ** 70n), new Date(NaN), new Uint8Array(3),
    [], [[[]]], {}, { $nb: ["b", 7, "Uint8Array"] }, { $nb: ["u"] }, new Map([[1, 2]]), new Set([1]), () => 1, Symbol("s"),
    "\ud800", Promise.resolve(1)];

  /** A value that is probably wrong somewhere. */
  const spoilt = (schema) => {
    if (schema === undefined || random() < 0.3) return pick(STRANGE);
    const made = valueOf(schema);
    if (typeof made !== "object" || made === null) return pick(STRANGE);
    const names = Object.keys(schema.properties ?? made);
    const name = pick(names.length > 0 ? names : ["x"]);
    if (random() < 0.3) delete made[name]; else made[name] = pick(STRANGE);
    return made;
  };

  return { valueOf, spoilt, breaking, isRuled };
})
