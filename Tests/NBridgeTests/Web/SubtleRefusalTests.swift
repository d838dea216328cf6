// SPDX-License-Identifier: MIT

import NBridgeHost
import NBridgeTesting
import Testing

/// What crypto.subtle refuses, by the names that the standard gives; what Node refuses, too, is among
/// `NBridgeCLITests/Node`.
@Suite struct SubtleRefusalTests {
  static let harness = ScriptHarness(plugins: [])

  private static func run(_ script: String) async -> String {
    let result = await harness.run(SubtleVectorTests.tools + script)
    return result.status == .success && result.errors.isEmpty ? result.output : "\(result)"
  }

  @Test func keysThatAreNoneAreRefused() async {
    let made = await Self.run(
      """
      const p256 = { name: "ECDSA", namedCurve: "P-256" }, rsa = { name: "RSA-PSS", hash: "SHA-256" };
      const { privateKey, publicKey } = await subtle.generateKey(p256, true, ["sign", "verify"]);
      const other = await subtle.generateKey(p256, true, ["sign"]);
      const p384 = { name: "ECDSA", namedCurve: "P-384" };
      const written = await subtle.exportKey("pkcs8", privateKey), open = await subtle.exportKey("spki",
        publicKey);
      const jwk = await subtle.exportKey("jwk", privateKey), half = await subtle.exportKey("jwk", publicKey);
      const foreign = await subtle.exportKey("jwk", other.privateKey);
      const point = new Uint8Array(await subtle.exportKey("raw", publicKey));
      const short = Uint8Array.of(2 + (point[64] & 1), ...point.subarray(1, 33));
      const long = (buffer) => Uint8Array.of(...new Uint8Array(buffer), 0);
      const off = point.slice();
      off[40] ^= 1;
      const list = [
        ["pkcs8", long(written), p256, "sign"], ["spki", long(open), p256, "verify"],
        ["pkcs8", written, p384, "sign"], ["spki", open, p384, "verify"], ["spki", open, rsa, "verify"],
        ["spki", written, p256, "verify"], ["pkcs8", open, p256, "sign"], ["raw", off, p256, "verify"],
        ["raw", Uint8Array.of(6, ...point.subarray(1)), p256, "verify"], ["raw", Uint8Array.of(0), p256,
          "verify"],
        ["jwk", { ...jwk, d: foreign.d }, p256, "sign"], ["jwk", { ...half, x: half.y }, p256, "verify"],
        ["jwk", { ...half, x: half.x + "=" }, p256, "verify"], ["jwk", { ...half, x: " " + half.x }, p256,
          "verify"],
        ["jwk", { ...half, crv: "P-384" }, p256, "verify"], ["jwk", { ...half, y: undefined }, p256,
          "verify"],
        ["jwk", { ...half, alg: "ES384" }, p256, "verify"], ["jwk", { ...half, x: "AA" + half.x }, p256,
          "verify"],
        ["jwk", { kty: "RSA", n: "AAAB", e: "AQAB" }, rsa, "verify"],
        ["jwk", { kty: "RSA", n: "_".repeat(171), e: "Ag" }, rsa, "verify"],
        ["jwk", { kty: "RSA", n: "_".repeat(171), e: "AQAB", d: "AQ" }, rsa, "sign"],
        ["raw", point, { name: "ECDSA", namedCurve: "K-1" }, "verify"],
      ];
      const ends = [];
      for (const [format, data, algorithm, usage] of list)
        ends.push(await told(subtle.importKey(format, data, algorithm, true, [usage])));
      console.log(ends.filter((end) => end !== "DataError").length, ends.join());
      const read = await subtle.importKey("raw", short, p256, true, ["verify"]);
      console.log(hex(await subtle.exportKey("raw", read)) === hex(point));
      """)
    #expect(made.hasPrefix("0 DataError,") && made.hasSuffix("\ntrue\n"), "\(made)")
  }

