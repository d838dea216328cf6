// SPDX-License-Identifier: MIT
// What pairs of keys have in common: their formats, and bits of secrets that two have.
((host) => {
  "use strict";
  const { bytes, jwk, keys, native } = host;
  const { firstBits, lengthOf, refuse } = bytes;
  const { chain, perform } = native;
  const { among, copyList, make } = keys;

  /** A pair of which the private half has some usages, and the public half others. */
  const makePair = (algorithm, extractable, usages, halves, material) => ({
    privateKey: make("private", extractable, algorithm, among(usages, halves.forPrivate), material),
    publicKey: make("public", true, algorithm, among(usages, halves.forPublic), material),
  });

  /** Without a usage of the private half there is no use for a pair. */
  const needPrivate = (usages, forPrivate, name) => {
    if (among(usages, forPrivate).length === 0) throw refuse("SyntaxError", `a private key of ${name} needs a usage`);
  };

  /** Which half comes in a format: a JWK says by `d`. */
  const isPrivateIn = (format, data) => format === "pkcs8" || (format === "jwk" && data.d !== undefined);

  /**
   * Imports what came as it is written in files. `algorithmOf` gets the public numbers of the key and answers its algorithm.
   */
  const importWritten = (format, family, data, { type, extractable, usages }, algorithmOf, end) => {
    const operation = { __proto__: null, spki: "importSPKI", pkcs8: "importPKCS8", raw: "importPoint" }[format];
    perform(whole(type, extractable, usages, algorithmOf, end), operation, family, data.box);
  };

  /** The same for the numbers of a JWK, in the order of the native half. */
  const importParts = (family, parts, { type, extractable, usages }, algorithmOf, end) => {
    const at = (i) => (i < parts.length ? parts[i].box : undefined);
    perform(whole(type, extractable, usages, algorithmOf, end), "importParts", family, at(0), at(1), at(2), at(3), at(4), at(5),
      at(6), at(7));
  };

  const whole = (type, extractable, usages, algorithmOf, end) =>
    chain(end, (made) => end.answer(make(type, extractable, algorithmOf(made), usages, made[0])));

  const needHalf = (key, type, format) => {
    if (key.type !== type) throw refuse("InvalidAccessError", `"${format}" is a format of ${type} keys; this one is ${key.type}`);
  };

  /** Exports as files are written. */
  const exportWritten = (format, key, end) => {
    needHalf(key, format === "pkcs8" ? "private" : "public", format);
    perform(end, { __proto__: null, spki: "exportSPKI", pkcs8: "exportPKCS8", raw: "exportPoint" }[format], key.material);
  };

  const exportJWK = (key, { kty, crv, names, alg }, end) => {
    perform(chain(end, (parts) => end.answer(jwk.write(kty, crv, names, parts, alg, key, copyList))), "exportParts", key.material,
      key.type === "private");
  };

  /** The first so many bits of the secret that two have in common. */
  const agreement = {
    parameters: [["public", "key", true]],
    run({ public: other }, key, length, end) {
      const { name, namedCurve } = key.algorithm;
      if (key.type !== "private") throw refuse("InvalidAccessError", `${name}: the base key must be a private one`);
      if (other.type !== "public") throw refuse("InvalidAccessError", `${name}: 'public' must be a public key`);
      if (other.algorithm.name !== name) throw refuse("InvalidAccessError", `${name}: 'public' is of ${other.algorithm.name}`);
      if (other.algorithm.namedCurve !== namedCurve) {
        throw refuse("InvalidAccessError", `${name}: 'public' is of another curve, ${other.algorithm.namedCurve}`);
      }
      const cut = chain(end, (secret) => {
        const bits = lengthOf(secret) * 8;
        if (length === null) return end.answer(secret);
        if (length > bits) throw refuse("OperationError", `${name}: the secret has ${bits} bits, not ${length}`);
        return end.answer(firstBits(secret, length));
      });
      perform(cut, "agree", key.material, other.material);
    },
  };

  const needType = (key, type, what) => {
    if (key.type !== type) throw refuse("InvalidAccessError", `${key.algorithm.name}: to ${what} takes a ${type} key`);
  };

  return {
    agreement, exportJWK, exportWritten, importParts, importWritten, isPrivateIn, makePair, needPrivate, needType,
  };
})
