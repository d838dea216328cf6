// Listeners that come and go while others are called, and many of them.
import EventEmitter from "node:events";

const log = (...values) => console.log(...values);
const heard = [];
const named = (name, more = () => {}) => {
  const listener = () => { heard.push(name); more(); };
  return listener;
};
const told = (label) => log(label, heard.splice(0).join(" "));

// An emit keeps the list that it began with.
const emitter = new EventEmitter();
const late = named("late"), second = named("second", () => emitter.off("e", third)), third = named("third");
emitter.on("e", named("first", () => emitter.on("e", late)));
emitter.on("e", second);
emitter.on("e", third);
emitter.emit("e");
told("1");
emitter.off("e", late);
emitter.emit("e");
told("2");
// Also an emit inside of an emit, and one that a listener breaks.
const nested = new EventEmitter();
let depth = 0;
nested.on("e", () => {
  heard.push(`in${depth}`);
  if (depth++ === 0) {
    nested.prependListener("e", named("before"));
    nested.emit("e");
    nested.on("e", named("after"));
  }
});
nested.on("e", named("last"));
nested.emit("e");
told("3");
nested.prependListener("e", () => { throw new Error("broken"); });
try { nested.emit("e"); } catch (error) { log(error.message); }
nested.off("e", nested.listeners("e")[0]);
nested.emit("e");
told("4");

// The last one that was added as this one goes, whether it waits for one event or for all.
const twice = new EventEmitter();
const one = named("one");
twice.on("e", one);
twice.once("e", one);
twice.on("e", named("other"));
twice.on("e", one);
const counts = () => twice.rawListeners("e").map((listener) => (listener === one ? "on" : listener.listener === one ? "once" : "-"));
log(counts().join());
for (let i = 0; i < 4; i++) {
  twice.off("e", one);
  log(counts().join());
}
// A wrapper by itself.
const wrapped = new EventEmitter();
wrapped.once("e", one);
wrapped.on("e", one);
const [wrapper] = wrapped.rawListeners("e");
wrapped.off("e", wrapper);
log(wrapped.rawListeners("e").map((listener) => listener === one).join());
// Two that wait for one event, both called by it.
const waits = new EventEmitter();
waits.once("e", named("a"));
waits.once("e", named("b"));
log(waits.emit("e"), waits.emit("e"), waits.listenerCount("e"));
told("5");

// What a program sets at its listeners by itself.
const marked = new EventEmitter(), mark = () => {}, f = () => {};
mark.listener = () => {};
marked.on("x", mark);
marked.once("x", mark);
marked.off("x", mark);
log(marked.rawListeners("x")[0] === mark);
marked.removeAllListeners();
marked.on("x", f);
marked.on("x", () => {});
f.listener = mark;
marked.off("x", mark);
log(marked.listenerCount("x"));
const own = new EventEmitter();
own._events = { x: Object.freeze([named("frozen"), named("too")]) };
own.emit("x");
told("6");
const lists = new EventEmitter();
lists.on("x", f);
lists.on("x", mark);
lists.emit("x");
log(Object.keys(lists._events.x).join(), lists.rawListeners("x").length);
// What is told of who leaves.
const gone = new EventEmitter();
gone.on("removeListener", (name, listener) => log("gone", name, listener === f, listener === mark, listener.listener === f));
gone.once("y", f);
gone.emit("y");
gone.once("y", f);
gone.on("y", mark);
gone.emit("y");
gone.on("y", f);
gone.removeAllListeners("y");
log(gone.listenerCount("y"));

// Many: to add and to take them out takes its time once for each.
const crowd = new EventEmitter();
crowd.setMaxListeners(0);
let calls = 0;
const all = Array.from({ length: 20_000 }, () => () => calls++);
for (const listener of all) crowd.on("e", listener);
crowd.emit("e");
for (const listener of all) crowd.off("e", listener);
for (const listener of all) crowd.once("e", listener);
crowd.emit("e");
log(calls, crowd.listenerCount("e"), crowd.eventNames().length);
