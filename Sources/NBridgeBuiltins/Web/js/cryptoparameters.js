// SPDX-License-Identifier: MIT
// "Normalizing an algorithm" (Web Cryptography, section 18.4): which algorithm does an operation, and what it is given.
((host) => {
  "use strict";
  const { copyOf, isObject, refuse, toBigInteger, toNumber, toSource } = host.bytes;
  const { isKey, slotsOf } = host.keys;
  const { TypeError } = globalThis;
  const { ownKeys } = Reflect;
  const toLowerCase = Function.prototype.call.bind(String.prototype.toLowerCase);

  /** By their names in lower case. */
  const ALGORITHMS = { __proto__: null };
  const LISTS = [host.secret.algorithms, host.rsa.algorithms, host.curves.algorithms];
  for (let i = 0; i < LISTS.length; i++) {
    for (let j = 0; j < LISTS[i].length; j++) {
      const { name, ...given } = LISTS[i][j];
      const operations = { __proto__: null };
      for (const operation of ownKeys(given)) operations[operation] = { __proto__: null, ...given[operation] };
      ALGORITHMS[toLowerCase(name)] = { __proto__: null, name, operations };
    }
  }

  /** What says which algorithm: an object as it is, anything else as a text. */
  const toIdentifier = (value) => (isObject(value) ? value : `${value}`);

  const readName = (object) => {
    const { name } = object;
    if (name === undefined) throw new TypeError("an algorithm needs a name");
    return `${name}`;
  };

  const toKey = (value, what) => {
    if (!isKey(value)) throw new TypeError(`${what} must be a CryptoKey`);
    return slotsOf(value);
  };

  // How a parameter is taken. Bytes are copied when all were taken: a getter must not change what came before it.
  const KINDS = {
    __proto__: null,
    octet: (value, what) => toNumber(value, 0xFF, what),
    short: (value, what) => toNumber(value, 0xFFFF, what),
    long: (value, what) => toNumber(value, 0xFFFFFFFF, what),
    text: (value) => `${value}`,
    buffer: toSource,
    bigInteger: toBigInteger,
    key: toKey,
    hash: toIdentifier,
  };

  const take = (object, parameters, taken, name) => {
    for (let i = 0; i < parameters.length; i++) {
      const parameter = parameters[i];
      const member = parameter[0], kind = parameter[1], isRequired = parameter[2];
      const value = object[member];
      if (value !== undefined) taken[member] = KINDS[kind](value, `${name}: ${member}`);
      else if (isRequired) throw new TypeError(`${name} needs ${member}`);
    }
  };

  const settle = (parameters, taken) => {
    for (let i = 0; i < parameters.length; i++) {
      const member = parameters[i][0];
      const kind = parameters[i][1];
      if (taken[member] === undefined) continue;
      if (kind === "buffer") taken[member] = copyOf(taken[member]);
      if (kind === "hash") taken[member] = normalize(taken[member], "digest").name;
    }
  };

  const NONE = [];

  /** The algorithm's own name, what it does, and its parameters. */
  const normalize = (identifier, operation) => {
    const object = isObject(identifier) ? identifier : { __proto__: null, name: identifier };
    const wanted = readName(object);
    const algorithm = ALGORITHMS[toLowerCase(wanted)];
    const found = algorithm?.operations[operation];
    if (found === undefined) throw refuse("NotSupportedError", `"${wanted}" is no algorithm for ${operation}`);
    readName(object);  // As the standard reads the dictionary of the algorithm, whose name it knows by now.
    const { name } = algorithm;
    const { parameters = NONE, run } = found;
    const taken = { __proto__: null };
    take(object, parameters, taken, name);
    settle(parameters, taken);
    return { __proto__: null, name, parameters: taken, run };
  };

  /** What an algorithm does by its own name; undefined where it does not. */
  const operationOf = (name, operation) => ALGORITHMS[toLowerCase(name)].operations[operation];

  return { normalize, operationOf, toIdentifier };
})
