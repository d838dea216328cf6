const facts = JSON.parse(nbridge.args[1]);
const { documents } = nbridge;
const problems = [];
/** The number of a file that is one whole text. */
const whole = async (name) => {
  const parts = (await documents.read(name)).trimEnd().split(" ");
  const n = Number(parts[0].slice(1));
  if (parts.some((part) => part !== parts[0]) || parts.length !== 500 + n % 1000) problems.push(`${name} is no whole text`);
  return n;
};
for (const id of ["a", "b"]) if (!(await whole(id) >= facts[id])) problems.push(`${id} acknowledged ${facts[id]}, there is ${await whole(id)}`);
await whole("both");

const lines = (await documents.read("log")).split("\n");
if (lines.pop() !== "") problems.push("the log's last line has no end");
const seen = new Set();
for (const line of lines) {
  if (!/^[ab] \d+$/.test(line)) problems.push(`the log has the line '${line}'`);
  if (seen.has(line)) problems.push(`'${line}' is there twice`);
  seen.add(line);
}
for (const id of ["a", "b"]) for (let n = facts.first; n <= facts[id]; n++) if (!seen.has(`${id} ${n}`)) problems.push(`'${id} ${n}' is lost`);

await documents.write("check", "x");
for (const item of await documents.trash()) {
  await documents.restore(item.id).catch((error) => { if (error.code !== "exists" && error.code !== "not_found") problems.push(`${item.path}: ${error.code}`); });
}
const expected = /^(a|b|both|log|check|thrown-[ab])$/;
for (const { name } of await documents.list().toArray()) if (!expected.test(name)) problems.push(`there is '${name}'`);
// As long as a kill leaves something, it must not grow.
console.log(problems.slice(0, 3).join("; ") || "ok");
