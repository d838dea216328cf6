// SPDX-License-Identifier: MIT
// count: 0 passed, 5 failed
// says: was not awaited
Array.prototype[Symbol.iterator] = function* () {};
test('t', () => { expect(1).not.toBe(1) });
test('u', () => { expect(Promise.resolve(1)).resolves.toBe(2) });
test('v', () => { setTimeout(() => {}, 1000) });
test('w', () => { throw new Error('seen') });
afterAll(() => { throw new Error('seen') });
