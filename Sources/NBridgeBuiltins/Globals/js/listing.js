// SPDX-License-Identifier: MIT
// What inspect.js lists of an object: its keys, and where a list has elements. The engine can't tell the names that stand
// beside a million elements without making a million texts, so of a long list only these are looked for: symbols, and the
// names that the language itself puts there.
((host) => {
  "use strict";
  // A script may put others in their places later.
  const { Math, Object } = globalThis;
  const { hasOwn } = Object;
  const { descriptorOf, getOwnPropertyNames, getOwnPropertySymbols, isArray, typedTag, typedLength } = host.primordials;
  const { isIndex } = host.looking;

  const SHORT = 1000;
  const BESIDE = ["length", "index", "input", "groups", "indices", "raw"];

  /** How many elements a list, a typed array or a text's object has; 0 for any other. */
  const lengthOf = (value) => {
    if (isArray(value)) return descriptorOf(value, "length").value;
    if (typedTag(value) !== undefined) return typedLength(value);
    const length = descriptorOf(value, 0) === undefined ? undefined : descriptorOf(value, "length");
    return length?.writable === false && typeof length.value === "number" ? length.value : 0;
  };

  /** Names of its own; all of them where all the elements are shown, too. */
  const namesOf = (value, shown) => {
    const length = lengthOf(value);
    if (length <= SHORT || length <= shown) return getOwnPropertyNames(value);
    return BESIDE.filter((name) => descriptorOf(value, name) !== undefined);
  };

  const keysOf = (value, { showHidden, sorted, maxArrayLength }) => {
    const isShown = (key) => showHidden || descriptorOf(value, key).enumerable;
    const names = namesOf(value, maxArrayLength ?? Infinity).filter(isShown);
    if (sorted) names.sort();
    return [...names, ...getOwnPropertySymbols(value).filter(isShown)];
  };

  const NEAR = 10000;
  /** Finds the next element of a list behind a hole; its length where none comes. */
  const findNext = (value, length) => {
    let indices;
    return (from) => {
      const near = Math.min(length, from + NEAR);
      for (let at = from; at < near; at++) if (hasOwn(value, at)) return at;
      if (near === length) return length;
      // So wide a hole is one of a list with few elements, most of the time.
      indices ??= getOwnPropertyNames(value).filter(isIndex);
      return Math.min(length, +(indices.find((index) => +index >= near) ?? length));
    };
  };

  return { keysOf, findNext };
})
