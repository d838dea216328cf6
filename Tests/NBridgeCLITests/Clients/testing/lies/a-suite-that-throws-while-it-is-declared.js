// SPDX-License-Identifier: MIT
// count: 0 passed, 1 failed, 1 not run
// says: Error: no
test('t', () => {});
describe('s', () => { throw new Error('no') });
test('u', () => {})