  /// A private key of RSA whose halves are of two keys, and one with weak or strange parameters.
  @Test func halvesOfTwoKeysAreNone() async {
    let made = await Self.run(
      """
      const algorithm = { name: "RSA-PSS", modulusLength: 1024, publicExponent: new Uint8Array([1, 0, 1]),
        hash: "SHA-1" };
      const make = async () => subtle.exportKey("jwk", (await subtle.generateKey(algorithm, true,
        ["sign"])).privateKey);
      const [one, two] = [await make(), await make()];
      const read = (jwk) => told(subtle.importKey("jwk", jwk, algorithm, true, ["sign"]));
      console.log(await read(one), await read({ ...one, n: two.n }), await read({ ...two, d: one.d, p: one.p,
        q: one.q,
        dp: one.dp, dq: one.dq, qi: one.qi }), await read({ ...one, oth: [] }), await read({ ...one,
          alg: "PS256" }),
        await read({ ...one, p: undefined }), await read({ ...one, key_ops: ["verify"] }));
      const size = (more) => told(subtle.generateKey({ ...algorithm, ...more }, true, ["sign"]));
      console.log(await size({ modulusLength: 512 }), await size({ modulusLength: 1 << 20 }),
        await size({ publicExponent: new Uint8Array([1]) }),
          await size({ publicExponent: new Uint8Array(0) }),
        await size({ publicExponent: new Uint8Array([4]) }));
      """)
    let wrong = "DataError DataError NotSupportedError DataError DataError DataError"
    let sizes = Array(repeating: "OperationError", count: 5).joined(separator: " ")
    #expect(made == "nothing \(wrong)\n\(sizes)\n")
  }

  /// Numbers of the factors that say something else than the rest: OpenSSL would sign with the rest, and the
  /// key would be exported with what is wrong.
  @Test func aPrivateKeyWhoseNumbersContradictEachOtherIsNone() async {
    let made = await Self.run(
      """
      const algorithm = { name: "RSA-PSS", modulusLength: 1024, publicExponent: new Uint8Array([1, 0, 1]),
        hash: "SHA-1" };
      const make = async () => (await subtle.generateKey(algorithm, true, ["sign"])).privateKey;
      const key = await make(), jwk = await subtle.exportKey("jwk", key);
      const other = await subtle.exportKey("jwk", await make());
      const read = (format, data) => told(subtle.importKey(format, data, algorithm, true, ["sign"]));
      const swapped = { ...jwk, p: jwk.q, q: jwk.p, dp: jwk.dq, dq: jwk.dp };
      const ends = [await read("jwk", swapped)];
      for (const name of ["d", "p", "q", "dp", "dq", "qi"]) {
        for (const number of [other[name], "AQ", "AA", ""])
          ends.push(await read("jwk", { ...jwk, [name]: number }));
        const number = Uint8Array.fromBase64(jwk[name], { alphabet: "base64url" }).toHex();
        const written = hex(await subtle.exportKey("pkcs8", key));
        const changed = number.slice(0, -1) + (number.endsWith("1") ? "3" : "1");
        ends.push(await read("pkcs8", bytes(written.replace(number, changed))));
      }
      console.log(ends.length, ends.filter((end) => end !== "DataError").join());
      const long = { kty: "RSA", n: "_".repeat(6000), e: "AQAB" };
      console.log(await told(subtle.importKey("jwk", long, algorithm, true, ["verify"])));
      console.log(await read("jwk", jwk), await read("pkcs8", await subtle.exportKey("pkcs8", key)));
      """)
    #expect(made == "31 \nDataError\nnothing nothing\n")
  }

