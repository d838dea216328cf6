// SPDX-License-Identifier: MIT
// count: 0 passed, 3 failed
// says: is not the same as
Map.prototype.has = Set.prototype.has = Set.prototype.delete = () => true;
test('t', () => assert.deepEqual(new Set([1]), new Set([2])));
test('u', () => assert.deepEqual({ a: 1 }, { a: 2 }));
test('v', () => { setTimeout(() => {}, 1000) });
