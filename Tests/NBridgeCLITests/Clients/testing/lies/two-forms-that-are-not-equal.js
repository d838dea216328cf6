// SPDX-License-Identifier: MIT
// count: 0 passed, 1 failed
// says: is not the same as
test('t', () => {
  const [one, other] = [new FormData(), new FormData()];
  one.append('a', '1');
  other.append('a', '2');
  assert.deepEqual(one, other);
});
