// Keys, signatures and secrets of Node's are taken, and the other way round; what is refused is refused by the same name.
const { subtle } = globalThis.crypto;
const data = new TextEncoder().encode("a message");
const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)));
const sorted = (object) => JSON.stringify(Object.fromEntries(Object.entries(object).sort()));

async function signedByNode(algorithm, use, usage, written, made) {
  const key = await subtle.importKey("pkcs8", bytes(written), algorithm, true, [usage === "verify" ? "sign" : usage]);
  console.log(key.type, key.algorithm.name, key.algorithm.modulusLength, key.algorithm.namedCurve, key.usages.join());
  const jwk = await subtle.exportKey("jwk", key);
  const { alg, ...rest } = jwk;
  console.log(sorted(algorithm.name === "Ed25519" ? rest : jwk));
  console.log(text(await subtle.exportKey("pkcs8", key)) === written);
  const { kty, crv, n, e, x, y } = jwk;
  const half = JSON.parse(JSON.stringify({ kty, crv, n, e, x, y }));
  const open = await subtle.importKey("jwk", half, algorithm, true, [usage === "decrypt" ? "encrypt" : usage]);
  const spki = await subtle.exportKey("spki", open);
  console.log(text(spki));
  if (usage === "decrypt") {
    console.log(new TextDecoder().decode(await subtle.decrypt(use, key, bytes(made))));
    console.log((await subtle.encrypt(use, open, data)).byteLength);
    return;
  }
  console.log(await subtle.verify(use, open, bytes(made), data), await subtle.verify(use, open, bytes(made), bytes("YWJj")));
  const signature = await subtle.sign(use, key, data);
  console.log(signature.byteLength, await subtle.verify(use, open, signature, data));
  if (/Ed|PKCS/.test(algorithm.name)) console.log(text(signature) === made);
}

await signedByNode({"name":"RSASSA-PKCS1-v1_5","hash":"SHA-256"}, {"name":"RSASSA-PKCS1-v1_5"}, "verify",
  "MIICdgIBADANBgkqhkiG9w0BAQEFAASCAmAwggJcAgEAAoGBALyEMSgkRiRjIFCUOSUqwMowQaAJYn2bJv9uvRPtGHMnS6+q2DB+O6qkZZPRIV" +
  "UJpYtmlQx2ci1LIDuYTMq+o6MCLHFEQXpGfw419p49GHxSz1WZ/Rs+0l930lqnT+4YS7BvTgzneUd6HzDbfwYuc9qxqmNIPX7qSZKOXozpBLHx" +
  "AgMBAAECgYA92ak/IFebDKLHjToKhbJnI9oEJdAYodTzrWN/rCR/c38TjZwMnP36iKGDE/Q5sEaOLAPu6NWhIqraoqdfRZjuDFrko1P9QQ5l3Z" +
  "FGbBLRnx7l2cc7bMts2f51BuJ8Ziyxuu2RwQtv7aGX7L6Ms1j0UJV510SWV+HuDUTZANEUIQJBANzNLBYhqWq7Q6r7cNyZV/+YbaKZe+vUFEQ7" +
  "fDVBbtiOpEsaN7kZHb2Z/b+ldKANxqUJEhzfBaEK3I5Mzr0JCr0CQQDakXo0ztNAQSYlpgznzdHLVqjPQOP5HiJfDdH53Fuql7AdETnlwmwoj1" +
  "Mt3qWnkmVfNjTxkqZhRIusK3roW1FFAkAKE7cSX4Dq5RcGg6k3+Cui96LxS83zCl/OaWSWzaCwc3oeD1lBslrAH3oMOBHliBtrxskz1h3cprFA" +
  "MVMyH2qFAkEA0iQAnPklfqekp5no2o22YYvmLa20AfYJEd7VvScyMug4eRnw0oiFONHkJTvlhSFpuYsCiCh5MxeWOmhreS8jCQJAc6qs0y+QAV" +
  "UHQ4jIk7aJsblkY6kUE0uhZg6G7ioZYOG7WQmrYGCvQ4PCgb09TC4oTfTD0ecutZ0kcxTl8+5RPg==",
  "AOwtbzhOl7pj9J0lmdxozSG03LMHPzrK5NBBf+iGMSe6owHMgFL3eTgURlcoL9e4cuZsA4uNwev/p49RxVsEvSUKhK9ksMqyyPOCFUXK89wdT0" +
  "8lkUBLro+CqyUJoAqBwg08Z7wz/0yHnaGwC0fS8z6vinrPpkwvKl1KPQFJapw=");
