// fetch of a server on this machine, the same file for nBridge and Node. Figures: microseconds a request, and milliseconds for a GiB.
const origin = globalThis.nbridge ? nbridge.args[0] : process.argv[2];
const one = async () => {
  const response = await fetch(origin);
  if ((await response.text()).length !== 1024) throw new Error("it did not come whole");
};
const timed = async (count, run) => {
  const start = performance.now();
  await run();
  return ((performance.now() - start) * 1000 / count).toFixed(1);
};
const alone = async (count) => { for (let i = 0; i < count; i++) await one(); };
const together = async (rounds) => { for (let i = 0; i < rounds; i++) await Promise.all(Array.from({ length: 64 }, one)); };
await alone(200);
await together(4);
console.log(`alone\t${await timed(1000, () => alone(1000))}`);
console.log(`together\t${await timed(64 * 30, () => together(30))}`);
const start = performance.now();
let count = 0;
for await (const piece of (await fetch(`${origin}/1024`)).body) count += piece.length;
if (count !== 1 << 30) throw new Error("it did not come whole");
console.log(`stream\t${(performance.now() - start).toFixed(1)}`);
export {};
