// Text in which a counter at the wrong place would change what it means. It prints what it is.
const out = [];
const say = (...values) => out.push(values.map(String).join(' '))
say(1)
/* a statement on the next line begins with a bracket */
;[2, 3].forEach((n) => say(n))
let a = 1
++a
say(a)
var f = function () { return 'f' }
;(() => { say(f()) })()
if (a) if (!a) say('no'); else say('else of the inner')
if (!a) say('no')
else if (a > 100) say('no')
else say('last')
if (a) ; else say('no')
for (const x of [1, 2]) for (const y of [3]) if (x > y) continue; else say(x, y)
outer: for (let i = 0; i < 3; i++) for (;;) { if (i < 2) continue outer; break outer }
label: { if (a) break label; say('no') }
do a++
while (a < 5)
say(a)
do a--; while (a > 3) say(a)
while (a --> 0) if (a == 1) break
const named = () => {}, { d = () => {}, e = class {}, g = function () {} } = {}
say(named.name, d.name, e.name, g.name, (({ h = () => {} }) => h.name)({}))
let k; k ??= () => {}; say(k.name)
let l = 0; l ||= 7; l &&= l + 1; say(l)
const cond = a ? a > 5 ? 'x' : 'y' : a ? 'z' : (false || null) ?? "n"
say(cond, a ? .5 : 1, a?.b, true && false || 'or', 0 || 1 && 2, 1 && 0 || 0 && 3 || 4, !a && -a || +a)
say(((x, y = x && x + 1, ...z) => [x, y, z])(1), (x => x ? y => y || x : () => 0)(1)(0))
say([a = 4, 5 && 6], { a, b: a && 'b', ['c' + (a || '')]: 1 }.c4, `${a ? `${a && 'in'}` : ''}`)
const object = { get v() { return this.w || 9 }, set v(x) { this.w = x && x + 1 }, async m() { return a && 1 }, *n() { yield a ? 1 : 2; yield } }
object.v = 1; say(object.v, [...object.n()], object.m instanceof Function)
class A { static #p = 1 && 2; static { this.q = A.#p || 0 } x = a ? 1 : 2; y = () => this.x && 3
  constructor(z = a ? 1 : 2) { this.z = z } static has(o) { return #w in o && true } #w = 0 }
class B extends A { constructor() { super(a && 2); return } get [`g${a}`]() { return new.target === undefined || 1 } }
say(A.q, new A().x, new A().y(), new B().z, A.has(new B()), new B().g4)
switch (a) { case a ? 4 : 5: case 6: { say('case') } default: say('through'); break; case 7: function inner() {} }
const asyncs = [async () => await null || 1, async x => { for await (const y of [x, null]) if (y) say('of', y); else say('none') }]
say(await asyncs[0](), await asyncs[1](2))
try { throw a ? new Error('x') : 0 } catch ({ message }) { say(message) } finally { say('finally') }
function* walk() { const x = yield a && 1; if (x) yield* [x, x || 1]; return x ? 2 : 3 }
const it = walk(); say(it.next().value, it.next(5).value, it.next().value, it.next().value)
say((() => { return
  1 })(), (() => { 'a directive' })(), (() => ({}))().x, (() => [1, 2][a && 1])())
say(/[/]\/(?:)/.test('//') ? 'regex' : 'no', a / 2 / 1, a++ / 2, (a) / 2)
const tag = (parts, ...values) => parts.raw.join('|') + values.join('&'); say(tag`a${a && 1}\n${a ? 2 : 3}`)
say((a, 1 ? 2 : 3), void (a && 1), typeof (a ? 'x' : 1), delete { x: 1 }.x, [...(a ? [1, 2] : [])])
const deep = (n) => n === 0 ? 'deep' : deep(n - 1); say(deep(1000))
var of = [1], async = 2; for (of of [of]) say(of); for (var async2 in { async }) say(async2)
let \u0061b = 1; say(ab ? '\u{1F600}' : '', '\u2028'.length && 1); /* line */ say('same line'); { say('block') } say('behind')
say((function () { return arguments.length && arguments[0] })(3), (() => { try { return 1 } finally { if (a) say('left') } })())
const stack = () => new Error().stack.split('\n')[0].replace(/.*:(\d+):\d+$/, '$1'); say(a && a ? stack() : 0, stack())
say(await (async () => { if (a) { await 0 } else await 1; return await (a ? 1 : 2) })(), import.meta.main)
export default a ? b => b : 0; export const late = a && 1, more = () => late || 0
export { a as 'a b', type }; const type = class {}
try { undefined_ ? 1 : 2 } catch (error) { say(error.message, error.line) }
try { a && undefined_.x } catch (error) { say(error.message, error.line) }
console.log(out.join('\n'))
