// "a" sends numbers and acknowledges what was drained; "b" takes them, and acknowledges what it has. Each finds the other however often that one is killed.
const [id, first] = [nbridge.args[0], Number(nbridge.args[1])];
const { documents, peers } = nbridge;
const session = await peers.create({ displayName: id, serviceType: "kills", silence: 1000 });
try {
  if (id === "b") {
    await session.advertise();
    session.invitations((invitation) => invitation.accept());
    const take = (resource) => resource.receive().then(({ path }) => documents.remove(path, { directory: "temporary", permanently: true }));
    (async () => { for await (const resource of session.resources()) take(resource).catch(() => {}); })();
    let last = 0;
    for await (const { data } of session.messages()) {
      if (data !== first && data !== last + 1) console.log(`after ${last} came ${data}`);
      last = data;
      console.log(data);
    }
  }
  let receiver;
  for await (const { kind, peer } of session.browse()) {
    if (kind === "lost" || peer.name !== "b") continue;
    await session.invite(peer, { timeout: 10_000 });
    receiver = peer;
    break;
  }
  for (let n = first; ; n++) {
    await session.send(n);
    if (n % 5 === 0) session.sendResource(new Uint8Array(1 << 20).fill(n), { to: receiver, name: "r" }).catch(() => {});
    await session.drain();
    console.log(n);
  }
} catch (error) { console.log(`${error.code} ${error.message}`); }
