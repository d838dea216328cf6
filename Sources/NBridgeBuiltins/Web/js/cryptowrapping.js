// SPDX-License-Identifier: MIT
// Keys as the text of a JWK, to be encrypted and read back (Web Cryptography, sections 14.3.11, 14.3.12 and 18.4.6).
((host) => {
  "use strict";
  const { decodeUTF8, encodeUTF8 } = host;
  const { isObject, refuse, take } = host.bytes;
  const { MEMBERS, toJWK } = host.jwk;
  const { parse, stringify } = JSON;
  const { hasOwn } = Object;

  const append = (text, part) => (text === "" ? part : `${text},${part}`);

  const listText = (list) => {
    let text = "";
    for (let i = 0; i < list.length; i++) text = append(text, stringify(list[i]));
    return `[${text}]`;
  };

  /** The bytes of a JWK's text. It is put together here, where no `toJSON` of the script's sees the key. */
  const toText = (jwk) => {
    let text = "";
    for (let i = 0; i < MEMBERS.length; i++) {
      const name = MEMBERS[i];
      if (!hasOwn(jwk, name)) continue;
      text = append(text, `"${name}":${name === "key_ops" ? listText(jwk[name]) : stringify(jwk[name])}`);
    }
    return take(encodeUTF8(`{${text}}`));
  };

  /** The JWK that bytes are the text of; what a script has put on Object.prototype is no member of it. */
  const fromText = (bytes) => {
    try {
      const value = parse(decodeUTF8(bytes, false));
      if (isObject(value)) {
        const jwk = toJWK(value, (name) => (hasOwn(value, name) ? value[name] : undefined));
        if (jwk.kty !== undefined) return jwk;
      }
    } catch { /* It is none. */ }
    throw refuse("DataError", "what was unwrapped is no JWK");
  };

  return { fromText, toText };
})
