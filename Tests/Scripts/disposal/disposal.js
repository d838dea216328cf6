// What AsyncDisposableStack lets go of, in which order, and what it says of errors.
const log = (...all) => console.log(...all);
const fails = async (body) => { try { await body(); log("nothing"); } catch (e) { return e; } };

const stack = new AsyncDisposableStack();
const value = { [Symbol.dispose]() { log("by dispose", this === value); } };
log(stack.use(value) === value, stack.use(null), stack.use(undefined));
stack.use({ async [Symbol.asyncDispose]() { await null; log("by asyncDispose"); }, [Symbol.dispose]() { log("never"); } });
log(stack.adopt(5, async function (n) { await null; log("adopted", n, this === undefined || this === globalThis); }));
stack.defer(() => log("deferred"));
log(stack.disposed, await stack.disposeAsync(), stack.disposed, await stack.disposeAsync());

const two = new AsyncDisposableStack();
two.adopt(1, async () => { throw new Error("second"); });
two.defer(() => { throw new Error("first"); });
let error = await fails(() => two.disposeAsync());
log(error.name, error.error.message, error.suppressed.message);

const three = new AsyncDisposableStack();
for (const text of ["c", "b", "a"]) three.defer(async () => { throw new Error(text); });
error = await fails(() => three[Symbol.asyncDispose]());
log(error.error.message, error.suppressed.error.message, error.suppressed.suppressed.message);

const old = new AsyncDisposableStack();
old.defer(() => log("moved"));
const moved = old.move();
log(old.disposed, moved.disposed, moved instanceof AsyncDisposableStack);
{ await using held = moved; }
for (const body of [() => old.use({}), () => old.defer(() => {}), () => old.move(), () => moved.adopt(1, () => {})]) {
  log((await fails(body)).name);
}
const fresh = new AsyncDisposableStack();
for (const body of [() => fresh.use({}), () => fresh.use(1), () => fresh.adopt(1), () => fresh.defer({})]) {
  log((await fails(body)).message);
}
log((await fails(() => fresh.disposeAsync.call({}))).name, fresh.disposeAsync === fresh[Symbol.asyncDispose]);
log(`${fresh}`, AsyncDisposableStack.length, fresh.adopt.length, Object.keys(AsyncDisposableStack.prototype).length);
log((await fails(() => structuredClone(fresh))).name, fresh);
