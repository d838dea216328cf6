// One call of each kind and a watch: run with the plugin linked in and with it loaded, in turn.
const { bench } = nbridge;
const { median } = await measure({
  clock: Date.now, say: console.log,
  subject: {
    "immediate": { run: () => bench.immediate(), count: 100000, flights: 10 },
    "async": { run: () => bench.asynchronous(), count: 50000, flights: 8 },
    "detached": { run: () => bench.detached(), count: 8000, flights: 4 },
    "64 MiB of bytes to JavaScript": { run: () => bench.give(), count: 8 },
    "4 fields": { run: () => bench.point(fourFields), count: 20000, flights: 4 },
  },
});
const times = [];
for (let batch = 0; batch < 3 && isWanted("watch"); batch++) {
  const start = Date.now();
  for await (const _ of bench.events({ count: 300000 }));
  times.push((Date.now() - start) * 1e6 / 300000);
}
if (isWanted("watch")) console.log(`watch, per event\t${median(times).toFixed(1)}`);
