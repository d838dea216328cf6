// SPDX-License-Identifier: MIT
// JSON Web Keys as crypto.subtle reads and writes them (Web Cryptography, section 15; RFC 7517).
((host) => {
  "use strict";
  const { append } = host;
  const { isObject, refuse, take } = host.bytes;
  const { TypeError } = globalThis;
  const { defineProperty } = Object;
  const Bytes = Uint8Array;
  const uncurry = (method) => Function.prototype.call.bind(method);
  const toBase64 = uncurry(Bytes.prototype.toBase64);
  const { fromBase64 } = Bytes;
  const { apply } = Reflect;

  // --- base64url (RFC 4648, section 5) --------------------------------------------------------------------

  const WRITE = { __proto__: null, alphabet: "base64url", omitPadding: true };
  const READ = { __proto__: null, alphabet: "base64url", lastChunkHandling: "loose" };

  const encode = (bytes) => toBase64(bytes, WRITE);

  /** Held bytes. Strictly: what would be written otherwise, with spaces, padding or bits that say nothing, is refused. */
  const decode = (text, member) => {
    let bytes;
    try { bytes = apply(fromBase64, Bytes, [text, READ]); } catch {}
    const isStrict = bytes !== undefined && encode(bytes) === text;
    const held = bytes === undefined ? undefined : take(bytes);
    if (!isStrict) throw refuse("DataError", `JWK: '${member}' is not base64url`);
    return held;
  };

  // --- The dictionary -------------------------------------------------------------------------------------

  // A dictionary's members are read in alphabetical order.
  const TEXTS = ["alg", "crv", "d", "dp", "dq", "e", "ext", "k", "key_ops", "kty", "n", "oth", "p", "q", "qi", "use", "x", "y"];

  const toTexts = (value) => {
    const list = [];
    for (const item of value) append(list, `${item}`);
    return list;
  };

  const toOtherPrimes = (value) => {
    const list = [];
    for (const item of value) {
      if (!isObject(item) && item !== undefined && item !== null) throw new TypeError("JWK: 'oth' must be a list of objects");
      append(list, item);
    }
    return list;
  };

  const convert = (name, value) => {
    if (name === "ext") return !!value;
    if (name !== "key_ops" && name !== "oth") return `${value}`;
    if (!isObject(value)) throw new TypeError(`JWK: '${name}' must be a list`);
    return name === "oth" ? toOtherPrimes(value) : toTexts(value);
  };

  /** Reads a JsonWebKey; `read` gives a member of it, undefined where it has none. */
  const toJWK = (value, read = (name) => value[name]) => {
    const jwk = { __proto__: null };
    if (value === undefined || value === null) return jwk;
    if (!isObject(value)) throw new TypeError("a JWK must be an object");
    for (let i = 0; i < TEXTS.length; i++) {
      const member = read(TEXTS[i]);
      if (member !== undefined) jwk[TEXTS[i]] = convert(TEXTS[i], member);
    }
    return jwk;
  };

  // --- Checks ---------------------------------------------------------------------------------------------

  const wrong = (message) => refuse("DataError", `JWK: ${message}`);

  const checkOperations = (list, usages) => {
    const seen = { __proto__: null };
    for (let i = 0; i < list.length; i++) {
      if (seen[list[i]]) throw wrong("'key_ops' has a value twice");
      seen[list[i]] = true;
    }
    for (let i = 0; i < usages.length; i++) {
      if (!seen[usages[i]]) throw wrong(`'key_ops' does not allow "${usages[i]}"`);
    }
  };

  const checkType = (jwk, kty) => {
    if (jwk.kty !== kty) throw wrong(`'kty' must be "${kty}"`);
  };

  /** What the key is for: `use`, `key_ops` and `ext`. */
  const checkUse = (jwk, use, usages, extractable) => {
    if (usages.length > 0 && jwk.use !== undefined && jwk.use !== use) throw wrong(`'use' must be "${use}"`);
    if (jwk.key_ops !== undefined) checkOperations(jwk.key_ops, usages);
    if (jwk.ext === false && extractable) throw wrong("the key may not be exported: 'ext' is false");
  };

  const checkAlgorithm = (jwk, alg) => {
    if (jwk.alg !== undefined && jwk.alg !== alg) throw wrong(`'alg' must be "${alg}"`);
  };

  /** Members as held bytes; each must be there. */
  const numbersOf = (jwk, names) => {
    const list = [];
    for (let i = 0; i < names.length; i++) {
      const text = jwk[names[i]];
      if (text === undefined) throw wrong(`'${names[i]}' is missing`);
      append(list, decode(text, names[i]));
    }
    return list;
  };

  // --- Writing --------------------------------------------------------------------------------------------

  const put = (object, name, value) =>
    defineProperty(object, name, { __proto__: null, value, writable: true, enumerable: true, configurable: true });

  /** An object for scripts: its kind, its members, and what it is for. `alg` is left out where there is none. */
  const write = (kty, crv, names, parts, alg, { usages, extractable }, copyList) => {
    const jwk = { kty };
    if (crv !== undefined) put(jwk, "crv", crv);
    for (let i = 0; i < names.length && i < parts.length; i++) put(jwk, names[i], encode(parts[i]));
    if (alg !== undefined) put(jwk, "alg", alg);
    put(jwk, "key_ops", copyList(usages));
    put(jwk, "ext", extractable);
    return jwk;
  };

  return { MEMBERS: TEXTS, checkAlgorithm, checkType, checkUse, numbersOf, toJWK, write, wrong };
})
