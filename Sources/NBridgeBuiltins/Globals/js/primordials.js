// SPDX-License-Identifier: MIT
// The engine's own functions, taken before a script could change them, and what tells by an inner slot what a value is.
(() => {
  "use strict";
  const {
    getOwnPropertyDescriptor: descriptorOf, getOwnPropertyNames, getOwnPropertySymbols, getPrototypeOf, prototype,
  } = Object;
  const { apply } = Reflect;
  const { isArray } = Array;
  const uncurry = (method) => (self, ...args) => apply(method, self, args);
  const getterOf = (type, name) => uncurry(descriptorOf(type, name).get);

  // Taken before a script could change them.
  const mapEntries = uncurry(Map.prototype.entries);
  const mapSize = getterOf(Map.prototype, "size");
  const setValues = uncurry(Set.prototype.values);
  const setSize = getterOf(Set.prototype, "size");
  const nextOf = uncurry(getPrototypeOf(new Map().entries()).next);
  const nextOfSet = uncurry(getPrototypeOf(new Set().values()).next);
  const dateTime = uncurry(Date.prototype.getTime);
  const dateText = uncurry(Date.prototype.toISOString);
  const TypedArray = getPrototypeOf(Uint8Array);
  const typedTag = getterOf(TypedArray.prototype, Symbol.toStringTag);
  const typedLength = getterOf(TypedArray.prototype, "length");
  const bufferLength = getterOf(ArrayBuffer.prototype, "byteLength");
  const viewLength = getterOf(DataView.prototype, "byteLength");
  const viewOffset = getterOf(DataView.prototype, "byteOffset");
  const viewBuffer = getterOf(DataView.prototype, "buffer");
  const regexSource = getterOf(RegExp.prototype, "source");
  const regexFlags = ["hasIndices", "global", "ignoreCase", "multiline", "dotAll", "unicode", "unicodeSets", "sticky"]
    .map((name) => [getterOf(RegExp.prototype, name), { hasIndices: "d", global: "g", ignoreCase: "i",
      multiline: "m", dotAll: "s", unicode: "u", unicodeSets: "v", sticky: "y" }[name]]);
  const weakMapHas = uncurry(WeakMap.prototype.has);
  const weakSetHas = uncurry(WeakSet.prototype.has);
  const numberValue = uncurry(Number.prototype.valueOf);
  const stringValue = uncurry(String.prototype.valueOf);
  const booleanValue = uncurry(Boolean.prototype.valueOf);
  const symbolValue = uncurry(Symbol.prototype.valueOf);
  const symbolText = uncurry(Symbol.prototype.toString);
  const bigintValue = uncurry(BigInt.prototype.valueOf);
  const functionText = uncurry(Function.prototype.toString);
  const weakRefDeref = uncurry(WeakRef.prototype.deref);
  const isError = Error.isError ?? ((value) => value instanceof Error);

  /** Whether `probe` of an inner slot succeeds: what decides what a value is, whatever it claims. */
  const brand = (probe) => (value) => { try { probe(value); return true; } catch { return false; } };
  const brands = {
    map: brand(mapSize), set: brand(setSize), date: brand(dateTime), regex: brand((v) => regexFlags[1][0](v) || regexSource(v)),
    buffer: brand(bufferLength), view: brand(viewLength), number: brand(numberValue), string: brand(stringValue),
    boolean: brand(booleanValue), symbol: brand(symbolValue), bigint: brand(bigintValue),
    weakMap: brand((v) => weakMapHas(v, {})), weakSet: brand((v) => weakSetHas(v, {})), weakRef: brand(weakRefDeref),
  };

  return {
    descriptorOf, getOwnPropertyNames, getOwnPropertySymbols, getPrototypeOf, prototype, apply, isArray, mapEntries,
    mapSize, setValues, setSize, nextOf, nextOfSet, dateTime, dateText, typedTag, typedLength, bufferLength, viewLength,
    viewOffset, viewBuffer, regexSource, regexFlags, numberValue, stringValue, booleanValue, symbolValue, symbolText,
    bigintValue, functionText, weakRefDeref, isError, brands,
  };
})
