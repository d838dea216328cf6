// SPDX-License-Identifier: MIT
// count: 0 passed, 1 failed, 1 not run
// says: this await can never settle
test('t', () => {});
await new Promise(() => {});
test('u', () => { throw 1 })
