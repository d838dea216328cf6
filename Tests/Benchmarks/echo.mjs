// A server that sends back what its WebSockets say. Prints its port.
const { port } = await nbridge.http.serve((request) => {
  const { socket, response } = nbridge.http.upgrade(request);
  socket.binaryType = "arraybuffer";
  socket.onmessage = ({ data }) => socket.send(data);
  return response;
});
console.log(port);
