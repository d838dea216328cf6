// SPDX-License-Identifier: MIT
// count: 2 passed, 1 failed
// says: Error: describe 's' threw: no
test('t', () => {});
try { describe('s', () => { test('u', () => {}); throw new Error('no') }) } catch {}
