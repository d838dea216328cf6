// SPDX-License-Identifier: MIT
// count: 0 passed, 1 failed
// says: is not the same as
test('t', () => assert.deepEqual(new Blob(['a']), new Blob(['b'])));
