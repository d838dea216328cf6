// Peers: `peers.js sink TYPE` answers in one process, `peers.js WHAT TYPE COUNT` measures in another.
const [what, serviceType, count] = nbridge.args;
const session = await nbridge.peers.create({ displayName: what, serviceType });
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];

if (what === "sink") {
  await session.advertise();
  session.invitations((invitation) => invitation.accept());
  (async () => {
    for await (const resource of session.resources()) {
      const { size, path, directory } = await resource.receive();
      // Memory that the machine never used costs more than the transfer: it is used again.
      await nbridge.documents.remove(path, { directory, permanently: true });
      await session.send(size, { to: resource.from });
    }
  })();
  console.error("ready");
  // "?" asks how many came; bytes of which the first is 1 are sent back.
  let came = 0;
  for await (const { from, data } of session.messages()) {
    if (data === "end") break;
    if (data === "?") await session.send(came, { to: from.id }); else if (data[0] === 1) session.send(data, { to: from.id }); else came++;
  }
  await session.close();
  exit(0);
}

if (what === "crowd") {
  // Ten peers of one process, which invite all of the processes that began before; the last one says when it was begun.
  const begun = Date.now();
  const own = [session];
  while (own.length < Number(count)) own.push(await nbridge.peers.create({ displayName: `${nbridge.args[3]}.${own.length}`, serviceType }));
  for (const one of own) {
    one.invitations((invitation) => invitation.accept());
    await one.advertise();
  }
  for (const other of own.slice(1)) session.browse(({ kind, peer }) => { if (kind === "found" && peer.id === other.id) session.invite(peer).catch(() => {}); });
  // One link to a peer that was there before is enough.
  let invited = false;
  if (nbridge.args[3] !== "0") session.browse(({ kind, peer }) => {
    if (kind === "found" && !invited && !own.some((one) => one.id === peer.id)) { invited = true; session.invite(peer).catch(() => { invited = false; }); }
  });
  console.error("ready");
  const all = async () => (await Promise.all(own.map((one) => one.statistics()))).every(({ members }) => members === 10 * Number(count) - 1);
  while (!await all()) await new Promise((resolve) => setTimeout(resolve, 5));
  console.log(((Date.now() - begun) / 1000).toFixed(2));
  await new Promise((resolve) => setTimeout(resolve, 3000));
  exit(0);
}

let peer;
for await (const event of session.browse()) { peer = event.peer.id; break; }
await session.invite(peer);
const messages = session.messages();
const next = async () => (await messages.next()).value.data;
const payload = new Uint8Array(64);

switch (what) {
  case "trip": {
    payload[0] = 1;
    const times = [];
    for (let i = 0; i < 15_000; i++) {
      const start = performance.now();
      await session.send(payload, { to: peer });
      await next();
      if (i >= 10_000) times.push(1000 * (performance.now() - start));
    }
    console.log(median(times).toFixed(1));
    break;
  }
  case "flow": {
    for (const many of [50_000, Number(count)]) {
      const start = performance.now();
      for (let i = 0; i < many; i++) {
        const sent = session.send(payload, { to: peer });
        if (i % 64 === 63) await sent;
      }
      await session.send("?", { to: peer });
      await next();
      if (many === Number(count)) console.log(Math.round(many / (performance.now() - start) * 1000));
    }
    break;
  }
  case "resource": {
    // The file was made beforehand; the answer comes when the other side has it on its disk's cache.
    for (let i = 0; i < 8; i++) {
      const start = performance.now();
      const { size } = await session.sendResource("big", { to: peer });
      await next();
      if (i > 2) console.log((size / (performance.now() - start) / 1e6).toFixed(2));
    }
    break;
  }
  case "end": await session.send("end", { to: peer }); break;
}
await session.close();
exit(0);
