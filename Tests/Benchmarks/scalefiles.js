// What files, keys and records cost by how many there are: `scalefiles.js KIND SIZE` prints the milliseconds.
const [kind, argument] = nbridge.args;
const size = Number(argument);
const { documents, preference, logger } = nbridge;
const kinds = {
  async list() {
    const all = await documents.list(`many${size}`).toArray();
    if (all.length !== size) throw new Error("not all were listed");
  },
  async keys() {
    for (let i = 0; i < size; i++) await preference.set(`key${i}`, i);
    for (let i = 0; i < size; i++) {
      if (await preference.get(`key${i}`) !== i) throw new Error("a key is missing");
    }
  },
  async records() {
    await logger.configure({ level: "info", sinks: [{ kind: "file", maximumSize: 1 << 30 }] });
    for (let i = 0; i < size; i++) logger.info("request served", { path: "/index.html", status: 200, i });
    await logger.flush({ timeout: 60_000 });
  },
};
const start = performance.now();
await kinds[kind]();
console.log(performance.now() - start);
