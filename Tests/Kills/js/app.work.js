// Counts its run, then keeps a state that both keep.
const [id, first] = [nbridge.args[0], Number(nbridge.args[1])];
const { app } = nbridge;
try {
  const { runs } = await app.runStatistics();
  for (let n = first; ; n++) {
    await app.saveState({ id, n, runs, filler: "x".repeat(n % 5000) });
    console.log(n);
    await new Promise((resolve) => setTimeout(resolve));
  }
} catch (error) { console.log(`${error.code} ${error.message}`); }
