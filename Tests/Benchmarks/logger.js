// `logger.js call`: what a record costs a script; `logger.js file COUNT`: how fast a file takes them.
const [what, count] = nbridge.args;
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
    // No rotation: to compress what was put aside is the work of the other core, and slows this one.
    await logger.configure({ level: "info", sinks: [{ kind: "file", maximumSize: 1 << 30 }] });
    console.log(`disabled\t${rounds((i) => logger.debug("not recorded", { i }), 1_000_000).toFixed(1)}`);
    const times = [];
    for (let round = 0; round < 9; round++) {
      // The file's thread comes to rest between rounds: what is asked is what the script's thread does.
      times.push(rounds((i) => logger.info("request served", { path: "/index.html", status: 200, i }), 2_000));
      await logger.flush();
    }
    console.log(`enabled\t${median(times).toFixed(1)}`);
    // The engine's part of it: where the caller stands.
    Error.stackTraceLimit = 1;
    let length = 0;
    const look = () => { const at = {}; Error.captureStackTrace(at, look); length += at.stack.length; };
    console.log(`stack\t${rounds(look, 20_000).toFixed(1)}`);
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
}
