// SPDX-License-Identifier: MIT
// count: 0 passed, 1 failed
// says: Error: real
test('fails', () => {
  Object.defineProperty(Array.prototype, '0', { set() {}, configurable: true });
  throw new Error('real');
});
