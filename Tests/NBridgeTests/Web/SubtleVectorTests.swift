// SPDX-License-Identifier: MIT

import NBridgeHost
import NBridgeTesting
import Testing

/// crypto.subtle gives what the standards' own examples give.
@Suite struct SubtleVectorTests {
  static let harness = ScriptHarness(plugins: [])

  /// What the scripts of the suites about crypto.subtle share.
  static let tools = """
    const { subtle } = crypto;
    const bytes = (hex) => Uint8Array.fromHex(hex);
    const hex = (buffer) => new Uint8Array(buffer).toHex();
    const ascii = (text) => new TextEncoder().encode(text);
    const raw = (key, algorithm, ...usages) => subtle.importKey("raw", key, algorithm, false, usages);
    const told = (promise) => promise.then(() => "nothing", (error) => error.name);
    const counted = (size) => Uint8Array.from({ length: size }, (_, index) => index * 7);

    """

  private static func run(_ script: String) async -> String {
    let result = await harness.run(tools + script)
    return result.status == .success ? result.output : "\(result)"
  }

  /// A large message is hashed while it is copied: as it was when `digest` was called, all of it.
  @Test(arguments: ["SHA-1", "SHA-256", "SHA-512"]) func aLargeMessageIsThatOfTheCall(_ name: String) async {
    let output = await Self.run(
      """
      const { createHash } = await import("node:crypto");
      const data = new Uint8Array((5 << 20) + 12345), part = data.subarray(77, data.length - 5);
      for (let at = 0; at < data.length; at += 65536) crypto.getRandomValues(data.subarray(at, at + 65536));
      const hash = createHash("\(name.replacing("-", with: ""))");
      hash.update(part);
      const digest = subtle.digest("\(name)", part);
      data.fill(0);
      console.log(hex(await digest) === hash.digest("hex"));
      """)
    #expect(output == "true\n")
  }

  /// FIPS 180-4, of "abc".
  @Test(arguments: [
    ("SHA-1", "a9993e364706816aba3e25717850c26c9cd0d89d"),
    ("sha-256", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "SHA-384",
      "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
    ),
    (
      "SHA-512",
      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
    ),
  ])
  func digests(_ name: String, _ digest: String) async {
    let made = await Self.run(
      """
      console.log(hex(await subtle.digest("\(name)", ascii("abc"))));
      const many = new Uint8Array(1 << 20), parts = many.subarray(0, 40000);
      console.log(hex(await subtle.digest("\(name)", many.buffer)) ===
        hex(await subtle.digest({ name: "\(name)" }, new DataView(many.buffer))),
        (await subtle.digest("\(name)", parts)).byteLength);
      """)
    #expect(made == "\(digest)\ntrue \(digest.count / 2)\n")
  }

