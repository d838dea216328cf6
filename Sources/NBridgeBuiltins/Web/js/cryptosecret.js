// SPDX-License-Identifier: MIT
// Secret keys: AES, HMAC, HKDF, PBKDF2, and hashes (Web Cryptography, sections 27 to 33). A key's material is held bytes.
((host) => {
  "use strict";
  const { bytes, jwk, keys, native } = host;
  const { giveOut, peek, refuse } = bytes;
  const { chain, perform, room } = native;
  const { includes, make } = keys;
  const { checkUsages, notFormat } = host.checks;
  const { trunc } = Math;
  const { TypeError } = globalThis;
  const BLOCKS = { __proto__: null, "SHA-1": 512, "SHA-256": 512, "SHA-384": 1024, "SHA-512": 1024 };
  const HMACS = { __proto__: null, "SHA-1": "HS1", "SHA-256": "HS256", "SHA-384": "HS384", "SHA-512": "HS512" };

  const need = (usages, name) => {
    if (usages.length === 0) throw refuse("SyntaxError", `a key of ${name} needs a usage`);
  };

  /** Answers a new key of chance, whose algorithm says how many bits it has. */
  const generate = (algorithm, extractable, usages, end) => {
    const { length } = algorithm;
    const size = trunc((length + 7) / 8);
    const material = { __proto__: null, box: room(size), size };
    const finish = () => {
      maskLast(material, length);
      end.answer(make("secret", extractable, algorithm, usages, material));
    };
    perform(chain(end, finish), "fillRandom", material.box);
  };

  /** Only the first so many bits are of the key. */
  const maskLast = (material, bits) => {
    if (bits % 8 !== 0) peek(material)[material.size - 1] &= 0xFF << (8 - bits % 8);
  };

  /** The bytes of a key that comes as they are, or as the `k` of a JWK. */
  const materialOf = (format, data, name, check) => {
    if (format === "raw") return data;
    if (format !== "jwk") throw notFormat(format, name);
    jwk.checkType(data, "oct");
    const material = jwk.numbersOf(data, ["k"])[0];
    check(data, material);
    return material;
  };

  const exporter = (alg) => (format, key, end) => {
    const material = peek(key.material);
    if (format === "raw") end.answer(giveOut(material));
    else if (format === "jwk") end.answer(jwk.write("oct", undefined, ["k"], [material], alg(key), key, keys.copyList));
    else throw notFormat(format, key.algorithm.name);
  };

  // --- AES ------------------------------------------------------------------------------------------------

  const isLength = (bits) => bits === 128 || bits === 192 || bits === 256;
  const LENGTH = [["length", "short", true]];

  const aes = (name, suffix, usages, operations) => {
    const keyLength = ({ length }) => {
      if (!isLength(length)) throw refuse("OperationError", `${name}: a key has 128, 192 or 256 bits, not ${length}`);
      return length;
    };
    return {
      name, ...operations,
      keyLength: { parameters: LENGTH, run: keyLength },
      generateKey: {
        parameters: LENGTH,
        run(given, extractable, wanted, end) {
          checkUsages(wanted, usages, name);
          const length = keyLength(given);
          need(wanted, name);
          generate({ __proto__: null, name, length }, extractable, wanted, end);
        },
      },
      importKey: {
        run(given, format, data, extractable, wanted, end) {
          checkUsages(wanted, usages, name);
          const material = materialOf(format, data, name, (key, { size }) => {
            if (isLength(size * 8)) jwk.checkAlgorithm(key, `A${size * 8}${suffix}`);
            jwk.checkUse(key, "enc", wanted, extractable);
          });
          const length = material.size * 8;
          if (!isLength(length)) throw refuse("DataError", `${name}: a key has 128, 192 or 256 bits, not ${length}`);
          end.answer(make("secret", extractable, { __proto__: null, name, length }, wanted, material));
        },
      },
      exportKey: { run: exporter(({ algorithm }) => `A${algorithm.length}${suffix}`) },
    };
  };

  const failed = (message) => refuse("OperationError", message);
  const both = (parameters, run) => ({
    encrypt: { parameters, run: (given, key, data, end) => run(true, given, key, data, end) },
    decrypt: { parameters, run: (given, key, data, end) => run(false, given, key, data, end) },
  });
  const ALL = ["encrypt", "decrypt", "wrapKey", "unwrapKey"];

  const cbc = both([["iv", "buffer", true]], (encrypts, { iv }, { material }, data, end) => {
    if (iv.size !== 16) throw failed(`AES-CBC: iv must have 16 bytes, not ${iv.size}`);
    perform(end, "cbc", encrypts, material.box, iv.box, data.box);
  });

  const COUNTER = [["counter", "buffer", true], ["length", "octet", true]];
  const ctr = both(COUNTER, (encrypts, { counter, length }, { material }, data, end) => {
    if (counter.size !== 16) throw failed(`AES-CTR: counter must have 16 bytes, not ${counter.size}`);
    if (length === 0 || length > 128) throw failed(`AES-CTR: length must be from 1 to 128, not ${length}`);
    perform(end, "ctr", material.box, counter.box, length, data.box);
  });

  const TAGS = [32, 64, 96, 104, 112, 120, 128];
  const GCM = [["additionalData", "buffer", false], ["iv", "buffer", true], ["tagLength", "octet", false]];
  const gcm = both(GCM, (encrypts, { additionalData, iv, tagLength = 128 }, { material }, data, end) => {
    if (!includes(TAGS, tagLength)) throw failed(`AES-GCM: there is no tag of ${tagLength} bits`);
    if (!encrypts && data.size < tagLength / 8) throw failed(`AES-GCM: ${data.size} bytes are too few for data and its tag`);
    perform(end, "gcm", encrypts, material.box, iv.box, additionalData?.box, tagLength / 8, data.box);
  });

  const wrapping = (wraps) => ({
    run(given, { material }, data, end) { perform(end, "keyWrap", wraps, material.box, data.box); },
  });

  // --- HMAC -----------------------------------------------------------------------------------------------

  const SIGNING = ["sign", "verify"];
  const HASHED = [["hash", "hash", true], ["length", "long", false]];

  const hmacLength = ({ hash, length }) => {
    if (length === undefined) return BLOCKS[hash];
    if (length === 0) throw new TypeError("HMAC: length must not be 0");
    return length;
  };

  /** How many bits of the data are the key. */
  const importedLength = (size, length) => {
    if (size === 0) throw refuse("DataError", "HMAC: a key must not be empty");
    if (length === undefined) return size * 8;
    if (length > size * 8 || length <= size * 8 - 8) {
      throw refuse("DataError", `HMAC: length is ${length}, and the key has ${size} bytes`);
    }
    return length;
  };

  const hmac = {
    name: "HMAC",
    keyLength: { parameters: HASHED, run: hmacLength },
    generateKey: {
      parameters: HASHED,
      run({ hash, length = BLOCKS[hash] }, extractable, usages, end) {
        checkUsages(usages, SIGNING, "HMAC");
        if (length === 0) throw failed("HMAC: length must not be 0");
        need(usages, "HMAC");
        generate({ __proto__: null, name: "HMAC", hash, length }, extractable, usages, end);
      },
    },
    importKey: {
      parameters: HASHED,
      run({ hash, length: wanted }, format, data, extractable, usages, end) {
        checkUsages(usages, SIGNING, "HMAC");
        const material = materialOf(format, data, "HMAC", (key) => {
          jwk.checkAlgorithm(key, HMACS[hash]);
          jwk.checkUse(key, "sig", usages, extractable);
        });
        const length = importedLength(material.size, wanted);
        maskLast(material, length);
        end.answer(make("secret", extractable, { __proto__: null, name: "HMAC", hash, length }, usages, material));
      },
    },
    exportKey: { run: exporter(({ algorithm }) => HMACS[algorithm.hash]) },
    sign: {
      run(given, { algorithm, material }, data, end) { perform(end, "hmac", algorithm.hash, material.box, data.box); },
    },
    verify: {
      run(given, { algorithm, material }, signature, data, end) {
        perform(end, "isHMAC", algorithm.hash, material.box, data.box, signature.box);
      },
    },
  };

  // --- Keys made of secrets -------------------------------------------------------------------------------

  const DERIVING = ["deriveKey", "deriveBits"];

  const derivation = (name, parameters, derive) => ({
    name,
    keyLength: { run: () => null },
    importKey: {
      run(given, format, data, extractable, usages, end) {
        if (format !== "raw") throw notFormat(format, name);
        checkUsages(usages, DERIVING, name);
        if (extractable) throw refuse("SyntaxError", `a key of ${name} can't be extractable`);
        end.answer(make("secret", false, { __proto__: null, name }, usages, data));
      },
    },
    deriveBits: {
      parameters,
      run(given, { material }, length, end) {
        if (length === null || length % 8 !== 0) throw failed(`${name}: the length must be a multiple of 8 bits`);
        derive(given, material, length / 8, end);
      },
    },
  });

  const HKDF = [["hash", "hash", true], ["info", "buffer", true], ["salt", "buffer", true]];
  const hkdf = derivation("HKDF", HKDF, ({ hash, info, salt }, material, size, end) =>
    perform(end, "hkdf", hash, material.box, salt.box, info.box, size));

  const PBKDF2 = [["hash", "hash", true], ["iterations", "long", true], ["salt", "buffer", true]];
  const pbkdf2 = derivation("PBKDF2", PBKDF2, ({ hash, iterations, salt }, material, size, end) => {
    if (iterations === 0) throw failed("PBKDF2: iterations must not be 0");
    perform(end, "pbkdf2", hash, material.box, salt.box, iterations, size);
  });

  const hashing = (name) => ({
    name, digest: { run(given, data, end) { perform(end, "digest", name, data.box); } },
  });

  return {
    algorithms: [
      hashing("SHA-1"), hashing("SHA-256"), hashing("SHA-384"), hashing("SHA-512"),
      aes("AES-CBC", "CBC", ALL, cbc), aes("AES-CTR", "CTR", ALL, ctr), aes("AES-GCM", "GCM", ALL, gcm),
      aes("AES-KW", "KW", ["wrapKey", "unwrapKey"], { wrapKey: wrapping(true), unwrapKey: wrapping(false) }),
      hmac, hkdf, pbkdf2,
    ],
  };
})