  @Test func argumentsAreConvertedInTheirOrder() async {
    let made = await Self.run(
      """
      const order = [], noted = (name, value) => ({ get [name]() { order.push(name); return value; } });
      const merge = (...parts) => Object.defineProperties({}, Object.assign({}, ...parts.map(
        Object.getOwnPropertyDescriptors)));
      const key = await raw(counted(16), "AES-GCM", "encrypt");
      await subtle.encrypt(merge(noted("tagLength", 96), noted("iv", counted(12)), noted("additionalData",
        counted(1)),
        noted("name", "AES-GCM")), key, counted(3));
      console.log(order.join());
      const all = [];
      for (const name of ["encrypt", "decrypt", "sign", "verify", "digest", "generateKey", "deriveKey",
        "deriveBits",
        "importKey", "exportKey", "wrapKey", "unwrapKey"]) {
        all.push(subtle[name].length, await told(subtle[name]()), await told(subtle[name].call({},
          ...Array(9))));
      }
      console.log(all.filter((value) => value !== "TypeError").join());
      const text = Object.prototype.toString.call(subtle), { get } =
        Object.getOwnPropertyDescriptor(Crypto.prototype, "subtle");
      console.log(text, subtle === crypto.subtle, await told((async () => get.call({}))()),
        await told((async () => new SubtleCrypto())()), await told((async () => new CryptoKey())()));
      const nobody = { name: "nobody" };
      console.log(await told(subtle.encrypt(nobody, {}, 1)), await told(subtle.encrypt(nobody, key, 1)),
        await told(subtle.encrypt(nobody, key, counted(1))), await told(subtle.digest(Symbol(), counted(1))));
      console.log(await told(raw(counted(16), "AES-GCM", "sign")), await told(raw(counted(15), "AES-GCM",
        "sign")),
        await told(raw(counted(15), "AES-GCM")), await told(raw(counted(16), "AES-GCM")));
      console.log(await told(subtle.exportKey("jwk", key)), await told(subtle.exportKey("spki", await
        subtle.generateKey({ name: "AES-KW", length: 192 }, true, ["wrapKey"]))));
      """)
    #expect(
      made == """
        name,name,additionalData,iv,tagLength
        3,3,3,4,2,3,5,2,5,2,4,7
        [object SubtleCrypto] true TypeError TypeError TypeError
        TypeError TypeError NotSupportedError TypeError
        SyntaxError SyntaxError DataError SyntaxError
        InvalidAccessError NotSupportedError

        """)
  }

  /// Web Cryptography, 20.4, "Generate Key": steps 1, 3, and those behind the making of a key.
  @Test func ofSeveralFaultsTheFirstIsTold() async {
    let made = await Self.run(
      """
      const generate = (exponent, ...usages) => told(subtle.generateKey({ name: "RSA-PSS", hash: "SHA-256",
        modulusLength: 1024, publicExponent: new Uint8Array(exponent) }, true, usages));
      console.log(await generate([1], "encrypt"), await generate([1]), await generate([1, 0, 1]),
        await generate([1, 0, 1], "verify"), await generate([1, 0, 1], "sign"));
      """)
    #expect(made == "SyntaxError OperationError SyntaxError SyntaxError nothing\n")
  }

  @Test func aPollutedProgramDoesAsAnyOther() async {
    let made = await Self.run(
      """
      const { log } = console, { subtle: s } = crypto, iv = counted(16), data = counted(40), key =
        counted(16);
      const fail = () => { throw new Error("polluted"); };
      const algorithm = { name: "AES-CBC", iv };
      const then = Promise.prototype.then;
      for (const name of ["set", "slice", "subarray", "toBase64"]) Uint8Array.prototype[name] = fail;
      for (const name of ["push", "map", "includes", "filter"]) Array.prototype[name] = fail;
      Object.defineProperty(Object.prototype, "0", { set: fail, configurable: true });
      for (const name of ["length", "hash", "iv", "k", "answer", "fail", "box", "type", "parameters"])
        Object.defineProperty(Object.prototype, name, { get: fail, configurable: true });
      Array.prototype[Symbol.iterator] = function* () { for (let i = 0; i < this.length; i++) yield this[i];
      };
      ArrayBuffer.isView = String.prototype.toLowerCase = fail;
      const made = await s.importKey("raw", key, "AES-CBC", true, ["encrypt", "decrypt"]);
      const small = await s.encrypt(algorithm, made, data), back = await s.decrypt(algorithm, made, small);
      log(small.byteLength, back.byteLength, (await s.exportKey("jwk", made)).k, made.usages[1]);
      """)
    #expect(made == "48 40 AAcOFRwjKjE4P0ZNVFtiaQ decrypt\n")
  }

  /// OpenSSL makes keys of these, and verifies nothing with them.
  @Test func anExponentThatNoKeyIsUsedWithMakesNone() async {
    let made = await Self.run(
      """
      const make = (modulusLength, count) => subtle.generateKey({
        name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", modulusLength,
        publicExponent: new Uint8Array(count).fill(255) }, true, ["sign", "verify"]);
      const use = async ([length, count]) => {
        const pair = await make(length, count).catch((error) => error.name);
        if (typeof pair === "string") return pair;
        const mark = await subtle.sign("RSASSA-PKCS1-v1_5", pair.privateKey, new Uint8Array(3));
        return subtle.verify("RSASSA-PKCS1-v1_5", pair.publicKey, mark, new Uint8Array(3));
      };
      const list = [[1024, 300], [1024, 128], [1024, 9], [1024, 4], [3080, 9]];
      for (const one of list) console.log(await use(one));
      """)
    #expect(made == "OperationError\nOperationError\ntrue\ntrue\nOperationError\n", "\(made)")
  }
}
