// SPDX-License-Identifier: MIT
// count: 1 passed, 3 failed
// says: TypeError: the declaration of 'b' threw: the test 'b' needs a function
test('a', () => { expect(1).toBe(1) });
try { test('b') } catch {}
try { beforeEach() } catch {}
try { describe('c', async () => {}) } catch {}
