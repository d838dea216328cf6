// SPDX-License-Identifier: MIT
// count: 0 passed, 1 failed, 1 not run
// says: InvalidCharacterError [5]: before:
beforeAll(() => { atob('%%%') });
test('t', () => {})