  /// RFC 4231, 4.3; RFC 5869, A.1 and A.3; RFC 6070; RFC 7914, 11.
  @Test func codesAndDerivedBits() async {
    let made = await Self.run(
      """
      const key = await raw(ascii("Jefe"), { name: "hmac", hash: "sha-256" }, "sign", "verify");
      const said = ascii("what do ya want for nothing?");
      const code = await subtle.sign("HMAC", key, said);
      console.log(hex(code), await subtle.verify("HMAC", key, code, said),
        await subtle.verify("HMAC", key, code.slice(1), said), await subtle.verify("HMAC", key, code, code));
      const hkdf = await raw(new Uint8Array(22).fill(11), "HKDF", "deriveBits");
      const derive = (salt, info) => subtle.deriveBits(
        { name: "HKDF", hash: "SHA-256", salt: bytes(salt), info: bytes(info) }, hkdf, 336);
      console.log(hex(await derive("000102030405060708090a0b0c", "f0f1f2f3f4f5f6f7f8f9")));
      console.log(hex(await derive("", "")));
      const stretch = async (password, hash, iterations, bits) =>
        hex(await subtle.deriveBits({ name: "PBKDF2",
        hash, salt: ascii("salt"), iterations }, await raw(ascii(password), "PBKDF2", "deriveBits"), bits));
      console.log(await stretch("password", "SHA-1", 4096, 160));
      console.log(await stretch("passwd", "SHA-256", 1, 512));
      """)
    #expect(
      made == """
        5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843 true false false
        3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865
        8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8
        4b007901b765489abead49d926f721d065a429c1
        55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc\
        49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783

        """)
  }

  /// SP 800-38A, F.2.1 and F.5.1; the example 4 of GCM's paper; RFC 3394, 4.1.
  @Test func ciphers() async {
    let made = await Self.run(
      """
      const text = bytes("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51");
      const both = async (algorithm, key, data) => {
        const made = await raw(bytes(key), algorithm.name, "encrypt", "decrypt");
        const small = await subtle.encrypt(algorithm, made, data);
        const back = await subtle.decrypt(algorithm, made, small);
        console.log(hex(small), hex(back) === hex(data));
      };
      const key = "2b7e151628aed2a6abf7158809cf4f3c";
      await both({ name: "AES-CBC", iv: bytes("000102030405060708090a0b0c0d0e0f") }, key, text);
      const counter = bytes("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff");
      await both({ name: "AES-CTR", counter, length: 128 }, key, text);
      await both({ name: "AES-GCM", iv: bytes("cafebabefacedbaddecaf888"),
        additionalData: bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2") },
          "feffe9928665731c6d6a8f9467308308",
        bytes("d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72" +
          "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"));
      const outer = await raw(bytes("000102030405060708090a0b0c0d0e0f"), "AES-KW", "wrapKey", "unwrapKey");
      const inner = await subtle.importKey("raw", bytes("00112233445566778899aabbccddeeff"), "AES-GCM", true,
        ["encrypt"]);
      const wrapped = await subtle.wrapKey("raw", inner, outer, "AES-KW");
      const back = await subtle.unwrapKey("raw", wrapped, outer, "AES-KW", "AES-CBC", true, ["decrypt"]);
      console.log(hex(wrapped), hex(await subtle.exportKey("raw", back)));
      """)
    #expect(
      made == """
        7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2\
        55e21d7100b988ffec32feeafaf23538 true
        874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff true
        42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa05\
        1ba30b396a0aac973d58e0915bc94fbc3221a5db94fae95ae7121a47 true
        1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5 00112233445566778899aabbccddeeff

        """)
  }

  /// RFC 8032, 7.4, "Blank"; RFC 7748, 6.2.
  @Test func longCurvesOfOneCoordinate() async {
    let made = await Self.run(
      """
      const d = "6c82a562cb808d10d632be89c8513ebf6c929f34ddfa8c9f63c9960ef6e348a3"
        + "528c8a3fcc2f044e39a3fc5b94492f8f032e7549a20098f95b";
      const x = "5fd7449b59b461fd2ce787ec616ad46a1da1342485a70e1f8a0ea75d80e96778"
        + "edf124769b46c7061bd6783df1e50f6cd1fa1abeafe8256180";
      const signing = bytes("3047020100300506032b6571043b0439" + d);
      const key = await subtle.importKey("pkcs8", signing, "ed448", true, ["sign"]);
      const open = await raw(bytes(x), "Ed448", "verify");
      const signature = await subtle.sign("Ed448", key, new Uint8Array());
      console.log(hex(signature), await subtle.verify("Ed448", open, signature, new Uint8Array()),
        await subtle.verify("Ed448", open, signature, new Uint8Array(1)));
      const { kty, crv, alg, x: shown } = await subtle.exportKey("jwk", key);
      console.log(kty, crv, alg, Uint8Array.fromBase64(shown, { alphabet: "base64url" }).toHex() === x);
      console.log(await told(subtle.sign({ name: "Ed448", context: counted(3) }, key, counted(1))));
      const secret = "1c306a7ac2a0e2e0990b294470cba339e6453772b075811d8fad0d1d6927c120"
        + "bb5ee8972b0d3e21374c9c921b09d1b0366f10b65173992d";
      const bob = await subtle.importKey("pkcs8", bytes("3046020100300506032b656f043a0438" + secret), "X448",
        true, ["deriveBits"]);
      const alice = await raw(bytes("9b08f7cc31b7e3e67d22d5aea121074a273bd2b83de09c63faa73d2c22c5d9bb"
        + "c836647241d953d40c5b12da88120d53177f80e532c41fa0"), "X448");
      const derive = (key) => subtle.deriveBits({ name: "X448", public: key }, bob, null);
      console.log(hex(await derive(alice)), await told(derive(await raw(new Uint8Array(56), "X448"))));
      """)
    #expect(
      made == """
        533a37f6bbe457251f023c0d88f976ae2dfb504a843e34d2074fd823d41a591f\
        2b233f034f628281f2fd7a22ddd47d7828c59bd0a21bfd3980ff0d2028d4b18a\
        9df63e006c5d1c2d345b925d8dc00b4104852db99ac5c7cdda8530a113a0f4db\
        b61149f05a7363268c71d95808ff2e652600 true false
        OKP Ed448 Ed448 true
        OperationError
        07fff4181ac6cc95ec1c16a94a0f74d12da232ce40a77552281d282bb60c0b56\
        fd2464c335543936521c24403085d59a449a5037514a879d OperationError

        """)
  }

  /// RFC 8032, 7.1, test 3; RFC 7748, 6.1.
  @Test func curvesOfOneCoordinate() async {
    let made = await Self.run(
      """
      const prefix = { Ed25519: "302e020100300506032b657004220420",
        X25519: "302e020100300506032b656e04220420" };
      const secret = (name, key, usage) =>
        subtle.importKey("pkcs8", bytes(prefix[name] + key), name, true, [usage]);
      const d = "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7";
      const key = await secret("Ed25519", d, "sign");
      const signature = await subtle.sign("Ed25519", key, bytes("af82"));
      const x = "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025";
      const open = await raw(bytes(x), "ed25519", "verify");
      console.log(hex(signature), await subtle.verify("Ed25519", open, signature, bytes("af82")),
        await subtle.verify("Ed25519", open, signature, bytes("af83")));
      const jwk = await subtle.exportKey("jwk", key);
      console.log(Uint8Array.fromBase64(jwk.d, { alphabet: "base64url" }).toHex() === d,
        Uint8Array.fromBase64(jwk.x, { alphabet: "base64url" }).toHex() === x);
      const bob = await secret("X25519", "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb",
        "deriveBits");
      const alice = await raw(bytes("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"),
        "X25519");
      const derive = (length) => subtle.deriveBits({ name: "X25519", public: alice }, bob, length);
      console.log(hex(await derive(null)), hex(await derive(12)), await told(derive(264)));
      const zero = await raw(new Uint8Array(32), "X25519");
      console.log(await told(subtle.deriveBits({ name: "X25519", public: zero }, bob, 256)));
      """)
    #expect(
      made == """
        6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac\
        18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a true false
        true true
        4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742 4a50 OperationError
        OperationError

        """)
  }

  /// With a signature of zeros and a key of small order every message would be signed.
  @Test func pointsOfSmallOrderSignNothing() async {
    let made = await Self.run(
      """
      const small = ["00".repeat(32), "01" + "00".repeat(31), "ec" + "ff".repeat(30) + "7f",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa"];
      const good = [];
      for (const point of small) for (const other of small) {
        const key = await raw(bytes(point), "Ed25519", "verify").catch(() => undefined);
        if (key && await subtle.verify("Ed25519", key, bytes(other + "00".repeat(32)),
          ascii("any"))) good.push(point);
      }
      console.log(good.length);
      """)
    #expect(made == "0\n")
  }

  /// Only the last bits of a counter count, and they begin again at zero: as if each block stood alone.
  @Test func countersWrapAround() async {
    let made = await Self.run(
      """
      const key = await raw(counted(16), "AES-CTR", "encrypt"), data = counted(16 * 7 + 5);
      const counter = new Uint8Array(16).fill(255);
      counter[15] = 253;
      const expected = (length) => Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(async (index) => {
        const mask = (1n << BigInt(length)) - 1n, all = BigInt("0x" + counter.toHex());
        const place = (all & ~mask) | (all + BigInt(index) & mask);
        const here = bytes(place.toString(16).padStart(32, "0"));
        return hex(await subtle.encrypt({ name: "AES-CTR", counter: here, length: 128 }, key,
          data.slice(16 * index, 16 * index + 16)));
      })).then((list) => list.join(""));
      for (const length of [3, 8, 9, 31, 63, 64, 65, 127, 128])
        if (hex(await subtle.encrypt({ name: "AES-CTR", counter, length }, key, data)) !==
          await expected(length))
          console.log("wrong", length);
      console.log(await told(subtle.encrypt({ name: "AES-CTR", counter, length: 2 }, key, data)));
      """)
    #expect(made == "OperationError\n")
  }

  @Test func everyTagLengthOfGCMIsChecked() async {
    let made = await Self.run(
      """
      const key = await raw(counted(32), "AES-GCM", "encrypt", "decrypt"), iv = counted(60), data =
        counted(100);
      for (const tagLength of [32, 64, 96, 104, 112, 120, 128]) {
        const algorithm = { name: "AES-GCM", iv, tagLength };
        const made = new Uint8Array(await subtle.encrypt(algorithm, key, data));
        const back = await subtle.decrypt(algorithm, key, made);
        for (const place of [0, made.length - 1]) {
          const damaged = made.slice();
          damaged[place] ^= 1;
          const end = await told(subtle.decrypt(algorithm, key, damaged));
          if (end !== "OperationError") console.log(tagLength, place, end);
        }
        console.log(made.length - 100, hex(back) === hex(data));
      }
      const other = { name: "AES-GCM", iv, additionalData: counted(3) };
      console.log(await told(subtle.decrypt({ name: "AES-GCM", iv }, key, await subtle.encrypt(other, key,
        data))),
        (await subtle.encrypt(other, key, new Uint8Array(0))).byteLength);
      """)
    let tags = [4, 8, 12, 13, 14, 15, 16].map { "\($0) true\n" }.joined()
    #expect(made == tags + "OperationError 16\n")
  }
}
