// SPDX-License-Identifier: MIT
// The cost of recording for a call of each kind. Few enough of them that the file stays in memory.
const { bench } = nbridge;
await measure({
  clock: Date.now, say: console.log,
  subject: {
    "immediate": { run: () => bench.immediate(), count: 50000, flights: 5 },
    "async": { run: () => bench.asynchronous(), count: 50000, flights: 5 },
    "detached": { run: () => bench.detached(), count: 20000, flights: 3 },
    "4 fields": { run: () => bench.point(fourFields), count: 50000, flights: 5 },
  },
});
