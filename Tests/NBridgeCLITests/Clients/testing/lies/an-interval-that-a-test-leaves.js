// SPDX-License-Identifier: MIT
// count: 0 passed, 1 failed
// says: Leak: left open: a setInterval of 1000 ms
test('t', () => { setInterval(() => {}, 1000) })
