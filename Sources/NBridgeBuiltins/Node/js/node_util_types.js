// SPDX-License-Identifier: MIT
// node:util/types: which built-in a value is, by what only such a value answers to. What no script can tell
// (a proxy, a native handle) is never one.
"use strict";

const getter = (owner, name) => Object.getOwnPropertyDescriptor(owner, name).get;
const { toString } = Object.prototype;
const { apply } = Reflect;

/** A test that calls a method which throws for other values. */
const answers = (method, ...args) => (value) => {
  if (value === null || (typeof value !== "object" && typeof value !== "function")) return false;
  try {
    apply(method, value, args);
    return true;
  } catch { return false; }
};

const tagged = (tag) => (value) => {
  try { return typeof value !== "string" &&
    toString.call(value) === `[object ${tag}]`; } catch { return false; }
};

const typedArray = Object.getPrototypeOf(Uint8Array.prototype);
const typedName = getter(typedArray, Symbol.toStringTag);
const nameOf = (value) => ArrayBuffer.isView(value) ? apply(typedName, value, []) : undefined;
const typed = (name) => (value) => nameOf(value) === name;

const types = {
  isExternal: () => false,
  isDate: answers(Date.prototype.getTime),
  isArgumentsObject: (value) => value !== null && typeof value === "object" &&
    !(Symbol.toStringTag in value) &&
    tagged("Arguments")(value),
  isBigIntObject: (value) => typeof value === "object" && answers(BigInt.prototype.valueOf)(value),
  isBooleanObject: (value) => typeof value === "object" && answers(Boolean.prototype.valueOf)(value),
  isNumberObject: (value) => typeof value === "object" && answers(Number.prototype.valueOf)(value),
  isStringObject: (value) => typeof value === "object" && answers(String.prototype.valueOf)(value),
  isSymbolObject: (value) => typeof value === "object" && answers(Symbol.prototype.valueOf)(value),
  isNativeError: Error.isError ?? ((value) => {
    try { return tagged("Error")(value) ||
      (value instanceof Error && Object.hasOwn(value, "stack")); } catch { return false; }
  }),
  isRegExp: (value) => value !== RegExp.prototype && answers(getter(RegExp.prototype, "source"))(value),
  isAsyncFunction: (value) => typeof value === "function" &&
    /^\[object Async(Generator)?Function\]$/.test(toString.call(value)),
  isGeneratorFunction: (value) => typeof value === "function" &&
    /^\[object (Async)?GeneratorFunction\]$/.test(toString.call(value)),
  isGeneratorObject: (value) => tagged("Generator")(value) || tagged("AsyncGenerator")(value),
  isPromise: (value) => { try { return value instanceof Promise; } catch { return false; } },
  isMap: answers(getter(Map.prototype, "size")),
  isSet: answers(getter(Set.prototype, "size")),
  isMapIterator: tagged("Map Iterator"),
  isSetIterator: tagged("Set Iterator"),
  isWeakMap: answers(WeakMap.prototype.has, {}),
  isWeakSet: answers(WeakSet.prototype.has, {}),
  isArrayBuffer: answers(getter(ArrayBuffer.prototype, "byteLength")),
  isDataView: (value) => ArrayBuffer.isView(value) && nameOf(value) === undefined,
  isSharedArrayBuffer: typeof SharedArrayBuffer === "undefined" ? () => false
    : answers(getter(SharedArrayBuffer.prototype, "byteLength")),
  isProxy: () => false,
  isModuleNamespaceObject: tagged("Module"),
  isAnyArrayBuffer: (value) => types.isArrayBuffer(value) || types.isSharedArrayBuffer(value),
  isBoxedPrimitive: (value) => types.isNumberObject(value) || types.isStringObject(value) ||
    types.isBooleanObject(value) || types.isBigIntObject(value) || types.isSymbolObject(value),
  isArrayBufferView: (value) => ArrayBuffer.isView(value),
  isTypedArray: (value) => nameOf(value) !== undefined,
  isKeyObject: () => false,
  isCryptoKey: () => false,
};
for (const name of ["Uint8Array", "Uint8ClampedArray", "Uint16Array", "Uint32Array", "Int8Array",
  "Int16Array",
  "Int32Array", "Float32Array", "Float64Array", "BigInt64Array",
    "BigUint64Array"]) types[`is${name}`] = typed(name);

module.exports = types;
