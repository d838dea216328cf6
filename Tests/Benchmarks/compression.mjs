// Streams of compressed bytes, the same file for nBridge and Node: 16 MiB of what a log looks like. Figures are milliseconds.
const line = (i) => `2026-11-27T10:41:${i % 60} info request ${i * 2654435761 % 4294967296} took ${i % 97} ms for user ${i % 1009}\n`;
let text = "";
for (let i = 0; text.length < 16 << 20; i++) text += line(i);
const bytes = new TextEncoder().encode(text.slice(0, 16 << 20));
const through = async (chunk, stream) => {
  const source = new ReadableStream({ start(c) { c.enqueue(chunk); c.close(); } });
  const pieces = [];
  for await (const piece of source.pipeThrough(stream)) pieces.push(piece);
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
};
for (let round = 0; round < 2; round++) {
  const start = performance.now();
  const small = await through(bytes, new CompressionStream("gzip"));
  const between = performance.now();
  const back = await through(small, new DecompressionStream("gzip"));
  const end = performance.now();
  if (back.length !== bytes.length) throw new Error("it did not come back");
  if (round === 1) console.log(`gzip\t${(between - start).toFixed(1)}\ngunzip\t${(end - between).toFixed(1)}`);
}
export {};
