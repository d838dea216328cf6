// SPDX-License-Identifier: MIT
// SubtleCrypto (Web Cryptography, section 14). What is wrong rejects the promise, in the order of the standard's steps.
((host) => {
  "use strict";
  const { append, finish, need, notCloneable, turns } = host;
  const { copyOf, hold, isObject, isSource, overlapped, refuse, toBuffer, toLong, toSource, withMessage } = host.bytes;
  const { USAGES, includes, isKey, ordered, slotsOf } = host.keys;
  const { chain } = host.native;
  const { normalize, operationOf, toIdentifier } = host.parameters;
  const { toJWK } = host.jwk;
  const { fromText, toText } = host.wrapping;
  const { TypeError } = globalThis;
  const PromiseOf = Promise;
  const FORMATS = ["raw", "spki", "pkcs8", "jwk"];
  const secret = {};

  // --- Arguments (Web IDL) --------------------------------------------------------------------------------

  const toFormat = (value) => {
    const format = `${value}`;
    if (!includes(FORMATS, format)) throw new TypeError(`there is no format "${format}"; there are raw, spki, pkcs8 and jwk`);
    return format;
  };

  const toUsages = (value) => {
    if (!isObject(value)) throw new TypeError("keyUsages must be a list");
    const list = [];
    for (const item of value) {
      const usage = `${item}`;
      if (!includes(USAGES, usage)) throw new TypeError(`there is no usage "${usage}"`);
      append(list, usage);
    }
    return ordered(list);
  };

  const toKey = (value, what) => {
    if (!isKey(value)) throw new TypeError(`${what} must be a CryptoKey`);
    return slotsOf(value);
  };

  /** A BufferSource or a JsonWebKey. */
  const toKeyData = (value) => {
    if (isSource(value)) return { __proto__: null, source: toSource(value, "keyData") };
    return { __proto__: null, jwk: toJWK(value) };
  };

  // --- Steps that several methods have --------------------------------------------------------------------

  /** A promise of what the steps tell its end; what they throw rejects it. */
  const promise = (steps) => new PromiseOf((resolve, reject) => {
    const end = {
      __proto__: null,
      answer(value) { turns.settle(resolve, value, 0); },
      fail(error) { turns.settle(reject, error, 0); },
    };
    try { steps(end); } catch (error) { end.fail(error); }
  });

  const bufferFor = (end) => chain(end, (bytes) => end.answer(toBuffer(bytes)));


  /** A key must be of the algorithm that is asked for, and be for what is done with it. */
  const checkKey = ({ name }, key, usage, what) => {
    if (key.algorithm.name !== name) {
      throw refuse("InvalidAccessError", `${what} is of ${key.algorithm.name} and can't be used with ${name}`);
    }
    if (!includes(key.usages, usage)) throw refuse("InvalidAccessError", `${what} is not for "${usage}"`);
  };

  /** Secret and private keys that are for nothing are none. */
  const imported = (end, usages) => chain(end, (key) => {
    if (slotsOf(key).type !== "public" && usages.length === 0) {
      throw refuse("SyntaxError", "a secret or private key needs a usage");
    }
    end.answer(key);
  });

  const importAs = (algorithm, format, data, extractable, usages, end) =>
    algorithm.run(algorithm.parameters, format, data, extractable, usages, imported(end, usages));

  const exporterOf = (key) => {
    const found = operationOf(key.algorithm.name, "exportKey");
    if (found === undefined) throw refuse("NotSupportedError", `keys of ${key.algorithm.name} can't be exported`);
    if (!key.extractable) throw refuse("InvalidAccessError", "the key is not extractable");
    return found.run;
  };

  /** To wrap a key is to encrypt it, where an algorithm has no way of its own. */
  const normalizeEither = (identifier, first, second) => {
    try { return normalize(identifier, first); } catch { return normalize(identifier, second); }
  };

  const crypt = (name, usage, self, given, key, data) => promise((end) => {
    check(self);
    const identifier = toIdentifier(given);
    const slots = toKey(key, "key");
    const source = toSource(data, "data");
    const algorithm = normalize(identifier, name);
    withMessage(copyOf(source), (message) => {
      checkKey(algorithm, slots, usage, "the key");
      algorithm.run(algorithm.parameters, slots, message, bufferFor(end));
    });
  });

  let check;

  class SubtleCrypto {
    #isSubtle = true;
    static {
      check = (value) => { if (typeof value !== "object" || value === null || !(#isSubtle in value)) throw wrongThis(); };
    }

    constructor() {
      if (arguments[0] !== secret) throw new TypeError("SubtleCrypto: use crypto.subtle");
    }

    encrypt(algorithm, key, data) {
      return needing(arguments.length, 3, "encrypt") ?? crypt("encrypt", "encrypt", this, algorithm, key, data);
    }

    decrypt(algorithm, key, data) {
      return needing(arguments.length, 3, "decrypt") ?? crypt("decrypt", "decrypt", this, algorithm, key, data);
    }

    sign(algorithm, key, data) {
      return needing(arguments.length, 3, "sign") ?? crypt("sign", "sign", this, algorithm, key, data);
    }

    verify(algorithm, key, signature, data) {
      return needing(arguments.length, 4, "verify") ?? promise((end) => {
        check(this);
        const identifier = toIdentifier(algorithm);
        const slots = toKey(key, "key");
        const signatureSource = toSource(signature, "signature");
        const dataSource = toSource(data, "data");
        const normalized = normalize(identifier, "verify");
        const held = copyOf(signatureSource);
        withMessage(copyOf(dataSource), (message) => {
          checkKey(normalized, slots, "verify", "the key");
          normalized.run(normalized.parameters, slots, held, message, end);
        });
      });
    }

    digest(algorithm, data) {
      return needing(arguments.length, 2, "digest") ?? promise((end) => {
        check(this);
        const identifier = toIdentifier(algorithm);
        const source = toSource(data, "data");
        const normalized = normalize(identifier, "digest");
        overlapped(source, (message) => normalized.run(normalized.parameters, message, bufferFor(end)));
      });
    }

    generateKey(algorithm, extractable, keyUsages) {
      return needing(arguments.length, 3, "generateKey") ?? promise((end) => {
        check(this);
        const identifier = toIdentifier(algorithm);
        const isExtractable = !!extractable;
        const usages = toUsages(keyUsages);
        const normalized = normalize(identifier, "generateKey");
        normalized.run(normalized.parameters, isExtractable, usages, end);
      });
    }

    deriveKey(algorithm, baseKey, derivedKeyType, extractable, keyUsages) {
      return needing(arguments.length, 5, "deriveKey") ?? promise((end) => {
        check(this);
        const identifier = toIdentifier(algorithm);
        const key = toKey(baseKey, "baseKey");
        const type = toIdentifier(derivedKeyType);
        const isExtractable = !!extractable;
        const usages = toUsages(keyUsages);
        const normalized = normalize(identifier, "deriveBits");
        const importing = normalize(type, "importKey");
        const measuring = normalize(type, "keyLength");
        checkKey(normalized, key, "deriveKey", "the base key");
        const length = measuring.run(measuring.parameters);
        normalized.run(normalized.parameters, key, length, chain(end, (bytes) =>
          importAs(importing, "raw", hold(bytes), isExtractable, usages, end)));
      });
    }

    deriveBits(algorithm, baseKey, length = null) {
      return needing(arguments.length, 2, "deriveBits") ?? promise((end) => {
        check(this);
        const identifier = toIdentifier(algorithm);
        const key = toKey(baseKey, "baseKey");
        const bits = length === null ? null : toLong(length);
        const normalized = normalize(identifier, "deriveBits");
        checkKey(normalized, key, "deriveBits", "the base key");
        normalized.run(normalized.parameters, key, bits, bufferFor(end));
      });
    }

    importKey(format, keyData, algorithm, extractable, keyUsages) {
      return needing(arguments.length, 5, "importKey") ?? promise((end) => {
        check(this);
        const form = toFormat(format);
        const data = toKeyData(keyData);
        const identifier = toIdentifier(algorithm);
        const isExtractable = !!extractable;
        const usages = toUsages(keyUsages);
        const normalized = normalize(identifier, "importKey");
        const isJWK = form === "jwk";
        if (isJWK !== (data.jwk !== undefined)) {
          throw new TypeError(`the format "${form}" comes as ${isJWK ? "an object" : "bytes"}`);
        }
        importAs(normalized, form, isJWK ? data.jwk : copyOf(data.source), isExtractable, usages, end);
      });
    }

    exportKey(format, key) {
      return needing(arguments.length, 2, "exportKey") ?? promise((end) => {
        check(this);
        const form = toFormat(format);
        const slots = toKey(key, "key");
        exporterOf(slots)(form, slots, form === "jwk" ? end : bufferFor(end));
      });
    }

    wrapKey(format, key, wrappingKey, wrapAlgorithm) {
      return needing(arguments.length, 4, "wrapKey") ?? promise((end) => {
        check(this);
        const form = toFormat(format);
        const slots = toKey(key, "key");
        const wrapping = toKey(wrappingKey, "wrappingKey");
        const normalized = normalizeEither(toIdentifier(wrapAlgorithm), "wrapKey", "encrypt");
        checkKey(normalized, wrapping, "wrapKey", "the wrapping key");
        exporterOf(slots)(form, slots, chain(end, (made) => {
          const data = form === "jwk" ? toText(made) : hold(made);
          normalized.run(normalized.parameters, wrapping, data, bufferFor(end));
        }));
      });
    }

    unwrapKey(format, wrappedKey, unwrappingKey, unwrapAlgorithm, unwrappedKeyAlgorithm, extractable, keyUsages) {
      return needing(arguments.length, 7, "unwrapKey") ?? promise((end) => {
        check(this);
        const form = toFormat(format);
        const source = toSource(wrappedKey, "wrappedKey");
        const unwrapping = toKey(unwrappingKey, "unwrappingKey");
        const identifier = toIdentifier(unwrapAlgorithm);
        const keyIdentifier = toIdentifier(unwrappedKeyAlgorithm);
        const isExtractable = !!extractable;
        const usages = toUsages(keyUsages);
        const normalized = normalizeEither(identifier, "unwrapKey", "decrypt");
        const importing = normalize(keyIdentifier, "importKey");
        withMessage(copyOf(source), (message) => {
          checkKey(normalized, unwrapping, "unwrapKey", "the unwrapping key");
          normalized.run(normalized.parameters, unwrapping, message, chain(end, (bytes) =>
            importAs(importing, form, form === "jwk" ? fromText(bytes) : hold(bytes), isExtractable, usages, end)));
        });
      });
    }
  }

  const wrongThis = () => new TypeError("crypto.subtle: this method was called on something else");

  /** A rejected promise for too few arguments; undefined for enough. */
  const needing = (given, count, name) => {
    if (given >= count) return undefined;
    return promise(() => need(given, count, `crypto.subtle.${name}`));
  };

  finish(SubtleCrypto, "SubtleCrypto", [
    "encrypt", "decrypt", "sign", "verify", "digest", "generateKey", "deriveKey", "deriveBits", "importKey", "exportKey",
    "wrapKey", "unwrapKey",
  ]);
  const subtle = new SubtleCrypto(secret);
  notCloneable((value) => value === subtle);

  return { SubtleCrypto, subtle };
})