await signedByNode({"name":"RSA-PSS","hash":"SHA-384"}, {"name":"RSA-PSS","saltLength":17}, "verify",
  "MIICdQIBADANBgkqhkiG9w0BAQEFAASCAl8wggJbAgEAAoGBAJzpzxcEupml8ONEMcAVLS6dPUHIvljwpekhsm2fyg1xo4BPJBjsnyqOyc3veO" +
  "YWnvFt+nW2rTGwv7i7WpA8+mt9Y0sCOtxXYAgRHcfUsyUVO48Hth8JvxWAKwTIQb9RwMdrVrMAz/sIqr+bJBTiTP6i+Ch+m4hJU9kPUcFlGb/J" +
  "AgEDAoGAaJvfZK3Ru8P17NghKrjIyb4o1oXUO0sZRhZ287/cCPZtADTCu0hqHF8xM/T7RA8UoPP8TnnIy8sqeyeRtX38Rp2LVLAZr74qMs9Oad" +
  "XKOsqhRleRgNBlTNrwOhUotDG5d0zL0lm6oxGGGfDl923Z+YyQ5qO+cRV+gQVO9fRfyAsCQQDPOhnPr7MUUacEhnwFJIQ8YUKfU//KKyIgsJCA" +
  "wuqkwFSgKtrpX4u8EVi0YlT3yCyi52ykynWWQBrAsupTW04NAkEAwdgyKmShpc8U1aGtDt9IqOhi5QfeBvwAFxIdJ8HGYmo/1/ockNh6slA//W" +
  "jMxb3brTdh5DNpEtX8xqhmIy7FrQJBAIomu9/Kd2LhGgMEUq4YWChA1xTiqobHbBXLCwCB8cMq4xVx50Y/sn1g5c2W40/ayGyaSG3cTmQqvIB3" +
  "RuI83rMCQQCBOswcQxZuig3jwR4J6jBwmuyYr+lZ/VVktr4agS7sRtU6pr215achitVTmzMufpJzekFCzPC3OVMvGu7CHy5zAkB6jyAzqcV4Rq" +
  "zoGFVdznSwT0ZOO7xEYa3HXMVYXk3SHmlF6CbEBLCDdF0ZY/2OXRzC4y1BycTE6dnY84Mebl6W",
  "GkuxYdOtYLg5BrojvTo1hM+g+wNdUI9NCO/wPITOK9vp0azXAoQwTc6+QOHeOuloRBKDCFgXT4BvvFheyH0T12egQs8R8KM+cX6Eaya0Dkf/tQ" +
  "qGAL3Q35muUJu1tphfiQbvAs8nPVikF9JerB/MuW5Ddw6fjsBZfyPA+GXFZtE=");
await signedByNode({"name":"RSA-OAEP","hash":"SHA-1"}, {"name":"RSA-OAEP","label":data}, "decrypt",
  "MIICdwIBADANBgkqhkiG9w0BAQEFAASCAmEwggJdAgEAAoGBAMyeA0DokUAgBr9h7moTphtfugxkLHqGCXXzoTypg47AyxD1Q8LbjwCVrm2Ty6" +
  "20xHxI4RGq69kyLBGR1JeelIwsQo9u+NuGqEWsM0FrBGI5trJYf03KoapmM6Pnhi0xxSTy2XnX+dIfNiGGN9pBU0r0kvUrZi87KAkM5mF7psEn" +
  "AgMBAAECgYAqwUGwyGfBXG/MgawNojltMt1vRWc92tATQ2sHf+wrYgGMc5NLHhGNb7lY0C8ZBtKfnaLZzDsn0SIAMdaYL9yd5ePYrU3A2z7ECK" +
  "gT0hLq3LCRoNQWOi9VFT4cWAOEmyE+Fo/ShFC4yXfe7sCc4UBWbNG3CyR4pnufZuNmSiXyUQJBAOXAkvQxSjL6TrsD0CtAK12cZFPNGvhbwk4Y" +
  "EUfrT7X7d+vU0ROi1obdgJIVoocgzO6Vg875qOqZYfVqMNgjs6MCQQDj/lSLtWTQ0429xhwTL3b9FxVZMyHXhAXYQ1MZC7rZfI7InkTcqBh0oL" +
  "TewYAKHIOJCNlSox2u9VyHfIq3ZfStAkEAp715jR+PdLibUp7uFSW8g5PzC9vrnPghXLLlqwR6Jft7CotOOm/hAIYnoIB7MP0Zofc3TJ2qXd2u" +
  "T2dAUg1+0QJBANLnxawLm/w1hywjZHs28DqFrQD79PVZstJwzSEhIbLor2jUR91bPmw88bQSifBQmjkcz3TLYb0kSnkm82deUG0CQE7fSP9TTt" +
  "pPgI9nJI4r/yHYtOVqjzUnRoWAVsRwPy704ybqY/+IQYd4vsNQDO2ntyQqLVZdAE/LMgqTBaJhYWo=",
  "Woy1BwJT3UpjAYpQQw3+XZb9Bd7+A67b2vJE5Q8oEX/Yb+PYO+OnfNY61jQZxI8uuUC/3PEin7GQmCKI/vvnN8d0P4JIysI+tl1zP5Y58CgEeU" +
  "xoOf2MotUJzEDPKMnL7uEVk72IS9ccwp6tUNN9YV2IysX3D0egRz9KrmP4scU=");
