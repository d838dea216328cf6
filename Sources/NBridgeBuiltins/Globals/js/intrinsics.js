// SPDX-License-Identifier: MIT
// What the bridge needs of the engine, taken before any code of a script runs: a script may change its globals, and the
// prototypes, as it likes. Methods take their `this` as the first argument.
(() => {
  "use strict";
  const { getOwnPropertyDescriptor: descriptorOf, getPrototypeOf, setPrototypeOf, defineProperty, keys } = Object;
  const { bind, call } = Function.prototype;
  const uncurry = bind.bind(call);
  const getterOf = (prototype, name) => uncurry(descriptorOf(prototype, name).get);
  const TypedArray = getPrototypeOf(Uint8Array);
  const views = {
    __proto__: null, Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array,
    Float32Array, Float64Array, BigInt64Array, BigUint64Array, DataView,
  };
  if (typeof Float16Array === "function") views.Float16Array = Float16Array;
  const shared = typeof SharedArrayBuffer === "function" ? SharedArrayBuffer.prototype : undefined;

  return {
    __proto__: null,
    BigInt, Date, Error, FinalizationRegistry, Map, Number, Promise, Proxy, ReferenceError, Set, SyntaxError, TypeError, Uint8Array, WeakMap, WeakSet,
    parse: JSON.parse, stringify: JSON.stringify, ceil: Math.ceil, min: Math.min,
    apply: Reflect.apply, define: Reflect.defineProperty, get: Reflect.get, inherit: Reflect.setPrototypeOf, isArray: Array.isArray, isView: ArrayBuffer.isView,
    create: Object.create, descriptorOf, is: Object.is, ownKeys: Reflect.ownKeys, preventExtensions: Object.preventExtensions,
    defineProperty, getPrototypeOf, setPrototypeOf, keys, hasOwn: Object.hasOwn, freeze: Object.freeze,
    objectPrototype: Object.prototype, arrayPrototype: Array.prototype, rangeErrorPrototype: RangeError.prototype,
    asyncIterator: Symbol.asyncIterator, iterator: Symbol.iterator, asyncDispose: Symbol.asyncDispose, dispose: Symbol.dispose, toStringTag: Symbol.toStringTag,
    resolved: Promise.resolve.bind(Promise), then: uncurry(Promise.prototype.then),
    textOf: uncurry(Object.prototype.toString), isPrototypeOf: uncurry(Object.prototype.isPrototypeOf),
    prototypes: {
      __proto__: null, Date: Date.prototype, Map: Map.prototype, Set: Set.prototype, Number: Number.prototype,
      String: String.prototype, Boolean: Boolean.prototype, BigInt: BigInt.prototype, Symbol: Symbol.prototype,
      Promise: Promise.prototype, ArrayBuffer: ArrayBuffer.prototype, SharedArrayBuffer: shared,
      Error: Error.prototype,
    },
    isError: Error.isError, dateTime: uncurry(Date.prototype.getTime),
    mapForEach: uncurry(Map.prototype.forEach), setForEach: uncurry(Set.prototype.forEach),
    numberValue: uncurry(Number.prototype.valueOf), stringValue: uncurry(String.prototype.valueOf),
    booleanValue: uncurry(Boolean.prototype.valueOf), bigintValue: uncurry(BigInt.prototype.valueOf),
    wellFormed: uncurry(String.prototype.toWellFormed), slice: uncurry(String.prototype.slice), indexOf: uncurry(String.prototype.indexOf),
    toUpperCase: uncurry(String.prototype.toUpperCase), split: uncurry(String.prototype.split), lastIndexOf: uncurry(String.prototype.lastIndexOf),
    startsWith: uncurry(String.prototype.startsWith), endsWith: uncurry(String.prototype.endsWith),
    sort: uncurry(Array.prototype.sort),
    weakGet: uncurry(WeakMap.prototype.get), weakSet: uncurry(WeakMap.prototype.set),
    weakHas: uncurry(WeakSet.prototype.has), weakAdd: uncurry(WeakSet.prototype.add),
    setAdd: uncurry(Set.prototype.add), setDelete: uncurry(Set.prototype.delete), setHas: uncurry(Set.prototype.has),
    mapGet: uncurry(Map.prototype.get), mapSet: uncurry(Map.prototype.set), mapDelete: uncurry(Map.prototype.delete),
    register: uncurry(FinalizationRegistry.prototype.register), unregister: uncurry(FinalizationRegistry.prototype.unregister),
    views, fromBase64: Uint8Array.fromBase64.bind(Uint8Array),
    typedTag: getterOf(TypedArray.prototype, Symbol.toStringTag),
    typedBuffer: getterOf(TypedArray.prototype, "buffer"), typedLength: getterOf(TypedArray.prototype, "byteLength"),
    typedKeys: uncurry(TypedArray.prototype.keys), typedOffset: getterOf(TypedArray.prototype, "byteOffset"), typedCopy: uncurry(TypedArray.prototype.set),
    viewBuffer: getterOf(DataView.prototype, "buffer"), viewLength: getterOf(DataView.prototype, "byteLength"),
    viewOffset: getterOf(DataView.prototype, "byteOffset"),
    bufferLength: getterOf(ArrayBuffer.prototype, "byteLength"),
    bufferResizable: getterOf(ArrayBuffer.prototype, "resizable"),
    bufferDetached: getterOf(ArrayBuffer.prototype, "detached"),
    transfer: uncurry(ArrayBuffer.prototype.transfer),
    sharedLength: shared && getterOf(shared, "byteLength"),
  };
})
