// The floor: what the engine alone costs.
const call = async () => answer();
const kilobyte = "x".repeat(1024), megabyte = "x".repeat(1 << 20);
const text = JSON.stringify(oneMegabyte);
measure({
  clock: now, say: print,
  subject: {
    "promise call": { run: call, count: 100000, flights: 10 },
    "4 fields": { run: async () => JSON.parse(echo(JSON.stringify(fourFields))), count: 50000, flights: 5 },
    "string 1 KB": { run: async () => echo(kilobyte), count: 20000 },
    "string 1 MB": { run: async () => echo(megabyte), count: 20 },
    "1 MB of objects (stringify + parse)": { run: async () => JSON.parse(JSON.stringify(oneMegabyte)), count: 5 },
    "64 MiB of bytes to native": { run: (() => { const bytes = new Uint8Array(64 << 20); return async () => take(bytes); })(), count: 100 },
    "64 MiB of bytes to JavaScript": { run: async () => give(), count: 10 },
  },
});
