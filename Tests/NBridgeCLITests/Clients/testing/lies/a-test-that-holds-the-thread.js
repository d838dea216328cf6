// SPDX-License-Identifier: MIT
// count: 1 passed, 1 failed
// says: held the thread for more than 50 ms: it was stopped
test('t', { timeout: 50 }, () => { for (;;); });
test('u', () => {})
