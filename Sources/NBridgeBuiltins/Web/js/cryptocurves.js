// SPDX-License-Identifier: MIT
// ECDSA, ECDH, Ed25519 and X25519 (Web Cryptography, sections 23 to 26), Ed448 and X448 (Secure Curves in Web Cryptography).
((host) => {
  "use strict";
  const { bytes, jwk, native, pairs } = host;
  const { refuse } = bytes;
  const { chain, perform } = native;
  const { checkUsages } = host.checks;
  const SIGNERS = { __proto__: null, "P-256": "ES256", "P-384": "ES384", "P-521": "ES512" };
  const SIZES = { __proto__: null, "P-256": 32, "P-384": 48, "P-521": 66, Ed25519: 32, X25519: 32, Ed448: 57, X448: 56 };
  const CURVE = [["namedCurve", "text", true]];

  const isCurve = (name) => SIGNERS[name] !== undefined;
  const noCurve = (exception, name, curve) =>
    refuse(exception, `${name}: there is no curve "${curve}"; there are P-256, P-384 and P-521`);

  /** The numbers of a JWK, each as long as its curve wants. */
  const partsOf = (key, names, crv) => {
    const parts = jwk.numbersOf(key, names);
    for (let i = 0; i < parts.length; i++) {
      if (parts[i].size !== SIZES[crv]) throw jwk.wrong(`'${names[i]}' must have ${SIZES[crv]} bytes, not ${parts[i].size}`);
    }
    return parts;
  };

  /**
   * A kind of keys of curves. `shape` says how JWK writes them (`kty`, `use`, the names of numbers), and how the algorithm of a
   * curve is written down and checked.
   */
  const make = (name, [forPublic, forPrivate], shape, operations) => {
    const halves = { __proto__: null, forPublic, forPrivate };
    const all = [...forPublic, ...forPrivate];
    const names = [...shape.names, "d"];

    const generateKey = ({ namedCurve }, extractable, usages, end) => {
      checkUsages(usages, all, name);
      if (shape.hasCurves && !isCurve(namedCurve)) throw noCurve("NotSupportedError", name, namedCurve);
      pairs.needPrivate(usages, forPrivate, name);
      const algorithm = shape.algorithm(namedCurve);
      const made = chain(end, (material) =>
        end.answer(pairs.makePair(algorithm, extractable, usages, halves, material)));
      perform(made, "generateCurve", namedCurve ?? name);
    };

    const importJWK = (data, crv, key, end) => {
      jwk.checkType(data, shape.kty);
      jwk.checkUse(data, shape.use, key.usages, key.extractable);
      if (data.crv !== crv) throw jwk.wrong(`'crv' must be "${crv}"`);
      shape.checkAlgorithm(data, crv);
      const parts = partsOf(data, data.d === undefined ? shape.names : names, crv);
      pairs.importParts(crv, parts, key, () => shape.algorithm(crv), end);
    };

    const importKey = ({ namedCurve }, format, data, extractable, usages, end) => {
      const isPrivate = pairs.isPrivateIn(format, data);
      const type = isPrivate ? "private" : "public";
      if (shape.hasCurves && format === "raw" && !isCurve(namedCurve)) throw noCurve("DataError", name, namedCurve);
      checkUsages(usages, isPrivate ? forPrivate : forPublic, name, `${type} key`);
      if (shape.hasCurves && !isCurve(namedCurve)) throw noCurve("DataError", name, namedCurve);
      const crv = namedCurve ?? name;
      const key = { __proto__: null, type, extractable, usages };
      if (format === "jwk") return importJWK(data, crv, key, end);
      return pairs.importWritten(format, crv, data, key, () => shape.algorithm(crv), end);
    };

    const exportKey = (format, key, end) => {
      if (format !== "jwk") return pairs.exportWritten(format, key, end);
      const crv = key.algorithm.namedCurve ?? name;
      return pairs.exportJWK(key, { __proto__: null, kty: shape.kty, crv, names, alg: shape.alg }, end);
    };

    const parameters = shape.hasCurves ? CURVE : undefined;
    return {
      name, ...operations, generateKey: { parameters, run: generateKey }, importKey: { parameters, run: importKey },
      exportKey: { run: exportKey },
    };
  };

  // --- Curves with a name among the parameters ------------------------------------------------------------

  const POINT = ["x", "y"];
  const ofCurves = (name, use, checkAlgorithm) => ({
    __proto__: null, kty: "EC", use, names: POINT, hasCurves: true, checkAlgorithm,
    algorithm: (namedCurve) => ({ __proto__: null, name, namedCurve }),
  });

  const HASH = [["hash", "hash", true]];
  const ecdsa = {
    sign: {
      parameters: HASH,
      run({ hash }, key, data, end) {
        pairs.needType(key, "private", "sign");
        perform(end, "sign", "ecdsa", hash, 0, key.material, data.box);
      },
    },
    verify: {
      parameters: HASH,
      run({ hash }, key, signature, data, end) {
        pairs.needType(key, "public", "verify");
        perform(end, "verify", "ecdsa", hash, 0, key.material, data.box, signature.box);
      },
    },
  };

  // --- Curves of one algorithm ----------------------------------------------------------------------------

  const ofOne = (name, use, checkAlgorithm, alg) => ({
    __proto__: null, kty: "OKP", use, names: ["x"], hasCurves: false, checkAlgorithm, alg,
    algorithm: () => ({ __proto__: null, name }),
  });

  /** Signatures by the curve of a scheme; a context, which Ed448 may have, must be empty: OpenSSL 3.0 takes none. */
  const edwards = (name, scheme, parameters) => {
    const check = ({ context }) => {
      if (context !== undefined && context.size > 0) throw refuse("OperationError", `${name}: a context is not supported`);
    };
    return {
      sign: {
        parameters,
        run(given, key, data, end) {
          check(given);
          pairs.needType(key, "private", "sign");
          perform(end, "sign", scheme, undefined, 0, key.material, data.box);
        },
      },
      verify: {
        parameters,
        run(given, key, signature, data, end) {
          check(given);
          pairs.needType(key, "public", "verify");
          perform(end, "verify", scheme, undefined, 0, key.material, data.box, signature.box);
        },
      },
    };
  };

  /** Both the name of RFC 8037 and that of RFC 9864 are in use. */
  const checkEdwards = ({ alg }, crv) => {
    if (alg !== undefined && alg !== crv && alg !== "EdDSA") throw jwk.wrong(`'alg' must be "${crv}" or "EdDSA"`);
  };

  const SIGNING = [["verify"], ["sign"]];
  const AGREEING = [[], ["deriveKey", "deriveBits"]];
  const any = () => {};
  const checkSigner = (data, crv) => jwk.checkAlgorithm(data, SIGNERS[crv]);

  return {
    algorithms: [
      make("ECDSA", SIGNING, ofCurves("ECDSA", "sig", checkSigner), ecdsa),
      make("ECDH", AGREEING, ofCurves("ECDH", "enc", any), { deriveBits: pairs.agreement }),
      make("Ed25519", SIGNING, ofOne("Ed25519", "sig", checkEdwards, "Ed25519"), edwards("Ed25519", "ed25519")),
      make("Ed448", SIGNING, ofOne("Ed448", "sig", checkEdwards, "Ed448"), edwards("Ed448", "ed448", [["context", "buffer", false]])),
      make("X25519", AGREEING, ofOne("X25519", "enc", any), { deriveBits: pairs.agreement }),
      make("X448", AGREEING, ofOne("X448", "enc", any), { deriveBits: pairs.agreement }),
    ],
  };
})
