// SPDX-License-Identifier: MIT
// Math.random that repeats: xoshiro128** (Blackman and Vigna 2018), filled by a Weyl sequence through a mixer.
(() => {
  "use strict";
  return (seed) => {
    let weyl = seed >>> 0;
    const fill = () => {
      weyl = (weyl + 0x9E3779B9) >>> 0;
      let mixed = Math.imul(weyl ^ (weyl >>> 16), 0x21F0AAAD);
      mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735A2D97);
      return (mixed ^ (mixed >>> 15)) >>> 0;
    };
    let [a, b, c, d] = [fill(), fill(), fill(), fill() | 1];
    const rotate = (value, by) => (value << by) | (value >>> (32 - by));
    const next = () => {
      const result = Math.imul(rotate(Math.imul(b, 5), 7), 9) >>> 0;
      const shifted = b << 9;
      c ^= a;
      d ^= b;
      b ^= c;
      a ^= d;
      c ^= shifted;
      d = rotate(d, 11);
      return result;
    };
    Math.random = () => ((next() >>> 5) * 0x4000000 + (next() >>> 6)) / 0x20000000000000;
  };
})
