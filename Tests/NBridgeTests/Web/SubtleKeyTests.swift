// SPDX-License-Identifier: MIT

import NBridgeHost
import NBridgeTesting
import Testing

/// Keys as scripts have them: made, written, read, wrapped, cloned, shown.
@Suite struct SubtleKeyTests {
  static let harness = ScriptHarness(plugins: [])

  private static func run(_ script: String) async -> String {
    let result = await harness.run(SubtleVectorTests.tools + script)
    return result.status == .success && result.errors.isEmpty ? result.output : "\(result)"
  }

  @Test(arguments: [
    ("{ name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }", "{ name: 'RSASSA-PKCS1-v1_5' }"),
    ("{ name: 'RSA-PSS', hash: 'SHA-384' }", "{ name: 'RSA-PSS', saltLength: 20 }"),
    ("{ name: 'ECDSA', namedCurve: 'P-256' }", "{ name: 'ECDSA', hash: 'SHA-256' }"),
    ("{ name: 'ECDSA', namedCurve: 'P-384' }", "{ name: 'ecdsa', hash: 'SHA-1' }"),
    ("{ name: 'ECDSA', namedCurve: 'P-521' }", "{ name: 'ECDSA', hash: { name: 'sha-512' } }"),
    ("'Ed25519'", "'Ed25519'"), ("'Ed448'", "{ name: 'Ed448', context: new Uint8Array() }"),
  ])
  func aPairSignsWrittenAndReadInEveryFormat(_ algorithm: String, _ use: String) async {
    let made = await Self.run(
      """
      const algorithm = \(algorithm), use = \(use), data = counted(999);
      const rsa = { modulusLength: 1024, publicExponent: new Uint8Array([1, 0, 1]) };
      const wanted = algorithm.hash ? { ...algorithm, ...rsa } : algorithm;
      const { privateKey, publicKey } = await subtle.generateKey(wanted, true, ["verify", "sign"]);
      console.log(privateKey.type, `${privateKey.usages}`, publicKey.type, `${publicKey.usages}`);
      const again = async (key, format, usage) => {
        const written = await subtle.exportKey(format, key);
        const read = await subtle.importKey(format, written, algorithm, true, [usage]);
        const twice = await subtle.exportKey(format, read);
        const text = (value) => value instanceof ArrayBuffer ? hex(value) : JSON.stringify(value);
        if (text(twice) !== text(written)) console.log("differs", format);
        return read;
      };
      const privates = [privateKey, await again(privateKey, "pkcs8", "sign"), await again(privateKey, "jwk",
        "sign")];
      const publics = [publicKey, await again(publicKey, "spki", "verify"), await again(publicKey, "jwk",
        "verify")];
      if (!algorithm.hash) publics.push(await again(publicKey, "raw", "verify"));
      let good = 0, bad = 0;
      for (const secret of privates) for (const open of publics) {
        const signature = await subtle.sign(use, secret, data);
        if (await subtle.verify(use, open, signature, data)) good++;
        new Uint8Array(signature)[9] ^= 1;
        for (const wrong of [signature, signature.slice(1), new ArrayBuffer(0)])
          if (await subtle.verify(use, open, wrong, data)) bad++;
      }
      console.log(good === privates.length * publics.length, bad);
      """)
    #expect(made == "private sign public verify\ntrue 0\n")
  }

  /// SEC 1, 2.3.4: a public key may be written with one coordinate; it is written with both again.
  @Test func aKeyOfAShortPointIsRead() async {
    let made = await Self.run(
      """
      const algorithm = { name: "ECDSA", namedCurve: "P-256" };
      const { publicKey } = await subtle.generateKey(algorithm, true, ["verify", "sign"]);
      const whole = await subtle.exportKey("spki", publicKey);
      const point = new Uint8Array(await subtle.exportKey("raw", publicKey));
      const short = [2 + (point[64] & 1), ...point.subarray(1, 33)];
      const head = bytes("3039301306072a8648ce3d020106082a8648ce3d030107032200");
      const written = new Uint8Array([...head, ...short]);
      const read = await subtle.importKey("spki", written, algorithm, true, ["verify"]);
      console.log(hex(await subtle.exportKey("spki", read)) === hex(whole));
      """)
    #expect(made == "true\n")
  }

  /// 16 MiB of the kernel's bytes take their time on another thread.
  @Test func aLongKeyOfChanceIsMadeWhileTheLoopGoesOn() async {
    let made = await Self.run(
      """
      let turns = 0;
      const ticking = setInterval(() => turns++, 0);
      const algorithm = { name: "HMAC", hash: "SHA-256", length: 2 ** 27 - 3 };
      const key = await subtle.generateKey(algorithm, true, ["sign"]);
      clearInterval(ticking);
      const material = new Uint8Array(await subtle.exportKey("raw", key));
      console.log(turns > 0, material.length === 2 ** 24, material.at(-1) & 7, material.some((b) => b));
      """)
    #expect(made == "true true 0 true\n")
  }

