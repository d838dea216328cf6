// Takes files from any peer:   nbridge run www/filedrop/main.js   and, in another terminal,
// nbridge peers send drop --file photo.jpg
const session = await nbridge.peers.create({ displayName: nbridge.args[0] ?? "drop", serviceType: "drop" });
await session.advertise();
session.invitations((invitation) => {
  console.log(`${invitation.from.name} comes`);
  invitation.accept();
});
console.log("waiting for files");
for await (const resource of session.resources()) {
  try {
    const { path, directory, size } = await resource.receive();
    // Whatever its sender calls it, it lies in this app's documents.
    const name = resource.name.replaceAll(/[^\w.-]|^\.+/g, "_");
    await nbridge.documents.move(path, name, { directory, toDirectory: "documents", overwrite: true });
    console.log(`${resource.from.name} gave ${name}, ${size} bytes`);
  } catch (error) { console.error(`${resource.name}: ${error.message}`); }
}
