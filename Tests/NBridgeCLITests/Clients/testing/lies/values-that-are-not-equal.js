// SPDX-License-Identifier: MIT
// count: 0 passed, 6 failed
// says: ✗ z
test('u', () => expect(new Number(1)).toEqual(new Number(2)));
test('v', () => expect(new URL('a:1')).toEqual(new URL('a:2')));
test('w', () => expect([Promise.resolve(1)]).toEqual([Promise.resolve(1)]));
test('x', () => expect(new DataView(new ArrayBuffer(2))).toEqual(new DataView(new Uint8Array([0, 1]).buffer)));
test('y', () => expect(() => { throw new Error('a') }).not.toThrow());
test('z', () => expect(undefined).toThrow());
