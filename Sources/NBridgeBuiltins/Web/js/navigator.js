// SPDX-License-Identifier: MIT
// navigator, as far as a program without a browser has one (HTML, 8.9.1).
((host) => {
  "use strict";
  class Navigator {
    #isReal = true;
    constructor(key) { if (key !== host) throw new TypeError("Illegal constructor"); }
    get userAgent() { return this.#isReal && `nBridge/${host.version}`; }
    get language() { return this.#isReal && host.language; }
    get hardwareConcurrency() { return this.#isReal && host.processors; }
    get locks() { return this.#isReal && host.locks; }
  }
  for (const name of ["userAgent", "language", "hardwareConcurrency", "locks"]) {
    Object.defineProperty(Navigator.prototype, name, { __proto__: null, enumerable: true });
  }
  Object.defineProperty(Navigator.prototype, Symbol.toStringTag, { __proto__: null, value: "Navigator", configurable: true });
  host.declareInterface(Navigator, "Navigator");
  return { navigator: new Navigator(host), Navigator };
})
