// Pasteboards: `pasteboard.js WHAT COUNT …`, prints figures.
const { pasteboard } = nbridge;
const [what, count, gap] = nbridge.args;
const text = "x".repeat(1000);
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];
const timed = async (body) => {
  const start = performance.now();
  await body();
  return performance.now() - start;
};
switch (what) {
  case "set": case "get": {
    await pasteboard.set(text);
    const times = [];
    for (let i = 0; i < count; i++) times.push(1000 * await timed(() => what === "set" ? pasteboard.set(text) : pasteboard.get()));
    const mean = times.reduce((sum, time) => sum + time) / times.length;
    console.log(median(times).toFixed(2), mean.toFixed(2));
    break;
  }
  case "large": {
    // Put there, taken again, and each page looked at.
    const bytes = new Uint8Array(64 << 20).fill(7), times = [];
    for (let i = 0; i < count; i++) times.push(await timed(async () => {
      await pasteboard.set(bytes, { type: "application/octet-stream", name: "large" });
      const back = await pasteboard.get({ name: "large" });
      for (let at = 0; at < back.length; at += 4096) if (back[at] !== 7) throw new Error("not what was put there");
    }));
    console.log(median(times.slice(2)).toFixed(2));
    break;
  }
  case "watch": {
    const late = [];
    let last = 0, coalesced = 0;
    const changes = pasteboard.watch()[Symbol.asyncIterator](), first = changes.next();
    // Calls begin in order: what changes from here on is told.
    await pasteboard.changeCount();
    console.error("ready");
    for (let next = await first; ; next = await changes.next()) {
      const change = next.value;
      late.push(Date.now() - change.at.getTime());
      if (last !== 0 && change.changeCount !== last + 1 + change.coalesced) throw new Error("not in order");
      coalesced += change.coalesced;
      last = change.changeCount;
      if (late.length + coalesced >= count) break;
    }
    await changes.return();
    late.sort((a, b) => a - b);
    console.log(late[Math.floor(late.length * 0.5)], late[Math.floor(late.length * 0.99)], late.at(-1), late.length, coalesced);
    break;
  }
  case "write": {
    // So many changes a second, as evenly as the loop can.
    const start = performance.now();
    for (let i = 0; i < count; i++) {
      const due = start + i * gap;
      if (performance.now() < due) await new Promise((resolve) => setTimeout(resolve, due - performance.now()));
      await pasteboard.set(text);
    }
    console.log(Math.round(count * 1000 / (performance.now() - start)));
  }
}
