// SPDX-License-Identifier: MIT
// What classes and arguments of the web's interfaces have in common (Web IDL).
((host) => {
  "use strict";
  const { append } = host;
  const { TypeError } = globalThis;
  const { defineProperty, freeze, getPrototypeOf } = Object;

  /** A Map that works whatever a script does to Map.prototype. */
  class Table extends Map {
    // The one that is there without asks the iterator of arrays.
    constructor() { super(); }
  }
  for (const name of ["get", "set", "has", "delete"]) {
    defineProperty(Table.prototype, name, { __proto__: null, value: Map.prototype[name] });
  }

  // What it does not say of a member stays.
  const ENUMERABLE = freeze({ __proto__: null, enumerable: true });

  /** Gives the members of a class the attributes that Web IDL wants: enumerable, and a name for toString. */
  const finish = (type, name, members, statics = []) => {
    const { prototype } = type;
    for (const member of members) defineProperty(prototype, member, ENUMERABLE);
    for (const member of statics) defineProperty(type, member, ENUMERABLE);
    defineProperty(prototype, Symbol.toStringTag, { __proto__: null, value: name, configurable: true });
    declareInterface(type, name);
  };

  const interfaces = new Table();
  /** Has interfaceOf know a class by its name. */
  const declareInterface = ({ prototype }, name) => { interfaces.set(prototype, name); };
  const isInterface = (prototype) => interfaces.has(prototype);
  /** The name of the interface that an object inherits from, the nearest one; undefined for an object of none. */
  const interfaceOf = (value) => {
    for (let at = value; at !== null; at = getPrototypeOf(at)) {
      const name = interfaces.get(at);
      if (name !== undefined) return name;
    }
    return undefined;
  };

  const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";

  const need = (given, count, name) => {
    if (given >= count) return;
    throw new TypeError(`${name} needs ${count === 1 ? "an argument" : `${count} arguments`}`);
  };

  const EMPTY = freeze({ __proto__: null });

  const toDictionary = (value, name) => {
    if (value === undefined || value === null) return EMPTY;
    if (!isObject(value)) throw new TypeError(`the options of ${name} must be an object`);
    return value;
  };

  const toSequence = (value, name, convert) => {
    if (!isObject(value)) throw new TypeError(`${name} must be a list`);
    const list = [];
    for (const item of value) append(list, convert(item));
    return list;
  };

  return { Table, declareInterface, finish, interfaceOf, isInterface, isObject, need, toDictionary, toSequence };
})
