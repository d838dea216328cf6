// Sets a key of its own and one that all set, and acknowledges. Says why when it can't.
const [id, first] = [nbridge.args[0], Number(nbridge.args[1])];
const { preference } = nbridge;
try {
  for (let n = first; ; n++) {
    await preference.set(id, { n, filler: "x".repeat(n % 3000) });
    await preference.set("all", { id, n });
    if (n % 7 === 0) await preference.remove(`gone-${id}`); else await preference.set(`gone-${id}`, n);
    console.log(n);
    await new Promise((resolve) => setTimeout(resolve));
  }
} catch (error) { console.log(`${error.code} ${error.message}`); }
