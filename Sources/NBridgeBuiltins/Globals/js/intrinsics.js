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

  const Arrays = getPrototypeOf([].values()), Maps = getPrototypeOf(new Map().keys());
  // What built-in modules that are loaded later take of the engine while they load, as it is now; pristine.js puts it back
  // for so long, and says where each stands. In one list without their names, and no more than is taken: the engine makes a
  // function when it is first read, and each program pays for that.
  const originals = {
    __proto__: null,
    values: [
      Array, ArrayBuffer, BigInt, Boolean, DataView, Date, Error, EvalError, FinalizationRegistry, Function, JSON,
      Map, Math, Number, Object, Promise, Proxy, RangeError, ReferenceError, Reflect, RegExp, Set, String, Symbol,
      SyntaxError, TypeError, URIError, WeakMap, WeakRef, WeakSet, decodeURIComponent, encodeURIComponent, parseInt,
      Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array,
      Float64Array, BigInt64Array, BigUint64Array, Array.isArray, Array.prototype[Symbol.iterator],
      Array.prototype.indexOf, Array.prototype.map, Array.prototype.slice, Array.prototype.sort,
      Array.prototype.constructor, ArrayBuffer.isView, ArrayBuffer.prototype.resize, ArrayBuffer.prototype.transfer,
      ArrayBuffer.prototype.transferToFixedLength, BigInt.asIntN, BigInt.prototype.toString, BigInt.prototype.valueOf,
      Boolean.prototype.valueOf, Date.now, Date.prototype.getTime, Error.isError, Function.prototype.bind,
      Function.prototype.call, JSON.parse, JSON.stringify, Map.prototype[Symbol.iterator], Map.prototype.clear,
      Map.prototype.delete, Map.prototype.forEach, Map.prototype.get, Map.prototype.has, Map.prototype.keys,
      Map.prototype.set, Math.clz32, Math.floor, Math.max, Math.min, Math.trunc, Number.isFinite,
      Number.isSafeInteger, Number.prototype.toString, Number.prototype.valueOf, Object.assign, Object.create,
      Object.defineProperties, Object.defineProperty, Object.entries, Object.freeze, Object.getOwnPropertyDescriptor,
      Object.getOwnPropertyDescriptors, Object.getPrototypeOf, Object.hasOwn, Object.is, Object.keys,
      Object.setPrototypeOf, Object.prototype.toString, Promise.resolve, Promise.prototype.then, Reflect.apply,
      Reflect.construct, Reflect.defineProperty, Reflect.deleteProperty, Reflect.get,
      Reflect.getOwnPropertyDescriptor, Reflect.getPrototypeOf, Reflect.has, Reflect.ownKeys, Reflect.set,
      Reflect.setPrototypeOf, RegExp.prototype.exec, RegExp.prototype.test, Set.prototype.add, Set.prototype.delete,
      Set.prototype.forEach, Set.prototype.has, String.fromCharCode, String.fromCodePoint,
      String.prototype.charCodeAt, String.prototype.codePointAt, String.prototype.endsWith, String.prototype.includes,
      String.prototype.indexOf, String.prototype.isWellFormed, String.prototype.lastIndexOf, String.prototype.slice,
      String.prototype.split, String.prototype.startsWith, String.prototype.toLowerCase, String.prototype.toUpperCase,
      String.prototype.toWellFormed, String.prototype.trim, String.prototype.valueOf, Symbol.prototype.valueOf,
      TypedArray.prototype.fill, TypedArray.prototype.keys, TypedArray.prototype.set, TypedArray.prototype.subarray,
      Uint8Array.fromBase64, Uint8Array.prototype.toBase64, WeakMap.prototype.get, WeakMap.prototype.has,
      WeakMap.prototype.set, WeakRef.prototype.deref, WeakSet.prototype.has, Arrays.next, Maps.next,
    ],
    accessors: [
      descriptorOf(Array, Symbol.species),
      descriptorOf(ArrayBuffer.prototype, "byteLength"), descriptorOf(ArrayBuffer.prototype, "detached"),
      descriptorOf(ArrayBuffer.prototype, "maxByteLength"), descriptorOf(ArrayBuffer.prototype, "resizable"),
      descriptorOf(DataView.prototype, "buffer"), descriptorOf(DataView.prototype, "byteLength"),
      descriptorOf(DataView.prototype, "byteOffset"), descriptorOf(Map.prototype, "size"),
      descriptorOf(RegExp.prototype, "dotAll"), descriptorOf(RegExp.prototype, "global"),
      descriptorOf(RegExp.prototype, "hasIndices"), descriptorOf(RegExp.prototype, "ignoreCase"),
      descriptorOf(RegExp.prototype, "multiline"), descriptorOf(RegExp.prototype, "source"),
      descriptorOf(RegExp.prototype, "sticky"), descriptorOf(RegExp.prototype, "unicode"),
      descriptorOf(RegExp.prototype, "unicodeSets"), descriptorOf(Set.prototype, "size"),
      descriptorOf(TypedArray.prototype, "buffer"), descriptorOf(TypedArray.prototype, "byteLength"),
      descriptorOf(TypedArray.prototype, "byteOffset"), descriptorOf(TypedArray.prototype, "length"),
      descriptorOf(TypedArray.prototype, Symbol.toStringTag),
    ],
    TypedArray, Arrays, Maps,
    objectNames: Reflect.ownKeys(Object.prototype), arrayNames: Reflect.ownKeys(Array.prototype),
  };

  return {
    __proto__: null, originals,
    BigInt, Date, Error, FinalizationRegistry, Map, Number, Promise, Proxy, ReferenceError, Set, SyntaxError, TypeError, Uint8Array, WeakMap, WeakSet,
    parse: JSON.parse, stringify: JSON.stringify, ceil: Math.ceil, min: Math.min,
    apply: Reflect.apply, define: Reflect.defineProperty, get: Reflect.get, inherit: Reflect.setPrototypeOf, isArray: Array.isArray, isView: ArrayBuffer.isView,
    create: Object.create, descriptorOf, is: Object.is, ownKeys: Reflect.ownKeys, preventExtensions: Object.preventExtensions,
    defineProperty, getPrototypeOf, setPrototypeOf, keys, hasOwn: Object.hasOwn, freeze: Object.freeze,
    objectPrototype: Object.prototype, arrayPrototype: Array.prototype, rangeErrorPrototype: RangeError.prototype,
    asyncIterator: Symbol.asyncIterator, iterator: Symbol.iterator, asyncDispose: Symbol.asyncDispose, dispose: Symbol.dispose, toStringTag: Symbol.toStringTag,
    species: Symbol.species,
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
