// SPDX-License-Identifier: MIT
test('awaited', async () => {
  await expect(Promise.resolve(1)).resolves.toBe(1);
  await expect(Promise.reject(new Error('x'))).rejects.toThrow('x');
  await assert.rejects(async () => { throw new TypeError('y') }, TypeError);
});
test('returned', () => expect(Promise.resolve(1)).resolves.toBe(1));
test('together', () => Promise.all([expect(Promise.resolve(1)).resolves.toBe(1)]));
test('equal', () => {
  expect({ a: undefined, b: [1, { c: new Map([[{ k: 1 }, new Set([2])]]) }] })
    .toEqual({ b: [1, { c: new Map([[{ k: 1 }, new Set([2])]]) }] });
  const one = { a: 1 }; one.self = one; const two = { a: 1 }; two.self = two;
  assert.deepEqual(one, two);
  expect({ id: 7, name: 'Ada', when: new Date(5) }).toEqual({
    id: expect.any(Number), name: expect.stringMatching(/^A/), when: expect.anything() });
  expect(new Set([expect.anything(), 1]).size).toBe(2);
});
test('a clock', (t) => {
  t.mock.timers.enable({ now: 1000 });
  const seen = [];
  setTimeout(() => seen.push('timeout', Date.now()), 500);
  const id = setInterval(() => { seen.push(Date.now()); if (seen.length > 4) clearInterval(id); }, 200);
  t.mock.timers.tick(2000);
  assert.deepEqual(seen, [1200, 1400, 'timeout', 1500, 1600]);
  assert.equal(new Date().getTime(), 3000);
});
test('the clock is back', () => assert(Date.now() > 1e12));
test('functions', (t) => {
  const add = t.mock.fn((a, b) => a + b);
  assert.equal(add(1, 2), 3);
  expect(add).toHaveBeenCalledWith(1, 2);
  assert.equal(add.mock.callCount(), 1);
  const object = { name: () => 'real' };
  const name = t.mock.method(object, 'name', () => 'mock');
  assert.equal(object.name(), 'mock');
  name.mock.restore();
  assert.equal(object.name(), 'real');
  t.mock.method(globalThis, 'atob', () => 'mock');
});
test('functions are back', () => assert.equal(atob('YQ=='), 'a'));
test('parts', async (t) => { await t.test('one', () => {}); await t.test('two', () => {}); });
test('skips itself', (t) => t.skip('no screen'));
test('may leave a timer', { allowsLeaks: true }, () => { setTimeout(() => {}, 1000) });
test('cleans up', (t) => { const id = setInterval(() => {}, 1); t.after(() => clearInterval(id)); });
