// Against `nbridge peers advertise --echo --quiet` in another process.
const session = await make();
const peer = await find(session, option.to, 10_000);
await session.invite(peer, { timeout: 10_000 });
const messages = session.messages();
const payload = new Uint8Array(option.size);
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];

const trip = async () => {
  const start = performance.now();
  await session.send(payload, { to: peer.id });
  await messages.next();
  return 1000 * (performance.now() - start);
};
// The engine compiles what runs often: that is over by then.
for (let i = 0; i < 10_000; i++) await trip();
const trips = [];
for (let i = 0; i < option.count; i++) trips.push(await trip());
const middle = median(trips);
line("round trip", `${middle.toFixed(1)} us`, `of ${option.size} bytes, median of ${option.count}; 99 of 100 within ${trips[Math.floor(trips.length * 0.99)].toFixed(1)} us`);

// One way: the last one is told to answer, and that answer ends the time.
const many = 20 * option.count;
const start = performance.now();
for (let i = 0; i < many; i++) {
  const sent = session.send(payload, { to: peer.id, mode: "reliable" });
  if (i % 256 === 255) await sent;
}
let back = 0;
for await (const _ of messages) if (++back === many) break;
const rate = many / (performance.now() - start) * 1000;
line("echoed", `${Math.round(rate)} messages/s there and as many back`);
await session.close();
exit(0);
