// What calls cost by how many or how large they are: prints a size and the milliseconds that it took, a line
// each. A script before this one says by `only` what is measured.
{
  const { bench } = nbridge;
  const decades = (least, most) => {
    const sizes = [];
    for (let size = least; size <= most; size *= 10) sizes.push(size);
    return sizes;
  };
  const inFlight = (run) => async (size) => {
    const calls = [];
    for (let i = 0; i < size; i++) calls.push(run());
    if ((await Promise.all(calls)).length !== size) throw new Error("calls are missing");
  };
  const watches = async (size) => {
    const all = [];
    for (let i = 0; i < size; i++) all.push(bench.events({ count: 2 })[Symbol.asyncIterator]());
    const firsts = await Promise.all(all.map((watch) => watch.next()));
    if (firsts.some(({ done }) => done)) throw new Error("an event is missing");
    await Promise.all(all.map((watch) => watch.return()));
  };
  const closings = async (size) => {
    const all = [];
    for (let i = 0; i < size; i++) all.push(bench.thing());
    const things = await Promise.all(all);
    const uses = things.map((thing) => thing.use()), ends = things.map((thing) => thing.close());
    if ((await Promise.all(uses)).length + (await Promise.all(ends)).length !== 2 * size) throw new Error("calls are missing");
  };
  const deadlines = inFlight(() => nbridge.callToNative("bench", "detached", {}, { timeout: 60_000 }));
  const timers = async (size) => {
    const all = [];
    for (let i = 0; i < size; i++) all.push(new Promise((resolve) => setTimeout(resolve, i % 4)));
    await Promise.all(all);
  };
  const texts = new Map();
  const text = (size) => {
    if (!texts.has(size)) texts.set(size, "x".repeat(size));
    return bench.text({ text: texts.get(size) });
  };
  const numbers = new Map();
  const list = (size) => {
    if (!numbers.has(size)) numbers.set(size, Array.from({ length: size / 9 }, (_, id) => ({ id: id % 10 })));
    return bench.keep({ value: numbers.get(size) });
  };
  const kinds = {
    immediate: [decades(10, 1e6), inFlight(bench.immediate)],
    async: [decades(10, 1e6), inFlight(bench.asynchronous)],
    detached: [decades(10, 1e6), inFlight(bench.detached)],
    text: [[10, 100, 1000, 10_000, 100_000, 1 << 20, 8 << 20, 63 << 20], text],
    objects: [[10, 100, 1000, 10_000, 100_000, 1 << 20, 8 << 20], list],
    watches: [decades(1, 1e5), watches],
    timers: [decades(10, 1e6), timers],
    closings: [decades(10, 1e5), closings],
    deadlines: [decades(10, 1e6), deadlines],
  };
  const [sizes, run] = kinds[only];
  for (const size of sizes) {
    // Small ones are repeated: a clock of milliseconds doesn't see one.
    const times = [];
    const most = size >= 1e6 ? 3 : 5;
    let count = 1;
    while (times.length < most) {
      const start = Date.now();
      for (let i = 0; i < count; i++) await run(size);
      const taken = Date.now() - start;
      if (taken < 40 && count < 1e6) count *= taken < 4 ? 10 : 2;
      else times.push(taken / count);
    }
    console.log(`${size}\t${times.sort((a, b) => a - b)[times.length >> 1]}`);
  }
}
