// SPDX-License-Identifier: MIT
// The engine's own functions where modules of the runtime look for them, for as long as such a module loads: what a script
// did to its prototypes and globals before is neither to break that one, nor to be taken for what it replaced, nor to have
// what it throws come out of the import. Not a method is called here: this file may itself be loaded late.
((host) => {
  "use strict";
  const { defineProperty, descriptorOf, hasOwn: has, ownKeys, setPrototypeOf, originals } = host.intrinsics;
  const { iterator: ITERATOR, toStringTag: TAG, species: SPECIES } = host.intrinsics;
  const realm = globalThis;

  const note = (changed, holder, name, found) => {
    if (found) setPrototypeOf(found, null);
    changed[changed.length++] = { __proto__: null, holder, name, found };
  };

  const put = (changed, holder, name, wanted, found) => {
    try {
      defineProperty(holder, name, wanted);
      note(changed, holder, name, found);
    } catch { /* A script has seen to it that it stays. */ }
  };

  const putValue = (changed, holder, name, value) => {
    const found = descriptorOf(holder, name);
    if (found && has(found, "value") && found.value === value) return;
    put(changed, holder, name, { __proto__: null, value, writable: true, enumerable: false, configurable: true }, found);
  };

  const putAccessor = (changed, holder, name, wanted) => {
    const found = descriptorOf(holder, name);
    if (found && has(found, "get") && found.get === wanted.get) return;
    put(changed, holder, name, wanted, found);
  };

  // What a script added to the prototypes of all objects and arrays.
  const putAside = (changed, holder, known) => {
    const names = ownKeys(holder);
    let at = 0;
    while (at < known.length && names[at] === known[at]) at++;
    if (at === names.length) return;
    const table = { __proto__: null };
    for (let i = 0; i < known.length; i++) table[known[i]] = true;
    for (let i = 0; i < names.length; i++) {
      const found = descriptorOf(holder, names[i]);
      if (table[names[i]] || !found.configurable) continue;
      delete holder[names[i]];
      note(changed, holder, names[i], found);
    }
  };

  const leave = (changed) => {
    for (let i = changed.length - 1; i >= 0; i--) {
      const { holder, name, found } = changed[i];
      if (found) defineProperty(holder, name, found);
      else delete holder[name];
    }
  };

  /** Calls `put` with each of a list of values: `rows` have a holder and the names that are its. */
  const putAll = (changed, rows, list, put) => {
    let at = 0;
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i];
      for (let k = 1; k < row.length; k++) {
        const original = list[at++];
        // An engine may lack one.
        if (original !== undefined) put(changed, row[0], row[k], original);
      }
    }
  };

  // Where the originals of intrinsics.js stand, in their order.
  const GLOBALS = [
    realm,
    "Array", "ArrayBuffer", "BigInt", "Boolean", "DataView", "Date", "Error", "EvalError",
    "FinalizationRegistry", "Function", "JSON", "Map", "Math", "Number", "Object", "Promise", "Proxy",
    "RangeError", "ReferenceError", "Reflect", "RegExp", "Set", "String", "Symbol", "SyntaxError", "TypeError",
    "URIError", "WeakMap", "WeakRef", "WeakSet", "decodeURIComponent", "encodeURIComponent", "parseInt",
    "Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array", "Int32Array", "Uint32Array",
    "Float32Array", "Float64Array", "BigInt64Array", "BigUint64Array",
  ];
  const rowsOf = () => {
    const { values, accessors, TypedArray, Arrays, Maps } = originals, known = { __proto__: null };
    for (let i = 0; i < accessors.length; i++) if (accessors[i] !== undefined) setPrototypeOf(accessors[i], null);
    for (let i = 1; i < GLOBALS.length; i++) known[GLOBALS[i]] = values[i - 1];
    const {
      Array, ArrayBuffer, BigInt, Boolean, DataView, Date, Error, Function, JSON, Map, Math, Number, Object, Promise,
      Reflect, RegExp, Set, String, Symbol, WeakMap, WeakRef, WeakSet, Uint8Array,
    } = known;
    const held = [
      GLOBALS,
      [Array, "isArray"],
      [Array.prototype, ITERATOR, "indexOf", "map", "slice", "sort", "constructor"],
      [ArrayBuffer, "isView"],
      [ArrayBuffer.prototype, "resize", "transfer", "transferToFixedLength"],
      [BigInt, "asIntN"],
      [BigInt.prototype, "toString", "valueOf"],
      [Boolean.prototype, "valueOf"],
      [Date, "now"],
      [Date.prototype, "getTime"],
      [Error, "isError"],
      [Function.prototype, "bind", "call"],
      [JSON, "parse", "stringify"],
      [Map.prototype, ITERATOR, "clear", "delete", "forEach", "get", "has", "keys", "set"],
      [Math, "clz32", "floor", "max", "min", "trunc"],
      [Number, "isFinite", "isSafeInteger"],
      [Number.prototype, "toString", "valueOf"],
      [
        Object,
        "assign", "create", "defineProperties", "defineProperty", "entries", "freeze", "getOwnPropertyDescriptor",
        "getOwnPropertyDescriptors", "getPrototypeOf", "hasOwn", "is", "keys", "setPrototypeOf",
      ],
      [Object.prototype, "toString"],
      [Promise, "resolve"],
      [Promise.prototype, "then"],
      [
        Reflect,
        "apply", "construct", "defineProperty", "deleteProperty", "get", "getOwnPropertyDescriptor",
        "getPrototypeOf", "has", "ownKeys", "set", "setPrototypeOf",
      ],
      [RegExp.prototype, "exec", "test"],
      [Set.prototype, "add", "delete", "forEach", "has"],
      [String, "fromCharCode", "fromCodePoint"],
      [
        String.prototype,
        "charCodeAt", "codePointAt", "endsWith", "includes", "indexOf", "isWellFormed", "lastIndexOf", "slice",
        "split", "startsWith", "toLowerCase", "toUpperCase", "toWellFormed", "trim", "valueOf",
      ],
      [Symbol.prototype, "valueOf"],
      [TypedArray.prototype, "fill", "keys", "set", "subarray"],
      [Uint8Array, "fromBase64"],
      [Uint8Array.prototype, "toBase64"],
      [WeakMap.prototype, "get", "has", "set"],
      [WeakRef.prototype, "deref"],
      [WeakSet.prototype, "has"],
      [Arrays, "next"],
      [Maps, "next"],
    ];
    const inherited = [
      [Array, SPECIES],
      [ArrayBuffer.prototype, "byteLength", "detached", "maxByteLength", "resizable"],
      [DataView.prototype, "buffer", "byteLength", "byteOffset"],
      [Map.prototype, "size"],
      [
        RegExp.prototype,
        "dotAll", "global", "hasIndices", "ignoreCase", "multiline", "source", "sticky", "unicode", "unicodeSets",
      ],
      [Set.prototype, "size"],
      [TypedArray.prototype, "buffer", "byteLength", "byteOffset", "length", TAG],
    ];
    return { __proto__: null, held, inherited };
  };

  let rows;
  /** Puts what intrinsics.js has kept back; answers what `leave` undoes. */
  const enter = () => {
    const changed = { __proto__: null, length: 0 };
    rows ??= rowsOf();
    putAside(changed, host.intrinsics.objectPrototype, originals.objectNames);
    putAside(changed, host.intrinsics.arrayPrototype, originals.arrayNames);
    putAll(changed, rows.held, originals.values, putValue);
    putAll(changed, rows.inherited, originals.accessors, putAccessor);
    return changed;
  };

  /** For modules that are part of a program, in its bundle, and use more. Called when the program begins. */
  const make = () => {
    const pick = (holder, ...names) => {
      const values = { __proto__: null };
      for (let i = 0; i < names.length; i++) values[names[i]] = holder[names[i]];
      return { __proto__: null, holder, values, names: ownKeys(values) };
    };
    const { iterator } = Symbol;
    const arrays = Array.prototype;
    const list = [
      pick(arrays, iterator, "push", "pop", "map", "filter", "forEach", "slice", "splice", "join", "concat", "some", "every", "find",
        "findIndex", "includes", "indexOf", "reduce", "reverse", "shift", "unshift", "sort", "at", "flat", "flatMap", "fill",
        "entries", "keys", "values"),
      pick(Object.getPrototypeOf([][iterator]()), "next"),
      pick(String.prototype, iterator, "split", "replace", "replaceAll", "slice", "startsWith", "endsWith", "includes", "indexOf",
        "lastIndexOf", "trim", "padStart", "toLowerCase", "toUpperCase", "charCodeAt", "codePointAt", "at", "repeat", "match", "matchAll"),
      pick(RegExp.prototype, "exec", "test", Symbol.replace, Symbol.split, Symbol.match, Symbol.matchAll),
      pick(Object, "assign", "keys", "entries", "values", "fromEntries", "create", "defineProperty", "defineProperties", "freeze",
        "getPrototypeOf", "setPrototypeOf", "getOwnPropertyDescriptor", "getOwnPropertyDescriptors", "getOwnPropertyNames",
        "getOwnPropertySymbols", "hasOwn", "is"),
      pick(Object.prototype, "hasOwnProperty", "toString", "propertyIsEnumerable"),
      pick(Function.prototype, "call", "apply", "bind"), pick(Array, "from", "isArray", "of"),
      pick(Reflect, "apply", "construct", "ownKeys", "get", "set", "has", "defineProperty", "getPrototypeOf"),
      pick(Map.prototype, "get", "set", "has", iterator), pick(Set.prototype, "add", "has", iterator), pick(Symbol, "for"),
    ];
    const objectNames = ownKeys(Object.prototype), arrayNames = ownKeys(arrays);
    let depth = 0;

    const enterModules = () => {
      const changed = { __proto__: null, length: 0 };
      putAside(changed, Object.prototype, objectNames);
      putAside(changed, arrays, arrayNames);
      for (let i = 0; i < list.length; i++) {
        const { holder, names, values } = list[i];
        for (let k = 0; k < names.length; k++) putValue(changed, holder, names[k], values[names[k]]);
      }
      return changed;
    };

    // Calls `body` with all that as it was, and puts what the script made of it back.
    const within = (body) => {
      if (depth > 0) return body();
      const changed = enterModules();
      depth++;
      try { return body(); } finally {
        depth--;
        leave(changed);
      }
    };
    return { __proto__: null, within };
  };

  return { make, enter, leave };
})