  @Test(arguments: [
    "{ name: 'ECDH', namedCurve: 'P-256' }", "{ name: 'ECDH', namedCurve: 'P-521' }",
    "'X25519'", "'X448'",
  ])
  func twoHaveASecretInCommon(_ algorithm: String) async {
    let made = await Self.run(
      """
      const algorithm = \(algorithm), name = algorithm.name ?? algorithm;
      const one = await subtle.generateKey(algorithm, false, ["deriveBits", "deriveKey"]);
      const two = await subtle.generateKey(algorithm, true, ["deriveBits"]);
      const open = await subtle.importKey("raw", await subtle.exportKey("raw", two.publicKey), algorithm,
        true, []);
      const bits = await subtle.deriveBits({ name, public: open }, one.privateKey, 256);
      console.log(hex(bits) === hex(await subtle.deriveBits({ name, public: one.publicKey }, two.privateKey,
        256)));
      const key = await subtle.deriveKey({ name, public: open }, one.privateKey, { name: "AES-GCM",
        length: 256 },
        true, ["encrypt"]);
      console.log(hex(await subtle.exportKey("raw", key)) === hex(bits));
      const aes = { name: "AES-GCM", length: 128 };
      console.log(await told(subtle.deriveBits({ name, public: two.privateKey }, one.privateKey, 8)),
        await told(subtle.deriveBits({ name, public: open }, one.publicKey, 8)),
        await told(subtle.deriveKey({ name, public: open }, one.privateKey, aes, true, [])),
        await told(subtle.deriveKey({ name, public: open }, two.privateKey, aes, true, ["encrypt"])),
        await told(subtle.exportKey("pkcs8", one.privateKey)), await told(subtle.exportKey("raw",
          two.privateKey)));
      """)
    let refusals = "InvalidAccessError InvalidAccessError SyntaxError InvalidAccessError InvalidAccessError"
    #expect(made == "true\ntrue\n\(refusals) InvalidAccessError\n")
  }

