// Sets the general board, which both set, and one of its own.
const [id, first] = [nbridge.args[0], Number(nbridge.args[1])];
const { pasteboard } = nbridge;
try {
  const own = await pasteboard.open(`kills.${id}`, { persistent: true });
  for (let n = first; ; n++) {
    await pasteboard.set({ json: { id, n } });
    await own.set({ text: `${n}`, "application/x-filler": new Uint8Array((n % 5) * 40000).fill(n) });
    if (n % 6 === 0) await own.add({ text: "second" });
    if (n % 9 === 0) await pasteboard.clearHistory();
    console.log(n);
    await new Promise((resolve) => setTimeout(resolve));
  }
} catch (error) { console.log(`${error.code} ${error.message}`); }
