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
  case "keystroke": {
    // A keystroke in the middle of a page of text, the string's making included; saves go on beside it.
    const page = "x".repeat(2000);
    const doc = await documents.open("letter.txt", { content: page + page });
    const started = performance.now();
    for (let i = 0; i < count; i++) doc.set(doc.content.slice(0, 2000) + "k" + doc.content.slice(2001), { action: "Typing", merge: true });
    console.log(((performance.now() - started) * 1000 / count).toFixed(3));
    break;
  }
  case "lines": {
    let lines = 0;
    for await (const line of documents.lines(count)) if (line.length > 0) lines++;
    if (lines !== 1e6) throw new Error("not all were read");
    break;
  }
  case "stream": {
    const writer = await documents.writer("copy", { durable: false });
    for await (const chunk of documents.chunks("big")) await writer.write(chunk);
    await writer.close();
  }
}