  @Test func whatIsEncryptedForOneIsReadByOneAndKeysAreWrapped() async {
    let made = await Self.run(
      """
      const algorithm = { name: "RSA-OAEP", modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]),
        hash: "SHA-256" };
      const { privateKey, publicKey } = await subtle.generateKey(algorithm, true,
        ["encrypt", "decrypt", "wrapKey", "unwrapKey"]);
      const use = { name: "RSA-OAEP", label: counted(5) };
      const small = await subtle.encrypt(use, publicKey, ascii("hello"));
      console.log(new TextDecoder().decode(await subtle.decrypt(use, privateKey, small)), small.byteLength,
        await told(subtle.decrypt("RSA-OAEP", privateKey, small)),
        await told(subtle.encrypt(use, publicKey, counted(191))), await told(subtle.encrypt(use, privateKey,
          small)));
      Object.prototype.toJSON = () => ({});
      Object.prototype.d = "AA";
      const iv = counted(12), aes = await raw(counted(16), "AES-GCM", "wrapKey", "unwrapKey");
      const hmac = await subtle.generateKey({ name: "HMAC", hash: "SHA-256", length: 256 }, true, ["sign",
        "verify"]);
      for (const [format, by, way] of [["raw", publicKey, use], ["jwk", aes, { name: "AES-GCM", iv }]]) {
        const wrapped = await subtle.wrapKey(format, hmac, by, way);
        const back = await subtle.unwrapKey(format, wrapped, format === "raw" ? privateKey : aes, way,
          { name: "HMAC", hash: "SHA-256" }, true, ["verify"]);
        console.log(hex(await subtle.exportKey("raw", back)) === hex(await subtle.exportKey("raw", hmac)));
      }
      const wrapped = await subtle.wrapKey("spki", publicKey, aes, { name: "AES-GCM", iv });
      const jwk = await subtle.wrapKey("jwk", publicKey, aes, { name: "AES-GCM", iv });
      for (const [format, data] of [["spki", wrapped], ["jwk", jwk]])
        console.log((await subtle.unwrapKey(format, data, aes, { name: "AES-GCM", iv }, algorithm, true,
          ["encrypt"])).type);
      console.log(await told(subtle.unwrapKey("jwk", wrapped, aes, { name: "AES-GCM", iv }, algorithm, true,
        ["encrypt"])));
      """)
    #expect(
      made == """
        hello 256 OperationError OperationError InvalidAccessError
        true
        true
        public
        public
        DataError

        """)
  }

  @Test func aKeyIsClonedAndShownWithoutItsSecret() async {
    let made = await Self.run(
      """
      const key = await raw(ascii("secret secret se"), { name: "AES-CBC" }, "encrypt", "decrypt");
      const copy = structuredClone({ key }).key, iv = new Uint8Array(16);
      console.log(copy !== key, copy instanceof CryptoKey, copy.algorithm !== key.algorithm);
      console.log(hex(await subtle.encrypt({ name: "AES-CBC", iv }, copy, iv)) ===
        hex(await subtle.encrypt({ name: "AES-CBC", iv }, key, iv)));
      console.log(key);
      console.log(JSON.stringify(key), Object.keys(key).length, `${key}`, await told(subtle.exportKey("raw",
        copy)));
      key.algorithm.name = "AES-GCM"; key.usages.length = 0; // Objects of the script's, asked for nothing.
      console.log(key.algorithm === key.algorithm, key.usages.length, (await subtle.encrypt(
        { name: "AES-CBC", iv }, key, iv)).byteLength);
      const { publicKey } = await subtle.generateKey({ name: "RSA-PSS", modulusLength: 1024, hash: "SHA-1",
        publicExponent: new Uint8Array([0, 3]) }, true, ["sign"]);
      console.log(publicKey);
      const hmac = await subtle.generateKey({ name: "HMAC", hash: "SHA-384" }, true, ["sign"]);
      console.log(hmac.algorithm.length, (await subtle.exportKey("raw", hmac)).byteLength,
        await told((async () =>
        structuredClone(subtle))()));
      """)
    #expect(
      made == """
        true true true
        true
        CryptoKey {
          type: 'secret',
          extractable: false,
          algorithm: { name: 'AES-CBC', length: 128 },
          usages: [ 'encrypt', 'decrypt' ]
        }
        {} 0 [object CryptoKey] InvalidAccessError
        true 0 32
        CryptoKey {
          type: 'public',
          extractable: true,
          algorithm: {
            name: 'RSA-PSS',
            modulusLength: 1024,
            publicExponent: Uint8Array(2) [ 0, 3 ],
            hash: { name: 'SHA-1' }
          },
          usages: []
        }
        1024 128 DataCloneError

        """)
  }

  /// What a script does to its bytes behind the call, or in a getter, changes nothing; it keeps its buffers.
  @Test func bytesAreReadWhenTheCallIsMade() async {
    let made = await Self.run(
      """
      const data = counted(40000), was = hex(await subtle.digest("SHA-256", data.slice()));
      const digest = subtle.digest("SHA-256", data);
      data.fill(0);
      console.log(hex(await digest) === was, data.buffer.transfer().byteLength, data.buffer.detached);
      const iv = counted(16), key = counted(16), made = raw(key, "AES-CBC", "encrypt");
      key.fill(0);
      const late = { name: "AES-CBC", get iv() { return iv; } };
      const first = subtle.encrypt(late, await made, iv);
      iv.fill(0);
      const right = await subtle.encrypt({ name: "AES-CBC", iv: counted(16) }, await raw(counted(16),
        "AES-CBC",
        "encrypt"), counted(16));
      console.log(hex(await first) === hex(right));
      const detached = new Uint8Array(8);
      detached.buffer.transfer();
      console.log(hex(await subtle.digest("SHA-1", detached)) === hex(await subtle.digest("SHA-1",
        new Uint8Array(0))));
      const wide = new Uint8Array(new ArrayBuffer(8, { maxByteLength: 16 }));
      console.log(await told(subtle.digest("SHA-1", wide)));
      """)
    #expect(made == "true 40000 true\ntrue\ntrue\nTypeError\n")
  }

  /// Nobody has the key's own memory: what is exported and derived is the script's to change.
  @Test func whatIsExportedAndDerivedIsACopy() async {
    let made = await Self.run(
      """
      const key = await subtle.importKey("raw", counted(16), "AES-CBC", true, ["encrypt"]);
      const read = async () => new Uint8Array(await subtle.exportKey("raw", key));
      const first = await read();
      first.fill(0);
      console.log(hex(await read()) === hex(counted(16)), first.buffer.byteLength);
      const one = await subtle.generateKey("X25519", false, ["deriveBits"]);
      const by = { name: "X25519", public: one.publicKey };
      const bits = (count) => subtle.deriveBits(by, one.privateKey, count);
      const [all, some] = [await bits(256), new Uint8Array(await bits(35))];
      const expected = new Uint8Array(all.slice(0, 5));
      expected[4] &= 0xE0;
      console.log(hex(some) === hex(expected), some.buffer.byteLength, (await bits(0)).byteLength);
      some.fill(0);
      console.log(hex(await bits(256)) === hex(all));
      const outer = await raw(counted(16), "AES-KW", "wrapKey", "unwrapKey");
      const wrapped = await subtle.wrapKey("raw", key, outer, "AES-KW");
      const back = await subtle.unwrapKey("raw", wrapped, outer, "AES-KW", "AES-CBC", true, ["encrypt"]);
      console.log(hex(await subtle.exportKey("raw", back)) === hex(counted(16)));
      """)
    #expect(made == "true 16\ntrue 5 0\ntrue\ntrue\n")
  }

  /// The loop waits for what threads do, and no longer.
  @Test func aProgramStaysForWhatIsUnderWayAndEndsWithExit() async {
    let slow =
      "subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-512', salt: counted(9), iterations: COUNT }, key, 512)"
    let start = "const key = await raw(ascii('p'), 'PBKDF2', 'deriveBits');"
    let waits = await Self.run(
      start + slow.replacing("COUNT", with: "20000") + ".then((bits) => console.log(bits.byteLength));")
    #expect(waits == "64\n")
    let leaves = await Self.harness.run(
      SubtleVectorTests.tools + start + slow.replacing("COUNT", with: "300000")
        + ".finally(() => console.log('late')); throw new Error('enough');")
    #expect(leaves.output == "" && leaves.errors.contains("enough"), "\(leaves)")
  }

  @Test func manyAtOnceAreEachAnsweredWithTheirOwn() async {
    let made = await Self.run(
      """
      const work = Array.from({ length: 200 }, (_, index) => subtle.digest("SHA-256", counted(index * 300)));
      const all = await Promise.all(work);
      let wrong = 0;
      for (let index = 0; index < 200; index++)
        if (hex(all[index]) !== hex(await subtle.digest("SHA-256", counted(index * 300)))) wrong++;
      console.log(new Set(all.map(hex)).size, wrong);
      """)
    #expect(made == "200 0\n")
  }

  /// A worker works with keys that it can't read, and hands keys of its own to who has made it.
  @Test func keysGoToWorkersAndBackAsTheyAre() async {
    let result = await WorkerHarness.run(
      """
      const { subtle } = crypto, data = new Uint8Array([1, 2, 3]), iv = new Uint8Array(12);
      const worker = spawn(async () => {
        Object.prototype.size = 7;
        const { subtle } = crypto;
        const own = await subtle.generateKey({ name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
        postMessage(own);
        onmessage = async ({ data: [key, algorithm, data] }) => {
          const way = key.type === "private" ? "pkcs8" : "raw";
          const refused = await subtle.exportKey(way, key).catch((e) => e.name);
          const use = key.usages[0];
          const made = await subtle[use](algorithm, key, data);
          postMessage([key, use, made, refused, JSON.stringify(key.algorithm)]);
        };
      });
      const own = await next(worker);
      const proof = await subtle.sign("HMAC", own, data);
      console.log(own instanceof CryptoKey, own.extractable, await subtle.verify("HMAC", own, proof, data));
      const rsa = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", modulusLength: 1024,
        publicExponent: new Uint8Array([1, 0, 1]) };
      for (const [made, use] of [
        [{ name: "AES-GCM", length: 256 }, { name: "AES-GCM", iv }], [rsa, { name: "RSASSA-PKCS1-v1_5" }],
        [{ name: "ECDSA", namedCurve: "P-256" }, { name: "ECDSA", hash: "SHA-256" }], ["Ed25519", "Ed25519"],
      ]) {
        const usages = made.name === "AES-GCM" ? ["encrypt", "decrypt"] : ["sign", "verify"];
        const key = await subtle.generateKey(made, false, usages), secret = key.privateKey ?? key;
        const told = next(worker);
        worker.postMessage([secret, use, data]);
        const [back, what, answer, refused, algorithm] = await told;
        const isGood = what === "encrypt"
          ? `${new Uint8Array(await subtle.decrypt(use, back, answer))}` === `${data}`
          : await subtle.verify(use, key.publicKey, answer, data);
        console.log(back.algorithm.name, refused, isGood, algorithm === JSON.stringify(secret.algorithm));
      }
      worker.terminate();
      """)
    #expect(
      result.output == """
        true false true
        AES-GCM InvalidAccessError true true
        RSASSA-PKCS1-v1_5 InvalidAccessError true true
        ECDSA InvalidAccessError true true
        Ed25519 InvalidAccessError true true

        """, "\(result)")
  }
}
