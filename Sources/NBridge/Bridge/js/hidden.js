// SPDX-License-Identifier: MIT
// Objects that hold what no member of theirs tells: a key, a Blob, Headers. They would cross as {}, and what is in them be lost
// in silence. Loaded with the first object of a class that has no members. Part of `www/nbridge.js`.
(() => {
  "use strict";
  return ({ intrinsics }) => {
    const { textOf, getPrototypeOf, isPrototypeOf, objectPrototype, prototypes, slice } = intrinsics;
    const BYTES = "hand over its bytes, of its bytes()", LIST = "hand over a list of it, as [...it]";
    const HINTS = {
      __proto__: null, Blob: BYTES, File: BYTES, Request: BYTES, Response: BYTES, FormData: LIST, Headers: LIST, URLSearchParams: LIST,
      CryptoKey: "export it first, with crypto.subtle.exportKey",
    };
    const start = "[object ".length;

    /**
     * Why an object without members of its own can't cross; undefined for one that may. Only classes of the platform, and those
     * of a script that say so, have a name of their own in the text of an object. Errors and expressions cross as documented.
     */
    const refusal = (value) => {
      let name;
      try {
        const prototype = getPrototypeOf(value);
        if (prototype === objectPrototype || prototype === null || isPrototypeOf(prototypes.Error, value)) return undefined;
        const text = textOf(value);
        name = slice(text, start, text.length - 1);
      } catch { return undefined; }
      if (name === "Object" || name === "RegExp" || name === "Error") return undefined;
      return `is an object of the class ${name}, whose contents would be lost; ${HINTS[name] ?? "hand over what is in it"}`;
    };

    return { __proto__: null, refusal };
  };
})
