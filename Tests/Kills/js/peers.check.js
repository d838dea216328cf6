// A resource that was received whole is there until a program takes it away; parts of one that broke off are
// not.
const { documents, peers } = nbridge;
const problems = [];
const session = await peers.create({ displayName: "check", serviceType: "kills" });
const received = await documents.list("peers", { directory: "temporary", recursive: true, facts: true }).toArray().catch(() => []);
for (const { kind, path, size } of received) {
  if (kind !== "file") continue;
  const bytes = await documents.read(`peers/${path}`, { directory: "temporary", format: "bytes" });
  if (size !== 1 << 20 || bytes.some((byte) => byte !== bytes[0])) problems.push(`${path} is a part of a resource, of ${size} bytes`);
}
await session.close();
console.log(problems.join("; ") || "ok");
