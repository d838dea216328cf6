// A WebSocket to a server in another program that sends back what comes. Figures: microseconds of 64 bytes there and back,
// and MiB a second each way for messages of a MiB that nothing makes shorter.
const socket = new WebSocket(nbridge.args[0].replace("http", "ws"));
socket.binaryType = "arraybuffer";
await new Promise((resolve, reject) => { socket.onopen = resolve; socket.onclose = reject; });
const next = () => new Promise((resolve) => { socket.onmessage = ({ data }) => resolve(data); });
const talk = async (count, message, size) => {
  for (let i = 0; i < count; i++) {
    const answer = next();
    socket.send(message);
    if ((await answer).byteLength !== size) throw new Error("another message came back");
  }
};
const timed = async (...talked) => {
  await talk(...talked);
  const start = performance.now();
  await talk(...talked);
  return performance.now() - start;
};
console.log(`trip\t${(await timed(5000, new Uint8Array(64), 64) / 5).toFixed(2)}`);
const large = new Uint8Array(1 << 20);
for (let at = 0; at < large.length; at += 65536) crypto.getRandomValues(large.subarray(at, at + 65536));
console.log(`rate\t${(40 / (await timed(40, large, large.length)) * 1000).toFixed(1)}`);
socket.close();
