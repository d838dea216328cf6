// SPDX-License-Identifier: MIT
// Whether bytes are the ones that were meant (Subresource Integrity, 3.3).
((host) => {
  "use strict";
  const { digest, texts, core } = host;
  const { lower, slice, indexIn, split, trimmed } = texts;
  const { react, resolved } = core;
  const { TypeError } = globalThis;
  const STRENGTHS = { __proto__: null, sha256: 1, sha384: 2, sha512: 3 };

  const ADDRESS = { __proto__: null, "-": "+", _: "/" };

  /** base64, of which the end and the characters for addresses may be meant (3.1). */
  const padded = (text) => {
    let made = "";
    for (let i = 0; i < text.length; i++) made += ADDRESS[text[i]] ?? text[i];
    while (made.length % 4 > 1) made += "=";
    return made;
  };

  /** The hashes of the strongest algorithm that is named; none when nothing is. */
  const parse = (text) => {
    const words = split(text, " "), found = { __proto__: null, algorithm: undefined, hashes: { __proto__: null } };
    for (let i = 0; i < words.length; i++) {
      const word = trimmed(words[i]), dash = indexIn(word, "-");
      if (dash < 0) continue;
      const algorithm = lower(slice(word, 0, dash)), strength = STRENGTHS[algorithm];
      if (strength === undefined || strength < (STRENGTHS[found.algorithm] ?? 0)) continue;
      if (algorithm !== found.algorithm) found.hashes = { __proto__: null };
      found.algorithm = algorithm;
      const query = indexIn(word, "?", dash);
      found.hashes[padded(slice(word, dash + 1, query < 0 ? word.length : query))] = true;
    }
    return found;
  };

  /** A promise of a body's bytes, rejected when they are others than `integrity` says. */
  const checkIntegrity = (body, integrity) => react(body === null ? resolved(new Uint8Array(0)) : body.takeAll(), (bytes) => {
    const { algorithm, hashes } = parse(integrity);
    if (algorithm !== undefined && hashes[digest(algorithm, bytes)] !== true) {
      throw new TypeError(`fetch failed: the body is not the one that integrity says (${algorithm})`);
    }
    return bytes;
  });

  return { checkIntegrity };
})
