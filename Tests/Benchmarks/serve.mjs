// A server of 1 KiB, the same file for nBridge and Node: neither looks at what is asked. Prints its port.
const body = "x".repeat(1024);
if (globalThis.nbridge) {
  const { port } = await nbridge.http.serve(() => new Response(body));
  console.log(port);
} else {
  const { createServer } = await import("node:http");
  const server = createServer((request, response) => {
    response.setHeader("content-type", "text/plain;charset=UTF-8");
    response.end(body);
  });
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));
}
