// SPDX-License-Identifier: MIT
// RSASSA-PKCS1-v1_5, RSA-PSS and RSA-OAEP (Web Cryptography, sections 20 to 22).
((host) => {
  "use strict";
  const { bytes, jwk, native, pairs } = host;
  const { bitLength, copyOf, peek, refuse } = bytes;
  const { chain, perform } = native;
  const { checkUsages, notFormat } = host.checks;
  const Bytes = Uint8Array;
  // The names of algorithms in JWK (RFC 7518, sections 3 and 4).
  const NAMES = {
    __proto__: null,
    "RSASSA-PKCS1-v1_5": { __proto__: null, "SHA-1": "RS1", "SHA-256": "RS256", "SHA-384": "RS384", "SHA-512": "RS512" },
    "RSA-PSS": { __proto__: null, "SHA-1": "PS1", "SHA-256": "PS256", "SHA-384": "PS384", "SHA-512": "PS512" },
    "RSA-OAEP": {
      __proto__: null, "SHA-1": "RSA-OAEP", "SHA-256": "RSA-OAEP-256", "SHA-384": "RSA-OAEP-384", "SHA-512": "RSA-OAEP-512",
    },
  };
  const PUBLIC = ["n", "e"];
  const PRIVATE = ["n", "e", "d", "p", "q", "dp", "dq", "qi"];
  const GENERATION = [["modulusLength", "long", true], ["publicExponent", "bigInteger", true], ["hash", "hash", true]];
  // Shorter ones protect nothing, longer ones take hours.
  const [SHORTEST, LONGEST] = [1024, 16384];

  const make = (name, forPublic, forPrivate, use, operations) => {
    const halves = { __proto__: null, forPublic, forPrivate };
    const all = [...forPublic, ...forPrivate];

    /** Of what the native half tells: a key, its modulus, and its exponent. */
    const algorithmFor = (hash) => (made) => ({
      __proto__: null, name, modulusLength: bitLength(made[1]), publicExponent: new Bytes(made[2]), hash,
    });

    const checkLength = (length) => {
      if (length >= SHORTEST && length <= LONGEST) return;
      throw refuse("OperationError", `${name}: modulusLength must be from ${SHORTEST} to ${LONGEST}, not ${length}`);
    };

    const generateKey = ({ hash, modulusLength, publicExponent }, extractable, usages, end) => {
      checkUsages(usages, all, name);
      checkLength(modulusLength);
      const held = copyOf(publicExponent);
      const algorithm = { __proto__: null, name, modulusLength, publicExponent: new Bytes(peek(held)), hash };
      const made = chain(end, (material) => {
        // The standard has it behind what may be wrong with the exponent.
        pairs.needPrivate(usages, forPrivate, name);
        end.answer(pairs.makePair(algorithm, extractable, usages, halves, material));
      });
      perform(made, "generateRSA", modulusLength, held.box);
    };

    const partsOf = (key, hash, usages, extractable) => {
      jwk.checkType(key, "RSA");
      jwk.checkUse(key, use, usages, extractable);
      jwk.checkAlgorithm(key, NAMES[name][hash]);
      if (key.d === undefined) return jwk.numbersOf(key, PUBLIC);
      if (key.oth !== undefined) throw refuse("NotSupportedError", `${name}: keys of more than two primes are not taken`);
      return jwk.numbersOf(key, PRIVATE);
    };

    const importKey = ({ hash }, format, data, extractable, usages, end) => {
      if (format === "raw") throw notFormat(format, name);
      const isPrivate = pairs.isPrivateIn(format, data);
      const type = isPrivate ? "private" : "public";
      checkUsages(usages, isPrivate ? forPrivate : forPublic, name, `${type} key`);
      const key = { __proto__: null, type, extractable, usages };
      if (format !== "jwk") return pairs.importWritten(format, "RSA", data, key, algorithmFor(hash), end);
      return pairs.importParts("RSA", partsOf(data, hash, usages, extractable), key, algorithmFor(hash), end);
    };

    const exportKey = (format, key, end) => {
      if (format === "raw") throw notFormat(format, name);
      if (format !== "jwk") return pairs.exportWritten(format, key, end);
      return pairs.exportJWK(key, { __proto__: null, kty: "RSA", names: PRIVATE, alg: NAMES[name][key.algorithm.hash] }, end);
    };

    return {
      name, ...operations, generateKey: { parameters: GENERATION, run: generateKey },
      importKey: { parameters: [["hash", "hash", true]], run: importKey }, exportKey: { run: exportKey },
    };
  };

  const signing = (scheme, parameters) => ({
    sign: {
      parameters,
      run({ saltLength }, key, data, end) {
        pairs.needType(key, "private", "sign");
        perform(end, "sign", scheme, key.algorithm.hash, saltLength, key.material, data.box);
      },
    },
    verify: {
      parameters,
      run({ saltLength }, key, signature, data, end) {
        pairs.needType(key, "public", "verify");
        perform(end, "verify", scheme, key.algorithm.hash, saltLength, key.material, data.box, signature.box);
      },
    },
  });

  const LABEL = [["label", "buffer", false]];
  const oaep = {
    encrypt: {
      parameters: LABEL,
      run({ label }, key, data, end) {
        pairs.needType(key, "public", "encrypt");
        perform(end, "oaep", true, key.algorithm.hash, key.material, label?.box, data.box);
      },
    },
    decrypt: {
      parameters: LABEL,
      run({ label }, key, data, end) {
        pairs.needType(key, "private", "decrypt");
        perform(end, "oaep", false, key.algorithm.hash, key.material, label?.box, data.box);
      },
    },
  };

  return {
    algorithms: [
      make("RSASSA-PKCS1-v1_5", ["verify"], ["sign"], "sig", signing("pkcs1")),
      make("RSA-PSS", ["verify"], ["sign"], "sig", signing("pss", [["saltLength", "long", true]])),
      make("RSA-OAEP", ["encrypt", "wrapKey"], ["decrypt", "unwrapKey"], "enc", oaep),
    ],
  };
})
