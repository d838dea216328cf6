const session = await make();
if (option.time !== undefined) setTimeout(() => exit(0), seconds(option.time));
console.error(`looking for '${option.type}'; ^C ends it`);
for await (const { kind, peer } of session.browse()) {
  if (option.json) console.log(JSON.stringify({ kind, ...peer })); else line(kind.padEnd(7), peer.id, peer.name, shown(peer.info));
}
