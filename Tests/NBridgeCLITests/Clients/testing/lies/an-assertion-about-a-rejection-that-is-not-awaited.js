// SPDX-License-Identifier: MIT
// count: 0 passed, 1 failed
// says: assert.rejects(...) was not awaited
test('t', () => { assert.rejects(Promise.resolve(1)) })
