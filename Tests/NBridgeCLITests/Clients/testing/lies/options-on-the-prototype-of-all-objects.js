// SPDX-License-Identifier: MIT
// count: 0 passed, 1 failed
// says: Error: real
Object.prototype.skip = true;
Object.prototype.todo = true;
test('fails', () => { throw new Error('real') });
