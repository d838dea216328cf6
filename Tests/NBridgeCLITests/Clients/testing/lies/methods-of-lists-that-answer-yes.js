// SPDX-License-Identifier: MIT
// count: 0 passed, 3 failed
// says: is not the same as
Array.prototype.every = Array.prototype.some = Array.prototype.includes = () => true;
test('t', () => assert.deepEqual({ a: 1 }, { a: 2 }));
test('u', () => assert.deepEqual([{ a: 1 }], [{ a: 2 }]));
test('v', () => assert.deepEqual(new Map([[1, 2]]), new Map([[1, 3]])));
