const session = await make({ discoveryInfo: option.info });
await session.advertise();
console.error(`'${session.displayName}' can be found as '${option.type}'; ^C ends it`);
session.invitations((invitation) => {
  line("invited", invitation.from.name);
  invitation.accept();
});
session.states(({ peer, state, route }) => line(state, peer.name, route ?? ""));
session.problems(({ message }) => console.error(`nbridge: ${message}`));
session.resources(async (resource) => {
  try {
    const { fullPath, size } = await resource.receive();
    line("received", resource.name, `${size} bytes`, fullPath);
  } catch (error) { console.error(`nbridge: ${error.message}`); }
});
for await (const { from, data, mode } of session.messages()) {
  if (!option.quiet) line("message", from.name, typeof data === "string" ? data : data instanceof Uint8Array ? `${data.length} bytes` : JSON.stringify(data));
  if (option.echo) session.send(data, { to: from, mode }).catch((error) => console.error(`nbridge: ${error.message}`));
}
