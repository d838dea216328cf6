// SPDX-License-Identifier: MIT
// count: 0 passed, 1 failed
// says: to equal
test('t', () => {
  const [one, other] = [new URL('a:1'), new URL('a:2')];
  for (const url of [one, other]) Object.setPrototypeOf(url, Object.prototype);
  expect(one).toEqual(other);
});
