// What console.log and util.inspect show of large values, of what lost its bytes, and of what says itself how it is shown.
import assert from 'node:assert';
import util from 'node:util';
import { Buffer } from 'node:buffer';
const custom = Symbol.for('nodejs.util.inspect.custom');
class P { [custom](d, o, i) { return `P<${d} ${typeof i} ${i({ a: [1] }, { ...o, depth: d })}>\nnext`; } }
class Q { [custom]() { return { a: 1, b: [new P()] }; } }
class T { [custom]() { throw new Error('x'); } }
console.log(new P(), [new P()], { a: new P() });
console.log('%s|%o|%O|%j', new P(), new P(), new P(), new P());
console.dir(new P());
console.log(new Q(), [new Q()]);
try { console.log(new T()); } catch (error) { console.log('threw', error.message); }
console.log(P.prototype, new Proxy(new P(), {}));
console.log(Buffer.from('hi'), [Buffer.alloc(0)], util.inspect(Buffer.alloc(0)), Buffer.alloc(60));
console.log(new Uint8Array(2000), Array(1e7), Array(4e9));
const wide = []; wide[3] = 'x'; wide[50000] = 1; wide[50002] = 2;
console.log(wide, util.inspect(wide), [, 1, , 2, ,], util.inspect([, 1, , 2, ,]));
const numbers = Array.from({ length: 200 }, (_, i) => i);
console.log(new Set(numbers), util.inspect(new Map(numbers.map((i) => [i, i]))));
const buffer = new ArrayBuffer(4), bytes = new Uint8Array(buffer);
structuredClone(buffer, { transfer: [buffer] });
console.log(buffer, bytes, util.inspect(buffer), util.inspect(bytes));
console.log(util.inspect({ a: { b: { c: { f: Object.assign(() => {}, { x: 1 }), d: Object.assign(new Date(0), { x: 1 }),
  e: Object.assign(new RangeError('m'), { x: 1 }), r: /a/, s: new Set([1]).values() } } } }, { depth: 2 }));
class MyErr extends Error {}
const more = { x: 1 };
console.log({ a: { b: { d: Object.assign(new Date(0), more), f: Object.assign(() => {}, more),
  r: Object.assign(/a/, more), n: Object.assign(new Number(5), more), s: new Set([1]), m: new Map([[1, 2]]) } } });
console.log(util.inspect([{ d: Object.assign(new Date(0), more) }, { f: Object.assign(() => {}, more) },
  { e: Object.assign(new MyErr('m'), more) }, { r: Object.assign(/a/, more) }], { depth: 1 }));
(function () { console.log(arguments, util.inspect(arguments), util.inspect([arguments], { depth: 0 })); })(1, 2);
console.log(util.inspect(new Set([1, 2]).values()), util.inspect(new Map([[1, 2]]).entries()), util.inspect([new Set([5]).values()]));
try { new URL('x'); } catch (error) { console.log(error.code, error.input, Object.keys(error)); }
for (const expected of [{ message: /x/ }, new TypeError('abc'), { message: 'x', code: 5 }]) {
  try { assert.throws(() => { throw new Error('abc'); }, expected); } catch (error) { console.log(error.code, error.message); }
}
for (const thrown of [new Error('abc'), 'abc', { message: 'abc' }]) {
  try { assert.throws(() => { throw thrown; }, 'abc'); } catch (error) { console.log(error.code, error.message); }
  await assert.rejects(async () => { throw thrown; }, 'abc').catch((error) => console.log(error.code));
}
for (const given of [[5], ['x', 'y'], [null], [Symbol('s')]]) {
  try { assert.throws(() => { throw new Error('abc'); }, ...given); console.log('passes'); } catch (error) { console.log(error.code, error.message); }
}
const floats = (value) => new Float64Array([value]);
for (const [a, b] of [[new Error('a', { cause: 1 }), new Error('a', { cause: 2 })], [new Error('a', { cause: 1 }), new Error('a')],
  [new AggregateError([1], 'a'), new AggregateError([2], 'a')], [new Error('a', { cause: 1 }), new Error('a', { cause: 1 })],
  [floats(NaN), floats(NaN)], [floats(0), floats(-0)], [new Uint8Array(5), new Uint8Array(5)]]) {
  const same = ['deepEqual', 'deepStrictEqual'].map((name) => {
    try { assert[name](a, b); return true; } catch { return false; }
  });
  console.log(same);
}
