// SPDX-License-Identifier: MIT
// count: 0 passed, 1 failed
// says: Error: an error that was not caught: early
test('t', async () => {
  setTimeout(() => { throw new Error('early') }, 1);
  await new Promise((done) => setTimeout(done, 30));
})
