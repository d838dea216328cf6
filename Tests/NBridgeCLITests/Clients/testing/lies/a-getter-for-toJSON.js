// SPDX-License-Identifier: MIT
// count: 0 passed, 1 failed
// says: Error: seen
Object.prototype.toJSON = () => undefined;
test('t', () => { throw new Error('seen') })
