// SPDX-License-Identifier: MIT
// count: 0 passed, 2 failed
// says: is not the same as
Object.prototype.asymmetricMatch = () => true;
test('t', () => assert.deepEqual({ a: 1 }, { a: 2 }));
test('u', () => assert.deepEqual([1], { a: 2 }));
