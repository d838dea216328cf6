// Blocks, functions, loops and a script's top let go of what they declare with `using`.
const log = (...a) => console.log(...a);
const r = (n) => ({ n, [Symbol.dispose]() { log("close", n); } });
const ar = (n) => ({ n, async [Symbol.asyncDispose]() { await 0; log("aclose", n); } });

using top = r("top");

function f() { "use strict"; using a = r("a"), b = r("b"); log("in", a.n, b.n); return "ret"; }
log(f());
{ using x = null; using y = undefined; }
for (using q of [r(1), r(2)]) { if (q.n === 1) continue; log("loop", q.n); }


for (using i = r("c"), j = null; true;) { log("cfor"); break; }
outer: for (using i = r("o"); true;) { for (;;) break outer; }
try { using z = { [Symbol.dispose]() { throw new Error("d"); } }; throw new Error("b"); } catch (e) {
  log(e.name, e.error.message, e.suppressed.message);
}
try { using z = 1; } catch (e) { log(e.name, e.message); }
try { using z = {}; } catch (e) { log(e.name, e.message); }
function* g() { using a = r("gen"); yield 1; yield 2; }
for (const v of g()) { log(v); break; }
async function h() { await using a = ar("async"); using b = r("sync"); return 7; }

class S { static { using s = r("static"); log("static body"); } }
const arrow = () => { using s = r("arrow"); return s.n; };
log(arrow());
try { { dead; using dead = null; } } catch (e) { log(e.name); }
try { { using c = null; c = 1; } } catch (e) { log(e.name, e.message); }
var using = 5; log(using); const of = [1]; for (using of of) log(using);
using
.toString();
{ using using_ = r("u_"); using of = r("of"); }
const st = new DisposableStack(); st.use(r("stack")); st.dispose();
log([...Iterator.concat([1], [2])].join());
log("end");
