const facts = JSON.parse(nbridge.args[1]);
const { documents } = nbridge;
const problems = [];
const seen = new Set();
for (const { name, kind } of await documents.list("shown", { directory: "bundle" }).toArray()) {
  if (kind !== "file") continue;
  const lines = (await documents.read(`shown/${name}`, { directory: "bundle" })).split("\n");
  // Linux cuts the write of a process that is killed; the next writer takes away what was begun.
  if (lines.pop() !== "" && name !== "app.log") problems.push(`${name} ends in the middle of a line`);
  for (const line of lines) {
    let record;
    try { record = JSON.parse(line); } catch { problems.push(`${name} has a line that is no record`); continue; }
    if (record.message !== "kept") continue;
    const { id, n, filler } = record.fields ?? record;
    if (seen.has(`${id} ${n}`)) problems.push(`${id} ${n} is there twice`);
    if (filler.length !== n % 200) problems.push(`${id} ${n} is not whole`);
    seen.add(`${id} ${n}`);
  }
}
for (const id of ["a", "b"]) for (let n = facts.first; n <= facts[id]; n++) if (!seen.has(`${id} ${n}`)) problems.push(`${id} ${n} is lost`);
console.log(problems.slice(0, 3).join("; ") || "ok");
