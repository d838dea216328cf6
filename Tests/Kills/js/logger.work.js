// Writes records into a file that both write to, and that is put aside when it is large.
const [id, first] = [nbridge.args[0], Number(nbridge.args[1])];
const { logger } = nbridge;
try {
  for (let n = first; ; n++) {
    logger.info("kept", { id, n, filler: "x".repeat(n % 200) });
    await logger.flush();
    console.log(n);
  }
} catch (error) { console.log(`${error.code} ${error.message}`); }
