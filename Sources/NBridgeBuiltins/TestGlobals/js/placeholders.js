// SPDX-License-Identifier: MIT
// `expect.any(Number)` and its like: what stands in the place of a value and says which fit.
((host) => {
  "use strict";
  const { inspect, Matching, isClose } = host;
  const { isEqual, matches } = host.assertions;
  const { Map, Object, RegExp, TypeError } = globalThis;
  const { keys: keysOf, getOwnPropertySymbols } = Object;
  const { isArray } = Array;
  const { apply } = Reflect;
  const uncurry = (method) => (self, ...args) => apply(method, self, args);
  const holdsText = uncurry(String.prototype.includes);
  const isEnumerable = uncurry(Object.prototype.propertyIsEnumerable);
  const mapGet = uncurry(Map.prototype.get);

  const PRIMITIVES = new Map([[Number, "number"], [String, "string"], [Boolean, "boolean"], [BigInt, "bigint"],
    [Symbol, "symbol"], [Function, "function"]]);
  const isObject = (value) => typeof value === "object" && value !== null;
  const all = (list, holds) => {
    for (let index = 0; index < list.length; index++) if (!holds(list[index])) return false;
    return true;
  };
  const need = (holds, name, what, value) => {
    if (!holds) throw new TypeError(`expect.${name} needs ${what}, not ${inspect(value)}`);
  };

  /** `name` stands for it in a snapshot, by Jest's names. */
  const matching = (says, value, fits, name = says) => new Matching(
    value === undefined ? says : `${says} ${typeof value === "function" ? value.name : inspect(value)}`, fits, name);

  /** Whether the members are there, and equal: what lies in them has no more members either, as Jest has it. */
  const hasMembers = (value, members) => {
    const holds = (key) => key in Object(value) && isEqual(value[key], members[key]);
    return value !== null && value !== undefined && all(keysOf(members), holds)
      && all(getOwnPropertySymbols(members), (key) => !isEnumerable(members, key) || holds(key));
  };

  /** Those that have an opposite in `expect.not`. */
  const opposed = (isOpposite) => {
    const one = (says, value, fits, name) => matching(isOpposite ? `not ${says}` : says, value,
      isOpposite ? (a) => !fits(a) : fits, `${isOpposite ? name[1] : name[0]} ${inspect(value, { depth: null })}${name[2] ?? ""}`);
    return {
      objectContaining(members) {
        need(isObject(members) || typeof members === "function", "objectContaining", "an object", members);
        return one("an object with", members, (a) => hasMembers(a, members), ["ObjectContaining", "ObjectNotContaining"]);
      },
      arrayContaining(list) {
        need(isArray(list), "arrayContaining", "a list", list);
        return one("a list with", list,
          (a) => isArray(a) && all(list, (item) => !all(a, (other) => !isEqual(other, item))),
          ["ArrayContaining", "ArrayNotContaining"]);
      },
      arrayOf: (item) => one("a list of", item, (a) => isArray(a) && all(a, (other) => isEqual(other, item)),
        ["ArrayOf", "NotArrayOf"]),
      stringContaining(text) {
        need(typeof text === "string", "stringContaining", "a text", text);
        return one("a text with", text, (a) => typeof a === "string" && holdsText(a, text),
          ["StringContaining", "StringNotContaining"]);
      },
      stringMatching(given) {
        need(typeof given === "string" || given instanceof RegExp, "stringMatching", "a pattern", given);
        const pattern = typeof given === "string" ? new RegExp(given) : given;
        return one("a text that matches", pattern, (a) => typeof a === "string" && matches(a, pattern),
          ["StringMatching", "StringNotMatching"]);
      },
      closeTo(number, digits = 2) {
        need(typeof number === "number", "closeTo", "a number", number);
        need(typeof digits === "number", "closeTo", "a number of digits", digits);
        return one("close to", number, (a) => typeof a === "number" && isClose(a, number, digits),
          ["NumberCloseTo", "NumberNotCloseTo", ` (${digits} digits)`]);
      },
    };
  };

  const placeholders = {
    ...opposed(false),
    anything: () => matching("anything", undefined, (a) => a !== null && a !== undefined, "Anything"),
    any(type) {
      need(typeof type === "function", "any", "a class", type);
      return matching("any", type, (a) => typeof a === mapGet(PRIMITIVES, type) || a instanceof type
        || (type === Object && isObject(a)), `Any<${type.name}>`);
    },
    not: opposed(true),
  };

  return { placeholders, matching };
})
