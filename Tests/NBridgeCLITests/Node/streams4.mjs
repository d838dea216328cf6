// When streams end: what comes last comes before the statement behind end().
import { Transform, Writable } from "node:stream";
import crypto from "node:crypto";
import process from "node:process";
const L = (...a) => console.log(...a);
const sl = (ms) => new Promise((r) => setTimeout(r, ms));
{ const t = new Transform({ transform(c, e, cb) { cb() }, flush(cb) { this.push("F"); cb() } }); t.end("abc"); L(String(t.read())); }
{ const h = crypto.createHash("sha1"); h.end("abc"); L(h.read()?.toString("hex")); }
{ const h = crypto.createHash("sha1"); h.write("abc"); h.write("d"); h.end(); L(h.read()?.toString("hex")); }
{ const h2 = crypto.createHash("sha1"); h2.setEncoding("hex"); h2.end("abc"); L(h2.read()); }
const events = async (name, make, act) => {
  L("--", name);
  const s = make();
  for (const n of ["prefinish", "finish", "end", "close", "drain"]) s.on(n, () => L(n));
  s.on("error", (e) => L("error", e.message));
  act(s); L("sync");
  await sl(25);
};
const cb = (n) => (e) => L("cb", n, e?.message ?? null);
const W = (o) => () => new Writable({ write(c, e, done) { L("write", String(c)); done() }, ...o });
const F = { final(done) { L("final"); done() } };
await events("w end", W(F), (w) => { w.end(cb("end")); });
await events("w end x", W(F), (w) => { w.end("x", cb("end")); });
await events("w write end", W(F), (w) => { w.write("a", cb("a")); w.end("b", cb("end")); });
await events("w async", W({ write(c, e, d) { L("write"); setTimeout(d, 1) }, ...F }), (w) => { w.write("a", cb("a")); w.end("b", cb("end")); });
await events("w tick", W({ write(c, e, d) { L("write"); process.nextTick(d) }, ...F }), (w) => { w.write("a", cb("a")); w.end("b", cb("end")); });
await events("final async", W({ final(d) { L("final"); setTimeout(d, 1) } }), (w) => { w.end(cb("end")); });
await events("end corked", W(F), (w) => { w.cork(); w.write("a"); w.write("b"); w.end("c", cb("end")); });
await events("writev", W({ writev(cs, d) { L("writev", cs.length); d() }, ...F }), (w) => { w.cork(); w.write("a"); w.write("b"); w.end("c", cb("end")); });
await events("end in prefinish", W({}), (w) => { w.on("prefinish", () => L("pf2", w.writableFinished, w.writableEnded)); w.end("x", cb("end")); L(w.writableFinished, w.writableEnded) });
await events("construct", W({ construct(d) { L("construct"); setTimeout(d, 1) }, ...F }), (w) => { w.end("x", cb("end")); });
await events("hwm1", W({ highWaterMark: 1, ...F }), (w) => { L(w.write("xx")); L(w.write("yy")); w.end(cb("end")); });
const T = (o) => () => new Transform({ transform(c, e, d) { L("t", String(c)); d(null, c) }, flush(d) { L("flush"); d(null, "F") }, ...o });
await events("t", () => new Transform({ transform(c, e, d) { L("t", String(c)); d(null, c) }, flush(d) { L("flush"); d(null, "F") } }), (t) => {
  t.on("data", (d) => L("data", String(d))); t.write("a"); L("w"); t.end("b"); L("e"); });
await events("t final", T({ final(d) { L("final"); d() } }), (t) => { t.end("b"); L(t.readableLength); });
