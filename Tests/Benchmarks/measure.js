// SPDX-License-Identifier: MIT
// The same measurements for every host: `subject` says what each does, `clock` gives milliseconds, `say`
// takes lines. Each figure is the median of three batches, in nanoseconds an operation; it is run often.
// A script before this one may say by `only` what is measured.
globalThis.isWanted = (name) => (globalThis.only ?? name) === name;
globalThis.measure = async ({ subject, clock, say }) => {
  const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];

  const sequential = async (name, run, count, batches = 3) => {
    for (let i = 0; i < count; i++) await run();
    const times = [];
    for (let batch = 0; batch < batches; batch++) {
      const start = clock();
      for (let i = 0; i < count; i++) await run();
      times.push((clock() - start) * 1e6 / count);
    }
    say(`${name}\t${median(times).toFixed(1)}`);
  };

  const inFlight = async (name, run, count, rounds, batches = 3) => {
    const times = [];
    for (let batch = 0; batch < batches; batch++) {
      const start = clock();
      for (let round = 0; round < rounds; round++) {
        const calls = [];
        for (let i = 0; i < count; i++) calls.push(run());
        await Promise.all(calls);
      }
      times.push((clock() - start) * 1e6 / count / rounds);
    }
    say(`${name}\t${median(times).toFixed(1)}`);
  };

  for (const [name, { run, count, flights }] of Object.entries(subject)) {
    if (!isWanted(name)) continue;
    await sequential(`${name}, sequential`, run, count);
    if (flights) await inFlight(`${name}, 5000 in flight`, run, 5000, flights);
  }
  return { sequential, inFlight, median };
};
globalThis.fourFields = { x: 1.5, y: -2, label: "abc", on: true };
globalThis.oneMegabyte = Array.from({ length: 12000 }, (_, id) =>
  ({ id, name: `item ${id}`, tags: ["a", "b"], ok: true, value: id / 3 }));
