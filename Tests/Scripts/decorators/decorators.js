// Decorators of classes and their members, and `accessor`: the order of calls, what they are told, what they
// may answer.
const log = (...a) => console.log(...a);
const order = [];
const ev = (n, ret) => {
  order.push("eval " + n);
  return (v, c) => {
    const where = (c.static ? " static" : "") + (c.private ? " private" : "");
    order.push("call " + n + " " + c.kind + " " + String(c.name) + where);
    return ret?.(v, c);
  };
};
const key = (k) => { order.push("key " + k); return k; };
@ev("C1") @ev("C2")
class C extends (order.push("heritage"), Object) {
  @ev("m") m() { return "m"; }
  @ev("sm") static sm() {}
  @ev("f") f = (order.push("init f"), 1);
  @ev("sf") static sf = (order.push("init sf"), 2);
  @ev("ck") [key("k")]() {}
  @ev("cf") [key("cf")] = 3;
  @ev("g") get g() { return 1; }
  @ev("s") set g(v) {}
  @ev("p") #p() { return "p" + super.toString().length; }
  @ev("pf") #pf = 4;
  @ev("pg") get #pg() { return 5; }
  @ev("ps") static #ps() { return 6; }
  @ev("a") accessor a = 7;
  @ev("sa") static accessor sa = 8;
  @ev("pa") accessor #pa = 9;
  @ev("am") async *am() {}
  test() { return [this.#p(), this.#pf, this.#pg, C.#ps(), this.a, C.sa, this.#pa, this.m(), this.f,
  this.cf]; }
}
log(order.join("\n"));
const c = new C(); log(...c.test());
  log(C.name, Object.getOwnPropertyNames(C).join(), Object.getOwnPropertyNames(C.prototype).join());
log(Object.keys(c).join(), Object.getOwnPropertyDescriptor(C.prototype, "a").get.name,
  C.prototype.am.constructor.name);
// replacing
const twice = (f, { kind, name }) => function (...a) { return f.apply(this, a) * 2; };
const add = (n) => (_, c) => (v) => v + n;
const acc = ({ get, set }, c) => ({ get() { return get.call(this) + 100; }, set(v) { set.call(this, v + 1);
  }, init(v) { return v * 2; } });
const bound = (f, c) => c.addInitializer(function () { this[c.name] = f.bind(this); });
class D {
  @twice m() { return this.x; } @twice static s() { return 4; } @twice get g() { return 3;
  } @twice #p() { return 11; }
  @add(1) @add(10) x = 5; @add(1) static y = 6; @add("!") #z = "z";
  @acc accessor q = 1; @acc accessor #r = 2; @acc static accessor w = 3;
  @bound b() { return this.x; }
  @add(1) nothing;
  get z() { return [this.#z, this.#p(), this.#r, (this.#r = 5, this.#r)]; }
}
const d = new D(); d.q;
  log(d.m(), D.s(), d.g, d.x, D.y, d.q, (d.q = 5, d.q), D.w, (0, d.b)(), d.nothing, ...d.z);
// class replacement, inner binding, metadata, access, addInitializer
const events = [];
const cls = (v, c) => { c.metadata.tag = "T";
  c.addInitializer(function () { events.push("cinit " + this.name); });
  return class extends v { static get extra() { return "E"; } }; };
@cls class R { static self() { return R; } static v = (events.push("static v"), 1); }
log(R.self() === R, R.extra, R[Symbol.metadata].tag, events.join("; "), R.v);
class Sub extends R { @((v, c) => { c.metadata.own = 1; }) m() {} }
log(Sub[Symbol.metadata].tag, Object.keys(Sub[Symbol.metadata]).join());
let acx; class A { @((v, c) => { acx = c.access; }) #x = 42; }
log(acx.has(new A()), acx.get(new A()), acx.has({})); const ax = new A(); acx.set(ax, 1); log(acx.get(ax));
// expressions, names
const E = @((v, c) => log("name", c.name)) class {}; log(E.name);
const F = @((v, c) => log("name", c.name)) class Foo { static n = Foo.name; }; log(F.name, F.n);
const o = { G: @((v) => {}) class {} }; log(o.G.name);
const H = class { @((v) => {}) m() {} }; log(H.name, new H().m.name);
const fn = class { @((v) => {}) f = () => {}; @((v) => {}) static g = class {};
  @((v) => {}) #h = function () {}; get h() { return this.#h.name; } accessor k = () => {}; };
log(new fn().f.name, fn.g.name, new fn().h, new fn().k.name);
// receivers
const ns = { n: 5, dec(v, c) { log("this", this?.n); }, deep: { n: 6, dec() { log("this", this?.n);
  }, make(x) { return function () { log("this", this); }; } } };
class I { @ns.dec a() {} @ns.deep.dec b() {} @ns.deep.make(1) c() {} @(ns.dec) d() {} }
// accessors
class J { accessor x = 1; static accessor y = 2; accessor #z = 3; accessor [key("comp")] = 4;
  accessor "str-x" = 5; accessor 7 = 6; accessor none; get z() { return this.#z++ + this.#z;
  } accessor = 8; static static = 1; get accessor2() { return 1; } accessor
  m2() { return "m2"; } }
const j = new J(); j.x++; J.y++;
  log(j.x, J.y, j.z, j.comp, j["str-x"], j[7], j.none, j.accessor, j.m2(), Object.keys(j).join());
try { J.prototype.x; } catch (e) { log(e.name); }
const errs = [() => { class X { @(() => 1) m() {} } }, () => { class X { @(5) m() {} } }, () => { let k;
  class X { @((v, c) => { k = c; }) m() {} } k.addInitializer(() => {});
  }, () => { @(() => 1) class X {} }, () => { class X { @(() => 1) accessor x; } }];
for (const e of errs) try { e(); log("no error"); } catch (x) { log(x.name, x.message); }
const named = [], name = (value, { kind, name }) => { named.push(`${kind} ${name}`); };
class Split {
  @name static async
  second() {}
}
log(named.join(), typeof Split.prototype.second, Object.hasOwn(Split, "async"));
