// Emitters, timers, next ticks and streams: what comes in which order.
import EventEmitter, { once, on, errorMonitor } from "node:events";
import process from "node:process";
import { Duplex, PassThrough, Readable, Transform, Writable, finished } from "node:stream";
import { pipeline } from "node:stream/promises";
import timers from "node:timers";
import { setTimeout as sleep } from "node:timers/promises";

const emitter = new EventEmitter();
const log = (...values) => console.log(...values);
emitter.on("newListener", (name) => log("new", String(name)));
emitter.once("a", (value) => log("once", value));
emitter.on("a", (value) => log("on", value));
emitter.prependListener("a", () => log("first"));
log(emitter.emit("a", 1), emitter.emit("a", 2), emitter.emit("none"), emitter.listenerCount("a"),
  emitter.eventNames());
emitter.on(errorMonitor, (error) => log("monitor", error.message));
try { emitter.emit("error", new Error("unheard")); } catch (error) { log(error.message); }
try { emitter.emit("error", 5); } catch (error) { log(error.code, error.message); }
try { emitter.on("x", 5); } catch (error) { log(error.code, error.message); }
process.nextTick(() => emitter.emit("later", 1, 2));
log(await once(emitter, "later"));
process.nextTick(() => { emitter.emit("many", 1); emitter.emit("many", 2); });
for await (const [value] of on(emitter, "many")) {
  log(value);
  if (value === 2) break;
}
const stop = new AbortController();
const waiting = once(emitter, "never", { signal: stop.signal }).catch((error) => log(error.name, error.code));
stop.abort();
await waiting;
function Old() { EventEmitter.call(this); }
Object.setPrototypeOf(Old.prototype, EventEmitter.prototype);
log(new Old().on("q", () => log("old")).emit("q"), new Old() instanceof EventEmitter,
  EventEmitter.EventEmitter === EventEmitter);
const captured = new EventEmitter({ captureRejections: true });
captured.on("go", async () => { throw new Error("late"); });
const heard = new Promise((resolve) => captured.on("error", resolve));
captured.emit("go");
log((await heard).message);
log(await sleep(1, "slept"), typeof timers.setTimeout(() => {}, 1).unref,
  await sleep(5, 0, { signal: AbortSignal.abort() }).catch((e) => e.name));
await new Promise((resolve) => timers.setImmediate((value) => { log("immediate", value); resolve(); }, 7));

for await (const chunk of Readable.from(["x", "y"])) log("from", chunk);
const writable = new Writable({ highWaterMark: 3,
  write(chunk, encoding, done) { log("w", String(chunk), encoding); timers.setTimeout(done, 1); } });
log(writable.write("ab"), writable.write("cd"));
writable.once("drain", () => log("drain"));
writable.end("e", () => log("ended"));
await once(writable, "close");
const upper = () => new Transform({ transform(chunk, encoding,
  done) { done(null, `${chunk}`.toUpperCase()); }, flush(done) { done(null, "!"); } });
await pipeline(Readable.from(["a", "b"]), upper(), new PassThrough(),
  new Writable({ write(chunk, encoding, done) { log(`${chunk}`); done(); } }));
const bad = new Transform({ transform(chunk, encoding, done) { done(new Error("bad")); } });
await pipeline(Readable.from(["a"]), bad, new PassThrough()).catch((error) => log("failed", error.message));
await pipeline(async function* () { yield "q"; },
  async function* (source) { for await (const one of source) yield `${one}2`; },
  new Writable({ objectMode: true, write(chunk, encoding, done) { log("g", chunk); done(); } }));
class Counter extends Readable {
  #count = 0;
  constructor() { super({ objectMode: true }); }
  _read() { this.push(this.#count < 3 ? { n: this.#count++ } : null); }
}
for await (const one of new Counter()) log(one);
const late = new Writable({ write(chunk, encoding, done) { done(); } });
late.on("error", (error) => log(error.code));
late.end();
late.write("late");
await new Promise((resolve) => late.on("close", resolve));
await new Promise((resolve) => finished(Readable.from([]).resume(),
  (error) => { log("finished", error); resolve(); }));
log(new Duplex({ read() {}, write() {} }) instanceof Writable, new PassThrough() instanceof Readable,
  late instanceof EventEmitter);
