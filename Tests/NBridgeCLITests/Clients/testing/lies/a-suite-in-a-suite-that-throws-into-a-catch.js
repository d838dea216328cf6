// SPDX-License-Identifier: MIT
// count: 1 passed, 1 failed
// says: describe 'outer > inner' threw: 1 was thrown
test('t', () => {});
try { describe('outer', () => { describe('inner', () => { throw 1 }) }) } catch {}