await signedByNode({"name":"ECDSA","namedCurve":"P-256"}, {"name":"ECDSA","hash":"SHA-256"}, "verify",
  "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQglClcBMCMWMK38WLPooFwCLk+8TEcNgXjkAOm3wmSnjOhRANCAASGwe/B6oJXDG" +
  "fsbmVPYTPClOBloVSA+gJMTmfliUgPH4wvvBbBG8WtZbtmfy17671NIX5Tow2ICivsBxFcFQrj",
  "/E8eV7pKWI5lqT0aIfgXGhzTD5vaMJsLQg7nViDRCvT8ZJ5c09GcGwXn4M6u5HK2DR+1WHkOMxrF1k8l9VVe+Q==");
await signedByNode({"name":"ECDSA","namedCurve":"P-384"}, {"name":"ECDSA","hash":"SHA-512"}, "verify",
  "MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDCm93VnXhDZwx+IYzE7KQBQB7CsOXsVnRzi0/aip8VL9BlUMBn9aDnjjoaWxXYpXM" +
  "6hZANiAASAxiCHJ43EXPW3cby0Yy53ulkkjYHHJX4aKwG4zoBvJCVvLfsNrPujimRnj/zn8n43ghDLBBTfpxrDKTDWjti1jJpNvAQIGA5FkeDS" +
  "/dvt2JuzspE7c9zkW1ExkGoVhkY=",
  "7Ja0O3nsDsI9vuUkOxtXSgiB56h84q9IzTBdTbFhbYhUQq6x4RFeiLVh8L4Uy+MR986sEwz1yqZV3VoYmwvzetr7tP2kqDOPwqW5LPlQA/Q+XP" +
  "O7xZQJ+M8iYek/4i6H");
await signedByNode({"name":"ECDSA","namedCurve":"P-521"}, {"name":"ECDSA","hash":"SHA-1"}, "verify",
  "MIHuAgEAMBAGByqGSM49AgEGBSuBBAAjBIHWMIHTAgEBBEIBx0zBY51gPBzentusnurw4vLLfxwwXNUkGyd4B3vjpFp8Rx4YDrCsmoUhrroyiW" +
  "OPbUb5rgFUMDVDXKGUU1FbOPehgYkDgYYABACK8fjyHPdEDBC410v+CZkLbgEot+HmRkV0VpcRxWwAUKhOxCj442lPxheTeGtZhwcSy6Q9kL6M" +
  "dsEZfnsOqptgJAHsnMJ14/b5rJS+DyMzag1MGBzWPk9CGDhMjCxJiG1EmOwdOel1LX9y53r9feT2EPAVjUbP8vzGcS7SPaxYblrbxA==",
  "AB52C8ap6wY8KrxWV7lYRXIRWFf0xRuhgeP8tIhu03kdoWKBKEq/K3fFNfK+jL2j/NEc9yQu8H3iPBrMuj89xjD0ActUbHgeEquI48TuGmvAMX" +
  "W7/YzmdiByXAu0XPTYmNktpYmOO5XqSCN/0sdkrL/JqxJl7UVICZh6DvL4/bsQuKlr");
await signedByNode({"name":"Ed25519"}, {"name":"Ed25519"}, "verify",
  "MC4CAQAwBQYDK2VwBCIEIFu4eflBsPuPi5TuyG2On1rVAUIlZV0r4D5xaDMG4tpM",
  "jFHm2+aeI/rUSnjLln42NEb8lSbOGde6u8pH+3tOL+m4/nLZOzyI4kEI7/iHcketo5cQFoWN/Knl6UWzO+2vDw==");
