// SPDX-License-Identifier: MIT
// count: 0 passed, 1 failed, 1 not run
// says: its part 'p' was not awaited
test('t', (t) => { t.test('p', async () => { await new Promise((done) => setTimeout(done, 50)); throw 1 }) })
