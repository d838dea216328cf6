// SPDX-License-Identifier: MIT
// What every case may use: it fails by throwing. `log` leaves a trail, which a line `>>` of a case gives in full.
globalThis.trail = [];
globalThis.log = (...words) => { for (const word of words) trail.push(String(word)); };
globalThis.same = (actual, expected, what = '') => {
  if (!Object.is(actual, expected)) throw new Error(`${what} is ${String(actual)} and not ${String(expected)}`);
};
globalThis.list = (actual, ...expected) => {
  same([...actual].map(String).join(' '), expected.map(String).join(' '), 'the list');
};
globalThis.throws = (kind, act) => {
  try { act(); } catch (error) { return same(error?.constructor, kind, 'what is thrown'), error; }
  throw new Error(`no ${kind.name} was thrown`);
};
globalThis.rejects = async (kind, promise) => {
  try { await promise; } catch (error) { return same(error?.constructor, kind, 'what it is rejected with'), error; }
  throw new Error(`no ${kind.name} came`);
};