const told = async (name, work) => {
  try { await work(); console.log(name, "nothing"); } catch (error) { console.log(name, error.name); }
};
const raw = (name, size, usages, extractable = true) => subtle.importKey("raw", new Uint8Array(size), name, extractable, usages);
const hmac = { name: "HMAC", hash: "SHA-256" };
const p256 = { name: "ECDSA", namedCurve: "P-256" };
const oct = (more, usages = ["encrypt"]) =>
  subtle.importKey("jwk", { kty: "oct", k: "AAAAAAAAAAAAAAAAAAAAAA", ...more }, "AES-CBC", true, usages);
const iv = new Uint8Array(16);

await told("no hash", () => subtle.digest("MD5", data));
await told("no bytes", () => subtle.digest("SHA-1", "text"));
await told("no name", () => subtle.digest({}, data));
await told("length", () => subtle.generateKey({ name: "AES-GCM", length: 100 }, true, ["encrypt"]));
await told("range", () => subtle.generateKey({ name: "AES-GCM", length: 1e9 }, true, ["encrypt"]));
await told("usage", () => subtle.generateKey({ name: "AES-GCM", length: 128 }, true, ["sign"]));
await told("no usage", () => subtle.generateKey({ name: "AES-GCM", length: 128 }, true, []));
await told("enumeration", () => subtle.generateKey({ name: "AES-GCM", length: 128 }, true, ["read"]));
await told("parameter", () => subtle.generateKey("AES-GCM", true, ["encrypt"]));
await told("curve", () => subtle.generateKey({ name: "ECDSA", namedCurve: "K-1" }, true, ["sign"]));
await told("private usage", () => subtle.generateKey(p256, true, ["verify"]));
await told("exponent", () => subtle.generateKey(
  { name: "RSA-PSS", modulusLength: 1024, publicExponent: [1, 0, 1], hash: "SHA-1" }, true, ["sign"]));
await told("key size", () => raw("AES-CBC", 15, ["encrypt"]));
await told("format", () => subtle.importKey("spki", data, "AES-CBC", true, ["encrypt"]));
await told("format's name", () => subtle.importKey("der", data, "AES-CBC", true, ["encrypt"]));
await told("object for bytes", () => subtle.importKey("raw", {}, "AES-CBC", true, ["encrypt"]));
await told("empty", () => raw(hmac, 0, ["sign"]));
await told("derived", () => raw("PBKDF2", 3, ["deriveBits"]));
await told("point", () => raw(p256, 65, ["verify"]));
await told("public usage", () => raw("Ed25519", 32, ["sign"]));
await told("der", () => subtle.importKey("pkcs8", data, p256, true, ["sign"]));
await told("jwk", () => oct({}));
await told("alg", () => oct({ alg: "A256CBC" }));
await told("use", () => oct({ use: "sig" }));
await told("ext", () => oct({ ext: false }));
await told("key_ops", () => oct({ key_ops: ["decrypt"] }));
await told("key_ops twice", () => oct({ key_ops: ["encrypt", "encrypt"] }));
await told("kty", () => oct({ kty: "RSA" }));
const aes = await raw("AES-CBC", 16, ["encrypt", "decrypt"], false);
await told("other algorithm", () => subtle.encrypt({ name: "AES-GCM", iv }, aes, data));
await told("other usage", () => subtle.sign(hmac, aes, data));
await told("iv", () => subtle.encrypt({ name: "AES-CBC", iv: iv.subarray(1) }, aes, data));
await told("padding", () => subtle.decrypt({ name: "AES-CBC", iv }, aes, new Uint8Array(32)));
await told("tag", async () =>
  subtle.encrypt({ name: "AES-GCM", iv, tagLength: 100 }, await raw("AES-GCM", 16, ["encrypt"]), data));
await told("counter", async () =>
  subtle.encrypt({ name: "AES-CTR", counter: iv, length: 0 }, await raw("AES-CTR", 16, ["encrypt"]), data));
const hkdf = await raw("HKDF", 3, ["deriveBits"], false);
await told("bits", () => subtle.deriveBits({ name: "HKDF", hash: "SHA-1", salt: iv, info: iv }, hkdf, 7));
await told("much", () => subtle.deriveBits({ name: "HKDF", hash: "SHA-1", salt: iv, info: iv }, hkdf, 8 * 255 * 20 + 8));
await told("derive key", () =>
  subtle.deriveKey({ name: "HKDF", hash: "SHA-1", salt: iv, info: iv }, hkdf, hmac, true, ["sign"]));
await told("constructor", async () => new CryptoKey());
