// A worker, the same file for nBridge and Node. Figures: milliseconds from its making to its first message, and microseconds
// of a message there and back.
const native = globalThis.nbridge === undefined ? await import("node:worker_threads") : undefined;
const address = new URL("worker.mjs", import.meta.url);
const made = () => (native ? new native.Worker(address) : new Worker(address, { type: "module" }));
const next = (worker) => new Promise((resolve) => {
  if (native) worker.once("message", resolve);
  else worker.onmessage = ({ data }) => resolve(data);
});
const starts = [];
for (let i = 0; i < 12; i++) {
  const start = performance.now();
  const worker = made();
  await next(worker);
  starts.push(performance.now() - start);
  await worker.terminate();
}
console.log(`start\t${starts.sort((a, b) => a - b)[6].toFixed(2)}`);
const worker = made();
await next(worker);
const talk = async (count) => {
  for (let i = 0; i < count; i++) {
    const answer = next(worker);
    worker.postMessage({ i });
    if ((await answer).i !== i) throw new Error("another message came back");
  }
};
await talk(2000);
const start = performance.now();
await talk(10000);
console.log(`trip\t${((performance.now() - start) * 1000 / 10000).toFixed(2)}`);
await worker.terminate();
