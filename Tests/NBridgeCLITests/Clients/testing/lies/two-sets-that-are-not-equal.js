// SPDX-License-Identifier: MIT
// count: 0 passed, 1 failed
// says: is not the same as
test('t', () => assert.deepEqual(new Set([{ a: 1 }, { a: 1 }]), new Set([{ a: 1 }, { b: 1 }])));
