// `logger.js call`: what a record costs a script; `logger.js file COUNT`: how fast a file takes them; `logger.js send COUNT NAME`: a source for a viewer.
const [what, count, name] = nbridge.args;
const { logger } = nbridge;
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];
const rounds = (body, many) => {
  const times = [];
  for (let round = 0; round < 9; round++) {
    const start = performance.now();
    for (let i = 0; i < many; i++) body(i);
    times.push((performance.now() - start) / many * 1e6);
  }
  return median(times.slice(2));
};

switch (what) {
  case "call": {
    await logger.configure({ level: "info", sinks: [{ kind: "file" }] });
    console.log(`disabled\t${rounds((i) => logger.debug("not recorded", { i }), 1_000_000).toFixed(1)}`);
    const times = [];
    for (let round = 0; round < 9; round++) {
      // The file's thread comes to rest between rounds: what is asked is what the script's thread does.
      times.push(rounds.call(undefined, (i) => logger.info("request served", { path: "/index.html", status: 200, i }), 2_000));
      await logger.flush();
    }
    console.log(`enabled\t${median(times).toFixed(1)}`);
    break;
  }
  case "file": {
    await logger.configure({ level: "info", sinks: [{ kind: "file", maximumSize: 1 << 30 }] });
    const start = performance.now();
    for (let i = 0; i < Number(count); i++) logger.info("request served", { path: "/index.html", status: 200, i });
    await logger.flush({ timeout: 60_000 });
    console.log(Math.round(Number(count) / (performance.now() - start) * 1000));
    break;
  }
  case "send": {
    await logger.configure({ sinks: [{ kind: "viewer" }] });
    const rate = Number(nbridge.args[3] ?? 0);
    for (let i = 0; i < Number(count);) {
      for (let k = 0; k < (rate > 0 ? rate / 20 : 5000) && i < Number(count); k++, i++) logger.info("request served", { path: `/page/${i % 97}`, status: i % 50 === 0 ? 500 : 200, source: name, i });
      await new Promise((resolve) => setTimeout(resolve, rate > 0 ? 50 : 0));
    }
    await logger.flush({ timeout: 60_000 });
    break;
  }
}
