// SPDX-License-Identifier: MIT
// count: 1 passed, 1 failed
// says: the file left open: a setTimeout of 60000 ms
setTimeout(() => { throw new Error('late') }, 60_000);
test('t', () => {})
