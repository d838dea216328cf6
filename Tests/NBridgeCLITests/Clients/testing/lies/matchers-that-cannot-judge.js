// SPDX-License-Identifier: MIT
// count: 0 passed, 62 failed
// says: ✗ t0
// What a matcher can't judge fails, behind `.not` too.
const f = mock.fn((fails) => { if (fails) throw undefined; return 1; });
f();
const like = { mock: { calls: [] } };
const cases = [
  () => expect({ a: { b: 1, c: 2 } }).toEqual(expect.objectContaining({ a: { b: 1 } })),
  () => expect(null).toBeNull(5), () => expect(undefined).toBeUndefined(1), () => expect(1).toBeDefined(1),
  () => expect(1).toBeTruthy(1), () => expect(0).toBeFalsy(0), () => expect(NaN).toBeNaN(NaN),
  () => expect(null).not.toBeUndefined(5),
  () => expect({}).not.toHaveLength(2), () => expect(undefined).not.toHaveLength(2),
  () => expect(5).not.toHaveLength(2), () => expect([]).not.toHaveLength(-1), () => expect([]).not.toHaveLength(0.5),
  () => expect(null).not.toHaveProperty('a'), () => expect(undefined).not.toHaveProperty('a'),
  () => expect({}).toHaveProperty([]), () => expect({}).not.toHaveProperty([]), () => expect({}).not.toHaveProperty(5),
  () => expect(1).not.toMatchObject({ a: 1 }), () => expect({}).not.toMatchObject(1),
  () => expect(null).not.toMatchObject({}), () => expect({}).not.toMatchObject(null),
  () => expect(() => {}).not.toThrow(5), () => expect(() => {}).not.toThrow(null), () => expect(() => { throw 1 }).toThrow({}),
  () => expect(['a']).toMatch('a'), () => expect(['a']).not.toMatch('b'), () => expect('a').not.toMatch(5),
  () => expect(undefined).not.toMatch(/a/),
  () => expect('1').not.toBeGreaterThan(2), () => expect(1).not.toBeLessThan('0'), () => expect(1).not.toBeLessThanOrEqual(),
  () => expect('a').not.toBeCloseTo(1), () => expect(1).not.toBeCloseTo('a'), () => expect(1).not.toBeCloseTo(1, NaN),
  () => expect(1n).not.toBeCloseTo(3n), () => expect(NaN).toBeCloseTo(NaN),
  () => expect(1).not.toBeTypeOf('nubmer'), () => expect(1).not.toBeInstanceOf({ [Symbol.hasInstance]: () => false }),
  () => expect(null).not.toContain(1), () => expect({}).not.toContain(1), () => expect(5).not.toContain(1),
  () => expect('a1').toContain(1), () => expect(undefined).not.toContainEqual(1), () => expect(5).not.toContainEqual(1),
  () => expect(f).not.toHaveBeenNthCalledWith(0), () => expect(f).not.toHaveBeenCalledTimes('2'),
  () => expect(f).not.toHaveBeenCalledTimes(-1), () => expect(f).toHaveBeenCalled(1),
  () => expect(like).not.toHaveBeenCalledWith(1), () => expect(() => {}).not.toHaveBeenCalled(),
  () => { const g = mock.fn(() => { throw undefined }); try { g() } catch {} expect(g).toHaveReturned() },
  () => expect({ a: 1 }).not.toEqual(expect.objectContaining(5)), () => expect([]).not.toEqual(expect.arrayContaining('a')),
  () => expect('a').not.toEqual(expect.stringContaining(5)), () => expect('a').not.toEqual(expect.stringMatching(5)),
  () => expect({ e: new Error('a') }).toMatchObject({ e: new Error('b') }),
  () => expect({ u: new URL('a:1') }).toMatchObject({ u: new URL('a:2') }),
  () => { const p = { a: 1 }; p.p = p; expect({ a: 1, p: { a: 2, p: {} } }).toMatchObject(p) },
  () => expect([1]).toMatchObject([undefined]), () => expect(1, 1),
  () => expect(() => { throw 1 }).not.toThrow((error) => error),
];
for (let index = 0; index < cases.length; index++) test(`t${index}`, cases[index]);
