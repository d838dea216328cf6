// SPDX-License-Identifier: MIT
// count: 0 passed, 1 failed, 2 not run
// says: a test held the thread with promises
test('t', { timeout: 50 }, async () => { for (;;) await null; });
test('u', () => {});
