// SPDX-License-Identifier: MIT
// count: 0 passed, 1 failed
// says: DataCloneError [25]: a function can't be cloned
test('t', () => { structuredClone(() => 1) })
