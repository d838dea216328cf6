// SPDX-License-Identifier: MIT
// count: 0 passed, 1 failed
// says: was thrown
test('t', () => { throw new Proxy({}, { get() { throw 1 } }) })
