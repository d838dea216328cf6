// The server of the rows of fetch and WebSocket: 1 KiB at /, as many MiB as the path says else. Prints its port.
import { createServer } from "node:http";
const small = Buffer.alloc(1024, 120), large = Buffer.alloc(1 << 20, 120);
const server = createServer((request, response) => {
  const count = Number(request.url.slice(1));
  if (count === 0) return response.end(small);
  response.writeHead(200, { "content-length": count << 20 });
  let left = count;
  const go = () => {
    while (left > 0) {
      left--;
      if (!response.write(large)) return response.once("drain", go);
    }
    response.end();
  };
  go();
});
server.keepAliveTimeout = 60000;
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
