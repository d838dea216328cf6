// SPDX-License-Identifier: MIT
// count: 0 passed, 
// says: ✗
Array.prototype.filter = Array.prototype.map = () => [];
test('t', () => { throw new Error('seen') })
