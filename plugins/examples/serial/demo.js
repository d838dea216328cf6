// nbridge run --plugin . demo.js [DEVICE]
// Sends two lines to a device and prints what comes back; without one, to a pretended one that shouts.
import process from "node:process";

const { serial } = nbridge;
const encode = (text) => new TextEncoder().encode(text);

async function pretendToShout() {
  const { path, port } = await serial.pretend();
  (async () => {
    for await (const line of port.lines(undefined, { holdsOpen: false })) {
      await port.write(encode(`${line.toUpperCase()}!\r\n`));
    }
  })();
  return path;
}

const [device = await pretendToShout()] = process.argv.slice(2);
const port = await serial.open(device, { baud: 115200 });
const lines = port.lines();
for (const word of ["hello", "gr\u00fcezi"]) {
  await port.write(encode(`${word}\n`));
  console.log((await lines.next()).value);
}
await port.close();
