// A server of 1 KiB, the same file for nBridge and Node. Prints its port; `sockets` sends back what its WebSockets say.
const body = "x".repeat(1024);
if (globalThis.nbridge) {
  const { port } = await nbridge.http.serve((request) => {
    if (request.headers.get("upgrade") === null) return new Response(body);
    const { socket, response } = nbridge.http.upgrade(request);
    socket.binaryType = "arraybuffer";
    socket.onmessage = ({ data }) => socket.send(data);
    return response;
  });
  console.log(port);
} else {
  const { createServer } = await import("node:http");
  const server = createServer((request, response) => {
    response.setHeader("content-type", "text/plain;charset=UTF-8");
    response.end(body);
  });
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));
}
