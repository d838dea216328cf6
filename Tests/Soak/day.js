// A program's day: each minute something of everything, and a look at the process after each hour. nbridge.args is [hours, "virtual" or
// "real"]: real hours have servers too, whose peers no clock of ours moves.
const hours = Number(nbridge.args[0]), isReal = nbridge.args[1] === "real";
const { app, documents, preference, pasteboard, logger, process, http, soak } = nbridge;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const check = (isRight, what) => { if (!isRight) throw new Error(what); };
const bytes = new Uint8Array(100_000).map((_, index) => index * 31);
let done = 0;

/** What one minute does, a kind after the other. */
const kinds = {
  async calls(n) {
    for (let i = 0; i < 200; i++) check((await app.appInfo()).version !== undefined, "appInfo");
    const all = await Promise.all(Array.from({ length: 200 }, () => app.runStatistics()));
    check(all.length === 200, "calls in flight");
    const failed = await documents.read(`none-${n}`).catch((error) => error);
    check(failed.code === "not_found" && failed.stack.length > 0, "a failed call");
  },
  async aborts() {
    for (let i = 0; i < 20; i++) {
      const control = new AbortController();
      const call = documents.list("", { recursive: true }, { signal: control.signal })[Symbol.asyncIterator]().next();
      control.abort();
      await call.catch(() => {});
    }
  },
  async files(n) {
    const name = `folder/${n % 50}`;
    await documents.write(name, `${n} ${"x".repeat(n % 5000)}`, { durable: false });
    check((await documents.read(name)).startsWith(`${n} `), "a file");
    let count = 0;
    for await (const entry of documents.list("folder")) count += entry.name.length > 0 ? 1 : 0;
    check(count > 0, "a list");
    const writer = await documents.writer("stream", { durable: false });
    for (let i = 0; i < 8; i++) await writer.write(bytes);
    await writer.close();
    let size = 0;
    for await (const chunk of documents.chunks("stream")) size += chunk.length;
    check(size === 800_000, "a stream");
    await documents.remove("stream", { permanently: true });
  },
  async living(n) {
    const document = await documents.open(`living-${n % 5}`, { create: true });
    document.set(`${n}`);
    await document.close();
  },
  async preferences(n) {
    for (let i = 0; i < 10; i++) await preference.set(`key ${(n + i) % 100}`, { n, list: [1, 2, 3] });
    check((await preference.get(`key ${n % 100}`)).n === n, "a preference");
    const watch = preference.watch();
    const event = watch[Symbol.asyncIterator]().next();
    await preference.set("watched", n);
    check((await event).value.key !== undefined, "a change");
    await watch.return?.();
  },
  async board(n) {
    await pasteboard.set(`text ${n}`);
    check(await pasteboard.get() === `text ${n}`, "a pasteboard");
  },
  async records(n) {
    for (let i = 0; i < 50; i++) logger.info(`minute ${n}, record ${i}`);
  },
  async timers() {
    const waiting = [];
    for (let i = 0; i < 100; i++) waiting.push(setTimeout(() => { throw new Error("cleared"); }, 3_600_000));
    for (const timer of waiting) clearTimeout(timer);
    let ticks = 0;
    await new Promise((resolve) => { const timer = setInterval(() => { if (++ticks === 5) { clearInterval(timer); resolve(); } }, 1); });
  },
  async web(n) {
    const url = new URL(`https://example.org/${n}?a=${n}#b`);
    check(url.searchParams.get("a") === `${n}`, "a URL");
    check(structuredClone({ n, map: new Map([[1, bytes.slice(0, 10)]]) }).n === n, "a clone");
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    check(digest.length === 32, "a digest");
    const small = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
    const large = await new Response(small.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
    check(large.byteLength === bytes.length, "compression");
    const { port1, port2 } = new MessageChannel();
    const message = new Promise((resolve) => { port2.onmessage = ({ data }) => resolve(data); });
    port1.postMessage({ n });
    check((await message).n === n, "a message");
    port1.close();
  },
  async texts(n) {
    check(new Function(`return ${n} + 1`)() === n + 1, "a function of text");
    try { JSON.parse(`{"n": ${n}`); } catch (error) { check(error.stack !== undefined, "a stack"); }
  },
};

/** What an hour does once. */
const children = async () => {
  const { stdout } = await process.run("/bin/echo", ["hour"]);
  check(stdout === "hour\n", "a child");
};
const workers = async () => {
  const source = "onmessage = async ({ data }) => postMessage([data, (await nbridge.app.appInfo()).version])";
  const url = URL.createObjectURL(new Blob([source])), worker = new Worker(url);
  const answer = new Promise((resolve, reject) => { worker.onmessage = ({ data }) => resolve(data); worker.onerror = reject; });
  worker.postMessage(7);
  check((await answer)[0] === 7, "a worker");
  worker.terminate();
  URL.revokeObjectURL(url);
};
const servers = async (n) => {
  const server = await http.serve({ port: 0 }, async (request) => new Response(`${n} ${(await request.text()).length}`));
  const origin = `http://127.0.0.1:${server.port}`;
  for (let i = 0; i < 20; i++) check(await (await fetch(origin, { method: "POST", body: "x".repeat(i) })).text() === `${n} ${i}`, "a server");
  await server.stop();
};

const minute = async (n) => {
  for (const name in kinds) {
    try { await kinds[name](n); } catch (error) { throw new Error(`minute ${n}, ${name}: ${error?.stack ?? error}`, { cause: error }); }
    done++;
  }
};

await documents.makeDirectory("folder");
await logger.configure({ sinks: [{ kind: "file", name: "day.log", maximumSize: 1 << 20, keep: 3 }] });
console.log("hour\tminutes' parts\tKiB\tdescriptors\tthreads");
for (let hour = 0; hour < hours; hour++) {
  for (let looked = 0; looked < (isReal ? 60 : 1); looked++) {
    const began = performance.now();
    for (let n = 0; n < (isReal ? 1 : 60); n++) {
      await minute(hour * 60 + looked + n);
      await sleep(isReal ? 0 : 60_000);
    }
    if (isReal) {
      await servers(looked);
      for (; performance.now() - began < 58_000; await sleep(500)) await minute(looked);
    }
    await children();
    await workers();
    if (isReal) await sleep(Math.max(0, 60_000 - (performance.now() - began)));
    const { memory, descriptors, threads } = await soak.look();
    console.log(`${isReal ? looked + 1 : hour + 1}\t${done}\t${memory}\t${descriptors}\t${threads}`);
  }
}
