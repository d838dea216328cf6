// SPDX-License-Identifier: MIT
// count: 0 passed, 1 failed
// says: expect(...).resolves.toBe(...) was not awaited, so it checked nothing
test('t', () => { expect(Promise.resolve(1)).resolves.toBe(2) })
