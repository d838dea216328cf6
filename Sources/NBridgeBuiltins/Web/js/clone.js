// SPDX-License-Identifier: MIT
// structuredClone (HTML standard, section 2.7). A value becomes records first, and these become its copy:
// what a getter does on the way never meets a half made copy, and a message can wait between the two.
((host) => {
  "use strict";
  const { append, DOMException, isNotCloneable, isPlatform, isProxy } = host;
  const {
    uncurry, getter, define, refuse, brand, wrapper, DATE, REGEXP, BUFFER, SHARED, EXCEPTION, viewKind, errorKind,
    isDetachedBuffer, transferBuffer,
  } = host.values;
  const { TypeError } = globalThis;
  const { defineProperty, getPrototypeOf, hasOwn, keys: keysOf } = Object;
  const { isArray } = Array;
  const { isView } = ArrayBuffer;
  const isError = Error.isError ?? ((value) => value instanceof Error);
  const objectPrototype = Object.prototype;
  const objectText = uncurry(objectPrototype.toString);
  const arrayPrototype = Array.prototype;
  const { iterator, toStringTag } = Symbol;

  class Memory extends host.Table {
    /** Whether what is copied goes to another engine. */
    isForeign = false;
    constructor() { super(); }
  }

  const tooForeign = () => new DOMException("this object can't be sent to another thread", "DataCloneError");
  const isObject = (value) => typeof value === "object" && value !== null;

  const record = (kind, data) => ({ kind, data, made: undefined, keys: undefined, values: undefined });

  const VIEW = viewKind((buffer, memory) => serialize(buffer, memory), (buffer) => revive(buffer));

  // --- Collections ----------------------------------------------------------------------------------------

  const mapEach = uncurry(Map.prototype.forEach);
  const mapSet = uncurry(Map.prototype.set);
  const setEach = uncurry(Set.prototype.forEach);
  const setAdd = uncurry(Set.prototype.add);
  const MapOf = Map, SetOf = Set;

  /** Replaces what a list holds by records of it: the list was complete before any getter runs. */
  const serializeAll = (list, memory) => {
    for (let i = 0; i < list.length; i++) list[i] = serialize(list[i], memory);
    return list;
  };

  const MAP = {
    __proto__: null, prototype: Map.prototype, is: brand(getter(Map.prototype, "size")), take: () => undefined,
    deep(value, made, memory) {
      const list = [];
      mapEach(value, (item, key) => {
        append(list, key);
        append(list, item);
      });
      made.values = serializeAll(list, memory);
    },
    make: () => new MapOf(),
    fill(map, { values }) {
      for (let i = 0; i < values.length; i += 2) mapSet(map, revive(values[i]), revive(values[i + 1]));
    },
  };

  const SET = {
    __proto__: null, prototype: Set.prototype, is: brand(getter(Set.prototype, "size")), take: () => undefined,
    deep(value, made, memory) {
      const list = [];
      setEach(value, (item) => append(list, item));
      made.values = serializeAll(list, memory);
    },
    make: () => new SetOf(),
    fill(set, { values }) { for (let i = 0; i < values.length; i++) setAdd(set, revive(values[i])); },
  };

  const ERROR = errorKind((value, memory) => serialize(value, memory), (value) => revive(value));

  // --- Objects --------------------------------------------------------------------------------------------

  const NOTHING = { __proto__: null };

  /** Takes the properties with these names; the first `count` are the indices from 0, cheaper as numbers. */
  const takeProperties = (value, made, memory, names, count) => {
    const keys = made.keys = [];
    const values = made.values = [];
    const prototype = getPrototypeOf(value) ?? NOTHING;
    for (let i = 0; i < names.length; i++) {
      const key = i < count ? i : names[i];
      // A getter before it may have removed it. (`in` is much faster than hasOwn.)
      if (!(key in prototype ? hasOwn(value, key) : key in value)) continue;
      const item = serialize(value[key], memory);
      append(keys, key);
      append(values, item);
    }
  };

  /** Assigns where that makes an own property, and defines where the prototype would have a say in it. */
  const fillProperties = (object, { keys, values }, prototype) => {
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i];
      const value = revive(values[i]);
      if (!(key in prototype)) object[key] = value;
      else define(object, key, value, true);
    }
  };

  const ARRAY = {
    __proto__: null,
    take: (value) => value.length,
    deep(value, made, memory) {
      const names = keysOf(value);
      const last = made.data - 1;
      // Indices come first and in order, so one look tells whether none is missing.
      takeProperties(value, made, memory, names, names[last] === `${last}` ? made.data : 0);
    },
    make: () => [],
    fill(array, made) {
      fillProperties(array, made, arrayPrototype);
      array.length = made.data;
    },
  };

  const PLAIN = {
    __proto__: null, take: () => undefined, make: () => ({}),
    deep(value, made, memory) { takeProperties(value, made, memory, keysOf(value), 0); },
    fill(object, made) { fillProperties(object, made, objectPrototype); },
  };

  // --- Kinds ----------------------------------------------------------------------------------------------

  const refused = (prototype, what, is) => ({ __proto__: null, prototype, is, take() { throw refuse(what); } });
  const probed = (type, what, method, ...values) => {
    const probe = uncurry(type.prototype[method]);
    return refused(type.prototype, what, brand((value) => probe(value, ...values)));
  };

  const WRAPPERS = [
    wrapper(Boolean.prototype), wrapper(Number.prototype), wrapper(BigInt.prototype), wrapper(String.prototype),
  ];
  const KINDS = [
    ...WRAPPERS, DATE, REGEXP, BUFFER, MAP, SET, EXCEPTION,
    probed(Symbol, "a symbol", "valueOf"), probed(WeakMap, "a WeakMap", "has", {}),
    probed(WeakSet, "a WeakSet", "has", {}), probed(WeakRef, "a WeakRef", "deref"),
    probed(FinalizationRegistry, "a FinalizationRegistry", "unregister", {}),
  ];
  // No method tells these apart without doing something to them: an object that inherits from one counts as
  // one.
  const iterators = getPrototypeOf(getPrototypeOf([][Symbol.iterator]()));
  const asyncIterators = getPrototypeOf(getPrototypeOf(getPrototypeOf(async function* () {}.prototype)));
  const INHERITED = new Memory();
  INHERITED.set(Promise.prototype, "a promise");
  INHERITED.set(iterators, "an iterator").set(asyncIterators, "an iterator");
  for (const name of ["Module", "Instance", "Memory", "Table", "Global", "Tag"]) {
    const type = globalThis.WebAssembly?.[name];
    if (type !== undefined) INHERITED.set(type.prototype, `a WebAssembly.${name}`);
  }

  const BY_PROTOTYPE = new Memory();
  for (const kind of KINDS) BY_PROTOTYPE.set(kind.prototype, kind);

  /** Whatever its prototypes are by now: asks each kind. */
  const searchKind = (value) => {
    for (let i = 0; i < KINDS.length; i++) if (KINDS[i].is(value)) return KINDS[i];
    return undefined;
  };

  /** In place of a kind: of an interface that can't be copied. */
  const PLATFORM = { __proto__: null };

  /** Asks only the kinds that the object's prototypes speak for: a refusal costs an exception. */
  const guessKind = (value) => {
    let next = value, found;
    for (;;) {
      next = getPrototypeOf(next);
      if (next === null || next === objectPrototype) return found;
      if (isPlatform(next)) found = PLATFORM;
      const kind = BY_PROTOTYPE.get(next);
      if (kind !== undefined && kind.is(value)) return kind;
      const what = INHERITED.get(next);
      if (what !== undefined && !INHERITED.has(value)) throw refuse(what);
    }
  };

  const kindOf = (value) => {
    if (isProxy(value)) throw refuse("a proxy");
    if (isArray(value)) return ARRAY;
    if (isView(value)) return VIEW;
    if (isError(value)) return EXCEPTION.is(value) ? EXCEPTION : ERROR;
    const platform = platformKind(value);
    if (platform !== undefined) return platform;
    const kind = guessKind(value);
    if (kind !== undefined && kind !== PLATFORM) return kind;
    if (kind === undefined && !mayHideKind(value)) return PLAIN;
    const found = searchKind(value);
    if (kind === PLATFORM && found === undefined) throw refuse("this object");
    if (found === undefined && isShared(value)) throw refuse(SHARED);
    return found ?? PLAIN;
  };

  /** The buffer of a shared WebAssembly.Memory: the engine has its class, and hides its name. */
  const isShared = (value) => { try { return objectText(value) === "[object SharedArrayBuffer]"; } catch { return false; } };

  /**
   * Whether its prototype may have been changed: such objects have hardly ever enumerable properties. Only
   * what became an heir of Object.prototype and had no tag of its own, a Map say, is missed.
   */
  const mayHideKind = (value) => {
    if (keysOf(value).length > 0) return false;
    if (getPrototypeOf(value) !== objectPrototype || toStringTag in value) return true;
    return objectText(value) !== "[object Object]";
  };

  // --- Platform objects -----------------------------------------------------------------------------------

  const TYPES = [];

  /**
   * Tells about a class of platform objects: `is`; `serialize` and `deserialize` if they can be copied;
   * `isDetached`, `transfer` and `receive` if they can be transferred. It has no prototype, as kinds have none: what is not
   * there is asked for, and no script may answer.
   */
  const addType = (type) => {
    const { serialize: take, deserialize: make, receive, wire } = type;
    const copied = { __proto__: null, take: take ?? (() => { throw refuse("this object"); }), make, wire: undefined };
    const transferred = { __proto__: null, make: receive, wire: undefined };
    append(TYPES, { type, copied, transferred });
    if (connect !== undefined && wire !== undefined) connectType(TYPES[TYPES.length - 1]);
  };

  // wire.js says how what a type tells of its `wire` is written for another engine.
  let connect;
  const connectType = ({ type, copied, transferred }) => {
    if (type.serialize !== undefined) connect(copied, type.wire, false);
    if (type.transfer !== undefined) connect(transferred, type.wire, true);
  };
  const wiredTypes = (made) => {
    connect = made;
    for (let i = 0; i < TYPES.length; i++) if (TYPES[i].type.wire !== undefined) connectType(TYPES[i]);
  };
  const findType = (name) => {
    for (let i = 0; i < TYPES.length; i++) if (TYPES[i].type.wire?.name === name) return TYPES[i];
    return undefined;
  };

  const typeOf = (value) => {
    for (let i = 0; i < TYPES.length; i++) if (TYPES[i].type.is(value)) return TYPES[i];
    return undefined;
  };

  const platformKind = (value) => {
    const found = typeOf(value);
    // An object of Object's own that has members is hardly one of them, and most objects are such.
    const isOrdinary = getPrototypeOf(value) === objectPrototype && keysOf(value).length > 0;
    if (found === undefined && !isOrdinary && isNotCloneable(value)) throw refuse("this object");
    return found?.copied;
  };

  // --- The steps ------------------------------------------------------------------------------------------

  /** StructuredSerializeInternal: a primitive is its own record. */
  const serialize = (value, memory) => {
    if (typeof value === "symbol") throw refuse("a symbol");
    if (typeof value === "function") throw refuse("a function");
    if (!isObject(value)) return value;
    const known = memory.get(value);
    if (known !== undefined) return known;
    const kind = kindOf(value);
    const made = record(kind, kind.take(value, memory));
    if (memory.isForeign && kind.wire === undefined) throw tooForeign();
    memory.set(value, made);
    if (kind.deep !== undefined) kind.deep(value, made, memory);
    return made;
  };

  /** StructuredDeserialize. A record knows the object that it became. */
  const revive = (value) => {
    if (!isObject(value)) return value;
    if (value.made === undefined) {
      const { kind } = value;
      value.made = kind.make(value.data);
      if (kind.fill !== undefined) kind.fill(value.made, value);
    }
    return value.made;
  };

  const BUFFERS = {
    __proto__: null,
    type: { __proto__: null, isDetached: isDetachedBuffer, transfer: transferBuffer },
    transferred: { __proto__: null, make: (buffer) => buffer },
  };

  const transferableOf = (value) => {
    const found = BUFFER.is(value) ? BUFFERS : typeOf(value);
    if (found?.type.transfer !== undefined) return found;
    throw new DOMException("this can't be transferred", "DataCloneError");
  };

  /** StructuredSerializeWithTransfer: what is transferred changes hands after everything was looked at. */
  const serializeWithTransfer = (value, list, isForeign = false) => {
    const memory = new Memory();
    memory.isForeign = isForeign;
    const found = [];
    const holders = [];
    for (let i = 0; i < list.length; i++) {
      append(found, transferableOf(list[i]));
      if (isForeign && found[i].transferred.wire === undefined) throw tooForeign();
      if (memory.has(list[i])) throw new DOMException("this is in the list twice", "DataCloneError");
      append(holders, record(found[i].transferred, undefined));
      memory.set(list[i], holders[i]);
    }
    const root = serialize(value, memory);
    let count = 0;
    try {
      for (; count < list.length; count++) {
        const { type } = found[count];
        if (type.isDetached(list[count])) throw new DOMException("this was transferred before", "DataCloneError");
        holders[count].data = type.transfer(list[count]);
      }
    } catch (error) {
      // Nobody gets what was taken: whoever waits for it is told.
      for (let i = 0; i < count; i++) found[i].type.drop?.(holders[i].data);
      throw error;
    }
    return { root, holders };
  };

  /** StructuredDeserializeWithTransfer: the copy, and what was transferred with it. */
  const deserializeWithTransfer = ({ root, holders }) => {
    const transferred = [];
    for (let i = 0; i < holders.length; i++) append(transferred, revive(holders[i]));
    return { value: revive(root), transferred };
  };

  // --- The function ---------------------------------------------------------------------------------------

  const needObject = (value, message) => {
    if (!isObject(value) && typeof value !== "function") throw new TypeError(message);
    return value;
  };

  const toObjects = (value) => {
    const list = [];
    for (const item of needObject(value, "the transfer list must be a list")) {
      append(list, needObject(item, "only objects can be transferred"));
    }
    return list;
  };

  /** Reads StructuredSerializeOptions. */
  const toTransfer = (options) => {
    if (options === undefined || options === null) return [];
    const { transfer } = needObject(options, "the options must be an object");
    return transfer === undefined ? [] : toObjects(transfer);
  };

  /** What postMessage takes as its second argument: the options, or the list itself. */
  const toTransferList = (value) => {
    const isList = isObject(value) && value[iterator] !== undefined && value[iterator] !== null;
    return isList ? toObjects(value) : toTransfer(value);
  };

  const { structuredClone } = {
    structuredClone(value, options = undefined) {
      if (arguments.length === 0) throw new TypeError("structuredClone needs an argument");
      return deserializeWithTransfer(serializeWithTransfer(value, toTransfer(options))).value;
    },
  };

  return {
    structuredClone,
    /** For the runtime's other scripts. */
    internals: {
      addType, toTransferList, serialize: serializeWithTransfer, deserialize: deserializeWithTransfer,
    },
    /** For wire.js. */
    wiring: {
      record, findType, wiredTypes,
      kinds: {
        wrappers: WRAPPERS, DATE, REGEXP, BUFFER, GIVEN_BUFFER: BUFFERS.transferred, VIEW, MAP, SET, ERROR, EXCEPTION,
        ARRAY, PLAIN,
      },
    },
  };
})
