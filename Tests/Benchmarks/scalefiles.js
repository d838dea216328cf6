// What files, keys, records and things of the web cost by how many there are: `scalefiles.js KIND SIZE` prints the milliseconds.
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
  async items() {
    for (let i = 0; i < size; i++) localStorage.setItem(`key${i}`, i);
    if (localStorage.length !== size) throw new Error("an item is missing");
  },
  async parameters() {
    const url = new URL("http://localhost/");
    for (let i = 0; i < size; i++) url.searchParams.append("key", i);
    if (url.href.length < 6 * size) throw new Error("a parameter is missing");
  },
  async channels() {
    const all = Array.from({ length: size }, () => new BroadcastChannel("name"));
    for (const channel of all) channel.close();
  },
  async fetches() {
    const server = await nbridge.http.serve({ port: 0 }, () => new Response("text"));
    const get = () => fetch(server.url).then((answer) => answer.text());
    const texts = await Promise.all(Array.from({ length: size }, get));
    if (texts.some((text) => text !== "text")) throw new Error("an answer is missing");
    await server.stop();
  },
};
const start = performance.now();
await kinds[kind]();
console.log(performance.now() - start);
