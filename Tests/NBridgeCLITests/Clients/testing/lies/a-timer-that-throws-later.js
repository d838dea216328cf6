// SPDX-License-Identifier: MIT
// count: 0 passed, 1 failed
// says: Leak: left open: a setTimeout of 20 ms
test('t', () => { setTimeout(() => { throw new Error('late') }, 20) })
