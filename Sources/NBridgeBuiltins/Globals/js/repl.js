// SPDX-License-Identifier: MIT
// The prompt's half in JavaScript: follows what an entry gives, shows it, and looks at objects for completion. Nothing
// here runs a getter or a proxy's trap of the user's.
((host) => {
  "use strict";
  // An entry may put others in their places.
  const { Array, ArrayBuffer, Error, Map, Math, Object, Promise, Set, String, Symbol, TypeError, Uint8Array } =
    globalThis;
  const realm = globalThis;
  const { append, inspect, promiseState, proxyTarget } = host;
  const { brands, mapEntries, nextOf, nextOfSet, setValues } = host.primordials;
  const { defineProperty, getOwnPropertyDescriptor, getOwnPropertyNames, getPrototypeOf, hasOwn, keys: ownNames } = Object;
  const { apply, deleteProperty } = Reflect;
  const { isArray } = Array;
  const { isView } = ArrayBuffer;
  const uncurry = (method) => Function.prototype.call.bind(method);
  const then = uncurry(Promise.prototype.then);
  const getterOf = (prototype, name) => uncurry(getOwnPropertyDescriptor(prototype, name).get);
  const views = getPrototypeOf(Uint8Array.prototype);
  const typedTag = getterOf(views, Symbol.toStringTag);
  const typed = { buffer: getterOf(views, "buffer"), byteOffset: getterOf(views, "byteOffset"), length: getterOf(views, "length") };
  const isDetached = getterOf(ArrayBuffer.prototype, "detached");
  /** The engine shows the global object as a proxy too. */
  const isProxy = (object) => object !== realm && proxyTarget(object) !== undefined;
  const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";

  // --- Entries --------------------------------------------------------------------------------------------

  const VALUE = 0, NOTHING = 1, ERROR = 2;

  const getOf = uncurry(WeakMap.prototype.get), setOf = uncurry(WeakMap.prototype.set), hasOf = uncurry(WeakMap.prototype.has);

  /** What entries declared, and what stood there before. No method that an entry may replace is asked of what is here. */
  let declared = { __proto__: null }, originals = { __proto__: null };
  /** What constants' getters give. */
  const constants = new WeakMap();
  const isConstant = (found) => found.get !== undefined && hasOf(constants, found.get);

  /** Whether what is assigned stays: a getter of our own, of a name that is loaded when it is used, gives its place up. */
  const isWritable = (found) => hasOwn(found, "value") ? found.writable : isOurs(found.get);

  /** Makes names properties of the global object that can be declared again and deleted. */
  const declare = (names) => {
    for (let i = 0; i < names.length; i++) {
      const name = names[i], isKnown = declared[name] === true;
      declared[name] = true;
      if (!hasOwn(realm, name)) {
        place(name, undefined);
        continue;
      }
      const earlier = getOwnPropertyDescriptor(realm, name);
      if (!isKnown && earlier.configurable) originals[name] = { __proto__: null, ...earlier };
      if (isConstant(earlier)) place(name, getOf(constants, earlier.get));
      else if (earlier.configurable && !isWritable(earlier)) place(name, undefined);
    }
  };

  const place = (name, value) =>
    defineProperty(realm, name, { __proto__: null, value, writable: true, configurable: true, enumerable: true });

  /**
   * Makes constants of names: code that assigns to one gets the engine's own error, until an entry declares
   * it again.
   */
  const fix = (names) => {
    for (let i = 0; i < names.length; i++) {
      const name = names[i], found = getOwnPropertyDescriptor(realm, name);
      if (found === undefined || !found.configurable || !hasOwn(found, "value")) continue;
      const { value } = found;
      const get = () => value;
      setOf(constants, get, value);
      const set = () => { throw new TypeError("Attempted to assign to readonly property."); };
      defineProperty(realm, name, { __proto__: null, get, set, configurable: true, enumerable: true });
    }
  };

  /** Functions can't be deleted, only emptied. */
  const forget = (names) => {
    for (let i = 0; i < names.length; i++) {
      const earlier = originals[names[i]];
      if (earlier !== undefined) defineProperty(realm, names[i], earlier);
      else if (!deleteProperty(realm, names[i])) realm[names[i]] = undefined;
    }
    declared = { __proto__: null };
    originals = { __proto__: null };
  };

  /** Tells `done` what a value comes to: a promise's end, for any other itself. `boxed` is a promise of a list. */
  const follow = (value, boxed, done) => {
    const fail = (error) => done(ERROR, error);
    // A promise's own constructor may throw: that is an end too.
    const wait = (promise, next) => {
      try { then(then(promise, next), undefined, fail); } catch (error) { fail(error); }
    };
    const settle = (result) => {
      if (promiseState(result) === undefined) done(VALUE, result);
      else wait(result, (end) => done(VALUE, end));
    };
    // What an entry's own `return` gives is no list of ours.
    const open = (list) => {
      if (!isArray(list)) done(list === undefined ? NOTHING : VALUE, list);
      else if (list.length === 0) done(NOTHING);
      else settle(list[0]);
    };
    if (boxed) wait(value, open);
    else settle(value);
  };

  const keep = (name, value) =>
    defineProperty(realm, name, { __proto__: null, value, writable: true, configurable: true, enumerable: false });

  // --- Showing --------------------------------------------------------------------------------------------

  const HEX_LIMIT = 512;

  /** The bytes of a buffer, or of a view of bytes; undefined for others, and for one that was transferred away. */
  const bytesOf = (value) => {
    if (!isView(value)) {
      try { return isDetached(value) ? undefined : new Uint8Array(value); } catch { return undefined; }
    }
    return typedTag(value) === "Uint8Array" ? new Uint8Array(typed.buffer(value), typed.byteOffset(value), typed.length(value)) : undefined;
  };

  /** Sixteen bytes a line: where, in hex, as text. */
  const hexView = (bytes) => {
    const lines = [];
    for (let at = 0; at < Math.min(bytes.length, HEX_LIMIT); at += 16) {
      const row = Array.from(bytes.subarray(at, Math.min(at + 16, HEX_LIMIT)));
      const hex = row.map((byte) => byte.toString(16).padStart(2, "0"));
      const text = row.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".")).join("");
      const left = `${hex.slice(0, 8).join(" ")}  ${hex.slice(8).join(" ")}`.padEnd(49);
      lines.push(`  ${at.toString(16).padStart(8, "0")}  ${left} |${text}|`);
    }
    if (bytes.length > HEX_LIMIT) lines.push(`  ... ${bytes.length - HEX_LIMIT} more bytes`);
    return lines.join("\n");
  };

  /** The bytes of a value that shows them; undefined for another. */
  const showBytes = (value) => {
    const bytes = isObject(value) && !isProxy(value) ? bytesOf(value) : undefined;
    if (bytes === undefined || bytes.length === 0) return undefined;
    const name = isView(value) ? `Uint8Array(${bytes.length})` : `ArrayBuffer(${bytes.length})`;
    return `${name}\n${hexView(bytes)}`;
  };

  /** `own` answers what stands for an object, as inspect's `customInspect` does; without it, what objects say of themselves. */
  const show = (value, colours, width, own = true) => {
    return inspect(value, { colours, breakLength: width, maxStringLength: 10000, maxArrayLength: 100,
      customInspect: own });
  };

  // --- Looking at objects ---------------------------------------------------------------------------------

  /** A member without running a getter of the user's; the runtime's own lazy globals are loaded. */
  const memberOf = (object, name) => {
    for (let at = object; at !== null && at !== undefined; at = getPrototypeOf(at)) {
      if (isProxy(at)) return undefined;
      const found = getOwnPropertyDescriptor(at, name);
      if (found === undefined) continue;
      if (hasOwn(found, "value")) return found.value;
      if (isConstant(found)) return getOf(constants, found.get);
      // The bridge's own getters load a plugin's face.
      if (at === bridge) return bridge[name];
      return at === realm && isOurs(found.get) ? realm[name] : undefined;
    }
    return undefined;
  };

  /** From before any entry ran. */
  const bridge = realm.nbridge;

  /** A lazy global's getter, from before any entry ran. */
  const lazyGetters = new WeakSet(getOwnPropertyNames(realm)
    .map((name) => getOwnPropertyDescriptor(realm, name).get).filter((get) => get !== undefined));
  const isOurs = (get) => lazyGetters.has(get);

  const PRIMITIVES = {
    string: String.prototype, number: Number.prototype, boolean: Boolean.prototype, bigint: BigInt.prototype,
    symbol: Symbol.prototype,
  };
  const asObject = (value) => (isObject(value) ? value : PRIMITIVES[typeof value]);

  /** The value of a path of names from the global object; `start` when it begins with a literal. */
  const walk = (path) => {
    let at = realm;
    for (const name of path) {
      const object = asObject(at);
      if (object === undefined) return undefined;
      at = memberOf(object, name);
    }
    return at;
  };

  /** The names that can follow a path, with whether each is a function; the nearest first. */
  const membersOf = (value) => {
    const names = { __proto__: null };
    const start = asObject(value);
    // No person completes indices, and there may be millions.
    const isLong = start !== undefined && !isProxy(start) && (isArray(start) || isView(start));
    for (let at = isLong ? getPrototypeOf(start) : start; at !== null && at !== undefined; at = getPrototypeOf(at)) {
      if (isProxy(at)) break;
      for (const name of getOwnPropertyNames(at)) {
        if (names[name] !== undefined || !/^[A-Za-z_$\u0080-\u{10ffff}][\w$\u0080-\u{10ffff}]*$/u.test(name)) continue;
        if (name.startsWith("\u01c3") || name.startsWith("__nbridge")) continue;
        const found = getOwnPropertyDescriptor(at, name);
        names[name] = typeof found.value === "function";
      }
    }
    return names;
  };

  const members = (path) => ownNames(membersOf(path.length === 0 ? realm : walk(path)));
  const membersOfKind = (kind) => ownNames(membersOf(PRIMITIVES[kind] ?? (kind === "array" ? [] : /x/)));

  // --- Types ----------------------------------------------------------------------------------------------

  /** So many members of an object tell its type. */
  const MOST_MEMBERS = 50;
  /** So many values are looked at, however they hang together. */
  const MOST_VALUES = 2000;
  let rest = 0;

  const union = (types) => [...new Set(types)].join(" | ") || "never";

  /** The value of an own member; undefined where a getter would be asked. */
  const valueOf = (object, name) => {
    const found = getOwnPropertyDescriptor(object, name);
    return found !== undefined && hasOwn(found, "value") ? found.value : undefined;
  };

  /** A list's type, and a function's, by what stands first in it. */
  const typeOfList = (list, depth) => {
    const { length } = list, kinds = [];
    for (let i = 0; i < length && i < MOST_MEMBERS; i++) kinds[i] = typeOfMember(list, i, depth);
    return `Array<${length === 0 ? "any" : union(kinds)}>`;
  };
  const typeOfMember = (object, name, depth) => {
    const found = getOwnPropertyDescriptor(object, name);
    return found === undefined || hasOwn(found, "value") ? typeOf(found?.value, depth + 1) : "any";
  };
  const typeOfFunction = (value) => {
    const count = valueOf(value, "length");
    const names = Array.from({ length: typeof count === "number" ? Math.min(count, 9) : 0 }, (_, i) => `arg${i}: any`);
    return `(${names.join(", ")}) => any`;
  };

  /** The types of what a Map or a Set has first, as their own iterators give it. */
  const typesOfEntries = (entries, depth) => {
    const keys = [], values = [];
    for (let item = nextOf(entries); !item.done && keys.length < MOST_MEMBERS; item = nextOf(entries)) {
      keys.push(typeOf(item.value[0], depth + 1));
      values.push(typeOf(item.value[1], depth + 1));
    }
    return [union(keys), union(values)];
  };
  const typesOfItems = (items, depth) => {
    const types = [];
    for (let item = nextOfSet(items); !item.done && types.length < MOST_MEMBERS; item = nextOfSet(items)) {
      types.push(typeOf(item.value, depth + 1));
    }
    return union(types);
  };

  /** A value's type in TypeScript's words, as far as its members tell. */
  const typeOf = (value, depth = 0) => {
    if (depth === 0) rest = MOST_VALUES;
    if (rest-- <= 0) return "any";
    if (value === null) return "null";
    if (typeof value === "function") return typeOfFunction(value);
    if (typeof value !== "object") return typeof value;
    if (isProxy(value)) return "any";
    const isDeep = depth > 4;
    if (isArray(value)) return isDeep ? "Array<any>" : typeOfList(value, depth);
    if (brands.map(value)) {
      const [keys, values] = isDeep ? ["any", "any"] : typesOfEntries(mapEntries(value), depth);
      return `Map<${keys}, ${values}>`;
    }
    if (brands.set(value)) return `Set<${isDeep ? "any" : typesOfItems(setValues(value), depth)}>`;
    const prototype = getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) {
      const maker = memberOf(prototype, "constructor"), name = isObject(maker) ? memberOf(maker, "name") : undefined;
      if (typeof name === "string" && name !== "" && name !== "Object") return name;
    }
    if (isDeep) return "object";
    const fields = getOwnPropertyNames(value).slice(0, MOST_MEMBERS).map((name) => {
      const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
      return `${key}: ${typeOfMember(value, name, depth)}`;
    });
    return fields.length === 0 ? "{}" : `{ ${fields.join("; ")} }`;
  };

  // --- Streams --------------------------------------------------------------------------------------------

  /** What entries' loops read from, with the entry's number. */
  let streams = [];
  const drop = (isWanted) => {
    const kept = [];
    for (let i = 0; i < streams.length; i++) if (isWanted(streams[i])) append(kept, streams[i]);
    streams = kept;
  };

  /** The same stream, from which a stopped entry gets nothing more: not even its end, behind which it would go on. */
  const stream = (entry, iterable) => ({
    [Symbol.asyncIterator]() {
      const own = iterable[Symbol.asyncIterator];
      const source = own === undefined ? iterable[Symbol.iterator]() : apply(own, iterable, []);
      const state = { __proto__: null, entry, source, isStopped: false };
      append(streams, state);
      const forget = () => drop((one) => one !== state);
      const step = async (method, value) => {
        const result = await source[method](value);
        if (state.isStopped) return new Promise(() => {});
        if (result.done) forget();
        return own === undefined ? { done: result.done, value: await result.value } : result;
      };
      return {
        next: () => step("next"),
        return(value) {
          forget();
          return typeof source.return === "function" ? step("return", value) : { done: true, value };
        },
      };
    },
  });

  /** Closes what a stopped entry reads from. */
  const closeStreams = (entry) => {
    const open = streams;
    drop((state) => state.entry !== entry);
    for (let i = 0; i < open.length; i++) {
      const state = open[i];
      if (state.entry !== entry) continue;
      state.isStopped = true;
      try { then(Promise.resolve(state.source.return?.()), undefined, () => {}); } catch { /* no reader */ }
    }
  };

  // --- Watches --------------------------------------------------------------------------------------------

  /** Hands each event to `print`, then tells it the end: undefined, or an error. Answers what stops it. */
  const startWatch = (service, action, option, print) => {
    const events = realm.nbridge.callToNative(service, action, option);
    const run = async () => { for await (const event of events) print(event, false); };
    then(run(), () => print(undefined, true), (error) => print(error, true));
    return () => events.return();
  };

  const isError = (value) => value instanceof Error;

  return {
    isError, startWatch, stream, closeStreams, declare, fix, forget, follow, keep, show, showBytes, members, membersOfKind, typeOf,
  };
})
