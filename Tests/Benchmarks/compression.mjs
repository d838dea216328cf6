// Streams of compressed bytes, the same file for nBridge and Node: 16 MiB of what a log looks like. Figures are milliseconds.
const line = (i) => `2026-11-27T10:41:${i % 60} info request ${i * 2654435761 % 4294967296} took ${i % 97} ms for user ${i % 1009}\n`;
let text = "";
for (let i = 0; text.length < 16 << 20; i++) text += line(i);
const bytes = new TextEncoder().encode(text.slice(0, 16 << 20));
const through = (chunk, stream) => new ReadableStream({ start(c) { c.enqueue(chunk); c.close(); } }).pipeThrough(stream);
for (let round = 0; round < 2; round++) {
  const start = performance.now();
  const pieces = [];
  for await (const piece of through(bytes, new CompressionStream("gzip"))) pieces.push(piece);
  const between = performance.now();
  const small = new Uint8Array(await new Blob(pieces).arrayBuffer());
  const begin = performance.now();
  let count = 0;
  for await (const piece of through(small, new DecompressionStream("gzip"))) count += piece.length;
  const end = performance.now();
  if (count !== bytes.length) throw new Error("it did not come back");
  if (round === 1) console.log(`gzip\t${(between - start).toFixed(1)}\ngunzip\t${(end - begin).toFixed(1)}`);
}
export {};
