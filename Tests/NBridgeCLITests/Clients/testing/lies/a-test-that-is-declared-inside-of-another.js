// SPDX-License-Identifier: MIT
// count: 1 passed, 1 failed
// says: test('u') came after the file had declared its tests
test('t', () => { try { test('u', () => { throw 1 }) } catch {} })
