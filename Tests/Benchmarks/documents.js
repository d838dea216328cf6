// Files beside C, cp and find: `documents.js WHAT …`, prints one figure.
const { documents } = nbridge;
const [what, count, durable] = nbridge.args;
const start = performance.now();
const seconds = () => (performance.now() - start) / 1000;
const text = "x".repeat(100);
const write = (i) => documents.write("f" + (i % 100), text, { durable: durable === "1" });
switch (what) {
  case "sequential":
    for (let i = 0; i < count; i++) await write(i);
    console.log(Math.round(count / seconds()));
    break;
  case "flight":
    await Promise.all(Array.from({ length: Number(count) }, (_, i) => write(i)));
    console.log(Math.round(count / seconds()));
    break;
  case "list":
    if ((await documents.list("many").toArray()).length !== Number(count)) throw new Error("not all were listed");
    break;
  case "stream": {
    const writer = await documents.writer("copy", { durable: false });
    for await (const chunk of documents.chunks("big")) await writer.write(chunk);
    await writer.close();
  }
}
