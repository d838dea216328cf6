// SPDX-License-Identifier: MIT
// The engine's own functions, for what is loaded behind a script that may replace them: kept before that script runs, put in
// place while a library or a plugin's script loads, which takes them then. So nothing that a script replaced breaks a library,
// or is taken for the engine's.
((host) => {
  "use strict";
  const { defineProperty, descriptorOf, getPrototypeOf, hasOwn: has, ownKeys, setPrototypeOf, views } = host.intrinsics;
  const { iterator: ITERATOR, toStringTag: TAG, species: SPECIES } = Symbol;
  const typed = getPrototypeOf(Uint8Array), realm = globalThis, { isExtensible } = Object;

  // A holder, and the names of what is taken of it. Behind the script that this is loaded for nothing is looked up again. Not
  // Date.now: a clock that a script sets is that of its records, too.
  const VALUES = [
    [
      realm,
      "Array", "ArrayBuffer", "BigInt", "Boolean", "DataView", "Date", "Error", "EvalError", "FinalizationRegistry", "Function", "JSON",
      "Map", "Math", "Number", "Object", "Promise", "Proxy", "RangeError", "ReferenceError", "Reflect", "RegExp", "Set", "String",
      "SuppressedError", "Symbol", "SyntaxError", "TypeError", "URIError", "WeakMap", "WeakRef", "WeakSet", "decodeURIComponent",
      "encodeURIComponent", "parseInt", ...Object.keys(views),
    ],
    [Array, "from", "isArray", "of"],
    [
      Array.prototype,
      ITERATOR, "at", "concat", "constructor", "entries", "every", "fill", "filter", "find", "findIndex", "flat", "flatMap", "forEach",
      "includes", "indexOf", "join", "keys", "map", "pop", "push", "reduce", "reverse", "shift", "slice", "some", "sort", "splice",
      "unshift", "values",
    ],
    [getPrototypeOf([].values()), "next"], [getPrototypeOf(new Map().keys()), "next"], [getPrototypeOf(new Set().values()), "next"],
    [ArrayBuffer, "isView"], [ArrayBuffer.prototype, "resize", "slice", "transfer", "transferToFixedLength"],
    [BigInt, "asIntN"], [BigInt.prototype, "toString", "valueOf"], [Boolean.prototype, "valueOf"],
    [Date.prototype, "getTime", "toISOString"], [Error, "isError"], [Function.prototype, "apply", "bind", "call"],
    [JSON, "parse", "stringify"],
    [Map.prototype, ITERATOR, "clear", "delete", "entries", "forEach", "get", "has", "keys", "set", "values"],
    [Math, "ceil", "clz32", "floor", "max", "min", "round", "trunc"],
    [Number, "isFinite", "isInteger", "isNaN", "isSafeInteger"], [Number.prototype, "toString", "valueOf"],
    [
      Object,
      "assign", "create", "defineProperties", "defineProperty", "entries", "freeze", "fromEntries", "getOwnPropertyDescriptor",
      "getOwnPropertyDescriptors", "getOwnPropertyNames", "getOwnPropertySymbols", "getPrototypeOf", "hasOwn", "is", "keys",
      "setPrototypeOf", "values",
    ],
    [Object.prototype, "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toString"],
    [Promise, "all", "reject", "resolve", "withResolvers"], [Promise.prototype, "catch", "constructor", "finally", "then"],
    [
      Reflect,
      "apply", "construct", "defineProperty", "deleteProperty", "get", "getOwnPropertyDescriptor", "getPrototypeOf", "has", "ownKeys",
      "set", "setPrototypeOf",
    ],
    [RegExp.prototype, "exec", "test", Symbol.match, Symbol.matchAll, Symbol.replace, Symbol.split],
    [Set.prototype, ITERATOR, "add", "clear", "delete", "forEach", "has", "values"],
    [String, "fromCharCode", "fromCodePoint"],
    [
      String.prototype,
      ITERATOR, "at", "charCodeAt", "codePointAt", "endsWith", "includes", "indexOf", "isWellFormed", "lastIndexOf", "match",
      "matchAll", "padEnd", "padStart", "repeat", "replace", "replaceAll", "slice", "split", "startsWith", "toLowerCase", "toUpperCase",
      "toWellFormed", "trim", "valueOf",
    ],
    [Symbol, "for"], [Symbol.prototype, "valueOf"], [typed, "from"], [typed.prototype, "fill", "keys", "set", "slice", "subarray"],
    [Uint8Array, "fromBase64"], [Uint8Array.prototype, "toBase64"],
    [WeakMap.prototype, "delete", "get", "has", "set"], [WeakRef.prototype, "deref"], [WeakSet.prototype, "add", "has"],
  ];
  const ACCESSORS = [
    [Array, SPECIES], [Promise, SPECIES],
    [ArrayBuffer.prototype, "byteLength", "detached", "maxByteLength", "resizable"],
    [DataView.prototype, "buffer", "byteLength", "byteOffset"], [Map.prototype, "size"], [Set.prototype, "size"],
    [
      RegExp.prototype,
      "dotAll", "flags", "global", "hasIndices", "ignoreCase", "multiline", "source", "sticky", "unicode", "unicodeSets",
    ],
    [typed.prototype, "buffer", "byteLength", "byteOffset", "length", TAG],
  ];

  /** As they are now: a holder, a name, a descriptor, in turn. An engine may lack one. */
  const kept = [];
  const keep = (rows) => {
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i];
      for (let k = 1; k < row.length; k++) {
        const found = descriptorOf(row[0], row[k]);
        if (found === undefined || !found.configurable) continue;
        kept[kept.length] = row[0];
        kept[kept.length] = row[k];
        kept[kept.length] = setPrototypeOf(found, null);
      }
    }
  };
  keep(VALUES);
  keep(ACCESSORS);
  // What a script adds to these all objects have, and all lists.
  const objects = Object.prototype, lists = Array.prototype;
  const objectNames = ownKeys(objects), listNames = ownKeys(lists);
  // And these all that is gone through.
  const ofLists = getPrototypeOf([].values()), iterators = getPrototypeOf(ofLists);
  const ofListsNames = ownKeys(ofLists), iteratorNames = ownKeys(iterators);

  const note = (changed, holder, name, found, isAside) => {
    if (found) setPrototypeOf(found, null);
    changed[changed.length++] = { __proto__: null, holder, name, found, isAside };
  };

  const putAside = (changed, holder, known) => {
    const names = ownKeys(holder);
    let at = 0;
    while (at < known.length && names[at] === known[at]) at++;
    // Of what takes nothing more nothing could be put back.
    if (at === names.length || !isExtensible(holder)) return;
    const table = { __proto__: null };
    for (let i = 0; i < known.length; i++) table[known[i]] = true;
    for (let i = 0; i < names.length; i++) {
      const found = descriptorOf(holder, names[i]);
      if (table[names[i]] || !found.configurable) continue;
      delete holder[names[i]];
      note(changed, holder, names[i], found, true);
    }
  };

  const putBack = (changed, holder, name, wanted) => {
    const found = descriptorOf(holder, name);
    if (found && (has(wanted, "value") ? has(found, "value") && found.value === wanted.value
      : has(found, "get") && found.get === wanted.get)) return;
    try {
      defineProperty(holder, name, wanted);
      note(changed, holder, name, found, false);
    } catch { /* A script has seen to it that it stays. */ }
  };

  /** Puts all in place; answers what `leave` undoes. */
  const enter = () => {
    const changed = { __proto__: null, length: 0 };
    putAside(changed, objects, objectNames);
    putAside(changed, lists, listNames);
    putAside(changed, ofLists, ofListsNames);
    putAside(changed, iterators, iteratorNames);
    for (let i = 0; i < kept.length; i += 3) putBack(changed, kept[i], kept[i + 1], kept[i + 2]);
    return changed;
  };

  const putBackOne = ({ holder, name, found }) => {
    try {
      if (found) defineProperty(holder, name, found);
      else delete holder[name];
    } catch { /* A script has seen to it that it stays. */ }
  };

  // What was put aside comes back in its order; what a script has closed meanwhile stays as it is.
  const leave = (changed) => {
    for (let i = changed.length - 1; i >= 0; i--) if (!changed[i].isAside) putBackOne(changed[i]);
    for (let i = 0; i < changed.length; i++) if (changed[i].isAside) putBackOne(changed[i]);
  };

  return { enter, leave };
})
