// Throughput of what the web's globals do most: the same file for nBridge and Node. Figures go to stderr.
{
  const clock = globalThis.performance;
  const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];
  const rate = (name, count, run) => {
    for (let i = 0; i < count; i++) run(i);
    const times = [];
    for (let batch = 0; batch < 7; batch++) {
      const start = clock.now();
      for (let i = 0; i < count; i++) run(i);
      times.push((clock.now() - start) * 1e6 / count);
    }
    console.error(`${name}\t${median(times).toFixed(1)}`);
  };
  const urls = [
    "https://example.com/", "http://localhost:8080/api/v1/items?page=2&size=50", "https://www.example.org/a/b/c.html#top",
    "https://cdn.example.net/lib/core@1.2.3/dist/index.min.js", "https://user:secret@example.com:8443/path",
    "https://EXAMPLE.com/Path%20with%20escapes/?q=caf%C3%A9", "wss://chat.example.com/socket?room=42", "file:///usr/share/doc/x.txt",
    "https://example.com/a/../b/./c", "https://search.example.com/?q=one+two&lang=en&safe=1",
  ];
  const encoder = new TextEncoder(), decoder = new TextDecoder();
  const short = "Hello, world", mixed = "Zürich – 東京 – Ελλάδα ".repeat(40), long = "x".repeat(1 << 20);
  const bytes = { short: encoder.encode(short), mixed: encoder.encode(mixed), long: encoder.encode(long) };
  rate("URL: parse, ten kinds", 20000, (i) => new URL(urls[i % 10]).href);
  rate("URLSearchParams: parse and get", 20000, () => new URLSearchParams("a=1&b=two&c=three").get("c"));
  rate("TextEncoder, 12 characters", 50000, () => encoder.encode(short));
  rate("TextEncoder, 1 K of mixed scripts", 5000, () => encoder.encode(mixed));
  rate("TextEncoder, 1 MiB of ASCII", 30, () => encoder.encode(long));
  rate("TextDecoder, 12 bytes", 50000, () => decoder.decode(bytes.short));
  rate("TextDecoder, 1 K of mixed scripts", 5000, () => decoder.decode(bytes.mixed));
  rate("TextDecoder, 1 MiB of ASCII", 30, () => decoder.decode(bytes.long));
  rate("structuredClone, a small object", 10000, () => structuredClone({ a: 1, b: [1, 2, 3], c: "x" }));
  rate("console.log, a text", 20000, () => console.log("x"));
  rate("console.log, a small object", 20000, () => console.log({ a: 1 }));
  rate("crypto.randomUUID", 50000, () => crypto.randomUUID());
}
