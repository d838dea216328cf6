// SPDX-License-Identifier: MIT
// count: 0 passed, 2 failed
// says: its part 'p' failed
test('t', async (t) => { await t.test('p', () => { throw 1 }) })
