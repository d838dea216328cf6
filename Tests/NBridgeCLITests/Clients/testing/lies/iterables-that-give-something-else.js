// SPDX-License-Identifier: MIT
// count: 2 passed, 9 failed
// says: expected Object [Generator] {} to equal Object [Generator] {}
class Row {
  #items;
  constructor(...items) { this.#items = items; }
  [Symbol.iterator]() { return this.#items[Symbol.iterator](); }
}
class Other extends Row {}
const give = function* (...items) { yield* items; };
test('generators', () => expect(give(1, 2)).toEqual(give(1, 3)));
test('one is longer', () => expect(give(1)).toEqual(give(1, 2)));
test('one is shorter', () => expect(give(1, 2)).toStrictEqual(give(1)));
test('iterators of lists', () => expect([1].values()).toStrictEqual([2].values()));
test('private state', () => expect(new Row(1)).toEqual(new Row(2)));
test('deeper', () => expect({ a: [new Row({ b: 1 })] }).toMatchObject({ a: [new Row({ b: 2 })] }));
test('in calls', () => { const f = mock.fn(); f(new Row(1)); expect(f).toHaveBeenCalledWith(new Row(2)); });
test('another class', () => expect(new Row(1)).toEqual(new Other(1)));
test('the same', () => {
  expect(give(1, { a: 2 })).toEqual(give(1, { a: 2 }));
  expect(new Row(1, [2])).toStrictEqual(new Row(1, [2]));
  expect({ rows: [new Row(1)] }).toMatchObject({ rows: [new Row(1)] });
  expect(new Map([[1, new Row(2)]]).values()).toEqual(new Map([[3, new Row(2)]]).values());
  expect(new Row(1)).not.toEqual(new Row(2));
  const self = new Row(); const own = { *[Symbol.iterator]() { yield own; } };
  expect(self).toEqual(new Row());
  expect(own).toEqual({ *[Symbol.iterator]() { yield own; } });
});
test('what ends too early is let go', () => {
  let closed = 0;
  const one = { [Symbol.iterator]: () => ({ next: () => ({ value: 1 }), return() { closed++; return {}; } }) };
  const two = { [Symbol.iterator]: () => ({ next: () => ({ value: 2 }), return() { closed++; return {}; } }) };
  expect(one).not.toEqual(two);
  expect(closed).toBe(2);
});
test("assert does not go through them, and takes two for others", () => assert.deepEqual(give(1), give(2)));
