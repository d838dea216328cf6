import { Duplex, PassThrough, Readable, Stream, Transform, Writable, addAbortSignal, finished, pipeline, promises } from "node:stream";

const say = (promise) => promise.then((value) => console.log("ok", value), (error) => console.log(error.name, error.code, error.message));
const all = async (stream) => { let count = 0; for await (const part of stream) count++; return count; };
const fail = () => { throw new Error("lost"); };

// What goes wrong on the way reaches who reads.
await say(all(Readable.from((async function* () { yield 1; fail(); })())));
await say(all(new Readable({ read: fail })));
await say(all(new Readable({ read() { this.destroy(new Error("now")); } })));
await say(all(new Readable({ read() { queueMicrotask(() => this.destroy(new Error("soon"))); } })));
await say(all(new Readable({ read() { setTimeout(() => this.destroy(new Error("later")), 1); } })));
await say(all(new PassThrough().destroy(new Error("passed"))));
await say(all(Readable.from([1, 2]).pipe(new Transform({ objectMode: true, transform(part, encoding, done) { done(new Error("made")); } }))
  .on("error", () => {})));
await say(all(Readable.from([1, 2, 3])));
// What was destroyed is not through.
await say(all(new Readable({ read() {} }).destroy()));
const lost = new Writable({ write() {} });
lost.write("x");
lost.destroy();
await say(promises.finished(lost));
await say(promises.finished(new PassThrough().destroy()));
const ending = new Writable({ write(part, encoding, done) { setTimeout(done, 5); } });
ending.end("x");
await say(promises.finished(ending));
console.log(ending.writableFinished);
// Given up.
const controller = new AbortController();
const copied = promises.pipeline(new Readable({ read() {} }), new PassThrough(), { signal: controller.signal });
controller.abort();
await say(copied);
const read = addAbortSignal(AbortSignal.abort(new Error("why")), new Readable({ read() {} }));
await new Promise((done) => finished(read, (error) => { console.log(error.name, error.code, error.cause?.message); done(); }));
// Streams of the oldest kind.
const old = new Stream();
old.readable = true;
const parts = [];
const target = new Writable({ decodeStrings: false, write(part, encoding, done) { parts.push(part); done(); } });
target.on("finish", () => console.log(parts, target.listenerCount("drain"), old.listenerCount("data")));
console.log(old.pipe(target) === target);
old.emit("data", "a");
old.emit("data", "b");
old.emit("end");
await promises.finished(target);
