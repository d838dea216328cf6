// nBridge, through the facade that scripts use.
const { bench } = nbridge;
const kilobyte = "x".repeat(1024), megabyte = "x".repeat(1 << 20);
const bytes = new Uint8Array(64 << 20);
const { median } = await measure({
  clock: Date.now, say: console.log,
  subject: {
    "immediate": { run: () => bench.immediate(), count: 200000, flights: 30 },
    "async": { run: () => bench.asynchronous(), count: 100000, flights: 20 },
    "detached": { run: () => bench.detached(), count: 20000, flights: 8 },
    "4 fields": { run: () => bench.point(fourFields), count: 50000, flights: 8 },
    "string 1 KB": { run: () => bench.text({ text: kilobyte }), count: 20000 },
    "string 1 MB": { run: () => bench.text({ text: megabyte }), count: 20 },
    "1 MB of objects, kept": { run: () => bench.keep({ value: oneMegabyte }), count: 8 },
    "1 MB of objects, decoded and encoded": { run: () => bench.items({ items: oneMegabyte }), count: 5 },
    "64 MiB of bytes to native": { run: () => bench.take({ bytes }), count: 5000 },
    "64 MiB of bytes to JavaScript": { run: () => bench.give(), count: 2000 },
  },
});
const rates = [];
for (let batch = 0; batch < 3 && isWanted("watch"); batch++) {
  const start = Date.now();
  let sum = 0;
  for await (const { n } of bench.events({ count: 1000000 })) sum += n;
  if (sum !== 499999500000) throw new Error("events are missing");
  rates.push((Date.now() - start));
}
if (isWanted("watch")) console.log(`watch, per event\t${median(rates).toFixed(1)}`);
for (const [name, run] of [["immediate", bench.immediate], ["async", bench.asynchronous], ["detached", bench.detached]]) {
  if (!isWanted(name)) continue;
  const times = [];
  for (let batch = 0; batch < 3; batch++) {
    const start = Date.now();
    const calls = [];
    for (let i = 0; i < 1000000; i++) calls.push(run());
    const all = await Promise.all(calls);
    if (all.length !== 1000000 || all.some((value) => value !== 42)) throw new Error("calls are missing");
    times.push(Date.now() - start);
  }
  console.log(`${name}, 1000000 in flight\t${median(times).toFixed(1)}`);
}
