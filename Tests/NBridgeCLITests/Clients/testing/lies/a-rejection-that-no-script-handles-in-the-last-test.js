// SPDX-License-Identifier: MIT
// count: 0 passed, 1 failed
// says: Error: a rejection that was not handled: lost
test('t', () => { Promise.reject(new Error('lost')) })
