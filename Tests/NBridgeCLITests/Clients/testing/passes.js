// SPDX-License-Identifier: MIT
describe('suite', () => {
  test('parts', async (t) => { await t.test('p', () => {}) });
  test('awaited', async () => { await assert.rejects(Promise.reject(new Error('x')), /x/) });
  test('a function', (t) => { const f = t.mock.fn(() => 1); f(); assert.equal(f.mock.callCount(), 1) });
  test('a clock', (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let isOver = false;
    setTimeout(() => { isOver = true }, 1000);
    t.mock.timers.tick(1000);
    assert.ok(isOver);
  });
  test('queries', () => assert.deepEqual(new URLSearchParams('a=1'), new URLSearchParams('a=1')));
  test('skips', (t) => { t.skip('later') });
  test.todo('a test to come');
});
