// SPDX-License-Identifier: MIT
// count: 0 passed, 1 failed
// says: the file declares no test
console.log('nothing')
