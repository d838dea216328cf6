// Replaces a file of its own and one that both replace, appends to one that both append to, and goes through the trash.
const [id, first] = [nbridge.args[0], Number(nbridge.args[1])];
const { documents } = nbridge;
try {
  for (let n = first; ; n++) {
    const text = `${id}${n} `.repeat(500 + n % 1000);
    await documents.write(id, text);
    await documents.write("both", text, { durable: false });
    await documents.append("log", `${id} ${n}\n`);
    if (n % 3 === 0) {
      await documents.write(`thrown-${id}`, `${n}`);
      const trashed = await documents.remove(`thrown-${id}`);
      // The other may have emptied the trash meanwhile.
      if (n % 2 === 0) await documents.restore(trashed).catch((error) => { if (error.code !== "not_found") throw error; }); else if (n % 5 === 0) await documents.emptyTrash();
    }
    console.log(n);
  }
} catch (error) { console.log(`${error.code} ${error.message}`); }
